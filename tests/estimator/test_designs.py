"""Designs, rows split into parts and vote rules, from texts on: who is touched, and who is certified."""

from __future__ import annotations

import random

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import MultinomialNB
from sklearn.svm import LinearSVC

from textward import TextGuard, load
from textward.certificates.rules import Reach
from textward.errors import ModelError, UsageError
from textward.groups import BlockGroups, HashGroups, RowGroups, design_of
from textward.words import UnicodeWords

DESIGNS = ["fano", "pg:2", "pg:3", "pg:4", "pg:5", "pg:7"]
WORDS = [[f"{side}{k}" for k in range(30)] for side in ("bad", "good", "plain")]
TEXTS = ["good fun", "great fun", "good film", "dull", "bad and dull", "bad film"]
LABELS = ["+", "+", "+", "-", "-", "-"]


@pytest.mark.parametrize("name", DESIGNS)
def test_the_lines_of_a_plane_meet_in_one_bucket_each(name):
    design = design_of(name)
    table = design.incidence().astype(int)
    q = int(table.sum(axis=0)[0]) - 1
    assert table.shape == (q * q + q + 1,) * 2
    assert (table.T @ table == 1 + q * np.eye(len(table))).all()
    assert (table @ table.T == 1 + q * np.eye(len(table))).all()


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("pg:6", "groups must be a whole number, 'words' or a design"),
        ("Fano", "groups must be a whole number, 'words' or a design"),
        ("cyclic:7:1,,2", "has a number missing"),
        ("cyclic:9999:1", "groups must be a whole number"),
        ("blocks:0/2", "every bucket from 0 on a model that reads it"),
        ("blocks:/0", "has a number missing"),
    ],
)
def test_designs_that_are_none(name, message):
    with pytest.raises(UsageError, match=message):
        TextGuard(groups=name).fit(TEXTS, LABELS)


@given(
    st.lists(st.lists(st.sampled_from("abcdefgh"), max_size=8), min_size=1, max_size=4),
    st.sampled_from(["fano", "blocks:0,1/1,2/0,2", "cyclic:5:0,1"]),
    st.sampled_from("abcdefghxyz"),
    st.integers(0, 8),
)
@settings(max_examples=60, deadline=None)
def test_a_word_touches_the_models_that_read_its_bucket_and_no_other(rows, name, trigger, at):
    groups = BlockGroups(design_of(name))
    planted = [[*row[:at], trigger, *row[at:]] for row in rows]
    before, after = (
        [
            groups.split(UnicodeWords().cut(pl.Series(list(map(" ".join, side))))).group(j).texts().to_list()
            for j in range(groups.m)
        ]
        for side in (rows, planted)
    )
    touched = groups.incidence()[int(groups.of(pl.Series([trigger]))[0])]
    assert [one != other for one, other in zip(before, after, strict=True)] == touched.tolist()
    of = {word: int(groups.of(pl.Series([word]))[0]) for word in "abcdefgh"}
    for j, block in enumerate(groups.design.blocks):
        assert before[j] == [" ".join(sorted(w for w in row if of[w] in block)) for row in rows]


@given(st.lists(st.sampled_from(["a", "b c", "c", "a b", ""]), min_size=1, max_size=8), st.data())
@settings(max_examples=60, deadline=None)
def test_rows_that_come_and_go_leave_the_part_of_every_other_row(texts, data):
    of = RowGroups(4).of
    groups = HashGroups(2)

    def parts(rows):
        grouped = groups.split(UnicodeWords().cut(pl.Series(rows, dtype=pl.String)))
        return [of(grouped.group(j)).tolist() for j in range(2)]

    before = parts(texts)
    at = data.draw(st.integers(0, len(texts)))
    after = parts([*texts[:at], "b", *texts[at:]])
    for one, other in zip(before, after, strict=True):
        assert one == other[:at] + other[at + 1 :]
    # A trigger word moves its own group's part alone.
    word = data.draw(st.sampled_from(["x", "y", "a"]))
    moved = parts([f"{text} {word}" for text in texts])
    mine = int(groups.of(pl.Series([word]))[0])
    assert moved[1 - mine] == before[1 - mine]


def corpus(rng, n):
    labels = [rng.randrange(2) for _ in range(n)]
    sides = [rng.choices([y, 1 - y, 2], [7, 1, 2], k=16) for y in labels]
    return [" ".join(rng.choice(WORDS[side]) for side in row) for row in sides], labels


