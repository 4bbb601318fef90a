"""Encoders of every family, so small that they train in a blink, with random weights and no download."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

_WHY = "needs the extra: pip install 'textward[transformers]'"
torch = pytest.importorskip("torch", reason=_WHY)
transformers = pytest.importorskip("transformers", reason=_WHY)
tokenizers = pytest.importorskip("tokenizers", reason=_WHY)

SPECIAL = ["<s>", "<pad>", "</s>", "<unk>"]
_REAL = "good fine great fun bad dull weak poor film story cast plot scene ending a an the and of is was not"
WORDS = [*_REAL.split(), *(f"w{number}" for number in range(40))]
FAMILIES = ("bert", "minilm", "mpnet", "roberta", "distilbert", "electra")


def tiny_config(family: str, dropout: float = 0.1, classes: int = 2, words: int = len(WORDS)) -> Any:
    """A configuration of two layers and 32 dimensions."""
    common = {"vocab_size": len(SPECIAL) + words, "pad_token_id": 1, "num_labels": classes}
    if family == "distilbert":
        return transformers.AutoConfig.for_model(
            "distilbert", dim=32, n_layers=2, n_heads=4, hidden_dim=48, max_position_embeddings=40,
            dropout=dropout, attention_dropout=dropout, seq_classif_dropout=dropout, **common,
        )  # fmt: skip
    sizes = {
        "hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 4, "intermediate_size": 48,
        "max_position_embeddings": 40,
        "hidden_dropout_prob": dropout, "attention_probs_dropout_prob": dropout,
    }  # fmt: skip
    if family == "electra":
        sizes["embedding_size"] = 16
    if family == "minilm":
        sizes |= {"num_attention_heads": 8, "intermediate_size": 128}
    return transformers.AutoConfig.for_model("bert" if family == "minilm" else family, **sizes, **common)


def tiny_tokenizer(words: Sequence[str] = WORDS) -> Any:
    """A tokenizer of whole words, with a special token at both ends."""
    known = {word: number for number, word in enumerate([*SPECIAL, *words])}
    tokenizer = tokenizers.Tokenizer(tokenizers.models.WordLevel(known, unk_token="<unk>"))
    tokenizer.pre_tokenizer = tokenizers.pre_tokenizers.Whitespace()
    ends = [("<s>", known["<s>"]), ("</s>", known["</s>"])]
    tokenizer.post_processor = tokenizers.processors.TemplateProcessing(
        single="<s> $A </s>", special_tokens=ends
    )
    names = {"cls_token": "<s>", "pad_token": "<pad>", "sep_token": "</s>", "unk_token": "<unk>"}
    return transformers.PreTrainedTokenizerFast(tokenizer_object=tokenizer, **names)


def tiny_module(
    family: str, dropout: float = 0.1, classes: int = 2, seed: int = 0, words: int = len(WORDS)
) -> Any:
    """Transformers' own module with random weights, larger than a new model's so that every part matters."""
    with torch.random.fork_rng([]):
        torch.manual_seed(seed)
        module = transformers.AutoModelForSequenceClassification.from_config(
            tiny_config(family, dropout, classes, words)
        )
        with torch.no_grad():
            for name, parameter in module.named_parameters():
                norm = "norm" in name.lower() and name.endswith("weight")
                parameter.normal_(1.0 if norm else 0.0, 0.15)
    return module.eval()


def tiny_encoder(family: str, dropout: float = 0.1, classes: int = 2, seed: int = 0) -> Any:
    """An encoder whose head is part of it: every base model starts from the same weights."""
    from textward.learners.transformer.encoder import encoder_of

    return encoder_of(family, tiny_module(family, dropout, classes, seed), tiny_tokenizer(), frozenset())


def save_tiny_encoder(
    folder: Path, family: str = "bert", dropout: float = 0.1, words: Sequence[str] = WORDS
) -> Path:
    """A folder as a user has it: configuration, weights without a head, tokenizer."""
    module = tiny_module(family, dropout, words=len(words))
    module.base_model.save_pretrained(folder)
    tiny_tokenizer(words).save_pretrained(folder)
    assert transformers.AutoTokenizer.from_pretrained(folder)(words[0])["input_ids"][1] == len(SPECIAL)
    return folder


def some_texts(rows: int, seed: int = 0, most: int = 9) -> list[str]:
    """Texts of 0 to ``most`` words."""
    draw = torch.Generator().manual_seed(seed)
    texts = []
    for _ in range(rows):
        length = int(torch.randint(0, most + 1, (1,), generator=draw))
        numbers = torch.randint(0, len(WORDS), (length,), generator=draw).tolist()
        texts.append(" ".join(WORDS[number] for number in numbers))
    return texts
