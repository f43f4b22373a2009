"""A person at a terminal: runs one command in a pty of its own, sees what is asked and answers it."""

from __future__ import annotations

import os
import pty
import select
import signal
import subprocess
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.cli.processes import script
from tests.support import GENEROUS, clean_environment

# makes the terminal on stdin the controlling one, as a shell in a window has it
_IN_TERMINAL = "import fcntl, os, termios\nos.setsid()\nfcntl.ioctl(0, termios.TIOCSCTTY, 0)\n"


@dataclass(frozen=True)
class Ran:
    """How the command ended and what the person saw."""

    code: int
    screen: str


def at_terminal(arguments: Sequence[str], answer: str, *, home: Path, cwd: Path, before: str = "") -> Ran:
    """Run ``debugloop`` in a terminal and type ``answer`` once it asks; nothing is typed where it asks nothing.

    ``before`` is Python that its process runs first.
    """
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        script(arguments, _IN_TERMINAL + before),
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        cwd=cwd,
        env=clean_environment(home, TERM="xterm"),
    )
    os.close(theirs)
    try:
        screen = _watch(ours, answer)
        return Ran(process.wait(timeout=GENEROUS), screen.decode("utf-8", "replace"))
    finally:
        if process.poll() is None:
            process.send_signal(signal.SIGKILL)
            process.wait()
        os.close(ours)


def _watch(terminal: int, answer: str) -> bytes:
    screen = b""
    answered = False
    deadline = time.monotonic() + GENEROUS
    while time.monotonic() < deadline:
        if not select.select([terminal], [], [], 0.5)[0]:
            continue
        try:
            piece = os.read(terminal, 65_536)
        except OSError:  # Linux says EIO once the last process has closed it
            break
        if not piece:
            break
        screen += piece
        if not answered and screen.endswith(b"[y/N] "):
            os.write(terminal, answer.encode())
            answered = True
    return screen
