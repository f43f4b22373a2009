"""The files of a session as a hook reads them: by the standard library alone, and never more than it needs.

`session`, `actions` and `files` are the authority; the tests hold this reading equal to theirs.
"""

from __future__ import annotations

import json
import os
import re
import stat
import sys
from collections.abc import Mapping
from typing import Any, NamedTuple, cast

IN_WORKSPACE = ".debugloop"
HOST_SESSIONS = {"claude-code": "CLAUDE_CODE_SESSION_ID", "codex": "CODEX_THREAD_ID"}
FOR_THE_AGENT = ("reproduced", "no_events", "resolved")


class Unfinished(NamedTuple):
    """A session whose loop is not at its end."""

    id: str
    folder: str
    run: int
    has_steps: bool
    host: object
    host_session: object


class Press(NamedTuple):
    """What the person pressed."""

    number: int
    action: str
    run: int
    note: str | None


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
    """The sessions of a workspace that are not finished; a damaged one is none."""
    from hashlib import sha256

    name = re.sub(r"[^A-Za-z0-9._-]+", "-", os.path.basename(workspace))[:40].strip(".-") or "root"
    key = f"{name}-{sha256(os.fsencode(workspace)).hexdigest()[:16]}"
    found: list[Unfinished] = []
    for root in (f"{home(environment)}/sessions/{key}", f"{workspace}/{IN_WORKSPACE}/sessions"):
        try:
            names = sorted(os.listdir(root))
        except OSError:
            continue
        for each in names:
            state = _json(f"{root}/{each}/session.json")
            if state.get("version") == 1 and state.get("mode", "debug") == "debug":
                steps = state.get("steps") is not None
                where = (f"{root}/{each}", int(state.get("run", 0)), steps)
                found.append(Unfinished(each, *where, state.get("host"), state.get("host_session")))
    return found


def meant(
    sessions: list[Unfinished], host: str, host_session: object, environment: Mapping[str, str]
) -> Unfinished | None:
    """The session that this agent works on, told as `session.find` does; None where it cannot be told."""
    if wanted := environment.get("DEBUGLOOP_SESSION"):
        return next((each for each in sessions if each.id == wanted), None)
    told = environment.get(HOST_SESSIONS.get(host, ""), "") or host_session
    own = [each for each in sessions if told and each.host_session == told]
    candidates = own if len(own) == 1 else sessions
    return candidates[0] if len(candidates) == 1 else None


def presses(folder: str) -> tuple[list[Press], set[int]]:
    """All presses for the agent, oldest first, and the numbers of those that are settled."""
    found: dict[int, Press] = {}
    settled: set[int] = set()
    for line in _bytes(f"{folder}/actions.jsonl").split(b"\n"):
        try:
            entry: object = json.loads(line)
        except (ValueError, RecursionError):
            continue
        if not isinstance(entry, dict):
            continue
        known = cast("dict[str, Any]", entry)
        number, run, note = known.get("press"), known.get("run"), known.get("note")
        if type(number) is int and type(run) is int and known.get("action") in FOR_THE_AGENT:
            found.setdefault(number, Press(number, known["action"], run, None if note is None else str(note)))
        elif type(known.get("settled")) is int:
            settled.add(known["settled"])
    return [found[number] for number in sorted(found)], settled


def inserted(folder: str) -> list[str]:
    """The files that probes were put into, as probes.json tells."""
    listed = cast("list[object]", _json(f"{folder}/probes.json").get("probes") or [])
    names = [cast("dict[str, object]", each).get("file") for each in listed if isinstance(each, dict)]
    return list(dict.fromkeys(name for name in names if isinstance(name, str) and name))


def _json(path: str) -> dict[str, Any]:
    try:
        value: object = json.loads(_bytes(path) or b"{}")
    except (ValueError, RecursionError):
        return {}
    return cast("dict[str, Any]", value) if isinstance(value, dict) else {}


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
