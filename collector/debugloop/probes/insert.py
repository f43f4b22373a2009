"""Inserting a probe: whole lines go in, every other byte of the file stands as it stood.

The region stands before the line that was named, with that line's indentation and line end. Where the file ends
without a line end, so does a region that is put behind it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Final

from debugloop.errors import (
    BrokenMarkers,
    FileUnreadable,
    FileUnwritable,
    InvalidPlace,
    NoPlace,
    ProbeError,
    StateUnwritable,
)
from debugloop.probes import grammar, inserted, markers
from debugloop.probes.edited import fingerprint
from debugloop.probes.grammar import Refused
from debugloop.probes.inserted import BY_HAND, Inserted, digest
from debugloop.probes.languages import Event, Language, Target
from debugloop.probes.markers import IMPORTS, marker_lines
from debugloop.probes.scripts import Code, code_of
from debugloop.probes.strip import write
from debugloop.session.locks import hold

if TYPE_CHECKING:
    from debugloop.probes.tree import Found, Workspace
    from debugloop.session.session import Session

_TRIES: Final = 40
"""How many other lines are tried before none is offered."""

_BREAK = re.compile(rb"\r\n|\n|\r")
_INDENTATION = re.compile(rb"[ \t]*")
_PLACE = re.compile(r"(.+):(\d{1,9})", re.DOTALL)
_TAG = re.compile(rb"</|<script", re.IGNORECASE)
_WIDE: Final = (b"\xff\xfe", b"\xfe\xff")
_UTF8_BOM: Final = b"\xef\xbb\xbf"


@dataclass(frozen=True, slots=True)
class Wanted:
    """A probe as it was asked for. ``data`` are expressions, ``language`` overrules what the file's name says.

    ``capture`` is what `Event` says, ``named`` the line that its events name, where probes of the same call moved it.
    """

    message: str
    hypothesis: str | None = None
    level: str | None = None
    data: tuple[str, ...] = ()
    language: str | None = None
    capture: bool = False
    named: int | None = None


@dataclass(frozen=True, slots=True)
class Source:
    """A file's bytes as lines. ``starts`` are the offsets of its lines, the one behind the last included."""

    data: bytes
    starts: list[int] = field(default_factory=list[int])

    @classmethod
    def of(cls, data: bytes) -> Source:
        """Cut at LF, CRLF and CR; a byte-order mark belongs to no line."""
        begin = len(_UTF8_BOM) if data.startswith(_UTF8_BOM) else 0
        starts = [begin, *(match.end() for match in _BREAK.finditer(data, begin))]
        return cls(data, starts if starts[-1] == len(data) else [*starts, len(data)])

    def line(self, number: int) -> bytes:
        """A line of this number, counted from 1, with its line end; empty for one that is not there."""
        return self.data[self.starts[number - 1] : self.starts[number]] if 0 < number < len(self.starts) else b""

    def number(self, offset: int) -> int:
        """The number of the line that holds an offset."""
        return sum(start <= offset for start in self.starts)

    def region(self, number: int, lines: list[str]) -> bytes:
        """These lines as bytes that can be spliced in before the line of this number."""
        at, indentation, end = self.starts[number - 1], self._indentation(number), self._line_end(number)
        whole = [indentation + line.encode() for line in lines]
        if at == len(self.data) > 0 and self.data[-1:] not in {b"\n", b"\r"}:
            return b"".join(end + line for line in whole)
        return b"".join(line + end for line in whole)

    def _indentation(self, number: int) -> bytes:
        here = self.line(number)
        if not here.strip() or here.lstrip()[:1] in {b"}", b")"}:
            before = (self.line(each) for each in range(number - 1, 0, -1))
            here = next((line for line in before if line.strip()), here)
        match = _INDENTATION.match(here)
        return match[0] if match else b""

    def _line_end(self, number: int) -> bytes:
        for line in (self.line(number), self.line(number - 1), self.line(1)):
            if match := _BREAK.search(line):
                return match[0]
        return b"\n"


def parse_place(text: str) -> tuple[str, int]:
    """``FILE:LINE`` taken apart. Raises InvalidPlace."""
    match = _PLACE.fullmatch(text)
    if match is None or int(match[2]) == 0:
        raise InvalidPlace(text, "write FILE:LINE, such as cart.js:42, lines counted from 1")
    return match[1], int(match[2])


