"""The moment between the start of a process and the note of who ends it, in which nothing may interrupt the demo."""

from __future__ import annotations

import signal
from collections.abc import Generator
from contextlib import contextmanager
from typing import Final

ENDING: Final = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


@contextmanager
def held_back() -> Generator[None]:
    """Let signals that end the demo wait until the block is over; the first that came is raised then.

    They are not blocked, as a process that is started in the block would inherit that.
    """
    came: list[int] = []
    before = {number: signal.signal(number, lambda number, _: came.append(number)) for number in ENDING}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
    if came:
        signal.raise_signal(came[0])
