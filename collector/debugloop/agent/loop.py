"""The rules of the loop, for every face of it: what may come after what, and what each step does and tells.

Everything is read from the files of the session at each call, so any caller may die at any moment, and another one
go on. Nothing is remembered here.
"""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias

import orjson

from debugloop.agent import words
from debugloop.errors import (
    CollectorError,
    CorruptFile,
    GitFailed,
    LockBusy,
    PressNotDelivered,
    RunNotFound,
    SessionFinished,
    SessionGone,
    StateUnwritable,
    UnreadResolved,
)
from debugloop.evidence.query import counts
from debugloop.probes import inserted
from debugloop.session import actions, collector_file, endpoint, files, ledger, runs
from debugloop.session import session as sessions
from debugloop.session.locks import Lock, hold
from debugloop.session.state import now_ms

if TYPE_CHECKING:
    from debugloop.session.actions import Press
    from debugloop.session.endpoint import Endpoint
    from debugloop.session.records import Row, Steps
    from debugloop.session.session import Session
    from debugloop.settings import Settings

Status: TypeAlias = Literal["reproduced", "no_events", "resolved", "pending"]

_LOOK_AT_COLLECTOR: Final = 1.0
"""Seconds between two looks whether the collector lives."""
_LEAST_EVIDENCE: Final = 2_000
"""Bytes of an answer that the evidence may take, however long the person's note is."""
_PENDING_COUNTS: Final = 20
_BASELINE: Final = 1_000
"""New files that session.json remembers; one that is passed over is listed for review if it changes."""


@dataclass(frozen=True, slots=True)
class Wish:
    """What a start is asked for; ``origins`` as they were given. A switch that is None stays as it is."""

    session_id: str | None = None
    new: bool = False
    in_workspace: bool = False
    new_endpoint: bool = False
    origins: Sequence[str] = ()
    redact: bool | None = None
    sampling: bool | None = None


@dataclass(frozen=True, slots=True)
class Started:
    """A session that is ready. ``attached``: its collector ran already. ``history``: how it came to be."""

    session: Session
    endpoint: Endpoint
    run: int
    history: Literal["new", "resumed", "reopened"]
    attached: bool
    probe: str
    """The id of the next probe that is written by hand."""
    old: Endpoint | None = None
    """The endpoint that ``new_endpoint`` replaced."""


@dataclass(frozen=True, slots=True)
class Published:
    """A run that was opened. ``revived``: the collector had to be brought back for it."""

    run: int
    steps: Steps
    endpoint: Endpoint
    retired: tuple[Press, ...]
    acknowledged: tuple[int, ...]
    revived: bool
    next: str


@dataclass(frozen=True, slots=True)
class Waited:
    """What a wait ended with. ``verified`` is None unless the person said Resolved.

    ``collector`` is ``running``, ``revived``, or the sentence that says why it cannot be.
    """

    status: Status
    press: Press | None
    run: int
    events: int
    evidence: dict[str, Any]
    verified: bool | None
    collector: str
    panel: sessions.PanelState
    next: str

    def to_json(self) -> dict[str, Any]:
        """The shape of ``wait --json``; the evidence is to be dumped by orjson."""
        return {
            "status": self.status,
            "press": self.press.number if self.press else None,
            "note": self.press.note if self.press else None,
            "run": self.run,
            "events": self.events,
            "verified": self.verified,
            "collector": self.collector,
            "panel": self.panel,
            "next": self.next,
            "evidence": self.evidence,
        }


def start(
    settings: Settings, folder: Path, wish: Wish | None = None, environment: Mapping[str, str] | None = None
) -> Started:
    """Create, resume or reopen the session that is meant, and see that its collector serves.

    A session that was finished gets a new endpoint. Raises InvalidOrigin before anything is made, then what
    `sessions.start` and the collector's start raise.
    """
    from debugloop.ingest import daemon

    wish = wish or Wish()
    allowed: list[str] = []
    if wish.origins:
        from debugloop.ingest.gate import exact_origin

        allowed = [exact_origin(origin) for origin in wish.origins]
    session = sessions.start(
        settings,
        folder,
        session_id=wish.session_id,
        new=wish.new,
        in_workspace=wish.in_workspace,
        environment=environment,
    )
    state = session.state()
    old = endpoint.load(session.layout)
    history: Literal["new", "resumed", "reopened"] = "resumed" if old else "new"
    if state.mode == "build":
        history = "reopened"
        session.layout.closing.unlink(missing_ok=True)
    baseline = {} if history == "resumed" else _baseline(Path(state.workspace))
    session.update(mode="debug", agent_seen=now_ms(), **baseline)
    _tell_collector(session, wish, allowed)
    attached = collector_file.running(session.layout) and not wish.new_endpoint
    served = daemon.renew(session) if wish.new_endpoint else daemon.ensure(session)
    probe = inserted.next_id(session.id, _known_probes(session), set())
    return Started(session, served, state.run, history, attached, probe, old if wish.new_endpoint else None)


