"""The log as plain lines, for where there is no terminal: a pipe, a file, CI, TERM=dumb."""

from __future__ import annotations

import os
import sys
import time
from typing import TYPE_CHECKING, Final

from debugloop.errors import DebugloopError
from debugloop.evidence.rows import plain
from debugloop.session import runs

if TYPE_CHECKING:
    from debugloop.session.follow import Follower
    from debugloop.session.session import Session

_STATE_SECONDS: Final = 0.5


def follow_plainly(session: Session) -> int:
    """Print every row once, until the session is finished, nobody reads any more or Ctrl+C; gives the exit code."""
    follower = runs.follow(session)
    try:
        _follow(session, follower)
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:
        # nobody reads: Python would complain about what is left when it flushes at its end
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    finally:
        follower.close()
    return 0


def _follow(session: Session, follower: Follower) -> None:
    look_at = 0.0
    run = 0
    while True:
        now = time.monotonic()
        finished = False
        if now >= look_at:
            state = session.state()
            run, finished, look_at = state.run, state.mode == "build", now + _STATE_SECONDS
        batch = follower.poll()
        if batch.reset or any(row.steps for row in batch.rows):
            run = _run(session, run)
        for row in batch.rows:
            sys.stdout.write(plain(row, run) + "\n")
        if batch.rows:
            sys.stdout.flush()
        if not batch.more:
            if finished:
                return
            time.sleep(session.settings.poll_seconds)


def _run(session: Session, last: int) -> int:
    try:
        return session.state().run
    except DebugloopError:  # the next look at the state tells
        return last
