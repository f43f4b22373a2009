"""actions.jsonl: what the person pressed, numbered, with its run, and what became of each press."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias, cast, get_args

import orjson

from debugloop.errors import RunChanged, StateUnwritable
from debugloop.session import files
from debugloop.session.locks import hold
from debugloop.session.state import now_ms

if TYPE_CHECKING:
    from debugloop.session.session import Session

Action: TypeAlias = Literal["reproduced", "no_events", "resolved", "clear"]

ACTIONS: Final = frozenset(get_args(Action))
FOR_THE_AGENT: Final = frozenset({"reproduced", "no_events", "resolved"})
"""Presses that ``wait`` hands over. Clear ends nothing, so nothing waits for it."""
NOTE_CHARS: Final = 4_000


@dataclass(frozen=True, slots=True)
class Press:
    """One press. ``number`` counts from 1 in its session, ``time`` is in ms since the epoch.

    ``delivered``: some ``wait`` returned it. ``settled``: the agent acknowledged it, or newer steps retired it.
    """

    number: int
    action: Action
    run: int
    note: str | None
    time: int
    delivered: bool = False
    settled: bool = False


def press(session: Session, action: Action, note: str | None = None, *, run: int | None = None) -> Press:
    """Store a press, on disk before anything else happens; gives it with its number.

    ``run`` is the run that the person was asked about. Raises RunChanged where another one was opened meanwhile.
    """
    note = note.strip()[:NOTE_CHARS].encode("utf-8", "replace").decode() if note and note.strip() else None
    with hold(session.layout.journal_lock, session.settings.lock_seconds):
        current = session.state().run
        if run is not None and run != current:
            raise RunChanged(run, current)
        number = max((each.number for each in presses(session)), default=0) + 1
        stored = Press(number, action, current, note, now_ms())
        _append(
            session, {"press": number, "action": action, "run": stored.run, "note": stored.note, "time": stored.time}
        )
    return stored


def presses(session: Session) -> list[Press]:
    """Every press of the session, oldest first. A line that is none, as a crash may leave it, is passed over."""
    data = files.read_bytes(session.layout.actions) or b""
    found: dict[int, Press] = {}
    delivered: set[int] = set()
    settled: set[int] = set()
    for line in data.split(b"\n"):
        entry = _entry(line)
        number, run = entry.get("press"), entry.get("run")
        if isinstance(number, int) and isinstance(run, int) and entry.get("action") in ACTIONS:
            found.setdefault(number, Press(number, entry["action"], run, entry.get("note"), entry.get("time", 0)))
        elif isinstance(entry.get("delivered"), int):
            delivered.add(entry["delivered"])
        elif isinstance(entry.get("settled"), int):
            settled.add(entry["settled"])
    return [
        Press(each.number, each.action, each.run, each.note, each.time, number in delivered, number in settled)
        for number, each in sorted(found.items())
    ]


def unread(session: Session) -> list[Press]:
    """Presses for the agent that are neither acknowledged nor retired, of any run, oldest first."""
    return [each for each in presses(session) if each.action in FOR_THE_AGENT and not each.settled]


def deliver(session: Session, number: int) -> None:
    """Note that ``wait`` is about to return this press."""
    _note(session, "delivered", number)


def settle(session: Session, number: int) -> None:
    """Note that this press needs no answer any more: acknowledged, or retired by newer steps."""
    _note(session, "settled", number)


def settle_delivered(session: Session) -> list[int]:
    """Acknowledge what ``wait`` returned: the agent went on to its next verb. Gives the numbers."""
    numbers = [each.number for each in unread(session) if each.delivered]
    for number in numbers:
        settle(session, number)
    return numbers


def resolved(session: Session) -> bool:
    """Whether the person's last word on the current run is Resolved."""
    run = session.state().run
    words = [each for each in presses(session) if each.action in FOR_THE_AGENT]
    return bool(words) and words[-1].action == "resolved" and words[-1].run == run


def _note(session: Session, what: str, number: int) -> None:
    with hold(session.layout.journal_lock, session.settings.lock_seconds):
        done = {"delivered": "delivered", "settled": "settled"}[what]
        if any(each.number == number and not getattr(each, done) for each in presses(session)):
            _append(session, {what: number})


def _entry(line: bytes) -> dict[str, Any]:
    try:
        value: object = orjson.loads(line)
    except orjson.JSONDecodeError:
        return {}
    return cast("dict[str, Any]", value) if isinstance(value, dict) else {}


def _append(session: Session, entry: dict[str, Any]) -> None:
    path = session.layout.actions
    descriptor = files.open_private(path, os.O_RDWR | os.O_APPEND | os.O_CREAT)
    try:
        size = os.fstat(descriptor).st_size
        # after a crash in mid-line the next entry stands on a line of its own
        fresh = b"" if size == 0 or os.pread(descriptor, 1, size - 1) == b"\n" else b"\n"
        line = fresh + orjson.dumps(entry) + b"\n"
        if os.write(descriptor, line) != len(line):
            os.ftruncate(descriptor, size)
            raise StateUnwritable(path, "no space left on device")
        os.fsync(descriptor)
    except OSError as error:
        raise StateUnwritable(path, (error.strerror or "").lower()) from error
    finally:
        os.close(descriptor)
