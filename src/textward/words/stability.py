"""The test a user's own tokenizer must pass before a certificate is given.

A cutter is insertion-stable exactly if the words of every text are, as a multiset, the words of its chunks,
each cut by itself: a text is made of its chunks by insertions, and each may add its own words only.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

from textward.data.messages import listing, quoted
from textward.words.columns import Words
from textward.words.cutters import Cutter, series_of

CHUNKS = (
    "cf", "mn", ".", ",", "'s", "'", "n't", '"', "-", "--", "...", "?!", "$5", "3D", "http://a.b", "@x",
    "#tag", "U.S.", "e.g.", "(", ")", "A", "can", "not", "gonna", "ΑΣ", "é", "e\u0301", "\u0301", "İ", "ß",
    "你好", "ไทย", "שלום", "\U0001f469\u200d\U0001f467", "\u200b", "\u202eabc", "\ufeff", "\0",
)  # fmt: skip
SAMPLE_TEXTS = (
    "film .",
    "The U.S. economy ( still ) grew 3.5 % .",
    "can not wanna don't",
    "",
    " \t\n",
    '" quoted , text "',
    "ΟΔΟΣ ΑΣ",
    "New York and San Francisco",
    "very very very good",
)
SPACES = (" ", " ", " ", "  ", "\n", "\r\n", "\t", "\u00a0", "\u2028", "\u3000", "\x1c", "\x85")
_LONGEST = 4**7
_LONGEST_CHUNK = 40
_WHOLE_TEXTS = 1_000
_GAPS = 24


@dataclass(frozen=True, slots=True)
class Unstable:
    """One text whose words are not those of its chunks, and why."""

    text: str
    why: str

    def __str__(self) -> str:
        return (
            f"{quoted(self.text)} {self.why}. A tokenizer is stable if it is deterministic and is called on "
            "each chunk of text.split() by itself"
        )


def unstable_example(cutter: Cutter, texts: list[str], seed: int = 0, limit: int = 64) -> Unstable | None:
    """Cut many texts twice, and their chunks alone; return the shortest text where the words differ.

    >>> from textward.words import CustomWords
    >>> unstable_example(CustomWords(str.split), ["a b"]) is None
    True
    >>> unstable_example(CustomWords(lambda text: text.replace(" .", ".").split()), ["a b"]).text
    'film .'
    """
    trials = sorted({*_trials(texts, random.Random(seed), limit)}, key=lambda text: (len(text), text))
    chunks = sorted({chunk for text in trials for chunk in text.split()})
    whole, again = cutter.cut(series_of(trials)), cutter.cut(series_of(trials[::-1]))
    alone = _counts(cutter.cut(series_of(chunks)))
    of_chunk = dict(zip(chunks, alone, strict=True))
    for text, first, second in zip(trials, _counts(whole), reversed(_counts(again)), strict=True):
        if first != second:
            return Unstable(text, "was cut into other words when it was cut again")
        expected: Counter[str] = Counter()
        for chunk in text.split():
            expected.update(of_chunk[chunk])
        if first != expected:
            gained, lost = _some(first - expected), _some(expected - first)
            return Unstable(text, f"holds {gained} when cut whole, but {lost} when cut chunk by chunk")
    return None


def _counts(words: Words) -> list[Counter[str]]:
    flat = words.vocabulary.gather(words.ids).to_list()
    return [Counter(flat[low:high]) for low, high in pairwise(words.offsets.tolist())]


def _some(words: Counter[str]) -> str:
    return listing(sorted(words)[:5]) or "no other word"


def _trials(texts: list[str], rng: random.Random, limit: int) -> Iterator[str]:
    """Texts as they are, with a chunk inserted at a gap, in another order, and longer and longer ones."""
    whole = [*SAMPLE_TEXTS, *(text[:_LONGEST] for text in rng.sample(texts, min(_WHOLE_TEXTS, len(texts))))]
    yield from whole
    seen = {chunk: None for text in whole for chunk in text.split() if len(chunk) <= _LONGEST_CHUNK}
    pool = [*CHUNKS, *seen]
    for text in whole[: len(SAMPLE_TEXTS) + limit]:
        chunks = text.split()[: 2 * _GAPS]
        for gap in rng.sample(range(len(chunks) + 1), min(_GAPS, len(chunks) + 1)):
            scribble = "".join(chr(rng.randrange(33, 0x250)) for _ in range(3)).split()
            for chunk in (rng.choice(CHUNKS), rng.choice(pool), *scribble):
                yield _written([*chunks[:gap], chunk, *chunks[gap:]], rng)
        yield _written(rng.sample(chunks, len(chunks)), rng)
    length = 1
    while length <= _LONGEST:
        yield _written(rng.choices(pool, k=length), rng)
        length *= 4


def _written(chunks: list[str], rng: random.Random) -> str:
    """The chunks as one text: mostly plain blanks, sometimes other white space."""
    if rng.random() < 0.8:
        return " ".join(chunks)
    return "".join(piece for chunk in chunks for piece in (rng.choice(SPACES), chunk)) + rng.choice(SPACES)
