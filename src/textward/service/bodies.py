"""A request's body: read no further than the limits, and turned into what the schema says."""

from __future__ import annotations

from typing import Any

import anyio
from pydantic import BaseModel, ValidationError
from starlette.requests import Request

from textward.service.problems import Problem, not_valid
from textward.service.settings import Limits

_DRAINED = 8
"""So many times the limit is thrown away, so that the client comes to read why it was refused."""


async def parsed(request: Request, form: type[BaseModel], limits: Limits) -> Any:
    """The body as the form describes it, or the problem with it."""
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind != "application/json":
        raise Problem(
            415, "not-json", "Send JSON, and say so with the header Content-Type: application/json."
        )
    try:
        return form.model_validate_json(await _body(request, limits))
    except ValidationError as error:
        raise not_valid(error) from None


async def _body(request: Request, limits: Limits) -> bytes:
    parts, size = [], 0
    most = limits.body_bytes
    try:
        with anyio.fail_after(limits.body_seconds):
            more = True
            while more:
                message = await request.receive()
                if message["type"] == "http.disconnect":
                    raise Problem(400, "cut-off", "The connection was cut before the body had come.")
                part = message.get("body", b"")
                size += len(part)
                if size <= most:
                    parts.append(part)
                elif size > _DRAINED * most:
                    break
                more = message.get("more_body", False)
    except TimeoutError:
        raise Problem(
            408,
            "too-slow",
            f"The body did not come within {limits.body_seconds:g} s.",
            headers={"Connection": "close"},
        ) from None
    if size > most:
        raise Problem(
            413,
            "body-too-large",
            f"The body has more than {most:,} bytes. Send fewer texts at once.",
            headers={"Connection": "close"},
        )
    return b"".join(parts)
