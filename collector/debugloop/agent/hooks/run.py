"""One hook: the host's JSON in, an answer in the host's form or nothing out. It never fails."""

from __future__ import annotations

import json
import os
import re
import sys

from debugloop.agent.hooks import forms, loop_files

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from debugloop.agent.hooks.loop_files import Press, Unfinished

_GIT_SECONDS = 2.0
_SHOWN = 5
_NOTE = 500
_NAMES = {"reproduced": "Reproduced", "no_events": "No events", "resolved": "Resolved"}
_GIT = r"\bgit(?:\s+-[cC]\s+\S+|\s+--?[\w-]+(?:=\S+)?)*\s+"
_COMMIT = re.compile(rf"{_GIT}commit\b")
_TAKES_ALL = re.compile(rf"{_GIT}(?:add|stage)\s|{_GIT}commit\b[^|;&\n]*\s(?:-[a-zA-Z]*[aio]|--all|--only|--include)")


def main(arguments: list[str]) -> None:
    """Answer one call of a host on stdout. Whatever goes wrong is told on stderr, and the host goes on."""
    try:
        host, event = arguments
        text = answer(host, event, dict(json.loads(sys.stdin.buffer.read() or b"{}")), os.environ)
        if text is not None:
            sys.stdout.write(json.dumps(forms.form(host, event, text)))
            sys.stdout.flush()
    except Exception as error:  # noqa: BLE001 -- a hook that fails must not hold up its host
        sys.stderr.write(f"debugloop: this hook did nothing ({type(error).__name__}: {error}).\n")


def answer(host: str, event: str, given: dict[str, Any], environment: Mapping[str, str]) -> str | None:
    """What there is to say at this event (``prompt``, ``stop`` or ``commit``), None for nothing."""
    command = forms.command_of(given) if event == "commit" else ""
    if event == "commit" and not _COMMIT.search(command):
        return None
    if event == "stop" and forms.was_stopped(given):
        return None
    workspace = loop_files.workspace_of(forms.folder_of(given) or os.getcwd())
    sessions = loop_files.unfinished(workspace, environment)
    if not sessions:
        return None
    if event == "commit":
        return _commit(sessions, workspace, command)
    told = given.get("session_id") or given.get("conversation_id")
    session = loop_files.meant(sessions, host, told, environment)
    if session is None:
        return None
    if event == "prompt":
        press = _unread(session)
        return None if press is None else f"{_pressed(session, press)} {_take(session)}"
    of_another = session.host == host and session.host_sessions and told not in session.host_sessions
    return None if of_another else _stop(session, workspace)


def _unread(session: Unfinished) -> Press | None:
    """The press that ``wait`` would return."""
    presses, settled = loop_files.presses(session.folder)
    return next((each for each in presses if each.run == session.run and each.number not in settled), None)


def _pressed(session: Unfinished, press: Press) -> str:
    note = ""
    if press.note:
        quoted = json.dumps(press.note[:_NOTE], ensure_ascii=False)
        note = f", with the note {quoted}"
    return (
        f"debugloop: the person pressed {_NAMES[press.action]} (press {press.number}, run {press.run}, "
        f"session {session.id}){note}."
    )


def _take(session: Unfinished) -> str:
    return (
        f"Take it with `wait_for_user` (or `debugloop wait --session {session.id}`): that gives the press with the "
        "evidence of its run."
    )


def _stop(session: Unfinished, workspace: str) -> str | None:
    presses, _ = loop_files.presses(session.folder)
    said = [press for press in presses if press.run == session.run]
    if not said and session.has_steps:
        return None  # a press is awaited, and the turn may end meanwhile
    places = _probes(session, workspace)
    if not places:
        return None
    press = _unread(session)
    if press:
        following = f"{_pressed(session, press).removeprefix('debugloop: ').capitalize()} {_take(session)}"
    elif said and said[-1].action == "resolved":
        following = "The person said Resolved: `remove_instrumentation`, then the smallest relevant check, then "
        following += "`finish_debug_cleanup`."
    elif said:
        following = "Judge the hypotheses by the evidence, and publish the steps again to verify the fix."
    else:
        following = "Publish the steps (`publish_reproduction_steps`), or take the probes out."
    return (
        f"debugloop: debug session {session.id} is not finished, and its probes are in the code ({_list(places)}). "
        f"{following} If you wait for an answer of the person, say so and end the turn: this is said once."
    )


def _commit(sessions: list[Unfinished], workspace: str, command: str) -> str | None:
    takes_all = _TAKES_ALL.search(command) is not None
    for session in sessions:
        places = _grep(session, workspace, "--cached") or (_probes(session, workspace) if takes_all else [])
        if places:
            return (
                f"debugloop: this commit would hold probes of debug session {session.id} ({_list(places)}). Remove "
                f"them first: `remove_instrumentation`, or `debugloop strip --session {session.id}`."
            )
    return None


def _probes(session: Unfinished, workspace: str) -> list[str]:
    """Files of the workspace that hold a marker of the session: those that are known first, then what git finds."""
    marker = _marker(session).encode()
    known = [name for name in loop_files.inserted(session.folder) if marker in _content(f"{workspace}/{name}")]
    return known or _grep(session, workspace, "--untracked")


def _marker(session: Unfinished) -> str:
    return f"#region debugloop {session.id}/"


def _content(path: str) -> bytes:
    try:
        with open(path, "rb") as file:
            return file.read()
    except OSError:
        return b""


def _grep(session: Unfinished, workspace: str, where: str) -> list[str]:
    """What `git grep` finds in the index (``--cached``) or in the working tree (``--untracked``)."""
    import subprocess

    # nothing that the repository's own configuration names is run, and nothing is fetched
    command = ["git", "--no-optional-locks", "-c", "core.fsmonitor=false", "grep", where, "--no-textconv"]
    command += ["-I", "-l", "-z", "-F", "-e", _marker(session)]
    env = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    env |= {"GIT_NO_LAZY_FETCH": "1", "GIT_ALLOW_PROTOCOL": "none", "GIT_TERMINAL_PROMPT": "0"}
    try:
        ran = subprocess.run(command, cwd=workspace, env=env, capture_output=True, timeout=_GIT_SECONDS, check=False)
    except FileNotFoundError:  # no git
        return []
    return [name.decode("utf-8", "replace") for name in ran.stdout.split(b"\0") if name]


def _list(places: list[str]) -> str:
    more = f" and {len(places) - _SHOWN} more" if len(places) > _SHOWN else ""
    return json.dumps(places[:_SHOWN], ensure_ascii=False)[1:-1] + more
