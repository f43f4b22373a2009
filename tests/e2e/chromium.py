"""A page on a server of its own, opened in a real Chromium that tells what it found and is then ended."""

from __future__ import annotations

import json
import os
import queue
import signal
import subprocess
from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.servers import Handler, served
from tests.support import GENEROUS, require

FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
    "--no-proxy-server",
    "--disable-popup-blocking",
    # names that nobody resolves: pages of other origins
    "--host-resolver-rules=MAP evil.example 127.0.0.1, MAP myapp.test 127.0.0.1",
)
_PAGE = """<!doctype html><meta charset="utf-8"><title>page</title><script>
const url = {url}, other = {other};
const tell = found => fetch("/found", {{method: "POST", body: JSON.stringify(found)}});
const status = async (...request) => {{
  try {{ const answer = await fetch(...request); return [answer.status, await answer.text()]; }}
  catch (error) {{ return [error.name, ""]; }}
}};
const post = (body, more = {{}}) => status(url, {{method: "POST", body: JSON.stringify(body), ...more}});
addEventListener("unhandledrejection", event => window.foreseen || tell({{error: String(event.reason)}}));
addEventListener("error", event => window.foreseen || tell({{error: event.message}}));
(async () => {{ {script} }})();
</script>"""


def page_of(script: str, url: str, other: str, files: Mapping[str, str]) -> tuple[type[Handler], queue.Queue[Any]]:
    """What answers with one page at any address but those of ``files``, and what the page's script tells."""
    page = _PAGE.format(url=json.dumps(url), other=json.dumps(other), script=script).encode()
    found: queue.Queue[Any] = queue.Queue()

    class Page(Handler):
        def get(self) -> None:
            file = files.get(self.path)
            self.send_response(200)
            self.send_header("Content-Type", "text/html" if file is None else "text/javascript")
            self.end_headers()
            self.wfile.write(page if file is None else file.encode())

        def post(self) -> None:
            found.put(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
            self.send_response(204)
            self.end_headers()

    return Page, found


@dataclass
class Visit:
    """A page that is open: its origin, and what it told first."""

    origin: str
    found: Any


@contextmanager
def visit(
    host: str,
    script: str,
    url: str,
    profile: Path,
    *,
    other: str = "",
    meanwhile: Callable[[str], object] | None = None,
    files: Mapping[str, str] | None = None,
) -> Generator[Visit]:
    """Open a page of ``host`` whose script may use ``url``, ``other``, ``post``, ``status`` and ``tell``.

    ``files`` are scripts that its server has besides.

    ``meanwhile`` is called with the page's origin before it opens. The browser lives until the block ends: what the
    page still has to send, it sends.
    """
    page, found = page_of(script, url, other, files or {})
    with served(page) as port:
        origin = f"http://{host}:{port}"
        if meanwhile:
            meanwhile(origin)
        browser = subprocess.Popen(
            [require("chromium"), *FLAGS, f"--user-data-dir={profile}", f"{origin}/"],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env={**os.environ, "HOME": str(profile)},
            start_new_session=True,
        )
        try:
            yield Visit(origin, found.get(timeout=GENEROUS))
        finally:
            os.killpg(browser.pid, signal.SIGKILL)
            browser.wait()
