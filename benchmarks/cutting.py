"""Cutting and grouping a corpus against scikit-learn's CountVectorizer, in one run.

    python benchmarks/cutting.py [--json] [--groups 9] [--rounds 15] [FILE.csv ...]

The files (default: AG News, train and dev) are cut into words and split into one columnar sub-dataset per
group. Rounds are interleaved, so that a busy machine is busy for all; the figure is the median. Processor
seconds are shown beside the wall's, because textward uses every core and the vectorizers one.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median

import polars as pl
from sklearn.feature_extraction.text import CountVectorizer

from textward.groups import HashGroups
from textward.words import UnicodeWords

AG_NEWS = Path(__file__).resolve().parents[2] / "shared" / "data" / "agnews"
SAME_WORDS = r"\w+|[^\w\s]"


def contestants(texts: pl.Series, groups: int) -> dict[str, Callable[[], object]]:
    """What is timed; the first is ours. Each starts from the texts in the shape it takes them in."""
    rows = texts.to_list()
    return {
        f"textward: UnicodeWords + HashGroups({groups})": lambda: HashGroups(groups).split(
            UnicodeWords().cut(texts)
        ),
        "CountVectorizer(binary=True)": lambda: CountVectorizer(binary=True).fit_transform(rows),
        f"CountVectorizer(binary=True, token_pattern={SAME_WORDS!r})": lambda: CountVectorizer(
            binary=True, token_pattern=SAME_WORDS
        ).fit_transform(rows),
    }


def measured(runs: dict[str, Callable[[], object]], rounds: int) -> list[dict[str, float | str]]:
    """Run all in turn, again and again; one warm-up round is not counted."""
    wall: dict[str, list[float]] = {name: [] for name in runs}
    processor: dict[str, list[float]] = {name: [] for name in runs}
    for _ in range(rounds + 1):
        for name, run in runs.items():
            before, used = time.perf_counter(), time.process_time()
            run()
            wall[name].append(time.perf_counter() - before)
            processor[name].append(time.process_time() - used)
    ours = median(wall[next(iter(runs))][1:])
    return [
        {
            "name": name,
            "seconds": round(median(wall[name][1:]), 4),
            "processor_seconds": round(median(processor[name][1:]), 4),
            "ratio": round(median(wall[name][1:]) / ours, 2),
        }
        for name in runs
    ]


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("files", nargs="*", type=Path, default=[AG_NEWS / "train.csv", AG_NEWS / "dev.csv"])
    parser.add_argument("--groups", type=int, default=9)
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    missing = [str(file) for file in options.files if not file.is_file()]
    if missing:
        sys.exit(f"no such file: {', '.join(missing)}; give CSV files with a column 'text'")
    texts = pl.concat([pl.read_csv(file, columns=["text"])["text"] for file in options.files])
    words = UnicodeWords().cut(texts)
    record = {
        "texts": len(texts),
        "words": len(words.ids),
        "distinct_words": len(words.vocabulary),
        "groups": options.groups,
        "rounds": options.rounds,
        "threads": pl.thread_pool_size(),
        "results": (results := measured(contestants(texts, options.groups), options.rounds)),
    }
    if options.json:
        print(json.dumps(record))
        return
    print(f"{len(texts):,} texts, {len(words.ids):,} words, {len(words.vocabulary):,} distinct")
    print(f"{'':72}   wall s    cpu s   ratio")
    for row in results:
        print(f"{row['name']:72} {row['seconds']:8.4f} {row['processor_seconds']:8.4f} {row['ratio']:7.2f}")


if __name__ == "__main__":
    main()
