"""Who may speak to the collector: pure judgement of a request's head, in the order of the contract.

Browsers enforce CORS on what a page may read, not on what it may send: a ``no-cors`` POST of text arrives
without any preflight. So an origin is judged on every request, and its answer tells the page what happened.

Sources: Fetch standard (CORS, https://fetch.spec.whatwg.org), RFC 6454 (origins), RFC 9110 (HTTP), Private
Network Access (https://wicg.github.io/private-network-access) and its successor Local Network Access.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from hmac import compare_digest
from typing import Final, Literal, TypeAlias

from debugloop.errors import InvalidOrigin

Encoding: TypeAlias = Literal["identity", "gzip", "deflate"]

METHODS: Final = "POST, OPTIONS"
PREFLIGHT_SECONDS: Final = 7_200
"""How long a browser may remember a preflight; Chromium keeps none longer."""

_HOST = re.compile(r"(?:localhost|127\.0\.0\.1|\[::1\])(?::[0-9]{0,5})?", re.IGNORECASE)
_TARGET = re.compile(r"https?://([^/?#]*)([^?#]*)", re.IGNORECASE)
_ORIGIN = re.compile(r"([a-z][a-z0-9+.-]*)://(\[[0-9a-f:.]+\]|[a-z0-9._-]+)(?::([0-9]{1,5}))?", re.IGNORECASE)
_HEADER_VALUE = re.compile(r"[\t -~]{1,4096}")
_METHOD = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]{1,64}")
_LOCAL_HOSTS = frozenset({"localhost", "127.0.0.1", "[::1]"})
_DEFAULT_PORTS = {"http": "80", "https": "443"}
_OPAQUE = frozenset({"null", "file://"})
"""What browsers send as the origin of files and sandboxed pages: no host, so only allowed by name."""


@dataclass(frozen=True, slots=True)
class Head:
    """What the gate looks at. Headers that may come twice are sequences; ``target`` is as sent."""

    method: str
    target: str
    hosts: Sequence[str]
    origins: Sequence[str] = ()
    encodings: Sequence[str] = ()
    length: int | None = None
    """Content-Length, None for a chunked body."""
    asked_method: str | None = None
    asked_headers: str | None = None
    asked_private: bool = False
    asked_local: bool = False


@dataclass(frozen=True, slots=True)
class Rules:
    """What one collector lets in: its secret path, origins allowed besides the local ones, bytes of a body."""

    path: str
    allowed: frozenset[str] = frozenset()
    limit: int = 65_536


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why a request is not stored: the answer's status, its code, its sentence, and what would let it in."""

    status: int
    code: str
    message: str
    mend: str | None = None


@dataclass(frozen=True, slots=True)
class Judgement:
    """The gate's word on a head.

    ``origin`` is the allowed origin, for `cors_headers`; None for none or a refused one. Without ``refusal``
    the request is a preflight or its body may be read.
    """

    origin: str | None = None
    refusal: Refusal | None = None
    preflight: bool = False
    encoding: Encoding = "identity"


def judge(head: Head, rules: Rules) -> Judgement:
    """Judge a request by its head alone; what the body adds is judged when it has been read."""
    authority, path = split_target(head.target)
    named = (*head.hosts, authority) if authority is not None else tuple(head.hosts)
    if len(head.hosts) != 1 or not all(map(_HOST.fullmatch, named)):
        return Judgement(refusal=WRONG_HOST)
    if not head.origins:
        origin = None
    elif len(head.origins) == 1 and origin_allowed(head.origins[0], rules.allowed):
        origin = head.origins[0]
    else:
        return Judgement(refusal=origin_refused(head.origins[0]) if len(head.origins) == 1 else _TWO_ORIGINS)
    if head.method == "OPTIONS":
        return Judgement(origin, preflight=True)
    if not compare_digest(path.encode("utf-8", "surrogateescape"), rules.path.encode()):
        return Judgement(origin, _NOT_FOUND)
    if head.method != "POST":
        return Judgement(origin, _METHOD_NOT_ALLOWED)
    encoding = _encoding(head.encodings)
    if encoding is None:
        return Judgement(origin, _UNSUPPORTED_ENCODING)
    if head.length is not None and head.length > rules.limit:
        return Judgement(origin, too_large(rules.limit))
    return Judgement(origin, encoding=encoding)


def split_target(target: str) -> tuple[str | None, str]:
    """The authority (None in the usual form) and the path of a request target, without its query."""
    if match := _TARGET.match(target):
        return match[1], match[2] or "/"
    return None, re.split(r"[?#]", target, maxsplit=1)[0]


def origin_allowed(text: str, allowed: frozenset[str] = frozenset()) -> bool:
    """Whether pages of this origin may send: those of this machine, and those allowed by name.

    The parsed host is compared, label by label: ``localhost.evil.example`` ends and
    ``127.0.0.1.evil.example`` begins like a local name.
    """
    if (normal := normal_origin(text)) is None:
        return False
    if normal in allowed:
        return True
    scheme, _, rest = normal.partition("://")
    host = rest if rest.endswith("]") else rest.rpartition(":")[0] or rest
    labels = host.split(".")
    local = host in _LOCAL_HOSTS or (len(labels) > 1 and labels[-1] == "localhost" and all(labels))
    return local and scheme in _DEFAULT_PORTS


