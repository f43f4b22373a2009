"""The files of a session cannot be used as they are."""

from __future__ import annotations

from pathlib import Path

from debugloop.errors.base import DebugloopError


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
        told = f"{self.path} cannot be written ({self.reason}). Make room for it or make it writable"
        if ".debugloop" in self.path.parts:  # that of the workspace
            return f"{told}, or leave --in-workspace away."
        return f"{told}; else set DEBUGLOOP_HOME to another folder, or run `debugloop start --in-workspace`."


class LockBusy(StateError):
    """Another process holds a lock."""

    code = "lock_busy"
    path: Path

    def __str__(self) -> str:
        return f"Another debugloop process holds {self.path}. Try again in a moment."
