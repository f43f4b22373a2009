"""The short way for the request that nearly all are: a POST of known length, whose head was seen before.

A head is judged once, by aiohttp's parser and the gate; if nothing about it is unusual, its exact bytes are
remembered, but for the digits of its length. The next request with the same head needs neither again: when its body is
there, its record joins those of this turn of the event loop, all are written with one write, and only then answered.
Anything else goes the ordinary way, with the bytes already read; so do events that the log refuses. aiohttp's part of
a connection is made when it is first needed. Switched off by ``DEBUGLOOP_FAST_PATH=0``.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Final, Protocol, cast

from aiohttp.helpers import rfc822_formatted_time

from debugloop.ingest.bodies import Event, plain_event
from debugloop.ingest.connection import INCOMPLETE, Connection, House
from debugloop.ingest.heads import HEAD_END, KnownHead, KnownHeads
from debugloop.ingest.intake import Intake, Outcome
from debugloop.session.state import now_ms

if TYPE_CHECKING:
    from aiohttp import web

_PATIENCE: Final = 0.002
"""Seconds to wait for another process's lock; the ordinary way waits longer, and lets others go on meanwhile."""


class FastHouse(House, Protocol):
    """What the short way needs of the collector."""

    intake: Intake
    seen: float
    connections: set[FastConnection]

    def counts_changed(self) -> None:
        """Say that collector.json lacks counts."""
        ...


class FastLane:
    """The heads that are known and the requests of this turn."""

    def __init__(self, house: FastHouse, loop: asyncio.AbstractEventLoop) -> None:
        self._house = house
        self._loop = loop
        self._nesting = house.settings.nesting
        self.heads = KnownHeads(house.settings)
        self._taken: list[tuple[FastConnection, KnownHead, bytes]] = []
        """Requests that wait for this turn's write, and their bytes in case they have to go the ordinary way."""
        self._events: list[Event] = []

    def take(self, connection: FastConnection, known: KnownHead, data: bytes, length: int) -> bool:
        """Take a whole request, whose last ``length`` bytes are its body, or leave it to the ordinary way."""
        event = plain_event(data[len(data) - length :], self._nesting, now_ms())
        if event is None:
            return False
        if not self._events:
            self._loop.call_soon(self.flush)
        self._taken.append((connection, known, data))
        self._events.append(event)
        return True

    def flush(self) -> None:
        """Store what was taken, then answer it."""
        taken, events = self._taken, self._events
        if not events:
            return
        self._taken, self._events = [], []
        now = self._house.seen = self._loop.time()
        intake = self._house.intake
        try:
            outcomes = intake.store(events, _PATIENCE)
        except Exception:  # noqa: BLE001 -- also a fault of our own has its answer there
            # nothing was stored: each alone may fit, and else has its own answer
            outcomes = [Outcome.FULL] * len(events)
        date = rfc822_formatted_time()
        for (connection, known, data), outcome in zip(taken, outcomes, strict=True):
            if outcome is Outcome.FULL:
                connection.go_the_ordinary_way(data)
            else:
                connection.tell(known.answer(outcome, date), now, last=known.close)
        if intake.pending:
            self._house.counts_changed()


