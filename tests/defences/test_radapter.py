"""R-Adapter: what is trained, what stays, and where the adapters stand."""

from __future__ import annotations

import sys
from dataclasses import replace

import numpy as np
import polars as pl
import pytest

from textward.defences import RAdapter
from textward.errors import MissingExtraError, UsageError

_WHY = "needs the extra: pip install 'textward[transformers]'"
torch = pytest.importorskip("torch", reason=_WHY)
pytest.importorskip("transformers", reason=_WHY)

from tests.learners.transformer.tiny_encoders import FAMILIES, save_tiny_encoder, tiny_encoder  # noqa: E402

from textward.defences.bottleneck import AdaptedRun, Adapters, Shape, train_adapters  # noqa: E402
from textward.learners.transformer.plain import module_logits  # noqa: E402
from textward.learners.transformer.settings import Settings  # noqa: E402

SETTINGS = Settings(epochs=2, batch=8, learning_rate=1e-2, weight_decay=0.1, max_length=8, device="cpu")
TEXTS = ["good film", "bad plot", "fine cast and story", "dull ending", ""] * 4
LABELS = np.array([1, 0, 1, 0, 1] * 4)


def run_of(encoder, after_norm=False):
    encoded = encoder.encode(TEXTS, 8)
    return AdaptedRun(encoder, SETTINGS, encoded, LABELS, 7, Shape(3, 2, after_norm)), encoded


def test_nothing_but_adapters_and_the_classifier_is_trained():
    encoder = tiny_encoder("bert")
    run, _ = run_of(encoder)
    run.run_epoch(0)
    after = run.module.state_dict()
    changed = {name for name, weight in encoder.weights.items() if not torch.equal(weight, after[name])}
    assert changed == {"classifier.weight", "classifier.bias"}
    trained = {name for name, parameter in run.module.named_parameters() if parameter.requires_grad}
    assert trained - changed == {"adapters.code", "adapters.inner", "adapters.outer"}


@pytest.mark.parametrize("after_norm", [False, True])
@pytest.mark.parametrize("family", FAMILIES)
def test_two_adapters_stand_in_every_layer_of_every_family(family, after_norm):
    run, encoded = run_of(tiny_encoder(family, dropout=0.0), after_norm)
    asked: list[int] = []
    plain = run.module.adapters.adapted
    run.module.adapters.adapted = lambda place, x: asked.append(place) or plain(place, x)
    with torch.inference_mode():
        module_logits(run.module.eval(), encoded, torch.device("cpu"))
    assert asked == [0, 1, 2, 3]


def test_adapters_of_nothing_leave_the_encoder_as_it_is_and_others_do_not():
    encoder = tiny_encoder("bert", dropout=0.0)
    run, encoded = run_of(encoder)
    cpu = torch.device("cpu")
    with torch.inference_mode():
        alone = module_logits(encoder.module().eval(), encoded, cpu)
        run.module.adapters.outer.zero_()
        torch.testing.assert_close(module_logits(run.module.eval(), encoded, cpu), alone)
        run.module.adapters.outer.normal_()
        run.module.adapters.code.fill_(9.0)
        run.module.adapters.inner.fill_(9.0)
        assert (module_logits(run.module, encoded, cpu) - alone).abs().max() > 1e-3


def test_an_adapter_is_a_projection_and_back_with_weights_of_the_small_network():
    adapters = Adapters(places=2, width=5, shape=Shape(3, 4, after_norm=False), seed=0)
    x = torch.randn(6, 5, generator=torch.Generator().manual_seed(0))
    weights = adapters.outer @ torch.tanh(adapters.inner @ adapters.code)
    assert weights.shape == (2, 3 * 5 + 3 + 5 * 3 + 5)
    down, up = weights[1][:15].view(3, 5), weights[1][18:33].view(5, 3)
    inside = torch.nn.functional.gelu(x @ down.T + weights[1][15:18])
    torch.testing.assert_close(adapters.adapted(1, x), x + inside @ up.T + weights[1][33:])


def test_same_seed_same_bits_and_another_seed_others(tmp_path):
    folder = str(save_tiny_encoder(tmp_path / "tiny"))
    shape, texts = Shape(3, 2, after_norm=False), pl.Series(TEXTS)
    first, again, other = (
        train_adapters(folder, SETTINGS, shape, texts, LABELS, 2, seed).features(texts) for seed in (1, 1, 2)
    )
    assert (first == again).all()
    assert (first != other).any()


def test_settings_are_judged(tmp_path):
    rows = ["a", "b"], [0, 1]
    for name, value, message in (
        ("bottleneck", 0, "bottleneck"),
        ("through", 0, "through"),
        ("after", "layer", "after must be one of projection, norm"),
    ):
        with pytest.raises(UsageError, match=message):
            RAdapter("nowhere/", **{name: value}).fit(*rows)
    folder = str(save_tiny_encoder(tmp_path / "tiny"))
    with pytest.raises(UsageError, match="epochs must be a whole number"):
        RAdapter(folder, settings=replace(SETTINGS, epochs=0)).fit(*rows)


def test_an_encoder_of_another_shape_is_named(monkeypatch):
    from textward.defences import bottleneck

    monkeypatch.setattr(
        bottleneck, "load_encoder", lambda name, classes: replace(tiny_encoder("bert"), architecture=None)
    )
    with pytest.raises(UsageError, match="BERT family, and 'albert' is another"):
        RAdapter("albert").fit(["a", "b"], [0, 1])


def test_without_the_extra_the_error_names_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "torch", None)
    with pytest.raises(
        MissingExtraError, match=r"R-Adapter needs torch.*pip install 'textward\[transformers\]'"
    ):
        RAdapter("folder").fit(["a", "b"], [0, 1])
