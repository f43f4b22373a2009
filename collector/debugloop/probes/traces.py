"""What sessions leave in files, as patterns of bytes; looking for it line by line in content of any size."""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Final, Literal, TypeAlias

from debugloop.probes.markers import is_comment, opens_comment

if TYPE_CHECKING:
    from debugloop.session.endpoint import Endpoint

Kind: TypeAlias = Literal[
    "marker",
    "endpoint",
    "port_and_token",
    "token",
    "log_path",
    "other_session",
    "session_id",
    "debug_log",
    "foreign_marker",
    "foreign_endpoint",
]

_LONGEST: Final = 16 << 20  # a line longer than this is looked at in parts
_OVERLAP: Final = 1024
_SHOWN: Final = 160  # bytes of a line that are shown, around what was found
_BEFORE: Final = 60
_UTF16: Final = (b"\xff\xfe", b"\xfe\xff")
_SECRET: Final = re.compile(rb"[0-9a-fA-F]{24,}")  # also what a cut leaves of a token
_MASK: Final = "…".encode()
_QUOTED: Final = re.compile(rb'"|\\[nr]')  # where a line begins and ends in a JSON string
_MADE: Final = re.compile(r"\d{8}-\d{6}-[0-9a-f]+")


@dataclass(frozen=True, slots=True)
class Trace:
    """One pattern. Content without ``needle`` cannot match it.

    ``within`` says what else the line may be: nothing but this ``comment``, a comment that ``opens`` with it, or
    anything.
    """

    kind: Kind
    needle: bytes
    pattern: re.Pattern[bytes]
    within: Literal["comment", "opens", "anything"] = "anything"


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
    """Markers of any session, what other tools that leave regions mark theirs with, and events that were copied."""
    any_region = rb"#[ \t]*(?:end)?region[ \t]+"
    ours = any_region + b"debugloop"
    foreign = (
        (b"agent log", any_region + rb"agent[ \t]+logs?(?![A-Za-z])"),
        (b"debug log", any_region + rb"debug[ \t]+logs?(?![A-Za-z])"),
        (b"region debug-", any_region + rb"debug-(?:mode|[0-9a-f]{6,})(?!\w)"),
        (b"DEBUG-START", rb"DEBUG-START(?![\w-])"),
        (b"DEBUG-END", rb"DEBUG-END(?![\w-])"),
        (b"DEBUG-MODE:", rb"DEBUG-MODE:[ \t]*(?:BEGIN|END)"),
        (b"DEBUG_HYP", rb"DEBUG_HYP\w*_(?:START|END)"),
    )
    other_session = re.compile(ours + rb"[ \t]+[A-Za-z0-9][^\s/]*/[A-Za-z0-9_.-]*\w")
    endpoint = re.compile(rb"(?:127\.0\.0\.1|localhost):\d+/ingest/[0-9a-f-]{6,}")
    return [
        Trace("other_session", b"debugloop", other_session, "comment"),
        Trace("foreign_marker", b"debugloop", re.compile(ours + rb"(?!\w)"), "comment"),
        *(Trace("foreign_marker", needle, re.compile(pattern), "opens") for needle, pattern in foreign),
        Trace("foreign_endpoint", b"/ingest/", endpoint),
        Trace("debug_log", b'"_":{"observed":', re.compile(rb'"_":\{"observed":"\d{4}-')),
    ]


def id_trace(session: str) -> list[Trace]:
    """A session's id alone, if it is one of those that we make: another may be any word."""
    name = session.encode()
    own = rb"(?<![\w.-])" + re.escape(name) + rb"(?![\w-]|\.\w)"
    return [Trace("session_id", name, re.compile(own))] if _MADE.fullmatch(session) else []


def look(blocks: Iterable[bytes], traces: Sequence[Trace], *, quoted: bool = False) -> list[Hit]:
    """The lines of some content that hold a trace, one hit a line: the kind that stands first among ``traces``.

    ``quoted`` tells that lines of code stand in it as JSON strings, as in a notebook.
    """
    found: dict[int, Hit] = {}
    line, before = 1, b""
    for chunk in _whole_lines(blocks):
        line += before.count(b"\n")
        before = chunk
        for trace in traces:
            if trace.needle in chunk:
                for hit in _look_for(trace, chunk, line, quoted=quoted):
                    found.setdefault(hit.line, hit)
    return [found[number] for number in sorted(found)]


def _look_for(trace: Trace, chunk: bytes, line: int, *, quoted: bool) -> Iterator[Hit]:
    """The lines of a chunk that hold one trace; ``line`` is the number of its first."""
    counted = 0
    for match in trace.pattern.finditer(chunk):
        start = chunk.rfind(b"\n", 0, match.start()) + 1
        end = chunk.find(b"\n", match.end())
        end = len(chunk) if end < 0 else end
        before, after = chunk[start : match.start()], chunk[match.end() : end]
        if quoted:
            before, after = _QUOTED.split(before)[-1], _QUOTED.split(after)[0]
        if trace.within == "comment" and not is_comment(before, after):
            continue
        if trace.within == "opens" and not opens_comment(before):
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
    if rest.startswith(_UTF16):
        iter_blocks, rest = _narrow(chain([rest], iter_blocks)), b""
    for block in iter_blocks:
        cut = rest.rfind(b"\n") + 1
        if cut:
            yield rest[:cut]
        elif len(rest) > _LONGEST:
            yield rest
            cut = len(rest) - _OVERLAP
        rest = rest[cut:] + block
    yield rest


def _narrow(blocks: Iterable[bytes]) -> Iterator[bytes]:
    """UTF-16 as UTF-8, a block at a time."""
    decoder = codecs.getincrementaldecoder("utf-16")("replace")
    for block in blocks:
        yield decoder.decode(block).encode()
    yield decoder.decode(b"", final=True).encode()
