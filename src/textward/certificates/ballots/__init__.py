"""Certificates for ballots: integers in, proven counts out."""

from textward.certificates.ballots.accuracy import ballots_accuracy
from textward.certificates.ballots.case import UNIT, BallotCase
from textward.certificates.ballots.individual import ballot_radii, ballot_stands
from textward.certificates.ballots.joint import (
    BallotLimits,
    balancing_weights,
    ballot_joint_table,
    ballot_one_model,
)

__all__ = [
    "UNIT",
    "BallotCase",
    "BallotLimits",
    "balancing_weights",
    "ballot_joint_table",
    "ballot_one_model",
    "ballot_radii",
    "ballot_stands",
    "ballots_accuracy",
]
