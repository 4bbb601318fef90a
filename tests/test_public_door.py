"""What `textward` promises to the outside, and that opening the door is cheap."""

from __future__ import annotations

import re
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

import pytest

import textward

ROOT = Path(__file__).parent.parent
PROMISED = {
    "DataError", "MissingExtraError", "ModelError", "NotCertifiableError", "PieceError", "TextGuard",
    "TextwardError", "UsageError", "__version__", "load",
}  # fmt: skip


def test_public_names_are_exactly_the_promised_ones():
    assert set(textward.__all__) == PROMISED == set(dir(textward))
    assert all(getattr(textward, name) is not None for name in PROMISED)


def test_every_other_name_is_refused():
    with pytest.raises(AttributeError, match="no attribute 'textgaurd'"):
        _ = textward.textgaurd


def test_every_error_has_one_root():
    errors = [getattr(textward, name) for name in PROMISED if name.endswith("Error")]
    assert all(issubclass(error, textward.TextwardError) for error in errors)


def test_the_import_loads_nothing_heavy():
    code = "import sys, textward; print(*sys.modules)"
    loaded = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    ).stdout.split()
    assert "textward.errors" in loaded
    assert {"sklearn", "polars", "numpy", "scipy", "torch", "pydantic"}.isdisjoint(loaded)


def test_the_version_agrees_everywhere():
    declared = re.search(r'^version = "(.+)"$', (ROOT / "pyproject.toml").read_text(), re.MULTILINE)
    newest = re.search(r"^## \[?([0-9][^\] ]*)", (ROOT / "CHANGELOG.md").read_text(), re.MULTILINE)
    assert declared and newest
    assert textward.__version__ == declared[1] == newest[1] == version("textward")
