"""What can go wrong with a request, as RFC 9457 problems; nothing a client sent is repeated raw."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from http import HTTPStatus
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError
from pydantic_core import to_json
from starlette.requests import Request
from starlette.responses import Response

from textward.data.messages import quoted, visible

MEDIA_TYPE = "application/problem+json"
_MOST_ERRORS = 20


class Problem(Exception):  # noqa: N818 - the word of the RFC
    """A refusal: status, kind, and what to do about it.

    >>> Problem(413, "body-too-large", "Send less.").body()["title"]
    'Body too large'
    """

    def __init__(
        self,
        status: int,
        kind: str,
        detail: str,
        *,
        errors: Sequence[Mapping[str, Any]] = (),
        headers: Mapping[str, str] | None = None,
    ) -> None:
        super().__init__(detail)
        self.status, self.kind, self.detail = status, kind, detail
        self.errors, self.headers = tuple(errors), dict(headers or {})

    def body(self) -> dict[str, Any]:
        """The problem as an object for JSON."""
        found: dict[str, Any] = {
            "type": f"urn:textward:problem:{self.kind}",
            "title": self.kind.replace("-", " ").capitalize(),
            "status": self.status,
            "detail": self.detail,
        }
        return found | ({"errors": list(self.errors)} if self.errors else {})

    def response(self) -> Response:
        """The problem as a response."""
        return Response(to_json(self.body()), self.status, self.headers, MEDIA_TYPE)


class ProblemPart(BaseModel):
    """One thing that is wrong with a request's body."""

    pointer: str = Field(description="Where, as a JSON pointer.")
    detail: str


class ProblemBody(BaseModel):
    """A problem by RFC 9457."""

    model_config = ConfigDict(
        json_schema_extra={
            "example": {
                "type": "urn:textward:problem:not-valid",
                "title": "Not valid",
                "status": 422,
                "detail": "The body does not have the form that the API describes.",
                "errors": [{"pointer": "/texts", "detail": "Field required"}],
            }
        }
    )
    type: str
    title: str
    status: int
    detail: str
    errors: list[ProblemPart] = Field(default=[])


def not_valid(error: ValidationError) -> Problem:
    """What pydantic found, without what the client sent.

    >>> from pydantic import TypeAdapter
    >>> try:
    ...     TypeAdapter(list[int]).validate_json('[1, "x"]')
    ... except ValidationError as error:
    ...     not_valid(error).errors[0]["pointer"]
    '/1'
    """
    found = error.errors(include_url=False, include_input=False, include_context=False)
    errors = [{"pointer": _pointer(one["loc"]), "detail": visible(one["msg"])[:300]} for one in found]
    if len(found) == 1 and found[0]["type"] == "json_invalid":
        return Problem(400, "not-json", f"The body is no JSON. {errors[0]['detail']}.")
    detail = "The body does not have the form that the API describes."
    return Problem(422, "not-valid", detail, errors=errors[:_MOST_ERRORS])


def from_status(status: int, detail: object, headers: Mapping[str, str] | None = None) -> Problem:
    """A plain HTTP error.

    >>> from_status(404, "Not Found").kind
    'not-found'
    """
    phrase = HTTPStatus(status).phrase
    return Problem(status, phrase.lower().replace(" ", "-"), f"{detail}.", headers=headers)


async def failed(_request: Request, _error: Exception) -> Response:
    """The answer where textward itself is at fault; the traceback is in the server's log alone."""
    return Problem(500, "internal-error", "The server failed; its log says why.").response()


def _pointer(where: Sequence[int | str]) -> str:
    # Of a union pydantic names the branch that failed, in brackets of its own.
    parts = [str(part) for part in where if not (isinstance(part, str) and part in _BRANCHES)]
    return "".join("/" + quoted(part)[1:-1].replace("~", "~0").replace("/", "~1") for part in parts)


_BRANCHES = {"one", "many"}
