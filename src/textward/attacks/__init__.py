"""Attacks: rows -> poisoned rows. A plug-in says how one text is changed; the sealed base does the rest."""

from textward.attacks.ballots import BallotPlanner
from textward.attacks.base import Attack, Poisoned
from textward.attacks.budget import Setting, relabelled
from textward.attacks.insertion import AddSent, BadWord
from textward.attacks.partition import AdaptiveBadWord, words_of_groups
from textward.attacks.planners import GreedyPlanner, GroupPlanner, Planner
from textward.attacks.reorder import Reorder
from textward.attacks.worst import Assault, WorstCase, worst_case

__all__ = [
    "AdaptiveBadWord",
    "AddSent",
    "Assault",
    "Attack",
    "BadWord",
    "BallotPlanner",
    "GreedyPlanner",
    "GroupPlanner",
    "Planner",
    "Poisoned",
    "Reorder",
    "Setting",
    "WorstCase",
    "relabelled",
    "words_of_groups",
    "worst_case",
]
