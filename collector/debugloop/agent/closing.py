"""The end of a session: only after the person's Resolved, and only when nothing of it is left in the code."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal

import orjson

from debugloop.agent import words
from debugloop.agent.loop import is_verified
from debugloop.errors import Declined, GitFailed, NotResolved
from debugloop.evidence.cut import fitted
from debugloop.session import actions, endpoint, files, ledger, runs
from debugloop.session.journal import Journal
from debugloop.session.state import now_ms

if TYPE_CHECKING:
    from debugloop.probes.scan import Report
    from debugloop.session.records import Row
    from debugloop.session.session import Session
    from debugloop.session.state import State

_CITED_BYTES: Final = 2_000
"""What closing.json keeps of one cited row."""
_DIFF_BYTES: Final = 65_536
"""What closing.json keeps of the fix."""


@dataclass(frozen=True, slots=True)
class Obstacles:
    """What stands in the way of the end; ``last`` is the person's last word on the run."""

    resolved: bool
    run: int
    last: str | None
    report: Report


@dataclass(frozen=True, slots=True)
class Finished:
    """How ``finish`` ended: ``open`` where leftovers keep the session so, ``before`` where an earlier call did it.

    ``closing`` is the content of closing.json, empty while the session is open.
    """

    outcome: Literal["done", "before", "open"]
    report: Report
    closing: dict[str, Any]
    next: str

    def to_json(self) -> dict[str, Any]:
        """The shape of ``finish --json``."""
        kept = ("verified", "events", "forced")
        return {
            "finished": self.outcome != "open",
            **self.report.as_json(),
            **{key: self.closing[key] for key in kept if key in self.closing},
            "next": self.next,
        }


def finish(
    session: Session, overrule: Callable[[Obstacles], bool] | None = None, face: words.Face = words.CLI
) -> Finished:
    """End the session: closing.json is written, the log emptied, the collector stopped, its endpoint deleted.

    Each part may be cut off by a crash and the whole called again. ``overrule`` asks a person whether to end it in
    spite of obstacles; without it nobody can. Raises NotResolved or Declined; leftovers are an answer, not an error.
    """
    from debugloop.probes.scan import Report, scan

    if session.state().mode == "build":
        return Finished("before", Report(), files.read_json(session.layout.closing) or {}, words.finished_before())
    actions.settle_delivered(session)
    resolved = actions.resolved(session)
    run, last = session.state().run, _last_word(session)
    if not resolved and overrule is None:
        raise NotResolved(run, last)
    report = scan(session)
    obstacles = not resolved or bool(report.leftovers)
    if obstacles and overrule is None:
        return Finished("open", report, {}, words.leftovers(face, len(report.leftovers)))
    if obstacles and overrule and not overrule(Obstacles(resolved, run, last, report)):
        raise Declined
    closing = account(session, report, forced=obstacles)
    files.write_json(session.layout.closing, closing)
    _clear_everything(session, keep_probes=bool(report.leftovers))
    following = words.finished(verified=closing["verified"], events=closing["events"], run=run, forced=obstacles)
    return Finished("done", report, closing, following)


def _last_word(session: Session) -> str | None:
    run = session.state().run
    said = [press for press in actions.presses(session) if press.run == run and press.action in actions.FOR_THE_AGENT]
    return words.name(said[-1]) if said else None


