"""Asking the person at the controlling terminal, whatever stdin and stdout are."""

from __future__ import annotations

import os


def ask(question: str) -> bool | None:
    """Ask yes or no; Enter alone is no. None where the process has no terminal."""
    try:
        terminal = os.open("/dev/tty", os.O_RDWR | os.O_NOCTTY | os.O_CLOEXEC)
    except OSError:
        return None
    try:
        os.write(terminal, f"{question} [y/N] ".encode())
        answer = os.read(terminal, 1024).decode(errors="replace")
    except OSError:  # a background process, or a terminal that was closed
        return None
    finally:
        os.close(terminal)
    return answer.strip().casefold() in {"y", "yes"}
