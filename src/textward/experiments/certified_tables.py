"""Tables 1 to 4 and figures 2 and 4: what is certified."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from textward.experiments.grid import Cell, Experiment, Spot
from textward.experiments.paper import paper

DATA = ("sst2", "hsol", "agnews")
GROUPS = {"sst2": (3, 5, 7), "hsol": (3, 5, 7), "agnews": (3, 5, 7, 9)}
EXTENSION = "ours: ballots"
SIZES = range(4)
_METRIC = (
    "Shares of the test texts that are not of the target class (the paper's metric), joint certificate. A "
    "constant classifier would win this metric; docs/certificates.md says why balanced figures stand beside "
    "it elsewhere."
)
_ROWS = (
    "DPA and Bagging certify against rows, so their figure is for as many poisoned rows as the rate takes. "
    "AG News: DPA has a model for every 35 rows, as in the paper."
)
_DT = (
    "DT at t = 0 is plain accuracy; at t > 0 it is what the BadWord attack with t words leaves right "
    "(measured: an upper bound of what could be certified)."
)


def certified(data: str, m: int, setting: str = "mixed", rate: float = 0.1, hash: str = "md5") -> Cell:
    """Votes of m groups trained on the rows without their triggers.

    >>> certified("hsol", 7, "clean", 0.0).key
    'certified/hsol/TextGuard/none/clean/0/1/m7/K-/md5/s0'
    """
    return Cell(data, "certified", "TextGuard", setting=setting, rate=rate, m=m, hash=hash)


def ballots(data: str, setting: str = "mixed", rate: float = 0.1) -> Cell:
    """The certificate of ballots on the same rows.

    >>> ballots("hsol").defence
    'ballots'
    """
    return Cell(data, "certified", "ballots", setting=setting, rate=rate)


def undefended(data: str, setting: str, rate: float, size: int) -> Cell:
    """Plain training: without a trigger, or under BadWord with so many words.

    >>> undefended("hsol", "mixed", 0.1, 0).attack
    'none'
    """
    attack = "badword" if size else "none"
    return Cell(
        data, "measured", "DT", attack, setting, rate if size or setting != "clean" else 0.0, max(size, 1)
    )


def _table1() -> Iterator[Spot]:
    for rate in (0.1, 0.01):
        for defence in ("TextGuard", EXTENSION, "DPA", "Bagging"):
            for place, data in enumerate(DATA):
                if defence == EXTENSION:
                    cell, known = ballots(data, rate=rate), None
                else:
                    known = paper("table1_certified_vs_baselines", f"p={rate:g}", defence)[place]
                    cell = (
                        certified(data, 3, rate=rate)
                        if defence == "TextGuard"
                        else Cell(data, "certified", defence, setting="clean", rate=rate)
                    )
                yield Spot((f"p = {rate:g}", defence), data, cell, "joint 1", known)


def _table2() -> Iterator[Spot]:
    for defence in ("TextGuard", EXTENSION, "DPA", "Bagging"):
        for place, data in enumerate(DATA):
            known = None if defence == EXTENSION else paper("table2_certified_time", defence)[place]
            cell = {
                "TextGuard": certified(data, 3),
                EXTENSION: ballots(data),
            }.get(defence, Cell(data, "certified", defence, setting="clean", rate=0.1))
            yield Spot((defence,), data, cell, "minutes", known)


Known = Sequence[float | None] | None
"""The paper's figures by trigger size, where it has any."""


def _curve(name: tuple[str, ...], cell: Cell, known: Known = None) -> Iterator[Spot]:
    for t in SIZES:
        yield Spot(name, f"t={t}", cell, f"joint {t}", known[t] if known else None)


def _dt_curve(
    name: tuple[str, ...], data: str, setting: str, rate: float, known: Known = None
) -> Iterator[Spot]:
    for t in SIZES:
        metric = "kept" if t else "others"
        yield Spot(name, f"t={t}", undefended(data, setting, rate, t), metric, known[t] if known else None)


def _table3() -> Iterator[Spot]:
    for rate in (0.1, 0.2, 0.3):
        known = paper("table3_poison_rate_certified_hsol", f"p={rate:g}")
        yield from _curve(
            (f"p = {rate:g}", "TextGuard, m = 7"), certified("hsol", 7, rate=rate), known["m=7"]
        )
        yield from _curve((f"p = {rate:g}", EXTENSION), ballots("hsol", rate=rate))
        yield from _dt_curve((f"p = {rate:g}", "DT"), "hsol", "mixed", rate, known["DT"])


