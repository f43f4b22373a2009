"""One connection of the collector: aiohttp's protocol, with bounds on slow, huge and broken heads.

aiohttp bounds each header but not the head, waits for a head for as long as the client likes, and closes after an
error while the client still sends, which costs it the answer (RFC 9112, 9.6: the unread bytes reset the
connection). Here a head is bounded in bytes and time, and the last answer is sent before a half-close.
"""

from __future__ import annotations

import asyncio
import logging
import re
from typing import TYPE_CHECKING, Final, Protocol, cast

from aiohttp import web
from aiohttp.http_exceptions import HttpProcessingError

from debugloop.ingest import answers
from debugloop.ingest.gate import Refusal, Rules, origin_allowed

if TYPE_CHECKING:
    from aiohttp import StreamReader

    from debugloop.settings import Settings

KEEPALIVE_SECONDS: Final = 600.0
"""How long an idle connection stays: longer than browsers keep one, so that they are the ones to close it."""
LINGER_SECONDS: Final = 1.0
"""How long a client may take to read its last answer and close."""
_BUSY_SECONDS: Final = 0.01
"""How soon to look again whether the requests before a bad head are answered."""
_PARSER_BOUND: Final = 1 << 20
"""aiohttp's own bounds on a header, far above ours: ours answers with the page's CORS headers."""
_ORIGIN: Final = re.compile(rb"\r?\n[Oo]rigin:[ \t]*([!-~]*)[ \t]*\r?\n")

NOT_HTTP: Final = Refusal(
    400,
    "not_http",
    "This is no HTTP/1.1 request. The collector speaks plain HTTP: use http://, not https://.",
    "use http://",
)
TOO_SLOW: Final = Refusal(408, "too_slow", "The request came too slowly and was given up. Send it again.")
TOO_MANY: Final = Refusal(
    503, "too_many_connections", "Too many connections are open. Close some, or reuse one.", "reuse connections"
)
INTERNAL: Final = Refusal(500, "internal_error", "The collector failed on this request; please report it as a bug.")

_SILENT = logging.getLogger("debugloop.silent")
_SILENT.setLevel(logging.CRITICAL + 1)
"""aiohttp's loggers would write request lines, which hold the token."""


class House(Protocol):
    """What a connection needs of the collector it belongs to."""

    settings: Settings
    rules: Rules
    open_connections: int

    def note(self, refusal: Refusal, *, origin: str | None = None, size: int | None = None) -> None:
        """Count a refusal."""
        ...


def head_too_large(limit: int) -> Refusal:
    """The head is over the limit: nearly always cookies, which localhost shares between all its ports."""
    return Refusal(
        431,
        "head_too_large",
        f"The head of a request may hold {limit:,} bytes. Delete cookies of localhost, or send without credentials.",
        "delete cookies of localhost, or send without credentials",
    )


def last_answer(connection: Connection, refusal: Refusal, origin: str | None) -> web.Response:
    """A refusal after which nothing more is read from the connection."""
    return _LastAnswer(connection, refusal, origin)


def sniffed_origin(received: bytes | bytearray, rules: Rules) -> str | None:
    """The allowed origin in the head of a request that never became whole, for its answer's CORS headers."""
    match = _ORIGIN.search(received)
    origin = match[1].decode() if match else ""
    return origin if origin_allowed(origin, rules.allowed) else None


