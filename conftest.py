"""Names that every doctest may use."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest


@pytest.fixture(autouse=True)
def _doctest_names(doctest_namespace: dict[str, object]) -> None:
    doctest_namespace["np"] = np
    doctest_namespace["pl"] = pl