class FastConnection(asyncio.Protocol):
    """A connection that tries the short way first."""

    __slots__ = (
        "_body",
        "_free",
        "_house",
        "_known",
        "_lane",
        "_length",
        "_loop",
        "_missing",
        "_ordinary",
        "_server",
        "_taken",
        "_timer",
        "_transport",
        "used",
    )

    def __init__(self, lane: FastLane, house: FastHouse, server: web.Server, loop: asyncio.AbstractEventLoop) -> None:
        self._lane = lane
        self._house = house
        self._server = server
        self._loop = loop
        self._transport: asyncio.Transport | None = None
        self._ordinary: Connection | None = None
        self._free = False
        """Whether the last request went the short way, and the ordinary one still has nothing to do."""
        self._taken = False
        self._known: KnownHead | None = None
        """Of the request whose body has not all come yet; what there is of the request is in ``_body``."""
        self._length = 0
        self._missing = 0
        """Bytes of its body, and those of them that have not come."""
        self._body = bytearray()
        self._timer: asyncio.TimerHandle | None = None
        self.used = loop.time()
        """When it was made or last used, by the loop's clock."""
        house.connections.add(self)

    @property
    def idle(self) -> bool:
        """Whether no request is on its way in or out."""
        return not self._taken and self._known is None and (self._ordinary is None or self._ordinary.idle)

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast("asyncio.Transport", transport)
        # a browser's connection in reserve: there is nothing to answer
        self._timer = self._loop.call_later(self._house.settings.head_seconds, self.close)

    def connection_lost(self, exc: Exception | None) -> None:
        self._house.connections.discard(self)
        self._transport = None
        self._stop_timer()
        if self._known is not None:  # nobody reads an answer, but the loss is counted
            self._house.note(INCOMPLETE, origin=self._known.origin, size=self._length)
        if self._ordinary is not None:
            self._ordinary.connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        if self._known is not None:
            self._collect(self._known, data)
            return
        if self._taken:
            self._lane.flush()
        elif self._free or self._ordinary is None or self._ordinary.idle:
            end = data.find(HEAD_END) + len(HEAD_END)
            found = self._lane.heads.known(data[:end])
            if isinstance(found, bytes):
                self._go(data, found)
                return
            known, length = found
            missing = length - len(data) + end
            if missing == 0 and self._lane.take(self, known, data, length):
                if not self._free:
                    self._start_taking()
                self._taken = True
                return
            if missing > 0:
                self._start_taking()
                self._known, self._length, self._missing = known, length, missing
                self._body += data
                self._timer = self._loop.call_later(self._house.settings.body_seconds, self._give_up)
                return
        self._go(data)

    def eof_received(self) -> bool:
        """A client that has said all it wants to say still hears the answer."""
        self._lane.flush()
        return self._ordinary is not None and self._ordinary.finish()

    def pause_writing(self) -> None:
        self._free = False
        self._made_ordinary().pause_writing()

    def resume_writing(self) -> None:
        self._made_ordinary().resume_writing()

    def close(self) -> None:
        """Close it silently, as either side of an idle connection may."""
        self._house.connections.discard(self)
        if self._transport is not None:
            self._transport.close()

    def tell(self, answer: bytes, now: float, *, last: bool) -> None:
        """Answer the request that was taken."""
        self._taken = False
        self.used = now
        if self._transport is not None and not self._transport.is_closing():
            self._transport.write(answer)
            if last:
                self._transport.close()

    def go_the_ordinary_way(self, data: bytes) -> None:
        """What was taken is to be judged and answered by aiohttp and the collector after all."""
        self._taken = False
        if self._transport is not None and not self._transport.is_closing():
            self._go(data)

    def _start_taking(self) -> None:
        self._free = True
        self._stop_timer()
        if self._ordinary is not None:
            self._ordinary.stop_timers()

    def _collect(self, known: KnownHead, data: bytes) -> None:
        self._body += data
        self._missing -= len(data)
        if self._missing > 0:
            return
        whole = bytes(self._body)
        self._stop_collecting()
        if self._missing == 0 and self._lane.take(self, known, whole, self._length):
            self._taken = True
        else:
            self._go(whole)

    def _give_up(self) -> None:
        """The body comes too slowly: that is for the ordinary way to say."""
        whole = bytes(self._body)
        self._stop_collecting()
        self._made_ordinary().overdue = True
        self._go(whole)

    def _stop_collecting(self) -> None:
        self._known = None
        self._body.clear()
        self._stop_timer()

    def _stop_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _go(self, data: bytes, head: bytes = b"") -> None:
        """Go the ordinary way. ``head``: what begins ``data``, if it may be worth remembering."""
        self._free = False
        self._stop_timer()
        ordinary = self._made_ordinary()
        if head:
            ordinary.raw_head = head
        self.used = self._loop.time()
        ordinary.data_received(data)

    def _made_ordinary(self) -> Connection:
        if self._ordinary is None:
            self._ordinary = Connection(self._house, self._server, self._loop)
            self._ordinary.connection_made(cast("asyncio.Transport", self._transport))
        return self._ordinary
