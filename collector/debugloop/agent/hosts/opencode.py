"""opencode: https://opencode.ai/docs/mcp-servers, /commands and /skills."""

from __future__ import annotations

from typing import TYPE_CHECKING

from debugloop.agent.hosts.host import Host, Place, commands, markdown, mcp_json, skill

if TYPE_CHECKING:
    from debugloop.agent.hosts.operations import Operation


def _operations(place: Place) -> list[Operation]:
    entry = {"type": "local", "command": [*place.command, "mcp"], "enabled": True, "timeout": 60_000}
    folder = place.path(".opencode", ".config/opencode")
    return [
        mcp_json(place.path("opencode.json", ".config/opencode/opencode.json"), ("mcp",), entry),
        skill(folder / "skills"),
        *commands(folder / "commands", markdown),
    ]


HOST = Host("opencode", "opencode", _operations)
