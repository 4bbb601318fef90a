"""The fixed word order of sub-texts: a public constant, never fitted (theory P3)."""

from __future__ import annotations

import json
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

    words: list[str]

    @property
    def name(self) -> str:
        return f"a vocabulary of {len(self.words)} words, then code points"

    @classmethod
    def read(cls, path: str | Path) -> VocabularyOrder:
        """Read ``vocab.txt``, a ``tokenizer.json``, or a folder that holds either."""
        file = _vocabulary_file(Path(path))
        try:
            if file.suffix != ".json":
                return cls(file.read_text(encoding="utf-8").splitlines())
            vocabulary = json.loads(file.read_text(encoding="utf-8"))["model"]["vocab"]
            if isinstance(vocabulary, list):
                return cls([str(entry[0]) for entry in vocabulary])
            return cls(sorted(vocabulary, key=vocabulary.__getitem__))
        except (OSError, ValueError, LookupError, TypeError) as error:
            raise UsageError(
                f"no vocabulary could be read from {str(file)!r} ({error}); "
                "give a vocab.txt with one word a line, or a tokenizer.json"
            ) from error

    def rank(self, vocabulary: pl.Series) -> IntArray:
        place = {word: number for number, word in reversed(list(enumerate(self.words)))}
        beyond = len(self.words)
        return np.fromiter(
            (place.get(word, beyond + number) for number, word in enumerate(vocabulary)), np.int64, len(vocabulary)
        )


def _vocabulary_file(path: Path) -> Path:
    candidates = [path] if not path.is_dir() else [path / "vocab.txt", path / "tokenizer.json"]
    for file in candidates:
        if file.is_file():
            return file
    raise UsageError(f"no vocabulary at {str(path)!r}: looked for {', '.join(str(c) for c in candidates)}")