def snippet(session: Session, language: Language, event: Event) -> tuple[Inserted, list[str], list[str]]:
    """A probe for somebody to insert by hand, written down: its lines, and those of the region of imports.

    ``event.probe`` and an empty ``event.location`` are filled in.
    """
    with hold(session.layout.journal_lock, session.settings.lock_seconds):
        known = inserted.load(session.layout)
        probe = inserted.next_id(session.id, known, set())
        event = replace(event, probe=probe, location=event.location or language.name)
        what = Inserted(probe, BY_HAND, 0, language.name, event.location, event.message, event.hypothesis)
        inserted.save(session.layout, [*known, what])
    lines = _between_markers(language, probe, language.lines(event, target_of(session)))
    return what, lines, _imports(language, event) if language.before else []


def target_of(session: Session) -> Target:
    """Where the probes of a session send their events."""
    from debugloop.session import endpoint

    address = endpoint.load(session.layout)
    return Target(str(session.layout.log), address.url if address else "")


def instrument(session: Session, place: Workspace, path: Path, line: int, wanted: Wanted) -> Inserted:
    """Insert a probe before a line of a file and write it down.

    Raises NoPlace (with the nearest line where one can stand), UnknownLanguage, InvalidPlace, BrokenMarkers,
    OutsideWorkspace, FileUnreadable, FileUnwritable or StateUnwritable; the file is then as it was.
    """
    with hold(session.layout.journal_lock, session.settings.lock_seconds):
        known = inserted.load(session.layout)
        found, data, new, probe = plan(session, place, path, line, wanted, known)
        inserted.save(session.layout, [*known, probe])  # first: a probe that it does not know counts as edited
        try:
            _replace(found, path, data, new)
        except ProbeError:
            with suppress(StateUnwritable):  # the spare entry does no harm
                inserted.save(session.layout, known)
            raise
    return probe


def _replace(found: Found, path: Path, data: bytes, new: bytes) -> None:
    """Write the file with the probe, unless it is no longer what was planned for."""
    try:
        if _read(found, path) != data:
            raise FileUnwritable(found.path, "it was changed in the meantime")
        write(found.path, new)
    except OSError as error:
        raise FileUnwritable(found.path, str(error.strerror)) from error


def plan(  # noqa: PLR0913, PLR0917 -- what there is, and what is wanted
    session: Session, place: Workspace, path: Path, line: int, wanted: Wanted, known: list[Inserted]
) -> tuple[Found, bytes, bytes, Inserted]:
    """What `instrument` would do: the file, its bytes before and after, and the probe. Raises what it raises."""
    found = next(iter(place.named([path])), None)
    if found is None or path.is_dir():
        raise FileUnreadable(path, "it is no plain file")
    data = _read(found, path)
    parts = code_of(found.file, data, wanted.language)
    if not parts:
        raise NoPlace(found.name, line, "it has no script of its own")
    own = markers.find(data)
    regions, problems = markers.judge(own, session.id)
    if problems:
        raise BrokenMarkers(tuple((found.name, problem.line, problem.reason) for problem in problems))
    source = Source.of(data)
    if line > len(source.starts):
        raise InvalidPlace(f"{path}:{line}", f"the file has {len(source.starts) - 1} lines")
    language = _part(parts, source, line).language
    probe = inserted.next_id(session.id, known, {region.probe for region in regions})
    told = (wanted.message, wanted.hypothesis, wanted.level, wanted.data, wanted.capture)
    event = Event(probe, f"{found.name}:{wanted.named or line}", *told)
    lines = _between_markers(language, probe, language.lines(event, target_of(session)))
    region = _fitting(parts, source, line, lines, [(each.begin.start, each.finish.end) for each in regions], found)
    at = source.starts[line - 1]
    new, imports = data[:at] + region + data[at:], b""
    if language.before and not any(each.begin.name == IMPORTS for each in regions):
        new, imports = _with_imports(language, new, event)
    now, _ = markers.judge(markers.find(new), session.id)
    what = Inserted(
        probe,
        found.name,
        next(each.begin.line for each in now if each.probe == probe),
        language.name,
        event.location,
        wanted.message,
        wanted.hypothesis,
        inside=fingerprint(region),
        imports=fingerprint(imports) if imports else "",
        joined=region[:1] in {b"\n", b"\r"},
    )
    joined = {each.id for each in [*known, what] if each.joined}
    return found, data, new, replace(what, around=digest(markers.remove(new, now, joined)))


