"""The panel in a real pseudo-terminal, beside an empty Textual app in the same run.

``first paint``: from the start of the process to the title (and, with a full log, its last row) on the terminal;
toolong (in an environment of its own, where PyPI is reached) and lnav (where it is installed) open the same log.
``event on screen``: from the append to the log until the row was written to the terminal, one event at a time; and of
1,000 and 20,000 events a second, those that reach the screen before they are scrolled away. ``key``: from a keystroke
until its effect is on the terminal. ``search`` and ``filter``: on the full log, from the last keystroke until the first
result, and until all rows were looked at.
Memory is resident size; processor time is that of ten idle seconds.

    python benchmarks/panel.py [--rounds 7] [--events 200]
"""

from __future__ import annotations

import argparse
import fcntl
import itertools
import os
import pty
import random
import re
import shutil
import signal
import statistics
import struct
import subprocess
import sys
import tempfile
import termios
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING, Self

import orjson

from debugloop.session import session as sessions
from debugloop.session.journal import Journal
from debugloop.session.records import Steps
from debugloop.settings import Settings

if TYPE_CHECKING:
    from debugloop.session.session import Session

EMPTY_APP = """
from textual.app import App
from textual.widgets import Static

class Empty(App):
    def compose(self):
        yield Static("DEBUG LOGS")

Empty().run()
"""
LOADS_EACH_SECOND = (1_000, 20_000)
_SECONDS_OF_LOAD = 30
NO_CAP = {"DEBUGLOOP_LOG_BYTES": str(10**9)}
"""For a load that would fill a log of the usual size within two seconds."""
CHANCE = random.Random(7)


