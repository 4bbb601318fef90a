"""AdamW with per-base-model clipping, as transformers' Trainer does it for one model."""

from __future__ import annotations

from typing import NamedTuple, Protocol

import torch
from torch.optim.adamw import adamw

from textward.learners.transformer.settings import BETA1, BETA2, EPSILON, Settings
from textward.learners.transformer.state import State, Trained


class Optimizer(Protocol):
    """Moves every group's weights by one step."""

    def step(self, state: State, squares: torch.Tensor | None) -> None:
        """Move the weights; ``squares`` are the groups' sums of squares over the word table's gradient."""
        ...


class _Piece(NamedTuple):
    value: torch.Tensor
    gradient: torch.Tensor
    first: torch.Tensor
    second: torch.Tensor


class PlainOptimizer:
    """The CPU's: torch's own fused AdamW, group by group, so that a group's shapes are all its own."""

    def __init__(
        self, settings: Settings, rates: torch.Tensor, bounds: list[int], step: torch.Tensor
    ) -> None:
        self.settings = settings
        self.rates = rates
        self.bounds = bounds
        self.counter = step
        self._wide: dict[torch.Tensor, torch.Tensor] = {}

    def step(self, state: State, squares: torch.Tensor | None) -> None:
        """Clip each group's gradient to its own norm, then move its weights."""
        for group in range(len(state.rest.value)):
            row = slice(group, group + 1)
            cut = state.rest.decayed
            matrices, rest = self._piece(state.matrices, row), self._piece(state.rest, row)
            decayed = [matrices, _Piece(*(t[:, :cut] for t in rest))]
            kept = _Piece(*(t[:, cut:] for t in rest))
            norms = [torch.linalg.vector_norm(piece.gradient) for piece in (*decayed, kept)]
            total = torch.stack(norms).square().sum()
            if state.table is not None and squares is not None:
                total = total + squares[group]
                decayed.append(self._piece(state.table, slice(self.bounds[group], self.bounds[group + 1])))
            factor = (self.settings.clip / (total.sqrt() + 1e-6)).clamp(max=1.0)
            for piece in (*decayed, kept):
                piece.gradient.mul_(factor)
            self._move(decayed, self.settings.weight_decay)
            self._move([kept], 0.0)
        state.refresh()

    def _piece(self, part: Trained, rows: slice) -> _Piece:
        """Some rows of a part; a gradient in bfloat16 is copied to where the last one of its kind was."""
        gradient = part.gradient
        if gradient.dtype != part.value.dtype:
            if gradient not in self._wide:
                self._wide[gradient] = torch.empty_like(part.value[:1])
            gradient = self._wide[gradient].copy_(gradient[rows])
            return _Piece(part.value[rows], gradient, part.first[rows], part.second[rows])
        return _Piece(part.value[rows], gradient[rows], part.first[rows], part.second[rows])

    def _move(self, pieces: list[_Piece], weight_decay: float) -> None:
        done = int(self.counter)
        adamw(
            [piece.value for piece in pieces],
            [piece.gradient for piece in pieces],
            [piece.first for piece in pieces],
            [piece.second for piece in pieces],
            [],
            [torch.tensor(float(done)) for _ in pieces],
            fused=True,
            amsgrad=False,
            beta1=BETA1,
            beta2=BETA2,
            lr=float(self.rates[done, 0]),
            weight_decay=weight_decay,
            eps=EPSILON,
            maximize=False,
        )
