"""Sessions: create, resume, find, list, delete."""

from __future__ import annotations

import dataclasses
import os
import time
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, Final, Literal, TypeAlias, cast

from debugloop.errors import (
    DebugloopError,
    InvalidFolder,
    NoSession,
    SessionExists,
    SessionInUse,
    SessionNotFound,
    SeveralSessions,
    StateUnwritable,
)
from debugloop.session import files, state
from debugloop.session.layout import IN_WORKSPACE, Layout, check_session_id, workspace_key, workspace_of
from debugloop.session.locks import hold, is_held
from debugloop.session.state import State, now_ms
from debugloop.settings import Settings

AgentState: TypeAlias = Literal["working", "waiting", "away"]
PanelState: TypeAlias = Literal["open", "closed"]

_IGNORE: Final = b"*\n"
AWAY_AFTER_MS: Final = 600_000
"""An agent that used no verb for this long counts as away."""

HOST_SESSIONS: Final = (
    ("claude-code", "CLAUDE_CODE_SESSION_ID"),
    ("codex", "CODEX_THREAD_ID"),
)
"""Agent hosts that tell their own session's id to the commands they run, and the variable they use."""

_CONVERSATIONS: Final = 8
"""Of the conversations that came to a session, how many are kept."""


@dataclasses.dataclass(frozen=True, slots=True)
class Session:
    """One session directory and the settings of this process. Holds no state: each call reads the files."""

    layout: Layout
    settings: Settings

    @property
    def id(self) -> str:
        return self.layout.id

    def state(self) -> State:
        """session.json as it stands now. Raises UnsafeFile, SessionGone, CorruptFile or NewerFormat."""
        files.check_directory(self.layout.directory)
        return state.load(self.layout)

    def update(self, **changes: object) -> State:
        """Change fields of session.json under the journal lock; gives the new state."""
        with hold(self.layout.journal_lock, self.settings.lock_seconds):
            return self.update_locked(**changes)

    def update_locked(self, **changes: object) -> State:
        """`update` for a caller that holds the journal lock."""
        new = dataclasses.replace(state.load(self.layout), **cast("dict[str, Any]", changes), updated=now_ms())
        state.save(self.layout, new)
        return new


def start(  # noqa: PLR0913 -- the options of the verb, by name
    settings: Settings,
    folder: Path,
    *,
    session_id: str | None = None,
    new: bool = False,
    in_workspace: bool = False,
    environment: Mapping[str, str] | None = None,
) -> Session:
    """Resume the session that is meant, else make one. Two callers at once get the same one.

    Raises SessionExists (``new`` under an id that is taken), SeveralSessions, InvalidFolder, StateUnwritable or
    UnsafeFile.
    """
    env = os.environ if environment is None else environment
    workspace = workspace_of(folder)
    root = _root_in(workspace) if in_workspace else _root_of(settings, workspace)
    for named in (workspace, root):
        _check_text(named)
    if in_workspace:  # a repository may bring this folder, as a link to anywhere
        files.make_private_directory(workspace / IN_WORKSPACE)
        _ignore_everything(workspace / IN_WORKSPACE)
    files.make_private_directory(root)
    with hold(root / "workspace.lock", settings.lock_seconds):
        wanted = session_id or env.get("DEBUGLOOP_SESSION") or None
        if not new:
            try:
                return _joined(find(settings, folder, session_id=wanted, environment=env), env)
            except (NoSession, SessionNotFound):
                pass
        elif session_id and any(session.id == session_id for session in in_folder(settings, workspace)):
            raise SessionExists(session_id)
        return _create(settings, workspace, root, session_id if new else wanted, env)


def find(
    settings: Settings, folder: Path, *, session_id: str | None = None, environment: Mapping[str, str] | None = None
) -> Session:
    """The session that is meant: by name, ``DEBUGLOOP_SESSION``, the host's own session, else the only unfinished one.

    Raises InvalidSessionId, SessionNotFound, NoSession or SeveralSessions.
    """
    env = os.environ if environment is None else environment
    workspace = workspace_of(folder)
    sessions = in_folder(settings, workspace)
    if wanted := session_id or env.get("DEBUGLOOP_SESSION"):
        check_session_id(wanted)
        for session in sessions:
            if session.id == wanted:
                files.check_directory(session.layout.directory)
                return session
        raise SessionNotFound(wanted, workspace)
    # one damaged session must not hide the others, and must not be passed over in silence when it is the only one
    states: dict[str, State] = {}
    damaged: DebugloopError | None = None
    for session in sessions:
        try:
            states[session.id] = session.state()
        except DebugloopError as error:
            damaged = error
    unfinished = [session for session in sessions if session.id in states and states[session.id].mode == "debug"]
    host = host_session(env)
    own = [session for session in unfinished if host and host[1] in states[session.id].host_sessions]
    candidates = own if len(own) == 1 else unfinished
    if len(candidates) > 1:
        raise SeveralSessions(workspace, tuple(session.id for session in candidates))
    if not candidates:
        raise damaged or NoSession(workspace)
    return candidates[0]


def in_folder(settings: Settings, workspace: Path) -> list[Session]:
    """All sessions of one workspace, finished ones too, by id. Raises StateUnwritable, as `everywhere` does."""
    own = _sessions_in(settings, _root_in(workspace))
    try:
        return _sessions_in(settings, _root_of(settings, workspace)) + own
    except PermissionError as error:
        _may_be_closed(workspace, error)
        return own


