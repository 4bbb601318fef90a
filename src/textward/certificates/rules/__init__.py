"""Vote rules: each says who wins, and counts its own worst case.

>>> outcome = Outcome.of(np.array([[0, 0, 0, 1, 1]]), classes=3)
>>> forcing(outcome, Reach.plain(5)).tolist()
[[0, 1, 3]]
"""

from textward.certificates.rules.abstain import Abstain
from textward.certificates.rules.accuracy import RuleTest, VoteRule, decide, forcing, rule_accuracy
from textward.certificates.rules.naming import rule_of
from textward.certificates.rules.outcome import SHARE, Outcome
from textward.certificates.rules.plurality import Plurality
from textward.certificates.rules.reach import Reach, RowReach
from textward.certificates.rules.runoff import Runoff
from textward.certificates.rules.soft import Soft
from textward.certificates.rules.stand import Condition, Stand
from textward.certificates.rules.targeted import Targeted

__all__ = [
    "SHARE",
    "Abstain",
    "Condition",
    "Outcome",
    "Plurality",
    "Reach",
    "RowReach",
    "RuleTest",
    "Runoff",
    "Soft",
    "Stand",
    "Targeted",
    "VoteRule",
    "decide",
    "forcing",
    "rule_accuracy",
    "rule_of",
]
