"""Python's garbage collector kept from looking again and again at what is being made and stays."""

from __future__ import annotations

import gc
from collections.abc import Generator
from contextlib import contextmanager


@contextmanager
def gc_paused() -> Generator[None]:
    """Collect nothing in this block: of a full log nothing is garbage before the answer is made.

    Two threads may be in such blocks at once: then the first to leave ends the pause, at the cost of time only.
    """
    paused = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if paused:
            gc.enable()


@contextmanager
def made_for_good() -> Generator[None]:
    """What this block makes is never looked at again, nor what there was before it.

    For what a program imports at its start: it stays, and to look through it takes a tenth of that start.
    """
    with gc_paused():
        yield
        gc.freeze()
