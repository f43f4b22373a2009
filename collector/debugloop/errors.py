"""Every error of debugloop: one type for each, with its attributes and its sentence.

    DebugloopError
    ├── UsageError                      exit 2: the call itself is wrong
    │   ├── InvalidSetting              InvalidSessionId
    │   ├── InvalidSteps                InvalidOrigin
    │   └── InvalidHypothesis           InvalidCitation
    ├── StateError                      the files of a session
    │   ├── CorruptFile                 NewerFormat
    │   ├── UnsafeFile                  StateUnwritable
    │   └── LockBusy
    ├── SessionError                    which session
    │   ├── NoSession                   SeveralSessions
    │   ├── SessionNotFound             SessionExists
    │   └── SessionInUse                SessionFinished
    ├── JournalError                    debug.jsonl
    │   ├── WriteFailed                 RunNotFound
    │   └── SessionGone
    ├── CollectorError                  the server
    │   ├── PortTaken                   NoFreePort
    │   └── CollectorFailed             CollectorRuns
    ├── LoopError                       the order of the loop
    │   ├── UnreadResolved              NotResolved
    │   ├── PressNotDelivered           NothingPublished
    │   ├── NoTerminal                  Declined
    │   └── RunChanged
    ├── ProbeError                      instrumentation in files
    │   ├── BrokenMarkers               OutsideWorkspace
    │   ├── FileUnwritable              FileUnreadable
    │   └── GitFailed                   DemoFailed
    └── PanelError                      the terminal of the panel
        └── TmuxRefused

A sentence says what is wrong and what to do next; the CLI prints it, the MCP server returns it, and with
``--json`` it stands beside ``code``. No error carries the token.
"""

from __future__ import annotations

from pathlib import Path
from typing import ClassVar, dataclass_transform


@dataclass_transform(eq_default=False)
class DebugloopError(Exception):
    """The root: ``code`` is for programs, ``str()`` is the sentence for people.

    Each type is written as a dataclass and checked as one, but not made one: that took 10 ms for all of them, in each
    short verb.
    """

    code: ClassVar[str] = "error"
    exit_code: ClassVar[int] = 1

    def __init__(self, *values: object, **named: object) -> None:
        fields = [name for name, kind in type(self).__annotations__.items() if not kind.startswith("ClassVar")]
        given = dict(zip(fields, values, strict=False)) | named
        missing = [name for name in fields if name not in given and not hasattr(type(self), name)]
        if missing or len(values) > len(fields) or not named.keys() <= set(fields[len(values) :]):
            raise TypeError(f"{type(self).__name__} takes {', '.join(fields) or 'nothing'}")
        super().__init__(*given.values())
        for name, value in given.items():
            setattr(self, name, value)

    def __str__(self) -> str:
        return "Something failed in debugloop."


# -- usage ---------------------------------------------------------------------------------------


class UsageError(DebugloopError):
    """The call itself is wrong: nothing was read or written."""

    code = "usage"
    exit_code = 2


class InvalidSetting(UsageError):
    """A ``DEBUGLOOP_…`` variable does not hold what it must."""

    code = "invalid_setting"
    variable: str
    value: str
    wanted: str

    def __str__(self) -> str:
        return f"{self.variable} is {self.value!r}, but must be {self.wanted}. Correct it or unset it."


class InvalidSessionId(UsageError):
    """A session id that could not be a folder's name."""

    code = "invalid_session_id"
    text: str

    def __str__(self) -> str:
        return (
            f"{self.text!r} is no session id. Use 1 to 128 letters, digits, dots, dashes or underscores, "
            "beginning with a letter or digit."
        )


class InvalidSteps(UsageError):
    """Reproduction steps that nobody could follow, or that are too many."""

    code = "invalid_steps"
    reason: str

    def __str__(self) -> str:
        return f"These reproduction steps cannot be published: {self.reason}."


class InvalidOrigin(UsageError):
    """An ``--allow-origin`` that is not one exact origin."""

    code = "invalid_origin"
    text: str

    def __str__(self) -> str:
        return f"{self.text!r} is no origin. Give scheme, host and port only, such as http://myapp.test:8080."


class InvalidHypothesis(UsageError):
    """A hypothesis, or a change to one, that the ledger cannot take."""

    code = "invalid_hypothesis"
    reason: str

    def __str__(self) -> str:
        return f"The ledger cannot take this: {self.reason}."


class InvalidCitation(UsageError):
    """A citation that is not ``run:line``, or that names a line which is not there."""

    code = "invalid_citation"
    text: str
    reason: str = "a citation is run:line, such as 2:17"

    def __str__(self) -> str:
        return f"{self.text!r} cannot be cited: {self.reason}."


# -- state files -----------------------------------------------------------------------------------


class StateError(DebugloopError):
    """A file of the session directory cannot be used as it is."""


class CorruptFile(StateError):
    """A state file does not hold what it must; it is left as it is."""

    code = "corrupt_file"
    path: Path
    reason: str

    def __str__(self) -> str:
        return f"{self.path} is damaged ({self.reason}). Mend it, or move it away and run `debugloop start` again."


