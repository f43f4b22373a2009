"""Python's garbage collector kept from looking again and again at what an answer is made from."""

from __future__ import annotations

import gc
from collections.abc import Generator
from contextlib import contextmanager


@contextmanager
def gc_paused() -> Generator[None]:
    """Collect nothing in this block: a full log is 50,000 objects, none of them garbage before the answer is made.

    Two threads may be in such blocks at once: then the first to leave ends the pause, at the cost of time only.
    """
    paused = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if paused:
            gc.enable()
