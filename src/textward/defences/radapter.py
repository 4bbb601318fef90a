"""R-Adapter (Zhu et al., 2022): a frozen encoder, and adapters with little room to learn a trigger."""

from __future__ import annotations

from typing import Literal, get_args

import polars as pl

from textward.certificates.votes import check_integer
from textward.defences.base import Classifier, Defence, Plain
from textward.errors import UsageError
from textward.learners.transformer.extra import require_extra
from textward.learners.transformer.settings import Settings
from textward.words.columns import IntArray

After = Literal["projection", "norm"]
PUBLISHED = Settings(epochs=10, batch=32, learning_rate=3e-4, weight_decay=0.0, warmup=0.0)


class RAdapter(Defence):
    """Trains bottleneck adapters and the classifier of an encoder, and nothing else of it.

    Every adapter is a projection to `bottleneck` dimensions and back, added to the output of the attention
    and of the inner layer of each block. The weights of all of them are one vector, which a network of two
    layers makes of a code of `through` numbers: this reparameterisation is what keeps training in the stage
    where the task is learned and the trigger is not yet. `after="norm"` puts the adapters behind each layer
    norm, as the published code does, rather than before the residual is added, as adapters are defined.

    >>> RAdapter("minilm/", bottleneck=8).settings.epochs
    10
    """

    def __init__(
        self,
        encoder: str = "bert-base-uncased",
        seed: int = 0,
        *,
        bottleneck: int = 24,
        through: int = 2,
        after: After = "projection",
        settings: Settings = PUBLISHED,
    ) -> None:
        super().__init__(encoder, seed)
        self.encoder = encoder
        self.bottleneck = bottleneck
        self.through = through
        self.after = after
        self.settings = settings

    def train(self, texts: pl.Series, labels: IntArray, classes: int) -> Classifier:
        check_integer("bottleneck", self.bottleneck, least=1)
        check_integer("through", self.through, least=1)
        if self.after not in get_args(After):
            raise UsageError(f"after must be one of {', '.join(get_args(After))}, got {self.after!r}")
        require_extra("R-Adapter")
        from textward.defences.bottleneck import Shape, train_adapters

        shape = Shape(self.bottleneck, self.through, self.after == "norm")
        return Plain(train_adapters(self.encoder, self.settings, shape, texts, labels, classes, self.seed))
