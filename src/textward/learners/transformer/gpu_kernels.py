"""The GPU's kernels: what happens between two matrix products, in one pass over the activations each.

Every program works on one group's rows alone, in an order fixed by public shapes, and no atomics are used:
a group's bits cannot depend on another group's text (theory P4).
"""

# mypy: ignore-errors
from __future__ import annotations

import triton
import triton.language as tl


@triton.jit
def _mix(x, key):
    x = x ^ (x >> 16)
    x = x * 0x7FEB352D + key
    x = x ^ (x >> 15)
    x = x * 0x846CA68B
    return x ^ (x >> 16)


@triton.jit
def _key(seeds, step, group, site):
    seed = tl.load(seeds + group).to(tl.uint32)
    key = _mix(seed + tl.load(step).to(tl.uint32) * 0x9E3779B9, seed)
    return _mix(key ^ (site.to(tl.uint32) * 0x85EBCA6B + 1), key)


@triton.jit
def _kept(index, key, threshold):
    index = index.to(tl.uint32)
    half = _mix((index >> 1) ^ key, key) >> ((index & 1) * 16)
    return half.to(tl.int16).to(tl.int32) >= threshold


@triton.jit
def _erf_gelu(x):
    return 0.5 * x * (1.0 + tl.math.erf(x * 0.7071067811865476))


@triton.jit
def _erf_gelu_slope(x):
    below = 0.5 * (1.0 + tl.math.erf(x * 0.7071067811865476))
    return below + x * 0.3989422804014327 * tl.exp(-0.5 * x * x)


@triton.jit(do_not_specialize=["site"])
def drop_kernel(x, out, seeds, step, site, threshold, scale, count, BLOCK: tl.constexpr):
    group = tl.program_id(1)
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = at < count
    place = group.to(tl.int64) * count + at
    value = tl.load(x + place, mask=inside, other=0.0)
    keep = _kept(at, _key(seeds, step, group, site), threshold)
    tl.store(out + place, tl.where(keep, value * scale, 0.0), mask=inside)


@triton.jit(do_not_specialize=["site"])
def embed_kernel(
    tokens, table, position, position_stride, kind, kind_stride, norm, norm_stride, out, mean, inverse,
    seeds, step, site, threshold, scale, rows, length, width, epsilon,
    TYPED: tl.constexpr, DROPS: tl.constexpr, BLOCK: tl.constexpr,
):  # fmt: skip
    row, group = tl.program_id(0), tl.program_id(1).to(tl.int64)
    column = tl.arange(0, BLOCK)
    inside = column < width
    place = group * rows + row
    token = tl.load(tokens + place).to(tl.int64)
    z = tl.load(table + token * width + column, mask=inside, other=0.0)
    z += tl.load(position + group * position_stride + (row % length) * width + column, mask=inside, other=0.0)
    if TYPED:
        z += tl.load(kind + group * kind_stride + column, mask=inside, other=0.0)
    middle = tl.sum(z, 0) / width
    centred = tl.where(inside, z - middle, 0.0)
    sharp = 1.0 / tl.sqrt(tl.sum(centred * centred, 0) / width + epsilon)
    scales = tl.load(norm + group * norm_stride + column, mask=inside, other=0.0)
    shifts = tl.load(norm + group * norm_stride + width + column, mask=inside, other=0.0)
    value = centred * sharp * scales + shifts
    if DROPS:
        keep = _kept(row * width + column, _key(seeds, step, tl.program_id(1), site), threshold)
        value = tl.where(keep, value * scale, 0.0)
    tl.store(mean + place, middle)
    tl.store(inverse + place, sharp)
    tl.store(out + place * width + column, value.to(out.dtype.element_ty), mask=inside)


