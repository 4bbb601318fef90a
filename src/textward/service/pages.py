"""The page at /, whose three files come from this package; nothing is fetched from elsewhere."""

from __future__ import annotations

from pathlib import Path

from fastapi import APIRouter
from starlette.responses import Response

_FILES = {
    "/": ("index.html", "text/html; charset=utf-8"),
    "/page.css": ("page.css", "text/css; charset=utf-8"),
    "/page.js": ("page.js", "text/javascript; charset=utf-8"),
    "/icon.svg": ("icon.svg", "image/svg+xml"),
}


def page_routes() -> APIRouter:
    """Return the routes of the page.

    >>> sorted(route.path for route in page_routes().routes)
    ['/', '/icon.svg', '/page.css', '/page.js']
    """
    router = APIRouter(include_in_schema=False)
    for path, (name, kind) in _FILES.items():
        _serve(router, path, (Path(__file__).parent / "page" / name).read_bytes(), kind)
    return router


def _serve(router: APIRouter, path: str, content: bytes, kind: str) -> None:
    @router.get(path)
    async def file() -> Response:
        return Response(content, headers={"Cache-Control": "no-cache"}, media_type=kind)
