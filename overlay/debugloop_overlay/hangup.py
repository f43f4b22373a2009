"""The end of a panel whose terminal went away in the midst of a write.

The system's SIGHUP asks the panel to leave, but the write fails first: Textual's writer dies of it, and the panel waits
for ever for the writer to take what it draws, in no turn of its loop.
"""

from __future__ import annotations

import os
import signal
import threading
import time

from debugloop_overlay.suspend import has_terminal

_LOOK_SECONDS = 1.0


def leave_without_terminal(grace: float) -> None:
    """End this process ``grace`` seconds after its terminal went, if it did not end by itself.

    Locks are freed by the system, and files of the session are whole at any moment; ``grace`` is for a press that waits
    for a lock.
    """
    if has_terminal():
        threading.Thread(target=_watch, args=(grace,), name="debugloop-hangup", daemon=True).start()


def _watch(grace: float) -> None:
    while has_terminal():
        time.sleep(_LOOK_SECONDS)
    time.sleep(grace)
    os._exit(128 + signal.SIGHUP)
