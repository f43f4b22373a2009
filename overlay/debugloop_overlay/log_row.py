"""A row of the log as a paragraph: time, level letter, hypothesis, location, message, data; free text last."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal, TypeAlias, cast

from debugloop.evidence.rows import body_parts, moment_of, parts
from debugloop_overlay.paragraphs import Paragraph

if TYPE_CHECKING:
    from collections.abc import Iterable

    from debugloop.evidence.search import Pattern
    from debugloop.session.records import Row
    from debugloop_overlay.languages.words import Words
    from debugloop_overlay.palette import Role

Times: TypeAlias = Literal["clock", "run", "row", "off"]
"""What the first column shows: the clock, the time since the run began or since the row before, or nothing."""

TIMES: Final[tuple[Times, ...]] = ("clock", "run", "row", "off")
NARROW: Final = 60
"""Below this many cells the clock has no milliseconds and further lines hang by little."""
_CLOCK: Final = len("20:00:00.000")
_SHORT_CLOCK: Final = len("20:00:00")
_LONG_SECONDS: Final = 10_000
_LINES: Final = 12
"""What fills more lines would push all other rows off a small screen."""
_REST: Final = 200
"""Fewer than these are not worth leaving out."""


@dataclass(frozen=True, slots=True)
class Look:
    """How all rows are shown. Without ``wraps`` a row has one line, of which the cells from ``left`` on are seen."""

    words: Words
    times: Times = "clock"
    wraps: bool = True
    left: int = 0
    pattern: Pattern | None = None
    """What is highlighted."""


@dataclass(frozen=True, slots=True)
class Standing:
    """How a row stands among the others.

    ``since``: the second that its time counts from. ``repeats``: how many rows it stands for. ``chosen``: the cursor
    is on it.
    """

    since: float | None = None
    repeats: int = 1
    chosen: bool = False


def row_paragraph(row: Row, look: Look, width: int, standing: Standing) -> Paragraph:
    """How a row is shown in ``width`` cells. A wrapped one that is very long ends in a word on how to see the rest."""
    chosen = standing.chosen
    clock = 0 if look.times == "off" else _SHORT_CLOCK if width < NARROW else _CLOCK
    hang = 2 if width < NARROW else clock + 3
    shown = parts(row, line_break="\n" if look.wraps else "\\n")
    time = shown.time[:clock] if look.times == "clock" else _elapsed(row, standing.since)[:clock]
    level = shown.level or " "
    mark = (">", "key") if chosen else (" ", "text")
    head: list[tuple[str, Role]] = [(f"{time:>{clock}} ", "chosen" if chosen else "muted")] if clock else []
    if shown.malformed:
        reason = look.words.malformed_row.format(reason=getattr(look.words, shown.malformed))
        head += [("!", "bad"), mark, (f"{reason} ", "bad")]
    else:
        head += [(level, f"level-{shown.level or 'I'}"), mark]
    if standing.repeats > 1:
        head.append((f"\u00d7{standing.repeats:,} ", "attention"))
    pieces = body_parts(shown)
    longest = _LINES * max(width - hang, 1)
    if look.pattern:
        spans = look.pattern.spans("".join(text for text, _ in pieces))
        pieces = highlighted(pieces, spans)
        longest = max(longest, spans[0][1] if spans else 0)  # what is looked for is seen
    return Paragraph.of(*head, *(_shortened(pieces, longest, look.words) if look.wraps else pieces), hang=hang)


def _shortened(pieces: list[tuple[str, Role]], longest: int, words: Words) -> list[tuple[str, Role]]:
    """The first characters, and how many are left out."""
    rest = len("".join(text for text, _ in pieces).rstrip()) - longest
    if rest <= _REST:
        return pieces
    kept: list[tuple[str, Role]] = []
    for text, role in pieces:
        kept.append((text[:longest], role))
        longest -= len(kept[-1][0])
    return [*kept, (" " + words.rest_of_row.format(n=f"{rest:,}"), "muted")]


def highlighted(pieces: Iterable[tuple[str, Role]], spans: Iterable[tuple[int, int]]) -> list[tuple[str, Role]]:
    """The same text, with a role of their own for the spans (in order, without overlap)."""
    found: list[tuple[str, Role]] = []
    left = list(spans)
    position = 0
    for text, role in pieces:
        at = 0
        while at < len(text):
            while left and left[0][1] <= position + at:
                left.pop(0)
            start, end = (each - position for each in left[0]) if left else (len(text), len(text))
            inside = start <= at
            until = min(end if inside else start, len(text))
            found.append((text[at:until], "match" if inside else role))
            at = until
        position += len(text)
    return found


def seconds_of(row: Row) -> float | None:
    """When an event was, in seconds since the epoch, by the program's own clock; steps by the collector's."""
    record = row.record()
    stamp: object = record.get("_")
    if row.steps and isinstance(stamp, dict):
        moment = moment_of(cast("dict[str, object]", stamp).get("observed"))
    else:
        moment = moment_of(record.get("timestamp"))
    try:
        return None if moment is None else moment.timestamp()
    except (ValueError, OverflowError, OSError):
        return None


def _elapsed(row: Row, since: float | None) -> str:
    now = seconds_of(row)
    if now is None or since is None:
        return ""
    seconds = now - since
    return f"{seconds:+.3f}" if abs(seconds) < _LONG_SECONDS else f"{seconds:+.0f}"
