"""Names that every doctest may use, and what can be collected without the extras."""

from __future__ import annotations

from importlib.util import find_spec

import numpy as np
import polars as pl
import pytest

_ENCODERS = "src/textward/learners/transformer"
collect_ignore_glob = [] if find_spec("triton") else [f"{_ENCODERS}/gpu*.py"]
if not (find_spec("torch") and find_spec("transformers")):
    collect_ignore_glob.append(f"{_ENCODERS}/[!_s]*.py")
if not all(map(find_spec, ("fastapi", "prometheus_client", "uvicorn"))):
    collect_ignore_glob.append("src/textward/service/*.py")


@pytest.fixture(autouse=True)
def _doctest_names(doctest_namespace: dict[str, object]) -> None:
    doctest_namespace["np"] = np
    doctest_namespace["pl"] = pl
