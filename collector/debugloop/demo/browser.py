"""Headless Chromium, driven over a pipe by its DevTools protocol: no port, no driver, nothing outside one folder.

The browser ends by itself when the pipe closes, so it outlives this process in no case.
"""

from __future__ import annotations

import fcntl
import json
import os
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

from debugloop.demo.removal import remove
from debugloop.errors import DemoFailed

PROGRAMS: Final = (
    "chromium",
    "chromium-browser",
    "google-chrome",
    "google-chrome-stable",
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
)
_FLAGS: Final = (
    "--headless",
    "--remote-debugging-pipe",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-breakpad",
    "--disable-dev-shm-usage",  # containers give 64 MB
    "--no-first-run",
    "--no-default-browser-check",
    "--no-proxy-server",
    "--password-store=basic",
    "--use-mock-keychain",
)
# the browser reads commands from descriptor 3 and answers on 4
_LAUNCH: Final = """\
import os, sys
os.dup2(int(sys.argv[1]), 3)
os.dup2(int(sys.argv[2]), 4)
os.execv(sys.argv[3], sys.argv[3:])
"""
_LONG: Final = 45
"""From which length on a folder is too long for the socket in it, whose path may have some 100 bytes."""
_START_SECONDS: Final = 8.0
_SECONDS: Final = 5.0
_END_SECONDS: Final = 2.0
_ADD: Final = """\
new Promise((done, fail) => {
  const count = () => document.querySelectorAll("#lines li").length;
  const before = count();
  const look = () => count() > before ? done(document.querySelector("#total").textContent) : setTimeout(look, 5);
  setTimeout(() => fail(new Error("the cart got no line")), 4000);
  document.querySelector("[data-sku=%s]").click();
  look();
})
"""
_READY: Final = """\
new Promise((done) => {
  const look = () => document.querySelector("[data-sku]") ? done(true) : setTimeout(look, 5);
  look();
})
"""


def find() -> str | None:
    """The path of a Chromium or Chrome, if there is one."""
    return next((path for program in PROGRAMS if (path := shutil.which(program))), None)


class Chromium:
    """One page in a headless browser whose every file is in ``folder``. Raises DemoFailed for all that goes wrong.

    It is only launched when it is made, so that whoever makes it can note at once that it is to be closed.
    """

    name = "headless Chromium"

    def __init__(self, program: str, folder: Path) -> None:
        folder.mkdir()
        short = folder if len(str(folder)) < _LONG else "/tmp"  # noqa: S108 -- mkdtemp is safe
        self._sockets = Path(tempfile.mkdtemp(prefix="dl-", dir=short))
        theirs_in, self._out = map(_high, os.pipe())
        self._in, theirs_out = map(_high, os.pipe())
        self._unread = b""
        self._calls = 0
        self._page = ""
        self._closed = False
        sandbox = ["--no-sandbox"] if os.geteuid() == 0 else []  # it refuses to run as root with one
        flags = [*_FLAGS, *sandbox, f"--user-data-dir={folder / 'profile'}", "about:blank"]
        try:
            self._process = subprocess.Popen(
                [sys.executable, "-ISc", _LAUNCH, str(theirs_in), str(theirs_out), program, *flags],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                pass_fds=(theirs_in, theirs_out),
                env=self._environment(folder),
                cwd=folder,
                start_new_session=True,
            )
        finally:
            os.close(theirs_in)
            os.close(theirs_out)

    def attach(self) -> None:
        """Wait until the browser answers, and take a page of it."""
        target = self.call("Target.createTarget", {"url": "about:blank"}, seconds=_START_SECONDS)["targetId"]
        attached = self.call("Target.attachToTarget", {"targetId": target, "flatten": True})
        self._page = str(attached["sessionId"])
        self.call("Page.enable", page=True)

    def open(self, url: str) -> None:
        """Load the page and wait for its buttons."""
        self.call("Page.navigate", {"url": url}, page=True)
        deadline = time.monotonic() + _SECONDS
        while self._message(deadline).get("method") != "Page.loadEventFired":
            pass
        self._evaluate(_READY)

    def add(self, sku: str) -> str:
        """Press Add beside an item and wait for its line in the cart; gives the total that is shown."""
        return str(self._evaluate(_ADD % sku))

    def call(
        self, method: str, parameters: dict[str, Any] | None = None, *, page: bool = False, seconds: float = _SECONDS
    ) -> dict[str, Any]:
        """Run a command of the DevTools protocol, in the page or in the browser; gives its result."""
        self._calls += 1
        call = {"id": self._calls, "method": method, "params": parameters or {}}
        if page:
            call["sessionId"] = self._page
        try:
            os.write(self._out, json.dumps(call).encode() + b"\0")
        except OSError as error:
            raise DemoFailed("the browser ended") from error
        deadline = time.monotonic() + seconds
        while (message := self._message(deadline)).get("id") != self._calls:
            pass
        if "error" in message:
            raise DemoFailed(f"the browser refused {method}: {message['error'].get('message')}")
        result: dict[str, Any] = message["result"]
        return result

    def close(self) -> None:
        """End the browser with all its processes."""
        if self._closed:
            return
        self._closed = True
        with suppress(DemoFailed):
            self.call("Browser.close", seconds=_END_SECONDS)
        os.close(self._out)
        os.close(self._in)
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(_END_SECONDS)
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()
        remove(self._sockets)

    def _environment(self, folder: Path) -> dict[str, str]:
        """Ours, but NSS, fontconfig, crash reports and the browser itself write to the folder."""
        homes = dict.fromkeys(("HOME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME", "XDG_DATA_HOME"), str(folder))
        return {**os.environ, **homes, "TMPDIR": str(self._sockets)}

    def _evaluate(self, expression: str) -> object:
        asked = {"expression": expression, "awaitPromise": True, "returnByValue": True}
        answer = self.call("Runtime.evaluate", asked, page=True)
        if "exceptionDetails" in answer:
            raise DemoFailed(f"the page threw {answer['exceptionDetails'].get('exception', {}).get('description')}")
        return answer["result"].get("value")

    def _message(self, deadline: float) -> dict[str, Any]:
        """The next message of the browser: an answer or an event."""
        while b"\0" not in self._unread:
            if not select.select((self._in,), (), (), max(0.0, deadline - time.monotonic()))[0]:
                raise DemoFailed("the browser did not answer in time")
            part = os.read(self._in, 1 << 16)
            if not part:
                raise DemoFailed("the browser ended")
            self._unread += part
        message, _, self._unread = self._unread.partition(b"\0")
        parsed: dict[str, Any] = json.loads(message)
        return parsed


def _high(descriptor: int) -> int:
    """The same file under a number that is not in the way of 3 and 4."""
    try:
        return fcntl.fcntl(descriptor, fcntl.F_DUPFD_CLOEXEC, 10)
    finally:
        os.close(descriptor)