def account(session: Session, report: Report, *, forced: bool = False) -> dict[str, Any]:
    """The content of closing.json, to be dumped by orjson: what ``report`` needs after everything else is gone."""
    state = session.state()
    begun = files.read_json(session.layout.closing)
    if begun and begun.get("run") == state.run and state.steps is None:
        return begun  # a crash cut off an earlier call, when the log may have been emptied already
    rows: dict[int, list[Row]] = {}
    for run in runs.kept(session):
        rows[run] = runs.read(session, run)[1]
    presses = [press for press in actions.presses(session) if press.action in actions.FOR_THE_AGENT]
    return {
        "session": session.id,
        "workspace": state.workspace,
        "started": state.created,
        "finished": now_ms(),
        "forced": forced,
        "verified": is_verified(session),
        "run": state.run,
        "events": runs.count_events(rows[state.run]),
        "steps": state.steps.to_json() if state.steps else None,
        "runs": [{"run": run, "events": runs.count_events(listed)} for run, listed in rows.items()],
        "presses": [
            {"press": each.number, "action": each.action, "run": each.run, "note": each.note, "time": each.time}
            for each in presses
        ],
        "hypotheses": [_judged(session, each, rows, state.clears) for each in ledger.load(session)],
        "comparison": _comparison(session, rows),
        "fix": _fix(session, state),
        "cleanup": report.as_json(),
    }


def _comparison(session: Session, rows: dict[int, list[Row]]) -> orjson.Fragment | None:
    """The last run against the one in which the bug was reproduced last, where both are there."""
    from debugloop.evidence.compare import compare

    run = session.state().run
    reproduced = [press.run for press in actions.presses(session) if press.action == "reproduced" and press.run < run]
    if not reproduced or reproduced[-1] not in rows:
        return None
    before = reproduced[-1]
    compared = compare(rows[before], before, rows[run], run, limit=session.settings.answer_bytes)
    return orjson.Fragment(_masked(session, orjson.dumps(compared)))


def _fix(session: Session, state: State) -> dict[str, Any] | None:
    """What the tracked files have become since the start, where git can tell."""
    from debugloop.probes.git import repository

    try:
        repo = repository(Path(state.workspace))
        diff = repo.diff(state.head) if repo and state.head else None
    except GitFailed:  # `scan` has met the same repository, so this one broke just now
        return None
    if diff is None:
        return None
    text = _masked(session, diff[:_DIFF_BYTES]).decode("utf-8", "replace")
    return {"since": state.head, "diff": text, "cut": max(0, len(diff) - _DIFF_BYTES)}


def _masked(session: Session, text: bytes) -> bytes:
    address = endpoint.load(session.layout)
    return text.replace(address.token.encode(), "…".encode()) if address else text


def _judged(
    session: Session, hypothesis: ledger.Hypothesis, rows: dict[int, list[Row]], clears: dict[str, int]
) -> dict[str, Any]:
    return {
        "id": hypothesis.id,
        "text": hypothesis.text,
        "verdict": hypothesis.verdict,
        "citations": [_cited(session, each, rows, clears) for each in hypothesis.citations],
    }


def _cited(
    session: Session, citation: ledger.Citation, rows: dict[int, list[Row]], clears: dict[str, int]
) -> dict[str, Any]:
    """A citation with its row, unless that is gone: the log is emptied next. The token is masked in it."""
    stale = ledger.is_stale(citation, clears)
    row = next((row for row in rows.get(citation.run, ()) if row.line == citation.line), None)
    if row is None or stale:
        return {"at": str(citation), "stale": stale, "row": None}
    text = orjson.dumps(row.text) if row.malformed else fitted(row, _CITED_BYTES)[0]
    return {"at": str(citation), "stale": False, "row": orjson.Fragment(_masked(session, text))}


def _clear_everything(session: Session, *, keep_probes: bool) -> None:
    """The collector first, so that nothing comes any more; the mode last: a call after a crash does the rest."""
    from debugloop.ingest import daemon

    daemon.stop(session)
    endpoint.delete(session.layout)
    for press in actions.unread(session):
        actions.settle(session, press.number)
    session.update(steps=None)
    journal = Journal(session)
    try:
        journal.clear()
    finally:
        journal.close()
    for run in session.layout.archived_runs():
        session.layout.run_archive(run).unlink(missing_ok=True)
    if not keep_probes:
        session.layout.probes.unlink(missing_ok=True)
    session.update(mode="build")
