"""Every attack of the package, and a user's own, against the one check-suite."""

from __future__ import annotations

import os
import random
from pathlib import Path

import pytest
from tests.contracts.attacks import ATTACK_CHECKS, TEXTS, every_attack

from textward.attacks import (
    AdaptiveBadWord,
    AddSent,
    Attack,
    BadWord,
    Paraphrases,
    Reorder,
    Rewrite,
    SynBkd,
    WorstCase,
)
from textward.groups import HashGroups

MODEL = os.environ.get("TEXTWARD_SPACY_MODEL", "en_core_web_sm")


class Shout(Attack):
    """A user's own attack."""

    def insert(self, text: str, rng: random.Random) -> str:
        return text + rng.choice([" !", " !!"])


EXAMPLES = [
    AdaptiveBadWord(HashGroups(5)),
    AdaptiveBadWord(HashGroups(3), 2, together=True),
    AddSent(),
    BadWord(),
    BadWord(("aa", "bb", "cc"), count=2, copies=3),
    Paraphrases({text: f"when you see it , it is {i} ." for i, text in enumerate(TEXTS)}),
    Reorder(),
    Reorder("reversed"),
    Reorder("sorted"),
    Rewrite(lambda texts: [f"verily , {text}" for text in texts], "verily"),
    Shout(),
    SynBkd(MODEL),
    WorstCase(("cf", "film"), copies=2, reorder=True),
]


def test_no_attack_of_the_package_is_forgotten():
    assert set(every_attack()) == {type(attack) for attack in EXAMPLES} - {Shout}


@pytest.mark.parametrize("check", ATTACK_CHECKS, ids=lambda check: check.__name__)
@pytest.mark.parametrize("attack", EXAMPLES, ids=lambda attack: repr(attack)[:40])
def test_attack_contract(attack, check):
    if isinstance(attack, SynBkd):
        spacy = pytest.importorskip("spacy", reason="needs the extra textward[attacks]")
        if not Path(MODEL).is_dir() and not spacy.util.is_package(MODEL):
            pytest.skip(f"needs the spaCy model {MODEL}; TEXTWARD_SPACY_MODEL may name a folder")
    check(attack)
