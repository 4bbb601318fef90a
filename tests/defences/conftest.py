"""A tiny encoder that knows the words of the defences' tests."""

from __future__ import annotations

from typing import Any

import pytest
from tests.contracts.defences import ASKED, TEXTS

KNOWN = sorted({word for text in [*TEXTS, *ASKED] for word in text.split()} | {"zq", "zr", "unk"})


@pytest.fixture(scope="session")
def tiny_encoder_folder(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A folder as a user has it; skips where the extra is absent."""
    pytest.importorskip("transformers", reason="needs the extra textward[transformers]")
    from tests.learners.transformer.tiny_encoders import save_tiny_encoder

    return str(save_tiny_encoder(tmp_path_factory.mktemp("encoders") / "tiny", words=KNOWN))


@pytest.fixture(scope="session")
def fast() -> Any:
    """Settings under which a tiny encoder learns in a blink."""
    from textward.learners.transformer.settings import Settings

    return Settings(epochs=6, batch=32, learning_rate=1e-2, weight_decay=0.0, max_length=10, device="cpu")


@pytest.fixture(scope="session")
def tiny_learner(tiny_encoder_folder: str, fast: Any) -> Any:
    """What fine-tunes it."""
    from textward.learners.transformer import TransformerLearner

    return TransformerLearner(tiny_encoder_folder, fast)
