"""Groups of encoders trained on a cluster: to the bits of a local run, and on from the last checkpoint."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

sys.path.append(str(Path(__file__).parents[1] / "learners" / "transformer"))
tiny_encoders = pytest.importorskip("tiny_encoders")
torch = tiny_encoders.torch

from textward import UsageError  # noqa: E402
from textward.engine import Machines  # noqa: E402
from textward.learners.transformer.checkpoint import Checkpoints  # noqa: E402
from textward.learners.transformer.memory import (  # noqa: E402
    Room,
    device_elsewhere,
    group_bytes,
    packs,
)
from textward.learners.transformer.settings import Settings  # noqa: E402
from textward.learners.transformer.training import train  # noqa: E402

ROWS, GROUPS, EPOCHS = 160, 3, 4
LABELS = np.arange(ROWS) % 2
TEXTS = [[f"{'good' if row % 2 else 'bad'} w{(row + group) % 40} film" for row in range(ROWS)]
         for group in range(GROUPS)]  # fmt: skip
SETTINGS = Settings(epochs=EPOCHS, batch=8, device="cpu")


class Noted(Checkpoints):
    """Says from which epoch a pack was begun."""

    def load(self, name: str, digest: str) -> Any:
        done, tensors = super().load(name, digest)
        with self._place(f"begun-{name}").open("a") as file:
            file.write(f"{done} ")
        return done, tensors


def run(folder: Path | None, **told: Any) -> Any:
    checkpoints = None if folder is None else Noted(folder)
    encoder = tiny_encoders.tiny_encoder("bert")
    return train(encoder, SETTINGS, TEXTS, LABELS, range(GROUPS), checkpoints=checkpoints, **told)


def bits(model: Any) -> list[dict[str, bytes]]:
    return [
        {name: block.numpy().tobytes() for name, block in group.blocks.items()}
        | {"vectors": group.vectors.numpy().tobytes()}
        for group in model.groups
    ]


@pytest.fixture
def _one_thread() -> Iterator[None]:
    """One thread of torch: two that wait for each other starve beside other work."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


@pytest.mark.xdist_group("ray")
@pytest.mark.usefixtures("_one_thread")
def test_a_lost_worker_and_a_lost_node_change_no_bit(cluster: Any, tmp_path: Path) -> None:
    lost: list[str] = []

    def lose() -> None:
        end = time.monotonic() + 120
        while time.monotonic() < end and not list(tmp_path.glob("groups-*.safetensors")):
            time.sleep(0.01)
        if cluster.kill_a_worker():
            lost.append("worker")

    def node(done: int, steps: int, loss: float) -> None:
        if not lost.count("node"):
            lost.append("node")
            cluster.lose_a_node()

    thread = threading.Thread(target=lose)
    thread.start()
    afar = run(tmp_path, engine=cluster.engine, progress=node)
    thread.join()
    here = run(None)
    assert sorted(lost) == ["node", "worker"]
    assert bits(afar) == bits(here)
    assert (afar.packing, afar.trained_on) == (here.packing, here.trained_on)
    assert (afar.votes(TEXTS) == here.votes(TEXTS)).all()
    begun = [file.read_text().split() for file in tmp_path.glob("begun-*")]
    assert len(begun) == GROUPS and all(first == "0" for first, *_ in begun)
    again = [int(epoch) for _, *more in begun for epoch in more]
    assert again and max(again) > 0, "what was lost began again where its checkpoint was"


def test_groups_are_packed_by_memory_and_spread_over_all_devices() -> None:
    encoder, cuda = tiny_encoders.tiny_encoder("bert"), torch.device("cuda")
    need = group_bytes(encoder, Settings(), 16, cuda)

    def sizes(groups: int, room: Room) -> list[int]:
        return [len(pack) for pack in packs(encoder, Settings(), groups, 16, cuda, room)]

    assert sizes(10, Room(100 * need)) == [10]
    assert sizes(10, Room(100 * need, devices=4)) == [2, 3, 2, 3]
    many = sizes(1000, Room(int(8.5 * need), devices=64))
    assert sum(many) == 1000 and set(many) == {6, 7}, "of 8.5 estimates, 0.9 hold 7 groups"
    with pytest.raises(UsageError, match="GiB to train and the cuda has"):
        sizes(3, Room(need // 2))


def test_a_device_elsewhere_is_what_the_machines_have() -> None:
    gpus, none = (Machines(cpus=8, gpus=count, elsewhere=True) for count in (2, 0))
    assert [device_elsewhere("auto", found).type for found in (gpus, none)] == ["cuda", "cpu"]
    assert device_elsewhere("cpu", gpus).type == "cpu"
    with pytest.raises(UsageError, match="the cluster has no GPU"):
        device_elsewhere("cuda", none)
    with pytest.raises(UsageError, match="unknown device 'tpu'"):
        device_elsewhere("tpu", gpus)
