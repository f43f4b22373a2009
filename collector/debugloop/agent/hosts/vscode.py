"""VS Code: https://code.visualstudio.com/docs/copilot, its MCP servers, skills, prompt files and hooks."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from debugloop.agent.hosts.host import Host, Place, commands, copilot_hooks, markdown, mcp_json, server, skill

if TYPE_CHECKING:
    from debugloop.agent.hosts.operations import Operation


def _operations(place: Place) -> list[Operation]:
    user = "Library/Application Support/Code/User" if sys.platform == "darwin" else ".config/Code/User"
    prompts = place.path(".github/prompts", f"{user}/prompts")
    return [
        mcp_json(
            place.path(".vscode/mcp.json", f"{user}/mcp.json"), ("servers",), server(place, kind={"type": "stdio"})
        ),
        skill(place.path(".github/skills", ".copilot/skills")),
        *commands(prompts, markdown, ending=".prompt.md", problem="${input:problem:What goes wrong?}"),
        copilot_hooks(place),
    ]


HOST = Host("vscode", "VS Code", _operations, ("stop", "commit"))
