"""The service needs its extra; without it these tests say so."""

from __future__ import annotations

import pytest

for name in ("fastapi", "uvicorn", "prometheus_client", "httpx2"):
    pytest.importorskip(name, reason=f"no {name}: the service was not tested")
