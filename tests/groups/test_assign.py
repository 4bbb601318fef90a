"""The group of a word is a constant of the word alone (P2)."""

from __future__ import annotations

import hashlib

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from textward.errors import UsageError
from textward.groups import HASHES, EveryWord, HashGroups
from textward.words import UnicodeWords

every_hash = pytest.mark.parametrize("name", HASHES)


def plain(word: str, m: int, name: str) -> int:
    return int(hashlib.new(name, word.encode()).hexdigest(), 16) % m


@every_hash
@pytest.mark.parametrize("m", [1, 2, 3, 7, 9, 101, 65_521, 2**16])
def test_the_group_is_the_hexadecimal_digest_modulo_m(name: str, m: int) -> None:
    words = [
        "",
        "film",
        "é",
        "你",
        "\0",
        "👩\u200d👧",
        "x" * 10_000,
        *(f"word{number}" for number in range(500)),
    ]
    groups = HashGroups(m, name).of(pl.Series(words))  # type: ignore[arg-type]
    assert groups.tolist() == [plain(word, m, name) for word in words]


@every_hash
@settings(deadline=None)
@given(text=st.text(st.sampled_from("aZéÉжЖ .,'-9你")))
def test_a_word_has_one_group_in_upper_and_lower_case(name: str, text: str) -> None:
    upper, lower = (UnicodeWords().cut(pl.Series([written])) for written in (text.upper(), text.lower()))
    assert upper.vocabulary.to_list() == lower.vocabulary.to_list()
    groups = HashGroups(5, name).of(upper.vocabulary)  # type: ignore[arg-type]
    assert groups.tolist() == [plain(word.lower(), 5, name) for word in lower.vocabulary]


def test_groups_do_not_look_at_the_other_words() -> None:
    words = pl.Series([f"w{number}" for number in range(50)])
    groups = HashGroups(7).of(words)
    assert all(HashGroups(7).of(words[k : k + 1])[0] == groups[k] for k in range(50))


def test_every_word_is_its_own_group() -> None:
    assert EveryWord().of(pl.Series(["a", "b", "c"])).tolist() == [0, 1, 2]


@pytest.mark.parametrize("m", [0, -1, 1.5, 7.0, "7", None, True, 2**16 + 1])
def test_a_number_of_groups_that_is_none(m: object) -> None:
    with pytest.raises(UsageError, match="groups must be a whole number of 1 to 65,536"):
        HashGroups(m)  # type: ignore[arg-type]


def test_a_number_of_groups_from_numpy_is_one() -> None:
    words = pl.Series(["a", "b"])
    assert HashGroups(np.int64(3)).of(words).tolist() == HashGroups(3).of(words).tolist()


@pytest.mark.parametrize("name", ["MD5", "", "sha512", None, 1, "\x1b[31m"])
def test_a_hash_that_is_none(name: object) -> None:
    with pytest.raises(UsageError, match="choose one of 'md5', 'sha1', 'sha256'") as raised:
        HashGroups(3, name)  # type: ignore[arg-type]
    assert str(raised.value).isprintable()
