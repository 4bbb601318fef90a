"""What the paper says in words, each a function over the records: holds, does not hold, or no records."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from textward.experiments.certified_tables import DATA, GROUPS, certified, undefended
from textward.experiments.grid import Cell
from textward.experiments.measured_tables import ATTACKS, measured
from textward.experiments.metrics import Value, value
from textward.experiments.records import Run, Store
from textward.experiments.tables import records_of, titled

NEARLY_NOTHING, MINOR = 0.05, 0.05
LITTLE = 0.15
"""The paper's own largest figure of DPA and Bagging is 0.124."""
_SETTINGS = (("mixed", 0.1), ("clean", 0.0))


@dataclass(frozen=True, slots=True)
class Finding:
    """One comparison that a claim rests on.

    >>> Finding("SST-2: 0.02 <= 0.05", True).held
    True
    """

    figures: str
    held: bool


@dataclass(frozen=True, slots=True)
class Claim:
    """One sentence of the paper, and what the records say of it.

    >>> Claim("dt", "DT falls.", (Finding("0.02", True), Finding("0.3", False))).verdict
    'does not hold (1 of 2)'
    """

    name: str
    sentence: str
    findings: tuple[Finding, ...]

    @property
    def verdict(self) -> str:
        """Whether all of it holds, some of it, or nothing is known."""
        if not self.findings:
            return "no records"
        held = sum(finding.held for finding in self.findings)
        if held == len(self.findings):
            return f"holds ({held} of {held})"
        return f"does not hold ({held} of {len(self.findings)})"

    @property
    def holds(self) -> bool | None:
        """Whether every comparison came out; None without one."""
        return all(finding.held for finding in self.findings) if self.findings else None


Test = Callable[[Store, Run], Iterator[Finding]]


def claims(store: Store, run: Run) -> list[Claim]:
    """Every claim, judged by the records of one backbone.

    >>> from pathlib import Path
    >>> {claim.verdict for claim in claims(Store(Path("nowhere")), Run())}
    {'no records'}
    """
    return [Claim(name, sentence, tuple(test(store, run))) for name, (sentence, test) in CLAIMS.items()]


def _of(store: Store, run: Run, cell: Cell, metric: str) -> Value | None:
    records = records_of(cell, store, run)
    return value(records, metric) if records else None


def _compared(
    label: str, left: Value | None, sign: str, right: Value | float | None, slack: float = 0.0
) -> Iterator[Finding]:
    """One finding, where both figures are there."""
    other = right.mean if isinstance(right, Value) else right
    if left is None or other is None:
        return
    held = left.mean <= other + slack if sign == "≤" else left.mean >= other - slack
    if sign == ">":
        held = left.mean > other
    yield Finding(f"{label}: {left.mean:.3f} {sign} {other:.3f}", held)


def _plain_falls(store: Store, run: Run) -> Iterator[Finding]:
    for data in DATA:
        left = _of(store, run, undefended(data, "mixed", 0.1, 1), "kept")
        yield from _compared(titled(data), left, "≤", NEARLY_NOTHING)


def _certifies(store: Store, run: Run) -> Iterator[Finding]:
    for setting, rate in _SETTINGS:
        for data in DATA:
            for m in GROUPS[data]:
                most = (m - 1) // 2
                found = _of(store, run, certified(data, m, setting, rate), f"joint {most}")
                yield from _compared(f"{titled(data)}, {setting}-label, m={m}, t={most}", found, ">", 0.0)


def _more_groups(store: Store, run: Run) -> Iterator[Finding]:
    for setting, rate in _SETTINGS:
        for data in DATA:
            few, many = (certified(data, m, setting, rate) for m in (GROUPS[data][0], GROUPS[data][-1]))
            name = f"{titled(data)}, {setting}-label, m={many.m} against {few.m}"
            for t, sign in ((2, ">"), (0, "≤")):
                left, right = (_of(store, run, cell, f"joint {t}") for cell in (many, few))
                yield from _compared(f"{name}, t={t}", left, sign, right)


def _rows_certify_little(store: Store, run: Run) -> Iterator[Finding]:
    for rate in (0.01, 0.1):
        for defence in ("DPA", "Bagging"):
            for data in DATA:
                cell = Cell(data, "certified", defence, setting="clean", rate=rate)
                found = _of(store, run, cell, "joint 1")
                yield from _compared(f"{defence}, {titled(data)}, p={rate:g}", found, "≤", LITTLE)


def _joint(store: Store, run: Run) -> Iterator[Finding]:
    for setting, rate in _SETTINGS:
        for data in DATA:
            for m in GROUPS[data]:
                cell = certified(data, m, setting, rate)
                both = [_of(store, run, cell, f"{method} 1") for method in ("joint", "individual")]
                yield from _compared(f"{titled(data)}, {setting}-label, m={m}, t=1", both[0], "≥", both[1])


def _hash(store: Store, run: Run) -> Iterator[Finding]:
    for t in range(4):
        found = [_of(store, run, certified("hsol", 7, "clean", 0.0, h), f"joint {t}") for h in HASHES]
        known = [one.mean for one in found if one is not None]
        if len(known) == len(HASHES):
            apart = max(known) - min(known)
            yield Finding(f"HSOL, t={t}: {apart:.3f} apart ≤ {MINOR:g}", apart <= MINOR)


