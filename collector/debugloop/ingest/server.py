"""The collector of one session: each request from its head to its place in the log and its answer."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from aiohttp import web

from debugloop.errors import DebugloopError, LockBusy, NoSession, SessionFinished, SessionGone
from debugloop.ingest import answers, connection, gate
from debugloop.ingest.bodies import parse
from debugloop.ingest.connection import INCOMPLETE, KEEPALIVE_SECONDS, Connection, Overflow
from debugloop.ingest.fast import FastConnection, FastLane
from debugloop.ingest.gate import Head, Refusal, Rules
from debugloop.ingest.intake import Intake, Outcome
from debugloop.ingest.rejections import Rejections
from debugloop.ingest.unpacking import BrokenEncoding, TooLarge, unpack
from debugloop.session.state import now_ms

if TYPE_CHECKING:
    from collections.abc import Callable

    from aiohttp import StreamReader

    from debugloop.ingest.bodies import Parsed
    from debugloop.ingest.gate import Encoding, Judgement
    from debugloop.session.collector_file import CollectorFile
    from debugloop.session.endpoint import Endpoint
    from debugloop.session.session import Session

_PATIENCE: Final = 0.002
"""Seconds to wait for another process's lock before other requests have their turn."""
_CONTINUE: Final = b"HTTP/1.1 100 Continue\r\n\r\n"


