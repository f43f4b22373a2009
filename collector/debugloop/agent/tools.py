"""The loop as tools: one function each, from a checked input to an answer that orjson dumps.

They know nothing of MCP. Everything is read from the files of the session at each call; what a `Bench` remembers is
only which project was named last, and how often a wait ended without a press.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import orjson

from debugloop.agent import asking, closing, failures, hypotheses, loop, probing, words
from debugloop.agent.stage import stage
from debugloop.errors import DebugloopError, RunNotFound
from debugloop.evidence.cut import clipped
from debugloop.evidence.query import Query, counts, moment_from, select
from debugloop.session import actions, collector_file, endpoint, ledger, runs
from debugloop.session import session as sessions
from debugloop.session.records import steps_from

if TYPE_CHECKING:
    from debugloop.agent import inputs
    from debugloop.probes.strip import Stripped
    from debugloop.session.session import Session
    from debugloop.settings import Settings

PATIENCE: Final = 3
"""Waits without a press after which an agent is told to end its turn."""
_MOST_WAIT: Final = (("claude", 110.0), ("codex", 240.0), ("gemini", 540.0))
"""How long the hosts let a tool run, in seconds, by what their names hold."""
_WAIT: Final = 50.0
_LISTED: Final = 50
_TEXT: Final = 300
_PROBES_BYTES: Final = 5_000
_BY_HAND_BYTES: Final = 1_500


@dataclass(slots=True)
class Bench:
    """Where one server works: its folder, its environment, and the session it was given, if any."""

    settings: Settings
    folder: Path
    environment: Mapping[str, str]
    session_id: str | None = None
    pending: dict[tuple[str, int], int] = field(default_factory=dict[tuple[str, int], int])
    """Waits of each run that ended without a press."""
    refusals: set[tuple[str, int]] = field(default_factory=set[tuple[str, int]])
    """Runs about which the person does not want to be asked by their client."""

    def open(self, which: inputs.Which) -> Session:
        """The session that is meant (NoSession, SeveralSessions or SessionNotFound where none can be told)."""
        wanted = which.session or self.session_id
        return sessions.find(self.settings, self.place(which), session_id=wanted, environment=self.environment)

    def place(self, which: inputs.Which) -> Path:
        """The project that is meant: the one that is named, else the one that was named last."""
        if which.workspace:
            self.folder = Path(which.workspace)
        return self.folder


def start_debug(bench: Bench, given: inputs.StartDebug) -> dict[str, Any]:
    """Create or resume the session, see that its collector serves, and teach the method."""
    wish = loop.Wish(
        given.session or bench.session_id,
        given.new,
        given.in_workspace,
        given.new_endpoint,
        given.allow_origins,
    )
    started = loop.start(bench.settings, bench.place(given), wish, bench.environment)
    session = started.session
    return {
        "session": session.id,
        "directory": str(session.layout.directory),
        "endpoint": started.endpoint.url,
        "log": str(session.layout.log),
        "run": started.run,
        "stage": stage(session.state(), actions.presses(session)),
        "history": started.history,
        "attached": started.attached,
        "workflow": words.workflow(words.MCP, started.probe),
    }


def record_hypotheses(bench: Bench, given: inputs.RecordHypotheses) -> dict[str, Any]:
    """Add hypotheses and record verdicts, each for itself: what cannot be taken is told beside what was."""
    session = bench.open(given)
    sessions.touch_agent(session)
    changes: list[tuple[str, Callable[[], object]]] = [
        *((new.id or new.text, lambda new=new: hypotheses.add(session, new.text, new.id)) for new in given.add),
        *(
            (each.id, lambda each=each: hypotheses.judge(session, each.id, each.verdict, each.citations))
            for each in given.judge
        ),
    ]
    refused: list[dict[str, str]] = []
    for name, change in changes:
        try:
            change()
        except DebugloopError as error:
            code, sentence, _ = failures.told(error)
            refused.append({"hypothesis": name[:80], "error": code, "message": words.for_tools(sentence)})
    listed = [hypotheses.as_json(session, each) for each in ledger.load(session)]
    return {"session": session.id, "hypotheses": listed, "refused": refused}


def instrument(bench: Bench, given: inputs.Instrument) -> dict[str, Any]:
    """Put probes in, each for itself; print one for a language; and list those there are, with what was heard."""
    from debugloop.probes.insert import Wanted
    from debugloop.probes.languages import check_capture, expressions

    session = bench.open(given)
    loop.require_open(session)
    sessions.touch_agent(session)
    done: list[dict[str, Any]] = []
    refused: list[dict[str, str]] = []
    top = Path(session.state().workspace)
    counted = probing.Counted(session, top)
    for each in given.insert:
        try:
            if each.capture:
                check_capture(each.message, each.data, each.level)
            about = (each.message, each.hypothesis, each.level, expressions(each.data), each.language)
            wanted = Wanted(*about, capture=each.capture)
            if given.dry_run:
                done.append(probing.put_in(session, top, each.place, wanted, dry_run=True))
            else:
                done.append(counted.put_in(each.place, wanted))
        except DebugloopError as error:
            code, sentence, _ = failures.told(error)
            message = clipped(words.for_tools(sentence), _TEXT)
            refused.append({"place": clipped(each.place, 100), "error": code, "message": message})
    snippet = None if given.snippet is None else _snippet(session, given.snippet)
    probes = probing.listed(session)
    lines = {each["probe"]: each["line"] for each in probes}
    done = [each if given.dry_run else {**each, "line": lines[each["probe"]]} for each in done]
    by_hand = [each for each in _strip(session, dry_run=True) if each.probes]
    known = {each["probe"] for each in probes}
    taken = known | {probe for each in by_hand for probe in each.probes}
    number = next(number for number in range(1, len(taken) + 2) if f"{session.id}/{number}" not in taken)
    served = endpoint.load(session.layout)
    shown = _newest(probes, _PROBES_BYTES)
    unknown = _probes([each for each in by_hand if not known.issuperset(each.probes)])
    others = _newest(unknown, _BY_HAND_BYTES)
    return {
        "session": session.id,
        "inserted": done,
        "refused": refused,
        "snippet": snippet,
        "begin": f"#region debugloop {session.id}/{number}",
        "end": f"#endregion debugloop {session.id}/{number}",
        "endpoint": served.url if served else None,
        "log": str(session.layout.log),
        "event": {"hypothesisId": "H1", "location": "cart.js:42", "message": "added", "data": {"total": 105}},
        "probes": shown,
        "by_hand": others,
        "more": {"probes": len(probes) - len(shown), "by_hand": len(unknown) - len(others)},
        "next": words.instrumented(words.MCP, len(taken)),
    }


def _snippet(session: Session, language: str) -> dict[str, Any]:
    """A probe to put in by hand, as the verb prints it; ``imports`` stands once in a file."""
    from debugloop.probes.insert import snippet
    from debugloop.probes.languages import Event, by_name

    probe, lines, imports = snippet(session, by_name(language), Event("", "", "", None, None, ()))
    text, head = ("".join(f"{line}\n" for line in each) for each in (lines, imports))
    return {"probe": probe.id, "text": text, "imports": head}


def publish_reproduction_steps(bench: Bench, given: inputs.PublishSteps) -> dict[str, Any]:
    """Open a new run with these steps."""
    session = bench.open(given)
    steps = steps_from({"title": given.title, "steps": given.steps}, session.settings, "mcp")
    published = loop.publish_steps(session, steps, words.MCP)
    return {
        "session": session.id,
        "run": published.run,
        **steps.to_json(),
        "retired": [press.number for press in published.retired],
        "revived": published.revived,
        "panel": sessions.panel_state(session),
        "next": published.next,
    }


def most_wait(client: str) -> float:
    """How long a client of this name lets a tool run, in seconds."""
    return next((seconds for name, seconds in _MOST_WAIT if name in client.lower()), _WAIT)


def wait_for_user(
    bench: Bench, given: inputs.WaitForUser, longest: float = _WAIT, given_up: Callable[[], bool] = bool
) -> dict[str, Any]:
    """The oldest press that was not acknowledged, or what came so far. ``longest`` is what the host allows."""
    session = bench.open(given)
    seconds = longest if given.max_wait_s is None else min(given.max_wait_s, longest)
    waited = loop.wait(session, seconds, given.after, words.MCP, given_up)
    answer = {"session": session.id, "waited_at_most_s": seconds, **waited.to_json()}
    turn = (session.id, waited.run)
    if waited.press:
        bench.pending.pop(turn, None)
        return answer
    bench.pending[turn] = bench.pending.get(turn, 0) + 1
    if bench.pending[turn] >= PATIENCE and waited.run:
        answer["next"] = words.end_turn(words.MCP)
    return answer


def question(bench: Bench, which: inputs.Which) -> tuple[int, str] | None:
    """The run to ask the person about through their client, and what to ask; None where they are not to be asked."""
    session = bench.open(which)
    asked = asking.question(session)
    return None if asked is None or (session.id, asked[0]) in bench.refusals else asked


def answered(bench: Bench, which: inputs.Which, run: int, content: Mapping[str, object] | None) -> None:
    """Take the person's answer about a run. Without one, or with one that says nothing, they are not asked again."""
    session = bench.open(which)
    if content is None or not asking.take(session, run, content):
        bench.refusals.add((session.id, run))