def planted(rng, text, trigger, share):
    words = text.split()
    if rng.random() < share:
        words += rng.choices(trigger, k=rng.randrange(1, 6))
        rng.shuffle(words)
    return " ".join(words)


@pytest.mark.parametrize("words", [1, 2])
@pytest.mark.parametrize(
    "guard",
    [
        TextGuard("fano"),
        TextGuard("pg:4"),
        TextGuard("cyclic:11:1,3,4,5,9", rule="soft:2"),
        TextGuard("blocks:0,1/1,2/2,3/3,4/4,0", MultinomialNB()),
        TextGuard(7, rule="soft:1"),
        TextGuard(5, LogisticRegression(), rule="soft:4"),
        TextGuard(7, rule="runoff"),
    ],
    ids=lambda guard: f"{guard.groups} {guard.rule}",
)
def test_no_certified_label_changes(guard, words):
    rng, certified = random.Random(words), 0
    for _ in range(5):
        (texts, labels), (test, _) = corpus(rng, 80), corpus(rng, 40)
        before = guard.fit(texts, labels).certify(test)
        assert before.labels.tolist() == guard.predict(test).tolist()
        trigger = rng.sample([*WORDS[0], *WORDS[1], "cf", "mn"], words)
        favoured = rng.randrange(2)
        poisoned = [
            planted(rng, text, trigger, 0.9 if label == favoured else 0.1)
            for text, label in zip(texts, labels, strict=True)
        ]
        after = guard.fit(poisoned, labels).predict([planted(rng, text, trigger, 1.0) for text in test])
        safe = before.holds & (before.radius >= words)
        certified += int(safe.sum())
        assert np.array_equal(after[safe], before.labels[safe])
    assert certified > 0 or words > 1


def moved_rows(rng, texts, labels, rows, in_place):
    """What an attacker does to so many rows: anything, or anything in its place."""
    texts, labels = list(texts), list(labels)
    for _ in range(rows):
        kind = "rewrite" if in_place else rng.choice(["add", "delete", "rewrite", "relabel"])
        at = rng.randrange(len(texts))
        new = " ".join(rng.choices([*WORDS[0], *WORDS[1]], k=rng.randrange(1, 40)))
        if kind == "add":
            texts.insert(at, new)
            labels.insert(at, rng.randrange(2))
        elif kind == "delete":
            del texts[at], labels[at]
        else:
            texts[at] = texts[at] if kind == "relabel" else new
            labels[at] = 1 - labels[at] if kind == "relabel" else rng.randrange(2)
    return texts, labels


@pytest.mark.parametrize("by", ["text", "place"])
@pytest.mark.parametrize(("rows", "words"), [(1, 0), (3, 0), (1, 1)])
@pytest.mark.parametrize("groups", [3, "blocks:0,1/1,2/2,3/3,4/4,0"])
def test_no_label_certified_against_rows_and_words_changes(groups, by, rows, words):
    rng, certified = random.Random(rows), 0
    for _ in range(3):
        (texts, labels), (test, _) = corpus(rng, 120), corpus(rng, 30)
        guard = TextGuard(groups, row_groups=7, rows_by=by).fit(texts, labels)
        before = guard.certify(test, rows=rows)
        trigger = rng.sample([*WORDS[0], *WORDS[1], "cf"], words)
        favoured = rng.randrange(2)
        texts, labels = moved_rows(rng, texts, labels, rows, by == "place")
        if words:
            texts = [
                planted(rng, text, trigger, 0.9 if label == favoured else 0.1)
                for text, label in zip(texts, labels, strict=True)
            ]
            test = [planted(rng, text, trigger, 1.0) for text in test]
        after = TextGuard(groups, row_groups=7, rows_by=by).fit(texts, labels).predict(test)
        safe = before.holds & (before.radius >= words)
        certified += int(safe.sum())
        assert np.array_equal(after[safe], before.labels[safe])
    assert certified > 0 or (rows, words) != (1, 0)


