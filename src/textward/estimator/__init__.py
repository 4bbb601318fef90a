"""The scikit-learn face: it wires words, groups, learners and certificates together."""

from textward.estimator.empirical import MeasuredVoters, Potential
from textward.estimator.guard import GuardModel
from textward.estimator.textguard import Certificates, TextGuard
from textward.estimator.training import Training
from textward.estimator.voters import BallotVoters, Decision, HashedVoters

__all__ = [
    "BallotVoters",
    "Certificates",
    "Decision",
    "GuardModel",
    "HashedVoters",
    "MeasuredVoters",
    "Potential",
    "TextGuard",
    "Training",
]