def publish_steps(session: Session, steps: Steps, face: words.Face = words.CLI) -> Published:
    """Open a new run with these steps, its collector serving.

    What ``wait`` returned before counts as read. An unread press on the run so far is retired, but an unread Resolved
    refuses. Raises SessionFinished, UnreadResolved, or what keeps the collector from starting: then no run is opened.
    """
    require_open(session)
    for press in actions.unread(session):
        if press.action == "resolved" and not press.delivered and press.run == session.state().run:
            raise UnreadResolved(press.number, press.run)
    served, revived = _bring_back(session)
    acknowledged = actions.settle_delivered(session)
    from debugloop.session.journal import Journal

    journal = Journal(session)
    try:
        run = journal.new_run(steps)
    finally:
        journal.close()
    retired = [press for press in actions.unread(session) if press.run < run]
    for press in retired:
        actions.settle(session, press.number)
    sessions.touch_agent(session)
    panel_open = sessions.panel_state(session) == "open"
    following = words.after_steps(face, panel_open=panel_open, probes=run > 1 or bool(_known_probes(session)))
    return Published(run, steps, served, tuple(retired), tuple(acknowledged), revived, following)


def _known_probes(session: Session) -> list[inserted.Inserted]:
    try:
        return inserted.load(session.layout)
    except CorruptFile:  # whoever puts one in is told
        return []


def wait(
    session: Session,
    timeout: float,
    after: int | None = None,
    face: words.Face = words.CLI,
    given_up: Callable[[], bool] = bool,
) -> Waited:
    """Wait up to ``timeout`` seconds for the oldest press on the current run that is not acknowledged.

    ``after`` first acknowledges that press and all before it. The press is noted as delivered before it is returned,
    and is returned again, under the same number, until it is acknowledged. ``given_up`` is asked at each look whether
    the caller still waits. Raises SessionFinished, SessionGone or PressNotDelivered.
    """
    deadline = time.monotonic() + timeout
    require_open(session)
    if after:
        _acknowledge(session, after)
    sessions.touch_agent(session)
    collector = _collector_word(session)
    press = _next_press(session)
    lock = _take(session) if press is None and timeout > 0 else None
    try:
        look = time.monotonic() + _LOOK_AT_COLLECTOR
        seen = None
        while press is None and not given_up() and (now := time.monotonic()) < deadline:
            if (changed := _signatures(session)) != seen:
                seen = changed
                require_open(session)
                press = _next_press(session)
                continue
            time.sleep(min(session.settings.poll_seconds, deadline - now))
            if now >= look:
                look = now + _LOOK_AT_COLLECTOR
                word = _collector_word(session)
                collector = collector if word == "running" else word
    finally:
        if lock:
            lock.release()
            sessions.touch_agent(session)
    if press and not press.delivered:
        with suppress(
            StateUnwritable
        ):  # a full disk keeps no press from the agent: it comes again until it is taken up
            actions.deliver(session, press.number)
    return _answer(session, press, collector, face)


def clear(session: Session) -> tuple[int, int]:
    """Empty the log of the current run; gives the run and how many events are gone. Ends nothing."""
    require_open(session)
    from debugloop.session.journal import Journal

    run, rows = runs.read(session, redacting=False)
    journal = Journal(session)
    try:
        journal.clear()
    finally:
        journal.close()
    return run, runs.count_events(rows)


def is_verified(session: Session) -> bool:
    """Whether a run was opened after the last Reproduced that the agent read: else nothing verifies its fix."""
    read = [press.run for press in actions.presses(session) if press.action == "reproduced" and press.delivered]
    return bool(read) and session.state().run > max(read)


