"""Features before the head, and the empirical mode on encoders."""

from __future__ import annotations

import numpy as np
import pytest
from tiny_encoders import FAMILIES, save_tiny_encoder, some_texts, tiny_encoder, torch

from textward import NotCertifiableError, TextGuard, load
from textward.influence.variants import leaving_one_out, strings
from textward.learners.transformer import EmbeddingLearner, Settings, TransformerLearner
from textward.learners.transformer.training import train

QUICK = Settings(epochs=1, batch=8, device="cpu")


@pytest.mark.parametrize("family", FAMILIES)
def test_the_last_matrix_of_the_head_makes_logits_of_the_features(family):
    texts, labels = some_texts(16), np.arange(16) % 2
    model = train(tiny_encoder(family), QUICK, [texts], labels, [0])
    features, blocks = model.features(0, texts, "cpu"), model.groups[0].blocks
    made = features @ blocks["head_out"].numpy().T + blocks["head_out_bias"].numpy()
    np.testing.assert_allclose(made, model.logits(0, texts, "cpu"), rtol=1e-4, atol=1e-5)


def test_whole_texts_are_padded_to_the_longest_and_read_to_the_end():
    texts = ["good " * 20, "bad"] * 4
    settings = Settings(epochs=1, batch=8, device="cpu", whole_texts=True, max_length=32)
    model = train(tiny_encoder("bert"), settings, [texts] * 9, np.arange(8) % 2, list(range(9)))
    assert model.length == 32 and Settings(whole_texts=True).length(9) == 128
    longer = model.logits(0, ["good " * 20 + "bad"], "cpu")
    assert not np.allclose(longer, model.logits(0, ["good " * 20], "cpu"))


def test_influence_is_the_change_of_the_features_one_by_one():
    vocabulary = ["bad", "film", "good"]
    ids, offsets = np.array([2, 1, 2, 0]), np.array([0, 3, 4])
    model = train(tiny_encoder("mpnet"), QUICK, [["good film", "bad"] * 4], np.arange(8) % 2, [0])
    found = leaving_one_out(lambda i, o: model.features(0, strings(vocabulary, i, o), "cpu"), ids, offsets)
    pairs = [("good film good", "good good"), ("good film good", "film"), ("bad", "")]
    by_hand = [np.abs(np.subtract(*model.features(0, list(pair), "cpu"))).max() for pair in pairs]
    np.testing.assert_allclose(found.distance, by_hand, rtol=1e-4, atol=1e-6)


@pytest.mark.parametrize("kind", ["transformer", "embedding"])
def test_the_empirical_mode_on_an_encoder(kind, tmp_path):
    folder = save_tiny_encoder(tmp_path / "encoder")
    learner = (
        TransformerLearner(str(folder), Settings(epochs=1, batch=8, max_length=32), tmp_path / "kept")
        if kind == "transformer"
        else EmbeddingLearner(str(folder), max_length=32, device="cpu")
    )
    texts, labels = [*some_texts(24), "w1 good"], np.arange(25) % 2
    heard = []
    guard = TextGuard(2, learner, mode="empirical", influential_rows=3)
    guard.fit(texts, labels, progress=lambda done, total: heard.append((done, total)))
    assert guard.groups_.omega and heard
    with pytest.raises(NotCertifiableError, match="mode='empirical'"):
        guard.certify(texts)
    guard.save(tmp_path / "model")
    again = load(tmp_path / "model")
    assert np.array_equal(again.votes(texts), guard.votes(texts))
    assert again.groups_ == guard.groups_
    assert torch.is_grad_enabled()
