"""Asking the person at the controlling terminal, whatever stdin and stdout are."""

from __future__ import annotations

import os


def ask(question: str) -> bool | None:
    """Ask yes or no; Enter alone is no, and what was typed before the question counts for nothing.

    None where the process has no terminal, or stands in the background of one: reading it would stop the process.
    """
    try:
        terminal = os.open("/dev/tty", os.O_RDWR | os.O_NOCTTY | os.O_CLOEXEC)
    except OSError:
        return None
    import termios

    try:
        if os.tcgetpgrp(terminal) != os.getpgrp():
            return None
        termios.tcflush(terminal, termios.TCIFLUSH)
        os.write(terminal, f"{question} [y/N] ".encode())
        answer = os.read(terminal, 1024).decode(errors="replace")
    except (OSError, termios.error):  # it was closed meanwhile
        return None
    finally:
        os.close(terminal)
    return answer.strip().casefold() in {"y", "yes"}
