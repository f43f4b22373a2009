"""Claude Code: https://code.claude.com/docs/en/mcp, /skills, /slash-commands and /hooks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from debugloop.agent.hosts.host import Host, Place, commands, markdown, matched_hooks, mcp_json, server, skill

if TYPE_CHECKING:
    from debugloop.agent.hosts.operations import Operation


_HOOKS = {"prompt": "UserPromptSubmit", "stop": "Stop", "commit": "PreToolUse"}


def _operations(place: Place) -> list[Operation]:
    return [
        mcp_json(place.path(".mcp.json", ".claude.json"), ("mcpServers",), server(place, kind={"type": "stdio"})),
        skill(place.root / ".claude/skills"),
        *commands(place.root / ".claude/commands", markdown),
        # paths of this machine: in a project they belong into the file that is not shared
        *matched_hooks(
            place.path(".claude/settings.local.json", ".claude/settings.json"), "claude-code", _HOOKS, tool="Bash"
        ),
    ]


HOST = Host(
    "claude-code",
    "Claude Code",
    _operations,
    tuple(_HOOKS),
    asks="Of a project's server it asks you once whether it may run.",
)
