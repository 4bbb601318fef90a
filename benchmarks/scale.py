"""How time, memory and bytes grow with the rows: one record a run, in results/scale/.

    python benchmarks/scale.py rows --folder /tmp/rows         # once: 10^7 short rows in Parquet
    python benchmarks/scale.py local --folder /tmp/rows        # ballots on this machine, beside polars alone
    python benchmarks/scale.py ray --folder /tmp/rows          # the same on a Ray cluster of this machine
    python benchmarks/scale.py certified --folder /tmp/rows    # certified accuracy of a million texts

Every run is a process of its own, so that its peak memory is its own.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from scale_rows import ROWS_A_FILE, write_rows
from textward import TextGuard
from textward.certificates.accuracy import votes_accuracy
from textward.data import Wanted, fragments
from textward.data.dataset import Fragment, read_fragment
from textward.engine import Engine, Local, engine_of, run_pieces
from textward.estimator.training import library_versions
from textward.learners.gathering import Counted, Gatherer, count_batches
from textward.words import UnicodeWords

OUT = Path(__file__).parents[1] / "results" / "scale"
SIZES = (100_000, 300_000, 1_000_000, 3_000_000, 10_000_000)
SEED = 0
MOST = max(SIZES)


def folder_of(root: Path, rows: int) -> Path:
    """A folder of the first so many rows; the files themselves are not copied."""
    folder = root / f"first-{rows}"
    if not folder.exists():
        folder.mkdir()
        if rows < ROWS_A_FILE:
            first = pl.scan_parquet(root / "all" / "part-00000.parquet").head(rows)
            write = first.collect().write_parquet
            write(folder / "part-00000.parquet", compression="uncompressed", row_group_size=131_072)
        for file in sorted((root / "all").iterdir())[: rows // ROWS_A_FILE]:
            (folder / file.name).symlink_to(file)
    return folder


def read_and_split(folder: Path) -> dict[str, Any]:
    """What polars needs to read the same files and split their texts at spaces, with no further work."""
    started = time.perf_counter()
    words = pl.scan_parquet(folder / "*.parquet").select(pl.col("text").str.split(" ").list.len().sum())
    found = int(words.collect(engine="streaming").item())
    seconds = time.perf_counter() - started
    return {"words": found, "seconds": seconds, "cpu_seconds": time.process_time()}


def train(folder: Path, engine: str, learner: str) -> dict[str, Any]:
    """Train on a folder; on Ray also what starting and warming it took."""
    settings: dict[str, Any] = {"groups": "words"} if learner == "ballots" else {"groups": 7}
    record: dict[str, Any] = {}
    if engine == "ray":
        started = time.perf_counter()
        run_pieces(_warm, range(8), engine=_engine(engine))
        record["start_seconds"] = time.perf_counter() - started
    started = time.perf_counter()
    guard = TextGuard(engine=_engine(engine), **settings).fit_files(folder)
    record["seconds"] = time.perf_counter() - started
    record["rows"], record["digest"] = guard.training_.n, guard.training_.digest
    model: Any = guard.model_.voters
    record["vocabulary"] = len((model.model.counts if learner == "ballots" else model.ensemble).vocabulary)
    record["peak_bytes"], record["cpu_seconds"] = _peak(None), time.process_time()
    if engine == "ray":
        record["worker_peak_bytes"] = max(run_pieces(_peak, range(8), engine=_engine(engine)))
    return record


def through_ray_data(folder: Path) -> dict[str, Any]:
    """The same counts by Ray Data's blocks in place of tasks over fragments."""
    import ray

    run_pieces(_warm, range(8), engine=_engine("ray"))
    started = time.perf_counter()
    ray.data.DataContext.get_current().enable_progress_bars = False
    rows = ray.data.read_parquet(str(folder)).select_columns(["text", "label"])
    blocks = rows.map_batches(_count_table, batch_format="pyarrow", batch_size=None)
    gatherer = Gatherer()
    for table in blocks.iter_batches(batch_format="pyarrow", batch_size=None):
        gatherer.add(_counted_of(table))
    found = gatherer.counted()
    return {"seconds": time.perf_counter() - started, "rows": found.n, "digest": f"sum-{found.digest:064x}"}


