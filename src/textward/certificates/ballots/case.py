"""What a ballot certificate is about: the words of some texts, their ballots, and how far those can drift."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from typing import Protocol

import numpy as np
from scipy import sparse

from textward.certificates.votes import BoolArray, CountArray, IntArray

UNIT = 1024
"""One whole ballot; every ballot is an integer number of these parts."""
FAINT = 24
"""Up to so much, what a word changes in a text through its neighbours is charged to any word."""


class Bounds(Protocol):
    """The least and the greatest ballots that uncorrupted words can have once `size` words are corrupted.

    They are those of all words of a case, or of some of them, by place.
    """

    def __call__(self, size: int, some: IntArray | None = None, /) -> tuple[CountArray, CountArray]: ...


@dataclass(frozen=True, slots=True)
class BallotCase:
    """Texts x words (0 or 1), words x classes (ballots), and the bounds on ballots for a trigger size.

    A ballot lies in the simplex: no part is negative and a word's parts sum to `UNIT` at most.

    >>> case = BallotCase.fixed(np.array([[1, 1]]), np.array([[0, 1024], [200, 824]]))
    >>> case.scores.tolist(), case.winners.tolist()
    ([[200, 1848]], [1])
    """

    incidence: sparse.csr_array
    ballots: CountArray
    bounds: Bounds
    rows: int = 0
    """The rows of an attacker's own that `bounds` counts with, beside its trigger words."""
    theta: int = 0
    """The lead below which a cascade hands the text over; what is handed over counts as fallen."""
    echoes: Callable[[int, int, int], sparse.csr_array] | None = None
    """Words x words: `echoes(t, y, c)` says what a word's lead of y over c can lose by another's corruption.

    It holds while t words are corrupted, and adds up over them; None where ballots hear nothing of others.
    """

    @classmethod
    def fixed(cls, incidence: CountArray, ballots: CountArray) -> BallotCase:
        """A case whose ballots depend on their own word alone."""
        return cls(sparse.csr_array(incidence), ballots, partial(_fixed, ballots))

    @property
    def classes(self) -> int:
        """How many classes there are."""
        return int(self.ballots.shape[1])

    @property
    def scores(self) -> CountArray:
        """Texts x classes: the summed ballots."""
        return np.asarray(self.incidence @ self.ballots)

    @property
    def winners(self) -> CountArray:
        """The class with the highest score; a tie goes to the smaller class."""
        winners: CountArray = self.scores.argmax(axis=1)
        return winners

    @property
    def answered(self) -> BoolArray:
        """Whether the ballots answer each text, or hand it over."""
        answered: BoolArray = leads(self.scores) >= self.theta
        return answered

    def texts(self, chosen: CountArray) -> BallotCase:
        """The same case for some of the texts (indexes, or a mask)."""
        return replace(self, incidence=self.incidence[chosen])

    def narrowed(self, chosen: CountArray) -> BallotCase:
        """The same case for some of the texts and only the words they hold, which get other numbers.

        >>> ballots = np.array([[0, 1024], [5, 5], [1024, 0]])
        >>> case = BallotCase.fixed(np.array([[1, 0, 1], [0, 1, 1]]), ballots)
        >>> one = case.narrowed(np.array([1]))
        >>> one.incidence.toarray().tolist(), one.bounds(1)[0].tolist()
        ([[1, 1]], [[5, 5], [1024, 0]])
        """
        case = self.texts(chosen)
        if self.echoes is not None:  # they name words by their numbers
            return case
        held = np.zeros(len(self.ballots), np.bool_)
        held[case.incidence.indices] = True
        words = np.flatnonzero(held)
        columns = (np.cumsum(held) - 1).astype(case.incidence.indices.dtype)[case.incidence.indices]
        parts = case.incidence.data, columns, case.incidence.indptr
        incidence = sparse.csr_array(parts, shape=(case.incidence.shape[0], len(words)))
        bounds = _some(self.bounds, words)
        return replace(case, incidence=incidence, ballots=self.ballots[words], bounds=bounds)

    def without_echoes(self) -> BallotCase:
        """The same case for a weaker attacker, whose words change no ballot but their own."""
        return replace(self, echoes=None)


def _fixed(ballots: CountArray, _: int, some: IntArray | None = None) -> tuple[CountArray, CountArray]:
    return (ballots, ballots) if some is None else (ballots[some], ballots[some])


def _some(bounds: Bounds, words: IntArray) -> Bounds:
    """The bounds of some words, kept for the sizes asked for last."""
    kept = lru_cache(maxsize=2)(lambda size: bounds(size, words))

    def of_them(size: int, some: IntArray | None = None) -> tuple[CountArray, CountArray]:
        least, most = kept(size)
        return (least, most) if some is None else (least[some], most[some])

    return of_them