def listening(bench: Bench, given: inputs.WaitForUser) -> str:
    """How a wait goes, in one sentence."""
    _, rows = runs.read(bench.open(given), redacting=False)
    return words.listening(runs.count_events(rows), counts(rows))


def read_evidence(bench: Bench, given: inputs.ReadEvidence) -> dict[str, Any]:
    """The rows of a run that are meant, in one of four bounded views."""
    query = Query(
        given.hypothesis,
        given.level,
        given.location,
        given.text,
        given.after,
        moment_from(given.since) if given.since else None,
        moment_from(given.until) if given.until else None,
        given.probe,
    )
    session = bench.open(given)
    actions.settle_delivered(session)  # who reads on has read what `wait_for_user` returned
    sessions.touch_agent(session)
    run, rows = runs.read(session, given.run, wanted=query.wanted)
    limit = given.max_bytes or session.settings.answer_bytes
    meant = select(rows, query)
    if given.view == "compare":
        from debugloop.evidence.compare import compare

        before = _run_before(session, run) if given.before is None else given.before
        old = select(runs.read(session, before, wanted=query.wanted)[1], query)
        return {"view": given.view, **compare(old, before, meant, run, limit=limit - _TEXT)}
    if given.view == "digest":
        from debugloop.evidence.digest import digest

        known, collector = ledger.load(session), collector_file.load(session.layout)
        probes = probing.places(session, run, given.hypothesis) if query.keeps_probes else None
        return {"view": given.view, **digest(meant, run, known, collector, probes=probes, limit=limit - _TEXT)}
    from debugloop.evidence.views import rows_view, timeline

    view = timeline if given.view == "timeline" else rows_view
    return {"view": given.view, **view(meant, run, limit=limit - _TEXT)}


