"""What sessions leave in files, as patterns of bytes; looking for it line by line in content of any size."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final, Literal, TypeAlias

from debugloop.probes.markers import is_comment

if TYPE_CHECKING:
    from debugloop.session.endpoint import Endpoint

Kind: TypeAlias = Literal[
    "marker", "endpoint", "port_and_token", "token", "log_path", "other_session", "foreign_marker"
]

_LONGEST: Final = 16 << 20  # a line longer than this is looked at in parts
_OVERLAP: Final = 1024
_SHOWN: Final = 160  # bytes of a line that are shown, around what was found
_BEFORE: Final = 60
_UTF16: Final = (b"\xff\xfe", b"\xfe\xff")
_SECRET: Final = re.compile(rb"[0-9a-fA-F]{24,}")  # also what a cut leaves of a token
_MASK: Final = "…".encode()


@dataclass(frozen=True, slots=True)
class Trace:
    """One pattern. Content without ``needle`` cannot match it. ``alone`` wants a line that is but this comment."""

    kind: Kind
    needle: bytes
    pattern: re.Pattern[bytes]
    alone: bool = False


@dataclass(frozen=True, slots=True)
class Hit:
    """A line (counted from 1) that holds a trace. ``text`` is the part of it to show, every token masked."""

    line: int
    kind: Kind
    text: str


def masked(text: str) -> str:
    """Text without what could be a token."""
    return _SECRET.sub(_MASK, text.encode("utf-8", "surrogateescape")).decode("utf-8", "surrogateescape")


def endpoint_traces(endpoint: Endpoint) -> list[Trace]:
    """The URL, whole or put together from its parts, and the token alone."""
    token, port = endpoint.token.encode(), b"%d" % endpoint.port
    number = rb"(?<!\d)" + port + rb"(?!\d)"
    near = rb"[^\n]{0,300}"
    return [
        Trace("endpoint", token, re.compile(b"/debug/" + token)),
        Trace("endpoint", b"/debug/", re.compile(number + b"/debug/")),
        Trace("port_and_token", token, re.compile(number + near + token + b"|" + token + near + number)),
        Trace("token", token, re.compile(token)),
    ]


def any_endpoint() -> Trace:
    """The URL of any session, by the shape of its path."""
    return Trace("endpoint", b"/debug/", re.compile(rb"/debug/[0-9a-f]{64}(?![0-9a-f])"))


def session_traces(session: str, directory: Path | None) -> list[Trace]:
    """The markers of a session's probes, as comments or as text, and the path of its directory."""
    name = re.escape(session.encode())
    found = [Trace("marker", b"debugloop", re.compile(rb"region[ \t]+debugloop[ \t]+" + name + b"/"))]
    if directory is not None:
        # from the folder `sessions` on, so that it is found behind `~` and in a container as well
        end = "/".join(directory.parts[-3:])
        paths = (end.encode(), end.replace("/", "\\/").encode())
        found += (Trace("log_path", path, re.compile(re.escape(path) + rb"(?![\w-]|\.\w)")) for path in paths)
    return found


def other_traces() -> list[Trace]:
    """Markers of any session, and of other tools that leave regions."""
    other = rb"#[ \t]*(?:end)?region[ \t]+debugloop"
    foreign = (rb"#region agent log", rb"#region debug log", rb"DEBUG-START")
    return [
        Trace(
            "other_session",
            b"debugloop",
            re.compile(other + rb"[ \t]+[A-Za-z0-9][^\s/]*/[A-Za-z0-9_.-]*\w"),
            alone=True,
        ),
        Trace("foreign_marker", b"debugloop", re.compile(other + rb"(?!\w)"), alone=True),
        *(Trace("foreign_marker", text, re.compile(text), alone=True) for text in foreign),
    ]


def look(blocks: Iterable[bytes], traces: Sequence[Trace]) -> list[Hit]:
    """The lines of some content that hold a trace, one hit a line: the kind that stands first among ``traces``."""
    found: dict[int, Hit] = {}
    line, before = 1, b""
    for chunk in _whole_lines(blocks):
        line += before.count(b"\n")
        before = chunk
        for trace in traces:
            if trace.needle in chunk:
                for hit in _look_for(trace, chunk, line):
                    found.setdefault(hit.line, hit)
    return [found[number] for number in sorted(found)]


def _look_for(trace: Trace, chunk: bytes, line: int) -> Iterator[Hit]:
    """The lines of a chunk that hold one trace; ``line`` is the number of its first."""
    counted = 0
    for match in trace.pattern.finditer(chunk):
        start = chunk.rfind(b"\n", 0, match.start()) + 1
        end = chunk.find(b"\n", match.end())
        end = len(chunk) if end < 0 else end
        if trace.alone and not is_comment(chunk[start : match.start()], chunk[match.end() : end]):
            continue
        line += chunk.count(b"\n", counted, start)
        counted = start
        yield Hit(line, trace.kind, _shown(chunk[start:end], match.start() - start, match.end() - start))


def _shown(line: bytes, start: int, end: int) -> str:
    """The part of a long line around what was found, with dots for whatever could be a token."""
    before = _SECRET.sub(_MASK, line[max(0, start - _SHOWN) : start])[-_BEFORE:]
    here = _SECRET.sub(_MASK, line[start : end + _SHOWN])
    return (before + here).decode("utf-8", "replace").strip()[:_SHOWN]


def _whole_lines(blocks: Iterable[bytes]) -> Iterator[bytes]:
    """The content again, cut behind line ends as far as there are some; UTF-16 as UTF-8."""
    rest = next(iter_blocks := iter(blocks), b"")
    wide = rest.startswith(_UTF16)
    for block in iter_blocks:
        cut = rest.rfind(b"\n") + 1
        if wide:
            cut = 0
        elif cut:
            yield rest[:cut]
        elif len(rest) > _LONGEST:
            yield rest
            cut = len(rest) - _OVERLAP
        rest = rest[cut:] + block
    yield rest.decode("utf-16", "replace").encode() if wide else rest
