"""Each host's own form: what its JSON calls things, and how it wants to be answered.

Claude Code, Codex, Copilot CLI and VS Code share one form with small differences; Gemini CLI and Cursor have their own.
Sources: code.claude.com/docs/en/hooks, developers.openai.com/codex/hooks, geminicli.com/docs/hooks/reference,
cursor.com/docs/hooks, docs.github.com/copilot/reference/hooks-reference, code.visualstudio.com/docs/copilot/hooks.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def folder_of(given: dict[str, Any]) -> str:
    """The folder that the agent works in; empty where the host does not tell it."""
    roots: list[object] = given.get("workspace_roots") or [""]
    folder = given.get("cwd") or roots[0]
    return folder if isinstance(folder, str) else ""


def command_of(given: dict[str, Any]) -> str:
    """The shell command that is about to run; empty where there is none."""
    arguments: dict[str, object] = given.get("tool_input") or {}
    command = given.get("command") or arguments.get("command")
    return command if isinstance(command, str) else ""


def was_stopped(given: dict[str, Any]) -> bool:
    """Whether the turn goes on only because a hook kept it from ending, or did not end in the ordinary way."""
    return bool(given.get("stop_hook_active") or given.get("loop_count")) or given.get("status") in {"aborted", "error"}


def form(host: str, event: str, text: str) -> dict[str, Any]:
    """An answer that says the text: to the agent at a prompt and at the end of a turn, to the person at a commit."""
    if host == "cursor":
        forms: dict[str, dict[str, Any]] = {
            "prompt": {"continue": True, "additional_context": text},
            "stop": {"followup_message": text},
            "commit": {"permission": "ask", "user_message": text, "agent_message": text},
        }
        return forms[event]
    if event == "stop":
        return {"decision": "deny" if host == "gemini" else "block", "reason": text}
    if event == "prompt":
        name = "BeforeAgent" if host == "gemini" else "UserPromptSubmit"
        return _output(name, additionalContext=text)
    if host in {"gemini", "codex"}:  # neither can ask, and a warning is no refusal; the agent of Codex can be told, too
        told = _output("PreToolUse", additionalContext=text) if host == "codex" else {}
        return {"systemMessage": text, **told}
    asked = {"permissionDecision": "ask", "permissionDecisionReason": text}
    inner = _output("PreToolUse", **asked)
    return {**asked, **inner} if host == "copilot" else inner


def _output(event: str, **said: str) -> dict[str, Any]:
    return {"hookSpecificOutput": {"hookEventName": event, **said}}