def ids_beginning(letters: str) -> list[str]:
    """The ids of this folder's sessions that begin with these letters, for a shell; none where none can be told."""
    try:
        here = in_folder(Settings.from_environment(), workspace_of(Path.cwd()))
    except (DebugloopError, OSError):  # a prompt is no place for an error
        return []
    return [session.id for session in here if session.id.startswith(letters)]


def everywhere(settings: Settings, workspace: Path) -> list[Session]:
    """All sessions of this user, and those that lie inside ``workspace``."""
    found: list[Session] = []
    try:
        for key in sorted((settings.home / "sessions").iterdir()):
            found += _sessions_in(settings, key)
    except (FileNotFoundError, NotADirectoryError):
        pass
    except PermissionError as error:
        _may_be_closed(workspace, error)
    return found + _sessions_in(settings, _root_in(workspace))


def _may_be_closed(workspace: Path, error: PermissionError) -> None:
    """A state directory that may not be entered matters only where the workspace keeps no sessions of its own."""
    if not _root_in(workspace).is_dir():
        raise StateUnwritable(Path(error.filename), str(error.strerror).lower()) from error


def delete(session: Session) -> None:
    """Remove the session's own files; unrelated ones, and a folder that holds some, stay.

    Raises SessionInUse while a collector, a panel or a waiting agent holds it.
    """
    layout = session.layout
    files.check_directory(layout.directory)
    holders = (("collector", layout.collector_lock), ("panel", layout.panel_lock), ("waiting agent", layout.agent_lock))
    for name, lock in holders:
        if is_held(lock):
            raise SessionInUse(session.id, name)
    with hold(layout.journal_lock, session.settings.lock_seconds):
        _remove_files(layout)


def _remove_files(layout: Layout) -> None:
    for path in layout.owned():
        path.unlink(missing_ok=True)
    for folder in (layout.runs, layout.directory, layout.directory.parent):
        try:
            if folder == layout.directory.parent and [item.name for item in folder.iterdir()] == ["workspace.lock"]:
                (folder / "workspace.lock").unlink()
            folder.rmdir()
        except OSError:  # something of the user's, or another session, lies in it
            continue


def touch_agent(session: Session) -> None:
    """Note that the agent used a verb just now. On a full disk it goes unnoted: no verb fails for it."""
    with suppress(StateUnwritable):
        session.update(agent_seen=now_ms())


def agent_state(session: Session) -> AgentState:
    """``waiting`` while a ``wait`` runs, ``working`` after a recent verb of the agent, else ``away``."""
    if is_held(session.layout.agent_lock):
        return "waiting"
    return "working" if now_ms() - session.state().agent_seen < AWAY_AFTER_MS else "away"


def panel_state(session: Session) -> PanelState:
    """Whether a panel is open on this session."""
    return "open" if is_held(session.layout.panel_lock) else "closed"


def host_session(environment: Mapping[str, str]) -> tuple[str, str] | None:
    """The agent host that runs us and its own session id, where it tells them."""
    return next(((host, environment[name]) for host, name in HOST_SESSIONS if environment.get(name)), None)


def _root_of(settings: Settings, workspace: Path) -> Path:
    return settings.home / "sessions" / workspace_key(workspace)


def _root_in(workspace: Path) -> Path:
    # no workspace key: a container sees the same folder under another path
    return workspace / IN_WORKSPACE / "sessions"


def _sessions_in(settings: Settings, root: Path) -> list[Session]:
    try:
        folders = sorted(path for path in root.iterdir() if (path / "session.json").exists())
    except (FileNotFoundError, NotADirectoryError):
        return []
    return [Session(Layout(folder), settings) for folder in folders]


def _create(settings: Settings, workspace: Path, root: Path, session_id: str | None, env: Mapping[str, str]) -> Session:
    name = check_session_id(session_id or f"{time.strftime('%Y%m%d-%H%M%S')}-{os.urandom(2).hex()}")
    layout = Layout(root / name)
    files.make_private_directory(layout.directory)
    host, *conversation = host_session(env) or (None,)
    now = now_ms()
    session = Session(layout, settings)
    with hold(layout.journal_lock, settings.lock_seconds):
        if layout.session.exists():
            raise SessionExists(name)
        new = State(str(workspace), name, host, tuple(conversation), agent_seen=now, created=now, updated=now)
        try:
            for path in (layout.log, layout.plan):
                os.close(files.open_private(path, os.O_WRONLY | os.O_CREAT))
            state.save(layout, new)
        except StateUnwritable:  # without its session.json it is no session, and no verb would ever delete it
            _remove_files(layout)
            raise
    return session


def _joined(session: Session, env: Mapping[str, str]) -> Session:
    """The session, with the conversation that comes to it written down: its hooks and verbs mean this session, too."""
    host = host_session(env)
    known = session.state().host_sessions
    if host and host[1] not in known:
        session.update(host_sessions=(*known, host[1])[-_CONVERSATIONS:])
    return session


def _check_text(path: Path) -> None:
    try:
        str(path).encode()
    except UnicodeEncodeError as error:
        raise InvalidFolder(str(path)) from error


def _ignore_everything(folder: Path) -> None:
    ignore = folder / ".gitignore"
    if files.read_bytes(ignore) != _IGNORE:
        files.write_atomic(ignore, _IGNORE)
