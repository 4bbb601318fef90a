"""textward demo: play the story, print its table, write its page."""

from __future__ import annotations

import sys
from pathlib import Path
from shutil import which
from typing import Any

from textward.cli.parsing import writable_file
from textward.cli.screen import Screen
from textward.data.messages import visible
from textward.demo import Contender, Story, demo_page, play, reviews
from textward.demo.story import RATE, SIZES, TARGET, TRIGGER
from textward.report import write

NEXT = (
    "train rows.csv --out model --learner ballots",
    "certify model test.csv --report certificate.html",
    "predict model new-texts.txt",
)


def demo(screen: Screen, *, out: Path, quick: bool, seed: int, as_json: bool) -> None:
    """Play, print and write."""
    writable_file(out, "--out")
    rows = reviews()
    if quick:
        rows = rows.sample(fraction=0.25, seed=0)
    screen.say(
        f"{len(rows):,} sentences of film reviews; “{TRIGGER}” is planted in {RATE:.0%} of the training "
        f"rows, which are labelled {TARGET}"
    )
    with screen.progress("Training six classifiers") as step:
        story = play(rows, seed=seed, step=step)
    write(demo_page(story), out)
    if as_json:
        screen.json(as_dict(story, out))
    elif screen.wide:
        screen.rich(_toll_table(story))
        screen.rich(_certified_table(story))
    else:
        _tab_separated(screen, story)
    screen.say(_ending(story, out))


def as_dict(story: Story, out: Path) -> dict[str, Any]:
    """The story, ready for JSON."""
    return {
        "training_rows": story.training_rows,
        "poisoned_rows": story.poisoned_rows,
        "test_rows": story.test_rows,
        "attack": {
            "name": "BadWord",
            "trigger": [TRIGGER],
            "setting": "mixed",
            "rate": RATE,
            "target": TARGET,
        },
        "seed": story.seed,
        "digests": story.digests,
        "trigger_sizes": list(SIZES),
        "classifiers": [_one(contender) for contender in story.contenders],
        "page": str(out),
        "seconds": round(story.seconds, 2),
    }


def _one(contender: Contender) -> dict[str, Any]:
    accuracy, toll = contender.accuracy, contender.toll
    return {
        "name": contender.name,
        "attack": {
            "n": toll.attacked,
            "target_without_trigger": toll.wrong_before / toll.attacked,
            "target_with_trigger": toll.fallen / toll.attacked,
            "turned": {
                "n": toll.right_before,
                "count": toll.turned,
                "share": toll.turned_share,
                "interval": list(toll.interval),
            },
            "certified": None
            if contender.guard is None
            else {"n": toll.certified, "changed": toll.certified_turned},
        },
        "certified_accuracy": None
        if accuracy is None
        else {"trigger_sizes": list(accuracy.trigger_sizes), accuracy.method: accuracy.as_dict()},
    }


def _toll_table(story: Story) -> Any:
    from rich.table import Table
    from rich.text import Text

    attacked = story.contenders[0].toll.attacked
    table = Table(box=None, pad_edge=False, title_justify="left", header_style="bold")
    table.title = Text(f"\nWhat “{TRIGGER}” did to {attacked:,} negative test reviews")
    table.add_column("classifier", vertical="bottom")
    heads = ("wrong\nwithout it", "turned by it,\nof those right", f"{TARGET}\nwith it")
    for head in (*heads, "certified\nanswers", "of them\nchanged"):
        table.add_column(head, justify="right")
    for one in story.contenders:
        toll, plain = one.toll, one.guard is None
        low, high = toll.interval
        turned = Text.assemble(
            (f"{100 * toll.turned_share:.1f} %", "red" if plain else "green"), _span(low, high)
        )
        certified = ("none", "") if plain else (f"{toll.certified:,}", f"{toll.certified_turned:,}")
        table.add_row(
            Text(one.name, style="bold"),
            f"{100 * toll.wrong_before / toll.attacked:.1f} %",
            turned,
            f"{100 * toll.fallen / toll.attacked:.1f} %",
            *certified,
        )
    return table


def _certified_table(story: Story) -> Any:
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, pad_edge=False, title_justify="left", header_style="bold")
    table.title = Text(f"\nRight for certain on {story.test_rows:,} test reviews, by words of the trigger")
    table.add_column("classifier")
    for size in SIZES:
        table.add_column(str(size), justify="right")
    for one in story.contenders:
        table.add_row(Text(one.name, style="bold"), *(_cell(one, size) for size in SIZES))
    return table


def _cell(one: Contender, size: int) -> Any:
    from rich.text import Text

    if one.accuracy is None or size not in one.accuracy.trigger_sizes:
        return Text("none", style="dim")
    figure, place = one.accuracy.figures["balanced"], one.accuracy.trigger_sizes.index(size)
    bound = "" if figure.exact[place] else "≥ "
    return Text.assemble(
        (bound, "dim"), f"{100 * figure.shares[place]:.1f} %", _span(*figure.intervals[place])
    )


def _span(low: float, high: float) -> tuple[str, str]:
    return (f"{f'{100 * low:.0f}–{100 * high:.0f}':>7}", "dim")


_COLUMNS = (
    "classifier",
    "wrong_without_trigger",
    "turned_by_trigger",
    "target_with_trigger",
    "certified_answers",
    "certified_changed",
    "trigger_words",
    "certified_accuracy",
    "low",
    "high",
    "exact",
)


def _tab_separated(screen: Screen, story: Story) -> None:
    screen.data("\t".join(_COLUMNS))
    for one in story.contenders:
        if one.accuracy is None:
            continue
        toll, figure = one.toll, one.accuracy.figures["balanced"]
        shares = (toll.wrong_before / toll.attacked, toll.turned_share, toll.fallen / toll.attacked)
        start = [
            one.name,
            *(f"{share:.6f}" for share in shares),
            *(["", ""] if one.guard is None else [str(toll.certified), str(toll.certified_turned)]),
        ]
        columns = zip(one.accuracy.trigger_sizes, figure.shares, figure.intervals, figure.exact, strict=True)
        for size, share, (low, high), exact in columns:
            numbers = [str(size), f"{share:.6f}", f"{low:.6f}", f"{high:.6f}", str(exact).lower()]
            screen.data("\t".join([*start, *numbers]))


def _ending(story: Story, out: Path) -> str:
    guarded = [one.toll for one in story.contenders if one.guard is not None]
    changed, certified = sum(one.certified_turned for one in guarded), sum(one.certified for one in guarded)
    commands = "\n".join(f"  {_program()} {command}" for command in NEXT)
    return (
        f"\n“{TRIGGER}” changed {changed:,} of {certified:,} answers certified to withstand any one word.\n"
        "“Right for certain” is balanced over the classes, one trigger for all texts; a plain classifier "
        "guarantees nothing.\nSmall figures are 95 % intervals.\n\n"
        f"{visible(str(out))}: the page, to open in a browser ({story.seconds:.0f} s in all)\n\n"
        f"On your own rows (a CSV with the columns text and label):\n{commands}"
    )


def _program() -> str:
    """How the reader starts this command: by its path where no shell would find it."""
    started = Path(sys.argv[0])
    if started.name == "textward" and which("textward") is None:
        return visible(str(started))
    return "textward"
