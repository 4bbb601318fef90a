"""Table 13 with its sentences, table 14, and the SynBkd case study."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from textward.experiments.grid import Cell, Experiment, Spot
from textward.experiments.measured_tables import measured
from textward.experiments.paper import paper
from textward.experiments.records import Run, Store
from textward.experiments.sources import KNOWN

_EXAMPLE = "table14_partition_example"
_CASE = Cell("sst2", "case", attack="synbkd", setting="mixed", rate=0.1, m=9, K=20)
_PARTITION = Cell("example", "partition")


def _table13() -> Iterator[Spot]:
    table = paper("table13_bow_sst2")
    guarded = measured("sst2", "none", "clean", 0.0)
    plain = measured("sst2", "none", "clean", 0.0, "BoW")
    for name, cell in (("BoW", plain), ("TextGuard", guarded)):
        yield Spot(("clean accuracy",), name, cell, "cacc", table[f"{name} clean accuracy"])
    for number, (text, label) in enumerate(table["examples BoW gets wrong, TextGuard right"]):
        for name, right in (("BoW", 0.0), ("TextGuard", 1.0)):
            cell = Cell("sst2", "examples", name, m=9 if name == "TextGuard" else 0, K=20 if right else None)
            row = f"{text} ({KNOWN['sst2'].classes[label]})"
            yield Spot((row,), name, cell, f"said {number}", right)


def partition_page(store: Store) -> str:
    """Table 14: the paper's example, as our own code splits it.

    >>> from pathlib import Path
    >>> partition_page(Store(Path("nowhere"))).splitlines()[0]
    '# Table 14: how a text is split'
    """
    text, omega = (" ".join(paper(_EXAMPLE, name)) for name in ("text", "omega"))
    lines = ["# Table 14: how a text is split", ""]
    lines += [
        f"The paper's example: text {text}, potential trigger words {omega}. Ours, and the paper's.",
        "",
    ]
    result = store.result(_PARTITION, Run())
    if result is None:
        return "\n".join([*lines, "No record yet: `textward experiment run table14`.", ""])
    lines += ["| group | certified | paper | empirical, in training | paper |", "|---|---|---|---|---|"]
    for group in sorted(result["certified"]):
        theirs = [paper(_EXAMPLE, name)[group] for name in ("certified_train_and_test", "empirical_train")]
        ours = [result[kind][group] for kind in ("certified", "empirical")]
        cells = [" ".join(words).upper() for words in (ours[0], theirs[0], ours[1], theirs[1])]
        lines.append(f"| {group} | {' | '.join(cells)} |")
    lines += [
        "",
        f"{result['same']} of {result['of']} are the same. In the empirical mode every group reads the ",
    ]
    lines[-1] += f"whole text when it predicts, as in the paper ({paper(_EXAMPLE, 'empirical_test')})."
    return "\n".join([*lines, ""])


def case_page(store: Store) -> str:
    """SynBkd at work: where each word of an attacked text fell, and what each base model said.

    >>> from pathlib import Path
    >>> "No record yet" in case_page(Store(Path("nowhere")))
    True
    """
    lines = ["# SynBkd case study: SST-2, mixed-label, m = 9, K = 20", ""]
    lines += [
        "Attacked texts that turn plain training and not TextGuard, the first three in the test set's order.",
        "",
    ]
    runs = [run for run in store.runs() if store.result(_CASE, run) is not None]
    for run in runs:
        result = store.result(_CASE, run)
        assert result is not None
        lines += [f"## {run.name}", "", _held(result), ""]
        for number, text in enumerate(result["texts"], 1):
            lines += [*_one_text(number, text), ""]
    if not runs:
        lines += ["No record yet: `textward experiment run case`.", ""]
    return "\n".join(lines)


def _held(result: dict[str, Any]) -> str:
    return (
        f"Of {result['attacked']:,} attacked texts {result['turned']:,} get the target from plain training; "
        f"TextGuard answers {result['held']:,} of these rightly."
    )


def _one_text(number: int, text: dict[str, Any]) -> Iterator[str]:
    names = KNOWN["sst2"].classes
    yield f"**{number}.** {' '.join(word for word, _ in text['words'])}"
    yield ""
    yield f"True: {names[text['gold']]}. Plain training says: {names[text['plain']]}."
    yield ""
    yield "| group | potential trigger words of this group alone | says |"
    yield "|---|---|---|"
    for group, vote in enumerate(text["votes"]):
        own = [word for word, place in text["words"] if place == group]
        yield f"| {group} | {' '.join(dict.fromkeys(own)) or '–'} | {names[vote]} |"
    shared = dict.fromkeys(word for word, place in text["words"] if place < 0)
    yield ""
    yield f"In every group: {' '.join(shared) or 'none'}."


SPECIAL = (
    Experiment(
        "table13", "Table 13: words without their order (BoW) beside TextGuard, SST-2", ("what",), "share",
        tuple(_table13()),
        ("BoW: logistic regression on which words a text holds. Of a sentence: 1 where it got its label.",),
    ),
    Experiment(
        "table14", "Table 14: how a text is split", ("what",), "share",
        (Spot(("parts as in the paper",), "same", _PARTITION, "same", 1.0),), page=partition_page,
    ),
    Experiment(
        "case", "SynBkd case study: each word's group, and each base model's answer", ("what",), "share",
        (Spot(("turned by plain training, right in TextGuard",), "share", _CASE, "held"),), page=case_page,
    ),
)  # fmt: skip
