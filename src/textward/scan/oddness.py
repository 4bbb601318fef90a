"""How rare a word is, where a public list of words is at hand."""

from __future__ import annotations

from collections.abc import Iterable

from textward.words import VocabularyOrder


def places_in(listed: VocabularyOrder | None) -> dict[str, int]:
    """Where each word of a list stands, counted from 1.

    >>> places_in(VocabularyOrder(["the", "film"]))["film"], places_in(None)
    (2, {})
    """
    words = () if listed is None else listed.words
    return {word: number for number, word in reversed(list(enumerate(words, 1)))}


def oddest(words: Iterable[str], places: dict[str, int]) -> int | None:
    """The last place among the words; 0 where one is in no place at all, None without a list.

    >>> oddest(["the", "film"], {"the": 1, "film": 2}), oddest(["cf"], {"the": 1}), oddest(["cf"], {})
    (2, 0, None)
    """
    if not places:
        return None
    found = [places.get(word, 0) for word in words]
    return 0 if 0 in found else max(found)
