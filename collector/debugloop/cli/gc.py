"""``debugloop gc``: old sessions go, those in use stay."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from debugloop.cli.verb import Call, verb
from debugloop.errors import DebugloopError, SessionInUse
from debugloop.evidence.visible import visible
from debugloop.session import session as sessions
from debugloop.session.layout import workspace_of
from debugloop.session.state import now_ms

if TYPE_CHECKING:
    from debugloop.session.session import Session

_DAY_MS: Final = 86_400_000


@verb(example="debugloop gc --older-than 30")
@click.option(
    "--older-than",
    type=click.IntRange(0),
    default=30,
    show_default=True,
    metavar="DAYS",
    help="How long a finished session is kept.",
)
@click.option("--dry-run", is_flag=True, help="Only say what would be deleted.")
def command(call: Call, older_than: int, dry_run: bool) -> None:
    """Delete finished sessions that are old, and sessions whose workspace is gone. One in use is never deleted."""
    deleted: list[dict[str, str]] = []
    kept: list[dict[str, str]] = []
    for session in sessions.everywhere(call.settings, workspace_of(call.folder)):
        try:
            why = _why(session, older_than)
            if not why:
                continue
            if not dry_run:
                sessions.delete(session)
            deleted.append({"session": session.id, "why": why})
        except SessionInUse as error:
            kept.append({"session": session.id, "why": f"in use by its {error.by}"})
        except DebugloopError as error:  # damaged, or unsafe: for its owner to judge
            kept.append({"session": session.id, "why": str(error)})
    did = "Would delete" if dry_run else "Deleted"
    lines = [f"{did} {visible(each['session'])}: {each['why']}." for each in deleted]
    lines += [f"Kept {visible(each['session'])}: {visible(each['why'])}" for each in kept]
    call.answer(
        {"deleted": deleted, "kept": kept, "dry_run": dry_run}, "\n".join(lines) or "There is nothing to delete."
    )


def _why(session: Session, days: int) -> str | None:
    state = session.state()
    if not Path(state.workspace).exists():
        return "its workspace is gone"
    if state.mode == "build" and now_ms() - state.updated >= days * _DAY_MS:
        return f"finished more than {days} days ago"
    return None
