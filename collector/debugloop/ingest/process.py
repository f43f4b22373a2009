"""The life of a collector's process: it serves until it is told to stop, its session ends, or nobody needs it."""

from __future__ import annotations

import asyncio
import logging
import signal
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from debugloop.errors import DebugloopError
from debugloop.ingest.loop import run as run_loop
from debugloop.ingest.rejections import INTERVAL
from debugloop.ingest.server import Collector
from debugloop.session import collector_file, endpoint, files
from debugloop.session.locks import is_held

if TYPE_CHECKING:
    import socket
    from collections.abc import Callable, Collection

    from debugloop.session.collector_file import CollectorFile
    from debugloop.session.endpoint import Endpoint
    from debugloop.session.session import Session

LOOK_SECONDS: Final = 0.5
"""How often the files are looked at: flags are obeyed within a second of their change."""
_HOLDERS_SECONDS: Final = 30.0
"""How often to look whether a panel or an agent needs the collector."""
_LOCK_SECONDS: Final = 0.05
"""How long counts wait for another process's lock before requests have their turn."""
_FILES: Final = 2_048
"""Descriptors that the connections, those past the limit and the files need at most; some systems give 256."""


def run(session: Session, known: Endpoint, listener: socket.socket, stop: Collection[signal.Signals]) -> None:
    """Serve on a listening socket until one of the signals ``stop``, the end of the session or idleness.

    The caller holds the lock, has written our pid, and blocks these signals. No traceback and no request is ever
    printed.
    """
    logging.disable(logging.CRITICAL)
    _allow_descriptors()
    run_loop(_Life(session, known).live(listener, stop))


class _Life:
    def __init__(self, session: Session, known: Endpoint) -> None:
        self._session = session
        self._patience = replace(session.settings, lock_seconds=_LOCK_SECONDS)
        self._layout = session.layout
        self._endpoint = known
        self._endpoint_seen: files.Signature | None = None
        self._flags_seen: files.Signature | None = None
        self._flush_handle: asyncio.TimerHandle | None = None
        self._flushed = -INTERVAL
        self._needed = 0.0

    async def live(self, listener: socket.socket, stop: Collection[signal.Signals]) -> None:
        loop = asyncio.get_running_loop()
        stopping = asyncio.Event()
        loop.set_exception_handler(lambda _loop, _context: None)
        for number in stop:
            loop.add_signal_handler(number, stopping.set)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, stop)
        self._loop = loop
        self._collector = Collector(self._session, self._endpoint, changed=self._flush_soon, gone=stopping.set)
        self._obey()
        server = await loop.create_server(self._collector.connect, sock=listener, backlog=endpoint.BACKLOG)
        try:
            self._collector.seen = self._needed = loop.time()
            while not stopping.is_set():
                try:
                    async with asyncio.timeout(LOOK_SECONDS):
                        await stopping.wait()
                except TimeoutError:
                    if not self._goes_on():
                        break
        finally:
            server.close()
            self._bid_farewell()

    def _goes_on(self) -> bool:
        """Look at the files; gives whether the session still has this endpoint and somebody may need it."""
        if files.signature(self._layout.session) is None or not self._own_endpoint():
            return False
        if files.signature(self._layout.collector) != self._flags_seen:
            self._obey()
        self._collector.close_idle()
        if self._collector.pending:
            self._flush_soon()
        now = self._loop.time()
        idle = self._session.settings.idle_seconds
        if now - self._needed >= min(_HOLDERS_SECONDS, idle / 4):
            self._needed = now
            if is_held(self._layout.panel_lock) or is_held(self._layout.agent_lock):
                self._collector.seen = now
        return now - self._collector.seen < idle

    def _own_endpoint(self) -> bool:
        seen = files.signature(self._layout.endpoint)
        if seen is not None and seen == self._endpoint_seen:
            return True
        try:
            if endpoint.load(self._layout) != self._endpoint:
                return False
        except DebugloopError:  # damaged: no reason to lose events
            return True
        self._endpoint_seen = seen
        return True

    def _obey(self) -> None:
        """Take the flags from collector.json."""
        self._flags_seen = files.signature(self._layout.collector)
        try:
            told = collector_file.load(self._layout)
        except DebugloopError:  # damaged: the flags of before hold
            return
        self._collector.obey(told)

    def _flush_soon(self) -> None:
        if self._flush_handle is None:
            self._flush_handle = self._loop.call_at(max(self._loop.time(), self._flushed + INTERVAL), self._flush)

    def _flush(self) -> None:
        self._flush_handle = None
        self._flushed = self._loop.time()
        with suppress(DebugloopError, OSError):  # then they stay pending, and the next look tries again
            self._collector.flush(self._update)

    def _update(self, change: Callable[[CollectorFile], CollectorFile]) -> None:
        collector_file.update(self._layout, self._patience, change)

    def _bid_farewell(self) -> None:
        self._flush()
        with suppress(DebugloopError, OSError):  # the session may be gone, or its disk
            self._update(lambda file: replace(file, pid=None))
        self._collector.close()


def _allow_descriptors() -> None:
    import resource

    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = _FILES if hard == resource.RLIM_INFINITY else min(_FILES, hard)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        with suppress(ValueError, OSError):
            resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