def _answer(session: Session, press: Press | None, collector: str, face: words.Face) -> Waited:
    run, rows = _rows(session, press)
    events = runs.count_events(rows)
    panel = sessions.panel_state(session)
    if press is None or press.action == "clear":
        following = words.pending(face, run=run, events=events, panel_open=panel == "open")
        by_hypothesis = dict(list(counts(rows).items())[:_PENDING_COUNTS])
        evidence = {"run": run, "events": events, "by_hypothesis": by_hypothesis}
        return Waited("pending", None, run, events, evidence, None, collector, panel, following)
    verified = None
    if press.action == "resolved":
        verified = is_verified(session)
        following = words.resolved(face, verified=verified, events=events, run=run)
    elif press.action == "no_events":
        following = words.no_events(face, press)
    else:
        following = words.reproduced(face, press, events)
    from debugloop.agent.probing import places
    from debugloop.evidence.digest import digest

    waited = Waited(press.action, press, run, events, {}, verified, collector, panel, following)
    room = session.settings.answer_bytes - len(orjson.dumps(waited.to_json()))
    known, collected = ledger.load(session), collector_file.load(session.layout)
    probes = places(session, run)
    evidence = digest(rows, run, known, collected, probes=probes, limit=max(room, _LEAST_EVIDENCE))
    return dataclasses.replace(waited, evidence=evidence)


def _rows(session: Session, press: Press | None) -> tuple[int, list[Row]]:
    """The rows of the run that was pressed on, also when another one was opened since; none where it had none."""
    if press is None:
        return runs.read(session, redacting=False)  # they are only counted
    try:
        return runs.read(session, press.run)
    except RunNotFound as gone:
        return gone.run, []


def _next_press(session: Session) -> Press | None:
    run = session.state().run
    return next((press for press in actions.unread(session) if press.run == run), None)


def _acknowledge(session: Session, number: int) -> None:
    unread = actions.unread(session)
    known = {press.number: press for press in actions.presses(session)}
    if number not in known or not (known[number].delivered or known[number].settled):
        raise PressNotDelivered(number)
    for press in unread:
        if press.delivered and press.number <= number:
            actions.settle(session, press.number)


def require_open(session: Session) -> None:
    """Refuse what only an unfinished session may do. Raises SessionFinished or SessionGone."""
    if files.signature(session.layout.session) is None:
        raise SessionGone(session.layout.directory)
    if session.state().mode != "debug":
        raise SessionFinished(session.id)


def _signatures(session: Session) -> tuple[files.Signature | None, files.Signature | None]:
    return files.signature(session.layout.actions), files.signature(session.layout.session)


def _take(session: Session) -> Lock | None:
    """Show that an agent waits; where another one waits already, that is shown anyway."""
    try:
        return hold(session.layout.agent_lock)
    except LockBusy:
        return None


def _bring_back(session: Session) -> tuple[Endpoint, bool]:
    """The endpoint, served; and whether the collector had to be started for that."""
    served = endpoint.load(session.layout)
    if served and collector_file.running(session.layout):
        return served, False
    from debugloop.ingest import daemon

    return daemon.ensure(session), True


def _collector_word(session: Session) -> str:
    """Bring a dead collector back; a press must reach the agent also where that is impossible."""
    try:
        return "revived" if _bring_back(session)[1] else "running"
    except CollectorError as error:
        return str(error)


def _baseline(workspace: Path) -> dict[str, Any]:
    """What git knows before the agent touches anything: `finish` tells by it what is new."""
    if not (workspace / ".git").exists():
        return {}  # without the 10 ms that it takes to import what talks to git
    from debugloop.probes.git import repository
    from debugloop.probes.tree import readable

    try:
        repo = repository(workspace)
        if repo is None:
            return {}
        return {"head": repo.head(), "status": tuple(f"?? {readable(name)}" for name in repo.untracked()[:_BASELINE])}
    except GitFailed:  # `finish` asks again, and says it where it matters
        return {}


def _tell_collector(session: Session, wish: Wish, origins: list[str]) -> None:
    """Write the flags that a collector obeys, also one that runs."""

    def change(old: collector_file.CollectorFile) -> collector_file.CollectorFile:
        return dataclasses.replace(
            old,
            allowed_origins=tuple(dict.fromkeys((*old.allowed_origins, *origins))),
            redact=old.redact if wish.redact is None else wish.redact,
            sampling=old.sampling if wish.sampling is None else wish.sampling,
        )

    if origins or wish.redact is not None or wish.sampling is not None:
        collector_file.update(session.layout, session.settings, change)
