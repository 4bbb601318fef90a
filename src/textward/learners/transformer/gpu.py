"""The operations and the optimizer on a GPU: the same meaning as the plain ones, one kernel each."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from contextvars import ContextVar
from itertools import pairwise
from typing import Any

import torch
import triton

from textward.learners.transformer import gpu_kernels as kernels
from textward.learners.transformer.noise import threshold
from textward.learners.transformer.operations import Drop, Kept, Words
from textward.learners.transformer.settings import BETA1, BETA2, EPSILON, Settings
from textward.learners.transformer.state import State, Trained

ROWS = 8
FLAT = 2048
SUMMED = 16384
_rehearsing: ContextVar[bool] = ContextVar("rehearsing", default=False)


def _dropping(drop: Drop, like: torch.Tensor) -> tuple[Any, ...]:
    """The kernels' arguments for dropout; anything may stand for what is not read."""
    if drop.noise is None or drop.rate == 0:
        return like, like, 0, 0, 1.0
    return drop.noise.seeds, drop.noise.step, drop.site, threshold(drop.rate), 1 / (1 - drop.rate)


def _block(width: int) -> int:
    return max(16, int(triton.next_power_of_2(width)))


@contextmanager
def rehearsal() -> Iterator[bool]:
    """Inside, launches only compile, many kernels at a time; False where this Triton cannot do that."""
    try:
        from triton.runtime._async_compile import AsyncCompileMode
    except ImportError:
        yield False
        return
    with ThreadPoolExecutor() as pool, AsyncCompileMode(pool):
        token = _rehearsing.set(True)
        try:
            yield True
        finally:
            _rehearsing.reset(token)


def _run(kernel: Any, grid: tuple[int, ...], *arguments: Any, **flags: Any) -> None:
    if _rehearsing.get():
        kernel.warmup(*arguments, grid=grid, **flags)
    else:
        kernel[grid](*arguments, **flags)


def _divisor(width: int) -> int:
    """The largest power of two up to 1024 that cuts the width without a remainder worth speaking of."""
    return next((block for block in (1024, 512, 256) if width % block == 0), 256)


