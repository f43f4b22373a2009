"""What the loop says to an agent: short, and always with the next right step. Each face names its own calls."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from debugloop.evidence.visible import visible

if TYPE_CHECKING:
    from collections.abc import Mapping

    from debugloop.session.actions import Press


@dataclass(frozen=True, slots=True)
class Face:
    """How one face of the loop is called by agents: what stands in sentences for each of its calls."""

    hypotheses: str
    judge: str
    steps: str
    wait: str
    logs: str
    strip: str
    finish: str
    instrument: str = ""


CLI: Final = Face(
    hypotheses='`debugloop hypothesis add "…"`',
    judge="`debugloop hypothesis set H1 confirmed --cite 1:17`",
    steps='`debugloop steps --title "…" "first step" "second step"`',
    wait="`debugloop wait`",
    logs="`debugloop logs`",
    strip="`debugloop strip`",
    finish="`debugloop finish`",
    instrument="`debugloop instrument cart.js:42 --hypothesis H1 --message \"…\" --data 'total, typeof price'`",
)

MCP: Final = Face(
    hypotheses="`record_hypotheses` with `add`",
    judge="`record_hypotheses` with `judge`, citing rows such as 1:17",
    steps="`publish_reproduction_steps`",
    wait="`wait_for_user`",
    logs="`read_evidence`",
    strip="`remove_instrumentation`",
    finish="`finish_debug_cleanup`",
    instrument="`instrument` with `insert`: place, hypothesis, message, data",
)

_VERB: Final = re.compile(
    r"`debugloop (start|steps|wait|logs|strip|scan|finish|hypothesis|instrument|snippet|probes)\b[^`]*`"
)
_TOOLS: Final = {
    "start": "start_debug",
    "steps": "publish_reproduction_steps",
    "wait": "wait_for_user",
    "logs": "read_evidence",
    "strip": "remove_instrumentation",
    "scan": "remove_instrumentation",
    "finish": "finish_debug_cleanup",
    "hypothesis": "record_hypotheses",
    **dict.fromkeys(("instrument", "snippet", "probes"), "instrument"),
}


def for_tools(sentence: str) -> str:
    """A sentence that names verbs, as an agent that only has tools can obey it. What a person runs stays."""
    return _VERB.sub(lambda verb: f"`{_TOOLS[verb[1]]}`{' with `edited`' * ('--edited' in verb[0])}", sentence)


def workflow(face: Face, probe: str | None = None) -> str:
    """The method, in the words of one face; for an agent that has just started a session, with a probe's markers."""
    if probe is None:
        markers = "   The start gives both lines; they stand in the comment syntax of the language."
    else:
        markers = f"   #region debugloop {probe}\n   #endregion debugloop {probe}"
    tool = f"\n   {face.instrument}" if face.instrument else ""
    return f"""\
1. Say what could be wrong: 3 to 5 hypotheses, each of which evidence can prove wrong.
   {face.hypotheses}
2. Put in probes that tell the hypotheses apart.{tool}
   One that you write by hand stands between two comment lines, with an id of its own:
{markers}
   A probe POSTs one JSON object to the endpoint, or appends it as one line to the log:
   {{"hypothesisId": "H1", "location": "cart.js:42", "message": "added", "data": {{"total": 105}}}}
   It must never throw, block, or change what the program does.
3. Publish steps that a stranger could follow, in the person's language.
   {face.steps}
4. Wait for the person to reproduce the bug. Pending is no answer: wait again, or end your turn.
   {face.wait}
5. Judge each hypothesis by the rows that decide it.
   {face.judge}
6. Make the smallest fix that the evidence supports, keep the probes, and go on with 3 to verify it.
7. Once the person says Resolved: {face.strip}, run the smallest relevant check, then {face.finish}.
No fix without evidence. Only the person can say Resolved."""


def after_steps(face: Face, *, panel_open: bool, probes: bool) -> str:
    """What to do once steps stand."""
    panel = "" if panel_open else " No panel is open: the person opens it with `debuglog` in a terminal."
    unheard = "" if probes else f" No probe was put in yet, so unless you wrote some by hand: {face.instrument}."
    return f"Tell the person to follow the steps, then wait for them: {face.wait}.{panel}{unheard}"


def retired(press: Press) -> str:
    """That new steps took the place of a press that nobody had read."""
    return (
        f"Press {press.number} ({name(press)}, run {press.run}) had not been read; the new steps retired it. "
        f"Its evidence: `debugloop logs --run {press.run}`."
    )


