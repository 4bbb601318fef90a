"""Options that are more than a word or a number."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from textward.data.messages import quoted, visible
from textward.errors import UsageError
from textward.groups import design_of

MOST_WORDS = 1_000
METRICS = ("balanced", "all", "non-target")


def row_numbers(text: str | None) -> tuple[int, ...]:
    """The numbers of rows above 0 that a list names, in rising order.

    >>> row_numbers("10,0,1"), row_numbers(None)
    ((1, 10), ())
    """
    parts = [] if text is None else text.split(",")
    if not all(re.fullmatch(r"\s*[0-9]{1,7}\s*", part) for part in parts):
        raise UsageError(f"--rows {quoted(str(text))}: give a list of numbers such as 0,1,5,10")
    return tuple(sorted({int(part) for part in parts} - {0}))


def trigger_sizes(text: str) -> tuple[int, ...]:
    """The sizes that a range or a list names, in rising order.

    >>> trigger_sizes("0-3"), trigger_sizes("5,0,1")
    ((0, 1, 2, 3), (0, 1, 5))
    """
    found: set[int] = set()
    for part in text.split(","):
        ends = re.fullmatch(r"\s*([0-9]{1,6})\s*(?:-\s*([0-9]{1,6})\s*)?", part)
        if ends is None:
            raise UsageError(
                f"--trigger-sizes {quoted(text)}: give a range such as 0-5, or a list such as 0,1,3"
            )
        first, last = int(ends[1]), int(ends[2] or ends[1])
        if last < first or last > MOST_WORDS:
            wrong = "runs backwards" if last < first else f"goes past {MOST_WORDS:,} words"
            raise UsageError(f"--trigger-sizes {quoted(text)}: {quoted(part)} {wrong}; give one such as 0-5")
        found.update(range(first, last + 1))
    return tuple(sorted(found))


@dataclass(frozen=True, slots=True)
class Threshold:
    """A certified accuracy that must be reached at a trigger size.

    >>> Threshold.of("0.6@1")
    Threshold(share=0.6, size=1)
    """

    share: float
    size: int

    @classmethod
    def of(cls, text: str) -> Threshold:
        """Read SHARE@WORDS."""
        parts = re.fullmatch(r"\s*(0|1|[01]?\.[0-9]+|[01]\.)\s*@\s*([0-9]{1,4})\s*", text)
        if parts is None or float(parts[1]) > 1:
            raise UsageError(
                f"--min-certified-accuracy {quoted(text)}: give a share from 0 to 1, @, and a number of "
                "trigger words, such as 0.6@1"
            )
        return cls(float(parts[1]), int(parts[2]))


def group_count(groups: str | None, learner: str | None) -> tuple[int | str, str]:
    """What to group by and what to train, where one may follow from the other.

    >>> group_count(None, "ballots"), group_count("words", None), group_count(None, None)
    (('words', 'ballots'), ('words', 'ballots'), (7, 'linear'))
    """
    by_word = groups == "words"
    design = groups is not None and not by_word and not re.fullmatch(r"[1-9][0-9]*", groups)
    if design and groups is not None:
        try:
            design_of(groups)
        except UsageError as error:
            raise UsageError(
                f"--groups {quoted(groups)}: give a whole number such as 7, or words, or a design. {error}"
            ) from error
    if learner == "ballots" and groups is not None and not by_word:
        raise UsageError(
            f"--learner ballots makes every word a group of its own, and --groups {groups} asks for {groups} "
            "groups. Leave --groups out, or choose --learner linear."
        )
    if by_word and learner not in (None, "ballots"):
        raise UsageError(
            f"--groups words makes every word a group of its own, which --learner {quoted(str(learner))} "
            "cannot train. Leave --learner out, or give a number of groups."
        )
    if by_word or learner == "ballots":
        return "words", "ballots"
    return groups if design and groups else int(groups or 7), learner or "linear"


def class_value(text: str, classes: list[str | int], option: str = "--target") -> str | int:
    """The class that a text on the command line names.

    >>> class_value("1", [0, 1])
    1
    """
    by_name = {str(name): name for name in classes}
    if text not in by_name:
        known = ", ".join(quoted(name) for name in by_name)
        raise UsageError(f"{option} {quoted(text)}: there is no such class; the classes are {known}")
    return by_name[text]


def writable_file(path: Path | None, option: str, *read: str | None) -> None:
    """Refuse, before any work is done, a file that could not be written after it, or one that is `read`.

    >>> writable_file(Path("page.html"), "--out")
    """
    if path is None:
        return
    named = f"{option} {visible(str(path))}"
    if path.is_dir():
        raise UsageError(f"{named}: is a folder. Name a file in it.")
    if not path.absolute().parent.is_dir():
        raise UsageError(f"{named}: there is no such folder. Make it, or name another file.")
    for source in read:
        if source not in (None, "-") and path.resolve() == Path(source).resolve():
            raise UsageError(f"{named}: is read here, and would be lost. Name another file.")
