"""textward report: every certificate a model has, on one page."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from textward.cli.parsing import class_value, trigger_sizes, writable_file
from textward.cli.screen import Screen
from textward.cli.stdin import standard_input
from textward.data import encode_labels, read_table
from textward.data.messages import visible
from textward.errors import DataError
from textward.report import write
from textward.report.evaluation import evaluate, recalled, rules_to_compare
from textward.report.pages import certificate_page


@dataclass(frozen=True, slots=True)
class Wish:
    """What the command line asked for."""

    out: Path
    sizes: str
    target: str | None
    trust: list[str] | None


def report(
    screen: Screen, model: Path, data: str | None, wish: Wish, *, text_column: str, label_column: str
) -> None:
    """Certify by every method and write the page; without rows, write it from the votes that were kept."""
    from textward.persistence import load

    sizes = trigger_sizes(wish.sizes)
    writable_file(wish.out, "--out", data)
    guard = load(model, wish.trust or ())
    target = None if wish.target is None else class_value(wish.target, guard.classes_.tolist())
    if data is None:
        votes = kept_votes(model)
        found, about = recalled(votes, sizes, target=target)
        if about.get("training") != guard.training_.digest:
            raise DataError(
                f"{visible(str(votes))}: these votes are of a model of other rows. Certify again."
            )
        texts, origin = None, {"model": str(model), "data": about["data"], "digest": about["digest"]}
        if not found.plain:
            screen.say(
                "what was kept gives the individual certificate alone; name the rows again for the others"
            )
    else:
        name = "standard input" if data == "-" else data
        stdin: Any = standard_input() if data == "-" else None
        table = read_table(data, text_column=text_column, label_column=label_column, stdin=stdin)
        assert table.labels is not None
        truth = encode_labels(table.labels, guard.classes_.tolist(), source=name)
        with screen.progress(f"Certifying {len(truth):,} texts"):
            found = evaluate(
                guard, table.texts, np.asarray(truth), sizes, target=target, rules=rules_to_compare(guard)
            )
        texts, origin = table.texts, {"model": str(model), "data": name, "digest": table.digest}
    page = certificate_page(guard, found, texts, origin)
    screen.say(f"report: {visible(str(write(page, wish.out)))}")


def kept_votes(model: Path) -> Path:
    """The newest file of votes that certify kept beside a model."""
    folder = model.absolute().with_name(f"{model.absolute().name}.votes")
    files = sorted(folder.glob("*.safetensors"), key=lambda file: (file.stat().st_mtime_ns, file.name))
    if not files:
        raise DataError(
            f"{visible(str(folder))}: no votes were kept there. Name labelled rows: "
            f"textward report {visible(str(model))} DATA"
        )
    return files[-1]
