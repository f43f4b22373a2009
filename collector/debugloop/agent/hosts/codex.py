"""Codex: https://developers.openai.com/codex/mcp, /skills and /hooks.

Its own prompts are read from the user's home only. A hook runs once the person has trusted it (`/hooks`).
"""

from __future__ import annotations

from debugloop.agent.hosts.host import Host, Place, commands, markdown, matched_hooks, server, skill
from debugloop.agent.hosts.operations import Operation, SetToml

_HOOKS = {"prompt": "UserPromptSubmit", "stop": "Stop", "commit": "PreToolUse"}


def _operations(place: Place) -> list[Operation]:
    # a wait takes up to 240 s, and Codex gives a tool 60 unless it is told
    entry = server(place, timeout={"tool_timeout_sec": 300})
    prompts = commands(place.root / ".codex/prompts", markdown) if place.scope == "user" else []
    return [
        SetToml(place.root / ".codex/config.toml", ("mcp_servers", "debugloop"), entry),
        skill(place.root / ".agents/skills"),
        *prompts,
        *matched_hooks(place.root / ".codex/hooks.json", "codex", _HOOKS, tool="Bash"),
    ]


HOST = Host(
    "codex",
    "Codex",
    _operations,
    tuple(_HOOKS),
    asks="It runs hooks once you have trusted them (`/hooks`), and a project's entry once you trust the project.",
)