@pytest.mark.parametrize("by", ["text", "place"])
def test_rows_touch_the_cells_that_the_certificate_counts_and_no_others(by):
    rng = random.Random(7)
    texts, labels = corpus(rng, 60)
    probe, _ = corpus(rng, 20)
    guard = TextGuard(3, row_groups=8, rows_by=by).fit(texts, labels)
    reach: Reach = guard.model_.voters.reach()
    assert reach.rows is not None
    for rows in (1, 2):
        for _ in range(6):
            moved = moved_rows(rng, texts, labels, rows, by == "place")
            other = TextGuard(3, row_groups=8, rows_by=by).fit(*moved)
            differ = np.array([
                not (np.array_equal(one.weights, two.weights) and one.vocabulary.equals(two.vocabulary))
                for one, two in zip(
                    guard.model_.voters.ensemble.models, other.model_.voters.ensemble.models, strict=True
                )
            ])  # fmt: skip
            units = np.unique(reach.rows.units[differ])
            for lane in np.unique(reach.rows.lanes):
                assert (reach.rows.lanes[units] == lane).sum() <= reach.rows.each * rows
            assert ((guard.votes(probe) != other.votes(probe)).any(axis=0) <= differ).all()


@given(st.integers(1, 2), st.integers(0, 2), st.booleans(), st.data())
@settings(max_examples=60, deadline=None)
def test_the_worst_rows_and_words_of_a_grid_by_brute_force(size, rows, by_place, data):
    """Every set of columns, every choice of cells in each lane, every rival."""
    from itertools import combinations, product

    from textward.certificates.rules import Outcome, Plurality, RowReach, decide

    parts, columns = 3, 2
    cell = np.arange(parts * columns)
    kind = (
        RowReach(cell // columns, np.zeros(parts, np.int64), each=1)
        if by_place
        else RowReach(cell, cell % columns, each=1)
    )
    reach = Reach(np.tile(np.eye(columns, dtype=bool), (1, parts)), kind)
    votes = data.draw(st.lists(st.integers(0, 2), min_size=parts * columns, max_size=parts * columns))
    winners, radius, _, holds = decide(Outcome.of(np.array([votes]), 3), Plurality(), reach, rows)

    def answer(cast):
        return max(range(3), key=lambda c: (cast.count(c), -c))

    def safe(words):
        picks = [list(combinations(range(parts), min(rows, parts)))] * (1 if by_place else columns)
        for columns_hit in combinations(range(columns), min(words, columns)):
            for chosen in product(*picks):
                hit = [
                    k for k in cell.tolist()
                    if k % columns in columns_hit or k // columns in chosen[0 if by_place else k % columns]
                ]  # fmt: skip
                for c in range(3):  # all corrupted cells for one rival is the worst of plurality
                    if answer([c if k in hit else vote for k, vote in enumerate(votes)]) != winners[0]:
                        return False
        return True

    assert (bool(holds[0]) and int(radius[0]) >= size) == safe(size)
    assert bool(holds[0]) == safe(0)


MODELS = {
    "design": TextGuard("fano", rule="soft:2"),
    "design of a pipeline": TextGuard("blocks:0,1/1,2/0,2", MultinomialNB(), rule="soft:3"),
    "grid": TextGuard(3, row_groups=4, rows_by="place"),
    "grid of a pipeline": TextGuard("fano", MultinomialNB(), row_groups=3),
    "run-off": TextGuard(5, rule="runoff"),
}


@pytest.mark.parametrize("name", MODELS)
def test_what_is_saved_is_what_was_trained(name, tmp_path):
    rng = random.Random(1)
    (texts, labels), (test, _) = corpus(rng, 60), corpus(rng, 20)
    guard = MODELS[name].fit(texts, labels)
    guard.save(tmp_path / "model")
    again = load(tmp_path / "model")
    rows = 1 if guard.row_groups > 1 else 0

    def said(model):
        return (
            model.certify(test, rows=rows).radius,
            model.predict(test),
            model.votes(test),
            model.tally(test),
        )

    for mine, theirs in zip(said(guard), said(again), strict=True):
        assert np.array_equal(mine, theirs)
    names = ("groups", "row_groups", "rows_by", "rule")
    assert [getattr(again, one) for one in names] == [getattr(guard, one) for one in names]
    assert again.assumptions() == guard.assumptions()


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('"groups": "fano"', '"groups": "fanq"', "groups must be a whole number, 'words' or a design"),
        ('"groups": "fano"', '"groups": "pg:3"', "Save the model again|Get the model again"),
        ('"row_groups": 1', '"row_groups": 2', "Get the model again|Save the model again"),
        ('"rule": "plurality"', '"rule": "borda"', "rule must be plurality"),
        ('"row_groups": 1', '"row_groups": 0', "row_groups"),
    ],
)
def test_a_damaged_config_is_refused(old, new, message, tmp_path):
    from textward.persistence import manifest

    TextGuard("fano").fit(TEXTS, LABELS).save(tmp_path / "model")
    config = tmp_path / "model" / "config.json"
    text = config.read_text()
    assert old in text
    config.write_text(text.replace(old, new))
    (tmp_path / "model" / "manifest.json").unlink()
    manifest.write_manifest(tmp_path / "model")
    with pytest.raises(ModelError, match=message):
        load(tmp_path / "model")


