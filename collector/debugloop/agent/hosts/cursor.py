"""Cursor: https://cursor.com/docs/context/mcp, /skills and /commands."""

from __future__ import annotations

from typing import TYPE_CHECKING

from debugloop.agent.hosts.host import Host, Place, commands, mcp_json, server, skill

if TYPE_CHECKING:
    from debugloop.agent.hosts.operations import Operation


def _operations(place: Place) -> list[Operation]:
    return [
        mcp_json(place.root / ".cursor/mcp.json", ("mcpServers",), server(place)),
        skill(place.root / ".cursor/skills"),
        # plain text; what the person types behind the command follows it
        *commands(place.root / ".cursor/commands", lambda _, text: f"{text}\n", problem="(as the person says below)"),
    ]


HOST = Host("cursor", "Cursor", _operations)
