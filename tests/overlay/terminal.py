"""Real terminals for the panel: a pseudo-terminal whose bytes are kept, and a tmux server of its own."""

from __future__ import annotations

import contextlib
import fcntl
import os
import pty
import secrets
import select
import shlex
import struct
import subprocess
import sys
import termios
import threading
from typing import TYPE_CHECKING, Self

from tests.support import GENEROUS, clean_environment, require, until

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

# a program started by a terminal has it as its controlling one, so that closing the window is a SIGHUP
_TAKE_THE_TERMINAL = (
    "import fcntl, os, sys, termios; fcntl.ioctl(0, termios.TIOCSCTTY, 0); os.execvp(sys.argv[1], sys.argv[1:])"
)
PANEL = [sys.executable, "-m", "debugloop_overlay"]


class Pty:
    """A program in a pseudo-terminal. ``written`` is every byte it wrote."""

    def __init__(
        self, command: Sequence[str], home: Path, cwd: Path, *, size: tuple[int, int] = (80, 24), **environment: str
    ) -> None:
        self.written = bytearray()
        self._news = threading.Condition()
        self._closed = threading.Event()
        self._main, child = pty.openpty()
        columns, lines = size
        fcntl.ioctl(child, termios.TIOCSWINSZ, struct.pack("HHHH", lines, columns, 0, 0))
        self.process = subprocess.Popen(
            [sys.executable, "-c", _TAKE_THE_TERMINAL, *command],
            stdin=child,
            stdout=child,
            stderr=child,
            cwd=cwd,
            env=clean_environment(home, **{"TERM": "xterm-256color", **environment}),
            start_new_session=True,
        )
        os.close(child)
        self._reader = threading.Thread(target=self._read)
        self._reader.start()

    def _read(self) -> None:
        while not self._closed.is_set():
            if not select.select([self._main], [], [], 0.05)[0]:
                continue
            try:
                data = os.read(self._main, 65_536)
            except OSError:  # Linux: the last program on the other side has ended
                return
            if not data:
                return
            with self._news:
                self.written += data
                self._news.notify_all()

    def sees(self, text: str | bytes, start: int = 0) -> int:
        """Wait until ``text`` was written from ``start`` on; gives the number of bytes written so far."""
        wanted = text.encode() if isinstance(text, str) else text
        with self._news:
            found = self._news.wait_for(lambda: wanted in self.written[start:], timeout=GENEROUS)
            assert found, f"{text!r} was never written; the end is {bytes(self.written[-2_000:])!r}"
            return len(self.written)

    def type(self, text: str | bytes) -> None:
        os.write(self._main, text.encode() if isinstance(text, str) else text)

    def freeze(self) -> None:
        """Read nothing from now on, as a terminal whose computer sleeps."""
        self._closed.set()
        self._reader.join()

    def unread(self) -> int:
        """Bytes that wait to be read."""
        return int(struct.unpack("i", fcntl.ioctl(self._main, termios.FIONREAD, b"\0" * 4))[0])

    def close(self) -> None:
        """Take the terminal away, as a closed window does."""
        if self._main >= 0:
            self.freeze()
            os.close(self._main)
            self._main = -1

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait(GENEROUS)
        self.close()


class Tmux:
    """A tmux server of its own, with one window of a given size and a program in it."""

    def __init__(
        self,
        command: Sequence[str],
        home: Path,
        cwd: Path,
        *,
        size: tuple[int, int] = (80, 24),
        terminal: str = "screen-256color",
        **environment: str,
    ) -> None:
        require("tmux")
        self.socket = f"debugloop-test-{secrets.token_hex(6)}"
        self.environment = clean_environment(home, **environment)
        self.cwd = cwd
        columns, lines = size
        # one call: a server without a session ends at once
        self.run(
            *("set-option", "-g", "default-terminal", terminal, ";"),
            *("set-option", "-g", "remain-on-exit", "on", ";"),
            *("set-option", "-g", "status", "off", ";"),
            *("new-session", "-d", "-x", str(columns), "-y", str(lines), shlex.join(command)),
        )

    def run(self, *arguments: str) -> str:
        """One tmux command on this server; gives what it printed."""
        done = subprocess.run(
            ["tmux", "-L", self.socket, "-f", "/dev/null", *arguments],
            cwd=self.cwd,
            env=self.environment,
            capture_output=True,
            text=True,
            timeout=GENEROUS,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    def screen(self, *options: str, pane: str = "") -> str:
        """What a person sees in the pane."""
        return self.run("capture-pane", "-p", *(("-t", pane) if pane else ()), *options)

    def keys(self, *keys: str) -> None:
        """Type, by tmux's names of keys."""
        self.run("send-keys", *keys)

    def sees(self, *texts: str, pane: str = "") -> str:
        """Wait until all of these are on the screen; gives it."""
        last = ""

        def looked() -> bool:
            nonlocal last
            last = self.screen(pane=pane)
            return all(text in last for text in texts)

        try:
            until(looked, what=f"{texts} on the screen")
        except BaseException:
            sys.stderr.write(last)
            raise
        return last

    def tells(self, what: str) -> str:
        """The value of a tmux format, such as ``#{alternate_on}``."""
        return self.run("display-message", "-p", what).strip()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        with contextlib.suppress(AssertionError):
            self.run("kill-server")