class Silent(ClassifierMixin, BaseEstimator):
    """Says what it thinks, and not how sure it is."""

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        return self

    def predict(self, X):
        return np.full(X.shape[0], self.classes_[0])

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags


@pytest.mark.parametrize(
    ("guard", "message"),
    [
        (TextGuard("words", rule="soft:2"), "for base models that vote, and ballots have none"),
        (TextGuard("words", row_groups=3), "ballots have none: give rows="),
        (TextGuard(3, rule="abstain:1"), "abstain:1 is about certificates"),
        (TextGuard(3, rule="targeted"), "targeted is about certificates"),
        (TextGuard(3, rule="soft"), "rule must be plurality, runoff, soft:K"),
        (TextGuard(3, row_groups=0), "row_groups must be an integer >= 1"),
        (TextGuard(3, row_groups=5000), "row_groups must be a whole number of 1 to 4,096"),
        (TextGuard(3, row_groups=2, rows_by="luck"), "rows_by must be one of text, place"),
        (TextGuard(3, mode="empirical", row_groups=2), "row_groups is for mode='certified'"),
        (TextGuard(3, mode="empirical", rule="runoff"), "is for mode='certified'"),
        (TextGuard("fano", mode="empirical"), "the design groups='fano' is for mode='certified'"),
        (TextGuard("fano", "ballots"), "give it groups='words'"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_settings_that_do_not_go_together(guard, message):
    with pytest.raises(UsageError, match=message):
        guard.fit(TEXTS, LABELS)


def test_questions_that_have_no_answer():
    with pytest.raises(UsageError, match="rows=2 needs base models that see some of the rows only"):
        TextGuard(3).fit(TEXTS, LABELS).certify(["good"], rows=2)
    with pytest.raises(UsageError, match="ballots have none"):
        TextGuard("words").fit(TEXTS, LABELS).certified_accuracy(["good"], ["+"], rule="soft:2")
    with pytest.raises(UsageError, match="neither predict_proba nor decision_function"):
        TextGuard(2, Silent(), rule="soft:2").fit(TEXTS, LABELS).predict(["good"])
    with pytest.raises(UsageError, match="targeted asks about one class"):
        TextGuard(3).fit(TEXTS, LABELS).certified_accuracy(["good"], ["+"], rule="targeted")
    with pytest.raises(UsageError, match="certified by the rule plurality only"):
        TextGuard(5000).fit(TEXTS, LABELS).certified_accuracy(["good"], ["+"], rule="abstain:1")


def test_margins_make_shares_too():
    guard = TextGuard(2, LinearSVC(random_state=0), rule="soft:1").fit(TEXTS * 3, LABELS * 3)
    assert guard.predict(["good fun", "bad dull"]).tolist() == ["+", "-"]


def test_a_targeted_certificate_is_never_below_the_plain_one():
    rng = random.Random(3)
    (texts, labels), (test, truth) = corpus(rng, 100), corpus(rng, 60)
    guard = TextGuard(7).fit(texts, labels)
    plain = guard.certified_accuracy(test, truth, range(4), target=1)
    aimed = guard.certified_accuracy(test, truth, range(4), target=1, rule="targeted")
    asked = guard.certified_accuracy(test, truth, range(3), target=1, rule="abstain:1")
    assert aimed.non_target == plain.non_target  # with two classes every flip is to the other one
    assert all(one <= two for one, two in zip(plain.all, aimed.all, strict=True))
    assert all(one >= two for one, two in zip(plain.all[1:], asked.all, strict=False))
