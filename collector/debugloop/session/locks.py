"""Locks between processes: files locked by the operating system, which frees them when the holder dies.

All locks are taken by filelock's primitive (on POSIX: flock) on a descriptor of our own, so that a lock can be handed
to a child process, kept open on the hot path, and still excludes every other user of the same file.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import Self

from debugloop.errors import LockBusy
from debugloop.session.files import open_private

_PROBE_SECONDS = 0.25
"""How long a taker outwaits those who only look whether the lock is held."""


if sys.platform == "win32":
    from filelock import lock_descriptor, unlock_descriptor

    def try_lock(descriptor: int) -> bool:
        """Lock an open lock file if nobody holds it; gives whether it is ours now."""
        return lock_descriptor(descriptor, blocking=False)

    def unlock(descriptor: int) -> None:
        """Free what `try_lock` took; the descriptor stays open."""
        unlock_descriptor(descriptor)

    def _look(descriptor: int) -> bool:
        return try_lock(descriptor)

else:
    # what filelock does there, without the 20 ms that its import costs each short verb
    import fcntl

    def try_lock(descriptor: int) -> bool:
        """Lock an open lock file if nobody holds it; gives whether it is ours now."""
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True

    def unlock(descriptor: int) -> None:
        """Free what `try_lock` took; the descriptor stays open."""
        fcntl.flock(descriptor, fcntl.LOCK_UN)

    def _look(descriptor: int) -> bool:
        try:
            # shared, so that two who look at once do not see each other
            fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True


class Lock:
    """A lock that is held until it is released or the process, with every child that got it, has ended."""

    def __init__(self, path: Path, descriptor: int) -> None:
        self.path = path
        self.descriptor = descriptor

    def release(self) -> None:
        """Free the lock; a second call does nothing. A child that inherited it keeps it."""
        if self.descriptor >= 0:
            os.close(self.descriptor)
            self.descriptor = -1

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.release()


def hold(path: Path, timeout: float = _PROBE_SECONDS, *, sleep: Callable[[float], None] = time.sleep) -> Lock:
    """Take the lock ``path``, waiting up to ``timeout`` seconds. Raises LockBusy.

    The default wait is just longer than a look by `is_held` takes.
    """
    descriptor = open_private(path, os.O_RDWR | os.O_CREAT)
    deadline = time.monotonic() + timeout
    try:
        while not try_lock(descriptor):
            if time.monotonic() >= deadline:
                raise LockBusy(path)
            sleep(0.002)
    except BaseException:
        os.close(descriptor)
        raise
    return Lock(path, descriptor)


def is_held(path: Path) -> bool:
    """Whether a living process holds the lock. Looking takes it for a moment where it is free."""
    try:
        descriptor = open_private(path, os.O_RDWR)
    except (FileNotFoundError, NotADirectoryError):
        return False
    try:
        return not _look(descriptor)
    finally:
        os.close(descriptor)
