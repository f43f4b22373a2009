"""Claude Code: https://code.claude.com/docs/en/mcp, /skills and /slash-commands."""

from __future__ import annotations

from typing import TYPE_CHECKING

from debugloop.agent.hosts.host import Host, Place, commands, markdown, mcp_json, server, skill

if TYPE_CHECKING:
    from debugloop.agent.hosts.operations import Operation


def _operations(place: Place) -> list[Operation]:
    return [
        mcp_json(place.path(".mcp.json", ".claude.json"), ("mcpServers",), server(place, kind={"type": "stdio"})),
        skill(place.root / ".claude/skills"),
        *commands(place.root / ".claude/commands", markdown),
    ]


HOST = Host("claude-code", "Claude Code", _operations)
