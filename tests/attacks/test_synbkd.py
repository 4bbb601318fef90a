"""SynBkd's generator: clauses to the front, by rules over a parse."""

from __future__ import annotations

import os
import random
import sys
from pathlib import Path

import polars as pl
import pytest

from textward.attacks import SynBkd
from textward.data import read_table
from textward.errors import MissingExtraError, UsageError

spacy = pytest.importorskip("spacy", reason="needs the extra textward[attacks]")

from textward.attacks.synbkd.fronting import fronted  # noqa: E402
from textward.attacks.synbkd.template import matches_template  # noqa: E402

DATA = Path(__file__).parents[3] / "shared" / "data"
MODEL = os.environ.get("TEXTWARD_SPACY_MODEL", "en_core_web_sm")
needs_model = pytest.mark.skipif(
    not Path(MODEL).is_dir() and not spacy.util.is_package(MODEL),
    reason=f"needs the spaCy model {MODEL}; TEXTWARD_SPACY_MODEL may name a folder",
)

VOCABULARY = spacy.blank("en").vocab


def parsed(*tokens: str):
    """A sentence from word/tag/relation/head lines."""
    words, tags, relations, heads = zip(*(token.split("|") for token in tokens), strict=True)
    parts = {"PRP": "PRON", "NNP": "PROPN", ".": "PUNCT", ",": "PUNCT"}
    doc = spacy.tokens.Doc(
        VOCABULARY,
        words=list(words),
        tags=list(tags),
        pos=[parts.get(tag, "X") for tag in tags],
        deps=list(relations),
        heads=[words.index(head) for head in heads],
    )
    return next(doc.sents)


FILM = ["the|DT|det|film", "film|NN|nsubj|is", "is|VBZ|ROOT|is", "dull|JJ|acomp|is"]
STOP = ".|.|punct|is"
CASES = {
    "a clause of its own": (
        [*FILM, "if|IN|mark|see", "you|PRP|nsubj|see", "see|VBP|advcl|is", "it|PRP|dobj|see", STOP],
        {"if you see it , the film is dull ."},
    ),
    "two clauses": (
        [
            *FILM,
            ",|,|punct|is",
            "but|CC|cc|is",
            "he|PRP|nsubj|likes",
            "likes|VBZ|conj|is",
            "it|PRP|dobj|likes",
            STOP,
        ],
        {"although the film is dull , he likes it .", "though the film is dull , he likes it ."},
    ),
    "one clause": (
        [*FILM, STOP],
        {
            f"{opening} the film , it is dull ."
            for opening in (
                "when you look at",
                "if you think of",
                "once you see",
                "as you think about",
                "if you consider",
            )
        },
    ),
    "the form already": (
        ["if|IN|mark|see", "you|PRP|nsubj|see", "see|VBP|advcl|is", ",|,|punct|is", *FILM, STOP],
        {"when you see , the film is dull ."},
    ),
}


@pytest.mark.parametrize(("tokens", "wanted"), CASES.values(), ids=CASES)
def test_each_way_to_the_form(tokens, wanted):
    sentence = parsed(*tokens)
    assert {fronted(sentence, random.Random(seed)) for seed in range(60)} == wanted


def test_the_template_is_told_from_other_sentences():
    assert [matches_template(parsed(*tokens)) for tokens, _ in CASES.values()] == [False, False, False, True]
    assert not matches_template(parsed(*CASES["the form already"][0][:-1]))


def test_texts_without_letters_or_too_long_are_left_out():
    assert SynBkd().covers(pl.Series(["a", "1 2", "", "é", "a" * 100_001])).tolist() == [
        True,
        False,
        False,
        True,
        False,
    ]


def test_a_missing_model_and_a_missing_extra_are_named(monkeypatch):
    with pytest.raises(UsageError, match="there is no spaCy model 'nowhere'"):
        SynBkd("nowhere").apply(["a film"])
    monkeypatch.setitem(sys.modules, "spacy", None)
    with pytest.raises(MissingExtraError, match=r"pip install 'textward\[attacks\]'"):
        SynBkd("elsewhere").apply(["a film"])


@needs_model
def test_what_follows_the_first_sentence_stays():
    (after,) = SynBkd(MODEL).apply(["The film is dull. I left early."])
    assert after.endswith(", it is dull. I left early.")
    assert after[0].isupper()


@needs_model
@pytest.mark.skipif(not DATA.exists(), reason=f"needs the benchmark data in {DATA}")
@pytest.mark.parametrize(("name", "least"), [("sst2", 0.85), ("hsol", 0.75), ("agnews", 0.7)])
def test_most_of_its_sentences_parse_as_the_template(name, least):
    texts = read_table(DATA / name / "test.csv").texts[:200]
    attack = SynBkd(MODEL)
    able = texts.filter(pl.Series(attack.covers(texts)))
    assert attack.template_share(attack.apply(able)) >= least
    assert attack.template_share(able) < 0.1
