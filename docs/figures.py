"""The figures of the README, from the records in results/.

    python docs/figures.py

Rewrites what stands between `<!-- figures: NAME -->` and `<!-- end of figures -->` in README.md, and touches
nothing else. Where there is no record, the README says how to make it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Collection, Iterator, Sequence
from pathlib import Path
from statistics import mean
from typing import Any

HOME = Path(__file__).resolve().parents[1]
DATA = {"sst2": "SST-2", "hsol": "HSOL", "agnews": "AG News"}
PAPER = {"sst2": 0.362, "hsol": 0.601, "agnews": 0.750}
"""The paper's TextGuard (BERT, m = 3) on non-target texts: mixed-label, rate 0.1, t = 1."""
SIZES = 4
Record = dict[str, Any]


def main() -> None:
    """Rewrite the README."""
    path = HOME / "README.md"
    path.write_text(with_figures(path.read_text(encoding="utf-8"), HOME / "results"), encoding="utf-8")


def with_figures(readme: str, results: Path) -> str:
    """The README with every table made anew."""

    def made(found: re.Match[str]) -> str:
        return f"{found[1]}\n\n{TABLES[found[2]](results)}\n\n{found[3]}"

    return re.sub(r"(<!-- figures: (\w+) -->).*?(<!-- end of figures -->)", made, readme, flags=re.DOTALL)


def certified(results: Path) -> str:
    """Certified accuracy: the mean over the relabelling seeds."""
    head = ["data", "classifier", "clean", *(f"t={t}" for t in range(1, SIZES)), "non-target, t=1"]
    rows = [
        row for name in DATA for row in _certified(name, records(results / "certified" / f"{name}.jsonl"))
    ]
    return table(head, rows) if rows else missing("benchmarks/certified.py")


def _certified(name: str, found: Sequence[Record]) -> Iterator[list[str]]:
    for model in dict.fromkeys(record["model"] for record in found):
        joint = [record["certified_accuracy"]["joint"] for record in found if record["model"] == model]
        aimed = f"{mean(one['non_target'][1] for one in joint):.3f}"
        bold = "**" if model == "ballots" else ""
        yield [DATA[name], f"{bold}{model}{bold}", *_shares(joint, bold), f"{bold}{aimed}{bold}"]
    whole = [
        record["certified_accuracy"]["one_model"]
        for record in found
        if record["model"] == "ballots" and "one_model" in record["certified_accuracy"]
    ]
    if whole:
        yield [DATA[name], "ballots, one model", *_shares(whole, ""), ""]
    if found:
        yield [DATA[name], "*the paper: BERT, m=3*", *[""] * SIZES, f"*{PAPER[name]:.3f}*"]


def _shares(found: Sequence[Record], mark: str) -> list[str]:
    return [f"{mark}{mean(one['balanced'][t] for one in found):.3f}{mark}" for t in range(SIZES)]


def soundness(results: Path) -> str:
    """The campaign against the certificates, summed over the data sets."""
    found = records(results / "soundness.jsonl")
    head = [
        "learner",
        "retrainings",
        "attacked pairs",
        "certified, of these changed",
        "not certified, of these changed",
        "models of untouched groups, of these different",
    ]
    rows = []
    for learner in dict.fromkeys(record["learner"] for record in found):
        mine = [record for record in found if record["learner"] == learner]
        total = {
            key: sum(record[key] for record in mine)
            for key in ("rounds", "pairs", "certified", "changed", "broken", "models", "models_differ")
        }
        rows.append(
            [
                learner,
                f"{total['rounds']:,}",
                f"{total['pairs']:,}",
                f"{total['certified']:,}, **{total['broken']:,}**",
                f"{total['pairs'] - total['certified']:,}, {total['changed']:,}",
                f"{total['models']:,}, **{total['models_differ']:,}**",
            ]
        )
    return table(head, rows) if rows else missing("benchmarks/soundness.py")


def speed(results: Path) -> str:
    """Each figure beside its rival's, of the same run."""
    file = results / "speed.json"
    if not file.is_file():
        return missing("benchmarks/speed.py")
    found = json.loads(file.read_text(encoding="utf-8"))
    rows = list(_races(found))
    machine = found["machine"]
    note = f"{machine['processors']} processors, Python {machine['python']}, polars {machine['polars']}."
    return f"{table(['what', 'textward', 'rival', 'ratio'], rows)}\n\n{note}"