class Collector:
    """Answers requests and writes what they hold. ``gone`` is called when the session's directory was deleted.

    Nothing here survives a crash, and nothing has to: a record is on file before its 204 is written.
    """

    def __init__(
        self, session: Session, endpoint: Endpoint, *, changed: Callable[[], None], gone: Callable[[], None]
    ) -> None:
        self.settings = session.settings
        self.rules = Rules(endpoint.path, limit=session.settings.request_bytes)
        self.intake = Intake(session, endpoint.token)
        self.counts_changed = changed
        self.connections: set[FastConnection] = set()
        self.seen = 0.0
        """When the last request came, by the loop's clock."""
        self._gone = gone
        self._loop = asyncio.get_running_loop()
        self._rejections = Rejections(endpoint.token, changed)
        self._server = web.Server(self.answer)
        self._lane = FastLane(self, self._loop)

    def connect(self) -> asyncio.Protocol:
        """The protocol of a new connection. Where there are too many, the one that was idle longest gives way."""
        if len(self.connections) >= self.settings.connections:
            idle = [connection for connection in self.connections if connection.idle]
            if not idle:
                return Overflow(self)
            min(idle, key=_used).close()
        return FastConnection(self._lane, self, self._server, self._loop)

    def close_idle(self) -> None:
        """Close what was idle for longer than a browser keeps a connection."""
        now = self._loop.time()
        for each in tuple(self.connections):
            if now - each.used > KEEPALIVE_SECONDS and each.idle:
                each.close()

    def obey(self, told: CollectorFile) -> None:
        """Take the flags of collector.json."""
        self.intake.redacting = told.redact
        self.intake.sampling = told.sampling
        allowed = frozenset(told.allowed_origins)
        if allowed != self.rules.allowed:
            self.rules = replace(self.rules, allowed=allowed)
            self._lane.heads.forget()

    @property
    def pending(self) -> bool:
        """Whether collector.json lacks any count."""
        return self._rejections.pending or self.intake.pending

    def flush(self, update: Callable[[Callable[[CollectorFile], CollectorFile]], None]) -> None:
        """Add the counts to collector.json, also of what waits for its turn; if ``update`` fails they stay pending."""
        self._lane.flush()
        if self.pending:
            update(lambda file: self.intake.count(self._rejections.count(file)))
            self._rejections.counted()
            self.intake.counted()

    def close(self) -> None:
        """Write what waits for its turn, and close the log and all connections."""
        self._lane.flush()
        for each in tuple(self.connections):
            each.close()
        self.intake.close()

    def note(self, refusal: Refusal, *, origin: str | None = None, size: int | None = None, records: int = 1) -> None:
        """Count a refusal, of ``records`` records that came in one request of ``size`` bytes."""
        self._rejections.add(refusal.code, records=records, origin=origin, size=size, mend=refusal.mend)

    async def answer(self, request: web.BaseRequest) -> web.StreamResponse:
        """Judge a request in the order of the contract, and store what it holds."""
        self.seen = self._loop.time()
        raw_head = _taken_head(request)
        head = _head(request)
        judgement = gate.judge(head, self.rules)
        refusal = judgement.refusal
        if _head_bytes(request) > self.settings.head_bytes:
            refusal = connection.head_too_large(self.settings.head_bytes)
        waits = _waits_for_continue(request)
        if refusal is not None:
            return self._refuse(request, refusal, judgement.origin, size=head.length, last=waits)
        if judgement.preflight:
            return answers.preflight(gate.preflight_headers(head, judgement.origin))
        if waits and request.transport is not None and not request.transport.is_closing():
            request.transport.write(_CONTINUE)
        if raw_head and judgement.encoding == "identity":
            self._lane.heads.learn(raw_head, request, judgement.origin, head.length)
        body = await self._body(request, judgement, head.length)
        if isinstance(body, web.StreamResponse):
            return body
        content_type = request.headers.get("Content-Type", "")
        parsed = parse(body, content_type, self.settings, now_ms=now_ms(), from_page=judgement.origin is not None)
        return await self._store(request, parsed, judgement.origin, len(body))

    async def _body(
        self, request: web.BaseRequest, judgement: Judgement, length: int | None
    ) -> bytes | web.StreamResponse:
        """The body, unpacked, or the refusal of it."""
        try:
            return unpack(await self._read(request), judgement.encoding, self.rules.limit)
        except TooLarge:
            return self._refuse(request, gate.too_large(self.rules.limit), judgement.origin, size=length)
        except BrokenEncoding as error:
            return self._refuse(request, _bad_encoding(error, judgement.encoding), judgement.origin, size=length)
        except TimeoutError:
            return self._refuse(request, connection.TOO_SLOW, judgement.origin, size=length, last=True)
        except web.RequestPayloadError:
            return self._refuse(request, connection.NOT_HTTP, judgement.origin, last=True)
        except ConnectionError:  # nobody reads this answer, but the loss is counted
            return self._refuse(request, INCOMPLETE, judgement.origin, size=length, last=True)

    async def _store(
        self, request: web.BaseRequest, parsed: Parsed, origin: str | None, size: int
    ) -> web.StreamResponse:
        failures = [(rejected.index, _bad_record(rejected.message)) for rejected in parsed.rejected]
        try:
            outcomes = await self._write(parsed)
        except (SessionGone, NoSession) as error:
            self._loop.call_soon(self._gone)
            return self._refuse(request, Refusal(404, "session_gone", str(error)), origin, size=size, last=True)
        except SessionFinished as error:
            return self._refuse(request, _bad_record(str(error)), origin, size=size)
        except (DebugloopError, OSError) as error:
            refusal, outcomes = _write_failed(error), list[Outcome]()
            failures += [(index, refusal) for index in (parsed.indexes or [0])]
        full = [index for index, outcome in zip(parsed.indexes, outcomes, strict=False) if outcome is Outcome.FULL]
        failures += [(index, _LOG_FULL) for index in full]
        if self.intake.pending:
            self.counts_changed()
        stored = outcomes.count(Outcome.STORED)
        if not failures:
            more = {"stored": stored} if parsed.batch else {}
            return answers.sampled(origin, **more) if Outcome.SAMPLED in outcomes else answers.stored(origin)
        failures.sort(key=lambda failure: failure[0])
        for refusal in {failure.code: failure for _, failure in failures}.values():
            records = sum(failure.code == refusal.code for _, failure in failures)
            self.note(refusal, origin=origin, size=size, records=records)
        first = failures[0][1]
        if not parsed.batch:
            return answers.refused(first, origin)
        rejected = [{"index": index, "error": refusal.code} for index, refusal in failures]
        return answers.refused(first, origin, stored=stored, rejected=rejected)

    async def _write(self, parsed: Parsed) -> list[Outcome]:
        """Store what a body holds; while another process holds the lock, other requests are answered."""
        deadline = self._loop.time() + self.settings.lock_seconds
        while True:
            try:
                if parsed.steps:
                    self.intake.open_run(parsed.steps, _PATIENCE)
                return self.intake.store(parsed.events, _PATIENCE) if parsed.events else []
            except LockBusy:
                if self._loop.time() > deadline:
                    raise
            await asyncio.sleep(_PATIENCE)

    def _refuse(
        self,
        request: web.BaseRequest,
        refusal: Refusal,
        origin: str | None,
        *,
        size: int | None = None,
        last: bool = False,
    ) -> web.StreamResponse:
        """Answer a refusal and count it. ``last``: what the client sends from here on is not read."""
        named = origin if origin is not None else request.headers.get("Origin")
        self.note(refusal, origin=named, size=size)
        if last and isinstance(request.protocol, Connection):
            return connection.last_answer(request.protocol, refusal, origin)
        return answers.refused(refusal, origin)

    async def _read(self, request: web.BaseRequest) -> bytes:
        """The body as sent. Raises TooLarge, TimeoutError, RequestPayloadError or ConnectionError."""
        content = request.content
        if content.is_eof():
            return await self._read_all(content)
        overdue = isinstance(request.protocol, Connection) and request.protocol.overdue
        async with asyncio.timeout(0 if overdue else self.settings.body_seconds):
            return await self._read_all(content)

    async def _read_all(self, content: StreamReader) -> bytes:
        body = b""
        while not content.at_eof():
            body += await content.readany()
            if len(body) > self.rules.limit:
                raise TooLarge
        return body


