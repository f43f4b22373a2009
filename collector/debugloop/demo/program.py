"""The program under test: a copy of examples/cart, its probes, its fix, and its backend as a process."""

from __future__ import annotations

import os
import select
import subprocess
import sys
import textwrap
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from debugloop.demo.held import held_back
from debugloop.errors import DemoFailed
from debugloop.probes.markers import marker_lines

if TYPE_CHECKING:
    from debugloop.session.session import Session

_START_SECONDS: Final = 10.0
_JAVASCRIPT: Final = """\
try {{
  fetch("{url}", {{
    method: "POST",
    body: JSON.stringify({{
      hypothesisId: "{hypothesis}", location: "{location}", message: "{message}",
      data: {data}, timestamp: Date.now()
    }})
  }}).catch(() => {{}});
}} catch (_) {{}}
"""
_PYTHON: Final = """\
try:
    import json as _json, time as _time
    _event = {{
        "hypothesisId": "{hypothesis}", "location": "{location}", "message": "{message}",
        "data": {data}, "timestamp": _time.time_ns() // 1_000_000,
    }}
    with open({log!r}, "ab", buffering=0) as _log:
        _log.write(_json.dumps(_event, default=repr).encode() + b"\\n")
except Exception:
    pass
"""


@dataclass(frozen=True, slots=True)
class Probe:
    """One probe: it stands behind the line ``after`` of ``file``; ``data`` is an expression of that file's language."""

    name: str
    file: str
    after: str
    hypothesis: str
    message: str
    data: str


@dataclass(frozen=True, slots=True)
class Placed:
    """A probe that was inserted, and the line of its first marker."""

    id: str
    location: str
    hypothesis: str


PROBES: Final = (
    Probe(
        "1",
        "server.py",
        "        line = {",
        "H1",
        "line sent",
        '{"sku": line["sku"], "price_cents": line["price_cents"]}',
    ),
    Probe("2", "cart.js", "  lines.push(", "H2", "line added", "{ sku: sku, lines: lines.length }"),
    Probe("3", "cart.js", "  const sum = ", "H3", "total", "{ types: prices.map((price) => typeof price), sum: sum }"),
)
FIX_FILE: Final = "server.py"
FIX: Final = ('"price_cents": row["price_cents"]', '"price_cents": int(row["price_cents"])')
"""The smallest fix: the catalogue is a CSV file, whose fields are text; the page wants a number."""


def original() -> Path:
    """The folder of the cart: inside the package where it was installed, else in the checkout."""
    package = Path(__file__).resolve().parent.parent
    places = (package / "_examples" / "cart", package.parent.parent / "examples" / "cart")
    return next((place for place in places if place.is_dir()), places[0])


class Cart:
    """A copy of the cart in a folder of its own."""

    def __init__(self, folder: Path) -> None:
        source = original()
        try:
            self.files = {path.name: path.read_bytes() for path in sorted(source.iterdir()) if path.is_file()}
        except OSError as error:
            raise DemoFailed(
                f"its program {source} cannot be read ({error.strerror}); install debugloop anew"
            ) from error
        self.folder = folder
        self.url = ""
        self._server: subprocess.Popen[bytes] | None = None
        folder.mkdir()
        for name, data in self.files.items():
            (folder / name).write_bytes(data)

    def instrument(self, session: Session, url: str) -> list[Placed]:
        """Insert all probes; gives them with their lines, counted from 1."""
        return [self._insert(probe, session, url) for probe in PROBES]

    def fix(self) -> None:
        """Mend the bug, in the file with its probes."""
        path = self.folder / FIX_FILE
        path.write_bytes(_fixed(path.read_bytes()))

    def fixed_files(self) -> dict[str, bytes]:
        """What all files have to be in the end: the originals with the fix, without a probe."""
        return {name: _fixed(data) if name == FIX_FILE else data for name, data in self.files.items()}

    def present_files(self) -> dict[str, bytes]:
        """What all files of the folder are now."""
        return {path.name: path.read_bytes() for path in self.folder.iterdir() if path.is_file()}

    def serve(self) -> str:
        """Start the backend, on the port of before if that is still free; gives the page's address once it serves."""
        before = self.url.rstrip("/").rpartition(":")[2]
        self.url = (self._serve(before) if before else "") or self._serve("0")
        if not self.url:
            raise DemoFailed("the backend of the cart did not start")
        return self.url

    def _serve(self, port: str) -> str:
        self.stop()
        with held_back():
            self._server = subprocess.Popen(
                # -I, -B: nothing of this environment comes in, and nothing is written beside the program
                [sys.executable, "-I", "-B", str(self.folder / "server.py"), port],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                cwd=self.folder,
                start_new_session=True,
            )
        assert self._server.stdout is not None  # noqa: S101 -- tells the type checkers
        if not select.select((self._server.stdout,), (), (), _START_SECONDS)[0]:
            return ""
        return self._server.stdout.readline().decode().strip()

    def stop(self) -> None:
        """End the backend, if it runs."""
        if self._server is None:
            return
        self._server.kill()
        self._server.wait()
        if self._server.stdout:
            self._server.stdout.close()
        self._server = None

    def _insert(self, probe: Probe, session: Session, url: str) -> Placed:
        path = self.folder / probe.file
        lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
        at = next(number for number, line in enumerate(lines, 1) if line.startswith(probe.after))
        indent = lines[at - 1][: len(lines[at - 1]) - len(lines[at - 1].lstrip())]
        location = f"{probe.file}:{at + 1}"
        python = probe.file.endswith(".py")
        body = (_PYTHON if python else _JAVASCRIPT).format(
            url=url,
            log=os.fspath(session.layout.log),
            hypothesis=probe.hypothesis,
            location=location,
            message=probe.message,
            data=probe.data,
        )
        begin, end = marker_lines(f"{session.id}/{probe.name}", "#" if python else "//")
        lines.insert(at, textwrap.indent(f"{begin}\n{body}{end}\n", indent))
        path.write_text("".join(lines), encoding="utf-8")
        return Placed(f"{session.id}/{probe.name}", location, probe.hypothesis)


def _fixed(data: bytes) -> bytes:
    old, new = (text.encode() for text in FIX)
    if data.count(old) != 1:
        raise DemoFailed("its program is not the one it knows; install debugloop anew")
    return data.replace(old, new)
