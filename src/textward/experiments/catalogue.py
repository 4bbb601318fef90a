"""Every experiment by name, the most telling first."""

from __future__ import annotations

from textward.data.messages import closest, quoted
from textward.errors import UsageError
from textward.experiments.certified_tables import CERTIFIED
from textward.experiments.grid import Experiment
from textward.experiments.measured_tables import MEASURED
from textward.experiments.special_tables import SPECIAL

EVERY = "all"
_FIRST = ("table1", "table5", "table3", "table10", "table4", "figure2", "table11")


def experiments() -> dict[str, Experiment]:
    """All of them, in the order in which they tell most.

    >>> next(iter(experiments()))
    'table1'
    """
    found = {one.name: one for one in (*CERTIFIED, *MEASURED, *SPECIAL)}
    return {name: found[name] for name in dict.fromkeys((*_FIRST, *found))}


def named(name: str) -> list[Experiment]:
    """One experiment, or all.

    >>> [one.title for one in named("table6")]
    ['Table 6: accuracy without any attack']
    """
    found = experiments()
    if name == EVERY:
        return list(found.values())
    if name not in found:
        near = closest(name, list(found))
        hint = f"did you mean {quoted(near)}?" if near else f"there are {EVERY}, {', '.join(found)}"
        raise UsageError(f"there is no experiment {quoted(name)}: {hint}")
    return [found[name]]