def through_tasks(folder: Path) -> dict[str, Any]:
    """What training does, without making the model: to hold beside Ray Data."""
    run_pieces(_warm, range(8), engine=_engine("ray"))
    started = time.perf_counter()
    gatherer = Gatherer()
    for counted in run_pieces(_count, fragments(folder), engine=_engine("ray")):
        gatherer.add(counted)
    found = gatherer.counted()
    return {"seconds": time.perf_counter() - started, "rows": found.n, "digest": f"sum-{found.digest:064x}"}


def network(folder: Path) -> dict[str, Any]:
    """The bytes that the counts of one fragment have on their way, and what adding them up takes."""
    import pickle

    one = next(iter(Local().outcomes(_count, fragments(folder)[:1])))
    assert isinstance(one, Counted)
    gatherer, started = Gatherer(), time.process_time()
    for _ in range(16):
        gatherer.add(one)
    gatherer.counted()
    merging = (time.process_time() - started) / 16
    told = {"rows": one.n, "vocabulary": len(one.counts.vocabulary), "merge_seconds": merging}
    return told | {"bytes": len(pickle.dumps(one, 5))}


def certified(folder: Path, rows: int, classes: int, groups: int) -> dict[str, Any]:
    """Certified accuracy of many texts from votes, or by ballots where groups is 0."""
    record: dict[str, Any] = {"rows": rows, "classes": classes, "groups": groups}
    if groups:
        random = np.random.default_rng(SEED)
        labels = random.integers(0, classes, rows)
        right = random.random((rows, groups)) < 0.7
        votes = np.where(right, labels[:, None], random.integers(0, classes, (rows, groups)))
        for method in ("individual", "joint"):
            certify = partial(votes_accuracy, votes, labels, list(range(classes)), range(6), method)
            record[method] = _timed(certify)
        return record
    frame = pl.read_parquet(folder / "part-00000.parquet")
    texts, labels = frame["text"], frame["label"].to_numpy()
    guard = TextGuard(groups="words").fit(texts, labels)
    record["radius"] = _timed(lambda: guard.certify(texts))
    for method in ("individual", "joint"):
        started = time.perf_counter()
        found = guard.certified_accuracy(texts, labels, range(4), method=method)
        record[method] = time.perf_counter() - started
        record[f"{method}_exact"] = all(all(one.exact) for one in found.figures.values())
    return record


def _timed(work: Callable[[], Any]) -> float:
    started = time.perf_counter()
    work()
    return time.perf_counter() - started


def _engine(name: str) -> Engine:
    """A cluster of this run's own, not one that happens to be there."""
    return engine_of(name, address="local" if name == "ray" else None)


def _warm(_: int) -> None:
    count_batches([], UnicodeWords()) if _ < 0 else UnicodeWords().cut(pl.Series(["a word"]))


def _peak(_: Any) -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def _count(fragment: Fragment) -> Counted:
    return count_batches(read_fragment(fragment, Wanted()), UnicodeWords())


def _count_table(table: Any) -> Any:
    import pyarrow  # type: ignore[import-untyped]

    from textward.data import Batch

    frame = pl.from_arrow(table)
    assert isinstance(frame, pl.DataFrame)
    batch = Batch(frame["text"], frame["label"].cast(pl.String), 1)
    one = count_batches([batch], UnicodeWords())
    columns = {label: one.counts.holding[:, c] for c, label in enumerate(one.labels)}
    made = {"word": one.counts.vocabulary.to_arrow(), **columns}
    notes = {"rows": json.dumps(one.counts.rows.tolist()), "digest": str(one.digest)}
    return pyarrow.table(made).replace_schema_metadata(notes)


def _counted_of(table: Any) -> Counted:
    from textward.learners.ballots import Counts

    labels = tuple(table.column_names[1:])
    notes = {name.decode(): text.decode() for name, text in table.schema.metadata.items()}
    holding = np.stack([table[label].to_numpy() for label in labels], axis=1)
    words = pl.Series(pl.from_arrow(table["word"]))
    counts = Counts(words, holding, np.array(json.loads(notes["rows"])))
    return Counted(labels, counts, np.zeros((len(labels), 0), np.int64), int(notes["digest"]))


