"""debug.jsonl cannot be written or read."""

from __future__ import annotations

from pathlib import Path

from debugloop.errors.base import DebugloopError


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