def _races(found: Record) -> Iterator[list[str]]:
    yield from _race("cut and group AG News (21,106 texts) for m = 9", found["cutting"])
    for name, race in found["training"].items():
        yield from _race(f"{DATA[name]}: ballots trained and the test set certified", race)
    together = "all three data sets: ballots trained and the test sets certified"
    yield from _race(together, _summed(found["training"].values()))
    for row in found["joint"]:
        ours, plain = row["textward_s"], row["plain_s"]
        what = f"joint certificate, 7,600 texts, {row['classes']} classes, m = 9, t = 0 to 4"
        rival = f"the paper's pseudo-code in plain Python: {plain:.1f} s"
        yield [what, seconds(ours), rival, f"{plain / ours:,.0f} ×"]
    for row in found["joint_alone"]:
        what = f"joint certificate, {row['classes']} classes, m = 21, t = 0 to 10"
        yield [f"{what}, {'exact' if row['exact'] else 'not exact'}", seconds(row["textward_s"]), "", ""]
    for row in found["streaming"]:
        what = f"`train --learner ballots` on {row['rows']:,} short texts"
        yield [what, f"{row['seconds']:.1f} s, {row['peak_bytes'] / 2**20:,.0f} MiB at most", "", ""]


def _summed(races: Collection[Record]) -> Record:
    """One race of the same contestants over all courses."""
    names = next(iter(races))["seconds"]
    return {"seconds": {name: sum(race["seconds"][name] for race in races) for name in names}}


def _race(what: str, race: Record) -> Iterator[list[str]]:
    (_, ours), *rivals = race["seconds"].items()
    for name, took in rivals:
        yield [what, seconds(ours), f"{name}: {seconds(took)}", f"{took / ours:,.1f} ×"]


def scan(results: Path) -> str:
    """Runs in which a planted word or sentence is among a detector's first three."""
    found = [one for one in records(results / "scan" / "planted.jsonl") if one["run"]["rate"] >= 0.01]
    head = ["data", "attack", "labels", "runs", "scan", "BKI", "ONION (bigrams)", "scan: an alarm"]
    rows, groups = [], {}
    for one in found:
        run = one["run"]
        groups.setdefault((run["data"], run["attack"], run["setting"]), []).append(one)
    for (data, attack, setting), own in groups.items():
        top = [_in_top(own, name) for name in ("scan", "bki", "onion")]
        alarms = sum(one["scan"]["severity"] == "alarm" for one in own)
        rows.append([DATA[data], attack, setting, f"{len(own)}", *top, f"{alarms}"])
    if not rows:
        return missing("benchmarks/scan.py planted")
    top = [f"**{_in_top(found, name)}**" for name in ("scan", "bki", "onion")]
    alarms = sum(one["scan"]["severity"] == "alarm" for one in found)
    return table(head, [*rows, ["all", "", "", f"{len(found)}", *top, f"{alarms}"]])


def _in_top(own: Sequence[Record], name: str, most: int = 3) -> str:
    ran = [one[name] for one in own if name in one]
    return (
        f"{sum(one['rank'] is not None and one['rank'] <= most for one in ran)} of {len(ran)}" if ran else ""
    )


def scan_clean(results: Path) -> str:
    """Resamples of rows that nobody poisoned."""
    # The thresholds were chosen on the seeds from 100.
    found = [one for one in records(results / "scan" / "clean.jsonl") if one["run"]["seed"] < 100]
    head = ["data", "resamples", "with an alarm", "with a warning", "highest score", "of"]
    rows = []
    for name in dict.fromkeys(one["run"]["data"] for one in found):
        own = [one for one in found if one["run"]["data"] == name]
        worst = max(own, key=lambda one: one["best"])
        with_one = [sum(one[kind] > 0 for one in own) for kind in ("alarms", "warnings")]
        rows.append(
            [DATA[name], f"{len(own)}", *map(str, with_one), f"{worst['best']:.1f}", f"`{worst['name']}`"]
        )
    return table(head, rows) if rows else missing("benchmarks/scan.py clean")


