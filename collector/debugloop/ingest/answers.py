"""What the collector answers: through aiohttp, and as bare bytes where there is no whole request."""

from __future__ import annotations

from http import HTTPStatus
from typing import TYPE_CHECKING, Final

import orjson
from aiohttp import web

from debugloop.ingest.gate import METHODS, cors_headers
from debugloop.ingest.intake import Outcome

if TYPE_CHECKING:
    from debugloop.ingest.gate import Refusal

SERVER: Final = "debugloop"
_JSON: Final = "application/json"


def stored(origin: str | None) -> web.Response:
    """204: what the request held is in the file."""
    return web.Response(status=204, headers={"Server": SERVER, **cors_headers(origin)})


def sampled(origin: str | None, **more: object) -> web.Response:
    """202: left out by flood control, and counted."""
    fields = {"Server": SERVER, "Content-Type": _JSON, **cors_headers(origin)}
    return web.Response(status=202, body=_sampled_body(**more), headers=fields)


def preflight(fields: dict[str, str]) -> web.Response:
    """204 for ``OPTIONS``."""
    return web.Response(status=204, headers={"Server": SERVER, **fields})


def refused(refusal: Refusal, origin: str | None, **more: object) -> web.Response:
    """A refusal, readable for a page of an allowed origin. ``more`` are further members of its body."""
    return web.Response(status=refusal.status, body=body(refusal, **more), headers=headers(refusal, origin))


def whole(origin: str | None, date: str, outcome: Outcome, *, close: bool) -> bytes:
    """A whole response to a single event that was stored or sampled, as aiohttp would write it."""
    content = _sampled_body() if outcome is Outcome.SAMPLED else b""
    fields = {"Server": SERVER, **({"Content-Type": _JSON} if content else {}), **cors_headers(origin)}
    if content:
        fields["Content-Length"] = str(len(content))
    fields["Date"] = date
    if close:
        fields["Connection"] = "close"
    return _head(HTTPStatus.ACCEPTED if content else HTTPStatus.NO_CONTENT, fields) + content


def bare(refusal: Refusal, origin: str | None) -> bytes:
    """A whole response to a client that sent no whole request; the connection ends with it."""
    content = body(refusal)
    fields = {**headers(refusal, origin), "Content-Length": str(len(content)), "Connection": "close"}
    return _head(HTTPStatus(refusal.status), fields) + content


def body(refusal: Refusal, **more: object) -> bytes:
    """``{"error", "message", …}`` on one line."""
    return orjson.dumps({"error": refusal.code, "message": refusal.message, **more}) + b"\n"


def _head(status: HTTPStatus, fields: dict[str, str]) -> bytes:
    lines = [f"HTTP/1.1 {status.value} {status.phrase}", *map(": ".join, fields.items())]
    return "\r\n".join((*lines, "", "")).encode("ascii")


def _sampled_body(**more: object) -> bytes:
    return orjson.dumps({"sampled": True, **more}) + b"\n"


def headers(refusal: Refusal, origin: str | None) -> dict[str, str]:
    """The headers of a refusal."""
    fields = {"Server": SERVER, "Content-Type": _JSON, **cors_headers(origin)}
    return {**fields, "Allow": METHODS} if refusal.status == HTTPStatus.METHOD_NOT_ALLOWED else fields
