"""Options that several commands share."""

from __future__ import annotations

from enum import Enum
from pathlib import Path
from typing import Annotated, Any

import typer

_OUTPUT, _INPUT = "Output", "Reading"


class BadBlock(str, Enum):
    """What to do with a block that cannot be read."""

    stop = "stop"
    skip = "skip"


Quiet = Annotated[
    bool, typer.Option("--quiet", "-q", help="Say nothing but errors on stderr.", rich_help_panel=_OUTPUT)
]
Debug = Annotated[
    bool, typer.Option("--debug", help="Show a traceback on an error.", rich_help_panel=_OUTPUT)
]
Json = Annotated[bool, typer.Option("--json", help="Write JSON to stdout.", rich_help_panel=_OUTPUT)]
TextColumn = Annotated[
    str, typer.Option("--text-column", metavar="NAME", help="The column of texts.", rich_help_panel=_INPUT)
]
LabelColumn = Annotated[
    str, typer.Option("--label-column", metavar="NAME", help="The column of labels.", rich_help_panel=_INPUT)
]
ModelFolder = Annotated[
    Path, typer.Argument(metavar="DIR", help="The folder of a trained model.", show_default=False)
]
Data = Annotated[
    str,
    typer.Argument(
        metavar="DATA",
        help="CSV, TSV, JSON lines or Parquet by suffix, a folder or address of such, or - for stdin.",
        show_default=False,
    ),
]
Trust = Annotated[
    list[str] | None,
    typer.Option(
        "--trust",
        metavar="TYPE",
        help="A type of a user's own learner whose code may run. May be given several times.",
        show_default=False,
    ),
]
Jobs = Annotated[
    int | None,
    typer.Option(
        "--jobs", metavar="N", help="Processes to work with (1); -1 for every core.", show_default=False
    ),
]
_SPREAD = "Where work is done"
EngineName = Annotated[
    str,
    typer.Option(
        "--engine", metavar="local|ray", help="On this machine, or on a Ray cluster.", rich_help_panel=_SPREAD
    ),
]
Address = Annotated[
    str | None,
    typer.Option(
        "--address",
        metavar="ADDRESS",
        help="The cluster's; auto for the one that runs here. Without it one is joined or started.",
        show_default=False,
        rich_help_panel=_SPREAD,
    ),
]
OutFolder = Annotated[
    Path | None,
    typer.Option(
        "--out",
        metavar="DIR",
        help="Write the answers for a folder or a file as Parquet here; a run that stopped goes on.",
        show_default=False,
        rich_help_panel=_SPREAD,
    ),
]
OnBadBlock = Annotated[
    BadBlock,
    typer.Option(
        "--on-bad-block",
        help="Stop at a block of a folder that cannot be read, or leave its rows out.",
        rich_help_panel=_SPREAD,
    ),
]

_EMPIRICAL = "Potential trigger words (--mode empirical)"
InfluentialRows = Annotated[
    int | None,
    typer.Option(
        "--influential-rows",
        metavar="K",
        help="Texts in which a potential trigger word is influential (20).",
        min=0,
        show_default=False,
        rich_help_panel=_EMPIRICAL,
    ),
]
InfluentialWords = Annotated[
    int | None,
    typer.Option(
        "--influential-words",
        metavar="N",
        help="Influential words of each text (5).",
        min=1,
        show_default=False,
        rich_help_panel=_EMPIRICAL,
    ),
]

_CASCADE = "Cascades: ballots where they are sure, a plain classifier elsewhere"


def _of_cascade(name: str, metavar: str, help: str, **more: Any) -> Any:
    return typer.Option(
        name, metavar=metavar, help=help, show_default=False, rich_help_panel=_CASCADE, **more
    )


Cascade = Annotated[str | None, _of_cascade("--cascade", "NAME", "tfidf, linear, transformer or embedding.")]
Theta = Annotated[
    float | None,
    _of_cascade("--theta", "BALLOTS", "The least lead, in whole ballots, with which ballots answer (2)."),
]
TargetAccuracy = Annotated[
    float | None,
    _of_cascade("--target-accuracy", "SHARE", "Choose theta for this clean accuracy; needs --theta-from."),
]
ThetaFrom = Annotated[
    str | None,
    _of_cascade("--theta-from", "FILE", "Labelled rows that nobody else touched, and not among DATA."),
]

_ENCODERS = "Encoders (--learner or --cascade transformer or embedding)"


def _of_encoder(name: str, metavar: str, help: str, **more: Any) -> Any:
    return typer.Option(
        name, metavar=metavar, help=help, show_default=False, rich_help_panel=_ENCODERS, **more
    )


Encoder = Annotated[
    str | None,
    _of_encoder(
        "--encoder",
        "FOLDER|NAME",
        "A folder with config.json, weights and tokenizer, or a hub name.",
    ),
]
Epochs = Annotated[int | None, _of_encoder("--epochs", "N", "Passes over the rows (5).", min=1)]
Batch = Annotated[int | None, _of_encoder("--batch", "N", "Rows a step (16).", min=1)]
LearningRate = Annotated[
    float | None,
    _of_encoder("--learning-rate", "RATE", "Its peak (2e-5; 2e-4 for adapters).", min=0.0, max=1.0),
]
MaxLength = Annotated[
    int | None, _of_encoder("--max-length", "N", "Tokens read of a sub-text (128 / groups + 8).", min=1)
]
Adapters = Annotated[
    int | None, _of_encoder("--adapters", "RANK", "Train low-rank adapters (LoRA), not every weight.", min=1)
]
GroupsAtOnce = Annotated[
    str | None, _of_encoder("--groups-at-once", "N|auto", "Base models in lockstep (auto: as many as fit).")
]
Device = Annotated[str | None, _of_encoder("--device", "auto|cpu|cuda", "Where to train (auto).")]
Precision = Annotated[
    str | None,
    _of_encoder(
        "--precision",
        "auto|float32|bfloat16",
        "Of matrix products (auto: bfloat16 on a GPU, float32 on a CPU).",
    ),
]
Resume = Annotated[
    bool,
    typer.Option(
        "--resume/--no-resume", help="Go on where a run that was killed stopped.", rich_help_panel=_ENCODERS
    ),
]


TriggerSize = Annotated[
    int | None,
    typer.Option(
        "--trigger-size",
        metavar="N",
        help="Ballots: the trigger words that matter most to you; 0 for accuracy, 3 for long triggers.",
        min=0,
        show_default=False,
    ),
]
RowGroups = Annotated[
    int,
    typer.Option(
        "--row-groups",
        metavar="R",
        help="Split the rows, too: R x M base models, which withstand rows of an attacker's own.",
        min=1,
    ),
]


class RowsBy(str, Enum):
    """What a row's part follows from."""

    text = "text"
    place = "place"


class Hash(str, Enum):
    """How a word is hashed to its group."""

    md5 = "md5"
    sha1 = "sha1"
    sha256 = "sha256"


class Mode(str, Enum):
    """With a guarantee, or without one."""

    certified = "certified"
    empirical = "empirical"


class WordCut(str, Enum):
    """How a text is cut into words."""

    unicode = "unicode"
    whitespace = "whitespace"


class Method(str, Enum):
    """What the attacker may choose anew for each text."""

    individual = "individual"
    joint = "joint"
    both = "both"
    one_model = "one-model"
    every = "all"


class Metric(str, Enum):
    """Over which texts a share is taken."""

    balanced = "balanced"
    all_texts = "all"
    non_target = "non-target"
