"""Counts to certificates: per text, over the whole test set, and for ballots; integers only.

>>> labels, radius = radii(np.array([[0, 0, 0, 0, 1]]), classes=2)
>>> labels.tolist(), radius.tolist()
([0], [1])
"""

from textward.certificates.accuracy import CertifiedAccuracy, Figure, from_counts, populations, votes_accuracy
from textward.certificates.intervals import clopper_pearson, wilson
from textward.certificates.joint import JointCount, Limits, joint_certified, joint_survivors, joint_table
from textward.certificates.votes import individual_certified, radii, tally

__all__ = [
    "CertifiedAccuracy",
    "Figure",
    "JointCount",
    "Limits",
    "clopper_pearson",
    "from_counts",
    "individual_certified",
    "joint_certified",
    "joint_survivors",
    "joint_table",
    "populations",
    "radii",
    "tally",
    "votes_accuracy",
    "wilson",
]
