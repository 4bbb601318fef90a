"""What a cell comes to, as integers: a histogram of votes, or hits; numpy alone."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from textward.experiments.grid import TARGET

IntArray = npt.NDArray[np.integer[Any]]


def histogram(votes: IntArray, gold: IntArray) -> dict[str, int]:
    """How many texts have each true label and votes: all that any certificate of votes needs.

    >>> histogram(np.array([[0, 1], [1, 1], [0, 1]]), np.array([0, 1, 0]))
    {'0:01': 2, '1:11': 1}
    """
    rows, counts = np.unique(np.column_stack([gold, votes]), axis=0, return_counts=True)
    return {
        f"{row[0]}:{''.join(map(str, row[1:]))}": count
        for row, count in zip(rows.tolist(), counts.tolist(), strict=True)
    }


def expanded(found: dict[str, int]) -> tuple[IntArray, IntArray]:
    """The votes, texts x groups, and the true labels behind a histogram, in some order.

    >>> votes, gold = expanded({"0:01": 2, "1:11": 1})
    >>> votes.tolist(), gold.tolist()
    ([[0, 1], [0, 1], [1, 1]], [0, 0, 1])
    """
    counts = np.array(list(found.values()), np.int64)
    parts = [key.split(":") for key in found]
    votes = np.array([list(map(int, digits)) for _, digits in parts], np.int64)
    gold = np.array([int(label) for label, _ in parts], np.int64)
    return np.repeat(votes, counts, axis=0), np.repeat(gold, counts)


def judged(clean: IntArray, gold: IntArray, attacked: IntArray, attacked_gold: IntArray) -> dict[str, int]:
    """Count right answers on clean texts, and what became of attacked ones, from predicted class indexes.

    >>> judged(np.array([0, 1]), np.array([0, 0]), np.array([1]), np.array([0]))["turned"]
    1
    """
    others = gold != TARGET
    return {
        "right": int((clean == gold).sum()),
        "clean": len(gold),
        "right_others": int((clean == gold)[others].sum()),
        "clean_others": int(others.sum()),
        "turned": int((attacked == TARGET).sum()),
        "kept": int((attacked == attacked_gold).sum()),
        "attacked": len(attacked_gold),
    }


def winners(votes: IntArray, classes: int) -> IntArray:
    """The class of most votes, the smaller one of equals.

    >>> winners(np.array([[1, 0], [1, 1]]), 2).tolist()
    [0, 1]
    """
    return np.asarray(np.stack([(votes == c).sum(axis=1) for c in range(classes)], axis=1).argmax(axis=1))


def found_words(
    vocabulary: list[str], omega: IntArray, counts: IntArray, planted: list[str]
) -> dict[str, Any]:
    """How many potential trigger words there are, and the texts in which planted ones are influential.

    >>> found_words(["a", "cf"], np.array([1]), np.array([0, 25]), ["cf"])
    {'omega': 1, 'vocabulary': 2, 'planted': {'cf': 25}}
    """
    place = {word: number for number, word in enumerate(vocabulary)}
    hits = {word: int(counts[place[word]]) for word in planted if word in place}
    return {"omega": len(omega), "vocabulary": len(vocabulary), "planted": hits}


def looked_at(
    plain: IntArray,
    votes: IntArray,
    gold: IntArray,
    classes: int,
    words: Callable[[int], list[tuple[str, int]]],
    most: int = 3,
) -> dict[str, Any]:
    """The first attacked texts that turn the plain classifier and not the vote: words with groups, and votes.

    >>> found = looked_at(np.array([1]), np.array([[0, 1, 0]]), np.array([0]), 2, lambda row: [("cf", 2)])
    >>> found["texts"][0]["votes"]
    [0, 1, 0]
    """
    answers = winners(votes, classes)
    held = (plain == TARGET) & (answers == gold)
    texts = [
        {
            "row": row,
            "gold": int(gold[row]),
            "plain": int(plain[row]),
            "votes": votes[row].tolist(),
            "words": words(row),
        }
        for row in np.flatnonzero(held)[:most].tolist()
    ]
    return {
        "texts": texts,
        "held": int(held.sum()),
        "attacked": len(gold),
        "turned": int((plain == TARGET).sum()),
    }
