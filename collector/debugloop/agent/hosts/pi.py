"""Pi: https://pi.dev/docs/latest/skills and prompt templates. It has no MCP; the skill names the shell commands."""

from __future__ import annotations

from typing import TYPE_CHECKING

from debugloop.agent.hosts.host import Host, Place, commands, markdown, skill

if TYPE_CHECKING:
    from debugloop.agent.hosts.operations import Operation


def _operations(place: Place) -> list[Operation]:
    folder = place.path(".pi", ".pi/agent")
    return [skill(folder / "skills"), *commands(folder / "prompts", markdown)]


HOST = Host("pi", "Pi", _operations)