def normal_origin(text: str) -> str | None:
    """The origin in lower case without its scheme's default port, or None for text that is no single origin.

    User information, a path, a query or anything else beside scheme, host and port makes it none.
    """
    if text in _OPAQUE:
        return text
    match = _ORIGIN.fullmatch(text) if len(text) <= 300 else None  # noqa: PLR2004 -- longer than any host name
    if match is None:
        return None
    scheme, host, port = match[1].lower(), match[2].lower(), match[3]
    if port is not None and int(port) > 65_535:  # noqa: PLR2004 -- the highest port
        return None
    return f"{scheme}://{host}" + ("" if port in {None, _DEFAULT_PORTS.get(scheme)} else f":{port}")


def exact_origin(text: str) -> str:
    """What ``--allow-origin`` was given, as `Rules.allowed` holds it. Raises InvalidOrigin."""
    normal = normal_origin(text.strip().removesuffix("/") if "://" in text and text != "file://" else text)
    if normal is None:
        raise InvalidOrigin(text)
    return normal


def cors_headers(origin: str | None) -> dict[str, str]:
    """The headers of every answer: with them a page of an allowed origin can read also a refusal."""
    if origin is None:
        return {"Vary": "Origin"}
    return {"Access-Control-Allow-Origin": origin, "Access-Control-Allow-Credentials": "true", "Vary": "Origin"}


def preflight_headers(head: Head, origin: str | None) -> dict[str, str]:
    """The answer to ``OPTIONS``: whatever the page wants to send, tracing headers of any name too, it may."""
    headers = {"Allow": METHODS, **cors_headers(origin)}
    if origin is None:
        return headers
    asked = head.asked_method
    headers["Access-Control-Allow-Methods"] = asked if asked and _METHOD.fullmatch(asked) else METHODS
    if head.asked_headers and _HEADER_VALUE.fullmatch(head.asked_headers):
        # a list: with credentials, * would mean a header of that name
        headers["Access-Control-Allow-Headers"] = head.asked_headers
    if head.asked_private:
        headers["Access-Control-Allow-Private-Network"] = "true"
    if head.asked_local:
        headers["Access-Control-Allow-Local-Network"] = "true"
    headers["Access-Control-Max-Age"] = str(PREFLIGHT_SECONDS)
    headers["Vary"] = (
        "Origin, Access-Control-Request-Method, Access-Control-Request-Headers, "
        "Access-Control-Request-Private-Network, Access-Control-Request-Local-Network"
    )
    return headers


def too_large(limit: int) -> Refusal:
    """The body is over the limit, as sent or after unpacking."""
    return Refusal(
        413,
        "too_large",
        f"A request may hold {limit:,} bytes after unpacking, and this one holds more. "
        "Log less in one event, or send fewer events in one request.",
        "log less data in one event",
    )


def origin_refused(text: str) -> Refusal:
    """What a page of an origin that is not allowed is told."""
    normal = normal_origin(text)
    if normal is None:
        return Refusal(403, "origin_refused", "Origin holds no single origin, so nothing from it is stored.")
    flag = f"--allow-origin {normal}"
    caution = " That would let in every file and every sandboxed frame." if normal in _OPAQUE else ""
    return Refusal(
        403,
        "origin_refused",
        f"Pages of {normal} may not send events to this collector. "
        f"If the page is yours, run `debugloop start {flag}`.{caution}",
        f"debugloop start {flag}",
    )


def _encoding(values: Sequence[str]) -> Encoding | None:
    names = [name for value in values for part in value.split(",") if (name := part.strip().lower())]
    names = [name for name in names if name != "identity"]
    match names:
        case []:
            return "identity"
        case ["gzip" | "x-gzip"]:  # RFC 9110, 8.4.1.3
            return "gzip"
        case ["deflate"]:
            return "deflate"
        case _:
            return None


WRONG_HOST: Final = Refusal(
    421,
    "wrong_host",
    "Host must name 127.0.0.1, localhost or [::1]. Send events to the endpoint that `debugloop start` prints.",
    "use the endpoint that `debugloop start` prints",
)
_TWO_ORIGINS = Refusal(
    403,
    "origin_refused",
    "The request names its Origin more than once, so nothing of it is stored. Browsers send it once: look for a proxy "
    "that adds another.",
    "send one Origin header",
)
_NOT_FOUND = Refusal(
    404,
    "not_found",
    "There is nothing at this path. Send events to the endpoint that `debugloop start` prints.",
    "use the endpoint that `debugloop start` prints",
)
_METHOD_NOT_ALLOWED = Refusal(405, "method_not_allowed", "Events are sent with POST.", "send events with POST")
_UNSUPPORTED_ENCODING = Refusal(
    415,
    "unsupported_encoding",
    "A body may come as it is, or in gzip or deflate.",
    "leave Content-Encoding away, or use gzip or deflate",
)
