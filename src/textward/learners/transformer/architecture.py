"""The encoders that share one shape, told apart by a table of weight names and a few switches."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, Literal

HeadActivation = Literal["tanh", "gelu", "relu"]


@dataclass(frozen=True, slots=True)
class Family:
    """Where one family keeps its weights; every layer's names are relative to ``layer``."""

    prefix: str
    layer: str
    query: str
    key: str
    value: str
    out: str
    norm1: str
    up: str
    down: str
    norm2: str
    head: str
    head_out: str
    head_activation: HeadActivation
    token_type: bool = True
    position_offset: int = 0
    relative_bias: str | None = None
    dropout_before_head: bool = True
    dropout_after_attention: bool = True


BERT = Family(
    prefix="bert",
    layer="encoder.layer.{}",
    query="attention.self.query",
    key="attention.self.key",
    value="attention.self.value",
    out="attention.output.dense",
    norm1="attention.output.LayerNorm",
    up="intermediate.dense",
    down="output.dense",
    norm2="output.LayerNorm",
    head="bert.pooler.dense",
    head_out="classifier",
    head_activation="tanh",
    dropout_before_head=False,
)
ELECTRA = replace(
    BERT,
    prefix="electra",
    head="classifier.dense",
    head_out="classifier.out_proj",
    head_activation="gelu",
    dropout_before_head=True,
)
ROBERTA = replace(ELECTRA, prefix="roberta", head_activation="tanh", position_offset=2)
MPNET = replace(
    ROBERTA,
    prefix="mpnet",
    query="attention.attn.q",
    key="attention.attn.k",
    value="attention.attn.v",
    out="attention.attn.o",
    norm1="attention.LayerNorm",
    token_type=False,
    relative_bias="encoder.relative_attention_bias",
)
DISTILBERT = Family(
    prefix="distilbert",
    layer="transformer.layer.{}",
    query="attention.q_lin",
    key="attention.k_lin",
    value="attention.v_lin",
    out="attention.out_lin",
    norm1="sa_layer_norm",
    up="ffn.lin1",
    down="ffn.lin2",
    norm2="output_layer_norm",
    head="pre_classifier",
    head_out="classifier",
    head_activation="relu",
    token_type=False,
    dropout_before_head=False,
    dropout_after_attention=False,
)
FAMILIES = {
    "bert": BERT,
    "electra": ELECTRA,
    "roberta": ROBERTA,
    "xlm-roberta": ROBERTA,
    "mpnet": MPNET,
    "distilbert": DISTILBERT,
}


@dataclass(frozen=True, slots=True)
class Architecture:
    """An encoder's sizes and switches."""

    family: Family
    hidden: int
    embedding: int
    layers: int
    heads: int
    inner: int
    epsilon: float
    activation: Literal["gelu", "relu"]
    buckets: int
    hidden_dropout: float
    attention_dropout: float
    head_dropout: float
    spread: float

    @property
    def word_table(self) -> str:
        """The name of the table of word vectors."""
        return f"{self.family.prefix}.embeddings.word_embeddings.weight"

    @property
    def head_size(self) -> int:
        """The width of one attention head."""
        return self.hidden // self.heads

    def with_dropout(self, dropout: float | None) -> Architecture:
        """Return the same encoder with one rate of dropout everywhere; None leaves its own."""
        if dropout is None:
            return self
        return replace(self, hidden_dropout=dropout, attention_dropout=dropout, head_dropout=dropout)


def architecture_of(config: Any) -> Architecture | None:
    """Return the shape of a transformers configuration, None where the fused engine does not know it.

    >>> from types import SimpleNamespace
    >>> architecture_of(SimpleNamespace(model_type="gpt2")) is None
    True
    """
    family = FAMILIES.get(config.model_type)
    activation = getattr(config, "hidden_act", getattr(config, "activation", None))
    if family is None or activation not in ("gelu", "relu"):
        return None
    odd = (
        getattr(config, "position_embedding_type", "absolute") not in (None, "absolute")
        or getattr(config, "sinusoidal_pos_embds", False)
        or getattr(config, "is_decoder", False)
        or getattr(config, "add_cross_attention", False)
        or getattr(config, "relative_attention_num_buckets", 32) != 32
        or (family.position_offset and getattr(config, "pad_token_id", 1) != 1)
        or config.hidden_size % config.num_attention_heads
    )
    if odd:
        return None
    hidden_dropout = float(getattr(config, "hidden_dropout_prob", getattr(config, "dropout", 0.0)))
    head_dropout = getattr(config, "seq_classif_dropout", getattr(config, "classifier_dropout", None))
    inner = getattr(config, "intermediate_size", None) or config.hidden_dim
    return Architecture(
        family=family,
        hidden=config.hidden_size,
        embedding=getattr(config, "embedding_size", config.hidden_size),
        layers=config.num_hidden_layers,
        heads=config.num_attention_heads,
        inner=inner,
        epsilon=float(getattr(config, "layer_norm_eps", 1e-12)),
        activation=activation,
        buckets=32 if family.relative_bias else 0,
        hidden_dropout=hidden_dropout,
        attention_dropout=float(
            getattr(config, "attention_probs_dropout_prob", getattr(config, "attention_dropout", 0.0))
        ),
        head_dropout=hidden_dropout if head_dropout is None else float(head_dropout),
        spread=float(config.initializer_range),
    )


