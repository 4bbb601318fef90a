"""Every rule's worst case against an adversary who tries every word a corrupted model could say."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import rule_adversary as adversary
from hypothesis import given, settings
from hypothesis import strategies as st

from textward.certificates import radii as plain_radii
from textward.certificates import votes_accuracy
from textward.certificates.joint import Limits
from textward.certificates.rules import (
    SHARE,
    Abstain,
    Outcome,
    Plurality,
    Reach,
    RuleTest,
    Runoff,
    Soft,
    Targeted,
    decide,
    forcing,
    rule_accuracy,
    rule_of,
)
from textward.certificates.rules.soft import UNIT
from textward.certificates.rules.worst import Attacker, joint_counts
from textward.errors import UsageError


@st.composite
def designs(draw, models):
    """Which models a bucket touches: each to itself, or anything."""
    if draw(st.booleans()):
        return np.eye(models, dtype=bool)
    buckets = draw(st.integers(1, 5))
    row = st.lists(st.booleans(), min_size=models, max_size=models)
    return np.array(draw(st.lists(row, min_size=buckets, max_size=buckets)))


@st.composite
def cases(draw, most_models, most_classes, texts=1):
    """Orders of the classes for every model and text, and a design."""
    classes = draw(st.integers(2, most_classes))
    models = draw(st.integers(1, most_models))
    order = st.permutations(range(classes)).map(tuple)
    said = draw(st.lists(st.lists(order, min_size=models, max_size=models), min_size=texts, max_size=texts))
    return said, classes, draw(designs(models))


def outcome_of(said, classes):
    """Votes and shares as the orders say: the better liked, the larger."""
    votes = np.array([[order[0] for order in text] for text in said])
    shares = np.zeros((*votes.shape, classes), int)
    for i, text in enumerate(said):
        for j, order in enumerate(text):
            for place, c in enumerate(order):
                shares[i, j, c] = SHARE >> (place + 1)
    return Outcome.of(votes, classes, shares)


def judge(rule, outcome, reach, said, may_say, answer):
    """Radius and least trigger against every set of buckets and every new word."""
    winners, radius, _, holds = decide(outcome, rule, Reach(reach))
    for text in range(len(said)):
        before = answer(said[text])
        if before is not None:
            assert winners[text] == before
        assert holds[text] == (before is not None)
        for size in range(1, len(reach) + 1):
            safe = before is not None and all(
                adversary.outcomes(said[text], may_say, hit, answer) == {before}
                for hit in adversary.touched(reach.tolist(), size)
            )
            assert (holds[text] and radius[text] >= size) == safe, (size, radius)


@given(cases(5, 4))
@settings(max_examples=120, deadline=None)
def test_plurality_falls_exactly_when_an_adversary_can_fell_it(case):
    said, classes, reach = case
    votes = [[order[0] for order in text] for text in said]
    judge(
        Plurality(),
        outcome_of(said, classes),
        reach,
        votes,
        range(classes),
        lambda v: adversary.plurality(v, classes),
    )


@given(cases(4, 4))
@settings(max_examples=120, deadline=None)
def test_a_run_off_falls_exactly_when_an_adversary_can_fell_it(case):
    said, classes, reach = case
    judge(
        Runoff(),
        outcome_of(said, classes),
        reach,
        said,
        adversary.all_orders(classes),
        lambda orders: adversary.runoff(orders, classes),
    )


@given(cases(5, 5), st.integers(1, 3))
@settings(max_examples=100, deadline=None)
def test_an_answer_is_kept_exactly_as_long_as_its_lead_lasts(case, asked):
    said, classes, reach = case
    votes = [[order[0] for order in text] for text in said]
    need = 2 * asked * max(1, int(reach.sum(axis=1).max()))
    degree = Reach(reach).degree
    if degree == 0:
        need = 0
    judge(
        Abstain(asked),
        outcome_of(said, classes),
        reach,
        votes,
        range(classes),
        lambda v: adversary.abstain(v, classes, need),
    )


@given(cases(4, 3), st.integers(1, 3), st.data())
@settings(max_examples=100, deadline=None)
def test_soft_votes_fall_exactly_when_an_adversary_can_fell_them(case, k, data):
    said, classes, reach = case
    votes = np.array([[order[0] for order in text] for text in said])
    shares = np.array(
        data.draw(
            st.lists(st.integers(0, SHARE), min_size=votes.size * classes, max_size=votes.size * classes)
        )
    ).reshape(*votes.shape, classes)
    outcome = Outcome.of(votes, classes, shares)
    cast = [[tuple(cell) for cell in text] for text in Soft(k).votes(outcome).tolist()]
    judge(
        Soft(k), outcome, reach, cast, adversary.all_soft(classes, UNIT), lambda v: adversary.soft(v, classes)
    )


@given(st.integers(1, 5), st.lists(st.integers(0, SHARE), min_size=1, max_size=20))
def test_a_soft_vote_follows_its_formula_and_stays_within_one_vote(k, shares):
    found = Soft(k).votes(
        Outcome.of(np.zeros((1, len(shares)), int), 2, np.array([[[s, s] for s in shares]]))
    )
    for share, cast in zip(shares, found[0, :, 0].tolist(), strict=True):
        exact = min(1, max(0, k * (share / SHARE - 0.5) + 0.5)) * UNIT
        assert 0 <= cast <= UNIT and exact - 1 <= cast <= exact + 1e-6


@given(cases(5, 4))
@settings(max_examples=80, deadline=None)
def test_the_smallest_trigger_that_forces_a_class(case):
    said, classes, reach = case
    outcome = outcome_of(said, classes)
    votes = [order[0] for order in said[0]]
    found = forcing(outcome, Reach(reach))[0].tolist()
    for c in range(classes):
        sizes = [
            size
            for size in range(len(reach) + 1)
            for hit in adversary.touched(reach.tolist(), size)
            if c in adversary.outcomes(votes, range(classes), hit, lambda v: adversary.plurality(v, classes))
        ]
        assert found[c] == min(sizes, default=len(reach) + 1)


RULES = [Plurality(), Runoff(), Soft(2), Abstain(1), Targeted(1)]


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.name)
@given(cases(5, 4, texts=6), st.integers(0, 4), st.data())
@settings(max_examples=40, deadline=None)
def test_jointly_the_worst_buckets_are_found_and_a_bound_is_never_above_them(rule, case, size, data):
    said, classes, reach = case
    outcome = outcome_of(said, classes)
    labels = np.array(data.draw(st.lists(st.integers(0, classes - 1), min_size=6, max_size=6)))
    stand = rule.stand(outcome, Reach(reach).degree)
    members = np.stack([np.ones(6, bool), labels == 0], axis=1)
    attacker = Attacker(Reach(reach))
    right = stand.winners == labels
    least = [
        min(
            int((mine & right & ~stand.fallen(np.isin(np.arange(reach.shape[1]), hit)[None])[0]).sum())
            for hit in adversary.touched(reach.tolist(), size)
        )
        for mine in members.T
    ]
    tried = joint_counts(stand, labels, members, attacker, [size])[0]
    bounded = joint_counts(stand, labels, members, attacker, [size], Limits(cells=0, nodes=3))[0]
    assert [count.survivors for count in tried] == least and all(count.exact for count in tried)
    for count, truth in zip(bounded, least, strict=True):
        assert count.survivors <= truth <= count.attack_survivors
        assert not count.exact or count.survivors == truth


@given(cases(6, 5, texts=8), st.data())
@settings(max_examples=60, deadline=None)
def test_the_general_count_agrees_with_the_one_made_for_plain_votes(case, data):
    said, classes, _ = case
    outcome = outcome_of(said, classes)
    labels = np.array(data.draw(st.lists(st.integers(0, classes - 1), min_size=8, max_size=8)))
    names = list(range(classes))
    plain = Reach.plain(outcome.models)
    assert plain.is_plain
    everything = replace(plain, words=np.vstack([plain.words, plain.words[:1]]))  # one bucket twice
    for method in ("joint", "individual"):
        mine = rule_accuracy(RuleTest(outcome, everything, labels, names), Plurality(), range(4), method)
        theirs = votes_accuracy(outcome.votes, labels, names, range(4), method)
        assert mine.all == theirs.all and mine.balanced == theirs.balanced
    assert np.array_equal(decide(outcome, Plurality(), everything)[1], plain_radii(outcome.votes, classes)[1])


def test_many_classes_promise_less_in_a_run_off_and_never_more():
    rng = np.random.default_rng(0)
    shares = rng.integers(0, SHARE, (40, 7, 7))
    outcome = Outcome.of(shares.argmax(axis=2), 7, shares)
    stand = Runoff().stand(outcome)
    assert not stand.exact
    for _ in range(200):
        hit = rng.random(7) < 0.4
        new = shares.copy()
        new[:, hit] = rng.integers(0, SHARE, (40, int(hit.sum()), 7))
        after = Runoff().stand(Outcome.of(new.argmax(axis=2), 7, new))
        stays = ~stand.fallen(hit[None])[0]
        assert np.array_equal(after.winners[stays], stand.winners[stays])


def test_rules_by_name():
    assert [rule_of(rule.name, target=1) for rule in RULES] == RULES
    for name in ("borda", "soft", "soft:0", "abstain:x", "soft:1001", "plurality:2", None, "soft:²"):
        with pytest.raises(UsageError, match="rule must be plurality, runoff, soft:K"):
            rule_of(name)
    with pytest.raises(UsageError, match="targeted asks about one class: name it"):
        rule_of("targeted")


@pytest.mark.parametrize(
    ("shares", "message"),
    [
        (np.zeros((1, 2, 3), int), "texts x models x classes"),
        (np.zeros((1, 2, 2)), "shares must be integers"),
        (np.full((1, 2, 2), SHARE + 1), "shares must lie in 0..1048576"),
    ],
)
def test_shares_that_cannot_be(shares, message):
    with pytest.raises(UsageError, match=message):
        Outcome.of(np.array([[0, 1]]), 2, shares)


@pytest.mark.parametrize("rule", [Soft(1), Runoff()])
def test_a_rule_without_the_shares_it_needs_says_so(rule):
    with pytest.raises(UsageError, match="the models' shares, and there are none"):
        rule.stand(Outcome.of(np.array([[0, 1]]), 2))


def test_methods_and_rows_that_cannot_be():
    test = RuleTest(Outcome.of(np.array([[0, 1]]), 2), Reach.plain(2), np.array([0]), [0, 1])
    with pytest.raises(UsageError, match="method 'individual' or 'joint', got 'one_model'"):
        rule_accuracy(test, Soft(1), [1], "one_model")
    with pytest.raises(UsageError, match="rows=3 needs base models that see some of the rows only"):
        rule_accuracy(test, Plurality(), [1], rows=3)
