"""The test a user's own tokenizer must pass before a certificate is given."""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import dataclass

import polars as pl

from textward.words.cutters import Cutter

CHUNKS = (
    "cf", "mn", ".", ",", "'s", "'", "n't", '"', "-", "--", "...", "?!", "$5", "3D", "http://a.b", "@x", "#tag",
    "U.S.", "e.g.", "(", ")", "A", "can", "not", "gonna", "ΑΣ", "é", "e\u0301", "\u0301", "你好", "ไทย", "👩\u200d👧",
)  # fmt: skip
SAMPLE_TEXTS = (
    "film .", "The U.S. economy ( still ) grew 3.5 % .", "can not wanna don't", "", '" quoted , text "', "ΟΔΟΣ ΑΣ",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Unstable:
    """One insertion that changed more than the inserted words."""

    text: str
    chunk: str
    changed: str

    def __str__(self) -> str:
        return f"inserting {self.chunk!r} gave {self.changed!r}, whose words are not those of {self.text!r} and {self.chunk!r}"


def unstable_example(cutter: Cutter, texts: list[str], seed: int = 0, limit: int = 64) -> Unstable | None:
    """Insert chunks at every gap of sample texts; return the first insertion that changes another word.

    >>> from textward.words import CustomWords
    >>> unstable_example(CustomWords(str.split), ["a b"]) is None
    True
    >>> print(unstable_example(CustomWords(lambda text: [text]), ["a b"]).chunk != "")
    True
    """
    rng = random.Random(seed)
    sample = [*SAMPLE_TEXTS, *rng.sample(texts, min(limit, len(texts)))]
    trials = [
        (text, chunk, _insert(text, chunk, gap))
        for text in sample
        for gap in range(len(text.split()) + 1)
        for chunk in [*rng.sample(CHUNKS, 6), "".join(chr(rng.randrange(33, 0x250)) for _ in range(3))]
        if chunk.split() == [chunk]
    ]
    words = cutter.cut(pl.Series([part for trial in trials for part in trial], dtype=pl.String))
    for number, (text, chunk, changed) in enumerate(trials):
        before, inserted, after = (Counter(words.of(3 * number + k)) for k in range(3))
        if before + inserted != after:
            return Unstable(text, chunk, changed)
    return None


def _insert(text: str, chunk: str, gap: int) -> str:
    chunks = text.split()
    return " ".join([*chunks[:gap], chunk, *chunks[gap:]])
