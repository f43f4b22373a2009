"""Agent hosts: what `debugloop install` brings to each of them, one small file a host.

``operations`` says what is done to one file, ``installer`` does it, undoes it and looks whether it is still there.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Final, cast

if TYPE_CHECKING:
    from debugloop.agent.hosts.host import Host

NAMES: Final = ("claude-code", "codex", "opencode", "cursor", "gemini", "copilot", "vscode", "pi")


def named(name: str) -> Host:
    """The host of this name, one of `NAMES`."""
    return cast("Host", import_module(f"debugloop.agent.hosts.{name.replace('-', '_')}").HOST)
