"""Requests made out of the service's own OpenAPI: nothing else comes back, and nothing grows."""

from __future__ import annotations

import gc
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, seed, settings
from service_models import GUARDS, client, served

pytest.importorskip("schemathesis", reason="no schemathesis: the service was not fuzzed")

FEW = settings(
    max_examples=8,
    database=None,
    deadline=None,
    phases=[Phase.generate],
    suppress_health_check=[*HealthCheck],
)


@pytest.mark.filterwarnings("default")
@pytest.mark.parametrize("kind", ["groups", "three classes, ballots"])
def test_it_keeps_to_its_own_openapi(kind: str) -> None:
    import requests
    import schemathesis
    from schemathesis.specs.openapi.checks import negative_data_rejection, positive_data_acceptance

    statuses: Counter[int] = Counter()
    with served(GUARDS[kind]()) as where, requests.Session() as session:
        schema: Any = schemathesis.openapi.from_url(f"{where}/openapi.json")

        def ask(case: Any) -> None:
            answer = case.call(session=session, timeout=30)
            statuses[answer.status_code] += 1
            # A schema cannot say that there are as many labels as texts, and all of them the model's own.
            excluded = [positive_data_acceptance] if case.path == "/v1/certify" else []
            if answer.status_code == 413:  # which is said before the body is looked at
                excluded = [positive_data_acceptance, negative_data_rejection]
            case.validate_response(answer, excluded_checks=excluded)

        for operation in (found.ok() for found in schema.get_all_operations()):
            for mode in (
                schemathesis.GenerationMode if operation.body else [schemathesis.GenerationMode.POSITIVE]
            ):
                seed(0)(FEW(given(operation.as_strategy(mode))(ask)))()
    assert max(statuses) < 500
    assert {200, 422} <= set(statuses)


def test_a_whole_number_may_be_written_with_a_point() -> None:
    with client(GUARDS["groups"]()) as api:
        for size, status in ((1.0, 200), (1, 200), (1.5, 422), (True, 422), ("1", 422)):
            assert api.post("/v1/predict", json={"texts": "a", "min_radius": size}).status_code == status


@pytest.mark.skipif(not Path("/proc/self/fd").is_dir(), reason="no /proc: open files were not counted")
def test_neither_files_nor_objects_are_left_behind() -> None:
    with client(GUARDS["ballots"]()) as api:

        def ask(times: int) -> tuple[int, int]:
            for n in range(times):
                api.post("/v1/predict", json={"texts": f"good film {n}", "min_radius": n % 3})
                api.post("/v1/predict", content=b"{", headers={"content-type": "application/json"})
                api.get(f"/nowhere/{n}")
            gc.collect()
            return len([*Path("/proc/self/fd").iterdir()]), len(gc.get_objects())

        ask(30)
        files, objects = ask(30)
        files_later, objects_later = ask(120)
        assert files_later <= files
        assert objects_later - objects < 100