@triton.jit(do_not_specialize=["site"])
def embed_backward_kernel(
    d, tokens, table, position, position_stride, kind, kind_stride, norm, norm_stride, mean, inverse,
    d_z, partial, seeds, step, site, threshold, scale, rows, length, width, chunks,
    TYPED: tl.constexpr, DROPS: tl.constexpr, ROWS: tl.constexpr, BLOCK: tl.constexpr,
):  # fmt: skip
    chunk, group = tl.program_id(0), tl.program_id(1).to(tl.int64)
    column = tl.arange(0, BLOCK)
    inside = column < width
    scales = tl.load(norm + group * norm_stride + column, mask=inside, other=0.0)
    key = _key(seeds, step, tl.program_id(1), site)
    d_scale = tl.zeros([BLOCK], tl.float32)
    d_shift = tl.zeros([BLOCK], tl.float32)
    for row in range(chunk * ROWS, min(chunk * ROWS + ROWS, rows)):
        place = group * rows + row
        token = tl.load(tokens + place).to(tl.int64)
        z = tl.load(table + token * width + column, mask=inside, other=0.0)
        at = group * position_stride + (row % length) * width + column
        z += tl.load(position + at, mask=inside, other=0.0)
        if TYPED:
            z += tl.load(kind + group * kind_stride + column, mask=inside, other=0.0)
        sharp = tl.load(inverse + place)
        hat = tl.where(inside, (z - tl.load(mean + place)) * sharp, 0.0)
        value = tl.load(d + place * width + column, mask=inside, other=0.0).to(tl.float32)
        if DROPS:
            value = tl.where(_kept(row * width + column, key, threshold), value * scale, 0.0)
        d_scale += value * hat
        d_shift += value
        value *= scales
        value = (value - tl.sum(value, 0) / width - hat * (tl.sum(value * hat, 0) / width)) * sharp
        tl.store(d_z + place * width + column, value, mask=inside)
    sums = partial + (group * chunks + chunk) * 2 * width + column
    tl.store(sums, d_scale, mask=inside)
    tl.store(sums + width, d_shift, mask=inside)


@triton.jit
def table_gradient_kernel(d, tokens, order, runs, sink, squares, rows, width, BLOCK: tl.constexpr):
    place, group = tl.program_id(0), tl.program_id(1).to(tl.int64)
    column = tl.arange(0, BLOCK)
    inside = column < width
    run = tl.load(runs + group * rows + place)
    total = tl.zeros([BLOCK], tl.float32)
    for i in range(run):
        row = tl.load(order + group * rows + place + i)
        total += tl.load(d + (group * rows + row) * width + column, mask=inside, other=0.0)
    if run > 0:
        token = tl.load(tokens + group * rows + tl.load(order + group * rows + place)).to(tl.int64)
        tl.store(sink + token * width + column, total, mask=inside)
    tl.store(squares + group * rows + place, tl.sum(total * total, 0))


@triton.jit(do_not_specialize=["site"])
def add_norm_kernel(
    y, residual, block, block_stride, out, z_out, mean, inverse,
    seeds, step, site, threshold, scale, rows, width, epsilon,
    DROPS: tl.constexpr, BLOCK: tl.constexpr,
):  # fmt: skip
    row, group = tl.program_id(0), tl.program_id(1).to(tl.int64)
    column = tl.arange(0, BLOCK)
    inside = column < width
    place = group * rows + row
    own = block + group * block_stride + column
    z = tl.load(y + place * width + column, mask=inside, other=0.0).to(tl.float32)
    z += tl.load(own, mask=inside, other=0.0)
    if DROPS:
        keep = _kept(row * width + column, _key(seeds, step, tl.program_id(1), site), threshold)
        z = tl.where(keep, z * scale, 0.0)
    z += tl.load(residual + place * width + column, mask=inside, other=0.0).to(tl.float32)
    rounded = z.to(out.dtype.element_ty)
    z = rounded.to(tl.float32)
    middle = tl.sum(z, 0) / width
    centred = tl.where(inside, z - middle, 0.0)
    sharp = 1.0 / tl.sqrt(tl.sum(centred * centred, 0) / width + epsilon)
    value = centred * sharp * tl.load(own + width, mask=inside, other=0.0)
    value += tl.load(own + 2 * width, mask=inside, other=0.0)
    tl.store(mean + place, middle)
    tl.store(inverse + place, sharp)
    tl.store(z_out + place * width + column, rounded, mask=inside)
    tl.store(out + place * width + column, value.to(out.dtype.element_ty), mask=inside)


