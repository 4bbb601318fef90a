"""Many texts as rows of a table: words in colours, votes, radius; hostile input, so all is bounded."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import polars as pl

from textward.certificates.votes import IntArray
from textward.data.messages import visible
from textward.estimator import TextGuard
from textward.groups import BlockGroups, HashGroups
from textward.report.evaluation import Evaluation
from textward.report.examples import ballot_words, group_words
from textward.report.view import TextRow, Word

MOST_ROWS = 200
_MOST_WORDS = 40
_MOST_CHARACTERS = 120_000
_UNIT = 1024


def text_rows(guard: TextGuard, found: Evaluation, texts: pl.Series) -> tuple[TextRow, ...]:
    """Some texts of a test set, evenly spaced over it.

    >>> from textward.report.evaluation import evaluate
    >>> guard, texts = TextGuard(groups=3).fit(["good", "bad"], [1, 0]), pl.Series(["good", "bad"])
    >>> rows = text_rows(guard, evaluate(guard, texts, np.array([1, 1]), [0]), texts)
    >>> [(row.number, row.label, row.right, row.words[0].text) for row in rows]
    [(1, '1', True, 'good'), (2, '0', False, 'bad')]
    """
    chosen = spaced(len(texts), MOST_ROWS)
    cut = guard.model_.cutter.cut(texts.gather(chosen))
    colour = _Colours(guard, cut.vocabulary)
    rows: list[TextRow] = []
    room = _MOST_CHARACTERS
    for place, row in enumerate(chosen):
        words = cut.of(place)
        shown = colour.of(words[:_MOST_WORDS])
        room -= sum(len(visible(word.text)) + len(visible(word.mark)) for word in shown)
        if rows and room < 0:
            break
        rows.append(
            TextRow(
                number=row + 1,
                words=shown,
                left_out=max(0, len(words) - _MOST_WORDS),
                truth=str(found.classes[found.truth[row]]),
                label=str(found.classes[found.winners[row]]),
                right=bool(found.right[row]),
                votes=_votes(found.tally[row], ballots=guard.groups == "words"),
                radius=int(found.radius[row]),
            )
        )
    return tuple(rows)


def spaced(n: int, most: int) -> list[int]:
    """At most so many places, evenly spaced.

    >>> spaced(3, 5), spaced(10, 3)
    ([0, 1, 2], [0, 4, 9])
    """
    if n <= most:
        return list(range(n))
    return sorted({int(place) for place in np.linspace(0, n - 1, most)})


class _Colours:
    """The colour and mark of every word, found once for all texts."""

    def __init__(self, guard: TextGuard, vocabulary: pl.Series) -> None:
        names = vocabulary.to_list()
        if isinstance(guard.groups_, (HashGroups, BlockGroups)):
            marked = [
                group_words([name], [group])[0]
                for name, group in zip(names, guard.groups_.of(vocabulary).tolist(), strict=True)
            ]
        else:
            classes = guard.classes_.tolist()
            ballots = guard.tally(vocabulary) if names else np.zeros((0, len(classes)), np.int64)
            marked = [
                ballot_words([name], ballot[None, :], classes)[0]
                for name, ballot in zip(names, ballots, strict=True)
            ]
        self._words = dict(zip(names, marked, strict=True))

    def of(self, words: Sequence[str]) -> tuple[Word, ...]:
        return tuple(self._words[word] for word in words)


def _votes(tally: IntArray, *, ballots: bool) -> str:
    shown = [f"{value / _UNIT:.1f}" if ballots else str(value) for value in tally.tolist()]
    most = 12
    return " : ".join(shown[:most]) + (" …" if len(shown) > most else "")
