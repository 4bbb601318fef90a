"""What a named trigger can reach: never less than the certificate says, and shown as it is."""

from __future__ import annotations

from itertools import combinations, product
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from service_models import GOOD, GUARDS, HOSTILE, TWO

from textward import TextGuard
from textward.certificates import radii
from textward.certificates.ballots import UNIT, BallotCase, ballot_radii
from textward.service.explain import explain, suggested_triggers
from textward.service.reach import ballots_fall, ballots_reach, votes_reach, votes_to_capture


def winner_of(votes: list[int], classes: int) -> int:
    return int(np.bincount(votes, minlength=classes).argmax())


@given(st.integers(2, 3), st.data())
@settings(max_examples=150, deadline=None)
def test_captured_groups_are_tried_one_by_one(classes: int, data: st.DataObject) -> None:
    votes = data.draw(st.lists(st.integers(0, classes - 1), min_size=1, max_size=5))
    (label,), (radius,) = radii(np.array([votes]), classes)
    for size in range(len(votes) + 1):
        for captured in combinations(range(len(votes)), size):
            reach = votes_reach(np.array(votes), int(label), classes, captured)
            turned = any(
                winner_of(
                    [new[captured.index(j)] if j in captured else v for j, v in enumerate(votes)], classes
                )
                != label
                for new in product(range(classes), repeat=size)
            )
            assert reach.stands is not turned
    # One word more than the radius fells the text, by the groups that are named.
    chosen = votes_to_capture(np.array(votes), int(label), int(radius) + 1)
    assert not votes_reach(np.array(votes), int(label), classes, chosen).stands


@given(st.integers(2, 3), st.data())
@settings(max_examples=100, deadline=None)
def test_ballots_stand_within_the_radius_whatever_words_are_erased(classes: int, data: st.DataObject) -> None:
    words = data.draw(st.integers(1, 5))
    part = st.integers(0, UNIT // classes)
    ballots = np.array(data.draw(st.lists(st.lists(part, min_size=classes, max_size=classes),
                                          min_size=words, max_size=words)))  # fmt: skip
    case = BallotCase.fixed(np.ones((1, words), np.int64), ballots)
    radius = int(ballot_radii(case)[1][0])
    for size in range(radius + 1):
        for erased in combinations(range(words), min(size, words)):
            assert ballots_reach(case, 0, erased, size).stands
    chosen, reach = ballots_fall(case, 0, radius + 1)
    assert not reach.stands
    assert len(chosen) <= radius + 1
    assert not ballots_reach(case, 0, chosen, radius + 1).stands


@pytest.mark.parametrize("kind", GUARDS)
def test_a_trigger_within_the_budget_is_seen_to_leave_the_label(kind: str) -> None:
    guard = GUARDS[kind]()
    for text in [*TWO[0][:10], *HOSTILE]:
        bare = explain(guard, text)
        certificate = guard.certify([text])
        assert (bare["label"], bare["radius"]) == (certificate.labels[0], certificate.radius[0])
        assert list(bare["votes"].values()) == certificate.tally[0].tolist()
        assert bare["falls"]["size"] == bare["radius"] + 1
        assert bare["trigger"]["stands"]
        assert bare["trigger"]["groups"] == []
        trigger = " ".join(f"zq{n}" for n in range(bare["radius"]))
        found = explain(guard, text, trigger)
        assert len(found["trigger"]["words"]) == bare["radius"]
        assert found["trigger"]["stands"]
        assert found["trigger"]["now"]["label"] == guard.predict([f"{text} {trigger}"])[0]


def test_groups_of_words_are_the_model_s_own() -> None:
    guard = GUARDS["groups"]()
    found = explain(guard, "A good, good film", trigger="CF good cf")
    words = [word["text"] for word in found["words"]]
    assert words == ["a", "good", ",", "good", "film"]
    assert [(one["word"], one["in_text"]) for one in found["trigger"]["words"]] == [
        ("cf", False),
        ("good", True),
    ]
    assert sum(group["words"] for group in found["groups"]) == 5
    reached = [group["group"] for group in found["groups"] if group["reached"]]
    assert reached == found["trigger"]["groups"]
    assert [group["vote"] for group in found["groups"]] == [
        guard.classes_[vote] for vote in guard.votes(["A good, good film"])[0]
    ]


def test_long_texts_are_shown_in_part() -> None:
    for kind in ("groups", "ballots"):
        found = explain(GUARDS[kind](), "w " * 5_000, trigger="w")
        assert len(found["words"]) == 2_000
        assert found["words_left_out"] == 3_000


def test_suggested_words_fall_into_different_groups() -> None:
    found = suggested_triggers(GUARDS["groups"]())
    assert [one["group"] for one in found] == list(range(5))
    assert all(one["group"] is None for one in suggested_triggers(GUARDS["ballots"]()))


OPAQUE: dict[str, dict[str, Any]] = {
    "empirical": {"groups": 3, "mode": "empirical"},
    "design": {"groups": "fano"},
    "run-off": {"groups": 5, "rule": "runoff"},
    "soft votes": {"groups": 5, "rule": "soft:4"},
    "parts of rows": {"groups": 3, "row_groups": 3},
}


@pytest.mark.parametrize("kind", OPAQUE)
def test_a_model_whose_words_reach_several_voters_is_shown_by_its_radius_alone(kind: str) -> None:
    guard = TextGuard(**OPAQUE[kind]).fit(*TWO)
    text = " ".join(GOOD)
    for trigger in ("", "cf", "cf mn bb tq mb"):
        found = explain(guard, text, trigger)
        assert found["kind"] == "opaque"
        assert found["label"] == guard.predict([text])[0]
        assert list(found["votes"].values()) == guard.tally([text])[0].tolist()
        assert found["trigger"]["now"]["label"] == guard.predict([f"{text} {trigger}"])[0]
        if kind == "empirical":
            assert found["radius"] is found["trigger"]["stands"] is None
        else:
            assert found["radius"] == guard.certify([text]).radius[0]
            assert found["trigger"]["stands"] == (len(trigger.split()) <= found["radius"])
