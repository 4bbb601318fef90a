"""Models of a user's own that write or weigh texts: a folder that transformers loads, never the network."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from textward.data.messages import visible
from textward.errors import UsageError
from textward.learners.transformer.extra import require_extra


def pretrained(folder: str | Path, what: str, device: str, kind: Callable[[Any], str]) -> tuple[Any, Any]:
    """The tokenizer and the model of a folder; `kind` names transformers' class for a configuration.

    >>> pretrained("nowhere/", "language model", "cpu", lambda config: "AutoModelForCausalLM")
    Traceback (most recent call last):
    textward.errors.UsageError: no language model could be loaded from nowhere/: there is no such folder
    """
    require_extra(f"a {what}")
    import transformers

    from textward.learners.transformer.encoder import quiet

    refused = f"no {what} could be loaded from {visible(str(folder))}"
    if not Path(folder).is_dir():
        raise UsageError(f"{refused}: there is no such folder")
    try:
        with quiet():
            config = transformers.AutoConfig.from_pretrained(folder)
            side = "right" if config.is_encoder_decoder else "left"
            tokenizer: Any = transformers.AutoTokenizer.from_pretrained(folder, padding_side=side)
            model = getattr(transformers, kind(config)).from_pretrained(folder).to(device).eval()
    except (OSError, ValueError, RuntimeError) as error:
        raise UsageError(f"{refused}: {error}") from error
    return tokenizer, model