def leads(scores: IntArray) -> IntArray:
    """What parts each text's highest score from its second.

    >>> leads(np.array([[5, 3, 9], [4, 4, 0]])).tolist()
    [4, 0]
    """
    ordered = np.sort(scores, axis=1)
    lead: IntArray = ordered[:, -1] - ordered[:, -2]
    return lead


def needs(case: BallotCase, winners: CountArray, size: int) -> CountArray:
    """Texts x classes: what corruption must take from the winner's lead over each class for the text to fall.

    The lead is counted at its least while `size` words are corrupted elsewhere. A text of a cascade falls
    once its lead is below `theta`. For the winner itself the figure has no meaning and is set out of reach.

    >>> case = BallotCase.fixed(np.array([[1, 1]]), np.array([[0, 1024], [200, 824]]))
    >>> needs(case, case.winners, 0).tolist()
    [[1648, 4611686018427387904]]
    """
    least, most = case.bounds(size)
    low, high = case.incidence @ least, case.incidence @ most
    classes = np.arange(case.classes)
    lead = np.take_along_axis(low, winners[:, None], axis=1) - high
    # At a tie the smaller class wins; where there is a least lead, a tie falls short of it.
    need: CountArray = lead - case.theta + (1 if case.theta else winners[:, None] < classes)
    np.put_along_axis(need, winners[:, None], 1 << 62, axis=1)
    return need


def support(case: BallotCase, winners: CountArray, size: int, rivals: int | IntArray) -> sparse.csr_array:
    """Texts x words: what the winner's lead over a rival, one for all or each text's, loses with a word.

    Erasing a word that spoke for the rival costs less than nothing.

    >>> case = BallotCase.fixed(np.array([[1, 1]]), np.array([[0, 1024], [200, 824]]))
    >>> support(case, case.winners, 0, rivals=0).toarray().tolist()
    [[1024, 624]]
    """
    least, most = case.bounds(size)
    words = case.incidence.indices
    place, lengths = words * case.classes, np.diff(case.incidence.indptr)
    its = rivals if isinstance(rivals, int) else np.repeat(rivals, lengths)
    erased = least.ravel().take(place + np.repeat(winners, lengths)) - most.ravel().take(place + its)
    return sparse.csr_array((erased, words, case.incidence.indptr), shape=case.incidence.shape)


def losses(
    case: BallotCase, winners: CountArray, size: int, rival: int
) -> tuple[sparse.csr_array, CountArray]:
    """Texts x words: what corrupting a word takes from the winner's lead, beyond what any word is charged.

    The second is that charge, one figure per text: through its neighbours a word changes a little in very
    many texts, and what is `FAINT` or less is charged at once, for every corrupted word alike.

    >>> case = BallotCase.fixed(np.array([[1, 1]]), np.array([[0, 1024], [200, 824]]))
    >>> case = replace(case, echoes=lambda t, y, c: sparse.csr_array(np.array([[0, 9], [100, 0]])))
    >>> lost, charge = losses(case, case.winners, 1, rival=0)
    >>> lost.toarray().tolist(), charge.tolist()
    ([[1124, 633]], [0])
    """
    own = support(case, winners, size, rival)
    if case.echoes is None or size == 0:
        return own, np.zeros(len(winners), np.int64)
    lost = sparse.csr_array(own + _heard(case, winners, size, rival))
    row = np.repeat(np.arange(len(winners)), np.diff(lost.indptr))
    faint = (lost.data > 0) & (lost.data <= FAINT)
    charge = np.zeros(len(winners), np.int64)
    np.maximum.at(charge, row[faint], lost.data[faint])
    beyond = np.where(lost.data > FAINT, lost.data - charge[row], lost.data)[~faint]
    return sparse.csr_array((beyond, (row[~faint], lost.indices[~faint])), shape=lost.shape), charge


def _heard(case: BallotCase, winners: CountArray, size: int, rival: int) -> sparse.csr_array:
    """Texts x words: what the ballots of other words in the text lose by a word's corruption."""
    assert case.echoes is not None
    heard = sparse.csr_array(case.incidence.shape, dtype=np.int64)
    for winner in np.unique(winners).tolist():
        if winner != rival:
            mine = sparse.dia_array(((winners == winner).astype(np.int64)[None], [0]), (len(winners),) * 2)
            texts = sparse.csr_array(mine @ case.incidence)
            texts.eliminate_zeros()
            heard = heard + texts @ case.echoes(size, winner, rival)
    return sparse.csr_array(heard)
