"""textward demo: play the story, print its table, write its page."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from textward.cli.screen import Screen
from textward.data.messages import visible
from textward.demo import Contender, Story, demo_page, play, reviews
from textward.demo.story import RATE, SIZES, TARGET, TRIGGER
from textward.errors import UsageError
from textward.report import write

NEXT = (
    "textward train rows.csv --out model --learner ballots",
    "textward certify model test.csv --report certificate.html",
    "textward predict model new-texts.txt",
)


def demo(screen: Screen, *, out: Path, quick: bool, seed: int, as_json: bool) -> None:
    """Play, print and write."""
    if not out.absolute().parent.is_dir():
        raise UsageError(
            f"--out {visible(str(out))}: there is no such folder. Make it, or name another file."
        )
    rows = reviews()
    if quick:
        rows = rows.sample(fraction=0.25, seed=0)
    screen.say(
        f"{len(rows):,} sentences of film reviews; “{TRIGGER}” is planted in {RATE:.0%} of the training "
        f"rows, "
        f"which are labelled {TARGET}"
    )
    with screen.progress("Training six classifiers") as step:
        story = play(rows, seed=seed, step=step)
    write(demo_page(story), out)
    if as_json:
        screen.json(as_dict(story, out))
    elif screen.wide:
        screen.rich(_table(story))
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
    accuracy = contender.accuracy
    return {
        "name": contender.name,
        "attack_success": {
            "share": contender.success,
            "interval": list(contender.interval),
            "n": contender.attacked,
            "without_trigger": contender.fallen_before / contender.attacked,
        },
        "certified_accuracy": None
        if accuracy is None
        else {"trigger_sizes": list(accuracy.trigger_sizes), accuracy.method: accuracy.as_dict()},
    }


def _table(story: Story) -> Any:
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, pad_edge=False, title_justify="left", header_style="bold")
    table.title = Text(
        f"\nRight for certain on {story.test_rows:,} test texts, whatever the trigger, by its number of words"
    )
    table.add_column("classifier")
    table.add_column("attack\nsucceeds", justify="right")
    for size in SIZES:
        table.add_column("clean" if size == 0 else str(size), justify="right", vertical="bottom")
    for one in story.contenders:
        low, high = one.interval
        success = Text.assemble(
            (f"{one.success:.1%}", "red" if one.guard is None else "green"), _span(low, high)
        )
        table.add_row(Text(one.name, style="bold"), success, *(_cell(one, size) for size in SIZES))
    return table


def _cell(one: Contender, size: int) -> Any:
    from rich.text import Text

    if one.accuracy is None or size not in one.accuracy.trigger_sizes:
        return Text("none", style="dim")
    figure, place = one.accuracy.figures["balanced"], one.accuracy.trigger_sizes.index(size)
    bound = "" if figure.exact[place] else "≥ "
    return Text.assemble((bound, "dim"), f"{figure.shares[place]:.1%}", _span(*figure.intervals[place]))


def _span(low: float, high: float) -> tuple[str, str]:
    return (f"\n{100 * low:.0f}–{100 * high:.0f}", "dim")


def _tab_separated(screen: Screen, story: Story) -> None:
    screen.data("classifier\tattack_success\ttrigger_words\tshare\tlow\thigh\texact")
    for one in story.contenders:
        if one.accuracy is None:
            continue
        figure = one.accuracy.figures["balanced"]
        columns = zip(one.accuracy.trigger_sizes, figure.shares, figure.intervals, figure.exact, strict=True)
        for size, share, (low, high), exact in columns:
            numbers = f"{one.success:.6f}\t{size}\t{share:.6f}\t{low:.6f}\t{high:.6f}\t{str(exact).lower()}"
            screen.data(f"{one.name}\t{numbers}")


def _ending(story: Story, out: Path) -> str:
    commands = "\n".join(f"  {command}" for command in NEXT)
    return (
        "balanced over the classes; one trigger for all texts; small figures are 95 % intervals; a plain "
        "classifier "
        f"guarantees nothing\n{visible(str(out))}: the page, to open in a browser ({story.seconds:.0f} s "
        f"in all)\n\n"
        f"On your own rows (a CSV with the columns text and label):\n{commands}"
    )
