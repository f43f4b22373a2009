"""The two comment lines around a probe: finding them in bytes, and judging whether they pair.

    <comment> #region debugloop <session>/<name>
    …
    <comment> #endregion debugloop <session>/<name>

The probe id is the session's id, a slash and the probe's name in that session: ``1``, ``2``, … or ``imports``, the
one region of a file that holds what its language wants at the top. So a marker tells whose it is even when every
file of its session is lost. The same id stands in one region only; ``imports`` in one region of each file.

A marker is a line that holds nothing but the comment: the same words behind code, or within quotes on a line with
code, are text. Line ends are LF, CRLF or CR. UTF-16 with a byte-order mark is read as well; every other encoding that
editors write keeps ASCII as it is.
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterable
from dataclasses import dataclass
from typing import Final, Literal

IMPORTS: Final = "imports"
"""The probe name that may stand once in every file of a session."""

NO_ID: Final = ""
"""The probe id of a marker that somebody wrote without one: it belongs to no session."""

# a name ends in a letter or digit, so that a closing `-->` or `*/` may follow without a blank
_ID = rb"[A-Za-z0-9][A-Za-z0-9._-]{0,127}/[A-Za-z0-9_]+(?:[.-]+[A-Za-z0-9_]+)*"
_MARKER = re.compile(rb"#[ \t]*(end)?region[ \t]+debugloop(?![A-Za-z0-9_-])[ \t]*(?:(" + _ID + rb")(?![A-Za-z0-9_/]))?")
_BREAK = re.compile(rb"\r\n|\n|\r")

# what opens a comment, and what closes it on the same line
_COMMENTS: Final = frozenset[tuple[bytes, bytes]](
    (
        (b"{/*", b"*/}"),  # JSX
        (b"{{!--", b"--}}"),  # Handlebars
        (b"<%--", b"--%>"),  # JSP, ERB
        (b"<!--", b"-->"),  # HTML, XML, Vue, Svelte, Markdown
        (b"{{--", b"--}}"),  # Blade
        (b"{#", b"#}"),  # Jinja, Twig
        (b"{-", b"-}"),  # Haskell
        (b"(*", b"*)"),  # OCaml, Pascal
        (b"@*", b"*@"),  # Razor
        (b"/*", b"*/"),  # C, CSS
        (b"//", b""),
        (b"--", b""),  # SQL, Lua
        (b"#", b""),  # Python, Ruby, shells, YAML
        (b";", b""),  # Lisp, ini
        (b"%", b""),  # TeX, Erlang
        (b"'", b""),  # Basic
        (b'"', b""),  # Vim
        (b"!", b""),  # Fortran
        (b"REM", b""),  # batch files
    )
)
_OPENERS: Final = frozenset(opener for opener, _ in _COMMENTS)
_UTF8_BOM = b"\xef\xbb\xbf"
_UTF16_BOMS = {b"\xff\xfe": 0, b"\xfe\xff": 1}  # where the low byte of a code unit stands
_OTHER = 0x1A  # stands for a character that is no ASCII: part of no marker and no line end


@dataclass(frozen=True, slots=True)
class Marker:
    """One marker line. ``start`` and ``end`` are byte offsets of the whole line, its line end included.

    ``line`` counts from 1. ``probe`` is `NO_ID` where the line names none.
    """

    kind: Literal["begin", "end"]
    probe: str
    line: int
    start: int
    end: int

    @property
    def session(self) -> str:
        return self.probe.partition("/")[0]

    @property
    def name(self) -> str:
        return self.probe.partition("/")[2]


@dataclass(frozen=True, slots=True)
class Region:
    """A pair of markers that balance: everything from the one to the other is the probe."""

    begin: Marker
    finish: Marker

    @property
    def probe(self) -> str:
        return self.begin.probe


@dataclass(frozen=True, slots=True)
class Problem:
    """Why the markers of a file cannot be paired: the line, counted from 1, and a phrase for people."""

    line: int
    reason: str


def find(data: bytes) -> list[Marker]:
    """Every debugloop marker line of a file, whatever its session, in the order of the file."""
    text, width, base = _ascii_view(data)
    found: list[Marker] = []
    line, counted = 1, 0
    for match in _MARKER.finditer(text):
        start, end = _line_around(text, match.start(), match.end())
        if not is_comment(text[start : match.start()], text[match.end() : end]):
            continue
        line += len(_BREAK.findall(text, counted, start))
        counted = start
        probe = match[2].decode("ascii") if match[2] else NO_ID
        kind: Literal["begin", "end"] = "end" if match[1] else "begin"
        found.append(Marker(kind, probe, line, base + start * width, base + end * width))
    return found


def judge(markers: Iterable[Marker], session: str) -> tuple[list[Region], list[Problem]]:
    """Pair the markers of one session in one file: its regions, and what does not pair.

    A region of ours may stand within one of another session, but none may stand within ours: it would go with it.
    With a problem, no region is to be trusted.
    """
    regions: list[Region] = []
    problems: list[Problem] = []
    seen: dict[str, int] = {}
    begun: Marker | None = None
    for marker in markers:
        if marker.session != session:
            if begun is not None and marker.probe != NO_ID:
                problems.append(Problem(marker.line, f"{marker.probe} stands within {_since(begun)}"))
        elif marker.kind == "begin":
            if begun is not None:
                problems.append(Problem(marker.line, f"{marker.probe} begins within {_since(begun)}"))
            if marker.probe in seen:
                problems.append(
                    Problem(marker.line, f"{marker.probe} stands twice, first in line {seen[marker.probe]}")
                )
            seen.setdefault(marker.probe, marker.line)
            begun = marker
        elif begun is None:
            problems.append(Problem(marker.line, f"{marker.probe} ends but does not begin"))
        elif begun.probe != marker.probe:
            problems.append(Problem(marker.line, f"{marker.probe} ends within {_since(begun)}"))
            begun = None
        else:
            regions.append(Region(begun, marker))
            begun = None
    if begun is not None:
        problems.append(Problem(begun.line, f"{begun.probe} begins but does not end"))
    return regions, problems


def remove(data: bytes, regions: Iterable[Region], joined: Container[str] = ()) -> bytes:
    """The file without these regions; every other byte stands as it stood.

    ``joined`` are probes that were put below a last line without a line end. Where they end the file in that way
    still, the line break before them goes too: it came with them.
    """
    kept: list[bytes] = []
    here, brought = 0, False
    for region in sorted(regions, key=lambda region: region.begin.start):
        kept.append(data[here : region.begin.start])
        brought = region.probe in joined or (brought and region.begin.start == here)
        here = region.finish.end
    kept.append(data[here:])
    text, width, base = _ascii_view(data)
    left = b"".join(kept)
    if brought and here == base + len(text) * width > base and text[-1:] not in {b"\n", b"\r"}:
        return left[: len(left) - _last_break(_ascii_view(left)[0]) * width]
    return left


def marker_lines(probe: str, opener: str, closer: str = "") -> tuple[str, str]:
    """The two marker lines of a probe in a comment syntax, without indentation and line end."""
    tail = f" {closer}" if closer else ""
    return f"{opener} #region debugloop {probe}{tail}", f"{opener} #endregion debugloop {probe}{tail}"


def is_comment(before: bytes, after: bytes) -> bool:
    """Whether what stands around a marker's text on its line is a comment's opener and closer, and nothing else."""
    opener, closer = before.strip(b" \t\f"), after.rstrip(b"\r\n").strip(b" \t")
    return (opener, closer) in _COMMENTS


def opens_comment(before: bytes) -> bool:
    """Whether what stands before some text on its line is a comment's opener, and nothing else."""
    return before.strip(b" \t\f") in _OPENERS


def _since(begun: Marker) -> str:
    return f"{begun.probe}, which began in line {begun.line}"


def _last_break(text: bytes) -> int:
    """How many characters the line break at the end of a text has."""
    return 2 if text.endswith(b"\r\n") else 1 if text.endswith((b"\n", b"\r")) else 0


def _ascii_view(data: bytes) -> tuple[bytes, int, int]:
    """The file with one byte for a character, how many bytes of the file that is, and where its text begins."""
    if data.startswith(_UTF8_BOM):
        return data[3:], 1, 3
    low = _UTF16_BOMS.get(data[:2])
    if low is None:
        return data, 1, 0
    units = len(data) // 2 * 2
    lows, highs = data[2 + low : units : 2], data[3 - low : units : 2]
    return bytes(a if b == 0 else _OTHER for a, b in zip(lows, highs, strict=True)), 2, 2


def _line_around(text: bytes, start: int, end: int) -> tuple[int, int]:
    """The line that holds ``text[start:end]``, its line end included."""
    begin = max(text.rfind(b"\n", 0, start), text.rfind(b"\r", 0, start)) + 1
    after = _BREAK.search(text, end)
    return begin, after.end() if after else len(text)