class FusedOperations:
    """PlainOperations on a GPU."""

    def drop(self, x: torch.Tensor, drop: Drop) -> torch.Tensor:
        """Drop elements of x and scale up the rest."""
        if not drop.active:
            return x
        x = x.contiguous()
        out = torch.empty_like(x)
        count = x[0].numel()
        grid = (triton.cdiv(count, 1024), len(x))
        _run(kernels.drop_kernel, grid, x, out, *_dropping(drop, x), count, BLOCK=1024)
        return out

    def embed(
        self,
        words: Words,
        table: torch.Tensor,
        position: torch.Tensor,
        token_type: torch.Tensor | None,
        norm: torch.Tensor,
        epsilon: float,
        drop: Drop,
        dtype: torch.dtype,
    ) -> tuple[torch.Tensor, Kept]:
        """Word, position and type vectors summed, normed, dropped."""
        groups, texts, length = words.tokens.shape
        rows, width = texts * length, table.shape[-1]
        out = torch.empty((groups, rows, width), dtype=dtype, device=table.device)
        mean, inverse = (torch.empty((groups, rows), device=table.device) for _ in range(2))
        kind = table if token_type is None else token_type
        strides = position.stride(0), kind.stride(0), norm.stride(0)
        source = (words.tokens, table, position, strides[0], kind, strides[1], norm, strides[2])
        noise = _dropping(drop, table)
        flags = {"TYPED": token_type is not None, "DROPS": drop.active, "BLOCK": _block(width)}
        _run(
            kernels.embed_kernel,
            (rows, groups),
            *source,
            out,
            mean,
            inverse,
            *noise,
            rows,
            length,
            width,
            epsilon,
            **flags,
        )
        return out, (source, mean, inverse, noise, flags)

    def embed_backward(self, d: torch.Tensor, kept: Kept, d_norm: torch.Tensor) -> torch.Tensor:
        """Return the gradient of the summed vectors, float32."""
        source, mean, inverse, noise, flags = kept
        groups, rows, width = d.shape
        chunks = triton.cdiv(rows, ROWS)
        d_z = torch.empty(d.shape, device=d.device)
        partial = torch.empty((groups, chunks, 2, width), device=d.device)
        _run(
            kernels.embed_backward_kernel, (chunks, groups),
            d, *source, mean, inverse, d_z, partial, *noise, rows, source[0].shape[-1], width, chunks,
            **flags, ROWS=ROWS,
        )  # fmt: skip
        torch.sum(partial, 1, out=d_norm)
        return d_z

    def table_gradient(
        self, words: Words, d: torch.Tensor, bounds: list[int], sink: torch.Tensor
    ) -> torch.Tensor:
        """Sum the gradient by row of the table, each row by one program in the batch's own order."""
        groups, rows, width = d.shape
        sink.zero_()
        squares = torch.empty((groups, rows), device=d.device)
        _run(
            kernels.table_gradient_kernel,
            (rows, groups),
            d,
            words.tokens,
            words.order,
            words.runs,
            sink,
            squares,
            rows,
            width,
            BLOCK=_block(width),
        )
        return squares.sum(1)

    def add_norm(
        self, y: torch.Tensor, residual: torch.Tensor, block: torch.Tensor, epsilon: float, drop: Drop
    ) -> tuple[torch.Tensor, Kept]:
        """Norm of (y + bias, dropped) + residual."""
        groups, rows, width = y.shape
        out, z = torch.empty_like(y), torch.empty_like(y)
        mean, inverse = (torch.empty((groups, rows), device=y.device) for _ in range(2))
        _run(
            kernels.add_norm_kernel, (rows, groups),
            y, residual, block, block.stride(0), out, z, mean, inverse, *_dropping(drop, y),
            rows, width, epsilon, DROPS=drop.active, BLOCK=_block(width),
        )  # fmt: skip
        return out, (z, mean, inverse, block, drop)

    def add_norm_backward(
        self, d: torch.Tensor, kept: Kept, d_block: torch.Tensor | None
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """Return the gradients of residual and y."""
        z, mean, inverse, block, drop = kept
        groups, rows, width = d.shape
        chunks = triton.cdiv(rows, ROWS)
        d_residual = torch.empty_like(d)
        d_y = torch.empty_like(d) if drop.active else d_residual
        partial = torch.empty((groups, chunks, 3, width), device=d.device)
        _run(
            kernels.add_norm_backward_kernel, (chunks, groups),
            d, z, block, block.stride(0), mean, inverse, d_residual, d_y, partial, *_dropping(drop, d),
            rows, width, chunks, DROPS=drop.active, ROWS=ROWS, BLOCK=_block(width),
        )  # fmt: skip
        if d_block is not None:
            torch.sum(partial, 1, out=d_block)
        return d_residual, d_y

    def activate(self, x: torch.Tensor, bias: torch.Tensor, kind: str) -> torch.Tensor:
        """The activation of x + bias."""
        groups, rows, width = x.shape
        out = torch.empty_like(x)
        block = _divisor(width)
        _run(
            kernels.activate_kernel,
            (triton.cdiv(width, block), rows, groups),
            x,
            bias,
            bias.stride(0),
            out,
            rows,
            width,
            GELU=kind == "gelu",
            BLOCK=block,
        )
        return out

    def activate_backward(
        self, d: torch.Tensor, x: torch.Tensor, bias: torch.Tensor, kind: str, d_bias: torch.Tensor | None
    ) -> torch.Tensor:
        """Return the gradient of x."""
        groups, rows, width = x.shape
        block = _divisor(width)
        chunks = triton.cdiv(rows, ROWS)
        out = torch.empty_like(x)
        partial = torch.empty((groups, chunks, width), device=x.device)
        _run(
            kernels.activate_backward_kernel, (triton.cdiv(width, block), chunks, groups),
            d, x, bias, bias.stride(0), out, partial, rows, width, chunks,
            GELU=kind == "gelu", ROWS=ROWS, BLOCK=block,
        )  # fmt: skip
        if d_bias is not None:
            torch.sum(partial, 1, out=d_bias)
        return out

    def attend(
        self,
        qkv: torch.Tensor,
        bias: torch.Tensor,
        words: Words,
        heads: int,
        relative: torch.Tensor | None,
        drop: Drop,
    ) -> tuple[torch.Tensor, Kept]:
        """Attention over each text's own tokens: one program a head and text."""
        groups, texts, length = words.tokens.shape
        hidden = qkv.shape[-1] // 3
        out = qkv.new_empty((groups, texts * length, hidden))
        width = hidden // heads
        shape = (texts, length, heads, width, width**-0.5)
        flags = _attention_flags(relative is not None, drop.active, length, width)
        _run(
            kernels.attend_kernel, (heads, texts, groups),
            qkv, bias, bias.stride(0), words.lengths, qkv if relative is None else relative, out,
            *_dropping(drop, qkv), *shape, **flags,
        )  # fmt: skip
        return out, (qkv, bias, words.lengths, relative, drop, shape, flags)

    def attend_backward(
        self, d: torch.Tensor, kept: Kept, d_bias: torch.Tensor | None, d_relative: torch.Tensor | None
    ) -> torch.Tensor:
        """Return the gradient of qkv; add the scores' gradients, text by text, to ``d_relative``."""
        qkv, bias, lengths, relative, drop, shape, flags = kept
        groups, texts, heads = len(qkv), shape[0], shape[2]
        out = torch.empty_like(qkv)
        partial = torch.empty((groups, texts, qkv.shape[-1]), device=d.device)
        d_scores = qkv if d_relative is None else d_relative
        flags = flags | {"SLOPES": d_relative is not None}
        _run(
            kernels.attend_backward_kernel, (heads, texts, groups),
            d, qkv, bias, bias.stride(0), lengths, qkv if relative is None else relative, out, d_scores,
            partial, *_dropping(drop, qkv), *shape, **flags,
        )  # fmt: skip
        if d_bias is not None:
            torch.sum(partial, 1, out=d_bias)
        return out


def _attention_flags(relative: bool, drops: bool, length: int, width: int) -> dict[str, Any]:
    places = _block(length)
    return {
        "RELATIVE": relative,
        "DROPS": drops,
        "PLACES": places,
        "WIDTH": _block(width),
        "num_warps": 2 if places <= 32 else 4 if places <= 64 else 8,
    }


class FusedOptimizer:
    """PlainOptimizer on a GPU, every number on the device: norms, clipping and AdamW without a host step."""

    def __init__(
        self, settings: Settings, rates: torch.Tensor, bounds: list[int], step: torch.Tensor
    ) -> None:
        self.settings = settings
        self.rates = rates
        self.counter = step
        sizes = torch.tensor([high - low for low, high in pairwise(bounds)])
        self.owners = torch.repeat_interleave(torch.arange(len(sizes)), sizes).to(step.device, torch.int32)

    def step(self, state: State, squares: torch.Tensor | None) -> None:
        """Clip each group's gradient to its own norm, then move its weights."""
        total = _squares(state.rest.gradient) + _squares(state.matrices.gradient)
        if squares is not None:
            total = total + squares
        factor = (self.settings.clip / (total.sqrt() + 1e-6)).clamp(max=1.0)
        constants = (self.settings.weight_decay, BETA1, BETA2, EPSILON)
        for part in (state.matrices, state.rest):
            self._move(part, factor, constants)
        if state.table is not None:
            table, width = state.table, state.table.value.shape[1]
            _run(
            kernels.adamw_rows_kernel, (len(self.owners),),
                table.value, table.gradient, table.first, table.second, self.owners, factor, self.rates,
                self.counter, width, *constants, BLOCK=_block(width),
            )  # fmt: skip

    def _move(self, part: Trained, factor: torch.Tensor, constants: tuple[float, ...]) -> None:
        groups, size = part.value.shape
        _run(
            kernels.adamw_kernel, (triton.cdiv(size, FLAT), groups),
            part.value, part.gradient, part.first, part.second, part.read, factor, self.rates, self.counter,
            size, part.decayed, *constants, COPIES=part.copy is not None, BLOCK=FLAT,
        )  # fmt: skip


def _squares(gradient: torch.Tensor) -> torch.Tensor:
    groups, size = gradient.shape
    chunks = triton.cdiv(size, SUMMED)
    partial = torch.empty((groups, chunks), device=gradient.device)
    _run(kernels.squares_kernel, (chunks, groups), gradient, partial, size, chunks, BLOCK=SUMMED, num_warps=8)
    return partial.sum(1)
