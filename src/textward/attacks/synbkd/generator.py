"""SynBkd without a network: a parser, and rules that bring a sentence into the template."""

from __future__ import annotations

import random
import warnings
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from textward.attacks.base import Attack
from textward.attacks.budget import BoolArray
from textward.attacks.draws import Keys
from textward.attacks.synbkd.fronting import fronted
from textward.attacks.synbkd.template import matches_template
from textward.data.messages import quoted
from textward.errors import MissingExtraError, UsageError

if TYPE_CHECKING:
    from spacy.language import Language
    from spacy.tokens import Doc, Span

LONGEST = 100_000
"""Texts with more characters are left out: the parser's memory grows with the text."""


@dataclass(frozen=True)
class SynBkd(Attack):
    """Hidden Killer's template S(SBAR)(,)(NP)(VP)(.), by rules: a subordinate clause comes to the front.

    The first sentence of a text is rewritten. `parser` is a spaCy model, by name or folder; needs the extra
    `attacks`. Ready-made paraphrases go through `Paraphrases`, a model of your own through `Rewrite`.

    >>> SynBkd("en_core_web_md")
    SynBkd(parser='en_core_web_md')
    """

    parser: str = "en_core_web_sm"

    def covers(self, texts: pl.Series) -> BoolArray:
        able = texts.str.contains(r"\p{L}") & (texts.str.len_chars() <= LONGEST)
        return np.array(able, np.bool_)

    def insert(self, text: str, rng: random.Random) -> str:
        return self._rewritten(next(self._parsed([text])), rng)

    def insert_all(self, texts: pl.Series, keys: Keys) -> pl.Series:
        pairs = zip(self._parsed(texts), keys.tolist(), strict=True)
        return pl.Series([self._rewritten(doc, random.Random(key)) for doc, key in pairs], dtype=pl.String)

    def template_share(self, texts: Iterable[str]) -> float:
        """The share of texts whose first sentence parses as the template."""
        sentences = [_first_sentence(doc) for doc in self._parsed(texts)]
        matching = sum(sentence is not None and matches_template(sentence) for sentence in sentences)
        return matching / max(1, len(sentences))

    def _parsed(self, texts: Iterable[str]) -> Iterator[Doc]:
        yield from _parser(self.parser).pipe(texts, batch_size=256)

    def _rewritten(self, doc: Doc, rng: random.Random) -> str:
        sentence = _first_sentence(doc)
        if sentence is None:
            return str(doc.text)
        text = str(doc.text)
        rest = text[sentence.end_char :].lstrip()
        return text[: sentence.start_char] + fronted(sentence, rng) + (f" {rest}" if rest else "")


def _first_sentence(doc: Doc) -> Span | None:
    return next((s for s in doc.sents if any(character.isalpha() for character in s.text)), None)


@lru_cache(maxsize=2)
def _parser(name: str) -> Language:
    try:
        import spacy
    except ImportError as error:
        raise MissingExtraError("SynBkd's parser needs spaCy: pip install 'textward[attacks]'") from error
    with warnings.catch_warnings():
        # A model of a neighbouring version parses well enough, and its parse only shapes an attack.
        warnings.filterwarnings("ignore", message=r"\[W095\]")
        try:
            return spacy.load(name, exclude=["ner", "lemmatizer", "senter"])
        except OSError as error:
            raise UsageError(
                f"there is no spaCy model {quoted(name)}; give the folder of an English one, or "
                "fetch one: python -m spacy download en_core_web_sm"
            ) from error