class Connection(web.RequestHandler):
    """aiohttp's request handler with our bounds on heads, on clients that do not read, and on farewells."""

    __slots__ = ("_body", "_gone", "_head", "_house", "_leaving", "_slow_head", "_slow_reader")

    def __init__(self, house: House, server: web.Server, loop: asyncio.AbstractEventLoop) -> None:
        super().__init__(
            server,
            loop=loop,
            keepalive_timeout=KEEPALIVE_SECONDS,
            logger=_SILENT,
            access_log=_SILENT,
            max_line_size=_PARSER_BOUND,
            max_field_size=_PARSER_BOUND,
            max_headers=_PARSER_BOUND,
            lingering_time=house.settings.body_seconds,
            auto_decompress=False,
        )
        self._house = house
        self._head = bytearray()
        """What has come of a head that is not whole yet."""
        self._body: StreamReader | None = None
        """The body of the latest request, in which bytes that come belong until it is whole."""
        self._leaving = False
        self._gone: asyncio.Future[None] = loop.create_future()
        self._slow_head: asyncio.TimerHandle | None = None
        self._slow_reader: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        super().connection_made(transport)
        self._house.open_connections += 1
        self._slow_head = self._loop.call_later(self._house.settings.head_seconds, self._give_up)

    def connection_lost(self, exc: BaseException | None) -> None:
        super().connection_lost(exc)
        self._house.open_connections -= 1
        self._stop_timers()
        if not self._gone.done():
            self._gone.set_result(None)

    def data_received(self, data: bytes) -> None:
        if self._leaving:
            return
        requests = self._request_count
        body = self._body
        of_head = body is None or body.is_eof()
        taken = not self._messages
        super().data_received(data)
        if body is not None and not of_head and taken and body.is_eof():
            self._settle()
        if self._request_count != requests:
            self._head.clear()
            self._body = self._messages[-1][1]
            if self._slow_head:
                self._slow_head.cancel()
                self._slow_head = None
        elif of_head and (self._head or data.strip(b"\r\n")):
            self._head += data
            limit = self._house.settings.head_bytes
            if len(self._head) > limit:
                self._dismiss(head_too_large(limit))
            elif self._slow_head is None:
                self._slow_head = self._loop.call_later(self._house.settings.head_seconds, self._give_up)

    def _settle(self) -> None:
        """Tell aiohttp's parser that a request was taken from its queue before its body was whole.

        It counts such a request as queued until the next is taken, so with 31 behind it the parser waits for the
        queue to drain while the queue, not full at 31, waits for the parser (seen in aiohttp 3.14.5).
        """
        if self._parser is not None:
            self._parser.message_consumed()
            self._loop.call_soon(self.data_received, b"")

    def pause_writing(self) -> None:
        super().pause_writing()
        self._slow_reader = self._loop.call_later(self._house.settings.body_seconds, self._abort)

    def resume_writing(self) -> None:
        super().resume_writing()
        if self._slow_reader:
            self._slow_reader.cancel()
            self._slow_reader = None

    def handle_error(
        self,
        request: web.BaseRequest,  # noqa: ARG002 -- aiohttp's signature
        status: int = 500,  # noqa: ARG002
        exc: BaseException | None = None,
        message: str | None = None,  # noqa: ARG002
    ) -> web.StreamResponse:
        """What aiohttp answers on its own: to bytes that are no request, and should our handler fail."""
        refusal = NOT_HTTP if isinstance(exc, HttpProcessingError) else INTERNAL
        self._house.note(refusal)
        return last_answer(self, refusal, None)

    def log_exception(self, *args: object, **kw: object) -> None:
        """Say nothing: a traceback can hold the request line, and with it the token."""

    async def linger(self) -> None:
        """Half-close, so that the client reads its last answer, then close."""
        self._leaving = True
        if self.transport is not None and self.transport.can_write_eof():
            self.transport.write_eof()
            await asyncio.wait((self._gone,), timeout=LINGER_SECONDS)
        self.force_close()

    def _give_up(self) -> None:
        self._slow_head = None
        if self._head:
            self._dismiss(TOO_SLOW)
        else:  # a browser's connection in reserve: there is nothing to answer
            self.force_close()

    def _dismiss(self, refusal: Refusal) -> None:
        """End a connection whose head will never be whole, once the requests before it are answered."""
        self._leaving = True
        if self.transport is None:
            return
        if self._messages or self._waiter is None or self._waiter.done():
            self._slow_head = self._loop.call_later(_BUSY_SECONDS, self._dismiss, refusal)
            return
        origin = sniffed_origin(self._head, self._house.rules)
        self._house.note(refusal, origin=origin)
        self._stop_timers()
        self.transport.write(answers.bare(refusal, origin))
        self.transport.write_eof()
        self._slow_head = self._loop.call_later(LINGER_SECONDS, self.force_close)

    def _abort(self) -> None:
        if self.transport is not None:
            self.transport.abort()

    def _stop_timers(self) -> None:
        for timer in (self._slow_head, self._slow_reader):
            if timer:
                timer.cancel()
        self._slow_head = self._slow_reader = None


class Overflow(asyncio.Protocol):
    """A connection past the limit: it is told so when it sends, and closed."""

    def __init__(self, house: House) -> None:
        self._house = house
        self._transport: asyncio.Transport | None = None
        self._told = False

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast("asyncio.Transport", transport)
        self._timer = asyncio.get_running_loop().call_later(LINGER_SECONDS, transport.close)

    def data_received(self, data: bytes) -> None:
        if not self._told and self._transport is not None:
            self._told = True
            origin = sniffed_origin(data, self._house.rules)
            self._house.note(TOO_MANY, origin=origin)
            self._transport.write(answers.bare(TOO_MANY, origin))
            self._transport.write_eof()

    def connection_lost(self, exc: Exception | None) -> None:  # noqa: ARG002 -- asyncio's signature
        self._timer.cancel()


class _LastAnswer(web.Response):
    def __init__(self, connection: Connection, refusal: Refusal, origin: str | None) -> None:
        super().__init__(status=refusal.status, body=answers.body(refusal), headers=answers.headers(refusal, origin))
        self._connection = connection
        self.force_close()

    async def write_eof(self, data: bytes = b"") -> None:
        await super().write_eof(data)
        await self._connection.linger()
