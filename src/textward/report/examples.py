"""One text -> its words in the colours of their groups, every group's vote, and the answer.

Texts and words are hostile input: what is too long is cut; the renderer escapes.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from textward.certificates.votes import IntArray
from textward.report.view import ClassScore, Example, GroupVote, Word

COLOURS = 9
_MOST_CHARACTERS = 1_200
_MOST_WORDS = 240
_MOST_WORD_CHARACTERS = 48
_UNIT = 1024
# A ballot that leans by less than a twentieth of a whole one is shown as neutral.
_NEUTRAL = _UNIT // 20


def group_words(words: Sequence[str], groups: Sequence[int]) -> tuple[Word, ...]:
    """Words marked with the one group that sees each.

    >>> [(word.text, word.mark, word.colour) for word in group_words(["a", "film"], [2, 8])]
    [('a', '2', 2), ('film', '8', 8)]
    """
    shown = zip(words[:_MOST_WORDS], groups[:_MOST_WORDS], strict=True)
    return tuple(Word(_short(word), str(group), group % COLOURS) for word, group in shown)


def ballot_words(words: Sequence[str], ballots: IntArray, classes: Sequence[object]) -> tuple[Word, ...]:
    """Words marked with the class their ballot leans to, and by how much of a whole ballot.

    >>> found = ballot_words(["the", "fun"], np.array([[510, 512], [100, 900]]), ["bad", "good"])
    >>> [(word.text, word.mark, word.colour) for word in found]
    [('the', '', None), ('fun', 'good +0.78', 1)]
    """
    found = []
    for word, ballot in zip(words[:_MOST_WORDS], np.asarray(ballots)[:_MOST_WORDS], strict=True):
        first = int(ballot.argmax())
        lean = int(ballot[first] - np.delete(ballot, first).max())
        neutral = lean < _NEUTRAL
        mark = "" if neutral else f"{_short(str(classes[first]))} +{lean / _UNIT:.2f}"
        found.append(Word(_short(word), mark, None if neutral else first % COLOURS))
    return tuple(found)


def group_votes(votes: Sequence[int], winner: int, classes: Sequence[object]) -> tuple[GroupVote, ...]:
    """Each group's vote.

    >>> [vote.for_winner for vote in group_votes([1, 0], 1, ["bad", "good"])]
    [True, False]
    """
    return tuple(
        GroupVote(group, _short(str(classes[vote])), vote == winner, group % COLOURS)
        for group, vote in enumerate(votes)
    )


def class_scores(
    tally: Sequence[int], winner: int, classes: Sequence[object], *, ballots: bool
) -> tuple[ClassScore, ...]:
    """What each class received: votes, or ballots.

    >>> [score.score for score in class_scores([512, 1536], 1, ["bad", "good"], ballots=True)]
    ['0.50 ballots', '1.50 ballots']
    """
    total = max(sum(tally), 1)
    return tuple(
        ClassScore(
            _short(str(name)), _score(int(score), ballots), round(int(score) / total, 4), number == winner
        )
        for number, (name, score) in enumerate(zip(classes, tally, strict=True))
    )


def shown_text(text: str) -> tuple[str, int]:
    """The text as far as it is shown, and how many characters were left out.

    >>> shown_text("a" * 1201)[1]
    1
    """
    return text[:_MOST_CHARACTERS], max(0, len(text) - _MOST_CHARACTERS)


def left_out(words: Sequence[str]) -> int:
    """How many words are not shown.

    >>> left_out(["word"] * 250)
    10
    """
    return max(0, len(words) - _MOST_WORDS)


def _score(score: int, ballots: bool) -> str:
    if ballots:
        return f"{score / _UNIT:.2f} ballots"
    return f"{score:,} vote{'s' * (score != 1)}"


def _short(text: str) -> str:
    return text if len(text) <= _MOST_WORD_CHARACTERS else text[: _MOST_WORD_CHARACTERS - 1] + "…"


__all__ = [
    "Example",
    "ballot_words",
    "class_scores",
    "group_votes",
    "group_words",
    "left_out",
    "shown_text",
]