class NewerFormat(StateError):
    """A state file was written by a later debugloop."""

    code = "newer_format"
    path: Path
    version: int
    known: int

    def __str__(self) -> str:
        return (
            f"{self.path} has format {self.version}, and this debugloop knows {self.known}. "
            "Upgrade debugloop, or make another session with `debugloop start --new`."
        )


class UnsafeFile(StateError):
    """A path of the session directory is a link, is owned by somebody else or is no plain file."""

    code = "unsafe_file"
    path: Path
    reason: str

    def __str__(self) -> str:
        return f"{self.path} {self.reason}, so debugloop does not touch it. Remove it, or set DEBUGLOOP_HOME elsewhere."


class StateUnwritable(StateError):
    """The state directory cannot be written."""

    code = "state_unwritable"
    path: Path
    reason: str

    def __str__(self) -> str:
        return (
            f"{self.path} cannot be written ({self.reason}). Set DEBUGLOOP_HOME to a folder that can, "
            "or run `debugloop start --in-workspace`."
        )


class LockBusy(StateError):
    """Another process holds a lock."""

    code = "lock_busy"
    path: Path

    def __str__(self) -> str:
        return f"Another debugloop process holds {self.path}. Try again in a moment."


# -- which session -----------------------------------------------------------------------------------


class SessionError(DebugloopError):
    """The session that was meant cannot be told, found or made."""


class NoSession(SessionError):
    """The workspace has no unfinished session."""

    code = "no_session"
    workspace: Path

    def __str__(self) -> str:
        return f"There is no debug session for {self.workspace}. Run `debugloop start` first."


class SeveralSessions(SessionError):
    """The workspace has several unfinished sessions and none was named."""

    code = "several_sessions"
    workspace: Path
    ids: tuple[str, ...]

    def __str__(self) -> str:
        names = ", ".join(self.ids)
        return f"{self.workspace} has several sessions: {names}. Name one with --session, or set DEBUGLOOP_SESSION."


class SessionNotFound(SessionError):
    """No session of that id belongs to the workspace."""

    code = "session_not_found"
    id: str
    workspace: Path

    def __str__(self) -> str:
        return (
            f"{self.workspace} has no session {self.id}. `debugloop sessions` lists those there are; "
            f"`debugloop start --session {self.id}` makes it."
        )


class SessionExists(SessionError):
    """A new session was asked for under an id that is taken."""

    code = "session_exists"
    id: str

    def __str__(self) -> str:
        return f"Session {self.id} exists already. Leave --new away to resume it, or choose another id."


class SessionInUse(SessionError):
    """A session cannot be deleted while something holds it."""

    code = "session_in_use"
    id: str
    by: str

    def __str__(self) -> str:
        return f"Session {self.id} is in use by its {self.by}. End that first (`debugloop stop --session {self.id}`)."


class SessionFinished(SessionError):
    """The session was finished; only ``start`` opens it again."""

    code = "session_finished"
    id: str

    def __str__(self) -> str:
        return f"Session {self.id} is finished. `debugloop start --session {self.id}` opens it again."


# -- the journal --------------------------------------------------------------------------------------


class JournalError(DebugloopError):
    """debug.jsonl cannot be written or read."""


class WriteFailed(JournalError):
    """The disk refused: nothing of the record is in the file."""

    code = "write_failed"
    path: Path
    reason: str

    def __str__(self) -> str:
        return f"{self.path} cannot be written ({self.reason}). Free some space, then reproduce again."


class SessionGone(JournalError):
    """The session directory was deleted while it was in use."""

    code = "session_gone"
    path: Path

    def __str__(self) -> str:
        return f"{self.path} is gone: the session was deleted. Run `debugloop start` for a new one."


class RunNotFound(JournalError):
    """A run that never was, or that is no longer kept."""

    code = "run_not_found"
    run: int
    kept: tuple[int, ...]

    def __str__(self) -> str:
        kept = ", ".join(map(str, self.kept))
        return f"Run {self.run} is not kept. There are: {kept}."


# -- the collector -------------------------------------------------------------------------------------


class CollectorError(DebugloopError):
    """The collector cannot be started, reached or stopped."""


class PortTaken(CollectorError):
    """A foreign program listens on the session's port."""

    code = "port_taken"
    port: int

    def __str__(self) -> str:
        return (
            f"Port {self.port} of this session is taken by another program. End that program, "
            "or run `debugloop start --new-endpoint` and replace the old URL in the code."
        )


class NoFreePort(CollectorError):
    """No port of the range could be bound."""

    code = "no_free_port"
    low: int
    high: int

    def __str__(self) -> str:
        return f"No port between {self.low} and {self.high} could be bound on 127.0.0.1. End a program that holds many."


class CollectorFailed(CollectorError):
    """The collector ended before it served, or did not answer in time."""

    code = "collector_failed"
    reason: str

    def __str__(self) -> str:
        return f"The collector did not start: {self.reason}. `debugloop serve` shows it in the foreground."


