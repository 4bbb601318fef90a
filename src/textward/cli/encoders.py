"""The options of `textward train` that are for encoders, and the learner they make."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from textward.cli.screen import Progress
from textward.data.messages import quoted
from textward.errors import UsageError

ENCODERS = ("transformer", "embedding")


@dataclass(frozen=True, slots=True)
class EncoderWish:
    """What was asked of an encoder; None and the defaults leave it to the learner.

    >>> EncoderWish(epochs=3).given()
    {'--epochs': 3}
    """

    encoder: str | None = None
    epochs: int | None = None
    batch: int | None = None
    learning_rate: float | None = None
    max_length: int | None = None
    adapters: int | None = None
    groups_at_once: str | None = None
    device: str | None = None
    precision: str | None = None
    resume: bool = True

    def given(self) -> dict[str, Any]:
        """The options that were given, by name.

        >>> EncoderWish(device="cpu").given()
        {'--device': 'cpu'}
        """
        names = [name for name in self.__slots__ if name != "resume"]
        found = {f"--{name.replace('_', '-')}": getattr(self, name) for name in names}
        return {name: value for name, value in found.items() if value is not None}

    def learner(self, name: str | None, out: Path, option: str = "--learner") -> tuple[str | None, Any]:
        """The name of the learner and, for an encoder, the learner itself.

        >>> EncoderWish().learner("linear", Path("model"))
        ('linear', 'linear')
        """
        given = self.given()
        chosen = "transformer" if name is None and self.encoder is not None else name
        if chosen not in ENCODERS:
            if given:
                raise UsageError(f"{next(iter(given))} is for {option} transformer or embedding: add it")
            return name, name
        if self.encoder is None:
            raise UsageError(
                f"{option} {chosen} needs --encoder: a folder with config.json, model.safetensors and "
                "tokenizer.json, or a hub name such as bert-base-uncased"
            )
        return chosen, self._made(chosen, given, out)

    def _made(self, chosen: str, given: dict[str, Any], out: Path) -> Any:
        from textward.learners import transformer

        if chosen == "embedding":
            useless = sorted(set(given) - {"--encoder", "--max-length", "--device"})
            if useless:
                raise UsageError(
                    f"{useless[0]} is for --learner transformer; embedding trains no encoder: leave it out"
                )
            return transformer.EmbeddingLearner(
                str(self.encoder), max_length=self.max_length, device=self.device or "auto"
            )
        names = ("epochs", "batch", "learning_rate", "max_length", "adapters", "device", "precision")
        told = {name: getattr(self, name) for name in names if getattr(self, name) is not None}
        settings = transformer.Settings(**told, groups_at_once=_at_once(self.groups_at_once))
        return transformer.TransformerLearner(str(self.encoder), settings, checkpoint=unfinished(out))


def unfinished(out: Path) -> Path:
    """Where a run that was killed left its state: beside the model's folder.

    >>> unfinished(Path("/models/films/")).as_posix()
    '/models/films.unfinished'
    """
    out = out.absolute()
    return out.with_name(f"{out.name}.unfinished")


def watched(learner: Any, progress: Progress) -> Any:
    """Return the learner with its loss shown.

    >>> watched("linear", lambda done, total, note="": None)
    'linear'
    """
    if not hasattr(learner, "on_step"):
        return learner
    return replace(learner, on_step=lambda done, steps, loss: progress(done, steps, f"loss {loss:.3f}"))


def forget(learner: Any) -> None:
    """Delete what an unfinished run left, where there is any.

    >>> forget("linear")
    """
    if getattr(learner, "checkpoint", None) is not None:
        from textward.learners.transformer.checkpoint import Checkpoints

        Checkpoints(learner.checkpoint).clear()


def _at_once(text: str | None) -> Any:
    if text is None or text == "auto":
        return "auto"
    if not text.isascii() or not text.isdigit() or not int(text):
        raise UsageError(f"--groups-at-once {quoted(text)}: give auto, or a whole number such as 3")
    return int(text)