@triton.jit(do_not_specialize=["site"])
def add_norm_backward_kernel(
    d, z, block, block_stride, mean, inverse, d_residual, d_y, partial,
    seeds, step, site, threshold, scale, rows, width, chunks,
    DROPS: tl.constexpr, ROWS: tl.constexpr, BLOCK: tl.constexpr,
):  # fmt: skip
    chunk, group = tl.program_id(0), tl.program_id(1).to(tl.int64)
    column = tl.arange(0, BLOCK)
    inside = column < width
    scales = tl.load(block + group * block_stride + width + column, mask=inside, other=0.0)
    key = _key(seeds, step, tl.program_id(1), site)
    d_bias = tl.zeros([BLOCK], tl.float32)
    d_scale = tl.zeros([BLOCK], tl.float32)
    d_shift = tl.zeros([BLOCK], tl.float32)
    for row in range(chunk * ROWS, min(chunk * ROWS + ROWS, rows)):
        place = (group * rows + row) * width + column
        sharp = tl.load(inverse + group * rows + row)
        hat = tl.load(z + place, mask=inside, other=0.0).to(tl.float32) - tl.load(mean + group * rows + row)
        hat = tl.where(inside, hat * sharp, 0.0)
        value = tl.load(d + place, mask=inside, other=0.0).to(tl.float32)
        d_scale += value * hat
        d_shift += value
        value *= scales
        value = (value - tl.sum(value, 0) / width - hat * (tl.sum(value * hat, 0) / width)) * sharp
        tl.store(d_residual + place, value.to(d_residual.dtype.element_ty), mask=inside)
        if DROPS:
            value = tl.where(_kept(row * width + column, key, threshold), value * scale, 0.0)
            tl.store(d_y + place, value.to(d_y.dtype.element_ty), mask=inside)
        d_bias += tl.where(inside, value, 0.0)
    sums = partial + (group * chunks + chunk) * 3 * width + column
    tl.store(sums, d_bias, mask=inside)
    tl.store(sums + width, d_scale, mask=inside)
    tl.store(sums + 2 * width, d_shift, mask=inside)


@triton.jit
def activate_kernel(x, bias, bias_stride, out, rows, width, GELU: tl.constexpr, BLOCK: tl.constexpr):
    column = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    row, group = tl.program_id(1), tl.program_id(2).to(tl.int64)
    inside = column < width
    place = (group * rows + row) * width + column
    value = tl.load(x + place, mask=inside, other=0.0).to(tl.float32)
    value += tl.load(bias + group * bias_stride + column, mask=inside, other=0.0)
    value = _erf_gelu(value) if GELU else tl.maximum(value, 0.0)
    tl.store(out + place, value.to(out.dtype.element_ty), mask=inside)


@triton.jit
def activate_backward_kernel(
    d, x, bias, bias_stride, out, partial, rows, width, chunks,
    GELU: tl.constexpr, ROWS: tl.constexpr, BLOCK: tl.constexpr,
):  # fmt: skip
    column = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    chunk, group = tl.program_id(1), tl.program_id(2).to(tl.int64)
    inside = column < width
    shift = tl.load(bias + group * bias_stride + column, mask=inside, other=0.0)
    total = tl.zeros([BLOCK], tl.float32)
    for row in range(chunk * ROWS, min(chunk * ROWS + ROWS, rows)):
        place = (group * rows + row) * width + column
        value = tl.load(x + place, mask=inside, other=0.0).to(tl.float32) + shift
        slope = tl.load(d + place, mask=inside, other=0.0).to(tl.float32)
        slope = slope * _erf_gelu_slope(value) if GELU else tl.where(value > 0, slope, 0.0)
        rounded = slope.to(out.dtype.element_ty)
        total += rounded.to(tl.float32)
        tl.store(out + place, rounded, mask=inside)
    tl.store(partial + (group * chunks + chunk) * width + column, total, mask=inside)


@triton.jit
def _head(pointer, bias, row, column, inside, stride, width):
    value = tl.load(pointer + row[:, None] * stride + column[None, :], mask=inside, other=0.0)
    shift = tl.load(bias + column, mask=column < width, other=0.0)
    return (value.to(tl.float32) + shift[None, :]).to(pointer.dtype.element_ty)


