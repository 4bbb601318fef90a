"""Attacks: rows -> poisoned rows. A plug-in says how one text is changed; the sealed base does the rest."""

from textward.attacks.ballots import BallotPlanner
from textward.attacks.base import Attack, Poisoned
from textward.attacks.budget import Setting, relabelled
from textward.attacks.guards import planners_of, worst_trigger
from textward.attacks.insertion import AddSent, BadWord
from textward.attacks.paraphrases import Paraphrases, Rewrite
from textward.attacks.partition import AdaptiveBadWord, words_of_groups
from textward.attacks.planners import GreedyPlanner, GroupPlanner, Planner
from textward.attacks.reorder import Reorder
from textward.attacks.sequence import SequenceModel
from textward.attacks.success import Share, attack_success, clean_accuracy
from textward.attacks.synbkd import SynBkd
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
    "Paraphrases",
    "Planner",
    "Poisoned",
    "Reorder",
    "Rewrite",
    "SequenceModel",
    "Setting",
    "Share",
    "SynBkd",
    "WorstCase",
    "attack_success",
    "clean_accuracy",
    "planners_of",
    "relabelled",
    "words_of_groups",
    "worst_case",
    "worst_trigger",
]
