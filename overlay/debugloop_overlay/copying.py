"""Text onto the clipboard: by the tool of the desktop where one works, else by the terminal itself."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from typing import TYPE_CHECKING, Final

from debugloop.evidence.cut import without_stamp
from debugloop.evidence.rows import parts
from debugloop.evidence.visible import visible

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from debugloop.session.records import Row

TERMINAL: Final = "OSC 52"
"""The way by the terminal: a sequence that asks it to take the text; some ask back, some refuse."""
_PATIENCE: Final = 2.0
_BEYOND_ASCII: Final = re.compile(r"[^\x20-\x7e]")


def message_of(row: Row) -> str:
    """What a row says, as it is shown, with its line breaks; without a message its data."""
    shown = parts(row, line_break="\n")
    return shown.message or shown.data


def json_of(row: Row) -> str:
    """The record as it came, every digit kept; what a terminal would obey stands as a JSON escape."""
    if row.malformed:
        return visible(row.text)
    return _BEYOND_ASCII.sub(_shown, without_stamp(row).decode())


def _shown(match: re.Match[str]) -> str:
    character = match[0]
    if visible(f"a{character}") == f"a{character}":
        return character
    units = character.encode("utf-16-be")
    return "".join(f"\\u{units[at] << 8 | units[at + 1]:04x}" for at in range(0, len(units), 2))


def by_a_tool(text: str, environment: Mapping[str, str] = os.environ) -> str | None:
    """Hand the text to the first tool that takes it; gives its name, or None where there is none. Waits for it."""
    for command in _tools(environment):
        if path := shutil.which(command[0], path=environment.get("PATH")):
            try:
                # xclip stays behind for as long as it holds the text: it must not hold our terminal
                done = subprocess.run(
                    [path, *command[1:]],
                    input=text.encode("utf-8", "replace"),
                    stdout=subprocess.DEVNULL,
                    stderr=subprocess.DEVNULL,
                    timeout=_PATIENCE,
                    check=False,
                    env=dict(environment),
                )
            except (OSError, subprocess.TimeoutExpired):
                continue
            if done.returncode == 0:
                return command[0]
    return None


def _tools(environment: Mapping[str, str]) -> Iterator[tuple[str, ...]]:
    """Those that reach the clipboard of the person: over SSH, a tool without a display would fill another machine's."""
    if environment.get("WAYLAND_DISPLAY"):
        yield ("wl-copy",)
    if environment.get("DISPLAY"):
        yield ("xclip", "-selection", "clipboard")
        yield ("xsel", "--clipboard", "--input")
    if not (environment.get("SSH_CONNECTION") or environment.get("SSH_TTY")):
        if sys.platform == "darwin":
            yield ("pbcopy",)
        if environment.get("WSL_DISTRO_NAME"):
            yield ("clip.exe",)
