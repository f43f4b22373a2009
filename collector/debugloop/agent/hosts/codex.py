"""Codex: https://developers.openai.com/codex/mcp and /skills. Its own prompts are read from the user's home only."""

from __future__ import annotations

from debugloop.agent.hosts.host import Host, Place, commands, markdown, server, skill
from debugloop.agent.hosts.operations import Operation, SetToml


def _operations(place: Place) -> list[Operation]:
    # a wait takes up to 240 s, and Codex gives a tool 60 unless it is told
    entry = server(place, timeout={"tool_timeout_sec": 300})
    prompts = commands(place.root / ".codex/prompts", markdown) if place.scope == "user" else []
    return [
        SetToml(place.root / ".codex/config.toml", ("mcp_servers", "debugloop"), entry),
        skill(place.root / ".agents/skills"),
        *prompts,
    ]


HOST = Host("codex", "Codex", _operations)