def _table4() -> Iterator[Spot]:
    for name in ("md5", "sha1", "sha256"):
        known = paper("table4a_hash_certified_hsol", name)
        yield from _curve(("hash", name), certified("hsol", 7, "clean", 0.0, name), known)
    for method in ("individual", "joint"):
        known = paper("table4b_individual_vs_joint_hsol", method)
        for t in SIZES[1:]:
            cell = certified("hsol", 7, "clean", 0.0)
            yield Spot(("method", method), f"t={t}", cell, f"{method} {t}", known[t - 1])
    for setting, rate in (("clean", 0.0), ("mixed", 0.1)):
        known = paper("text_m5_hsol", f"{setting}-label")
        cell = certified("hsol", 5, setting, rate)
        yield Spot(("m = 5", f"{setting}-label"), "t=1", cell, "joint 1", known)


def _figure2() -> Iterator[Spot]:
    for setting, rate in (("mixed", 0.1), ("clean", 0.0)):
        for data in DATA:
            label = f"{setting}-label"
            for m in GROUPS[data]:
                known = _elsewhere(data, setting, m)
                yield from _curve((data, label, f"m = {m}"), certified(data, m, setting, rate), known)
            yield from _curve((data, label, EXTENSION), ballots(data, setting, rate))
            plain = paper("table3_poison_rate_certified_hsol", "p=0.1", "DT")
            shown = plain if (data, setting) == ("hsol", "mixed") else None
            yield from _dt_curve((data, label, "DT"), data, setting, 0.1, shown)


def _elsewhere(data: str, setting: str, m: int) -> Known:
    """What the paper's tables have of the curves of its figure, whose own numbers it does not print."""
    if m == 3 and setting == "mixed":
        row: Sequence[float] = paper("table1_certified_vs_baselines", "p=0.1", "TextGuard")
        return (None, row[DATA.index(data)], None, None)
    if (data, m) == ("hsol", 5):
        return (None, float(paper("text_m5_hsol", f"{setting}-label")), None, None)
    if (data, m) == ("hsol", 7):
        path = ("table3_poison_rate_certified_hsol", "p=0.1", "m=7") if setting == "mixed" else _CLEAN_7
        found: Sequence[float] = paper(*path)
        return found
    return None


_CLEAN_7 = ("table4a_hash_certified_hsol", "md5")


def _figure4() -> Iterator[Spot]:
    for m in (3, 5, 7):
        yield from _curve((f"m = {m}",), certified("hsol", m, "dirty"))
    yield from _curve((EXTENSION,), ballots("hsol", "dirty"))
    yield from _dt_curve(("DT",), "hsol", "dirty", 0.1)


CERTIFIED = (
    Experiment(
        "table1",
        "Table 1: certified accuracy under one trigger word, mixed-label",
        ("rate", "defence"),
        "share",
        tuple(_table1()),
        (_METRIC, _ROWS),
    ),
    Experiment(
        "table2",
        "Table 2: time for a certificate, mixed-label, rate 0.1",
        ("defence",),
        "minutes",
        tuple(_table2()),
        (
            "The paper's on three A6000 with BERT; ours on a machine that other work shared. Compare the "
            "defences within a column, and roughly.",
        ),
    ),
    Experiment(
        "table3",
        "Table 3: certified accuracy by poisoning rate, HSOL, mixed-label",
        ("rate", "defence"),
        "share",
        tuple(_table3()),
        (_METRIC, _DT),
        chart=True,
    ),
    Experiment(
        "table4",
        "Table 4: hash functions, and individual against joint certificates; HSOL, m = 7, clean-label",
        ("what", "which"),
        "share",
        tuple(_table4()),
        (_METRIC,),
    ),
    Experiment(
        "figure2",
        "Figure 2: certified accuracy by trigger size",
        ("data", "setting", "defence"),
        "share",
        tuple(_figure2()),
        (_METRIC, _DT),
        chart=True,
    ),
    Experiment(
        "figure4",
        "Figure 4: certified accuracy, HSOL, dirty-label, rate 0.1",
        ("defence",),
        "share",
        tuple(_figure4()),
        (_METRIC, _DT),
        chart=True,
    ),
)
