"""Byte identity: whatever a file looks like, and whatever happens around its probes, nothing else changes."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given
from hypothesis import settings as examples
from hypothesis import strategies as st

from debugloop.errors import InvalidPlace, NoPlace
from debugloop.probes import inserted
from debugloop.probes.insert import Wanted, instrument
from debugloop.probes.scan import place_of
from debugloop.probes.strip import Choice, strip
from debugloop.session.session import Session

LINE = re.compile(rb"[^\r\n]*(?:\r\n|\n|\r)|[^\r\n]+\Z")
ENDS = {"LF": [b"\n"], "CRLF": [b"\r\n"], "CR": [b"\r"], "mixed": [b"\n", b"\r\n"]}
BOM = b"\xef\xbb\xbf"


@dataclass(frozen=True)
class Code:
    """A program, a line each: ``head`` stays at the top, ``line`` may stand anywhere, ``comment`` opens a comment."""

    file: str
    head: tuple[str, ...]
    lines: tuple[str, ...]
    comment: str
    data: str = "1"


CODES = (
    Code("a.js", (), ("function f(a) {", "\tlet b = a;", "  return `x", "  y`;", "}", "", "f(1);"), "//"),
    Code("a.tsx", (), ("const A = () => {", "\treturn <b>", "  x</b>;", "};", "A();"), "//"),
    Code(
        "a.py", ("# -*- coding: {} -*-",), ("def f(a):", "\tif a:", "\t\treturn 'x'", "\treturn [", "1]", "f(1)"), "#"
    ),
    Code("a.go", ("package a", ""), ("func f() {", "\tx := `a", "  b`", "\tg(x)", "}"), "//"),
    Code(
        "a.c",
        ("#include <stdio.h>",),
        ("int f(int a) {", "\tswitch (a) {", "  case 1: a++;", "\t}", "  return a;", "}"),
        "//",
    ),
    Code("a.html", ("<p>",), ("<script>", "\tlet a = 1;", "  f(a);", "</script>"), "", ""),
    Code("a.bash", ("#!/bin/bash",), ("f() {", "\tcat <<END", "  x", "END", "}", "f"), "#", ""),
)


class Work:
    """A file while probes come and go and its user edits it. ``mine`` is what it is to be without them."""

    def __init__(self, session: Session, path: Path, mine: bytes, data: st.DataObject) -> None:
        self.session, self.place = session, place_of(session.settings, path.parent)
        self.path, self.mine, self._data = path, mine, data
        self.probes: list[str] = []
        path.write_bytes(mine)

    def insert(self, wanted: Wanted) -> None:
        """Before any line, where a statement may stand; else the file stays as it is."""
        before = self.path.read_bytes()
        line = self._data.draw(st.integers(1, len(LINE.findall(before)) + 1))
        try:
            self.probes.append(instrument(self.session, self.place, self.path, line, wanted).id)
        except (NoPlace, InvalidPlace):
            assert self.path.read_bytes() == before

    def edit(self, line: bytes, head: int) -> None:
        """Put a line between two of the user's own behind the head, as an editor that knows nothing of probes."""
        own = [match.start() for match in LINE.finditer(self.mine)]
        number = self._data.draw(st.integers(head, len(own) - 1))
        self.mine = self.mine[: own[number]] + line + self.mine[own[number] :]
        now = self.path.read_bytes()
        at = _outside(now)[number]
        self.path.write_bytes(now[:at] + line + now[at:])

    def strip(self) -> None:
        """One of the probes that stand there."""
        if self.probes:
            probe = self.probes.pop(self._data.draw(st.integers(0, len(self.probes) - 1)))
            strip(self.place, self.session.id, choice=Choice.of(inserted.load(self.session.layout), probe))


def _outside(data: bytes) -> list[int]:
    """Where the lines begin that stand in no region."""
    lines: list[int] = []
    within = False
    for match in LINE.finditer(data):
        within = within or b"#region debugloop" in match[0]
        if not within:
            lines.append(match.start())
        within = within and b"#endregion debugloop" not in match[0]
    return lines


@st.composite
def programs(draw: st.DrawFn, code: Code, encoding: str, ends: str) -> bytes:
    """A program in this encoding, with these line ends; the last line may have none."""
    long = f"{code.comment} größe – {'x' * draw(st.sampled_from([1, 9000]))}" if code.comment else "<!-- größe -->"
    head = [each.format("cp1252" if encoding == "cp1252" else "utf-8") for each in code.head]
    lines = [
        *head,
        *([] if code.comment else [long]),
        *code.lines * draw(st.integers(1, 2)),
        *([long] if code.comment else []),
    ]
    text = "".join(line + draw(st.sampled_from(ENDS[ends])).decode() for line in lines)
    return (text if draw(st.booleans()) else text.rstrip("\r\n")).encode(encoding)


@pytest.mark.parametrize("code", CODES, ids=lambda code: code.file)
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "cp1252", "utf-16"])
def test_what_stands_around_probes_keeps_every_byte(
    code: Code, encoding: str, session: Session, workspace: Path
) -> None:
    wanted = Wanted("m", data=(code.data,) * bool(code.data))
    comment = f"{code.comment} né".encode(encoding.removesuffix("-sig")) if code.comment else b""
    told: set[str] = set()

    @examples(deadline=None, max_examples=10, suppress_health_check=[HealthCheck.function_scoped_fixture])
    @given(data=st.data(), ends=st.sampled_from(sorted(ENDS)))
    def try_one(data: st.DataObject, ends: str) -> None:
        work = Work(session, workspace / code.file, data.draw(programs(code, encoding, ends)), data)
        for step in [
            "insert",
            "insert",
            *data.draw(st.lists(st.sampled_from(["insert", "strip", "edit"]), max_size=9)),
        ]:
            if step == "insert":
                work.insert(wanted)
                told.update(work.probes)
            elif step == "strip":
                work.strip()
            elif encoding != "utf-16":
                work.edit(comment + data.draw(st.sampled_from(ENDS[ends])), len(code.head) + 1)
        if data.draw(st.booleans()):
            strip(work.place, session.id, choice=Choice.of(inserted.load(session.layout)))
        while work.probes:
            work.strip()
        assert work.path.read_bytes() == work.mine

    try_one()

    assert bool(told) == (encoding != "utf-16")  # which no compiler of these reads
