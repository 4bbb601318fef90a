"""Tables of the pages on attacks and defences, made of the records of `benchmarks/`."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from statistics import mean
from typing import Any

Record = dict[str, Any]
DATA = {"sst2": "SST-2", "hsol": "HSOL", "agnews": "AG News"}
ATTACKS = {"badword": "BadWord", "addsent": "AddSent", "synbkd": "SynBkd", "stylebkd": "StyleBkd"}
PAPER = {"DPA": (0.0, 0.124, 0.0), "Bagging": (0.0, 0.0523, 0.0), "TextGuard": (0.3904, 0.6232, 0.7589)}
"""The paper's table 1 at p = 0.01: certified accuracy on non-target texts, SST-2, HSOL, AG News."""


def success(results: Path, setting: str = "mixed") -> str:
    """Clean accuracy and the attacks' success, for every defence."""
    head = ["data", "defence", "CACC, not attacked"]
    head += [f"{name}: {what}" for name in ATTACKS.values() for what in ("CACC", "ASR")]
    lines = []
    for data, cells in _cells(results):
        for defence in dict.fromkeys(cell["defence"] for cell in cells):
            mine = [cell for cell in cells if cell["defence"] == defence]
            line = [DATA[data], defence, _mean(mine, "none", "none", "cacc")]
            line += [_mean(mine, attack, setting, what) for attack in ATTACKS for what in ("cacc", "asr")]
            lines.append(line)
    return _table(_worth(head, lines))


def success_clean_label(results: Path) -> str:
    """The same for the clean-label setting."""
    return success(results, "clean")


def filters(results: Path) -> str:
    """What detect-and-remove defences removed, mixed-label."""
    head = ["data", "defence", "of"]
    head += [f"{name}: {what}" for name in ATTACKS.values() for what in ("precision", "recall", "false rej.")]
    lines = []
    for data, cells in _cells(results):
        found = [cell for cell in cells if cell["filter"] and cell["setting"] == "mixed"]
        for defence in dict.fromkeys(cell["defence"] for cell in found):
            mine = [cell for cell in found if cell["defence"] == defence]
            line = [DATA[data], defence, mine[0]["filter"]["unit"]]
            for attack in ATTACKS:
                line += _judged([cell["filter"] for cell in mine if cell["attack"] == attack])
            lines.append(line)
    return _table(_worth(head, lines))


def row_certificates(results: Path) -> str:
    """Certified accuracy on non-target texts against one trigger word in a hundredth of the rows."""
    found = _lines(results / "row_certificates.jsonl")
    head = ["defence", "must withstand", *DATA.values()]
    kinds: dict[str, dict[str, list[Record]]] = {}
    for record in found:
        kinds.setdefault(record["defence"], {}).setdefault(record["data"], []).append(record)
    lines = []
    for defence, by_data in kinds.items():
        for at in (0, -2):
            line = [defence, _against(next(iter(by_data.values()))[0], at)]
            line += [_certified(by_data.get(data, []), at) for data in DATA]
            lines.append(line)
    for name, shares in PAPER.items():
        lines.append([f"*{name}, the paper's*", "*p = 0.01*", *(f"*{share:.3f}*" for share in shares)])
    return _table([head, *lines]) if found else _missing("benchmarks/row_certificates.py")


def templates(results: Path) -> str:
    """How many sentences parse as SynBkd's template."""
    found = _lines(results / "synbkd.jsonl")
    lines = [
        [DATA[one["data"]], one["texts"], f"{one['n']:,}", f"{one['template'] / one['n']:.3f}"]
        for one in found
    ]
    head = ["data", "texts", "sentences", "share that parses as the template"]
    return _table([head, *lines]) if found else _missing("benchmarks/synbkd.py")


def poisoning(results: Path) -> str:
    """A million rows poisoned, beside a plain copy."""
    file = results / "poison.json"
    if not file.is_file():
        return _missing("benchmarks/poison.py")
    found = json.loads(file.read_text(encoding="utf-8"))
    plain = min(found["cpu_seconds"]["plain copy (read, write)"])
    lines = [
        [what, f"{min(found['seconds'][what]):.2f} s", f"{min(busy):.2f} s", f"{min(busy) / plain:.2f}"]
        for what, busy in found["cpu_seconds"].items()
    ]
    size = f"{found['rows']:,} rows, {found['bytes'] / 1e6:.0f} MB"
    return _table([[size, "time", "of processors", "of the plain copy's"], *lines])


def _cells(results: Path) -> Iterator[tuple[str, list[Record]]]:
    for data in DATA:
        if found := _lines(results / "attacks" / f"{data}.jsonl"):
            yield data, found


def _mean(cells: Sequence[Record], attack: str, setting: str, what: str) -> str:
    """The mean over the seeds, and their number where there is one only."""
    found = [
        cell[what]["hits"] / cell[what]["n"]
        for cell in cells
        if cell["attack"] == attack and cell["setting"] == setting and cell[what]
    ]
    return f"{mean(found):.3f}" if found else ""


def _judged(found: Sequence[Record]) -> list[str]:
    flagged, hits = sum(one["flagged"] for one in found), sum(one["hits"] for one in found)
    planted, rows = sum(one["poisoned"] for one in found), sum(one["rows"] for one in found)
    parts = ((hits, flagged), (hits, planted), (flagged - hits, rows - planted))
    return [f"{part / whole:.3f}" if whole else "" for part, whole in parts]


def _against(record: Record, at: int) -> str:
    if at == 0:
        return "nothing: clean accuracy" if record["against"] == "words" else "nothing: certified with no row"
    return "1 trigger word" if record["against"] == "words" else "p · n rows, p = 0.01"


def _certified(found: Sequence[Record], at: int) -> str:
    if not found:
        return ""
    if found[0]["against"] == "words":
        return f"{mean(one['non_target']['0.01'][0 if at == 0 else 1] for one in found):.3f}"
    return f"{mean(one['non_target'][at] for one in found):.3f}"


def _worth(head: Sequence[str], lines: Sequence[Sequence[str]]) -> list[Sequence[str]]:
    """Only the columns in which something stands."""
    kept = [place for place in range(len(head)) if any(line[place] for line in lines)]
    return [[line[place] for place in kept] for line in (head, *lines)]


def _lines(file: Path) -> list[Record]:
    if not file.is_file():
        return []
    return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]


def _table(lines: Sequence[Sequence[str]]) -> str:
    head, *body = lines
    if not body:
        return _missing("benchmarks/attacks.py")
    return "\n".join(f"| {' | '.join(cells)} |" for cells in (head, ["---"] * len(head), *body))


def _missing(command: str) -> str:
    return f"*Not measured yet: `python {command}`.*"


TABLES: dict[str, Callable[[Path], str]] = {
    "attack_success": success,
    "attack_success_clean_label": success_clean_label,
    "attack_filters": filters,
    "row_certificates": row_certificates,
    "synbkd_templates": templates,
    "poisoning": poisoning,
}
