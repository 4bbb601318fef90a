"""The fused engine against transformers' own modules, and its written-out gradients against autograd."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from tiny_encoders import FAMILIES, some_texts, tiny_encoder, torch

from textward.learners.transformer.encoder import Encoded, Encoder
from textward.learners.transformer.network import Network, Stacked, Weights, loss_and_gradient
from textward.learners.transformer.pack import Pack
from textward.learners.transformer.plain import PlainRun, module_logits
from textward.learners.transformer.plan import plan_epoch
from textward.learners.transformer.predict import Reader
from textward.learners.transformer.settings import Settings
from textward.learners.transformer.weights import untrained

CPU = torch.device("cpu")
LENGTH = 8
SEEDS = (5, 6, 7)


def groups_of(encoder: Encoder, rows: int = 24) -> tuple[list[Encoded], np.ndarray]:
    encoded = [encoder.encode(some_texts(rows, seed), LENGTH) for seed in SEEDS]
    return encoded, np.random.default_rng(0).integers(0, encoder.classes, rows)


def pack_of(encoder: Encoder, settings: Settings) -> Pack:
    encoded, labels = groups_of(encoder)
    return Pack(encoder, settings, encoded, labels, SEEDS, CPU, LENGTH)


@pytest.mark.parametrize("family", FAMILIES)
def test_logits_are_those_of_the_module(family: str) -> None:
    encoder = tiny_encoder(family, classes=3)
    encoded = encoder.encode(some_texts(30), LENGTH)
    assert set(encoded.lengths) > {2, LENGTH}, "empty and truncated texts must be among them"
    reader = Reader(encoder, untrained(), encoded, LENGTH, CPU)
    with torch.inference_mode():
        expected = module_logits(encoder.module().eval(), encoded, CPU)
        found = reader.logits(encoded)
    assert expected.std() > 0.05, "the logits must differ, or nothing is compared"
    torch.testing.assert_close(found, expected, atol=2e-5, rtol=1e-4)


@pytest.mark.parametrize("family", FAMILIES)
def test_gradients_are_those_of_the_module(family: str) -> None:
    encoder = tiny_encoder(family)
    pack = pack_of(encoder, Settings(batch=8, dropout=0.0))
    words, labels, share = plan_epoch(pack.corpus, 8, SEEDS, 0).at(torch.tensor([1]))
    _, slope = loss_and_gradient(pack.network.forward(words), labels, share)
    d_embedded = pack.network.backward(slope)
    sink = torch.zeros_like(pack.state.weights.table)
    squares = pack.operations.table_gradient(words, d_embedded, pack.corpus.bounds, sink)
    for group in range(len(SEEDS)):
        used = np.append(pack.corpus.used[group], encoder.padding)
        low, high = pack.corpus.bounds[group : group + 2]
        rows = words.tokens[group].numpy()
        tokens = used[np.where(rows == pack.corpus.bounds[-1], len(used) - 1, rows - low)]
        batch = Encoded(tokens, words.lengths[group].numpy())
        module = encoder.module().eval()
        torch.nn.functional.cross_entropy(module_logits(module, batch, CPU), labels[group]).backward()
        grads = {name: p.grad for name, p in module.named_parameters() if p.grad is not None}
        table = grads[encoder.architecture.word_table]
        torch.testing.assert_close(sink[low:high], table[used[:-1]], atol=1e-6, rtol=1e-3)
        torch.testing.assert_close(squares[group], table[used[:-1]].square().sum())
        expected = replace(encoder, weights=grads)
        for part in ("rest", "matrices"):
            laid = pack.state.parts[part]
            for name, view in laid.views(getattr(pack.state, part).gradient).items():
                block = expected.block(laid.blocks[name])
                torch.testing.assert_close(
                    view[group], block, atol=2e-6, rtol=1e-3, msg=lambda m, n=name: f"{n}: {m}"
                )


@pytest.mark.parametrize("family", FAMILIES)
def test_gradients_with_dropout_are_those_of_autograd(family: str) -> None:
    encoder = tiny_encoder(family)
    pack = pack_of(encoder, Settings(batch=8, dropout=0.3))
    words, labels, share = plan_epoch(pack.corpus, 8, SEEDS, 0).at(torch.tensor([2]))
    pack.step.fill_(2)
    _, slope = loss_and_gradient(pack.network.forward(words), labels, share)
    d_embedded = pack.network.backward(slope)
    leaves = {part: getattr(pack.state, part).value.clone().requires_grad_() for part in ("rest", "matrices")}
    views = {part: pack.state.parts[part].views(leaf) for part, leaf in leaves.items()}
    table = pack.state.weights.table.clone().requires_grad_()
    products = {name: Stacked(view) for name, view in views["matrices"].items()}
    weights = Weights(products, views["rest"], {}, table, torch.float32)
    network = Network(pack.network.architecture, weights, pack.operations, pack.network.noise)
    loss, _ = loss_and_gradient(network.forward(words), labels, share)
    loss.sum().backward()
    for part, leaf in leaves.items():
        torch.testing.assert_close(getattr(pack.state, part).gradient, leaf.grad, atol=2e-6, rtol=1e-3)
    sink = torch.zeros_like(table)
    pack.operations.table_gradient(words, d_embedded, pack.corpus.bounds, sink)
    torch.testing.assert_close(sink[:-1], table.grad[:-1], atol=1e-6, rtol=1e-3)


@pytest.mark.parametrize("family", FAMILIES)
def test_fused_training_is_ordinary_training_of_one_after_another(family: str) -> None:
    """Nine steps with warm-up, decay and clipping; without dropout, whose masks no module can share."""
    encoder = tiny_encoder(family)
    settings = Settings(epochs=3, batch=8, dropout=0.0, learning_rate=1e-3, weight_decay=0.1, clip=0.5)
    encoded, labels = groups_of(encoder)
    pack = pack_of(encoder, settings)
    test = encoder.encode(some_texts(20, seed=99), LENGTH)
    runs = [
        PlainRun(encoder, settings, own, labels, seed, CPU) for own, seed in zip(encoded, SEEDS, strict=True)
    ]
    for epoch in range(settings.epochs):
        losses: list[float] = []
        pack.run_epoch(epoch, lambda done, loss, losses=losses: losses.append(loss))
        ordinary = []
        for run in runs:
            ordinary.append([])
            run.run_epoch(epoch, lambda done, loss, into=ordinary[-1]: into.append(loss))
        np.testing.assert_allclose(losses, np.mean(ordinary, axis=0), rtol=2e-4)
    for run, own in zip(runs, pack.weights(), strict=True):
        with torch.inference_mode():
            expected = module_logits(run.module.eval(), test, CPU)
            start = module_logits(encoder.module().eval(), test, CPU)
            found = Reader(encoder, own, test, LENGTH, CPU).logits(test)
        moved = (expected - start).abs().mean()
        assert moved > 0.05, "training must have moved the logits"
        torch.testing.assert_close(found, expected, atol=float(moved) * 0.02, rtol=0.01)