def _empirical(store: Store, run: Run) -> Iterator[Finding]:
    for setting, rate, clean in (("mixed", 0.1, 0.1), ("clean", 0.2, 0.0)):
        for t in (1, 2, 3):
            cell = measured("hsol", "adaptive", setting, rate, words=t)
            proven = _of(store, run, certified("hsol", 7, setting, clean), f"joint {t}")
            for name, one in (("empirical mode", cell), ("certified model", replace(cell, K=None))):
                left = _of(store, run, one, "not-asr")
                yield from _compared(f"{name}, {setting}-label, t={t}", left, "≥", proven)


def _preserving(store: Store, run: Run) -> Iterator[Finding]:
    for attack in ATTACKS:
        cells = [measured("hsol", attack, "mixed", 0.1, K=K) for K in (20, None)]
        for metric, sign in (("cacc", "≥"), ("asr", "≤")):
            left, right = (_of(store, run, cell, metric) for cell in cells)
            yield from _compared(f"{attack} {metric.upper()}, with against without", left, sign, right)


def _least_rows(store: Store, run: Run) -> Iterator[Finding]:
    for attack in ATTACKS:
        low, high = (measured("hsol", attack, "mixed", 0.1, K=K) for K in (0, 50))
        left, right = (_of(store, run, cell, "cacc") for cell in (high, low))
        yield from _compared(f"{attack} CACC, K=50 against 0", left, "≥", right)
    low, high = (measured("hsol", "synbkd", "mixed", 0.1, K=K) for K in (0, 50))
    left, right = (_of(store, run, cell, "asr") for cell in (high, low))
    yield from _compared("synbkd ASR, K=50 against 0", left, "≥", right)


def _style(store: Store, run: Run) -> Iterator[Finding]:
    for data in DATA:
        left, right = (
            _of(store, run, measured(data, attack, "mixed", 0.1), "asr") for attack in ("stylebkd", "badword")
        )
        yield from _compared(f"TextGuard, {titled(data)}, ASR of StyleBkd against BadWord", left, ">", right)


def _rate(store: Store, run: Run) -> Iterator[Finding]:
    cells = [certified("hsol", 7, rate=rate) for rate in (0.1, 0.2, 0.3)]
    for low, high in pairwise(cells):
        left, right = (_of(store, run, cell, "joint 1") for cell in (high, low))
        yield from _compared(f"HSOL, t=1, p={high.rate:g} against {low.rate:g}", left, "≤", right)


def _adaptive(store: Store, run: Run) -> Iterator[Finding]:
    for setting, rate in (("mixed", 0.1), ("clean", 0.2)):
        left, right = (
            _of(store, run, measured("hsol", attack, setting, rate, words=3), "asr")
            for attack in ("adaptive", "together")
        )
        yield from _compared(f"HSOL, {setting}-label, ASR of three groups against one", left, "≥", right)


HASHES: Sequence[str] = ("md5", "sha1", "sha256")
CLAIMS: dict[str, tuple[str, Test]] = {
    "plain-falls": ("Plain training (DT) falls to about 0 under one trigger word.", _plain_falls),
    "certifies": ("TextGuard certifies more than 0 up to floor((m - 1) / 2) trigger words.", _certifies),
    "more-groups": ("More groups bear larger triggers, at lower accuracy without one.", _more_groups),
    "rows-certify-little": ("DPA and Bagging certify next to nothing at p >= 0.01.", _rows_certify_little),
    "joint": ("The joint certificate is never below the individual one.", _joint),
    "hash": ("The choice of the hash matters little.", _hash),
    "rate": ("Certified accuracy falls with the poisoning rate.", _rate),
    "empirical": ("What attacks leave is never below what is certified.", _empirical),
    "adaptive": ("Trigger words in several groups do more than words of one.", _adaptive),
    "preserving": ("Semantic preserving gives higher accuracy and lower success of attacks.", _preserving),
    "least-rows": ("A larger K gives higher accuracy, and leaves more to SynBkd.", _least_rows),
    "style": ("StyleBkd is hard: it succeeds more often than BadWord.", _style),
}  # fmt: skip


def linear_reason(name: str, store: Store) -> str:
    """Why a claim fails with the linear learners, where the records themselves say why.

    >>> from pathlib import Path
    >>> linear_reason("joint", Store(Path("nowhere")))
    ''
    """
    if name == "hash":
        apart = []
        for t in (0, 1):
            cells = [certified("hsol", 7, "clean", 0.0, h) for h in HASHES]
            found = [_of(store, Run(), cell, f"joint {t} all") for cell in cells]
            known = [one.mean for one in found if one is not None]
            apart.append(f"{max(known) - min(known):.3f} at t={t}" if known else "?")
        return (
            "The paper's metric leaves the target class out, and with naive Bayes the partition moves texts "
            f"from one class to the other; over all texts the hashes lie {' and '.join(apart)} apart."
        )
    if name == "preserving":
        return (
            "Naive Bayes reads no order, so there is nothing to preserve: giving every group all the other "
            "words only makes the groups err alike. Attacks do succeed less."
        )
    if name == "least-rows":
        return (
            "At K = 0 every word is in one group alone, as in the certified mode, which suits naive Bayes "
            "better than groups that share most words; for an encoder, which needs the context, it is the "
            "other way."
        )
    return ""
