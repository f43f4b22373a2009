"""``python -m debugloop.ingest DIRECTORY LOCK LISTENER READY``: the detached collector; `daemon` starts it.

The numbers are descriptors: the held lock, the listening socket, and the pipe that takes ``ok`` or a sentence.
"""

from __future__ import annotations

import os
import socket
import sys
from contextlib import suppress
from pathlib import Path

from debugloop.errors import CollectorFailed
from debugloop.ingest import daemon
from debugloop.session import endpoint
from debugloop.session.layout import Layout
from debugloop.session.session import Session
from debugloop.settings import Settings


def main(arguments: list[str]) -> None:
    """Serve until told to stop. What goes wrong before that is said on the pipe."""
    directory, *numbers = arguments
    _lock, listener, ready = map(int, numbers)
    for number in (_lock, listener, ready):
        os.set_inheritable(number, False)  # noqa: FBT003 -- its only argument
    if os.fork():
        os._exit(0)
    try:
        session = Session(Layout(Path(directory)), Settings.from_environment())
        known = endpoint.load(session.layout)
        if known is None:
            raise CollectorFailed("the session's endpoint was deleted meanwhile")
        with socket.socket(fileno=listener) as listening:
            daemon.run(session, known, listening, lambda: _say(ready, "ok"))
    except Exception as error:
        _say(ready, str(error) or type(error).__name__)
        raise SystemExit(1) from error


def _say(ready: int, text: str) -> None:
    with suppress(OSError):
        os.write(ready, " ".join(text.split()).encode() + b"\n")
        os.close(ready)


if __name__ == "__main__":
    main(sys.argv[1:])
