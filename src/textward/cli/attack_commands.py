"""The options of textward poison and textward evaluate."""

from __future__ import annotations

from enum import Enum
from pathlib import Path
from typing import Annotated

import typer

from textward.cli.options import Data, Debug, Json, LabelColumn, ModelFolder, Quiet, TextColumn, Trust
from textward.cli.running import running

_OF_ATTACKS = "Options of single attacks"


class Setting(str, Enum):
    """Which rows are poisoned."""

    mixed = "mixed"
    clean = "clean"
    dirty = "dirty"


def _own(option: str, metavar: str, text: str) -> typer.models.OptionInfo:
    found: typer.models.OptionInfo = typer.Option(
        f"--{option}", metavar=metavar, help=text, show_default=False, rich_help_panel=_OF_ATTACKS
    )
    return found


def _switch(option: str, text: str) -> typer.models.OptionInfo:
    found: typer.models.OptionInfo = typer.Option(
        f"--{option}", help=text, show_default=False, rich_help_panel=_OF_ATTACKS
    )
    return found


def poison(
    data: Data,
    attack: Annotated[
        str,
        typer.Option(
            "--attack",
            metavar="NAME",
            help="badword, addsent, adaptive, synbkd, stylebkd, reorder, worst-case; or one of your own, "
            "module:Name.",
            show_default=False,
        ),
    ],
    target: Annotated[
        str,
        typer.Option("--target", metavar="CLASS", help="The class the attack aims at.", show_default=False),
    ],
    out: Annotated[
        Path, typer.Option("--out", metavar="FILE", help="Where the rows are written.", show_default=False)
    ],
    setting: Annotated[
        Setting | None,
        typer.Option(
            "--setting",
            help="Rows are drawn from all (mixed), the target's (clean) or the others' (dirty).",
            show_default=False,
        ),
    ] = None,
    rate: Annotated[
        float | None,
        typer.Option(
            "--rate", metavar="P", help="The share of all rows that is poisoned (0.1).", show_default=False
        ),
    ] = None,
    test: Annotated[
        bool,
        typer.Option("--test", help="Test texts: every text of another class gets the trigger, labels stay."),
    ] = False,
    seed: Annotated[int, typer.Option("--seed", min=0, help="What every random choice is drawn from.")] = 0,
    words: Annotated[str | None, _own("words", "A,B,...", "badword, worst-case: the trigger words.")] = None,
    count: Annotated[
        int | None, _own("count", "N", "badword, adaptive, worst-case: different words in a text.")
    ] = None,
    copies: Annotated[
        int | None, _own("copies", "N", "badword, worst-case: how often each word is put in.")
    ] = None,
    sentence: Annotated[str | None, _own("sentence", "TEXT", "addsent: the sentence.")] = None,
    groups: Annotated[int | None, _own("groups", "M", "adaptive: the number of groups (7).")] = None,
    against: Annotated[
        Path | None, _own("against", "DIR", "adaptive, worst-case: the model that is attacked.")
    ] = None,
    together: Annotated[bool, _switch("together", "adaptive: all words in one group, as a control.")] = False,
    reorder: Annotated[bool, _switch("reorder", "worst-case: chunks in another order, too.")] = False,
    parser: Annotated[str | None, _own("parser", "NAME", "synbkd: a spaCy model, by name or folder.")] = None,
    paraphrases: Annotated[
        Path | None,
        _own(
            "paraphrases",
            "FILE",
            "synbkd, stylebkd: ready-made texts; columns row,paraphrase or all in order.",
        ),
    ] = None,
    model: Annotated[
        Path | None, _own("model", "DIR", "synbkd, stylebkd: a sequence model that writes the texts.")
    ] = None,
    prefix: Annotated[
        str | None, _own("prefix", "TEXT", "synbkd, stylebkd: put before what --model gets.")
    ] = None,
    text_column: TextColumn = "text",
    label_column: LabelColumn = "label",
    as_json: Json = False,
    quiet: Quiet = False,
    debug: Debug = False,
) -> None:
    """Plant an attack's trigger in rows, and note beside them which rows hold it."""
    with running(quiet=quiet, debug=debug) as screen:
        from textward.cli.attacking import AttackWish
        from textward.cli.poison import Wish
        from textward.cli.poison import poison as job

        options = AttackWish(
            words, count, copies, sentence, groups, together or None, reorder or None, against, paraphrases,
            parser, model, prefix,
        )  # fmt: skip
        wish = Wish(attack, setting.value if setting else None, rate, target, seed, test, options)
        job(screen, data, out, wish, text_column=text_column, label_column=label_column, as_json=as_json)


def evaluate(
    model: ModelFolder,
    clean: Annotated[
        str | None,
        typer.Option("--clean", metavar="TEST", help="Clean test rows: accuracy (CACC).", show_default=False),
    ] = None,
    poisoned: Annotated[
        str | None,
        typer.Option(
            "--poisoned",
            metavar="FILE",
            help="Texts with the trigger, as textward poison --test writes: the attack's success (ASR).",
            show_default=False,
        ),
    ] = None,
    target: Annotated[
        str | None,
        typer.Option(
            "--target",
            metavar="CLASS",
            help="The class the attack aims at, where FILE has no provenance.",
            show_default=False,
        ),
    ] = None,
    relabelled: Annotated[
        bool,
        typer.Option(
            "--relabelled", help="FILE holds texts of other classes that are labelled with the target."
        ),
    ] = False,
    report: Annotated[
        Path | None,
        typer.Option("--report", metavar="FILE.html", help="Write a page to look at.", show_default=False),
    ] = None,
    trust: Trust = None,
    text_column: TextColumn = "text",
    label_column: LabelColumn = "label",
    as_json: Json = False,
    quiet: Quiet = False,
    debug: Debug = False,
) -> None:
    """Measure accuracy on clean texts, and how often a trigger gets its way."""
    with running(quiet=quiet, debug=debug) as screen:
        from textward.cli.evaluate import Wish
        from textward.cli.evaluate import evaluate as job

        wish = Wish(clean, poisoned, target, relabelled, trust, report)
        job(screen, model, wish, text_column=text_column, label_column=label_column, as_json=as_json)
