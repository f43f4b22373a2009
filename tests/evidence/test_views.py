from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Any

import orjson
import pytest

from debugloop.errors import InvalidTime
from debugloop.evidence.query import Query, moment_from, select
from debugloop.evidence.views import rows_view, timeline
from debugloop.evidence.views_text import timeline_text
from debugloop.session.records import Row, parse_line

NOON = 1_700_000_000_000


def rows(*records: dict[str, Any] | bytes) -> list[Row]:
    lines = [each if isinstance(each, bytes) else json.dumps(each).encode() for each in records]
    return [parse_line(number, line, nesting=128) for number, line in enumerate(lines, 1)]


def at(ms: int, message: str = "seen") -> dict[str, Any]:
    return {"hypothesisId": "H1", "location": "a.py:1", "message": message, "timestamp": NOON + ms}


def test_the_timeline_counts_from_the_first_event_and_folds_equal_ones() -> None:
    entries = timeline(rows(at(0), at(5), at(9, "other"), at(12)), 1)["entries"]

    assert [(each["at"], each["ms"], each["message"]) for each in entries] == [
        ("1:1", 0, "seen"),
        ("1:3", 9, "other"),
        ("1:4", 12, "seen"),
    ]
    assert (entries[0]["times"], entries[0]["last"]) == (2, "1:2")


def test_the_timeline_names_the_longest_silences() -> None:
    gaps = timeline(rows(at(0), at(10), at(2_010), at(2_020), at(2_320)), 4)["gaps"]

    assert gaps == [{"after": "4:2", "ms": 2_000}, {"after": "4:4", "ms": 300}, {"after": "4:1", "ms": 10}]


def test_events_without_a_time_and_malformed_ones_stand_in_the_timeline() -> None:
    entries = timeline(rows({"message": "no time"}, b"Killed", {"timestamp": "soon"}), 1)["entries"]

    assert [each["ms"] for each in entries] == [None, None, None]
    assert (entries[1]["malformed"], entries[1]["message"]) == ("not_json", "Killed")


def test_a_timeline_that_is_cut_goes_on_from_its_cursor_without_a_gap() -> None:
    listed = rows(*(at(n, f"{n} {'x' * 100}") for n in range(60)))
    seen: list[str] = []
    cursor: int | None = 0
    while cursor is not None:
        view = timeline(select(listed, Query(after=cursor)), 1, limit=3_000)
        assert len(orjson.dumps(view)) <= 3_000
        seen += [each["at"] for each in view["entries"]]
        cursor = view["cursor"]

    assert seen == [f"1:{n}" for n in range(1, 61)]


def test_rows_that_do_not_fit_come_by_the_cursor_each_once() -> None:
    listed = rows(*({"n": n, "stack": "x" * (9_000 if n % 7 == 0 else 200)} for n in range(40)), b"\0" * 900)
    seen: list[str] = []
    cursor: int | None = 0
    while cursor is not None:
        view = rows_view(select(listed, Query(after=cursor)), 2, limit=4_000)
        assert len(orjson.dumps(view)) <= 4_000
        seen += [each["at"] for each in view["rows"]]
        cursor = view["cursor"]

    assert seen == [f"2:{n}" for n in range(1, 42)]


def test_the_rows_keep_the_digits_that_were_written() -> None:
    view = rows_view([parse_line(1, b'{"n": 1e999, "m": 1.10}', nesting=128)], 1)

    assert b'"n": 1e999, "m": 1.10' in orjson.dumps(view)


def test_a_filter_by_time_keeps_what_is_between_and_drops_what_has_no_time() -> None:
    listed = rows(at(0), at(1_000), at(2_000), {"message": "no time"}, b"Killed")
    since, until = (datetime.fromtimestamp((NOON + ms) / 1000, UTC) for ms in (500, 2_000))

    assert [row.line for row in select(listed, Query(since=since))] == [2, 3]
    assert [row.line for row in select(listed, Query(until=until))] == [1, 2, 3]
    assert [row.line for row in select(listed, Query(since=since, until=until, text="seen"))] == [2, 3]


def test_a_moment_is_iso_8601_or_milliseconds() -> None:
    assert moment_from("2023-11-14T22:13:20+00:00") == moment_from("1700000000000")
    for text in ("soon", "nan", "", "1e400"):
        with pytest.raises(InvalidTime, match="is no moment"):
            moment_from(text)


def test_as_text_a_timeline_shows_no_control_character() -> None:
    view = timeline(rows(at(0, "\x1b[2J"), at(0, "\x1b[2J"), at(700), b"Killed"), 1)

    text = timeline_text(view)

    assert "\x1b" not in text
    assert r"\x1b[2J (2 times, to 1:2)" in text
    assert "malformed (not_json)" in text
    assert "Nothing for 700 ms after 1:2." in text


def test_as_text_a_cut_timeline_says_how_to_go_on() -> None:
    listed = rows(*(at(n, f"{n} {'x' * 100}") for n in range(60)))

    assert "more: debugloop logs --timeline --run 1 --after" in timeline_text(timeline(listed, 1, limit=2_000))
