"""What the API answers: equal to the library's to the last vote, for every kind of model."""

from __future__ import annotations

from typing import Any

import pytest
from service_models import GUARDS, HOSTILE, THREE, TWO, client, unstable

from textward import TextGuard


@pytest.fixture(scope="module", params=GUARDS)
def guard(request: pytest.FixtureRequest) -> TextGuard:
    found = GUARDS[request.param]()
    assert isinstance(found, TextGuard)
    return found


def expected(guard: TextGuard, texts: list[str]) -> list[dict[str, Any]]:
    found = guard.certify(texts)
    names = list(map(str, guard.classes_.tolist()))
    return [
        {"label": label, "votes": dict(zip(names, votes, strict=True)), "radius": radius}
        for label, votes, radius in zip(
            found.labels.tolist(), found.tally.tolist(), found.radius.tolist(), strict=True
        )
    ]


def test_predictions_equal_the_library_s_to_the_last_vote(guard: TextGuard) -> None:
    texts = [*HOSTILE, *TWO[0][:40], *THREE[0][-40:]]
    with client(guard) as api:
        together = api.post("/v1/predict", json={"texts": texts})
        assert together.status_code == 200
        assert together.json()["predictions"] == expected(guard, texts)
        alone = [api.post("/v1/predict", json={"texts": text}).json()["predictions"] for text in texts]
    assert [one for (one,) in alone] == expected(guard, texts)


def test_certified_accuracy_equals_the_library_s(guard: TextGuard) -> None:
    texts, labels = TWO[0][::3], [str(label) for label in guard.predict(TWO[0][::3]).tolist()]
    with client(guard) as api:
        found = api.post("/v1/certify", json={"texts": texts, "labels": labels, "trigger_sizes": [2, 0, 1]})
    assert found.status_code == 200, found.text
    body = found.json()
    assert (body["n"], body["trigger_sizes"]) == (len(texts), [0, 1, 2])
    assert body["assumptions"] == guard.assumptions()
    for method in ("joint", "individual"):
        ours = guard.certified_accuracy(texts, guard.predict(texts), range(3), method)
        assert body["certified_accuracy"][method]["all"] == list(ours.all)


def test_it_abstains_below_the_radius_asked_for(guard: TextGuard) -> None:
    texts = TWO[0][:20] + HOSTILE
    least = max(1, int(guard.certify(texts).radius.max()))
    with client(guard) as api:
        found = api.post("/v1/predict", json={"texts": texts, "min_radius": least}).json()["predictions"]
    for said, plain in zip(found, expected(guard, texts), strict=True):
        assert said == plain | {"label": plain["label"] if plain["radius"] >= least else None}


def test_the_model_tells_what_it_is(guard: TextGuard) -> None:
    with client(guard) as api:
        found = api.get("/v1/model").json()
    assert found["name"] == "films"
    assert found["classes"] == guard.classes_.tolist()
    assert found["certified"] is True
    assert found["training"]["digest"] == guard.training_.digest
    assert found["assumptions"] == guard.assumptions()
    assert found["limits"]["texts"] == 256


def test_a_model_without_a_certificate_predicts_and_promises_nothing() -> None:
    guard = TextGuard(groups=5, words=unstable).fit(*TWO)
    assert guard.model_.obstacle is not None
    with client(guard) as api:
        (one,) = api.post("/v1/predict", json={"texts": TWO[0][0]}).json()["predictions"]
        assert one["radius"] is None
        assert one["label"] == guard.predict(TWO[0][:1])[0]
        for path, body in (
            ("/v1/predict", {"texts": "a", "min_radius": 0}),
            ("/v1/certify", {"texts": ["a"], "labels": ["positive"]}),
        ):
            refused = api.post(path, json=body)
            assert refused.status_code == 409
            assert refused.json()["type"] == "urn:textward:problem:not-certifiable"
        shown = api.post("/v1/explain", json={"text": "good film", "trigger": "cf"}).json()
        assert (shown["radius"], shown["falls"]) == (None, None)
        assert (shown["trigger"]["stands"], shown["trigger"]["worst"]) == (None, None)
        assert api.get("/v1/model").json()["certified"] is False


def test_health_and_figures() -> None:
    with client(GUARDS["groups"]()) as api:
        assert api.get("/health/live").json() == {"status": "live"}
        assert api.get("/health/ready").json() == {"status": "ready"}
        api.post("/v1/predict", json={"texts": ["secret words", "good"], "min_radius": 100})
        api.get("/no/such/place/that-a-client-made-up")
        page = api.get("/metrics").text
    assert 'textward_requests_total{route="/v1/predict",status="200"} 1.0' in page
    assert 'textward_requests_total{route="other",status="404"} 1.0' in page
    assert "textward_abstained_total 2.0" in page
    assert "secret" not in page
    assert "made-up" not in page


def test_the_openapi_has_examples_that_work() -> None:
    with client(GUARDS["groups"]()) as api:
        calls = api.get("/openapi.json").json()["paths"]
        assert set(calls) == {
            "/v1/predict", "/v1/certify", "/v1/explain", "/v1/model",
            "/health/live", "/health/ready", "/metrics",
        }  # fmt: skip
        for path, methods in calls.items():
            for method, call in methods.items():
                assert call["description"]
                body = call.get("requestBody", {}).get("content", {}).get("application/json", {})
                for example in body.get("examples", {}).values():
                    assert api.request(method, path, json=example["value"]).status_code == 200


def test_headers_let_a_browser_load_nothing_from_elsewhere() -> None:
    with client(GUARDS["groups"]()) as api:
        for path in ("/", "/v1/model", "/nowhere"):
            headers = api.get(path).headers
            assert headers["content-security-policy"].startswith("default-src 'none'")
            assert headers["x-content-type-options"] == "nosniff"
