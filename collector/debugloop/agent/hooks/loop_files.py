"""The files of a session as a hook reads them: by the standard library alone, and never more than it needs.

`session`, `actions` and `files` are the authority; the tests hold this reading equal to theirs.
"""

from __future__ import annotations

import json
import os
import re
import stat
import sys

TYPE_CHECKING = False  # to import typing costs as much as all else that a hook does
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

IN_WORKSPACE = ".debugloop"
HOST_SESSIONS = {"claude-code": "CLAUDE_CODE_SESSION_ID", "codex": "CODEX_THREAD_ID"}
FOR_THE_AGENT = ("reproduced", "no_events", "resolved")


class Unfinished:
    """A session whose loop is not at its end."""

    def __init__(self, folder: str, state: dict[str, Any]) -> None:
        self.id = os.path.basename(folder)
        self.folder = folder
        self.run = int(state.get("run", 0))
        self.has_steps = state.get("steps") is not None
        self.host: object = state.get("host")
        self.host_sessions: list[object] = list(state.get("host_sessions", ()))


class Press:
    """What the person pressed."""

    def __init__(self, number: int, entry: dict[str, Any]) -> None:
        note = entry.get("note")
        self.number = number
        self.action: str = entry["action"]
        self.run: int = entry["run"]
        self.note = None if note is None else str(note)


def home(environment: Mapping[str, str]) -> str:
    """The state directory, as `settings.default_home` finds it."""
    if given := environment.get("DEBUGLOOP_HOME"):
        return os.path.expanduser(given)
    if sys.platform == "darwin":
        return os.path.expanduser("~/Library/Application Support/debugloop")
    state = environment.get("XDG_STATE_HOME", "").strip() or os.path.expanduser("~/.local/state")
    return f"{state}/debugloop"


def workspace_of(folder: str) -> str:
    """The git top level around a folder, else the folder."""
    here = top = os.path.realpath(folder)
    while not os.path.exists(f"{top}/.git"):
        above = os.path.dirname(top)
        if above == top:
            return here
        top = above
    return top


def unfinished(workspace: str, environment: Mapping[str, str]) -> list[Unfinished]:
    """The sessions of a workspace that are not finished; a damaged one is none.

    The folder of a workspace is told by its readable part, so that nothing has to be hashed, and by what stands inside.
    """
    sessions = f"{home(environment)}/sessions"
    name = re.sub(r"[^A-Za-z0-9._-]+", "-", os.path.basename(workspace))[:40].strip(".-") or "root"
    roots = [f"{sessions}/{key}" for key in _names(sessions) if key.rpartition("-")[0] == name]
    inside = f"{workspace}/{IN_WORKSPACE}/sessions"
    found: list[Unfinished] = []
    for root in (*roots, inside):
        for each in _names(root):
            state = _json(f"{root}/{each}/session.json")
            # a container sees the same folder under another path
            if state.get("workspace") != workspace and root != inside:
                continue
            if state.get("version") == 1 and state.get("mode", "debug") == "debug":
                found.append(Unfinished(f"{root}/{each}", state))
    return found


def _names(folder: str) -> list[str]:
    try:
        return sorted(os.listdir(folder))
    except OSError:
        return []


def meant(
    sessions: list[Unfinished], host: str, host_session: object, environment: Mapping[str, str]
) -> Unfinished | None:
    """The session that this agent works on, told as `session.find` does; None where it cannot be told."""
    if wanted := environment.get("DEBUGLOOP_SESSION"):
        return next((each for each in sessions if each.id == wanted), None)
    told = environment.get(HOST_SESSIONS.get(host, ""), "") or host_session
    own = [each for each in sessions if told and told in each.host_sessions]
    candidates = own if len(own) == 1 else sessions
    return candidates[0] if len(candidates) == 1 else None


def presses(folder: str) -> tuple[list[Press], set[int]]:
    """All presses for the agent, oldest first, and the numbers of those that are settled."""
    found: dict[int, Press] = {}
    settled: set[int] = set()
    for line in _bytes(f"{folder}/actions.jsonl").split(b"\n"):
        entry = object_of(line)
        number = entry.get("press")
        if type(number) is int and type(entry.get("run")) is int and entry.get("action") in FOR_THE_AGENT:
            found.setdefault(number, Press(number, entry))
        elif type(entry.get("settled")) is int:
            settled.add(entry["settled"])
    return [found[number] for number in sorted(found)], settled


def inserted(folder: str) -> list[str]:
    """The files that probes were put into, as probes.json tells."""
    listed: list[dict[str, object]] = _json(f"{folder}/probes.json").get("probes") or []
    names = [each.get("file") for each in listed]
    return list(dict.fromkeys(name for name in names if isinstance(name, str) and name))


def object_of(text: bytes) -> dict[str, Any]:
    """The JSON object that the text is; an empty one where it is none."""
    try:
        return dict(json.loads(text))
    except (ValueError, TypeError, RecursionError):
        return {}


def _json(path: str) -> dict[str, Any]:
    return object_of(_bytes(path))


def _bytes(path: str) -> bytes:
    """A plain file of our own, never through a link; empty where there is none."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return b""
    with open(descriptor, "rb") as file:
        status = os.fstat(descriptor)
        ours = stat.S_ISREG(status.st_mode) and status.st_uid == os.geteuid()
        return file.read() if ours else b""
