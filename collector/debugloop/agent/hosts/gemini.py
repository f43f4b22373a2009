"""Gemini CLI: https://geminicli.com/docs, its MCP servers, skills and custom commands."""

from __future__ import annotations

from typing import TYPE_CHECKING

from debugloop.agent.hosts.host import Host, Place, commands, mcp_json, server, skill, toml

if TYPE_CHECKING:
    from debugloop.agent.hosts.operations import Operation


def _operations(place: Place) -> list[Operation]:
    return [
        # a wait takes up to 540 s
        mcp_json(place.root / ".gemini/settings.json", ("mcpServers",), server(place, timeout={"timeout": 600_000})),
        skill(place.root / ".gemini/skills"),
        *commands(place.root / ".gemini/commands", toml, ending=".toml", problem="{{args}}"),
    ]


HOST = Host("gemini", "Gemini CLI", _operations)
