"""A row of a run as text for people: the same parts, in the same order, for `logs` and for the panel."""

from __future__ import annotations

import math
from datetime import UTC, datetime, tzinfo
from json.encoder import encode_basestring as _quoted
from types import NoneType
from typing import Any, Final, NamedTuple, TypeAlias, cast

from debugloop.evidence.visible import visible
from debugloop.session.records import Malformed, Number, Row

Level: TypeAlias = str
"""One letter: T(race), D(ebug), I(nfo), W(arning), E(rror), F(atal), or empty for none that is known."""

REASONS: Final[dict[Malformed, str]] = {
    "torn": "torn off",
    "not_json": "no JSON",
    "not_an_object": "no JSON object",
    "bom": "begins with a BOM",
    "nul": "holds NUL bytes",
    "invalid_utf8": "no UTF-8",
    "too_long": "too long",
    "too_deep": "nested too deep",
    "over_cap": "past the cap of the log",
}
"""What each reason of a malformed row means."""

LEVELS: Final[dict[str, Level]] = {
    **dict.fromkeys(("trace", "verbose", "silly", "finest"), "T"),
    **dict.fromkeys(("debug", "fine"), "D"),
    **dict.fromkeys(("info", "information", "log", "notice"), "I"),
    **dict.fromkeys(("warn", "warning"), "W"),
    **dict.fromkeys(("error", "err", "severe"), "E"),
    **dict.fromkeys(("fatal", "critical", "crit", "alert", "emerg", "panic"), "F"),
}
"""The letter for each level that loggers write, whatever its case."""

# what has a place of its own in a row, or says nothing about the bug
_PLACED = frozenset(
    {"hypothesisId", "location", "message", "data", "level", "timestamp", "probe", "runId", "sessionId", "_"}
)
_ESCAPED_BREAK: Final = "\\n"
_SECONDS = range(10**8, 10**11)  # as milliseconds these would be 1970 to 1973: a clock in seconds


class Parts(NamedTuple):
    """One row in the order it is read, free text last. All is visible text; an empty part is absent.

    ``time`` is ``HH:MM:SS.mmm``. ``data`` holds the members of ``data`` and every unknown member of the record as
    ``key=value``, the values as compact JSON with the digits that were written. The id of a probe is left away: the
    location tells as much, in less room.
    """

    time: str = ""
    level: Level = ""
    hypothesis: str = ""
    location: str = ""
    message: str = ""
    data: str = ""
    malformed: Malformed | None = None


def parts(row: Row, zone: tzinfo | None = None, *, line_break: str = _ESCAPED_BREAK) -> Parts:
    """Take a row apart for showing, its time in ``zone`` (None: the local one).

    ``line_break`` is what stands between the lines of a message of several, such as a stack trace.
    """
    if row.malformed:
        return Parts(message=visible(row.text.rstrip("\r")), malformed=row.malformed)
    record = row.exact()
    if row.steps:
        return _steps(record)
    rest = {key: value for key, value in record.items() if key not in _PLACED}
    time = clock(record.get("timestamp"), zone)
    if not time and record.get("timestamp") is not None:
        rest["timestamp"] = record["timestamp"]
    level = _level(record.get("level"))
    if not level and record.get("level") is not None:
        rest["level"] = record["level"]
    if type(probe := record.get("probe")) not in {str, NoneType}:  # none of ours
        rest["probe"] = probe
    data = [_value_or_members(record["data"])] if record.get("data") is not None else []
    data += [_members(rest)] if rest else []
    return Parts(
        time=time,
        level=level,
        hypothesis=_tag(record.get("hypothesisId")),
        location=_text(record.get("location")),
        message=_message(record.get("message"), line_break),
        data=" ".join(filter(None, data)),
    )


def body(shown: Parts) -> str:
    """All but time and level, as the panel writes it: what is searched."""
    return "".join(text for text, _ in body_parts(shown))


def body_parts(shown: Parts) -> list[tuple[str, str]]:
    """The pieces of `body`, each with the blanks after it, and what each is: a name of `looks`."""
    if shown.malformed:
        return [(shown.message, "text")]
    pieces = (
        (shown.hypothesis, " ", "tag"),
        (shown.location, "  ", "location"),
        (shown.message.rstrip("\n"), " ", "bad" if shown.level in {"E", "F"} else "strong"),
        (shown.data, " ", "text"),
    )
    return [(text + gap, look) for text, gap, look in pieces if text]


