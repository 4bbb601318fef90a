"""The cluster keeps the promise of every engine, whatever is lost."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from threadpoolctl import threadpool_info

from textward.engine import Engine, Need, engine_of, run_pieces
from textward.engine.cluster import Ray, SentFolder, _Keeper
from textward.errors import DataError, LostWorkerError, MissingExtraError, PieceError, UsageError

pytestmark = pytest.mark.xdist_group("ray")


def slow_square(piece: int) -> int:
    time.sleep(0.15)
    return piece * piece


def picky(piece: int) -> int:
    if piece == 2:
        raise ValueError("not \x1b two")
    if piece == 3:
        raise DataError("not three")
    return piece


def deadly(piece: int) -> int:
    if piece == 1:
        os._exit(1)
    return piece


def threads(_: int) -> set[int]:
    np.ones((2, 2)) @ np.ones((2, 2))
    return {pool["num_threads"] for pool in threadpool_info()}


def process_and_size(shared: Any) -> tuple[int, int]:
    return os.getpid(), len(shared.get())


def note(depot: Any) -> str:
    path = depot.place("note")
    before = path.read_text() if path.exists() else ""
    path.write_text(before + "x")
    depot.keep("note")
    return before


def test_results_are_those_of_this_process_and_in_order(cluster: Any) -> None:
    seen: list[tuple[int, int]] = []
    pieces = list(range(12))
    found = run_pieces(
        slow_square, pieces, engine=cluster.engine, progress=lambda *at: seen.append(at), name="group"
    )
    assert found == run_pieces(slow_square, pieces)
    assert seen == [(done, 12) for done in range(1, 13)]


def test_a_lost_worker_and_a_lost_node_lose_nothing(
    cluster: Any, trouble: Callable[[int, int], None]
) -> None:
    pieces = list(range(16))
    assert run_pieces(slow_square, pieces, engine=cluster.engine, progress=trouble) == [p * p for p in pieces]


@pytest.mark.parametrize(("pieces", "kind", "said"), [([0, 2], PieceError, r"group 1 \(of 0 to 1\)"),
                                                      ([3], DataError, "group 0 .*: not three")])  # fmt: skip
def test_an_error_names_its_piece_and_keeps_its_type(
    cluster: Any, pieces: list[int], kind: type[Exception], said: str
) -> None:
    with pytest.raises(kind, match=said) as caught:
        run_pieces(picky, pieces, engine=cluster.engine, name="group")
    assert "in picky" in str(caught.value.__cause__)


def test_a_piece_that_kills_every_worker_is_named(cluster: Any) -> None:
    with pytest.raises(LostWorkerError, match=r"block 1 \(of 0 to 1\) failed: its worker was lost each time"):
        run_pieces(deadly, [0, 1], engine=Ray(cluster.address, retries=1), name="block")


def test_a_piece_has_one_numerical_thread(cluster: Any) -> None:
    assert set().union(*run_pieces(threads, [0, 1], engine=cluster.engine)) == {1}


def test_more_cores_than_a_node_has_are_not_waited_for(cluster: Any) -> None:
    assert list(cluster.engine.outcomes(slow_square, [3], Need(cpus=64))) == [9]


def test_a_shared_value_is_the_same_everywhere(cluster: Any) -> None:
    shared = cluster.engine.share(b"x" * 10**6)
    assert {size for _, size in run_pieces(process_and_size, [shared] * 4, engine=cluster.engine)} == {10**6}


def test_files_are_kept_where_workers_see_the_folder(cluster: Any, tmp_path: Path) -> None:
    depot = cluster.engine.depot(tmp_path)
    assert run_pieces(note, [depot], engine=cluster.engine) == [""]
    assert run_pieces(note, [depot], engine=cluster.engine) == ["x"]
    assert [(file.name, file.read_text()) for file in tmp_path.iterdir()] == [("note", "xx")]


def test_files_are_sent_where_workers_do_not_see_the_folder(cluster: Any, tmp_path: Path) -> None:
    sent = cluster.engine.depot(tmp_path)
    unseen = SentFolder(Path("/nowhere/that/is"), sent.keeper, "unseen")
    assert run_pieces(note, [unseen], engine=cluster.engine) == [""]
    assert run_pieces(note, [unseen], engine=cluster.engine) == ["x"]
    assert [(file.name, file.read_text()) for file in tmp_path.iterdir()] == [("note", "xx")]


def test_the_keeper_writes_whole_files(tmp_path: Path) -> None:
    keeper = _Keeper(tmp_path)
    keeper.write("a", b"content")
    assert keeper.read("a") == b"content" and keeper.read("b") is None
    assert [file.name for file in tmp_path.iterdir()] == ["a"]


def test_nothing_is_reported_to_the_makers_of_ray(cluster: Any) -> None:
    from ray._common.usage.usage_lib import usage_stats_enabled

    assert cluster.engine.machines().elsewhere and not usage_stats_enabled()


def test_a_missing_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    from textward.engine import cluster

    def missing(name: str) -> None:
        raise ModuleNotFoundError("No module named 'ray'", name="ray")

    monkeypatch.setattr(cluster, "import_module", missing)
    with pytest.raises(MissingExtraError, match=r"needs ray, .*pip install 'textward\[ray\]'"):
        list(Ray().outcomes(len, ["a"]))


def test_what_an_engine_can_be() -> None:
    assert isinstance(engine_of("ray"), Engine) and engine_of(here := Ray("auto")) is here
    for wrong, said in (("spark", "unknown engine 'spark'"), (7, "got 7")):
        with pytest.raises(UsageError, match=said):
            engine_of(wrong)  # type: ignore[arg-type]
    with pytest.raises(UsageError, match="is for a cluster"):
        engine_of("local", address="auto")
    with pytest.raises(UsageError, match="jobs=2 is for local processes"):
        engine_of("ray", jobs=2)
