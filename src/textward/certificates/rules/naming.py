"""Rules by the names that users write."""

from __future__ import annotations

from textward.certificates.rules.abstain import Abstain
from textward.certificates.rules.accuracy import VoteRule
from textward.certificates.rules.plurality import Plurality
from textward.certificates.rules.runoff import Runoff
from textward.certificates.rules.soft import Soft
from textward.certificates.rules.targeted import Targeted
from textward.errors import UsageError

RULES = "plurality, runoff, soft:K (such as soft:4), abstain:R (such as abstain:1) or targeted"


def rule_of(name: object, target: int | None = None) -> VoteRule:
    """Return the rule of a name; `target` is the class index that "targeted" is about.

    >>> rule_of("soft:4"), rule_of("abstain:2").name
    (Soft(k=4, needs_shares=True), 'abstain:2')
    """
    head, _, dial = str(name).partition(":")
    if name == "plurality":
        return Plurality()
    if name == "runoff":
        return Runoff()
    if name == "targeted":
        if target is None:
            raise UsageError("the rule targeted asks about one class: name it as the target")
        return Targeted(target)
    if head in ("soft", "abstain") and dial.isascii() and dial.isdigit() and 1 <= int(dial) <= 1000:
        return Soft(int(dial)) if head == "soft" else Abstain(int(dial))
    raise UsageError(f"rule must be {RULES}, got {name!r}; K and R are whole numbers of 1 to 1000")
