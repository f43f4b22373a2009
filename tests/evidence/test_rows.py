from __future__ import annotations

from datetime import UTC, timedelta, timezone

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from debugloop.evidence.rows import REASONS, Parts, clock, parts, plain
from debugloop.evidence.visible import visible
from debugloop.session.records import Row, parse_line


def row(raw: bytes, line: int = 7) -> Row:
    return parse_line(line, raw, nesting=128)


def shown(raw: bytes) -> Parts:
    return parts(row(raw), UTC)


def test_an_event_is_shown_as_time_level_hypothesis_location_message_and_data() -> None:
    raw = (
        b'{"hypothesisId":"H1","location":"cart.js:42","message":"total","data":{"sum":3,"items":["a","b"]},'
        b'"level":"warn","timestamp":1764532800123,"runId":"r","sessionId":"s","_":{"observed":"x","run":2}}'
    )
    assert shown(raw) == Parts("20:00:00.123", "W", "H1", "cart.js:42", "total", 'sum=3 items=["a","b"]')
    assert plain(row(raw), 2, UTC) == '2:7     20:00:00.123 W H1  cart.js:42  total  sum=3 items=["a","b"]'


def test_numbers_keep_their_digits() -> None:
    raw = b'{"data":{"a":1.10,"b":123456789012345678901234567890,"c":1e999,"d":-0.0,"e":[1E5]},"n":2.50}'
    assert shown(raw).data == "a=1.10 b=123456789012345678901234567890 c=1e999 d=-0.0 e=[1E5] n=2.50"


def test_members_that_have_no_place_of_their_own_are_not_lost() -> None:
    assert shown(b'{"value": 3}').data == "value=3"
    assert shown(b'{"message":"m","data":[1,{}],"url":"/x","a b":null,"":true,"ok":false}').data == (
        '[1,{}] url="/x" "a b"=null ""=true ok=false'
    )


def test_the_id_of_a_probe_takes_no_room_and_what_is_none_is_shown() -> None:
    assert shown(b'{"message":"add","probe":"20260101-100000-a1b2/1","calls":3}').data == "calls=3"
    assert shown(b'{"message":"launch","probe":7}').data == "probe=7"


def test_a_member_of_an_unusual_kind_is_shown_where_it_belongs() -> None:
    assert shown(b'{"message":{"a":[]},"hypothesisId":["H1","H2"],"location":5}') == Parts(
        hypothesis="H1,H2", location="5", message='{"a":[]}'
    )
    assert shown(b'{"level":30,"timestamp":"soon"}').data == 'timestamp="soon" level=30'
    assert shown(b'{"level":null,"timestamp":null,"data":null,"message":null}') == Parts()
    assert shown(b'{"data":{}}').data == "{}"


@pytest.mark.parametrize(
    ("level", "letter"),
    [("trace", "T"), ("DEBUG", "D"), ("log", "I"), ("Warning", "W"), (" err ", "E"), ("critical", "F"), ("odd", "")],
)
def test_the_levels_of_all_loggers_become_one_letter(level: str, letter: str) -> None:
    assert shown(b'{"level":"%s"}' % level.encode()).level == letter


@pytest.mark.parametrize(
    ("timestamp", "time"),
    [
        (1764532800123, "20:00:00.123"),
        (1764532800, "20:00:00.000"),
        (1764532800.5, "20:00:00.500"),
        ("2025-11-30T20:00:00.123456Z", "20:00:00.123"),
        ("2025-11-30T21:00:00+01:00", "20:00:00.000"),
        ("yesterday", ""),
        (True, ""),
        (None, ""),
        ([1], ""),
        (1e300, ""),
        (float("nan"), ""),
        ("9999-12-31T23:59:59-23:00", ""),
    ],
)
def test_a_timestamp_in_any_usual_form_becomes_a_clock(timestamp: object, time: str) -> None:
    assert clock(timestamp, UTC) == time


def test_the_clock_is_that_of_the_zone() -> None:
    assert clock(1764532800123, timezone(timedelta(hours=8))) == "04:00:00.123"


def test_hostile_text_is_visible_in_every_part() -> None:
    raw = orjson.dumps(
        {
            "hypothesisId": "\x1b]0;h\x07",
            "location": "a\u202eb",
            "message": "\x1b[2Jgone [b]bold[/b]\n",
            "data": {"\x9bk": "\x1b[31m\u200b"},
        }
    )
    assert shown(raw) == Parts(
        hypothesis="\\x1b]0;h\\x07",
        location="a\\u202eb",
        message="\\x1b[2Jgone [b]bold[/b]\\n",
        data='\\x9bk="\\u001b[31m\\u200b"',
    )


@pytest.mark.parametrize(
    ("raw", "reason", "text"),
    [
        (b'{"a":', "torn", '{"a":'),
        (b"[vite] hmr update\r", "not_json", "[vite] hmr update"),
        (b"\xff\x1b[2J", "invalid_utf8", "\ufffd\\x1b[2J"),
        (b'{"a":1}\0', "nul", '{"a":1}\\x00'),
        (b"[1]", "not_an_object", "[1]"),
    ],
)
def test_a_malformed_row_says_why_and_what_it_was(raw: bytes, reason: str, text: str) -> None:
    assert shown(raw) == Parts(message=text, malformed=row(raw).malformed)
    assert row(raw).malformed == reason
    assert plain(row(raw), 0, UTC) == f"0:7     malformed ({REASONS[row(raw).malformed or 'torn']}): {text}"


def test_a_message_of_several_lines_is_broken_as_the_reader_wants() -> None:
    raw = orjson.dumps({"message": "one\r\n\ttwo\n"})
    assert shown(raw).message == "one\\r\\n\\ttwo\\n"
    assert parts(row(raw), UTC, line_break="\n").message == "one\n\\ttwo\n"
    assert parts(row(b'{"message":12}'), UTC, line_break="\n").message == "12"


def test_steps_read_as_a_numbered_list() -> None:
    raw = b'{"type":"reproduction_steps","title":"T","steps":["open","click"],"_":{}}'
    assert parts(parse_line(1, raw, nesting=128, steps_line=True)) == Parts(message="T", data="1. open  2. click")
    assert parts(Row(1, b'{"steps":3}', steps=True)) == Parts(message="Steps")


JSON = st.recursive(
    st.none() | st.booleans() | st.floats() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
)


@given(st.binary(max_size=200) | st.dictionaries(st.text(), JSON).map(orjson.dumps))
def test_no_bytes_make_a_row_that_is_not_one_line_of_visible_text(raw: bytes) -> None:
    line = plain(row(raw), 1, UTC)
    assert visible(line) == line