def _used(connection: FastConnection) -> float:
    return connection.used


def _taken_head(request: web.BaseRequest) -> bytes:
    """The exact head of the request, if it is known; the next request has another."""
    head = b""
    if isinstance(request.protocol, Connection):
        head, request.protocol.raw_head = request.protocol.raw_head, b""
    return head


def _head(request: web.BaseRequest) -> Head:
    headers = request.headers
    length = headers.get("Content-Length", "")
    return Head(
        request.method,
        request.raw_path,
        headers.getall("Host", ()),
        headers.getall("Origin", ()),
        headers.getall("Content-Encoding", ()),
        int(length) if length.isascii() and length.isdigit() else None,
        headers.get("Access-Control-Request-Method"),
        headers.get("Access-Control-Request-Headers"),
        headers.get("Access-Control-Request-Private-Network") == "true",
        headers.get("Access-Control-Request-Local-Network") == "true",
    )


def _head_bytes(request: web.BaseRequest) -> int:
    line = len(request.method) + len(request.raw_path) + len("  HTTP/1.1\r\n\r\n")
    return line + sum(len(name) + len(value) + len(": \r\n") for name, value in request.raw_headers)


def _waits_for_continue(request: web.BaseRequest) -> bool:
    expect = request.headers.get("Expect", "")
    return expect.lower() == "100-continue" and request.version >= (1, 1) and not request.content.is_eof()


def _bad_record(message: str) -> Refusal:
    return Refusal(400, "bad_record", message, "send strict JSON, such as JSON.stringify gives")


def _bad_encoding(error: BrokenEncoding, encoding: Encoding) -> Refusal:
    message = f"The body cannot be unpacked: {error}."
    return Refusal(400, "bad_record", message, f"send whole {encoding} data, or no Content-Encoding")


def _write_failed(error: Exception) -> Refusal:
    return Refusal(500, "write_failed", str(error), "free space on the disk that holds the session")


_LOG_FULL: Final = Refusal(
    507,
    "log_full",
    "The log of this run is full, so this event is not stored. Clear it in the panel or with `debugloop clear`.",
    "debugloop clear",
)
