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
from aiohttp.http import RawRequestMessage
from aiohttp.http_exceptions import HttpProcessingError

from debugloop.ingest import answers
from debugloop.ingest.gate import WRONG_HOST, Refusal, Rules, origin_allowed

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
_NEVER: Final = 1e7
"""Seconds: aiohttp is not to close idle connections, the collector does."""
_ORIGIN: Final = re.compile(rb"\r?\norigin:[ \t]*([!-~]*)[ \t]*\r?\n", re.IGNORECASE)
LENGTH: Final = re.compile(rb"\r\ncontent-length:[ \t]*([0-9]{1,9})[ \t]*\r\n", re.IGNORECASE)
_END: Final = b"\r\n\r\n"
_HOST_TROUBLE: Final = "'Host' header"
"""What aiohttp's words hold when a request is whole but names no host, or two."""

NOT_HTTP: Final = Refusal(
    400,
    "not_http",
    "This is no HTTP/1.1 request with one Host and a whole head. The collector speaks plain HTTP: use http://, "
    "not https://, and an ordinary client.",
    "use http://, and an ordinary client",
)
TOO_SLOW: Final = Refusal(408, "too_slow", "The request came too slowly and was given up. Send it again.")
TOO_MANY: Final = Refusal(
    503, "too_many_connections", "Too many connections are open. Close some, or reuse one.", "reuse connections"
)
INTERNAL: Final = Refusal(
    503, "internal_error", "The collector failed on this request and stored nothing of it; please report it as a bug."
)
INCOMPLETE: Final = Refusal(400, "incomplete", "The client went away before the whole body had come.")

_SILENT = logging.getLogger("debugloop.silent")
_SILENT.setLevel(logging.CRITICAL + 1)
"""aiohttp's loggers would write request lines, which hold the token."""