def reproduced(face: Face, press: Press, events: int) -> str:
    """What to do with a Reproduced."""
    none = (
        f"No event came in run {press.run}, so there is nothing to compare: mend the probes "
        "(`debugloop doctor` tells what keeps events away). "
    )
    return (
        f"{'' if events else none}"
        f"Compare the evidence with each hypothesis and record the verdicts: {face.judge}. If it does not "
        f"suffice, improve the probes and publish the steps again: {face.steps}. If it does, make the smallest fix, "
        f"keep the probes, and publish the steps again to verify it. "
        f"{acknowledging(face, press)} acknowledges this press."
    )


def acknowledging(face: Face, press: Press) -> str:
    """What acknowledges a press without any other step."""
    return f"`after: {press.number}`" if face is MCP else f"`--after {press.number}`"


def no_events(face: Face, press: Press) -> str:
    """What to do when the person reproduced and no probe fired."""
    return (
        f"The person reproduced run {press.run}, but no probe fired. Check that the code with the probes is what runs, "
        f"that they stand on the path of the steps, and that they reach the endpoint: `debugloop doctor`, of a web "
        f"page with `--page URL`, tells what keeps events away. Then publish again: {face.steps}."
    )


def resolved(face: Face, *, verified: bool, events: int, run: int) -> str:
    """What to do once the person said Resolved, and how far the evidence supports them."""
    doubt = ""
    if not verified:
        doubt = "This fix is unverified: no run was opened after the last Reproduced that was read. Say so. "
    elif events == 0:
        doubt = f"No event came in run {run} since the fix, so only the person's word says that it works. Say so. "
    return (
        f"{doubt}Remove all instrumentation ({face.strip}), run the smallest relevant check, "
        f"then clean up: {face.finish}."
    )


def pending(face: Face, *, run: int, events: int, panel_open: bool) -> str:
    """What to do while the person has not pressed anything."""
    if run == 0:
        return f"No steps are published yet, so nobody knows how to reproduce the bug: {face.steps}."
    panel = "" if panel_open else " No panel is open: the person opens it with `debuglog` in a terminal."
    heard = f"{events} event{'' if events == 1 else 's'} so far" if events else "no event so far"
    return f"The person has not pressed anything in run {run} ({heard}).{panel} Wait again: {face.wait}."


def end_turn(face: Face) -> str:
    """What to do once the person did not press through several waits: an agent need not wait awake."""
    return (
        "Several waits brought no press. Tell the person what to do and end your turn; no press is lost. When they "
        f"say that they reproduced the bug, call {face.wait}."
    )


def listening(events: int, by_hypothesis: Mapping[str, int]) -> str:
    """How a wait goes, for whoever watches it."""
    if not events:
        return "Waiting for the person; no event so far."
    named = ", ".join(f"{visible(name) or 'no hypothesis'}: {count}" for name, count in by_hypothesis.items())
    return f"Waiting for the person; {events} event{'' if events == 1 else 's'} so far{f' ({named})' if named else ''}."


def instrumented(face: Face, probes: int) -> str:
    """What to do with probes in the code."""
    if probes:
        return f"Check that the probes stand on the path of the steps, then publish those: {face.steps}."
    return f"Put probes in that tell the hypotheses apart: {face.instrument}. Then publish steps: {face.steps}."


def removed(face: Face, leftovers: int) -> str:
    """What to do once the probes are removed."""
    if leftovers:
        return f"{leftovers} more to remove by hand, at the places listed; then look again: {face.strip}."
    return f"Nothing of the session is left in the code. Run the smallest relevant check, then {face.finish}."


def revived() -> str:
    """That the collector had died and serves again."""
    return "The collector was not running; it serves again, on the same address."


def name(press: Press) -> str:
    """A press as its button is labelled."""
    return {"reproduced": "Reproduced", "no_events": "No events", "resolved": "Resolved", "clear": "Clear"}[
        press.action
    ]


def leftovers(face: Face, count: int) -> str:
    """That the session stays open while something of it is in the code."""
    lines = f"{count} line{' holds' if count == 1 else 's hold'} something of this session"
    return (
        f"{lines}, so it stays open. Remove the probes with {face.strip}, the rest by hand, then {face.finish} again."
    )


def finished(*, verified: bool, events: int, run: int, forced: bool) -> str:
    """That the session has ended, and how far its fix is proved."""
    proof = "a person forced it" if forced else "no trace of it is left in the code"
    if not verified:
        doubt = " The fix is unverified: no run was opened after the last Reproduced that was read."
    elif events == 0:
        doubt = f" No event came in run {run} since the fix: only the person's word says that it works."
    else:
        doubt = ""
    return f"The session is finished: {proof}, the collector has stopped, and its address is dead.{doubt}"


def finished_before() -> str:
    """That there is nothing left to do."""
    return "The session was finished before; nothing was changed."
