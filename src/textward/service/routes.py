"""The calls of the API, each with its documents."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter
from pydantic_core import to_json
from starlette.requests import Request
from starlette.responses import Response

from textward.errors import NotCertifiableError
from textward.service.answers import certified_accuracy, description
from textward.service.bodies import parsed
from textward.service.explain import explain, suggested_triggers
from textward.service.problems import MEDIA_TYPE, Problem, ProblemBody
from textward.service.schemas import REQUEST_EXAMPLES, Certified, Explanation, Health, ModelCard, Predictions
from textward.service.state import State

TOKEN_SCHEME = "token"
_METHODS = {"joint": ["joint"], "individual": ["individual"], "both": ["individual", "joint"]}
_PROBLEMS = {
    400: "The body is no JSON.",
    401: "The token is missing or wrong.",
    408: "The body did not come in time.",
    409: "The model has no certificate.",
    413: "The body is too large.",
    415: "The body does not say that it is JSON.",
    422: "The body is not what the API describes.",
    503: "Too much waits; come back after the seconds in Retry-After.",
}


def api_routes(state: State, *, protected: bool) -> APIRouter:
    """Return the routes of everything but the page."""
    router = APIRouter()
    _answering(router, state, protected)
    _describing(router, state, protected)
    _watching(router, state, protected)
    return router


def _answering(router: APIRouter, state: State, protected: bool) -> None:
    certified = state.guard.model_.obstacle is None

    @router.post("/v1/predict", response_model=Predictions, **_with_body(state, "predict", protected))
    async def predict(request: Request) -> Response:
        """Label texts. Every answer comes with the number of trigger words that cannot change it."""
        asked = await parsed(request, state.forms["predict"], state.limits)
        least = asked.min_radius
        if least is not None and not certified:
            raise NotCertifiableError(f"{state.guard.model_.obstacle} Leave min_radius out.")
        texts = [asked.texts] if isinstance(asked.texts, str) else asked.texts
        answers = await state.batcher.submit(texts)
        kept = [least is None or (one.radius or 0) >= least for one in answers]
        state.metrics.answered(answers, len(kept) - sum(kept))
        return _json(
            {"predictions": [_said(state, one, keep) for one, keep in zip(answers, kept, strict=True)]}
        )

    @router.post("/v1/certify", response_model=Certified, **_with_body(state, "certify", protected))
    async def certify(request: Request) -> Response:
        """Say what share of a labelled test set is right, and stays so whatever the trigger."""
        asked = await parsed(request, state.forms["certify"], state.limits)
        if len(asked.texts) != len(asked.labels):
            raise Problem(
                422, "not-valid", f"There are {len(asked.texts):,} texts and {len(asked.labels):,} labels."
            )
        sizes = sorted(set(asked.trigger_sizes))
        found = await state.certifying.run(
            certified_accuracy,
            state.guard,
            asked.texts,
            asked.labels,
            sizes,
            _METHODS[asked.method],
            asked.target,
        )
        return _json(found)

    @router.post("/v1/explain", response_model=Explanation, **_with_body(state, "explain", protected))
    async def explained(request: Request) -> Response:
        """Show one text as the model reads it, and what one named trigger can reach in its vote."""
        asked = await parsed(request, state.forms["explain"], state.limits)
        return _json(await state.explaining.run(explain, state.guard, asked.text, asked.trigger))


def _describing(router: APIRouter, state: State, protected: bool) -> None:
    found = description(state.guard, state.name) | {
        "limits": {
            "text_characters": state.limits.text_characters,
            "texts": state.limits.texts,
            "body_bytes": state.limits.body_bytes,
        },
        "trigger_words": suggested_triggers(state.guard),
    }

    @router.get("/v1/model", response_model=ModelCard, **_without_body(protected))
    async def model() -> Response:
        """Say what the model is, what it was trained on, and what its certificate covers."""
        return _json(found)


def _watching(router: APIRouter, state: State, protected: bool) -> None:
    @router.get("/health/live", response_model=Health)
    async def live() -> Response:
        """Answer as long as the process does."""
        return _json({"status": "live"})

    @router.get("/health/ready", response_model=Health, responses=_problems(False, (503,)))
    async def ready() -> Response:
        """Say whether requests are welcome."""
        if not state.ready:
            raise Problem(503, "not-ready", "The service starts or stops.", headers={"Retry-After": "1"})
        return _json({"status": "ready"})

    @router.get("/metrics", response_class=Response, **_without_body(protected))
    async def metrics() -> Response:
        """Give the figures in Prometheus' format."""
        return Response(state.metrics.page(), media_type=state.metrics.media_type)


def _said(state: State, answer: Any, keep: bool) -> dict[str, Any]:
    votes = dict(zip(state.class_names, answer.votes, strict=True))
    said = {"label": answer.label if keep else None, "votes": votes, "radius": answer.radius}
    return said | {"handed_over": True} if answer.handed_over else said


def _json(value: Any) -> Response:
    return Response(to_json(value), media_type="application/json")


def _with_body(state: State, call: str, protected: bool) -> dict[str, Any]:
    """The documents of a call that reads its body itself."""
    statuses = (400, 408, 413, 415, 422, 503, *((409,) if call != "explain" else ()))
    schema = state.forms[call].model_json_schema()
    content = {"application/json": {"schema": schema, "examples": REQUEST_EXAMPLES[call]}}
    extra: dict[str, Any] = {"requestBody": {"required": True, "content": content}}
    return {"responses": _problems(protected, statuses), "openapi_extra": extra | _security(protected)}


def _without_body(protected: bool) -> dict[str, Any]:
    return {"responses": _problems(protected, ()), "openapi_extra": _security(protected)}


def _security(protected: bool) -> dict[str, Any]:
    return {"security": [{TOKEN_SCHEME: []}]} if protected else {}


def _problems(protected: bool, statuses: tuple[int, ...]) -> dict[int | str, dict[str, Any]]:
    wanted = [*statuses, *((401,) if protected else ())]
    return {
        status: {
            "description": _PROBLEMS[status],
            "content": {MEDIA_TYPE: {"schema": ProblemBody.model_json_schema()}},
        }
        for status in wanted
    }
