"""Tables 5 to 12 and 16 to 19, and figure 3: accuracy, and how often an attack gets its way."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from textward.experiments.certified_tables import DATA, certified
from textward.experiments.grid import Cell, Experiment, Spot
from textward.experiments.paper import paper

GROUPS = {"sst2": 9, "hsol": 7, "agnews": 9}
LEAST_ROWS = {"sst2": 20, "hsol": 20, "agnews": 10}
DEFENCES = ("TextGuard", "DT", "BKI", "STRIP", "ONION", "RAP", "R-Adapter")
WORDS = ("badword", "addsent")
ATTACKS = (*WORDS, "synbkd")
_ASR = (
    "CACC: accuracy on clean test texts. ASR: share of attacked texts of other classes that get the target. "
    "Measured."
)
_NEEDS = (
    "RAP and R-Adapter look into an encoder: they have no figure where the learner is linear. ONION weighs "
    "words by the training texts' own bigrams, not by GPT-2."
)
_SYN = (
    "SynBkd: SST-2 has the authors' own paraphrases, which last for a clean-label rate of 0.1; the others "
    "are rewritten by rules over a dependency parse (textward poison --attack synbkd), which is a weaker "
    "trigger."
)
_STYLE = "StyleBkd needs ready-made style transfers; HSOL has none here, so its cells fail and say so."


def measured(
    data: str, attack: str, setting: str, rate: float, defence: str = "TextGuard", **more: object
) -> Cell:
    """A measured cell with the paper's settings of TextGuard's empirical mode.

    >>> measured("sst2", "badword", "mixed", 0.1).m
    9
    """
    cell = Cell(data, "measured", defence, attack, setting, rate)
    if defence == "TextGuard":
        cell = replace(cell, m=GROUPS[data], K=LEAST_ROWS[data])
    if (data, attack, setting) == ("sst2", "synbkd", "clean"):
        cell = replace(cell, rate=min(rate, 0.1))
    return replace(cell, **more)  # type: ignore[arg-type]


def _pairs(
    name: tuple[str, ...], cells: Sequence[tuple[str, Cell]], known: Sequence[float] | None
) -> Iterator[Spot]:
    """CACC and ASR of each cell, side by side."""
    for place, (title, cell) in enumerate(cells):
        for offset, (what, metric) in enumerate((("CACC", "cacc"), ("ASR", "asr"))):
            figure = None if known is None else known[2 * place + offset]
            yield Spot(name, f"{title} {what}", cell, metric, figure)


def _attacks(
    data: str, setting: str, rate: float, defence: str = "TextGuard", **more: object
) -> list[tuple[str, Cell]]:
    return [(attack, measured(data, attack, setting, rate, defence, **more)) for attack in ATTACKS]


def _table5() -> Iterator[Spot]:
    for setting, rate in (("mixed", 0.1), ("clean", 0.2)):
        for data in DATA:
            for defence in DEFENCES:
                known = paper("table5_empirical", f"{setting}-label p={rate:g}", data, defence)
                yield from _pairs(
                    (f"{setting}-label", data, defence), _attacks(data, setting, rate, defence), known
                )


def _table6() -> Iterator[Spot]:
    for defence in DEFENCES:
        for place, data in enumerate(DATA):
            known = paper("table6_clean_training_accuracy", defence)[place]
            yield Spot((defence,), data, measured(data, "none", "clean", 0.0, defence), "cacc", known)


def _table7() -> Iterator[Spot]:
    for defence in DEFENCES:
        for place, data in enumerate(DATA):
            cell = measured(data, "badword", "mixed", 0.1, defence)
            known = paper("table7_empirical_cost", defence)[place]
            yield Spot(("seconds", defence), data, cell, "seconds", known)
    for metric in ("cpu_seconds", "peak_mib", "gpu_seconds", "gpu_mib"):
        for defence in DEFENCES:
            for data in DATA:
                cell = measured(data, "badword", "mixed", 0.1, defence)
                yield Spot((metric.replace("_", " "), defence), data, cell, metric)


def _table8() -> Iterator[Spot]:
    for setting, rates in (("mixed", (0.1, 0.2, 0.3)), ("clean", (0.2, 0.3, 0.4))):
        for rate in rates:
            known = paper("table8_poison_rate_empirical_hsol", f"{setting}-label", f"{rate:g}")
            yield from _pairs((f"{setting}-label", f"p = {rate:g}"), _attacks("hsol", setting, rate), known)


def _table9() -> Iterator[Spot]:
    for name, attack in (("original", "together"), ("adaptive", "adaptive")):
        cells = [
            (f"{setting}-label", measured("hsol", attack, setting, rate, words=3))
            for setting, rate in (("mixed", 0.1), ("clean", 0.2))
        ]
        yield from _pairs((name,), cells, paper("table9_adaptive_hsol", name))


def _table10() -> Iterator[Spot]:
    for setting, rate, clean_rate in (("mixed", 0.1, 0.1), ("clean", 0.2, 0.0)):
        known = paper("table10_certified_vs_empirical_hsol", f"{setting}-label")
        label = f"{setting}-label"
        for t in (1, 2, 3):
            cell = measured("hsol", "adaptive", setting, rate, words=t)
            yield Spot((label, "empirical"), f"t={t}", cell, "not-asr", known["empirical"][t - 1])
            proven = certified("hsol", 7, setting, clean_rate)
            yield Spot((label, "certified"), f"t={t}", proven, f"joint {t}", known["certified"][t - 1])
            attacked = replace(cell, K=None)
            yield Spot((label, "the certified model, attacked"), f"t={t}", attacked, "not-asr")


def _table11() -> Iterator[Spot]:
    table = "table11_semantic_preserving_hsol"
    yield from _pairs(("with",), _attacks("hsol", "mixed", 0.1), paper(table, "with"))
    yield from _pairs(("without",), _attacks("hsol", "mixed", 0.1, K=None), paper(table, "without"))


def _table12() -> Iterator[Spot]:
    for least in (0, 20, 50):
        known = paper("table12_trigger_identification_K_hsol", f"K={least}")
        yield from _pairs((f"K = {least}",), _attacks("hsol", "mixed", 0.1, K=least), known)


def _table16() -> Iterator[Spot]:
    for m in (3, 5, 7):
        cell = measured("hsol", "synbkd", "mixed", 0.1, m=m)
        yield from _pairs((f"m = {m}",), [("synbkd", cell)], paper("table16_synbkd_groups_hsol", f"m={m}"))


def _table17() -> Iterator[Spot]:
    for name in ("md5", "sha1", "sha256"):
        known = paper("table17_hash_empirical_hsol", name)
        yield from _pairs((name,), _attacks("hsol", "mixed", 0.1, hash=name), known)


def _table18() -> Iterator[Spot]:
    for data in DATA:
        for defence in DEFENCES:
            cells = [
                (f"{setting}-label", measured(data, "stylebkd", setting, rate, defence))
                for setting, rate in (("mixed", 0.1), ("clean", 0.2))
            ]
            yield from _pairs((data, defence), cells, paper("table18_style", data, defence))


def _table19() -> Iterator[Spot]:
    for defence in DEFENCES:
        known = paper("table19_dirty_label_hsol", defence)
        yield from _pairs((defence,), _attacks("hsol", "dirty", 0.1, defence), known)


def _figure3() -> Iterator[Spot]:
    known = paper("table10_certified_vs_empirical_hsol", "mixed-label", "empirical")
    for metric, title in (("cacc", "CACC"), ("asr", "ASR")):
        for m in (7, 5, 3):
            for t in (1, 2, 3):
                cell = measured("hsol", "adaptive", "mixed", 0.1, m=m, words=t)
                figure = 1 - known[t - 1] if (m, metric) == (7, "asr") else None
                yield Spot((title, f"m = {m}"), f"t={t}", cell, metric, figure)


MEASURED = (
    Experiment(
        "table5",
        "Table 5: attacks and defences",
        ("setting", "data", "defence"),
        "share",
        tuple(_table5()),
        (_ASR, _NEEDS, _SYN),
    ),
    Experiment(
        "table6",
        "Table 6: accuracy without any attack",
        ("defence",),
        "share",
        tuple(_table6()),
        (_ASR, _NEEDS),
    ),
    Experiment(
        "table7",
        "Table 7: what each defence costs, BadWord, mixed-label",
        ("what", "defence"),
        "seconds or MiB",
        tuple(_table7()),
        (
            "The paper's on three A6000. GPU seconds are those for which one GPU was held; peak memory is "
            "the whole process's, so what was loaded before counts. Seconds are of the wall, and grow where "
            "other work shares the machine, as it did for the linear records: compare their CPU seconds.",
        ),
    ),
    Experiment(
        "table8",
        "Table 8: TextGuard by poisoning rate, HSOL",
        ("setting", "rate"),
        "share",
        tuple(_table8()),
        (_ASR, _SYN),
    ),
    Experiment(
        "table9",
        "Table 9: three trigger words of one group, and of three groups; HSOL",
        ("attack",),
        "share",
        tuple(_table9()),
        (_ASR,),
    ),
    Experiment(
        "table10",
        "Table 10: certified against what an adaptive attack leaves, HSOL, m = 7",
        ("setting", "what"),
        "share",
        tuple(_table10()),
        (
            "Empirical: 1 - ASR of the adaptive attack on the empirical mode. The third line attacks the "
            "certified model itself, which the certificate is about.",
        ),
        chart=True,
    ),
    Experiment(
        "table11",
        "Table 11: with and without semantic preserving, HSOL",
        ("semantic preserving",),
        "share",
        tuple(_table11()),
        (_ASR, "Without it: the certified mode's groups and sub-texts.", _SYN),
    ),
    Experiment(
        "table12",
        "Table 12: the least rows K of a potential trigger word, HSOL",
        ("K",),
        "share",
        tuple(_table12()),
        (_ASR, _SYN),
    ),
    Experiment(
        "table16",
        "Table 16: SynBkd by number of groups, HSOL",
        ("groups",),
        "share",
        tuple(_table16()),
        (_ASR, _SYN),
    ),
    Experiment(
        "table17",
        "Table 17: hash functions of the empirical mode, HSOL",
        ("hash",),
        "share",
        tuple(_table17()),
        (_ASR, _SYN),
    ),
    Experiment(
        "table18",
        "Table 18: StyleBkd",
        ("data", "defence"),
        "share",
        tuple(_table18()),
        (_ASR, _NEEDS, _STYLE),
    ),
    Experiment(
        "table19",
        "Table 19: dirty-label, HSOL, rate 0.1",
        ("defence",),
        "share",
        tuple(_table19()),
        (_ASR, _NEEDS, _SYN),
    ),
    Experiment(
        "figure3",
        "Figure 3: the adaptive attack on HSOL by groups and trigger words",
        ("what", "groups"),
        "share",
        tuple(_figure3()),
        (_ASR,),
        chart=True,
    ),
)
