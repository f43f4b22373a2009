"""Cursor: https://cursor.com/docs/context/mcp, /skills, /commands and /hooks."""

from __future__ import annotations

from debugloop.agent.hosts.host import Host, Place, commands, hook, mcp_json, server, skill
from debugloop.agent.hosts.operations import AddToList, Operation

_HOOKS: dict[str, tuple[str, dict[str, object]]] = {
    "prompt": ("beforeSubmitPrompt", {}),
    "stop": ("stop", {"loop_limit": 1}),
    "commit": ("beforeShellExecution", {"matcher": "commit"}),
}
"""Of each event the host's name, and what its entry holds besides the command."""


def _operations(place: Place) -> list[Operation]:
    return [
        mcp_json(place.root / ".cursor/mcp.json", ("mcpServers",), server(place)),
        skill(place.root / ".cursor/skills"),
        # plain text; what the person types behind the command follows it
        *commands(place.root / ".cursor/commands", lambda _, text: f"{text}\n", problem="(as the person says below)"),
        *(
            AddToList(
                place.root / ".cursor/hooks.json",
                ("hooks", name),
                {"command": hook("cursor", event), "timeout": 5, **more},
                {"version": 1, "hooks": {}},
            )
            for event, (name, more) in _HOOKS.items()
        ),
    ]


HOST = Host("cursor", "Cursor", _operations, tuple(_HOOKS))
