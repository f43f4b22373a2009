"""The session that was meant cannot be told, found or made."""

from __future__ import annotations

from pathlib import Path

from debugloop.errors.base import DebugloopError


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
