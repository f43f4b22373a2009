"""Instrumentation in the code that cannot be treated as asked."""

from __future__ import annotations

from pathlib import Path

from debugloop.errors.base import DebugloopError


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


class NoPlace(ProbeError):
    """No statement can stand at the line that was named; ``nearest`` is the next line where one can, 0 if unknown."""

    code = "no_place"
    file: str
    line: int
    reason: str
    nearest: int = 0

    def __str__(self) -> str:
        other = f" Line {self.nearest} is the nearest one that can: {self.file}:{self.nearest}." if self.nearest else ""
        return f"No probe can stand at {self.file}:{self.line}: {self.reason}. Nothing was changed.{other}"


class EditedProbes(ProbeError):
    """Probes that are not as this tool inserted them; ``diff`` shows what would go. No file was touched.

    ``places`` are file, line and probe.
    """

    code = "edited_probes"
    places: tuple[tuple[str, int, str], ...]
    diff: str

    def __str__(self) -> str:
        lines = "".join(f"\n  {file}:{line}: {probe}" for file, line, probe in self.places)
        return (
            f"{self.diff}\nNot as this tool inserted them, so no file was touched:{lines}\n"
            "All between their markers would go. If nothing there is to stay: `debugloop strip --edited`."
        )


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
