"""Perplexity: how surprising a text is to a language model."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

import numpy as np
import polars as pl

from textward.attacks.pretrained import pretrained
from textward.defences.models import FloatArray
from textward.words import WhitespaceWords, Words
from textward.words.columns import IntArray


@runtime_checkable
class LanguageModel(Protocol):
    """Tells how surprising each text is, whatever the other texts are."""

    def perplexity(self, texts: Sequence[str]) -> FloatArray: ...


@dataclass(frozen=True)
class Bigrams:
    """A bigram model of the chunks of some texts, for want of a neural one: offline, and fast.

    A pair of chunks counts once less than it was seen (absolute discounting by one), so that a text in which
    a pair stands for the only time does not vouch for it. What that leaves over goes to single chunks,
    discounted and smoothed alike.

    >>> model = Bigrams.of(pl.Series(["a good film", "a good book", "a dull film"]))
    >>> model.perplexity(["a good film", "film good a"]).round(1).tolist()
    [2.4, 9.2]
    """

    vocabulary: pl.Series
    codes: IntArray
    """The pairs seen, sorted: first chunk times the number of chunks, plus the second."""
    counts: IntArray
    single: FloatArray
    """The probability of each chunk by itself; the end and an unknown chunk stand last."""
    left_over: FloatArray
    """What the pairs that begin with each chunk leave over."""
    followed: IntArray

    @classmethod
    def of(cls, texts: pl.Series) -> Bigrams:
        """Count the pairs of these texts."""
        words = WhitespaceWords().cut(texts)
        size = len(words.vocabulary) + 2
        first, second, _ = _pairs(words, words.ids.astype(np.int64), size)
        codes, counts = np.unique(first * size + second, return_counts=True)
        followed = np.bincount(first, minlength=size)
        kinds = np.bincount(codes // size, minlength=size)
        seen = np.bincount(second, minlength=size)
        kept = np.maximum(seen - 1, 0)
        single = (kept + 1.0) / (kept.sum() + size)
        left_over = np.where(followed > 0, kinds / np.maximum(followed, 1), 1.0)
        return cls(words.vocabulary, codes, counts, single, left_over, followed)

    def perplexity(self, texts: Sequence[str]) -> FloatArray:
        """Return the perplexity of each text, its end included."""
        words = WhitespaceWords().cut(pl.Series(texts, dtype=pl.String))
        size = len(self.vocabulary) + 2
        places = self.vocabulary.to_frame("word").with_row_index("place")
        known = words.vocabulary.to_frame("word").join(places, on="word", how="left", maintain_order="left")
        ids = known["place"].fill_null(size - 1).to_numpy().astype(np.int64)[words.ids]
        first, second, text = _pairs(words, ids, size)
        logs = np.log(self._probability(first, second, size))
        return np.asarray(np.exp(-np.bincount(text, logs) / np.bincount(text)))

    def _probability(self, first: IntArray, second: IntArray, size: int) -> FloatArray:
        code = first * size + second
        place = np.minimum(np.searchsorted(self.codes, code), max(len(self.codes) - 1, 0))
        seen = np.where(self.codes[place] == code, self.counts[place], 0)
        pair = np.maximum(seen - 1, 0) / np.maximum(self.followed[first], 1)
        probability: FloatArray = pair + self.left_over[first] * self.single[second]
        return probability


def _pairs(words: Words, ids: IntArray, size: int) -> tuple[IntArray, IntArray, IntArray]:
    """Neighbouring chunks, the ends of texts among them, and the text of each pair."""
    edge = size - 2
    lengths = np.diff(words.offsets)
    text = np.repeat(np.arange(len(words)), lengths + 1)
    at = np.arange(len(ids)) + np.repeat(np.arange(len(words)), lengths)
    first, second = np.full(len(text), edge), np.full(len(text), edge)
    second[at] = ids
    first[at + 1] = ids
    return first, second, text


@dataclass(frozen=True)
class CausalModel:
    """A folder with a causal language model that transformers loads; needs the extra `transformers`.

    Texts of one length in tokens share a batch, so nothing is padded and no text's perplexity depends on
    another's. Of a text longer than the model reads its beginning counts; one without a token to predict
    is infinitely surprising.

    >>> CausalModel("gpt2/").batch
    32
    """

    folder: str | Path
    batch: int = 32
    device: str = "cpu"

    def perplexity(self, texts: Sequence[str]) -> FloatArray:
        """Return the perplexity of each text given its start."""
        tokenizer, model = self._loaded
        start = tokenizer.bos_token_id if tokenizer.bos_token_id is not None else tokenizer.eos_token_id
        most = int(getattr(model.config, "max_position_embeddings", 1024))
        encoded = tokenizer(list(texts), add_special_tokens=False)["input_ids"]
        ids = [([start, *tokens] if start is not None else tokens)[:most] for tokens in encoded]
        place = {tokens: number for number, tokens in enumerate(dict.fromkeys(map(tuple, ids)))}
        by_length: dict[int, list[tuple[int, ...]]] = {}
        for tokens in place:
            by_length.setdefault(len(tokens), []).append(tokens)
        found = np.full(len(place), np.inf)
        for length, alike in by_length.items():
            for low in range(0, len(alike) if length > 1 else 0, self.batch):
                part = alike[low : low + self.batch]
                found[[place[tokens] for tokens in part]] = self._of_equal_lengths(part)
        return found[[place[tuple(tokens)] for tokens in ids]]

    def _of_equal_lengths(self, ids: list[tuple[int, ...]]) -> FloatArray:
        import torch

        _, model = self._loaded
        tokens = torch.tensor(ids, device=self.device)
        with torch.inference_mode():
            logits = model(tokens).logits[:, :-1].float()
            logs = logits.log_softmax(-1).gather(-1, tokens[:, 1:, None])[..., 0].double()
        return np.asarray(logs.mean(dim=1).neg().exp().cpu().numpy())

    @cached_property
    def _loaded(self) -> tuple[Any, Any]:
        return pretrained(self.folder, "language model", self.device, lambda config: "AutoModelForCausalLM")
