"""Which rows make up which batch: each group's own shuffle, of its seed, the epoch and the row count."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch

from textward.learners.transformer.encoder import Encoded, IntArray
from textward.learners.transformer.operations import Words


@dataclass(frozen=True, slots=True, eq=False)
class Corpus:
    """The groups' sub-datasets on the device, tokens as rows of one word table.

    ``used[g]`` names the tokens that group g's table rows ``bounds[g]`` to ``bounds[g + 1]`` hold: a token
    that none of the group's texts holds never gets a gradient, so it needs no row. The last row is padding.
    """

    tokens: torch.Tensor
    lengths: torch.Tensor
    labels: torch.Tensor
    used: list[IntArray]
    bounds: list[int]

    @property
    def rows(self) -> int:
        """The number of texts."""
        return self.lengths.shape[1]


def corpus_of(encoded: Sequence[Encoded], labels: IntArray, device: torch.device) -> Corpus:
    """Put the groups' tokens together, each group's rows of the word table after the other's.

    >>> texts = Encoded(np.array([[5, 9], [5, 0]]), np.array([2, 1]))
    >>> corpus = corpus_of([texts], np.array([0, 1]), torch.device("cpu"))
    >>> corpus.tokens.tolist(), [used.tolist() for used in corpus.used], corpus.bounds
    ([[[0, 1], [0, 2]]], [[5, 9]], [0, 2])
    """
    used: list[IntArray] = []
    bounds = [0]
    placed = np.zeros((len(encoded), *encoded[0].tokens.shape), np.int32)
    real = [np.arange(e.tokens.shape[1]) < e.lengths[:, None] for e in encoded]
    for group, texts in enumerate(encoded):
        tokens, place = np.unique(texts.tokens[real[group]], return_inverse=True)
        placed[group][real[group]] = place + bounds[-1]
        used.append(tokens)
        bounds.append(bounds[-1] + len(tokens))
    for group in range(len(encoded)):
        placed[group][~real[group]] = bounds[-1]
    lengths = np.stack([e.lengths for e in encoded]).astype(np.int32)
    return Corpus(
        torch.from_numpy(placed).to(device),
        torch.from_numpy(lengths).to(device),
        torch.from_numpy(labels.astype(np.int64)).to(device),
        used,
        bounds,
    )


@dataclass(frozen=True, slots=True, eq=False)
class EpochPlan:
    """Every batch of one epoch; the first side of each tensor is the step.

    ``share`` weighs the rows of a batch for the loss; a last batch that is not full has rows of weight 0.
    """

    tokens: torch.Tensor
    lengths: torch.Tensor
    labels: torch.Tensor
    share: torch.Tensor
    order: torch.Tensor
    runs: torch.Tensor

    def at(self, step: torch.Tensor) -> tuple[Words, torch.Tensor, torch.Tensor]:
        """Return the words, labels and weights of one step; the step lives on the device."""
        tokens, lengths, labels, share, order, runs = (
            part.index_select(0, step)[0]
            for part in (self.tokens, self.lengths, self.labels, self.share, self.order, self.runs)
        )
        return Words(tokens, lengths, order, runs), labels, share

    def refill(self, plan: EpochPlan) -> None:
        """Take over another epoch's batches in place, for a captured graph reads this memory."""
        for mine, other in zip(self._parts(), plan._parts(), strict=True):
            mine.copy_(other)

    def _parts(self) -> tuple[torch.Tensor, ...]:
        return (self.tokens, self.lengths, self.labels, self.share, self.order, self.runs)


def shuffled(rows: int, batch: int, seed: int, epoch: int) -> IntArray:
    """Return one group's row numbers, batch by batch; -1 fills the last batch.

    >>> sorted(shuffled(3, 2, seed=0, epoch=0).ravel().tolist())
    [-1, 0, 1, 2]
    """
    steps = -(-rows // batch)
    order = np.full(steps * batch, -1, np.int64)
    order[:rows] = np.random.default_rng([seed, epoch]).permutation(rows)
    return order.reshape(steps, batch)


def plan_epoch(corpus: Corpus, batch: int, seeds: Sequence[int], epoch: int) -> EpochPlan:
    """Lay out every batch of an epoch."""
    device = corpus.tokens.device
    chosen = torch.from_numpy(np.stack([shuffled(corpus.rows, batch, seed, epoch) for seed in seeds], 1)).to(
        device
    )
    real = chosen >= 0
    chosen = chosen.clamp(min=0)
    groups = torch.arange(len(seeds), device=device)[None, :, None]
    tokens = corpus.tokens[groups, chosen]
    flat = tokens.flatten(2)
    ranked, order = flat.sort(dim=-1, stable=True)
    ends = torch.searchsorted(ranked, ranked, right=True)
    place = torch.arange(flat.shape[-1], device=device)
    begins = torch.ones_like(ranked, dtype=torch.bool)
    begins[..., 1:] = ranked[..., 1:] != ranked[..., :-1]
    begins &= ranked < corpus.bounds[-1]
    runs = torch.where(begins, ends - place, 0)
    share = real.float() / real.sum(-1, keepdim=True)
    return EpochPlan(
        tokens,
        corpus.lengths[groups, chosen],
        corpus.labels[chosen],
        share,
        order.to(torch.int32),
        runs.to(torch.int32),
    )
