"""A page on a server of its own, opened in a real Chromium that tells what it found and is then ended."""

from __future__ import annotations

import json
import os
import queue
import signal
import subprocess
import threading
from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

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


class PageServer:
    """Serves one page at any address but those of ``files``; ``found`` takes what its script tells."""

    def __init__(self, script: str, url: str, other: str = "", files: Mapping[str, str] | None = None) -> None:
        self.found: queue.Queue[Any] = queue.Queue()
        page = _PAGE.format(url=json.dumps(url), other=json.dumps(other), script=script).encode()
        found = self.found

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                file = (files or {}).get(self.path)
                self.send_response(200)
                self.send_header("Content-Type", "text/html" if file is None else "text/javascript")
                self.end_headers()
                self.wfile.write(page if file is None else file.encode())

            def do_POST(self) -> None:
                found.put(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
                self.send_response(204)
                self.end_headers()

            def log_message(self, format: str, *args: object) -> None:  # noqa: A002 -- the base class's name
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self.port = self._server.server_address[1]
        self._thread = threading.Thread(target=self._server.serve_forever)
        self._thread.start()

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


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
    server = PageServer(script, url, other, files)
    origin = f"http://{host}:{server.port}"
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
        yield Visit(origin, server.found.get(timeout=GENEROUS))
    finally:
        os.killpg(browser.pid, signal.SIGKILL)
        browser.wait()
        server.close()
