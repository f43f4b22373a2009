"""The thread that reads the files of a session, so that no slow disk and no flood ever holds up a key."""

from __future__ import annotations

import threading
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Final

from debugloop.errors import DebugloopError, LockBusy
from debugloop.session import actions, collector_file, endpoint, files, ledger, runs
from debugloop.session.locks import Lock, hold
from debugloop.session.records import Row
from debugloop.session.session import Session, agent_state
from debugloop_overlay.history import Tally
from debugloop_overlay.opening import PAGE, Older, Opening
from debugloop_overlay.snapshot import Snapshot

if TYPE_CHECKING:
    from collections.abc import Callable

_STATE_EVERY: Final = 5
"""Looks at the log for each look at the other files."""
_LONGEST_PAINT: Final = 2.0
"""Seconds after which the rest of the log is read, also where nobody says that the first page is on the screen."""
_WAITING_ROWS: Final = 50_000
"""Rows that the panel may be behind before the watcher waits for it."""


@dataclass(slots=True)
class Update:
    """What came since the last update was taken.

    ``reset``: every row given before is void. ``older``: of a log that was long at the start, all that stands before
    the first rows that were given.
    """

    snapshot: Snapshot
    reset: bool = False
    rows: list[Row] = field(default_factory=list[Row])
    older: Older | None = None


class Watcher:
    """Polls the log and the state files in a thread of its own, and holds the panel lock.

    ``wake`` is called in that thread when there is something to `take` and nothing was outstanding.
    """

    def __init__(self, session: Session) -> None:
        self.session = session
        self.wake: Callable[[], object] = lambda: None
        self._guard = threading.Lock()
        self._stopped = threading.Event()
        self._look_now = threading.Event()
        self._pending: Update | None = None
        self._snapshot = Snapshot()
        self._lock: Lock | None = None
        self._looks = 0
        self._shown = threading.Event()
        self._opening: Opening | None = None
        self._tally = Tally()
        self._created = 0
        self._follower = runs.follow(session)
        self._thread = threading.Thread(target=self._run, name="debugloop-watcher", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        """End the thread and free the panel lock."""
        self._stopped.set()
        self._shown.set()
        self._look_now.set()
        self._thread.join()

    def look(self) -> None:
        """Look at all files at once, not at the next turn."""
        self._look_now.set()

    def read_on(self) -> None:
        """The first page is on the screen: all before it may be read."""
        self._shown.set()

    def take(self) -> Update | None:
        """What came since the last call."""
        with self._guard:
            taken, self._pending = self._pending, None
        return taken

    @property
    def behind(self) -> bool:
        """Whether so much is outstanding that it waits for the panel to take it."""
        with self._guard:
            return self._pending is not None and len(self._pending.rows) > _WAITING_ROWS

    def _run(self) -> None:
        turn = 0
        try:
            self._open()
            while not self._stopped.is_set():
                more = self._turn(with_state=turn % _STATE_EVERY == 0)
                turn += 1
                if not more and self._look_now.wait(self.session.settings.poll_seconds):
                    self._look_now.clear()
                    turn = 0
        except Exception as error:  # noqa: BLE001 -- a thread that dies in silence would leave an old picture standing
            self._tell(replace(self._snapshot, problem=_sentence(error)), reset=False, rows=[])
        finally:
            self._follower.close()
            if self._lock:
                self._lock.release()

    def _open(self) -> None:
        try:
            page = self._follower.last_page(PAGE)
        except (DebugloopError, OSError):  # the first turn tells
            return
        if page:
            self._opening = Opening(len(page))
            self._tell(replace(self._look_at_state(), bytes=self._follower.size), reset=False, rows=page)
            self._shown.wait(_LONGEST_PAINT)

    def _turn(self, *, with_state: bool) -> bool:
        """One look; whether there is more to read at once."""
        if self.behind:
            return False
        snapshot = self._look_at_state() if with_state else self._snapshot
        before_page = self._follower.before_page
        try:
            batch = self._follower.poll()
        except (DebugloopError, OSError) as error:
            self._tell(replace(snapshot, problem=_sentence(error)), reset=False, rows=[])
            return False
        rows, older = batch.rows, None
        if batch.reset:
            self._opening = None
            self._tally = Tally()
        self._tally.add(rows)
        began = self._tally.began or (self._created if snapshot.run == 0 else None)
        size, heard = self._follower.size, self._tally.heard
        snapshot = replace(snapshot, bytes=size, gone=batch.gone, heard=heard, began=began)
        if self._opening:
            found = self._opening.add(rows, before_page=before_page)
            older, rows = found or (None, [])
            if older:
                self._opening = None
        self._tell(snapshot, reset=batch.reset, rows=rows, older=older)
        return batch.more

    def _tell(self, snapshot: Snapshot, *, reset: bool, rows: list[Row], older: Older | None = None) -> None:
        if snapshot == self._snapshot and not (rows or reset or older):
            return
        self._snapshot = snapshot
        with self._guard:
            outstanding = self._pending
            if outstanding is None:
                self._pending = Update(snapshot, reset, rows, older)
            else:
                outstanding.snapshot = snapshot
                outstanding.reset = outstanding.reset or reset
                if reset:
                    outstanding.rows.clear()
                outstanding.rows += rows
                outstanding.older = older if reset else outstanding.older or older
        if outstanding is None:
            self.wake()

    def _look_at_state(self) -> Snapshot:
        old = self._snapshot
        self._looks += 1
        try:
            # the first look has only what the first picture needs: locking loads a library
            other_panel = self._looks > 1 and not self._have_lock()
            return replace(
                self._read_state(),
                bytes=old.bytes,
                gone=old.gone,
                heard=old.heard,
                began=old.began,
                other_panel=other_panel,
            )
        except (DebugloopError, OSError) as error:
            return replace(old, problem=_sentence(error))

    def _read_state(self) -> Snapshot:
        session = self.session
        layout = session.layout
        state = session.state()
        self._created = state.created
        address = endpoint.load(layout)
        collector = collector_file.load(layout)
        for_agent = [
            each for each in actions.presses(session) if each.run == state.run and each.action in actions.FOR_THE_AGENT
        ]
        return Snapshot(
            mode=state.mode,
            run=state.run,
            steps=state.steps,
            hypotheses=tuple(ledger.load(session)),
            agent=agent_state(session),
            collector="none" if address is None else "running" if collector_file.running(layout) else "down",
            port=address.port if address else None,
            rejected=tuple(collector.rejected.items()),
            sampled=collector.sampled,
            redacted=collector.redacted,
            latest=collector.latest,
            press=for_agent[-1] if for_agent else None,
        )

    def _have_lock(self) -> bool:
        """Hold the panel lock for as long as the panel is open; another panel may have it until it ends."""
        if self._lock and files.signature(self._lock.path) is None:
            self._lock.release()  # the session directory was deleted, and perhaps made again
            self._lock = None
        if self._lock is None:
            try:
                self._lock = hold(self.session.layout.panel_lock)
            except LockBusy:
                return False
        return True


def _sentence(error: Exception) -> str:
    return str(error) if isinstance(error, DebugloopError) else f"{type(error).__name__}: {error}"
