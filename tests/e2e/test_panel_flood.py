"""Two thousand events a second, and a person who goes on typing: every event is counted, every key is obeyed."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

from debugloop.session import actions
from tests.overlay.house import publish
from tests.overlay.terminal import PANEL, Pty
from tests.support import GENEROUS, until

if TYPE_CHECKING:
    from pathlib import Path

    from debugloop.session.session import Session

FLOOD = """
import json, select, sys, time
began, number = time.monotonic(), 0
with open(sys.argv[1], "ab", buffering=0) as log:
    while not select.select([sys.stdin], [], [], 0.005)[0]:
        for number in range(number, int((time.monotonic() - began) * 2_000)):
            event = {"hypothesisId": "H1", "message": f"flood {number}", "level": "info" if number % 50 else "error"}
            log.write(json.dumps(event).encode() + b"\\n")
            number += 1
    log.write(b'{"message":"the very last","level":"error"}\\n')
print(number + 1)
"""


def test_keys_are_obeyed_and_no_event_is_lost_at_two_thousand_a_second(
    home: Path, workspace: Path, session: Session
) -> None:
    publish(session)
    with (
        Pty([*PANEL, "--lang", "en"], home, workspace, size=(100, 30)) as terminal,
        subprocess.Popen(
            [sys.executable, "-c", FLOOD, str(session.layout.log)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        ) as flood,
    ):
        until(lambda: session.layout.log.stat().st_size > 100_000, what="the flood")
        for typed, seen in (
            ("kk", "paused"),
            ("o", '"message"'),
            ("\x1b", "paused"),
            (":101\r", "m100/"),
            ("/flood 11\r", "/flood 11 2/"),
            ("n", "/flood 11 3/"),
            ("\x1bw", "m112/"),  # the search is left
            ("&-flood 11\r", "&-flood 11"),
            ("4", "≥E"),
            ("t", "since the run began"),
            ("z", "repeats folded"),
            ("G", "following"),
            ("f", "paused"),
            ("f", "following"),
            ("p", "Hypotheses"),
            ("p", "following"),
            ("?", "Help"),
            ("?", "following"),
            ("\t", "the bug is gone"),
            ("C", "Empty the log"),
            ("n", "Not sent."),
            ("nslow\r", "next action: slow"),
            ("r", "sent as press 1"),
        ):
            start = len(terminal.written)
            terminal.type(typed)
            terminal.sees(seen, start)
        assert flood.poll() is None
        written = int(flood.communicate("", timeout=GENEROUS)[0])
        terminal.sees(f"{written:,} events")
        terminal.sees("the very last")
        until(lambda: [each.note for each in actions.presses(session)] == ["slow"])
        terminal.type("q")
        assert terminal.process.wait(GENEROUS) == 0
