"""Commands in documentation: find them, and run them as a reader would, in a terminal of their own and a fresh HOME."""

from __future__ import annotations

import os
import pty
import re
import select
import signal
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

from tests.support import ROOT, clean_environment

_FENCE = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_QUESTION = re.compile(rb"\[y/N\] $")
# makes the terminal on stdin the controlling one, as a shell in a window has it, then becomes the command
_IN_TERMINAL = (
    "import fcntl, os, sys, termios; os.setsid(); fcntl.ioctl(0, termios.TIOCSCTTY, 0); "
    "os.execvp(sys.argv[1], sys.argv[1:])"
)


@dataclass(frozen=True)
class Ran:
    """What a reader saw on the terminal, and how the shell ended."""

    code: int
    screen: str


def documents() -> list[Path]:
    """Every document of the repository."""
    return sorted([*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md"), *(ROOT / "examples").rglob("*.md")])


def blocks(document: Path, language: str = "sh") -> list[str]:
    """The blocks of one language in a document, in their order; by default shell commands."""
    found: list[tuple[str, str]] = _FENCE.findall(document.read_text(encoding="utf-8"))
    return [text for name, text in found if name == language]


def environment(home: Path) -> dict[str, str]:
    """A fresh HOME with nothing in it, and the commands of this interpreter's environment first on the PATH."""
    env = clean_environment(home)
    env.pop("DEBUGLOOP_HOME")
    for name in [name for name in env if name.startswith(("XDG_", "VIRTUAL_ENV"))]:
        env.pop(name)
    return {**env, "PATH": f"{Path(sys.executable).parent}{os.pathsep}{env['PATH']}", "TERM": "xterm"}


def in_terminal(script: str, *, home: Path, cwd: Path, timeout: float = 100.0) -> Ran:
    """Run shell commands in a terminal, stopping at the first that fails; every question is answered with yes."""
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-c", _IN_TERMINAL, "bash", "-euo", "pipefail", "-c", script],
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        cwd=cwd,
        env=environment(home),
    )
    os.close(theirs)
    try:
        screen = _answer_until_closed(ours, time.monotonic() + timeout)
        return Ran(process.wait(timeout=10), screen.decode("utf-8", "replace"))
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
        os.close(ours)


def _answer_until_closed(terminal: int, deadline: float) -> bytes:
    screen = b""
    while time.monotonic() < deadline:
        ready, _, _ = select.select([terminal], [], [], 0.5)
        if not ready:
            continue
        try:
            piece = os.read(terminal, 65_536)
        except OSError:  # Linux says EIO once the last of the shell's processes has closed it
            return screen
        if not piece:
            return screen
        screen += piece
        if _QUESTION.search(screen):
            os.write(terminal, b"y\n")
            screen += b"\n"
    return screen
