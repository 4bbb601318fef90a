"""A group's bits are its own: whatever another group's texts are, they stay the same (theory P4)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from tiny_encoders import some_texts, tiny_encoder, tiny_module, tiny_tokenizer, torch

from textward.learners.transformer.encoder import Encoder, encoder_of
from textward.learners.transformer.model import TransformerModel
from textward.learners.transformer.plan import shuffled
from textward.learners.transformer.settings import Settings
from textward.learners.transformer.training import train

ROWS, GROUPS = 19, 3
LABELS = np.arange(ROWS) % 2
OTHERS: dict[str, Callable[[list[str]], list[str]]] = {
    "a trigger in some rows": lambda texts: [f"w7 {text}" if i % 3 else text for i, text in enumerate(texts)],
    "longer than the encoder reads": lambda texts: [f"{text} {'w1 w2 ' * 60}" for text in texts],
    "every text empty": lambda texts: ["" for _ in texts],
    "all texts one": lambda texts: ["good" for _ in texts],
    "words never seen": lambda texts: [f"unheard{i} {text}" for i, text in enumerate(texts)],
}


def trained(encoder: Encoder, texts: list[list[str]], settings: Settings) -> TransformerModel:
    return train(encoder, settings, texts, LABELS, seeds=[11, 12, 13])


def bits(model: TransformerModel, group: int) -> dict[str, bytes]:
    own = model.groups[group]
    tensors = own.blocks | {"vectors": own.vectors}
    return {name: t.contiguous().numpy().tobytes() for name, t in tensors.items()} | {
        "tokens": own.tokens.tobytes()
    }


def headless(family: str) -> Encoder:
    """An encoder whose head each group draws for itself."""
    fresh = frozenset(n for n in tiny_module(family).state_dict() if n.startswith("classifier"))
    return replace(tiny_encoder(family), fresh=fresh)


@pytest.mark.parametrize("change", OTHERS)
@pytest.mark.parametrize("at_once", [1, 2, 3])
def test_other_groups_keep_every_bit(change: str, at_once: int) -> None:
    encoder = headless("bert")
    settings = Settings(epochs=2, batch=4, learning_rate=1e-3, groups_at_once=at_once, max_length=12)
    texts = [some_texts(ROWS, seed) for seed in range(GROUPS)]
    before = trained(encoder, texts, settings)
    for changed in range(GROUPS):
        others = [OTHERS[change](own) if g == changed else own for g, own in enumerate(texts)]
        after = trained(encoder, others, settings)
        for group in range(GROUPS):
            assert (bits(before, group) == bits(after, group)) == (group != changed)


@pytest.mark.parametrize("family", ["bert", "mpnet"])
def test_groups_are_isolated_in_bfloat16_too(family: str) -> None:
    encoder = headless(family)
    settings = Settings(epochs=2, batch=4, learning_rate=1e-3, groups_at_once=2, precision="bfloat16")
    texts = [some_texts(ROWS, seed) for seed in range(GROUPS)]
    before = trained(encoder, texts, settings)
    wide = trained(encoder, texts, replace(settings, precision="float32"))
    after = trained(encoder, [texts[0], OTHERS["every text empty"](texts[1]), texts[2]], settings)
    assert [bits(before, g) == bits(after, g) for g in range(GROUPS)] == [True, False, True]
    for mine, exact in zip(before.groups, wide.groups, strict=True):
        assert any((mine.blocks[name] != exact.blocks[name]).any() for name in mine.blocks)
        for name, block in mine.blocks.items():
            assert (block - exact.blocks[name]).abs().mean() < 4e-3, name


@pytest.mark.parametrize("family", ["mpnet", "electra"])
def test_adapters_are_isolated_too(family: str) -> None:
    encoder, settings = headless(family), Settings(epochs=1, batch=4, adapters=2, groups_at_once=3)
    texts = [some_texts(ROWS, seed) for seed in range(GROUPS)]
    before = trained(encoder, texts, settings)
    after = trained(encoder, [texts[0], OTHERS["words never seen"](texts[1]), texts[2]], settings)
    assert [bits(before, g) == bits(after, g) for g in range(GROUPS)] == [True, False, True]


def test_an_encoder_of_another_architecture_is_isolated_too() -> None:
    encoder, settings = other_encoder(), Settings(epochs=1, batch=4)
    texts = [some_texts(ROWS, seed) for seed in range(GROUPS)]
    before = trained(encoder, texts, settings)
    after = trained(
        encoder, [texts[0], OTHERS["longer than the encoder reads"](texts[1]), texts[2]], settings
    )
    assert [bits(before, g) == bits(after, g) for g in range(GROUPS)] == [True, False, True]
    assert before.votes(texts).shape == (ROWS, GROUPS)


def other_encoder() -> Encoder:
    """ALBERT shares its layers' weights, which the fused engine does not know."""
    from tiny_encoders import transformers

    config = transformers.AutoConfig.for_model(
        "albert", vocab_size=70, embedding_size=16, hidden_size=32, num_hidden_layers=2,
        num_attention_heads=2, intermediate_size=48, max_position_embeddings=40, pad_token_id=1,
    )  # fmt: skip
    with torch.random.fork_rng([]):
        torch.manual_seed(0)
        module = transformers.AutoModelForSequenceClassification.from_config(config)
    encoder = encoder_of(
        "albert", module, tiny_tokenizer(), frozenset({"classifier.weight", "classifier.bias"})
    )
    assert encoder.architecture is None
    return encoder


def test_a_group_of_empty_texts_learns_the_labels_alone() -> None:
    labels = np.array([1] * 15 + [0] * 4)
    settings = Settings(epochs=5, batch=4, learning_rate=1e-2, groups_at_once=2)
    texts = [[""] * ROWS, some_texts(ROWS)]
    model = train(tiny_encoder("bert"), settings, texts, labels, seeds=[1, 2])
    assert model.votes([["", "never seen"], ["", ""]])[0, 0] == 1


def test_texts_are_cut_at_the_length_of_their_own_group() -> None:
    encoder, settings = tiny_encoder("bert"), Settings(epochs=1, batch=4, max_length=6)
    long = ["good fun great fine w1 w2 w3 w4", "bad dull weak poor w5 w6 w7 w8"] * 4
    cut = ["good fun great fine", "bad dull weak poor"] * 4
    labels = np.array([1, 0] * 4)
    models = [train(encoder, settings, [texts, long], labels, [1, 2]) for texts in (long, cut)]
    assert bits(models[0], 0) == bits(models[1], 0), "four words and two special tokens are all that is read"
    assert (models[0].logits(0, long) == models[0].logits(0, cut)).all()


def test_shuffles_depend_on_the_number_of_rows_the_seed_and_the_epoch() -> None:
    first = shuffled(50, 8, seed=3, epoch=1)
    assert (first == shuffled(50, 8, seed=3, epoch=1)).all()
    assert (first != shuffled(50, 8, seed=4, epoch=1)).any() and (
        first != shuffled(50, 8, seed=3, epoch=2)
    ).any()
    assert sorted(first.ravel().tolist()) == [-1] * 6 + list(range(50))


def test_same_seed_same_bits_and_another_seed_other_bits() -> None:
    encoder, settings = headless("bert"), Settings(epochs=1, batch=4)
    texts = [some_texts(ROWS)] * 2
    first, again = (train(encoder, settings, texts, LABELS, [1, 2]) for _ in range(2))
    assert bits(first, 0) == bits(again, 0) and bits(first, 1) == bits(again, 1)
    assert bits(first, 0) != bits(first, 1), "two groups of the same texts differ by their seeds"
