"""Copilot CLI: https://docs.github.com/copilot, its MCP servers, skills and hooks. A skill is its own slash command."""

from __future__ import annotations

from typing import TYPE_CHECKING

from debugloop.agent.hosts.host import Host, Place, copilot_hooks, mcp_json, server, skill

if TYPE_CHECKING:
    from debugloop.agent.hosts.operations import Operation


def _operations(place: Place) -> list[Operation]:
    # a project's file is shared with Claude Code, so its entry is the same
    if place.scope == "project":
        entry = server(place, kind={"type": "stdio"})
    else:
        entry = server(place, kind={"type": "local"}, timeout={"tools": ["*"]})
    return [
        mcp_json(place.path(".mcp.json", ".copilot/mcp-config.json"), ("mcpServers",), entry),
        skill(place.path(".github/skills", ".copilot/skills")),
        copilot_hooks(place),
    ]


HOST = Host("copilot", "Copilot CLI", _operations, ("stop", "commit"))
