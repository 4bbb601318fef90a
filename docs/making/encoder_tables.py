"""Tables of the page on encoders, made of the records of `benchmarks/`."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from statistics import mean
from typing import Any

import numpy as np

from textward.certificates import joint_certified

Record = dict[str, Any]


def on_cpu(results: Path) -> str:
    """A small ensemble trained, and prediction beside one plain encoder's."""
    found = _lines(results / "encoder_cpu.jsonl")
    lines = [
        [
            f"`{one['encoder']}`, m = {one['groups']}, {one['rows']} rows, {one['epochs']} epochs: `fit`",
            f"{one['seconds']:.0f} s",
            f"{one['cpu_seconds']:.0f} s",
            f"{one['steps'] / one['cpu_seconds']:.1f} steps",
        ]
        for one in found
        if one["what"] == "train"
    ]
    lines += [
        [
            f"`{one['encoder']}`, {one['texts']} texts labelled: {one['engine']}",
            f"{min(one['seconds']):.1f} s",
            f"{min(one['cpu_seconds']):.1f} s",
            f"{one['texts'] / min(one['cpu_seconds']):.0f} texts",
        ]
        for one in found
        if one["what"] == "predict"
    ]
    machine = f"\n\n{found[0]['machine']}." if found else ""
    return (
        _table(
            ["what", "time", "of processors", "in a processor's second"], lines, "benchmarks/encoder_cpu.py"
        )
        + machine
    )


def same_accuracy(results: Path) -> str:
    """The fused engine and ordinary modules on the same few rows: joint, by trigger words."""
    found = [one for one in _lines(results / "encoder_cpu.jsonl") if one["what"] == "accuracy"]
    lines = []
    for engine in dict.fromkeys(one["engine"] for one in found):
        mine = [one for one in found if one["engine"] == engine]
        shares = [[_joint(one, size, which) for one in mine] for which in (False, True) for size in (0, 1)]
        lines.append([engine, str(len(mine)), *(f"{mean(share):.3f}" for share in shares)])
    head = ["trained by", "seeds", "balanced, t=0", "balanced, t=1", "non-target, t=0", "non-target, t=1"]
    return _table(head, lines, "benchmarks/encoder_cpu.py")


def isolation(results: Path) -> str:
    """What changed where one group's texts did."""
    found = _lines(results / "isolation.jsonl")
    changes: dict[tuple[str, str], list[Record]] = {}
    for one in found:
        changes.setdefault((one["machine"], one["change"]), []).append(one)
    lines = [
        [
            machine,
            change,
            str(sum(len(one["same_bits"]) for one in group)),
            str(sum(len(set(one["other_bits"]) - {one["changed_group"]}) for one in group)),
        ]
        for (machine, change), group in changes.items()
    ]
    head = ["machine", "change in one group", "base models with the same bits", "others that moved"]
    return _table(head, lines, "benchmarks/isolation.py")


def _joint(one: Record, size: int, non_target: bool) -> float:
    """Joint certified accuracy; over the other classes than the target, or the mean over the classes."""
    gold = np.array([int(label) for label in one["gold"]])
    votes = np.array([[int(vote) for vote in group] for group in one["votes"]]).T
    kinds = [c for c in (0, 1) if not (non_target and c == one["target"])]
    return mean(float(joint_certified(votes[gold == c], gold[gold == c], 2, size)) for c in kinds)


def _lines(file: Path) -> list[Record]:
    if not file.is_file():
        return []
    return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]


def _table(head: Sequence[str], lines: Sequence[Sequence[str]], command: str) -> str:
    if not lines:
        return f"*Not measured yet: `python {command}`.*"
    return "\n".join(f"| {' | '.join(cells)} |" for cells in (head, ["---"] * len(head), *lines))


TABLES: dict[str, Callable[[Path], str]] = {
    "encoders_on_cpu": on_cpu,
    "encoders_same_accuracy": same_accuracy,
    "encoders_isolation": isolation,
}
