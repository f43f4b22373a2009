"""Python's garbage collector kept from looking again and again at what is being made and stays."""

from __future__ import annotations

import gc
from collections.abc import Generator
from contextlib import contextmanager


@contextmanager
def gc_paused() -> Generator[None]:
    """Collect nothing in this block: of a full log or of an import nothing is garbage before the block ends.

    Two threads may be in such blocks at once: then the first to leave ends the pause, at the cost of time only.
    """
    paused = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if paused:
            gc.enable()
