"""Words by the kinds of their characters: one grammar, in letters of ASCII, for every script.

A regular expression over all of Unicode is slow where scripts and signs come in turn. So each character is
first replaced by a letter for its kind.
"""

from __future__ import annotations

import sys

import numpy as np
import numpy.typing as npt
import polars as pl

from textward.words.columns import IntArray, spread

# The long vowel marks belong to no single script, yet stand inside words of Hiragana and Katakana.
_ALONE = r"[\p{Han}\p{Hiragana}\p{Katakana}ーｰ\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}]"
# The half-width voiced marks are letters by category and combine all the same.
_MARK = r"[\p{M}\p{Emoji_Modifier}\u200cﾞﾟ]"
_KINDS = (
    ("w", r"\w"),
    ("a", _ALONE),
    ("m", rf"[{_MARK}&&\w]"),
    ("b", rf"[{_ALONE}&&{_MARK}]"),
    ("e", rf"[{_MARK}--\w]"),
    ("r", r"\p{Regional_Indicator}"),
    ("z", r"\u200d"),
)
"""A letter for each kind, and what belongs to it; of several the last counts. Every other sign is "s"."""
_EMOJI = "[sre][bme]*"
_UTF_32 = "utf-32-le"
_LINE = ord("\n")  # stands between chunks, and is no kind of character
_MET = np.zeros(sys.maxunicode + 1, np.uint8)
"""The kind of every character met so far: a constant, found out bit by bit."""
_MET[_LINE] = _LINE
_WORD = rf"[ab][bme]*z*|[wmz]+|rr|{_EMOJI}(?:z{_EMOJI})*z*"


def words_of_characters(chunks: pl.Series) -> tuple[pl.Series, IntArray]:
    """Return the words of chunks without white space, one after another, and how many each chunk has.

    A word is a run of letters and digits, or a character of a script without spaces, or any other sign.

    >>> words, counts = words_of_characters(pl.Series(["noël…", "你好"]))
    >>> words.to_list(), counts.tolist()
    (['noël', '…', '你', '好'], [2, 2])
    """
    codes = np.frombuffer(chunks.str.join("\n").item().encode(_UTF_32), np.uint32)
    letters = _kinds(codes).tobytes().decode()
    found = pl.Series([letters]).str.extract_all(_WORD).list.explode(empty_as_null=False)
    starts = spread(found.str.len_bytes().to_numpy())[:-1]
    lines = np.insert(codes[codes != _LINE], starts[1:], _LINE).tobytes().decode(_UTF_32)
    words = pl.Series([lines]).str.split("\n").list.explode(empty_as_null=False)
    ends = np.searchsorted(starts, spread(chunks.str.len_chars().to_numpy()))
    return words[: len(starts)], np.diff(ends)


def ascii_words(chunks: pl.Series) -> tuple[pl.Series, IntArray]:
    """Return the same for chunks of ASCII alone, by a regular expression.

    >>> ascii_words(pl.Series(["it's"]))[0].to_list()
    ['it', "'", 's']
    """
    found = chunks.str.extract_all(r"\w+|[^\w\s]")
    return found.list.explode(empty_as_null=False), found.list.len().to_numpy()


def _kinds(codes: npt.NDArray[np.uint32]) -> npt.NDArray[np.uint8]:
    """Each character's kind; a character that was met before is not looked at again."""
    kinds: npt.NDArray[np.uint8] = _MET[codes]
    if not kinds.all():
        new = np.unique(codes[kinds == 0])
        characters = pl.Series(list(map(chr, new.tolist())))
        letters = np.full(len(new), ord("s"), np.uint8)
        for letter, members in _KINDS:
            letters[characters.str.contains(members).to_numpy()] = ord(letter)
        _MET[new] = letters
        kinds = _MET[codes]
    return kinds
