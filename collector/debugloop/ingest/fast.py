"""The short way for the request that nearly all are: one small POST, whole in one read, with a head seen before.

A head is judged once, by aiohttp's parser and the gate; if nothing about it is unusual, its exact bytes are
remembered. The next request with the same head needs neither again: its record joins those of this turn of the event
loop, all are written with one write, and only then answered. Anything else goes the ordinary way, with the bytes
already read; so do events that the log refuses. Switched off by ``DEBUGLOOP_FAST_PATH=0``.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Final, NamedTuple, Protocol

from aiohttp.helpers import rfc822_formatted_time

from debugloop.errors import DebugloopError
from debugloop.ingest import answers
from debugloop.ingest.bodies import Event, plain_event
from debugloop.ingest.connection import KEEPALIVE_SECONDS, Connection, House
from debugloop.ingest.intake import Intake, Outcome
from debugloop.session.state import now_ms

if TYPE_CHECKING:
    from aiohttp import web

_HEADS: Final = 2_048
"""Heads that are remembered: one client's differ in Content-Length."""
_HEAD_BYTES: Final = 4_096
_END: Final = b"\r\n\r\n"


class Known(NamedTuple):
    """What a remembered head says: bytes of its body, the allowed origin, whether the connection ends with it."""

    length: int
    origin: str | None
    close: bool


class Taken(NamedTuple):
    """A request that waits for this turn's write, and its bytes in case it has to go the ordinary way."""

    connection: FastConnection
    known: Known
    event: Event
    data: bytes


class FastHouse(House, Protocol):
    """What the short way needs of the collector."""

    intake: Intake
    seen: float

    def counts_changed(self) -> None:
        """Say that collector.json lacks counts."""
        ...


class FastLane:
    """The heads that are known and the requests of this turn."""

    def __init__(self, house: FastHouse, loop: asyncio.AbstractEventLoop) -> None:
        self._house = house
        self._loop = loop
        self._heads: dict[bytes, Known] = {}
        self._taken: list[Taken] = []
        self._answers: dict[tuple[str | None, bool, Outcome], bytes] = {}
        self._date = ""

    def forget(self) -> None:
        """The rules changed: every head is to be judged again."""
        self._heads.clear()

    def learn(self, head: bytes, known: Known) -> None:
        """Remember a head; the oldest gives way."""
        if len(self._heads) >= _HEADS:
            del self._heads[next(iter(self._heads))]
        self._heads[head] = known

    def take(self, connection: FastConnection, data: bytes, end: int) -> bool:
        """Take a request whose head ends at ``end``, or leave it to the ordinary way."""
        known = self._heads.get(data[:end])
        if known is None or len(data) - end != known.length:
            return False
        event = plain_event(data[end:], self._house.settings.nesting, now_ms())
        if event is None:
            return False
        if not self._taken:
            self._loop.call_soon(self.flush)
        self._taken.append(Taken(connection, known, event, data))
        return True

    def flush(self) -> None:
        """Store what was taken, then answer it."""
        taken, self._taken = self._taken, []
        if not taken:
            return
        now = self._house.seen = self._loop.time()
        try:
            outcomes = self._house.intake.store([each.event for each in taken])
        except (DebugloopError, OSError):
            # nothing was stored: each alone may fit, and else has its own answer
            outcomes = [Outcome.FULL] * len(taken)
        date = rfc822_formatted_time()
        if date != self._date:
            self._date = date
            self._answers.clear()
        for each, outcome in zip(taken, outcomes, strict=True):
            if outcome is Outcome.FULL:
                each.connection.go_the_ordinary_way(each.data)
            else:
                each.connection.tell(self._answer(each.known, outcome), now, close=each.known.close)
        if self._house.intake.pending:
            self._house.counts_changed()

    def _answer(self, known: Known, outcome: Outcome) -> bytes:
        key = (known.origin, known.close, outcome)
        answer = self._answers.get(key)
        if answer is None:
            answer = self._answers[key] = answers.whole(known.origin, self._date, outcome, close=known.close)
        return answer


class FastConnection(Connection):
    """A connection that tries the short way first."""

    __slots__ = ("_lane", "_raw", "_taken")

    def __init__(self, lane: FastLane, house: House, server: web.Server, loop: asyncio.AbstractEventLoop) -> None:
        super().__init__(house, server, loop)
        self._lane = lane
        self._raw = b""
        """The head of the request that goes the ordinary way, if it came whole and alone; with its body's size."""
        self._taken = False

    def data_received(self, data: bytes) -> None:
        end = 0
        if self._is_idle():
            end = data.find(_END) + len(_END)
            if end >= len(_END) and self._lane.take(self, data, end):
                self._taken = True
                return
        if self._taken:
            self._lane.flush()
        self._raw = data if len(_END) <= end <= _HEAD_BYTES else b""
        super().data_received(data)

    def learn(self, request: web.BaseRequest, origin: str | None, length: int | None) -> None:
        """The request being answered was let in, and its body comes as it is: remember its head if it is ordinary."""
        end = self._raw.find(_END) + len(_END)
        head, body = self._raw[:end], len(self._raw) - end
        self._raw = b""
        if not head or length != body or request.version != (1, 1) or head.count(b"\n") != head.count(b"\r\n"):
            return
        headers = request.headers
        if "Expect" in headers or "Upgrade" in headers or "Transfer-Encoding" in headers:
            return
        if headers.get("Connection", "keep-alive").lower() in {"keep-alive", "close"}:
            self._lane.learn(head, Known(body, origin, not request.keep_alive))

    def tell(self, answer: bytes, now: float, *, close: bool) -> None:
        """Answer the request that was taken."""
        self._taken = False
        if self.transport is None:
            return
        self._stop_timers()
        self._next_keepalive_close_time = now + KEEPALIVE_SECONDS
        self.transport.write(answer)
        if close:
            self.force_close()

    def go_the_ordinary_way(self, data: bytes) -> None:
        """What was taken is to be judged and answered by aiohttp and the collector after all."""
        self._taken = False
        if self.transport is not None:
            super().data_received(data)

    def _is_idle(self) -> bool:
        """Whether aiohttp waits for the first byte of a request, and nothing is on its way to the client."""
        waiter = self._waiter
        return (
            waiter is not None
            and not waiter.done()
            and not self._taken
            and not self._head
            and not self._paused
            and not self._leaving
        )