class House(Protocol):
    """What a connection needs of the collector it belongs to."""

    settings: Settings
    rules: Rules

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

    __slots__ = (
        "_answered",
        "_body",
        "_broken",
        "_gone",
        "_head",
        "_house",
        "_leaving",
        "_slow_head",
        "_slow_reader",
        "overdue",
        "raw_head",
    )

    def __init__(self, house: House, server: web.Server, loop: asyncio.AbstractEventLoop) -> None:
        super().__init__(
            server,
            loop=loop,
            keepalive_timeout=_NEVER,
            logger=_SILENT,
            access_log=_SILENT,
            max_line_size=_PARSER_BOUND,
            max_field_size=_PARSER_BOUND,
            max_headers=_PARSER_BOUND,
            lingering_time=house.settings.body_seconds,
            auto_decompress=False,
        )
        self._house = house
        self.raw_head = b""
        """The exact head of the request that is answered next, if it is known."""
        self.overdue = False
        """Whether the body that is missing is not to be waited for any more."""
        self._broken = b""
        """What came last of a head that is no HTTP."""
        self._head = bytearray()
        """What has come of a head that is not whole yet."""
        self._body: StreamReader | None = None
        """The body of the latest request, in which bytes that come belong until it is whole."""
        self._answered = 0
        """Requests that have their whole answer, after which another may come."""
        self._leaving = False
        self._gone: asyncio.Future[None] = loop.create_future()
        self._slow_head: asyncio.TimerHandle | None = None
        self._slow_reader: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        super().connection_made(transport)
        self._slow_head = self._loop.call_later(self._house.settings.head_seconds, self._give_up)

    def connection_lost(self, exc: BaseException | None) -> None:
        super().connection_lost(exc)
        self.stop_timers()
        if not self._gone.done():
            self._gone.set_result(None)

    @property
    def idle(self) -> bool:
        """Whether the first byte of a request is waited for, and nothing is on its way to the client."""
        return not (self._busy or self._head or self._paused or self._leaving) and self._between

    @property
    def _busy(self) -> bool:
        # aiohttp's handler waits for the next request a turn of the loop after its answer; a quick client, beside
        # many others, has sent it by then, and would never be found idle
        return self._answered < self._request_count

    def data_received(self, data: bytes) -> None:
        # aiohttp's parser forgets the requests of a piece in which it finds an error, so a piece ends with a request
        while self._between and (end := _request_ends(self._head, data)) < len(data):
            self._feed(data[:end])
            data = data[end:]
        self._feed(data)

    @property
    def _between(self) -> bool:
        """Whether what comes next belongs to a head."""
        return self._body is None or self._body.is_eof()

    def _feed(self, data: bytes) -> None:
        if self._leaving or self._broken:
            return
        requests = self._request_count
        body = self._body
        of_head = self._between
        taken = not self._messages
        super().data_received(data)
        if body is not None and not of_head and taken and body.is_eof():
            self._settle()
        if self._request_count != requests:
            message, self._body = self._messages[-1]
            if not isinstance(message, RawRequestMessage):
                self._broken = bytes(self._head) + data
                if body is not None and not body.is_eof():  # aiohttp would let it be waited for
                    body.set_exception(web.RequestPayloadError("broken"))
            self._head.clear()
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

    def finish(self) -> bool:
        """Nothing more will come: answer what came whole, then close. Gives whether there is anything to answer."""
        if self._leaving or self._head or not self._between or not self._busy:
            return False
        self._slow_head = self._loop.call_later(_BUSY_SECONDS, self._finish)
        return True

    def _finish(self) -> None:
        if self._busy:
            self._slow_head = self._loop.call_later(_BUSY_SECONDS, self._finish)
        else:
            self.force_close()

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

    async def finish_response(
        self, request: web.BaseRequest, resp: web.StreamResponse, start_time: float | None
    ) -> tuple[web.StreamResponse, bool]:
        """Send the answer, and remember that it is sent."""
        finished = await super().finish_response(request, resp, start_time)
        if finished[0].keep_alive:
            self._answered += 1
        return finished

    def handle_error(
        self,
        request: web.BaseRequest,
        status: int = 500,  # noqa: ARG002 -- aiohttp's signature
        exc: BaseException | None = None,
        message: str | None = None,  # noqa: ARG002
    ) -> web.StreamResponse:
        """What aiohttp answers on its own: to bytes that are no request, and should our handler fail."""
        if not isinstance(exc, HttpProcessingError):
            return self._last_answer(INTERNAL, request.headers.get("Origin", ""))
        if _HOST_TROUBLE in exc.message:
            return self._last_answer(WRONG_HOST, "")
        return self._last_answer(NOT_HTTP, sniffed_origin(self._broken, self._house.rules) or "")

    def _last_answer(self, refusal: Refusal, origin: str) -> web.Response:
        readable = origin if origin_allowed(origin, self._house.rules.allowed) else None
        self._house.note(refusal, origin=origin or None)
        return last_answer(self, refusal, readable)

    def log_exception(self, *args: object, **kw: object) -> None:
        """Say nothing: a traceback can hold the request line, and with it the token."""

    async def linger(self) -> None:
        """Half-close, so that the client reads its last answer, then close."""
        self._leaving = True
        if self.transport is not None and not self.transport.is_closing():
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
        if self.transport is None or self.transport.is_closing():
            return
        if self._busy:
            self._slow_head = self._loop.call_later(_BUSY_SECONDS, self._dismiss, refusal)
            return
        origin = sniffed_origin(self._head, self._house.rules)
        self._house.note(refusal, origin=origin)
        self.stop_timers()
        self.transport.write(answers.bare(refusal, origin))
        self.transport.write_eof()
        self._slow_head = self._loop.call_later(LINGER_SECONDS, self.force_close)

    def _abort(self) -> None:
        if self.transport is not None:
            self.transport.abort()

    def stop_timers(self) -> None:
        """Neither a head nor a reader is slow."""
        for timer in (self._slow_head, self._slow_reader):
            if timer:
                timer.cancel()
        self._slow_head = self._slow_reader = None


def _request_ends(head: bytearray, data: bytes) -> int:
    """Where in ``data`` the request ends that began with ``head``, as far as its length is plain to see.

    It only says how a stream is cut into pieces, so a wrong guess does no harm.
    """
    whole = bytes(head) + data if head else data
    end = whole.find(_END)
    if end < 0:
        return len(data)
    length = LENGTH.search(whole, 0, end + 2)
    return max(1, end + len(_END) + (int(length[1]) if length else 0) - len(head))


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
