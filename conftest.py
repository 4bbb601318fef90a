"""Names that every doctest may use, the browser, and what can be collected without the extras."""

from __future__ import annotations

from collections.abc import Iterator
from importlib.util import find_spec
from typing import TYPE_CHECKING

import numpy as np
import polars as pl
import pytest

from clusters import cluster, trouble, two_nodes  # noqa: F401 - fixtures

if TYPE_CHECKING:
    from playwright.sync_api import Browser

_ENCODERS = "src/textward/learners/transformer"
collect_ignore_glob = [] if find_spec("triton") else [f"{_ENCODERS}/gpu*.py"]
if not (find_spec("torch") and find_spec("transformers")):
    collect_ignore_glob.append(f"{_ENCODERS}/[!_s]*.py")
    collect_ignore_glob += [f"src/textward/defences/{name}.py" for name in ("bottleneck", "perturbation")]
if not all(map(find_spec, ("fastapi", "prometheus_client", "uvicorn"))):
    collect_ignore_glob.append("src/textward/service/*.py")
if not find_spec("ray"):
    collect_ignore_glob.append("src/textward/engine/cluster.py")


@pytest.fixture(autouse=True)
def _doctest_names(doctest_namespace: dict[str, object]) -> None:
    doctest_namespace["np"] = np
    doctest_namespace["pl"] = pl


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """Debian's Chromium; a test that asks for it is marked `in_chromium`."""
    from playwright.sync_api import sync_playwright

    from chromium import CHROMIUM, FLAGS

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=str(CHROMIUM), args=FLAGS)
        yield browser
        browser.close()