@dataclass(frozen=True, slots=True)
class Block:
    """A named block of one base model's weights, and the encoder's weights it is put together from.

    A ``matrix`` is multiplied in the compute precision; the rest stays float32. ``rows`` cuts the source.
    """

    name: str
    shape: tuple[int, ...]
    sources: tuple[str, ...]
    matrix: bool = False
    decays: bool = False
    first_row: int = 0

    @property
    def size(self) -> int:
        """The number of weights."""
        size = 1
        for side in self.shape:
            size *= side
        return size


def blocks(a: Architecture, length: int, classes: int) -> Iterator[Block]:
    """Yield every block of a base model but the word table, the decayed ones before the others.

    >>> from types import SimpleNamespace
    >>> sizes = dict(hidden_size=4, num_attention_heads=2, num_hidden_layers=1, intermediate_size=8)
    >>> bert = SimpleNamespace(model_type="bert", hidden_act="gelu", initializer_range=0.02, **sizes)
    >>> [block.name for block in blocks(architecture_of(bert), 5, 2)][:4]
    ['0.qkv', '0.out', '0.up', '0.down']
    """
    yield from sorted(_blocks(a, length, classes), key=lambda block: (not block.matrix, not block.decays))


def _blocks(a: Architecture, length: int, classes: int) -> Iterator[Block]:
    f, h, e = a.family, a.hidden, a.embedding
    base = f"{f.prefix}.embeddings"
    position = (f"{base}.position_embeddings.weight",)
    yield Block("position", (length, e), position, decays=True, first_row=f.position_offset)
    if f.token_type:
        yield Block("token_type", (1, e), (f"{base}.token_type_embeddings.weight",), decays=True)
    yield Block("norm", (2, e), (f"{base}.LayerNorm.weight", f"{base}.LayerNorm.bias"))
    if e != h:
        project = f"{f.prefix}.embeddings_project"
        yield Block("project", (h, e), (f"{project}.weight",), matrix=True, decays=True)
        yield Block("project_bias", (h,), (f"{project}.bias",))
    if f.relative_bias:
        yield Block("relative", (a.buckets, a.heads), (f"{f.prefix}.{f.relative_bias}.weight",))
    for i in range(a.layers):
        yield from _layer_blocks(a, i)
    yield Block("head", (h, h), (f"{f.head}.weight",), decays=True)
    yield Block("head_bias", (h,), (f"{f.head}.bias",))
    yield Block("head_out", (classes, h), (f"{f.head_out}.weight",), decays=True)
    yield Block("head_out_bias", (classes,), (f"{f.head_out}.bias",))


def _layer_blocks(a: Architecture, i: int) -> Iterator[Block]:
    f, h = a.family, a.hidden
    at = f"{f.prefix}.{f.layer.format(i)}"
    qkv = [f"{at}.{name}" for name in (f.query, f.key, f.value)]
    yield Block(f"{i}.qkv", (3 * h, h), tuple(f"{n}.weight" for n in qkv), matrix=True, decays=True)
    yield Block(f"{i}.out", (h, h), (f"{at}.{f.out}.weight",), matrix=True, decays=True)
    yield Block(f"{i}.up", (a.inner, h), (f"{at}.{f.up}.weight",), matrix=True, decays=True)
    yield Block(f"{i}.down", (h, a.inner), (f"{at}.{f.down}.weight",), matrix=True, decays=True)
    yield Block(f"{i}.qkv_bias", (3 * h,), tuple(f"{n}.bias" for n in qkv))
    for name, dense, norm in (("after_attention", f.out, f.norm1), ("after_inner", f.down, f.norm2)):
        sources = (f"{at}.{dense}.bias", f"{at}.{norm}.weight", f"{at}.{norm}.bias")
        yield Block(f"{i}.{name}", (3, h), sources)
    yield Block(f"{i}.up_bias", (a.inner,), (f"{at}.{f.up}.bias",))
