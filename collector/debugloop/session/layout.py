"""Where things are: workspaces, session ids and the files of a session directory."""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from pathlib import Path

from debugloop.errors import InvalidSessionId

_SESSION_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,127}")
_KEY_NAME = re.compile(r"[^A-Za-z0-9._-]+")
_ARCHIVE = re.compile(r"(\d{1,9})\.jsonl\.gz")

IN_WORKSPACE = ".debugloop"
"""The folder that ``start --in-workspace`` uses in place of ``$DEBUGLOOP_HOME``."""


def check_session_id(text: str) -> str:
    """Give ``text`` back if it may name a session's folder, else raise InvalidSessionId."""
    if not _SESSION_ID.fullmatch(text):
        raise InvalidSessionId(text)
    return text


def workspace_of(folder: Path) -> Path:
    """The real path of the git top level around ``folder``, else of ``folder`` itself.

    A worktree and a submodule have a ``.git`` file of their own, so each is a workspace of its own.
    """
    here = folder.resolve()
    return next((top for top in (here, *here.parents) if (top / ".git").exists()), here)


def workspace_key(workspace: Path) -> str:
    """A folder's name for a workspace: readable, and different for every path."""
    name = _KEY_NAME.sub("-", workspace.name)[:40].strip(".-") or "root"
    digest = hashlib.sha256(str(workspace).encode("utf-8", "surrogateescape")).hexdigest()
    return f"{name}-{digest[:16]}"


@dataclass(frozen=True, slots=True)
class Layout:
    """The files of one session. No path here was checked: session.files does that at each opening."""

    directory: Path

    @property
    def id(self) -> str:
        return self.directory.name

    @property
    def session(self) -> Path:
        return self.directory / "session.json"

    @property
    def log(self) -> Path:
        return self.directory / "debug.jsonl"

    @property
    def endpoint(self) -> Path:
        return self.directory / "debug-endpoint.json"

    @property
    def collector(self) -> Path:
        return self.directory / "collector.json"

    @property
    def actions(self) -> Path:
        return self.directory / "actions.jsonl"

    @property
    def hypotheses(self) -> Path:
        return self.directory / "hypotheses.json"

    @property
    def probes(self) -> Path:
        return self.directory / "probes.json"

    @property
    def closing(self) -> Path:
        return self.directory / "closing.json"

    @property
    def plan(self) -> Path:
        return self.directory / "plan.md"

    @property
    def runs(self) -> Path:
        return self.directory / "runs"

    @property
    def collector_lock(self) -> Path:
        """Held by the collector for as long as it lives."""
        return self.directory / "collector.lock"

    @property
    def journal_lock(self) -> Path:
        """Taken for each change of the log and of the state files."""
        return self.directory / "journal.lock"

    @property
    def panel_lock(self) -> Path:
        """Held by an open panel."""
        return self.directory / "panel.lock"

    @property
    def popup_lock(self) -> Path:
        """Held by what opens the panel in a tmux popup at each new run."""
        return self.directory / "popup.lock"

    @property
    def agent_lock(self) -> Path:
        """Held by a ``wait`` that waits."""
        return self.directory / "agent.lock"

    def run_archive(self, run: int) -> Path:
        return self.runs / f"{run}.jsonl.gz"

    def archived_runs(self) -> list[int]:
        """The numbers of the runs that are kept in ``runs/``, ascending."""
        try:
            names = [path.name for path in self.runs.iterdir()]
        except (FileNotFoundError, NotADirectoryError):
            return []
        return sorted(int(match[1]) for name in names if (match := _ARCHIVE.fullmatch(name)))

    def owned(self) -> list[Path]:
        """Every file that deleting the session removes; others that lie there are the user's."""
        files = [self.session, self.log, self.endpoint, self.collector, self.actions, self.hypotheses]
        files += [self.probes, self.closing, self.plan]
        files += [self.collector_lock, self.journal_lock, self.panel_lock, self.popup_lock, self.agent_lock]
        return [*files, *(self.run_archive(run) for run in self.archived_runs())]
