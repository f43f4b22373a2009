"""The clipboard: by a program of this machine where there is one, else by the terminal itself (OSC 52)."""

from __future__ import annotations

import asyncio
import os
import shutil
import sys
from contextlib import suppress
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

OSC_52: Final = "OSC 52"
"""The name of the way over the terminal: it may refuse without a word, and no program can tell."""
_SECONDS: Final = 2.0


async def copy(text: str, over_terminal: Callable[[str], object]) -> str:
    """Put text on the clipboard; gives the name of the way that took it, a program's or OSC_52.

    ``over_terminal`` writes the text as OSC 52, as Textual's ``App.copy_to_clipboard`` does.
    """
    for command in _programs(os.environ, sys.platform):
        if await _takes(command, text):
            return command[0]
    over_terminal(text)
    return OSC_52


def _programs(environment: Mapping[str, str], platform: str) -> Iterator[tuple[str, ...]]:
    """The programs that reach the clipboard that the person pastes from, the surest first."""
    if environment.get("WAYLAND_DISPLAY"):
        yield ("wl-copy",)
    if environment.get("DISPLAY"):
        yield ("xclip", "-selection", "clipboard")
        yield ("xsel", "--clipboard", "--input")
    # over ssh these would fill the clipboard of the machine that nobody sits at
    if not (environment.get("SSH_CONNECTION") or environment.get("SSH_TTY")):
        if platform == "darwin":
            yield ("pbcopy",)
        if environment.get("WSL_DISTRO_NAME"):
            yield ("clip.exe",)
    if environment.get("TMUX"):
        # tmux passes OSC 52 of a program on only where it was told to; its own command does (3.2 and newer)
        yield ("tmux", "load-buffer", "-w", "-")


async def _takes(command: tuple[str, ...], text: str) -> bool:
    """Whether the program is there and took the text."""
    path = shutil.which(command[0])
    if path is None:
        return False
    # xclip and wl-copy stay behind to serve the clipboard: a pipe that they inherit would never end
    process = await asyncio.create_subprocess_exec(
        path,
        *command[1:],
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.DEVNULL,
        stderr=asyncio.subprocess.DEVNULL,
        start_new_session=True,
    )
    # clip.exe reads UTF-16; the others take the bytes as they are
    data = text.encode("utf-16" if command[0] == "clip.exe" else "utf-8", "replace")
    try:
        async with asyncio.timeout(_SECONDS):
            await process.communicate(data)
    except TimeoutError:
        with suppress(ProcessLookupError):
            process.kill()
        await process.wait()
    return process.returncode == 0
