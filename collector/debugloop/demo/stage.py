"""Where the demo plays: a temporary folder, and the promise that nothing of it is left, however it ends."""

from __future__ import annotations

import signal
import tempfile
from collections.abc import Generator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Final, NoReturn

from debugloop.demo.removal import remove
from debugloop.ingest import daemon
from debugloop.session import session as sessions

if TYPE_CHECKING:
    from debugloop.settings import Settings

_ENDING: Final = (signal.SIGTERM, signal.SIGHUP)


@contextmanager
def stage(settings: Settings) -> Generator[tuple[Path, ExitStack, Settings]]:
    """A folder, a stack for what has to be ended before it goes, and settings whose home is in it.

    Ctrl-C, SIGTERM and SIGHUP end the demo like an error would; while it cleans up, nothing disturbs it.
    """
    before = {number: signal.signal(number, _leave) for number in _ENDING}
    folder = Path(tempfile.mkdtemp(prefix="debugloop-demo-")).resolve()
    inside = replace(settings, home=folder / "home")
    cleanup = ExitStack()
    try:
        yield folder, cleanup, inside
    finally:
        undisturbed = {number: signal.signal(number, signal.SIG_IGN) for number in (signal.SIGINT, *_ENDING)}
        try:
            _clean_up(folder, cleanup, inside)
        finally:
            for number, handler in {**undisturbed, **before}.items():
                signal.signal(number, handler)


def _clean_up(folder: Path, cleanup: ExitStack, settings: Settings) -> None:
    with ExitStack() as stack:
        stack.callback(remove, folder)
        # found by its files: what was interrupted may have been starting it
        for session in sessions.everywhere(settings, folder):
            stack.callback(daemon.stop, session)
        stack.push(cleanup)


def _leave(number: int, _frame: object) -> NoReturn:
    raise SystemExit(128 + number)