@triton.jit
def _attention(q, k, relative, place, length, real, factor, RELATIVE: tl.constexpr):
    scores = tl.dot(q, tl.trans(k), input_precision="ieee") * factor
    row, column = place[:, None], place[None, :]
    if RELATIVE:
        both = (row < length) & (column < length)
        scores += tl.load(relative + row * length + column, mask=both, other=0.0)
    scores = tl.where(column < real, scores, float("-inf"))
    scores = tl.exp(scores - tl.max(scores, 1)[:, None])
    return scores / tl.sum(scores, 1)[:, None]


@triton.jit(do_not_specialize=["site"])
def attend_kernel(
    qkv, bias, bias_stride, lengths, relative, out,
    seeds, step, site, threshold, scale, texts, length, heads, width, factor,
    RELATIVE: tl.constexpr, DROPS: tl.constexpr, PLACES: tl.constexpr, WIDTH: tl.constexpr,
):  # fmt: skip
    head, text = tl.program_id(0), tl.program_id(1)
    group = tl.program_id(2)
    place, column = tl.arange(0, PLACES), tl.arange(0, WIDTH)
    inside = (place[:, None] < length) & (column[None, :] < width)
    hidden = heads * width
    first = (group.to(tl.int64) * texts + text) * length
    own = qkv + first * 3 * hidden + head * width
    shift = bias + group.to(tl.int64) * bias_stride + head * width
    q = _head(own, shift, place, column, inside, 3 * hidden, width)
    k = _head(own + hidden, shift + hidden, place, column, inside, 3 * hidden, width)
    v = _head(own + 2 * hidden, shift + 2 * hidden, place, column, inside, 3 * hidden, width)
    real = tl.load(lengths + group * texts + text)
    near = relative + (group * heads + head) * length * length
    p = _attention(q, k, near, place, length, real, factor, RELATIVE)
    if DROPS:
        index = ((text * heads + head) * length + place[:, None]) * length + place[None, :]
        p = tl.where(_kept(index, _key(seeds, step, group, site), threshold), p * scale, 0.0)
    value = tl.dot(p.to(v.dtype), v, input_precision="ieee")
    target = out + (first + place[:, None]) * hidden + head * width + column[None, :]
    tl.store(target, value.to(out.dtype.element_ty), mask=inside)


@triton.jit(do_not_specialize=["site"])
def attend_backward_kernel(
    d, qkv, bias, bias_stride, lengths, relative, d_qkv, d_scores, partial,
    seeds, step, site, threshold, scale, texts, length, heads, width, factor,
    RELATIVE: tl.constexpr, SLOPES: tl.constexpr, DROPS: tl.constexpr,
    PLACES: tl.constexpr, WIDTH: tl.constexpr,
):  # fmt: skip
    head, text = tl.program_id(0), tl.program_id(1)
    group = tl.program_id(2)
    place, column = tl.arange(0, PLACES), tl.arange(0, WIDTH)
    inside = (place[:, None] < length) & (column[None, :] < width)
    hidden = heads * width
    first = (group.to(tl.int64) * texts + text) * length
    own = qkv + first * 3 * hidden + head * width
    shift = bias + group.to(tl.int64) * bias_stride + head * width
    q = _head(own, shift, place, column, inside, 3 * hidden, width)
    k = _head(own + hidden, shift + hidden, place, column, inside, 3 * hidden, width)
    v = _head(own + 2 * hidden, shift + 2 * hidden, place, column, inside, 3 * hidden, width)
    real = tl.load(lengths + group * texts + text)
    near = relative + (group * heads + head) * length * length
    p = _attention(q, k, near, place, length, real, factor, RELATIVE)
    at = (first + place[:, None]) * hidden + head * width + column[None, :]
    slope = tl.load(d + at, mask=inside, other=0.0)
    d_p = tl.dot(slope, tl.trans(v), input_precision="ieee")
    dropped = p
    if DROPS:
        index = ((text * heads + head) * length + place[:, None]) * length + place[None, :]
        keep = _kept(index, _key(seeds, step, group, site), threshold)
        dropped = tl.where(keep, p * scale, 0.0)
        d_p = tl.where(keep, d_p * scale, 0.0)
    d_s = p * (d_p - tl.sum(d_p * p, 1)[:, None])
    if SLOPES:
        both = (place[:, None] < length) & (place[None, :] < length)
        all_texts = (group.to(tl.int64) * texts + text) * heads + head
        at = all_texts * length * length + place[:, None] * length + place[None, :]
        tl.store(d_scores + at, tl.load(d_scores + at, mask=both, other=0.0) + d_s, mask=both)
    d_s = (d_s * factor).to(q.dtype)
    target = d_qkv + (first + place[:, None]) * 3 * hidden + head * width + column[None, :]
    sums = partial + (group.to(tl.int64) * texts + text) * 3 * hidden + head * width + column
    d_q = tl.dot(d_s, k, input_precision="ieee")
    d_k = tl.dot(tl.trans(d_s), q, input_precision="ieee")
    d_v = tl.dot(tl.trans(dropped.to(slope.dtype)), slope, input_precision="ieee")
    kind = d_qkv.dtype.element_ty
    tl.store(target, d_q.to(kind), mask=inside)
    tl.store(target + hidden, d_k.to(kind), mask=inside)
    tl.store(target + 2 * hidden, d_v.to(kind), mask=inside)
    tl.store(sums, tl.sum(d_q, 0), mask=column < width)
    tl.store(sums + hidden, tl.sum(d_k, 0), mask=column < width)
    tl.store(sums + 2 * hidden, tl.sum(d_v, 0), mask=column < width)


