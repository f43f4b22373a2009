"""What a host is: where it keeps its configuration, and in which form it takes what we bring."""

from __future__ import annotations

import json
import shlex
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Literal, TypeAlias

from debugloop.agent import hooks, method
from debugloop.agent.hosts.operations import AddToList, Drop, MergeJson, Operation
from debugloop.session.layout import workspace_of

Scope: TypeAlias = Literal["project", "user"]


@dataclass(frozen=True, slots=True)
class Place:
    """Where an installation goes: the project's folder or the user's home, and the command that is to be run."""

    scope: Scope
    root: Path
    command: tuple[str, ...]

    @classmethod
    def of(cls, folder: Path, *, user: bool) -> Place:
        """The user's home, or the project that a folder is in, with the command of this very installation."""
        return cls("user", Path.home(), own_command()) if user else cls("project", workspace_of(folder), own_command())

    def path(self, project: str, user: str) -> Path:
        """A path of the project, or the one that takes its place in the user's home."""
        return self.root / (project if self.scope == "project" else user)


@dataclass(frozen=True, slots=True)
class Host:
    """An agent host: its name on the command line, its own name, and what its installation does."""

    name: str
    title: str
    operations: Callable[[Place], list[Operation]]
    hooks: Sequence[str] = ()
    """The events, of ``prompt``, ``stop`` and ``commit``, at which the host asks us."""
    asks: str = ""
    """What the host wants of the person before it uses what was installed: a sentence."""


Form: TypeAlias = Callable[[str, str], str]
"""Makes a host's own file of a command's summary and text."""

COMMANDS: Final[Mapping[str, tuple[str, Callable[[str], str]]]] = {
    "debuglog": ("Find a bug in Debug mode", method.debug_prompt),
    "debug-resolved": ("Say that the bug is resolved", lambda _: method.RESOLVED),
    "debug-finish": ("Remove every trace and end the debug session", lambda _: method.finish_prompt()),
}


def server(
    place: Place, *, timeout: dict[str, Any] | None = None, kind: dict[str, Any] | None = None
) -> dict[str, Any]:
    """The entry of the MCP server, in the form that most hosts share."""
    return {**(kind or {}), "command": place.command[0], "args": [*place.command[1:], "mcp"], **(timeout or {})}


def mcp_json(path: Path, keys: tuple[str, ...], value: dict[str, Any]) -> MergeJson:
    """The MCP server as an entry of a JSON file."""
    return MergeJson(path, (*keys, "debugloop"), value)


def skill(folder: Path) -> Drop:
    """The skill, below a host's folder of skills."""
    return Drop(folder / method.SKILL / "SKILL.md", method.skill())


def commands(folder: Path, form: Form, *, ending: str = ".md", problem: str = "$ARGUMENTS") -> list[Operation]:
    """The slash commands; ``problem`` is what the host puts the person's words in for."""
    return [
        Drop(folder / f"{name}{ending}", form(summary, text(problem))) for name, (summary, text) in COMMANDS.items()
    ]


def markdown(summary: str, text: str) -> str:
    """A command as most hosts take it: a description, then the prompt."""
    return f"---\ndescription: {summary}\n---\n\n{text}\n"


def toml(summary: str, text: str) -> str:
    """A command as TOML."""
    return f"description = {json.dumps(summary)}\nprompt = {json.dumps(text, ensure_ascii=False)}\n"


def hook(form: str, event: str) -> str:
    """The shell command of a hook, by absolute paths. Where we are gone meanwhile, the host goes on all the same."""
    return f"{shlex.join(own_hook(form, event))} || true"


def own_hook(form: str, event: str) -> list[str]:
    """How a hook is run: without the site packages, which it does not need, and which cost time."""
    return [sys.executable, "-I", "-S", str(Path(hooks.__file__).with_name("__main__.py")), form, event]


def matched_hooks(path: Path, form: str, names: Mapping[str, str], *, tool: str, seconds: float = 5) -> list[Operation]:
    """Hooks as most hosts take them: a list of matchers with their commands under each event's own name."""
    added: list[Operation] = []
    for event, name in names.items():
        command = {"type": "command", "command": hook(form, event), "timeout": seconds}
        matcher = {"matcher": tool} if event == "commit" else {}
        added.append(AddToList(path, ("hooks", name), {**matcher, "hooks": [command]}))
    return added


def copilot_hooks(place: Place) -> Drop:
    """The hooks of Copilot CLI and VS Code, which read the same folders: a file of our own.

    Their prompt hook has no word with the agent, so there is none.
    """
    entries = {
        name: [{"type": "command", "command": hook("copilot", event), "timeout": 5, **matcher}]
        for event, name, matcher in (("stop", "Stop", {}), ("commit", "PreToolUse", {"matcher": "Bash"}))
    }
    path = place.path(".github/hooks/debugloop.json", ".copilot/hooks/debugloop.json")
    return Drop(path, json.dumps({"version": 1, "hooks": entries}, indent=2) + "\n")


def own_command() -> tuple[str, ...]:
    """How this very installation is run, by absolute paths: a host's PATH may be another."""
    script = Path(sys.executable).parent / "debugloop"
    return (str(script),) if script.is_file() else (sys.executable, "-P", "-m", "debugloop")
