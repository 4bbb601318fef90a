"""What a guarantee covers and what it does not, in plain sentences for people."""

from __future__ import annotations

from textward.certificates.ballots import UNIT
from textward.estimator.empirical import MeasuredVoters
from textward.estimator.guard import GuardModel
from textward.estimator.voters import BallotVoters, HashedVoters
from textward.groups import HashGroups
from textward.learners.ballots import LendingDials

_WORDS = {
    "unicode": (
        "A word is a run of letters and digits, or one other sign, or one character of a script without "
        "spaces (Han, Hiragana, Katakana, Thai, Lao, Khmer, Myanmar); upper and lower case are the same word."
    ),
    "whitespace": "A word is whatever stands between white space; upper and lower case are the same word.",
}


def assumptions(model: GuardModel) -> list[str]:
    """Return the sentences that belong beside every figure of this model.

    >>> from textward import TextGuard
    >>> guard = TextGuard(groups=3).fit(["good", "bad"], [1, 0])
    >>> len(guard.assumptions()) > 3
    True
    """
    if model.obstacle is not None:
        return [f"No certificate: {model.obstacle}", *_measured(model), *_SCOPE]
    return [_CLAIM, _words(model), _voters(model), *_rule(model), *_split(model), *_cascade(model), *_SCOPE]


def _rule(model: GuardModel) -> list[str]:
    voters = model.voters
    if not isinstance(voters, HashedVoters) or voters.rule == "plurality":
        return []
    return [f"Votes become an answer by the rule {voters.rule}, whose own worst case the radius counts."]


_CLAIM = (
    "A radius of t means: had the training rows and the text differed in any t distinct words or fewer, put "
    "in between white space anywhere and any number of times, with the words in any order, the label would "
    "be the same."
)
_SCOPE = [
    "Rows and labels: the other training set has the same rows with the same labels, less the trigger words. "
    "Rows that were added, removed or rewritten, and labels that were changed, are not covered, save where a "
    "figure says how many rows it allows for.",
    "Words that were deleted, misspelt or glued to others ('goodcf' for 'good') are not covered; a trigger "
    "phrase counts as many words as it has distinct ones.",
]


def _measured(model: GuardModel) -> list[str]:
    voters = model.voters
    if not isinstance(voters, MeasuredVoters):
        return []
    return [
        f"{len(voters.groups.omega):,} potential trigger words lie in one of {voters.groups.m} groups each, "
        f"by {voters.groups.hash.upper()} of the word; all other words lie in every group. What this "
        "withstands is measured by attacks, and another attack may do better."
    ]


def _words(model: GuardModel) -> str:
    known = _WORDS.get(model.cutter.name)
    if known is not None:
        return known
    return (
        f"A word is what the user's tokenizer {model.cutter.name} makes one. It passed the stability check, "
        "which tries many insertions and proves nothing: the certificate takes it to be stable."
    )


def _voters(model: GuardModel) -> str:
    voters = model.voters
    if not isinstance(voters, HashedVoters):
        return (
            "Every word is a group of its own and casts a bounded ballot; what a trigger word can do to the "
            f"ballots of other words, through the median that centres them all{_lending(voters)}, is counted."
        )
    return (
        f"{_groups(voters)}; order of a group's words: {voters.order.name}. Every base model is taken to "
        "depend on its own group's words, the labels and its seed alone, and to give the same bits each "
        "time; anything pretrained in it is trusted"
        f"{_trusted(voters.ensemble)}."
    )


def _cascade(model: GuardModel) -> list[str]:
    cascade = model.cascade
    if cascade is None:
        return []
    return [
        f"Where the ballots lead by less than {cascade.theta / UNIT:g} whole ballots, a classifier of whole "
        "texts answers, and of its answers nothing is certified: one trigger word may turn them. A radius of "
        "1 or more is the ballots' own answer, which no trigger within the radius changes or hands over.",
        "The lead asked for is taken to have been fixed without a look at the training rows.",
    ]


def _groups(voters: HashedVoters) -> str:
    groups = voters.groups
    by = f"by {groups.hash.upper()} of the word"
    if isinstance(groups, HashGroups):
        return f"{groups.m} groups {by}"
    return (
        f"{groups.m} base models, each of which reads several of {groups.design.buckets} buckets, {by}, as "
        f"the design {groups.design.name} has it; a trigger word corrupts every model that reads its bucket"
    )


def _split(model: GuardModel) -> list[str]:
    """How the rows are split, and what rows an attacker's number stands for."""
    voters = model.voters
    if not isinstance(voters, HashedVoters) or voters.row_groups is None:
        return []
    parts = voters.row_groups.parts
    if voters.row_groups.by == "place":
        return [
            f"Row i teaches the base models of part i modulo {parts} only. A figure for r rows is about rows "
            "rewritten or relabelled in their place; a row put in or taken out before the last would move "
            "others, and is not covered."
        ]
    return [
        f"In each group a row teaches one of {parts} base models, by SHA-256 of its words in that group. A "
        "figure for r rows is about rows added, deleted, rewritten or relabelled at will."
    ]


def _lending(voters: object) -> str:
    dials = voters.model.dials if isinstance(voters, BallotVoters) else None
    if not isinstance(dials, LendingDials):
        return ""
    return (
        f" and through the list of neighbours (SHA-256 {dials.neighbours.digest[:12]}), which is taken to be "
        "public and to depend on no training row"
    )


def _trusted(ensemble: object) -> str:
    encoder: str | None = getattr(ensemble, "trusted", None)
    return "" if encoder is None else f": {encoder}"