def _run(work: str, *arguments: Any) -> dict[str, Any]:
    """One piece of this benchmark in a process of its own."""
    environment = os.environ | {"RAY_USAGE_STATS_ENABLED": "0"}
    with tempfile.TemporaryFile() as out:
        told = [sys.executable, __file__, "one", work, *map(str, arguments)]
        subprocess.run(told, check=True, stdout=out, env=environment)
        out.seek(0)
        found: dict[str, Any] = json.loads(out.read().splitlines()[-1])
    return found


def _keep(name: str, records: list[dict[str, Any]]) -> None:
    OUT.mkdir(parents=True, exist_ok=True)
    about = {"seed": SEED, "cores": os.cpu_count(), "versions": library_versions()}
    path, known = OUT / f"{name}.json", {_key(record): record for record in records}
    if path.exists():
        known = {_key(record): record for record in json.loads(path.read_text())["records"]} | known
    ordered = [known[key] for key in sorted(known)]
    path.write_text(json.dumps(about | {"records": ordered}, indent=1) + "\n")


def _key(record: dict[str, Any]) -> tuple[int, ...]:
    return record["rows"], record.get("classes", 0), record.get("groups", 0)


def local(root: Path, sizes: list[int]) -> None:
    """Ballots (and at the middle size naive Bayes) here, each size beside polars alone."""
    records = []
    for rows in sizes:
        folder = folder_of(root, rows)
        size = sum(file.stat().st_size for file in folder.iterdir())
        alone = _run("read_and_split", folder)
        record = _run("train", folder, "local", "ballots") | {"learner": "ballots", "file_bytes": size}
        told = {"polars_seconds": alone["seconds"], "polars_cpu_seconds": alone["cpu_seconds"]}
        records.append(record | told | {"words": alone["words"], "load": os.getloadavg()[0]})
        if rows == 1_000_000:
            records[-1]["linear_seconds"] = _run("train", folder, "local", "linear")["seconds"]
            records[-1]["fragment"] = _run("network", folder)
        print(records[-1])
    _keep("local", records)


def on_ray(root: Path, sizes: list[int]) -> None:
    """The same on a cluster of this machine's cores, after it was started; and Ray Data beside tasks."""
    records = []
    for rows in sizes:
        folder = folder_of(root, rows)
        here, there = _run("train", folder, "local", "ballots"), _run("train", folder, "ray", "ballots")
        assert here["digest"] == there["digest"]
        records.append(there | {"local_seconds": here["seconds"], "load": os.getloadavg()[0]})
        if rows == 1_000_000:
            for name in ("through_ray_data", "through_tasks"):
                found = _run(name, folder)
                assert found["digest"] == there["digest"]
                records[-1][name] = found["seconds"]
        print(records[-1])
    _keep("ray", records)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("what", choices=["rows", "local", "ray", "certified", "one"])
    parser.add_argument("rest", nargs="*")
    parser.add_argument("--folder", type=Path, default=Path("/tmp/rows"))
    parser.add_argument("--sizes", type=int, nargs="*", default=list(SIZES))
    chosen = parser.parse_args()
    if chosen.what == "one":
        work, *rest = chosen.rest
        paths = [Path(rest[0]), *(int(part) if part.isdigit() else part for part in rest[1:])]
        print(json.dumps(globals()[work](*paths)))
    elif chosen.what == "rows":
        write_rows(chosen.folder / "all", MOST, SEED)
    elif chosen.what == "local":
        local(chosen.folder, chosen.sizes)
    elif chosen.what == "ray":
        on_ray(chosen.folder, [size for size in chosen.sizes if size in (100_000, 1_000_000, MOST)])
    else:
        cases = [(1_000_000, 2, 7), (1_000_000, 2, 9), (1_000_000, 4, 9), (100_000, 2, 0), (1_000_000, 2, 0)]
        runs = [_run("certified", folder_of(chosen.folder, case[0]), *case) for case in cases]
        _keep("certified", runs)


if __name__ == "__main__":
    main()