def _between_markers(language: Language, probe: str, lines: list[str]) -> list[str]:
    begin, end = marker_lines(probe, language.comment)
    return [begin, *lines, end]


def _fitting(  # noqa: PLR0913, PLR0917 -- one place, and all that is known of it
    parts: list[Code], source: Source, line: int, lines: list[str], taken: list[tuple[int, int]], found: Found
) -> bytes:
    """The region for this line. Raises NoPlace with the nearest other line for which there is one."""
    try:
        return _try(parts, source, line, lines, taken)
    except Refused as refused:
        for other in _others(parts, source, line, taken):
            try:
                _try(parts, source, other, lines, taken)
            except Refused:
                continue
            raise NoPlace(found.name, line, refused.reason, other) from None
        raise NoPlace(found.name, line, refused.reason) from None


def _part(parts: list[Code], source: Source, line: int) -> Code:
    """The code that a line begins in, else the first."""
    at = source.starts[line - 1]
    return next((part for part in parts if part.start <= at <= part.end), parts[0])


def _try(parts: list[Code], source: Source, line: int, lines: list[str], taken: list[tuple[int, int]]) -> bytes:
    at, code = source.starts[line - 1], _part(parts, source, line)
    if not code.start <= at <= code.end:
        raise Refused("no script stands there")
    if any(start < at < end for start, end in taken):
        raise Refused("it is within another probe")
    if source.data.startswith(_WIDE) or b"\0" in source.data[:4096]:
        raise Refused("the file is no text in UTF-8 or another encoding that keeps ASCII")
    region = source.region(line, lines)
    if not region.isascii() and not _is_utf8(source.data):
        raise Refused("the file is not UTF-8, and the probe is not ASCII")
    if line == 1 and source.data.startswith(b"#!"):
        raise Refused("the first line must stay the first")
    if code.end < len(source.data) and _TAG.search(region):
        raise Refused("what it logs would end the script")
    grammar.check(code, source.data, at, region)
    return region


def _others(parts: list[Code], source: Source, line: int, taken: list[tuple[int, int]]) -> Iterator[int]:
    """Lines that begin with a statement of the program's own, the nearest first."""
    try:
        offsets = {offset for part in parts for offset in grammar.starts(part, source.data)}
    except (SyntaxError, ValueError, Refused):
        return
    own = (offset for offset in offsets if not any(start <= offset < end for start, end in taken))
    numbers = {source.number(offset) for offset in own if not _before(source.data, offset).strip(b" \t")}
    yield from sorted(numbers - {line}, key=lambda number: (abs(number - line), number))[:_TRIES]


def _before(data: bytes, offset: int) -> bytes:
    """What stands before an offset in its line."""
    start = max(data.rfind(b"\n", 0, offset), data.rfind(b"\r", 0, offset)) + 1
    return data[start:offset].removeprefix(_UTF8_BOM)


def _with_imports(language: Language, data: bytes, event: Event) -> tuple[bytes, bytes]:
    """The file with the region of imports, and that region."""
    source = Source.of(data)
    head = grammar.head_end(language, data)
    line = source.number(head - 1) + 1 if head else 1
    if head and source.line(line) and not source.line(line).strip():  # as formatters want it
        line += 1
    at, region = source.starts[line - 1], source.region(line, _imports(language, event))
    return data[:at] + region + data[at:], region


def _imports(language: Language, event: Event) -> list[str]:
    session = event.probe.partition("/")[0]
    return _between_markers(language, f"{session}/{IMPORTS}", language.imports(event))


def _is_utf8(data: bytes) -> bool:
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return True


def _read(found: Found, path: Path) -> bytes:
    try:
        with found.open() as file:
            return file.read()
    except OSError as error:
        raise FileUnreadable(path, str(error.strerror)) from error
