"""Gemini CLI: https://geminicli.com/docs, its MCP servers, skills, custom commands and hooks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from debugloop.agent.hosts.host import Host, Place, commands, matched_hooks, mcp_json, server, skill, toml

if TYPE_CHECKING:
    from debugloop.agent.hosts.operations import Operation


_HOOKS = {"prompt": "BeforeAgent", "stop": "AfterAgent", "commit": "BeforeTool"}


def _operations(place: Place) -> list[Operation]:
    settings = place.root / ".gemini/settings.json"
    return [
        # a wait takes up to 540 s
        mcp_json(settings, ("mcpServers",), server(place, timeout={"timeout": 600_000})),
        skill(place.root / ".gemini/skills"),
        *commands(place.root / ".gemini/commands", toml, ending=".toml", problem="{{args}}"),
        # milliseconds
        *matched_hooks(settings, "gemini", _HOOKS, tool="run_shell_command", seconds=5_000),
    ]


HOST = Host(
    "gemini", "Gemini CLI", _operations, tuple(_HOOKS), asks="It uses all that in folders that you have trusted."
)
