"""session.json: what one session is and where its loop stands."""

from __future__ import annotations

import time
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, cast

from debugloop.errors import CorruptFile, SessionGone
from debugloop.session import files
from debugloop.session.records import Source, Steps

if TYPE_CHECKING:
    from debugloop.session.layout import Layout

Mode: TypeAlias = Literal["build", "debug"]


@dataclass(frozen=True, slots=True)
class Cut:
    """A change of the log that was begun: its first ``size`` bytes go, the steps line stamped ``observed`` comes first.

    Written before the log is touched, so that whoever comes after a crash can end what was begun.
    ``head`` is the hex of the log's first bytes: it tells whether the log still is the one that is to be cut.
    """

    size: int
    head: str
    observed: str


@dataclass(frozen=True, slots=True)
class State:
    """The content of session.json. Times are milliseconds since the epoch."""

    workspace: str
    id: str = ""
    host: str | None = None
    host_sessions: tuple[str, ...] = ()
    """The conversations of agent hosts that started it or came to it, by the hosts' own ids, the latest last."""
    mode: Mode = "debug"
    run: int = 0
    steps: Steps | None = None
    cut: Cut | None = None
    clears: dict[str, int] = field(default_factory=dict[str, int])
    """How often each run was cleared, by its number; a citation from before is stale."""
    head: str | None = None
    """The commit that was checked out at the start, if any."""
    status: tuple[str, ...] = ()
    """``git status --porcelain`` at the start: what was changed or new already."""
    agent_seen: int = 0
    created: int = 0
    updated: int = 0


def now_ms() -> int:
    """Milliseconds since the epoch, UTC."""
    return time.time_ns() // 1_000_000


def save(layout: Layout, state: State) -> None:
    """Write session.json. The caller holds the journal lock."""
    files.write_json(layout.session, asdict(state))


def load(layout: Layout) -> State:
    """Read session.json. Raises SessionGone if there is none, CorruptFile or NewerFormat."""
    value = files.read_json(layout.session)
    if value is None:
        raise SessionGone(layout.directory)
    try:
        return _state(value)
    except (KeyError, TypeError, ValueError) as error:
        raise CorruptFile(layout.session, f"field {error} is missing or wrong") from error


def _state(value: dict[str, Any]) -> State:
    known = {name: value[name] for name in State.__dataclass_fields__ if name in value}
    if not isinstance(known["workspace"], str):
        raise TypeError("workspace")
    for name in ("run", "agent_seen", "created", "updated"):
        if type(known.get(name, 0)) is not int or known.get(name, 0) < 0:
            raise TypeError(name)
    if known.get("mode", "debug") not in {"build", "debug"}:
        raise ValueError("mode")
    if (steps := known.get("steps")) is not None:
        known["steps"] = Steps(steps["title"], tuple(map(str, steps["steps"])), cast("Source", steps["source"]))
    if (cut := known.get("cut")) is not None:
        known["cut"] = Cut(int(cut["size"]), bytes.fromhex(cut["head"]).hex(), str(cut["observed"]))
        if known["cut"].size < 0:
            raise ValueError("cut")
    known["clears"] = {str(run): int(times) for run, times in dict(known.get("clears", {})).items()}
    for name in ("status", "host_sessions"):
        known[name] = tuple(map(str, known.get(name, ())))
    return State(**known)
