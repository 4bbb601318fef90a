"""Every word its own group, with an integer ballot instead of a base model."""

from textward.certificates.ballots import UNIT
from textward.learners.ballots.counting import Counts, WordCounter
from textward.learners.ballots.formula import Dials
from textward.learners.ballots.lending import LendingDials
from textward.learners.ballots.model import AnyDials, BallotModel, from_counts, train_ballots
from textward.learners.ballots.neighbours import Neighbours
from textward.learners.ballots.steady import SteadyDials

__all__ = [
    "UNIT",
    "AnyDials",
    "BallotModel",
    "Counts",
    "Dials",
    "LendingDials",
    "Neighbours",
    "SteadyDials",
    "WordCounter",
    "from_counts",
    "train_ballots",
]
