"""``debugloop sessions``: what there is, and deleting one."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import click

from debugloop.cli.verb import Call, verb
from debugloop.errors import DebugloopError, SessionNotFound
from debugloop.evidence.visible import visible
from debugloop.session import session as sessions
from debugloop.session.layout import check_session_id, workspace_of

if TYPE_CHECKING:
    from debugloop.session.session import Session


@verb(example="debugloop sessions")
@click.argument("action", type=click.Choice(["delete"]), required=False)
@click.argument("session_id", metavar="[ID]", required=False)
def command(call: Call, action: str | None, session_id: str | None) -> None:
    """List all sessions of yours, or delete one with all that it holds.

    `debugloop sessions delete ID` refuses while a collector, a panel or a waiting agent uses the session.
    """
    if action == "delete":
        wanted = session_id or call.session_id
        if not wanted:
            raise click.UsageError("Name the session to delete; `debugloop sessions` lists them.")
        session = _named(call, check_session_id(wanted))
        sessions.delete(session)
        call.say(f"Deleted session {session.id}.")
        call.answer({"session": session.id, "deleted": True}, "")
        return
    found = [_described(session) for session in sessions.everywhere(call.settings, workspace_of(call.folder))]
    if not found:
        call.say("There are no sessions. `debugloop start` makes one.")
    call.answer(found, "\n".join(_line(each) for each in found))


def _named(call: Call, wanted: str) -> Session:
    """The session of that id: one of this workspace before one of another."""
    workspace = workspace_of(call.folder)
    own = [session for session in sessions.in_folder(call.settings, workspace) if session.id == wanted]
    others = [session for session in sessions.everywhere(call.settings, workspace) if session.id == wanted]
    if not own and len(others) != 1:
        raise SessionNotFound(wanted, workspace)
    return (own or others)[0]


def _described(session: Session) -> dict[str, Any]:
    described: dict[str, Any] = {"session": session.id, "directory": str(session.layout.directory)}
    try:
        state = session.state()
    except DebugloopError as error:  # one damaged session must not hide the others
        return described | {"workspace": None, "mode": None, "run": None, "updated": None, "error": str(error)}
    updated = datetime.fromtimestamp(state.updated / 1000, UTC).isoformat(timespec="seconds")
    return described | {"workspace": state.workspace, "mode": state.mode, "run": state.run, "updated": updated}


def _line(each: dict[str, Any]) -> str:
    name = visible(each["session"])  # that of a folder, which anybody may have made
    if "error" in each:
        return f"{name}  {visible(each['error'])}"
    return f"{name}  {each['mode']:<5}  run {each['run']:<3} {each['updated']}  {visible(each['workspace'])}"
