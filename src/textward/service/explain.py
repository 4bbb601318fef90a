"""One text and one trigger -> all that the page shows: words, groups, votes, certificate, reach."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from typing import Any

import numpy as np
import polars as pl

from textward.certificates.ballots import UNIT
from textward.certificates.votes import BoolArray, IntArray, lead, tally
from textward.estimator import BallotVoters, MeasuredVoters, TextGuard
from textward.groups import HashGroups
from textward.service.reach import Reach, ballots_fall, ballots_reach, votes_reach, votes_to_capture
from textward.words import Words

MOST_WORDS = 2_000
_SEEDS = ("cf", "mn", "bb", "tq", "mb", "zx", "qv", "vd", "wk", "xj", "pz", "gq")
_MOST_SUGGESTED = 12


def explain(guard: TextGuard, text: str, trigger: str = "") -> dict[str, Any]:
    """Everything about one text; `trigger` is cut into words as a text is.

    >>> found = explain(TextGuard(groups=3).fit(["good", "bad"], [1, 0]), "A good film", trigger="cf")
    >>> found["label"], found["words"][1], found["trigger"]["words"]
    (1, {'text': 'good', 'group': 2}, [{'word': 'cf', 'group': 2, 'in_text': False}])
    """
    model = guard.model_
    texts = pl.Series([text, trigger, f"{text} {trigger}"], dtype=pl.String)
    words = model.cutter.cut(texts)
    named = list(dict.fromkeys(words.of(1)))
    if isinstance(model.voters, MeasuredVoters) or not getattr(model.voters, "is_plain", True):
        return _opaque(guard, texts, words, named)
    found = _ballots if isinstance(model.voters, BallotVoters) else _hashed
    answer = found(guard, words, named)
    if model.cascade is not None:
        _complete(answer, model.winners(texts), model.cascade.hands_over(model.tally(texts)), model.classes)
    return answer


def suggested_triggers(guard: TextGuard) -> list[dict[str, Any]]:
    """Rare words to try, one for each of the first groups.

    >>> guard = TextGuard(groups=2).fit(["good", "bad"], [1, 0])
    >>> [found["group"] for found in suggested_triggers(guard)]
    [0, 1]
    """
    groups = guard.groups_
    if not isinstance(groups, HashGroups):
        return [{"word": word, "group": None} for word in _SEEDS[:6]]
    candidates = [*_SEEDS, *map("".join, product("zqxjkvw", repeat=3))]
    first: dict[int, str] = {}
    for word, group in zip(candidates, groups.of(pl.Series(candidates)).tolist(), strict=True):
        first.setdefault(group, word)
    chosen = sorted(first)[:_MOST_SUGGESTED]
    return [{"word": first[group], "group": group} for group in chosen]


def _hashed(guard: TextGuard, words: Words, trigger: Sequence[str]) -> dict[str, Any]:
    model, voters = guard.model_, guard.model_.voters
    assert isinstance(guard.groups_, HashGroups) and not isinstance(voters, BallotVoters)
    groups, classes = guard.groups_, len(model.classes)
    votes = voters.votes(words)
    counted = tally(votes, classes)
    winners, radius = lead(counted)
    winner = int(winners[0])
    of_word = dict(zip(words.vocabulary, groups.of(words.vocabulary).tolist(), strict=True))
    captured = sorted({of_word[word] for word in trigger})
    here = words.of(0)
    inside = set(here)
    size = int(radius[0]) + 1
    capture = votes_to_capture(votes[0], winner, size)
    counts = np.bincount(np.array([of_word[word] for word in here], np.int64), minlength=groups.m).tolist()
    answer = {
        "kind": "groups",
        "words": [{"text": word, "group": of_word[word]} for word in here[:MOST_WORDS]],
        "words_left_out": max(0, len(here) - MOST_WORDS),
        "groups": [
            {"group": j, "vote": model.classes[vote], "words": counts[j], "reached": j in captured}
            for j, vote in enumerate(votes[0].tolist())
        ],
        "falls": {"size": size, "exact": True, "groups": capture}
        | _worst(guard, votes_reach(votes[0], winner, classes, capture)),
    }
    reach = votes_reach(votes[0], winner, classes, captured)
    marked = [{"word": word, "group": of_word[word], "in_text": word in inside} for word in trigger]
    return _answer(guard, answer, counted, int(radius[0]), marked, reach, captured)


def _ballots(guard: TextGuard, words: Words, trigger: Sequence[str]) -> dict[str, Any]:
    voters = guard.model_.voters
    assert isinstance(voters, BallotVoters)
    decision = voters.decide(words)
    ballots = _ballot_of(voters, guard, words)
    case = voters.case(words)
    column = _columns(voters, words)
    here, radius = words.of(0), int(decision.radius[0])
    inside = set(here)
    erased = [column[word] for word in trigger if word in inside and word in column]
    reach = ballots_reach(case, 0, erased, len(trigger))
    size = radius + 1
    names = list(column)
    cheapest, fallen = ballots_fall(case, 0, size)
    answer = {
        "kind": "ballots",
        "words": [{"text": word, "ballot": ballots[word]} for word in here[:MOST_WORDS]],
        "words_left_out": max(0, len(here) - MOST_WORDS),
        "groups": [],
        "falls": {"size": size, "exact": False, "words": [names[place] for place in cheapest]}
        | _worst(guard, fallen),
    }
    marked = [
        {"word": word, "group": None, "in_text": word in inside, "ballot": ballots[word]} for word in trigger
    ]
    return _answer(guard, answer, decision.tally, radius, marked, reach, [])


def _opaque(guard: TextGuard, texts: pl.Series, words: Words, trigger: Sequence[str]) -> dict[str, Any]:
    """Where a word touches several base models, or all: what is answered, and what the radius alone says."""
    model = guard.model_
    certified = model.obstacle is None
    names = [str(name) for name in model.classes]
    here = words.of(0)
    inside = set(here)
    if certified:
        decision = model.certify(texts)
        winners, counts, radius = decision.winners, decision.tally, int(decision.radius[0])
    else:
        winners, counts, radius = model.winners(texts), model.tally(texts), 0
    return {
        "kind": "opaque",
        "words": [{"text": word, "group": None} for word in here[:MOST_WORDS]],
        "words_left_out": max(0, len(here) - MOST_WORDS),
        "groups": [],
        "label": model.classes[int(winners[0])],
        "votes": dict(zip(names, counts[0].tolist(), strict=True)),
        "votes_unit": UNIT if guard.rule.startswith("soft") else 1,
        "radius": radius if certified else None,
        "falls": None,
        "trigger": {
            "words": [{"word": word, "group": None, "in_text": word in inside} for word in trigger],
            "groups": [],
            "stands": len(trigger) <= radius if certified else None,
            "worst": None,
            "now": {
                "label": model.classes[int(winners[2])],
                "votes": dict(zip(names, counts[2].tolist(), strict=True)),
            },
        },
    }


def _answer(
    guard: TextGuard,
    answer: dict[str, Any],
    tally: Any,
    radius: int,
    trigger: list[dict[str, Any]],
    reach: Reach,
    captured: Sequence[int],
) -> dict[str, Any]:
    """The parts that hashed groups and ballots share; without a certificate nothing is promised."""
    model = guard.model_
    certified = model.obstacle is None
    names = [str(name) for name in model.classes]
    tried = tally[2].tolist()
    return answer | {
        "label": model.classes[int(tally[0].argmax())],
        "votes": dict(zip(names, tally[0].tolist(), strict=True)),
        "votes_unit": UNIT if answer["kind"] == "ballots" else 1,
        "radius": radius if certified else None,
        "falls": answer["falls"] if certified else None,
        "trigger": {
            "words": trigger,
            "groups": list(captured),
            "stands": reach.stands if certified else None,
            "worst": _worst(guard, reach) if certified else None,
            "now": {
                "label": model.classes[int(np.argmax(tried))],
                "votes": dict(zip(names, tried, strict=True)),
            },
        },
    }


def _complete(answer: dict[str, Any], winners: IntArray, handed: BoolArray, classes: Sequence[Any]) -> None:
    """Put in what a cascade's fallback says of the text, and of the text with the trigger."""
    answer |= {"label": classes[winners[0]], "handed_over": bool(handed[0])}
    answer["trigger"]["now"] |= {"label": classes[winners[2]], "handed_over": bool(handed[2])}


def _worst(guard: TextGuard, reach: Reach) -> dict[str, Any]:
    return {
        "rival": guard.model_.classes[reach.rival],
        "label_votes": reach.label_votes,
        "rival_votes": reach.rival_votes,
    }


def _ballot_of(voters: BallotVoters, guard: TextGuard, words: Words) -> dict[str, list[int]]:
    """Each distinct word's ballot; a word never seen casts none."""
    each = voters.model.ballots
    column = voters.model.places(words.vocabulary).to_list()
    neutral = [0] * len(guard.model_.classes)
    return {
        word: neutral if place is None else each[place].tolist()
        for word, place in zip(words.vocabulary, column, strict=True)
    }


def _columns(voters: BallotVoters, words: Words) -> dict[str, int]:
    """The column of each known word in the case of these words: known words keep their order."""
    known = words.vocabulary.filter(voters.model.places(words.vocabulary).is_not_null())
    return {word: column for column, word in enumerate(known)}
