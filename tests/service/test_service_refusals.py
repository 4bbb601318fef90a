"""Everything a client can do wrong gets a problem by RFC 9457, with its reason, and never a 500."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from fastapi.testclient import TestClient
from service_models import GUARDS, client

from textward.errors import UsageError
from textward.service import Limits, create_app

SMALL = Limits(text_characters=100, texts=3, body_bytes=2_000, trigger_characters=10)
CALLS = ("/v1/predict", "/v1/certify", "/v1/explain")


@pytest.fixture(scope="module")
def api() -> Any:
    with client(GUARDS["groups"](), SMALL) as found:
        yield found


def problem(response: Any, status: int, kind: str) -> dict[str, Any]:
    assert response.status_code == status, response.text
    assert response.headers["content-type"] == "application/problem+json"
    body: dict[str, Any] = response.json()
    assert body["type"] == f"urn:textward:problem:{kind}"
    assert body["status"] == status
    assert body["title"]
    assert body["detail"]
    return body


@pytest.mark.parametrize("path", CALLS)
@pytest.mark.parametrize("body", [b"", b"{", b"\xff\xfe", b'{"texts": "\\ud800"}', b"nul", b"[" * 1_900])
def test_what_is_no_json(api: TestClient, path: str, body: bytes) -> None:
    problem(api.post(path, content=body, headers={"content-type": "application/json"}), 400, "not-json")


@pytest.mark.parametrize("path", CALLS)
def test_what_does_not_say_that_it_is_json(api: TestClient, path: str) -> None:
    problem(api.post(path, content=b"{}", headers={"content-type": "text/plain"}), 415, "not-json")


@pytest.mark.parametrize(
    ("path", "body", "pointer"),
    [
        ("/v1/predict", {}, "/texts"),
        ("/v1/predict", [], ""),
        ("/v1/predict", {"texts": 7}, "/texts"),
        ("/v1/predict", {"texts": []}, "/texts"),
        ("/v1/predict", {"texts": ["a", None]}, "/texts/1"),
        ("/v1/predict", {"texts": ["a"] * 4}, "/texts"),
        ("/v1/predict", {"texts": "a" * 101}, "/texts"),
        ("/v1/predict", {"texts": ["a", "a" * 101]}, "/texts/1"),
        ("/v1/predict", {"texts": "a", "min_radius": -1}, "/min_radius"),
        ("/v1/predict", {"texts": "a", "min_radius": 1.5}, "/min_radius"),
        ("/v1/predict", {"texts": "a", "min_radius": True}, "/min_radius"),
        ("/v1/predict", {"texts": "a", "a/b~c\u202e": 1}, "/a~1b~0c\\u202e"),
        ("/v1/certify", {"texts": ["a"]}, "/labels"),
        ("/v1/certify", {"texts": ["a"], "labels": ["positive"], "method": "guess"}, "/method"),
        ("/v1/certify", {"texts": ["a"], "labels": ["positive"], "trigger_sizes": [101]}, "/trigger_sizes/0"),
        ("/v1/explain", {"text": "a", "trigger": "b" * 11}, "/trigger"),
    ],
)
def test_what_the_api_does_not_describe(api: TestClient, path: str, body: Any, pointer: str) -> None:
    found = problem(api.post(path, json=body), 422, "not-valid")
    assert found["errors"][0]["pointer"] == pointer


def test_labels_that_do_not_fit(api: TestClient) -> None:
    def certify(**changes: Any) -> Any:
        return api.post("/v1/certify", json={"texts": ["a"], "labels": ["positive"]} | changes)

    assert "1 texts and 2 labels" in problem(certify(labels=["a", "b"]), 422, "not-valid")["detail"]
    problem(certify(labels=["<b>no such class</b>"]), 422, "not-valid")
    assert "GET /v1/model" in problem(certify(target="nobody"), 422, "not-valid")["detail"]


def test_a_body_over_the_limit(api: TestClient) -> None:
    refused = api.post("/v1/predict", content=b" " * 2_001, headers={"content-type": "application/json"})
    assert "2,000" in problem(refused, 413, "body-too-large")["detail"]
    assert refused.headers["connection"] == "close"


def test_paths_and_methods_that_are_not_there(api: TestClient) -> None:
    problem(api.get("/v2"), 404, "not-found")
    problem(api.get("/v1/predict/"), 404, "not-found")
    refused = api.get("/v1/predict")
    problem(refused, 405, "method-not-allowed")
    assert refused.headers["allow"] == "POST"


def test_a_token_is_asked_for_where_answers_are_and_nowhere_else() -> None:
    token = "correct-horse-battery"
    with client(GUARDS["groups"](), token=token) as api:
        for path in ("/v1/model", "/metrics"):
            refused = api.get(path)
            problem(refused, 401, "no-token")
            assert refused.headers["www-authenticate"] == "Bearer"
            for wrong in (f"Bearer {token}x", token, "Bearer ", f"Basic {token}"):
                assert api.get(path, headers={"authorization": wrong}).status_code == 401
            assert api.get(path, headers={"authorization": f"Bearer {token}"}).status_code == 200
        assert api.post("/v1/predict", json={"texts": "a"}).status_code == 401
        for path in ("/", "/page.js", "/health/live", "/health/ready", "/openapi.json"):
            assert api.get(path).status_code == 200
        assert api.get("/openapi.json").json()["components"]["securitySchemes"]["token"]["scheme"] == "bearer"


async def asked(app: Any, receive: Any, path: str = "/v1/predict") -> dict[str, Any]:
    """One request by hand; what was sent back."""
    scope = {
        "type": "http", "method": "POST", "path": path, "raw_path": path.encode(), "query_string": b"",
        "headers": [(b"content-type", b"application/json")], "scheme": "http", "http_version": "1.1",
        "server": ("test", 80), "client": ("test", 1), "root_path": "",
    }  # fmt: skip
    sent: dict[str, Any] = {"body": b""}

    async def send(message: dict[str, Any]) -> None:
        sent["body"] += message.get("body", b"")
        sent.update({key: value for key, value in message.items() if key in ("status", "headers")})

    await app(scope, receive, send)
    return sent


def test_a_body_that_never_comes_and_a_connection_that_is_cut() -> None:
    app = create_app(GUARDS["groups"](), limits=Limits(body_seconds=1))

    async def never() -> dict[str, Any]:
        await asyncio.sleep(60)
        raise AssertionError

    async def cut() -> dict[str, Any]:
        return {"type": "http.disconnect"}

    async def both() -> list[dict[str, Any]]:
        async with app.router.lifespan_context(app):
            return [await asked(app, never), await asked(app, cut)]

    slow, gone = asyncio.run(both())
    assert (slow["status"], gone["status"]) == (408, 400)


def test_requests_over_the_limit_are_told_when_to_come_back() -> None:
    app = create_app(GUARDS["groups"](), limits=Limits(requests=2, body_seconds=2))
    open_bodies = asyncio.Event

    async def crowd() -> tuple[dict[str, Any], dict[str, Any]]:
        let_go = open_bodies()

        async def later() -> dict[str, Any]:
            await let_go.wait()
            return {"type": "http.request", "body": b'{"texts": "good"}', "more_body": False}

        async with app.router.lifespan_context(app):
            inside = [asyncio.create_task(asked(app, later)) for _ in range(2)]
            await asyncio.sleep(0.01)
            third = await asked(app, later)
            let_go.set()
            assert [one["status"] for one in await asyncio.gather(*inside)] == [200, 200]
            return third, await asked(app, later)

    refused, afterwards = asyncio.run(crowd())
    assert refused["status"] == 503
    assert (b"retry-after", b"1") in refused["headers"]
    assert b"urn:textward:problem:busy" in refused["body"]
    assert afterwards["status"] == 200


def test_a_fault_of_textward_s_own_shows_no_more_than_that(monkeypatch: pytest.MonkeyPatch) -> None:
    app = create_app(GUARDS["groups"]())
    monkeypatch.setattr("textward.service.routes.explain", lambda *_: 1 / 0)
    with TestClient(app, raise_server_exceptions=False) as api:
        found = api.post("/v1/explain", json={"text": "secret"})
        problem(found, 500, "internal-error")
        assert "ZeroDivisionError" not in found.text
        assert 'route="/v1/explain",status="500"' in api.get("/metrics").text


def test_limits_are_judged() -> None:
    with pytest.raises(UsageError, match="body_seconds must be at least 1, got 0"):
        Limits(body_seconds=0)