@triton.jit
def squares_kernel(x, partial, size, chunks, BLOCK: tl.constexpr):
    chunk, group = tl.program_id(0), tl.program_id(1).to(tl.int64)
    at = chunk * BLOCK + tl.arange(0, BLOCK)
    value = tl.load(x + group * size + at, mask=at < size, other=0.0).to(tl.float32)
    tl.store(partial + group * chunks + chunk, tl.sum(value * value, 0))


@triton.jit
def _moved(value, gradient, first, second, rate, one, two, shrink, beta1, beta2, epsilon):
    value *= shrink
    first = beta1 * first + (1.0 - beta1) * gradient
    second = beta2 * second + (1.0 - beta2) * gradient * gradient
    return value - rate / one * first / (tl.sqrt(second) / two + epsilon), first, second


@triton.jit
def adamw_kernel(
    value, gradient, first, second, copy, factor, rates, step, size, decayed, decay, beta1, beta2, epsilon,
    COPIES: tl.constexpr, BLOCK: tl.constexpr,
):  # fmt: skip
    group = tl.program_id(1).to(tl.int64)
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = at < size
    place = group * size + at
    done = rates + 3 * tl.load(step)
    rate = tl.load(done)
    slope = tl.load(gradient + place, mask=inside, other=0.0).to(tl.float32) * tl.load(factor + group)
    shrink = tl.where(at < decayed, 1.0 - rate * decay, 1.0)
    w, m, v = _moved(
        tl.load(value + place, mask=inside, other=0.0), slope,
        tl.load(first + place, mask=inside, other=0.0), tl.load(second + place, mask=inside, other=0.0),
        rate, tl.load(done + 1), tl.load(done + 2), shrink, beta1, beta2, epsilon,
    )  # fmt: skip
    tl.store(value + place, w, mask=inside)
    tl.store(first + place, m, mask=inside)
    tl.store(second + place, v, mask=inside)
    if COPIES:
        tl.store(copy + place, w.to(copy.dtype.element_ty), mask=inside)


@triton.jit
def adamw_rows_kernel(
    value, gradient, first, second, owners, factor, rates, step, width, decay, beta1, beta2, epsilon,
    BLOCK: tl.constexpr,
):  # fmt: skip
    row = tl.program_id(0).to(tl.int64)
    column = tl.arange(0, BLOCK)
    inside = column < width
    place = row * width + column
    done = rates + 3 * tl.load(step)
    rate = tl.load(done)
    owner = tl.load(owners + row)
    slope = tl.load(gradient + place, mask=inside, other=0.0) * tl.load(factor + owner)
    w, m, v = _moved(
        tl.load(value + place, mask=inside, other=0.0), slope,
        tl.load(first + place, mask=inside, other=0.0), tl.load(second + place, mask=inside, other=0.0),
        rate, tl.load(done + 1), tl.load(done + 2), 1.0 - rate * decay, beta1, beta2, epsilon,
    )  # fmt: skip
    tl.store(value + place, w, mask=inside)
    tl.store(first + place, m, mask=inside)
    tl.store(second + place, v, mask=inside)
