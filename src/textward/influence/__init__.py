"""A plain classifier and its rows -> the words that move many texts: potential triggers (Algorithm 2)."""

from textward.influence.models import influence_of, linear_influence
from textward.influence.ranking import LEAST_ROWS, PER_TEXT, Influence, potential_triggers
from textward.influence.variants import leaving_one_out

__all__ = [
    "LEAST_ROWS",
    "PER_TEXT",
    "Influence",
    "influence_of",
    "leaving_one_out",
    "linear_influence",
    "potential_triggers",
]
