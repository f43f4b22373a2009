"""``debugloop install``: everything that an agent host needs, in one step, and out again to the byte."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from debugloop.agent.hosts import NAMES, named
from debugloop.cli.verb import Call, verb
from debugloop.evidence.visible import visible

if TYPE_CHECKING:
    from debugloop.agent.hosts.host import Host


@verb(example="debugloop install claude-code --dry-run\ndebugloop install claude-code")
@click.argument("name", metavar="HOST", type=click.Choice(NAMES))
@click.option("--user/--project", default=False, help="For all your projects, or for this one (the default).")
@click.option("--dry-run", is_flag=True, help="Only show the changes.")
@click.option("--uninstall", is_flag=True, help="Take out again what was put in.")
def command(call: Call, name: str, user: bool, dry_run: bool, uninstall: bool) -> None:
    """Bring an agent host the MCP server, the skill, the slash commands and the hooks.

    HOST is claude-code, codex, opencode, cursor, gemini, copilot, vscode or pi. Your own entries and comments stay as
    they are; a second time changes nothing. What cannot be added to is refused before any file is touched.
    """
    from debugloop.agent.hosts import installer
    from debugloop.agent.hosts.host import Place

    host, place = named(name), Place.of(call.folder, user=user)
    act = installer.uninstall if uninstall else installer.install
    changes = act(call.settings, host, place, dry_run=dry_run)
    answer = [{"file": str(each.path), "what": each.what, "diff": each.diff()} for each in changes]
    lines = [f"{each.what:<9} {visible(str(each.path))}" for each in changes]
    if dry_run:
        lines = ["\n".join(map(visible, each.diff().splitlines())) for each in changes if each.before != each.after]
    call.answer({"host": name, "dry_run": dry_run, "files": answer}, "\n".join(lines))
    call.say(_said(host, [each.what for each in changes], dry_run=dry_run, uninstall=uninstall))


def _said(host: Host, done: list[str], *, dry_run: bool, uninstall: bool) -> str:
    if dry_run:
        return "Nothing was changed."
    if uninstall:
        if not done:
            return f"Nothing of ours is installed in {host.title} here."
        left = " Files that were changed since are left: take our part out by hand." if "left" in done else ""
        return f"{host.title} is as it was before.{left}"
    asks = f" {host.asks}" if host.asks else ""
    check = f"check with `debugloop doctor {host.name}`"
    return f"{host.title} has all it needs. Restart it, and ask it to debug, or {check}.{asks}"
