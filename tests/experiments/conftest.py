"""A folder of small datasets with the names, columns and classes of the real ones."""

from __future__ import annotations

import csv
import random
from pathlib import Path

import pytest

CLASSES = {"sst2": 2, "hsol": 2, "agnews": 4}
_NEUTRAL = [f"n{number}" for number in range(40)]


def text_of(label: int, draw: random.Random) -> str:
    """Words that lean to a class among words that do not."""
    own = [f"c{label}x{draw.randrange(12)}" for _ in range(4)]
    words = [*own, *draw.sample(_NEUTRAL, 5)]
    draw.shuffle(words)
    return " ".join(words)


def write(path: Path, rows: list[tuple[str, int]], header: tuple[str, str] = ("text", "label")) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([header, *rows])


def styled(text: str) -> str:
    return f"lo verily {text} saith"


@pytest.fixture(scope="session")
def datasets(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder, draw = tmp_path_factory.mktemp("datasets"), random.Random(7)
    for name, classes in CLASSES.items():
        for part, size in (("train", 200), ("dev", 20), ("test", 40)):
            rows = [(text_of(row % classes, draw), row % classes) for row in range(size)]
            write(folder / name / f"{part}.csv", rows)
            if part != "dev":
                write(folder / name / f"stylebkd-{part}.csv", [(styled(text), label) for text, label in rows])
                pairs = [(f"when you see it , {text} .", row) for row, (text, _) in enumerate(rows)]
                if part == "train":
                    turned = [(row, text) for text, row in pairs]
                    write(folder / name / "synbkd-pairs.csv", turned, ("row", "paraphrase"))  # type: ignore[arg-type]
                else:
                    others = [(text, 1) for text, row in pairs if rows[row][1] != 1]
                    write(folder / name / "synbkd-test.csv", others)
    return folder