class CollectorRuns(CollectorError):
    """A collector in the foreground was asked for while one serves already."""

    code = "collector_runs"
    port: int | None

    def __str__(self) -> str:
        where = f" on port {self.port}" if self.port else ""
        return f"A collector already serves this session{where}. `debugloop stop` ends it; then run this again."


# -- the loop ------------------------------------------------------------------------------------------


class LoopError(DebugloopError):
    """A step of the loop out of its order."""


class UnreadResolved(LoopError):
    """New steps would bury the person's Resolved, which the agent has not read."""

    code = "unread_resolved"
    press: int
    run: int

    def __str__(self) -> str:
        return (
            f"The person pressed Resolved (press {self.press}, run {self.run}), and it has not been read. "
            "Run `debugloop wait` to read it; no new steps were published."
        )


class NotResolved(LoopError):
    """``finish`` before the person has said that the bug is resolved. ``last`` is their last word on this run."""

    code = "not_resolved"
    run: int
    last: str | None

    def __str__(self) -> str:
        word = f"The person's last word on run {self.run} is {self.last}" if self.last else "The person has not pressed"
        return (
            f"{word}, so this session cannot be finished: only the person can say Resolved, in the panel (`debuglog`) "
            "or with `debugloop press resolved`. Run `debugloop wait` until they do."
        )


class PressNotDelivered(LoopError):
    """``wait --after N`` acknowledges what no ``wait`` has returned."""

    code = "press_not_delivered"
    press: int

    def __str__(self) -> str:
        return f"`wait` has not returned a press {self.press}, so it cannot be acknowledged. Leave --after away."


class NothingPublished(LoopError):
    """A press about a run of which nobody was told how to reproduce it."""

    code = "nothing_published"
    action: str

    def __str__(self) -> str:
        return f"There are no steps and no events yet, so there is nothing to call {self.action}."


class RunChanged(LoopError):
    """The person answered about a run that is no longer the current one."""

    code = "run_changed"
    run: int
    current: int

    def __str__(self) -> str:
        return f"Run {self.current} was opened meanwhile, so nothing was sent for run {self.run}. Read its steps first."


class NoTerminal(LoopError):
    """Something that only a person may do, in a process without a terminal to ask them."""

    code = "no_terminal"
    what: str

    def __str__(self) -> str:
        return (
            f"Only a person may {self.what}, and this process has no terminal to ask one. "
            "Ask the person to press it in the panel (`debuglog`), or to run this command in a terminal."
        )


class Declined(LoopError):
    """The person answered no."""

    code = "declined"

    def __str__(self) -> str:
        return "Nothing was sent or changed."


# -- instrumentation -----------------------------------------------------------------------------------


class ProbeError(DebugloopError):
    """Instrumentation in the code that cannot be treated as asked."""


class BrokenMarkers(ProbeError):
    """Markers that do not pair: file, line and reason of each. No file was touched."""

    code = "broken_markers"
    places: tuple[tuple[str, int, str], ...]

    def __str__(self) -> str:
        lines = "".join(f"\n  {file}:{line}: {reason}" for file, line, reason in self.places)
        return f"These markers do not pair, so no file was touched. Mend them by hand, then strip again.{lines}"


class OutsideWorkspace(ProbeError):
    """A path that was named lies outside the workspace, or a link leads out of it."""

    code = "outside_workspace"
    path: Path
    workspace: Path

    def __str__(self) -> str:
        return f"{self.path} is outside of {self.workspace}. Run this in the folder that the file belongs to."


class FileUnreadable(ProbeError):
    """A file that was named cannot be read."""

    code = "file_unreadable"
    path: Path
    reason: str

    def __str__(self) -> str:
        return f"{self.path} cannot be read ({self.reason}). Nothing was removed."


class FileUnwritable(ProbeError):
    """A file with probes cannot be written; it stands as it stood. ``done`` are those stripped before it."""

    code = "file_unwritable"
    path: Path
    reason: str
    done: tuple[str, ...] = ()

    def __str__(self) -> str:
        before = f" Stripped before it: {', '.join(self.done)}." if self.done else ""
        return f"{self.path} keeps its probes: {self.reason}.{before} Mend that, then strip again for the rest."


class GitFailed(ProbeError):
    """Git could not be asked, so nothing can be said about what is left."""

    code = "git_failed"
    workspace: Path
    reason: str

    def __str__(self) -> str:
        return f"git could not be asked about {self.workspace}: {self.reason}"


class DemoFailed(ProbeError):
    """The demo saw something else than it should."""

    code = "demo_failed"
    reason: str

    def __str__(self) -> str:
        return f"The demo did not go as it should: {self.reason}."


# -- the panel -----------------------------------------------------------------------------------------


class PanelError(DebugloopError):
    """The panel cannot be shown where it was asked for."""


class TmuxRefused(PanelError):
    """There is no tmux around this terminal, or it cannot do what was asked."""

    code = "tmux_refused"
    reason: str

    def __str__(self) -> str:
        return f"tmux cannot show the panel: {self.reason}. Run `debuglog` in a terminal of its own."