def plain(row: Row, run: int, zone: tzinfo | None = None) -> str:
    """A row as one line of plain text, its citation (``run:line``) first."""
    return "".join(text for text, _ in line_parts(row, run, zone)).rstrip()


def line_parts(row: Row, run: int, zone: tzinfo | None = None) -> list[tuple[str, str]]:
    """The pieces of `plain`, and what each is: a name of `looks`."""
    shown = parts(row, zone)
    cited = (f"{run}:{row.line}".ljust(7) + " ", "muted")
    if shown.malformed:
        return [cited, (f"malformed ({REASONS[shown.malformed]}):", "bad"), (f" {shown.message}", "text")]
    head = [
        cited,
        (f"{shown.time:<12} ", "muted"),
        (shown.level or " ", f"level-{shown.level or 'I'}"),
        (f" {shown.hypothesis:<2}", "tag"),
    ]
    rest = [
        (shown.location, "location"),
        (shown.message, "bad" if shown.level in {"E", "F"} else "strong"),
        (shown.data, "text"),
    ]
    return head + [(f"  {text}", look) for text, look in rest if text]


def clock(timestamp: object, zone: tzinfo | None = None) -> str:
    """``HH:MM:SS.mmm`` of a client's timestamp, empty for what is none.

    A timestamp is milliseconds since the epoch (or seconds, told by their size), or ISO 8601, local where it has no
    offset.
    """
    moment = moment_of(timestamp)
    if moment is None:
        return ""
    try:
        moment = moment.astimezone(zone)
    except (ValueError, OverflowError, OSError):
        return ""
    return moment.isoformat(timespec="milliseconds")[11:23]


def moment_of(timestamp: object) -> datetime | None:
    """The moment that a client's timestamp means, in the forms that `clock` takes; None for what is none."""
    try:
        if isinstance(timestamp, Number | int | float) and not isinstance(timestamp, bool):
            number = float(timestamp)
            if not math.isfinite(number):
                return None
            seconds = number if int(number) in _SECONDS else number / 1000
            return datetime.fromtimestamp(seconds, UTC)
        if isinstance(timestamp, str):
            return datetime.fromisoformat(timestamp.strip())
    except (ValueError, OverflowError, OSError):
        return None
    return None


def compact(value: object) -> str:
    """A value of `Row.exact` as JSON without blanks, every number by its own digits, as visible text."""
    return visible(_json(value))


def _json(value: object) -> str:
    if isinstance(value, str):
        return str(value) if isinstance(value, Number) else _quoted(value)
    # nesting is bounded by the reader
    if isinstance(value, dict):
        members = cast("dict[str, object]", value)
        return f"{{{','.join([f'{_quoted(key)}:{_json(member)}' for key, member in members.items()])}}}"
    if isinstance(value, list):
        return f"[{','.join([_json(item) for item in cast('list[object]', value)])}]"
    return "null" if value is None else "true" if value else "false"


def _text(value: object) -> str:
    if value is None:
        return ""
    return visible(value) if isinstance(value, str) else compact(value)


def _message(value: object, line_break: str) -> str:
    if not isinstance(value, str) or line_break == _ESCAPED_BREAK:
        return _text(value)
    return line_break.join(visible(line.removesuffix("\r")) for line in value.split("\n"))


def _tag(value: object) -> str:
    if isinstance(value, list):
        return ",".join(map(_text, cast("list[object]", value)))
    return _text(value)


def _level(value: object) -> Level:
    return LEVELS.get(value.strip().lower(), "") if isinstance(value, str) else ""


def _value_or_members(value: object) -> str:
    if isinstance(value, dict) and value:
        return _members(cast("dict[str, object]", value))
    return compact(value)  # pyright: ignore[reportUnknownArgumentType] -- the empty dict of isinstance


def _members(members: dict[str, object]) -> str:
    return " ".join([f"{_key(key)}={compact(value)}" for key, value in members.items()])


def _key(key: str) -> str:
    plain_word = key and not (" " in key or "=" in key or '"' in key)
    return visible(key if plain_word else _quoted(key))


def _steps(record: dict[str, Any]) -> Parts:
    listed: object = record.get("steps")
    steps = cast("list[object]", listed) if isinstance(listed, list) else []
    numbered = "  ".join(f"{number}. {_text(step)}" for number, step in enumerate(steps, 1))
    return Parts(message=_text(record.get("title")) or "Steps", data=numbered)
