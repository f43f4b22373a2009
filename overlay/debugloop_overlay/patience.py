"""An end to patterns that take for ever: ``(a+)+$`` needs years for a line of forty letters, and a log may hold it."""

from __future__ import annotations

import signal
import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING, NoReturn

if TYPE_CHECKING:
    from collections.abc import Generator


class TooSlow(Exception):
    """The pattern took longer than it may."""


@contextmanager
def patience(seconds: float) -> Generator[None]:
    """Raise TooSlow once the block has used so much processor time; Python's `re` looks at signals while it searches.

    Works in the main thread, which is that of the panel.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGVTALRM, _give_up)
    signal.setitimer(signal.ITIMER_VIRTUAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)


def _give_up(*_: object) -> NoReturn:
    raise TooSlow