def scan_speed(results: Path) -> str:
    """A million rows, beside reading and splitting alone."""
    file = results / "scan" / "speed.json"
    if not file.is_file():
        return missing("benchmarks/scan.py speed")
    found = json.loads(file.read_text(encoding="utf-8"))
    head = ["what", "textward", "reading and splitting alone", "times as long"]
    what = f"`textward scan` of {found['rows']:,} rows, {found['chunks'] / found['rows']:.0f} chunks each"
    ours, rival = "textward scan", "polars, read and split"
    took, alone = found["seconds"][ours], found["seconds"][rival]
    return table(head, [[what, seconds(took), seconds(alone), f"{took / alone:.0f}"]])


def seconds(took: float) -> str:
    """A duration as a reader wants it."""
    return f"{took:.2f} s" if took >= 1 else f"{1000 * took:.0f} ms"


def records(file: Path) -> list[Record]:
    """The records of a file of JSON lines; none where there is no file."""
    if not file.is_file():
        return []
    return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A table in Markdown."""
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines)


def missing(command: str) -> str:
    """What to say where nothing was measured yet."""
    return f"*Not measured yet: `python {command}`.*"


def service(results: Path) -> str:
    """The service beside its rivals, by the number of clients; the ratio is against the faster rival."""
    found = _one(results / "service.json")
    if not found:
        return missing("benchmarks/service.py")
    head = ["clients", "server", "answers a second", "p50", "p99", "errors", "ratio"]
    rows = [
        [
            str(row["clients"]),
            row["server"],
            f"{row['a_second']:,}",
            _ms(row["p50_us"]),
            _ms(row["p99_us"]),
            str(row["errors"]),
            f"{ratio:.2f}" if (ratio := _ratio(found, row)) else "",
        ]
        for row in found["load"]
    ]
    machine = found["machine"]
    note = (
        f"{machine['processors']} processors for server and clients together, Python {machine['python']}, "
        f"FastAPI {machine['fastapi']}, uvicorn {machine['uvicorn']}; {found['rounds']} turns of "
        f"{found['seconds_a_turn']:g} s each."
    )
    return f"{table(head, rows)}\n\n{note}"


def _ratio(found: Record, row: Record) -> float | None:
    ratio: float | None = found["ratio"][f"{row['clients']} clients"].get(row["server"])
    return ratio


def service_soak(results: Path) -> str:
    """A minute with many clients, and what it did to the memory of the process."""
    found = _one(results / "service.json")
    if not found:
        return missing("benchmarks/service.py")
    head = ["server", "seconds", "answers", "errors", "p50", "p99", "memory before", "after"]
    rows = [
        [
            row["server"],
            f"{row['seconds']:.0f}",
            f"{row['answers']:,}",
            str(sum(row["errors"].values())),
            _ms(row["p50_us"]),
            _ms(row["p99_us"]),
            _mib(row["rss_before"]),
            _mib(row["rss_after"]),
        ]
        for row in found["soak"]
    ]
    return table(head, rows)


def service_fuzz(results: Path) -> str:
    """What came back for requests made out of the OpenAPI."""
    found = _one(results / "service_fuzz.json")
    if not found:
        return missing("benchmarks/service_fuzz.py")
    head = ["server", "requests", "by status", "500s", "departures", "memory by tenths, MiB", "open files"]
    rows = [
        [
            one["server"],
            f"{one['requests']:,}",
            ", ".join(f"{status}: {count:,}" for status, count in one["statuses"].items()),
            str(one["server_errors"]),
            str(len(one["failures"])),
            " ".join(f"{size / 2**20:.0f}" for size in one["rss"]),
            f"{min(one['files'])} to {max(one['files'])}",
        ]
        for one in found["servers"]
    ]
    return f"{table(head, rows)}\n\nSchemathesis {found['schemathesis']}, seed {found['seed']}."


def _ms(took: int) -> str:
    return f"{took / 1000:.1f} ms"


def _mib(size: int) -> str:
    return f"{size / 2**20:,.0f} MiB"


def _one(file: Path) -> Record:
    """The record of a file of JSON; empty where there is no file."""
    found: Record = json.loads(file.read_text(encoding="utf-8")) if file.is_file() else {}
    return found


TABLES: dict[str, Callable[[Path], str]] = {
    "certified": certified,
    "soundness": soundness,
    "speed": speed,
    "service": service,
    "service_soak": service_soak,
    "service_fuzz": service_fuzz,
    "scan": scan,
    "scan_clean": scan_clean,
    "scan_speed": scan_speed,
}


if __name__ == "__main__":
    main()
