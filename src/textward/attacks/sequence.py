"""A user's own sequence-to-sequence or style-transfer model as the function of a `Rewrite`."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from textward.attacks.pretrained import pretrained


@dataclass(frozen=True)
class SequenceModel:
    """A folder for transformers: an encoder-decoder model, or a causal one that goes on after `separator`.

    Decoding is greedy, so that equal texts give equal paraphrases. Needs the extra `transformers`.

    >>> SequenceModel("style-transfer/", prefix="bible: ").prefix
    'bible: '
    """

    folder: str | Path
    prefix: str = ""
    separator: str = ""
    max_new_tokens: int = 64
    device: str = "cpu"

    def __call__(self, texts: list[str]) -> list[str]:
        tokenizer, model = self._loaded
        import torch

        asked = [f"{self.prefix}{text}{self.separator}" for text in texts]
        encoded = tokenizer(asked, return_tensors="pt", padding=True, truncation=True).to(self.device)
        with torch.inference_mode():
            answers = model.generate(
                **encoded, max_new_tokens=self.max_new_tokens, do_sample=False, num_beams=1
            )
        if not model.config.is_encoder_decoder:
            answers = answers[:, encoded["input_ids"].shape[1] :]
        return [text.strip() for text in tokenizer.batch_decode(answers, skip_special_tokens=True)]

    @cached_property
    def _loaded(self) -> tuple[Any, Any]:
        tokenizer, model = pretrained(self.folder, "sequence model", self.device, _kind)
        if tokenizer.pad_token is None:
            tokenizer.pad_token = tokenizer.eos_token
        return tokenizer, model


def _kind(config: Any) -> str:
    return "AutoModelForSeq2SeqLM" if config.is_encoder_decoder else "AutoModelForCausalLM"
