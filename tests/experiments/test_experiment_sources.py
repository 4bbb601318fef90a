"""Where rows come from: a folder, the environment, the hub; and what an error says to do."""

from __future__ import annotations

import sys
import types
from pathlib import Path
from typing import Any

import pytest

from textward.errors import DataError
from textward.experiments.sources import FOLDER, KNOWN, Sources

REAL = Path("/work/shared/data")


class Fake:
    """A part of a dataset as the hub's library gives it."""

    def __init__(self, text: str, label: str, labels: list[int]) -> None:
        self.columns: dict[str, list[Any]] = {
            text: [f"text {row}" for row in range(len(labels))],
            label: labels,
        }

    def __len__(self) -> int:
        return len(next(iter(self.columns.values())))

    def __getitem__(self, name: str) -> list[Any]:
        return self.columns[name]


@pytest.fixture
def hub(monkeypatch: pytest.MonkeyPatch) -> dict[tuple[str, str | None, str], Any]:
    """What the hub has; everything else is an error, as without a network."""
    held: dict[tuple[str, str | None, str], Any] = {}

    def load_dataset(name: str, config: str | None, split: str) -> Any:
        if (name, config, split) not in held:
            raise ConnectionError("no network\nmore")
        return held[name, config, split]

    module = types.ModuleType("datasets")
    module.load_dataset = load_dataset  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "datasets", module)
    return held


def test_a_folder_is_asked_first_and_may_come_from_the_environment(datasets, hub, monkeypatch):
    monkeypatch.setenv(FOLDER, str(datasets))
    rows = Sources.of(None, other_rows=True).rows("sst2", "test")
    assert len(rows) == 40 and set(rows.labels.tolist()) == {0, 1}


def test_the_hub_is_asked_for_the_rest(tmp_path, hub):
    hub["stanfordnlp/imdb", None, "test"] = Fake("text", "label", [0, 1] * 12_500)
    assert len(Sources.of(tmp_path).rows("imdb", "test")) == 25_000


def test_another_size_on_the_hub_is_refused(tmp_path, hub):
    hub["stanfordnlp/imdb", None, "test"] = Fake("text", "label", [0, 1])
    with pytest.raises(DataError, match="has 2 rows in its part 'test', and 25,000 are known"):
        Sources.of(tmp_path).rows("imdb", "test")


def test_parts_that_the_hub_lacks_are_drawn_apart_and_balanced(tmp_path, hub):
    labels = [0] * 1_430 + [1] * 19_190 + [2] * 4_163
    hub["tdavidson/hate_speech_offensive", None, "train"] = Fake("tweet", "class", labels)
    sources = Sources.of(tmp_path, other_rows=True)
    train, test = (sources.rows("hsol", part) for part in ("train", "test"))
    assert len(train) + len(test) == 2 * 4_163
    assert not set(train.texts) & set(test.texts)
    both = train.labels.sum() + test.labels.sum()
    assert both == 4_163


@pytest.mark.parametrize("library", ["datasets", None])
def test_the_error_says_where_to_get_what(library, tmp_path, hub, monkeypatch):
    if library is None:
        monkeypatch.setitem(sys.modules, "datasets", None)
    with pytest.raises(DataError) as raised:
        Sources.of(tmp_path).rows("offenseval", "train")
    said = str(raised.value)
    for part in ("OffensEval (train)", "--data-dir", FOLDER, "cardiffnlp/tweet_eval", "text and label"):
        assert part in said


def test_labels_outside_the_classes_are_named(tmp_path):
    (tmp_path / "imdb").mkdir()
    (tmp_path / "imdb" / "test.csv").write_text("text,label\nfine,7\n")
    with pytest.raises(DataError, match="the label '7' is none of 0 to 1"):
        Sources(tmp_path).rows("imdb", "test")


def test_other_rows_need_leave(datasets):
    with pytest.raises(DataError, match="Give --other-rows"):
        Sources(datasets).rows("hsol", "train")


def test_an_unknown_dataset_lists_those_there_are():
    with pytest.raises(DataError, match="there are sst2, hsol, agnews"):
        Sources(None).rows("imbd", "train")


@pytest.mark.skipif(not REAL.is_dir(), reason="needs the benchmark data (see results/README.md)")
def test_the_real_rows_have_the_known_digests():
    for name in ("sst2", "hsol", "agnews"):
        for part, (size, _) in KNOWN[name].splits.items():
            assert len(Sources(REAL).rows(name, part)) == size
