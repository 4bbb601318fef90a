"""textward inspect: what a model is, read from its folder without loading it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from textward.certificates.ballots import UNIT
from textward.cli.screen import Screen
from textward.data.messages import visible

_LEARNERS = {
    "linear": "naive Bayes in every group",
    "ballots": "an integer ballot for every word",
    "scikit": "a scikit-learn classifier in every group",
    "transformer": "a fine-tuned encoder in every group",
    "embedding": "a linear head in every group, on one frozen encoder",
}


def inspect(screen: Screen, model: Path, *, as_json: bool) -> None:
    """Write what there is to know."""
    found = describe(model)
    if as_json:
        screen.json(found)
        return
    rows = _rows(found)
    if screen.wide:
        screen.rich(_grid(rows, found))
        return
    for name, value in rows:
        screen.data(f"{name}\t{visible(value)}")
    for sentence in found["assumptions"]:
        screen.data(f"assumption\t{visible(sentence)}")


def describe(model: Path) -> dict[str, Any]:
    """What a model is, ready for JSON; every file was compared with the manifest on the way."""
    from textward.persistence import read_config

    config = read_config(model)
    files = {file.relative_to(model).as_posix(): file for file in model.rglob("*") if file.is_file()}
    sizes = {name: file.stat().st_size for name, file in sorted(files.items())}
    return {
        "model": str(model),
        "kind": config.kind,
        "certified": config.obstacle is None,
        "obstacle": config.obstacle,
        "classes": config.classes,
        **config.settings.model_dump(),
        "order": config.order,
        "dials": None if config.dials is None else config.dials.model_dump(),
        "cascade": None if config.cascade is None else config.cascade.model_dump(),
        "learner_types": config.learner_types,
        "training": config.training.model_dump(),
        "assumptions": config.assumptions,
        "size_bytes": sum(sizes.values()),
        "files": sizes,
        "format": config.format,
        "textward": config.textward,
    }


def _rows(found: dict[str, Any]) -> list[tuple[str, str]]:
    training = found["training"]
    by_word = found["groups"] == "words"
    counts = ", ".join(f"{name} {count:,}" for name, count in training["class_counts"].items())
    versions = ", ".join(f"{name} {version}" for name, version in training["versions"].items())
    hashed = "every word its own" if by_word else f"{found['groups']} by {found['hash']} of the word"
    if found["row_groups"] > 1:
        hashed += f", each for {found['row_groups']} parts of the rows by {found['rows_by']}"
    return [
        ("model", found["model"]),
        (
            "learner",
            _LEARNERS[found["kind"]] + (f" ({found['learner']})" if found["kind"] == "scikit" else ""),
        ),
        *_cascade(found),
        ("groups", hashed),
        ("rule", found["rule"]),
        ("words", f"{found['words']}{' (your own tokenizer)' if found['own_words'] else ''}"),
        ("order", "not needed" if by_word else found["order"]),
        ("seed", str(found["seed"])),
        ("certified", "yes" if found["certified"] else f"no: {found['obstacle']}"),
        ("rows", f"{training['n']:,} ({counts})"),
        ("digest", training["digest"]),
        ("trained in", f"{training['seconds']:.1f} s"),
        ("size", f"{found['size_bytes']:,} bytes in {len(found['files'])} files"),
        ("written by", f"textward {found['textward']}, format {found['format']}"),
        ("made with", versions),
    ]


def _cascade(found: dict[str, Any]) -> list[tuple[str, str]]:
    cascade = found["cascade"]
    if cascade is None:
        return []
    least = f"{cascade['theta'] / UNIT:g} whole ballots"
    return [("cascade", f"{cascade['learner']} answers where the ballots lead by less than {least}")]


def _grid(rows: list[tuple[str, str]], found: dict[str, Any]) -> Any:
    from rich.console import Group
    from rich.padding import Padding
    from rich.table import Table
    from rich.text import Text

    grid = Table.grid(padding=(0, 2))
    grid.add_column(style="bold")
    grid.add_column(overflow="fold")
    for name, value in rows:
        grid.add_row(name, Text(visible(value)))
    title = Text("\nWhat the guarantee covers, and what it does not", style="bold")
    points = Table.grid(padding=(0, 1))
    for sentence in found["assumptions"]:
        points.add_row("•", Text(visible(sentence)))
    return Group(grid, title, Padding(points, (0, 0, 0, 2)))