def remove_instrumentation(bench: Bench, given: inputs.RemoveInstrumentation) -> dict[str, Any]:
    """Remove the probes of the session byte for byte, and tell what is left of it anywhere."""
    from debugloop.probes.scan import scan

    session = bench.open(given)
    sessions.touch_agent(session)
    looked = _strip(session, given.files, dry_run=given.dry_run, edited=given.edited)
    stripped = [each for each in looked if each.probes]
    report = scan(session)
    return {
        "session": session.id,
        "dry_run": given.dry_run,
        "removed": _probes(stripped),
        **_left(report.as_json()),
        "next": words.removed(words.MCP, len(report.leftovers)),
    }


def finish_debug_cleanup(bench: Bench, given: inputs.FinishDebug) -> dict[str, Any]:
    """End the session, behind its gates. Nobody can be asked here, so nothing is forced."""
    session = bench.open(given)
    finished = closing.finish(session, None, words.MCP)
    return {"session": session.id, **_left(finished.to_json())}


def steps_of(bench: Bench, which: inputs.Which) -> dict[str, Any]:
    """The steps that stand, for the resource."""
    state = bench.open(which).state()
    return {"run": state.run, "steps": state.steps.to_json() if state.steps else None}


def ledger_of(bench: Bench, which: inputs.Which) -> dict[str, Any]:
    """The hypotheses, for the resource."""
    session = bench.open(which)
    return {"hypotheses": [hypotheses.as_json(session, each) for each in ledger.load(session)]}


def log_of(bench: Bench, which: inputs.Which) -> dict[str, Any]:
    """The first rows of the current run, for the resource. Looking at it acknowledges nothing."""
    from debugloop.evidence.views import rows_view

    session = bench.open(which)
    run, rows = runs.read(session)
    return rows_view(rows, run, limit=session.settings.answer_bytes)


def _run_before(session: Session, run: int) -> int:
    earlier = [each for each in runs.kept(session) if each < run]
    if not earlier:
        raise RunNotFound(max(run - 1, 0), tuple(runs.kept(session)))
    return earlier[-1]


def _strip(session: Session, files: tuple[str, ...] = (), *, dry_run: bool, edited: bool = False) -> list[Stripped]:
    from debugloop.probes import inserted
    from debugloop.probes.scan import place_of
    from debugloop.probes.strip import Choice, strip

    top = Path(session.state().workspace)
    named = [Path(os.path.normpath(top / name)) for name in files] if files else None
    choice = Choice.of(inserted.load(session.layout), edited=edited)
    return strip(place_of(session.settings, top), session.id, named, choice=choice, dry_run=dry_run)


def _probes(stripped: list[Stripped]) -> list[dict[str, Any]]:
    return [{"file": each.file, "probes": list(each.probes), "lines": list(each.lines)} for each in stripped[:_LISTED]]


def _newest(listed: list[dict[str, Any]], size: int) -> list[dict[str, Any]]:
    """The last ones of a list, as many as this many bytes hold."""
    fitting = listed[-_LISTED:]
    while len(orjson.dumps(fitting)) > size:
        fitting = fitting[1:]
    return fitting


def _left(report: dict[str, Any]) -> dict[str, Any]:
    """What is left, in bounded size: ``more`` counts the lines that are not listed."""
    cut = {name: report[name][:_LISTED] for name in ("leftovers", "review")}
    for name, listed in cut.items():
        while len(orjson.dumps(listed)) > 6_000:  # noqa: PLR2004 -- both lists together stay below 16 KiB
            listed.pop()
        cut[name] = listed
    more = {name: len(report[name]) - len(listed) for name, listed in cut.items()}
    return {**report, **cut, "more": more}
