"""Ctrl+Z and its end: the panel draws anew only after it was suspended, and only where its terminal still is."""

from __future__ import annotations

import os
import signal
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import asyncio


def resume_only_what_was_suspended(loop: asyncio.AbstractEventLoop) -> None:
    """Stand before Textual's handlers of SIGTSTP and SIGCONT.

    The system sends SIGHUP and SIGCONT together when a terminal goes away. Textual takes any SIGCONT for the end of a
    suspension: it starts a second writer, which dies of the dead terminal, and then waits for it for ever.
    Handlers of the loop run between two of its turns. Textual's own run in the midst of anything, also of a write that
    holds the writer's lock, which they then wait for themselves.
    """
    suspend, resume = signal.getsignal(signal.SIGTSTP), signal.getsignal(signal.SIGCONT)
    if not callable(suspend) or not callable(resume):  # no driver of a real terminal
        return
    suspended = False

    def stop() -> None:
        nonlocal suspended
        suspended = True
        suspend(signal.SIGTSTP, None)

    def go_on() -> None:
        nonlocal suspended
        if suspended and has_terminal():
            suspended = False
            resume(signal.SIGCONT, None)

    loop.add_signal_handler(signal.SIGTSTP, stop)
    loop.add_signal_handler(signal.SIGCONT, go_on)


def has_terminal() -> bool:
    """Whether the terminal on stdin is there: one that hung up has no foreground group."""
    try:
        os.tcgetpgrp(sys.__stdin__.fileno() if sys.__stdin__ else 0)
    except OSError:
        return False
    return True
