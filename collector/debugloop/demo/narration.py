"""How the demo tells its story: a label in the margin, the text beside it, colours only where a terminal shows them."""

from __future__ import annotations

import os
import re
import shutil
import textwrap
from collections.abc import Mapping
from typing import Final, TextIO

from debugloop.evidence.visible import visible

_MARGIN: Final = 12
_WIDEST: Final = 110
_NARROWEST: Final = 40
_STYLES: Final = {"bold": "1", "dim": "2", "good": "32"}
_STEP: Final = re.compile(r"\s*(?:(?:\d+\.|H\d+|[a-z0-9-]+/\d+|\d+:\d+) +)?")


class Story:
    """Writes the story to a stream; one that is muted writes nothing."""

    def __init__(self, out: TextIO, *, muted: bool = False, environment: Mapping[str, str] | None = None) -> None:
        env = os.environ if environment is None else environment
        self._out = out
        self._muted = muted
        self._held: list[str] | None = None
        self._colours = out.isatty() and not env.get("NO_COLOR") and env.get("TERM") != "dumb"
        columns = shutil.get_terminal_size((_WIDEST, 24)).columns if out.isatty() else _WIDEST
        self._width = max(_NARROWEST, min(columns, _WIDEST))

    def hold(self) -> None:
        """Keep back what is told from now on: something else has the terminal."""
        self._held = self._held or []

    def release(self) -> None:
        """Tell what was kept back, and go on as before."""
        held, self._held = self._held or [], None
        for line in held:
            self._write(line)

    def title(self, text: str) -> None:
        """The first line."""
        self._write(self._styled("bold", text))

    def part(self, label: str, *texts: str) -> None:
        """A part of the story, behind an empty line: its label, and its texts below each other."""
        self._write("")
        for number, text in enumerate(texts or ("",)):
            self.line(text, label=label if number == 0 else "")

    def line(self, text: str, *, label: str = "", style: str = "") -> None:
        """One line, wrapped; what follows a number or a name hangs below itself."""
        head = _STEP.match(text)
        hang = " " * (_MARGIN + (len(head[0]) if head else 0))
        rows = textwrap.wrap(
            visible(text), self._width, initial_indent=" " * _MARGIN, subsequent_indent=hang, drop_whitespace=True
        ) or [""]
        margin = self._styled("bold", label) + " " * (_MARGIN - len(label))
        for number, row in enumerate(rows):
            self._write((margin if number == 0 else " " * _MARGIN) + self._styled(style, row[_MARGIN:]))

    def _styled(self, style: str, text: str) -> str:
        return f"\x1b[{_STYLES[style]}m{text}\x1b[0m" if style and self._colours and text.strip() else text

    def _write(self, line: str) -> None:
        if self._held is not None:
            self._held.append(line)
        elif not self._muted:
            self._out.write(f"{line.rstrip()}\n")
            self._out.flush()
