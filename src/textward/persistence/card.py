"""README.md of a model: what it is, what it was trained on, what is certified, in Markdown.

Class names and the like come from the rows: they are hostile input, and stand in code spans alone.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from textward.certificates import CertifiedAccuracy, Figure
from textward.certificates.ballots import UNIT
from textward.data.messages import visible
from textward.persistence.config import Config

NAME = "README.md"
_FRONT = """---
library_name: textward
pipeline_tag: text-classification
tags:
- textward
- certified-robustness
- backdoor-defense
---
"""
_KINDS = {
    "linear": "naive Bayes in each of {groups} groups of words",
    "ballots": "every word is a group of its own and casts an integer ballot",
    "scikit": "a scikit-learn classifier ({learner}) in each of {groups} groups of words",
    "transformer": "a fine-tuned encoder in each of {groups} groups of words",
    "embedding": "a linear head in each of {groups} groups of words, on one frozen encoder",
}
_METHODS = {
    "joint": "one trigger for all texts",
    "individual": "a trigger of its own for every text",
    "one_model": "one trigger, and the one model trained with it",
}
_POPULATIONS = {"balanced": "balanced", "all": "all texts", "non_target": "without the target"}


@dataclass(frozen=True, slots=True)
class Certified:
    """A test set that a model was certified on.

    >>> Certified("test.csv", "9f", ()).data
    'test.csv'
    """

    data: str
    digest: str
    accuracies: Sequence[CertifiedAccuracy]


def card(config: Config, certified: Certified | None = None) -> str:
    """Return the card of a model, with its certificate table where it was certified on a test set."""
    training, cascade = config.training, config.cascade
    what = _KINDS[config.kind].format(groups=config.settings.groups, learner=code(config.settings.learner))
    if cascade is not None:
        what += (
            f"; where they lead by less than {cascade.theta / UNIT:g} whole ballots, a classifier of whole "
            f"texts ({code(cascade.learner)}) answers, of which nothing is certified"
        )
    counts = ", ".join(f"{code(name)} {count:,}" for name, count in training.class_counts.items())
    versions = ", ".join(f"{name} {version}" for name, version in training.versions.items())
    return "\n".join(
        [
            _FRONT,
            "# A text classifier that says how many trigger words each answer withstands\n",
            f"Made by [textward](https://pypi.org/project/textward) {config.textward}: {what}.\n",
            "```python",
            "from textward import load",
            'guard = load("path/to/this/folder")',
            'guard.certify(["a text"])  # labels, and the radius of each',
            "```\n",
            "## Certificate\n",
            *_certificate(config, certified),
            "\n## Training\n",
            "| what | value |",
            "| --- | --- |",
            f"| rows | {training.n:,} ({counts}) |",
            f"| digest of the rows (SHA-256) | {code(training.digest)} |",
            f"| seed | {config.settings.seed} |",
            f"| words | {code(config.settings.words)} |",
            f"| hash | {config.settings.hash if config.kind != 'ballots' else 'not needed'} |",
            f"| order of a group's words | {code(config.order)} |",
            f"| made with | {versions} |",
            "\n## What the guarantee covers, and what it does not\n",
            *(f"- {_plain(sentence)}" for sentence in config.assumptions),
            "\nThe SHA-256 of every file is in `manifest.json`; textward refuses a file that was changed.\n",
        ]
    )


def copied_with_card(model: Path, directory: Path, text: str, *, leave: str) -> None:
    """Fill a new directory with a model's files, but another card; `leave` is one to leave out."""
    for file in sorted(model.rglob("*")):
        name = file.relative_to(model).as_posix()
        if file.is_file() and name not in (NAME, leave):
            target = directory / name
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(file, target)
    (directory / NAME).write_text(text, encoding="utf-8")


def code(text: str) -> str:
    """A code span that may stand in a table, whatever the text holds.

    >>> code("a|b`c<script>")
    '`` a\\\\|b`c<script> ``'
    """
    shown = visible(text) or " "
    longest = max(map(len, re.findall("`+", shown)), default=0)
    fence = "`" * (longest + 1)
    pad = " " if longest else ""
    return f"{fence}{pad}{shown}{pad}{fence}".replace("|", "\\|")


def _plain(sentence: str) -> str:
    """A sentence of textward's own, in which names may stand that are not."""
    return re.sub(r"([\\`*_\[\]<>#|])", r"\\\1", visible(sentence))


def _certificate(config: Config, certified: Certified | None) -> list[str]:
    if config.obstacle is not None:
        return [f"This model has no certificate: {_plain(config.obstacle)}"]
    if certified is None:
        return ["Not certified on a test set yet: `textward certify DIR TEST --card` writes the table here."]
    first = certified.accuracies[0]
    sizes = first.trigger_sizes
    lines = [
        f"Certified accuracy on the {first.n:,} texts of {code(certified.data)} (SHA-256 of the rows "
        f"{code(certified.digest)}): the share that is right and stays right whatever the trigger. Small "
        "figures are 95 % intervals.\n",
        f"| trigger words | {' | '.join(map(str, sizes))} |",
        f"| --- |{' ---: |' * len(sizes)}",
    ]
    for accuracy in certified.accuracies:
        for key, name in _POPULATIONS.items():
            if key in accuracy.figures:
                lines.append(_row(f"{_METHODS[accuracy.method]}, {name}", accuracy.figures[key]))
        lines += [_row(f"— class {code(name)}", one) for name, one in accuracy.class_figures.items()]
    return lines


def _row(name: str, figure: Figure) -> str:
    cells = [
        f"{'' if exact else '≥ '}{100 * share:.1f} %<br><sub>{100 * low:.1f} to {100 * high:.1f}</sub>"
        for share, (low, high), exact in zip(figure.shares, figure.intervals, figure.exact, strict=True)
    ]
    return f"| {name} | {' | '.join(cells)} |"
