"""The fixed word order of sub-texts: a public constant, never fitted (theory P3)."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar, Protocol

import numpy as np
import polars as pl

from textward.errors import UsageError
from textward.words.columns import IntArray


class WordOrder(Protocol):
    """Ranks words by a constant."""

    @property
    def name(self) -> str: ...
    def rank(self, vocabulary: pl.Series) -> IntArray:
        """Return a sort key for each word of a vocabulary that is sorted by code points."""
        ...


@dataclass(frozen=True, slots=True)
class CodePointOrder:
    """Words by their code points.

    >>> CodePointOrder().rank(pl.Series(["a", "b"])).tolist()
    [0, 1]
    """

    name: ClassVar[str] = "code points"

    def rank(self, vocabulary: pl.Series) -> IntArray:
        return np.arange(len(vocabulary))


@dataclass(frozen=True, slots=True)
class VocabularyOrder:
    """Words by their place in a public vocabulary such as BERT's, then by code points.

    >>> VocabularyOrder(["film", "bad"]).rank(pl.Series(["bad", "film", "zzz"])).tolist()
    [1, 0, 4]
    """

    words: Sequence[str]

    @property
    def name(self) -> str:
        """Which vocabulary this is, by a digest of its words in order.

        >>> VocabularyOrder(["film", "bad"]).name
        'vocabulary of 2 words, SHA-256 0b41e5486d1aa389, then code points'
        """
        digest = hashlib.sha256(json.dumps(list(self.words)).encode()).hexdigest()
        return f"vocabulary of {len(self.words):,} words, SHA-256 {digest[:16]}, then code points"

    @classmethod
    def read(cls, path: str | Path) -> VocabularyOrder:
        """Read ``vocab.txt``, a ``tokenizer.json``, or a folder that holds either."""
        file = _vocabulary_file(Path(path))
        try:
            content = file.read_text(encoding="utf-8")
            words = _words_of_json(content) if file.suffix == ".json" else _words_of_lines(content)
        except (OSError, ValueError, LookupError, TypeError, RecursionError) as error:
            raise UsageError(
                f"no vocabulary could be read from {str(file)!r} ({type(error).__name__}: {error}); "
                "give a vocab.txt with one word a line, or a tokenizer.json"
            ) from error
        if not words:
            raise UsageError(f"the vocabulary {str(file)!r} is empty; give a vocab.txt with one word a line")
        return cls(words)

    def rank(self, vocabulary: pl.Series) -> IntArray:
        place = {word: number for number, word in reversed(list(enumerate(self.words)))}
        ranks = (place.get(word, len(self.words) + number) for number, word in enumerate(vocabulary))
        return np.fromiter(ranks, np.int64, len(vocabulary))


def _words_of_lines(content: str) -> list[str]:
    # Not splitlines(): a vocabulary may hold a line separator as a word.
    return content.removesuffix("\n").split("\n") if content else []


def _words_of_json(content: str) -> list[str]:
    vocabulary = json.loads(content)["model"]["vocab"]
    if isinstance(vocabulary, list):
        words = [entry[0] for entry in vocabulary]
    elif isinstance(vocabulary, dict):
        words = sorted(vocabulary, key=vocabulary.__getitem__)
    else:
        raise TypeError("the vocabulary is neither a list nor an object")
    if not all(isinstance(word, str) for word in words):
        raise TypeError("a word of the vocabulary is no string")
    return words


def _vocabulary_file(path: Path) -> Path:
    candidates = [path] if not path.is_dir() else [path / "vocab.txt", path / "tokenizer.json"]
    for file in candidates:
        if file.is_file():
            return file
    looked = ", ".join(repr(str(candidate)) for candidate in candidates)
    raise UsageError(f"no vocabulary at {str(path)!r}: looked for {looked}")