class Terminal:
    """A program in a pseudo-terminal of 120x40; everything it writes is kept and can be waited for."""

    def __init__(self, command: list[str], environment: dict[str, str], folder: Path) -> None:
        self.written = bytearray()
        self.pieces: list[tuple[float, bytes]] = []
        self._news = threading.Condition()
        self._main, child = pty.openpty()
        fcntl.ioctl(child, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 120, 0, 0))
        self.started = time.perf_counter()
        self.process = subprocess.Popen(
            command, stdin=child, stdout=child, stderr=child, cwd=folder, env=environment, start_new_session=True
        )
        os.close(child)
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self) -> None:
        while True:
            try:
                data = os.read(self._main, 65_536)
            except OSError:
                return
            with self._news:
                self.pieces.append((time.perf_counter(), data))
                self.written += data
                self._news.notify_all()

    def wait_for(self, text: bytes, start: int = 0) -> float:
        """The moment (perf_counter) at which ``text`` was seen in what was written from ``start`` on."""
        with self._news:
            if not self._news.wait_for(lambda: text in self.written[start:], timeout=60):
                raise TimeoutError(f"{text!r} was never written")
        return time.perf_counter()

    def wait_for_match(self, pattern: bytes, start: int) -> float:
        """The same for a regular expression."""
        with self._news:
            if not self._news.wait_for(lambda: re.search(pattern, self.written[start:]), timeout=60):
                raise TimeoutError(f"{pattern!r} was never written")
        return time.perf_counter()

    def type(self, text: bytes) -> None:
        os.write(self._main, text)

    def memory(self) -> float:
        """Resident MiB."""
        kib = subprocess.run(["ps", "-o", "rss=", "-p", str(self.process.pid)], capture_output=True, check=True).stdout
        return int(kib) / 1024

    def processor_seconds(self) -> float:
        ticks = Path(f"/proc/{self.process.pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
        return (int(ticks[11]) + int(ticks[12])) / os.sysconf("SC_CLK_TCK")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.process.send_signal(signal.SIGTERM)
        self.process.wait(30)
        os.close(self._main)


class Trial:
    """Two sessions in a state directory of their own: one whose run has no event, one whose log is full."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        kept = {name: value for name, value in os.environ.items() if not name.startswith("DEBUGLOOP_")}
        self.environment = {
            **kept,
            "DEBUGLOOP_HOME": str(folder / "home"),
            "TERM": "xterm-256color",
            "LC_ALL": "C.UTF-8",
        }
        settings = Settings.from_environment(self.environment)
        self.quiet = sessions.start(settings, folder, session_id="quiet", environment=self.environment)
        self.full = sessions.start(settings, folder, session_id="full", environment=self.environment)
        for session in (self.quiet, self.full):
            journal = Journal(session)
            journal.new_run(Steps("Speed of the panel", ("Append events", "Look at the panel")))
            journal.close()
        fill(self.full)

    def panel(self, session: Session, **more: str) -> Terminal:
        command = [sys.executable, "-m", "debugloop_overlay", "--session", session.id, "--lang", "en"]
        return Terminal(command, {**self.environment, **more}, self.folder)

    def empty(self) -> Terminal:
        return Terminal([sys.executable, "-c", EMPTY_APP], self.environment, self.folder)


def event(message: str) -> bytes:
    """A line of the log, as a probe would write it."""
    record = {
        "hypothesisId": CHANCE.choice(("H1", "H2", "H3")),
        "location": f"src/cart.js:{CHANCE.randint(1, 400)}",
        "message": message,
        "data": {"sum": CHANCE.random(), "items": ["apple", "pear"]},
        "timestamp": time.time_ns() // 1_000_000,
    }
    return orjson.dumps(record, option=orjson.OPT_APPEND_NEWLINE)


def fill(session: Session) -> None:
    """Fill the log up to its cap, with one row in its middle that is unlike the others."""
    with session.layout.log.open("ab") as log:
        size = session.layout.log.stat().st_size
        middle = event("the needle")
        last = event("the last row")
        while size < session.settings.log_bytes - 3 * len(last):
            line = event("an ordinary row")
            size += log.write(line)
            if middle and size > session.settings.log_bytes // 2:
                size += log.write(middle)
                middle = b""
        log.write(last)


def other_viewers(folder: Path) -> dict[str, tuple[list[str], bytes]]:
    """Viewers to compare with: their command, and the keys that go to the end of the log."""
    found: dict[str, tuple[list[str], bytes]] = {}
    if lnav := shutil.which("lnav"):
        found["lnav"] = ([lnav, "-N"], b"G")
    home = folder / "toolong"
    install = [str(home / "bin" / "pip"), "install", "--quiet", "toolong", "textual<1"]
    try:
        subprocess.run([sys.executable, "-m", "venv", str(home)], check=True, timeout=100)
        subprocess.run(install, check=True, timeout=100, capture_output=True)
        found["toolong"] = ([str(home / "bin" / "tl")], b"\x1b[F")
    except (OSError, subprocess.SubprocessError) as error:
        print(f"toolong is left out: {error}")
    return found


def first_paints(trial: Trial, rounds: int) -> None:
    """Start each program in turn, so that a noisy moment hits all of them."""
    viewers = other_viewers(trial.folder)
    took: dict[str, list[float]] = {name: [] for name in ("empty app", "panel", "panel, full log", *viewers)}
    for _ in range(rounds):
        with trial.empty() as terminal:
            took["empty app"].append(terminal.wait_for(b"DEBUG LOGS") - terminal.started)
        with trial.panel(trial.quiet) as terminal:
            took["panel"].append(terminal.wait_for(b"DEBUG LOGS") - terminal.started)
        with trial.panel(trial.full) as terminal:
            took["panel, full log"].append(terminal.wait_for(b"the last row") - terminal.started)
        for name, (command, keys) in viewers.items():
            with Terminal([*command, str(trial.full.layout.log)], trial.environment, trial.folder) as terminal:
                terminal.type(keys)
                took[name].append(terminal.wait_for(b"the last row") - terminal.started)
    for name, seconds in took.items():
        print(f"first paint, {name:<16} {statistics.median(seconds) * 1000:6.0f} ms (median of {rounds})")


def one_by_one(trial: Trial, events: int) -> None:
    """One event at a time in a quiet panel, then keys."""
    with trial.panel(trial.quiet) as terminal, trial.quiet.layout.log.open("ab", buffering=0) as log:
        terminal.wait_for(b"DEBUG LOGS")
        seen: list[float] = []
        for number in range(events):
            time.sleep(CHANCE.uniform(0.02, 0.12))
            name = f"probe-{CHANCE.randrange(10**9)}-{number}"
            start = len(terminal.written)
            log.write(event(name))
            appended = time.perf_counter()
            seen.append(terminal.wait_for(name.encode(), start) - appended)
        report("event on screen, alone", seen)
        report("key, alone", press_keys(terminal, 5))
    os.truncate(trial.quiet.layout.log, 0)


def under_load(trial: Trial, each_second: int) -> None:
    """The panel while events pour in."""
    with trial.panel(trial.quiet, **NO_CAP) as terminal:
        terminal.wait_for(b"DEBUG LOGS")
        stop = threading.Event()
        appended: list[float] = []
        load = threading.Thread(target=put_load, args=(trial.quiet, each_second, stop, appended))
        load.start()
        keys = press_keys(terminal, _SECONDS_OF_LOAD)
        stop.set()
        load.join()
        pieces = list(terminal.pieces)
    lags = [
        painted - appended[max(map(int, numbers))]
        for painted, piece in pieces
        if (numbers := re.findall(rb"load-(\d+)-", piece))
    ]
    print(f"appended                     {len(appended):,} events at {each_second:,}/s")
    report(f"event on screen, {each_second:,}/s", lags)
    report(f"key, {each_second:,}/s", keys)
    os.truncate(trial.quiet.layout.log, 0)


def search_and_filter(trial: Trial, rounds: int) -> None:
    """On the full log: a rare text, one that every row has, and a regular expression without a word of its own."""
    rows = trial.full.layout.log.read_bytes().count(b"\n") - 1  # the steps are no row
    asked = {
        "search, rare": (b"/needl", b"e", rb"/needle [\d,-]+/1[^\d,]"),
        "filter, rare": (b"&needle", b"\r", rb"[^\d,]1 of [\d,]+[^\d,]"),
        "filter, all rows": (b"&row", b"\r", f"{rows - 1:,} of ".encode()),
        "filter, regex": (rb"&/\d .*r.w/", b"\r", f"{rows - 1:,} of ".encode()),
    }
    with trial.panel(trial.full) as terminal:
        terminal.wait_for(f"{rows:,} events".encode())
        for name, (keys, last, all_found) in asked.items():
            first: list[float] = []
            complete: list[float] = []
            for _ in range(rounds):
                terminal.type(keys)
                time.sleep(0.3)
                start = len(terminal.written)
                typed = time.perf_counter()
                terminal.type(last)
                first.append(terminal.wait_for(b"of " if last == b"\r" else b"/needle", start) - typed)
                complete.append(terminal.wait_for_match(all_found, start) - typed)
                terminal.type(b"\r" if last == b"e" else b"")
                time.sleep(0.2)
                start = len(terminal.written)
                terminal.type(b"\x1b")
                terminal.wait_for(b"\x1b", start)
                time.sleep(0.5)
            report(f"{name}, first", first)
            report(f"{name}, complete", complete)


def press_keys(terminal: Terminal, seconds: float) -> list[float]:
    """Choose the next action again and again for so long; the seconds until each is shown as chosen."""
    keys: list[float] = []
    end = time.perf_counter() + seconds
    for number in itertools.count():
        if time.perf_counter() > end:
            break
        time.sleep(CHANCE.uniform(0.02, 0.12))
        start = len(terminal.written)
        pressed = time.perf_counter()
        terminal.type(b"\t")
        keys.append(terminal.wait_for((b"[R Resolved]", b"[C Clear]", b"[r Reproduced]")[number % 3], start) - pressed)
    return keys


def put_load(session: Session, each_second: int, stop: threading.Event, appended: list[float]) -> None:
    """Append numbered events in a hundred writes a second; ``appended`` gets the moment of each."""
    batch = each_second // 100
    due = time.perf_counter()
    with session.layout.log.open("ab", buffering=0) as log:
        while not stop.is_set():
            first = len(appended)
            log.write(b"".join(event(f"load-{first + each}-") for each in range(batch)))
            appended += [time.perf_counter()] * batch
            due += 0.01
            time.sleep(max(0.0, due - time.perf_counter()))


def memory_and_idling(trial: Trial) -> None:
    """All programs side by side, doing nothing."""
    with trial.empty() as empty, trial.panel(trial.quiet) as quiet, trial.panel(trial.full) as full:
        empty.wait_for(b"DEBUG LOGS")
        quiet.wait_for(b"DEBUG LOGS")
        full.wait_for(b"the last row")
        time.sleep(2)
        before = quiet.processor_seconds()
        time.sleep(10)
        print(f"processor, idle panel        {(quiet.processor_seconds() - before) * 10:6.1f} %")
        for name, terminal in (("empty app", empty), ("panel", quiet), ("panel, full log", full)):
            print(f"memory, {name:<20} {terminal.memory():6.1f} MiB")


def report(name: str, seconds: list[float]) -> None:
    """One line of figures."""
    ordered = sorted(seconds)
    p95 = ordered[int(len(ordered) * 0.95)]
    print(f"{name:<28} {statistics.median(ordered) * 1000:6.1f} ms p50 {p95 * 1000:6.1f} ms p95 ({len(ordered)})")


def main() -> None:
    """Run all trials in a state directory of their own."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--events", type=int, default=200)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        trial = Trial(Path(folder))
        first_paints(trial, arguments.rounds)
        one_by_one(trial, arguments.events)
        for each_second in LOADS_EACH_SECOND:
            under_load(trial, each_second)
        search_and_filter(trial, arguments.rounds)
        memory_and_idling(trial)


if __name__ == "__main__":
    main()
