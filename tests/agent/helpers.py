"""What tests of the loop do to a session: events come, its collector is killed."""

from __future__ import annotations

import os
import signal
from collections.abc import Mapping
from typing import TYPE_CHECKING

import orjson

from debugloop.session import collector_file
from debugloop.session.records import Steps
from tests.support import until

if TYPE_CHECKING:
    from debugloop.session.session import Session

STEPS = Steps("Wrong total", ("Open the cart", "Add two items"))


def log(session: Session, *records: Mapping[str, object]) -> None:
    """A program appends these records to the log."""
    with session.layout.log.open("ab") as file:
        file.writelines(orjson.dumps(record) + b"\n" for record in records)


def crash(session: Session) -> None:
    """Kill the collector."""
    pid = collector_file.load(session.layout).pid
    assert pid
    os.kill(pid, signal.SIGKILL)
    until(lambda: not collector_file.running(session.layout), what="the end of the collector")


def serves(session: Session) -> bool:
    """Whether the collector runs and has said so."""
    return collector_file.running(session.layout) and collector_file.load(session.layout).pid is not None
