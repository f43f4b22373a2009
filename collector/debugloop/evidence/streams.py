"""The standard streams of a process that shows what others wrote."""

from __future__ import annotations

import os
import sys
from io import TextIOWrapper
from typing import cast

_STDERR = 2


def open_streams() -> None:
    """Make stdout and stderr fit for any text, and harmless where the caller closed them.

    A descriptor that the caller closed is opened on nothing, so that no file of a session gets its number. What the
    encoding of a terminal cannot write is written as an escape.
    """
    while (spare := os.open(os.devnull, os.O_RDWR)) <= _STDERR:
        os.set_inheritable(spare, True)  # noqa: FBT003 -- its only argument
    os.close(spare)
    if sys.stdin is None:
        sys.stdin = os.fdopen(0, closefd=False)
    if sys.stdout is None:
        sys.stdout = os.fdopen(1, "w", encoding="utf-8", closefd=False)
    if sys.stderr is None:
        sys.stderr = os.fdopen(2, "w", encoding="utf-8", closefd=False)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            cast("TextIOWrapper", stream).reconfigure(errors="backslashreplace")
