from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from debugloop.errors import InvalidSteps
from debugloop.session.records import Number, parse_line, steps_from
from debugloop.settings import Settings


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        (b'{"a":', "torn"),
        (b'{"a":"b', "torn"),
        (b'{"a":1,', "torn"),
        (b"hello", "not_json"),
        (b'{"a" 1}', "not_json"),
        (b'{"a":1}{"b":2}', "not_json"),
        (b"[1]", "not_an_object"),
        (b"NaN", "not_an_object"),
        (b"7", "not_an_object"),
        (b'\xef\xbb\xbf{"a":1}', "bom"),
        (b'{"a":"\x00"}', "nul"),
        (b'{"a":"\xff"}', "invalid_utf8"),
        (b'{"a":' + b"[" * 200 + b"]" * 200 + b"}", "too_deep"),
        (b"[" * 20_000 + b"]" * 20_000, "too_deep"),
    ],
)
def test_a_line_that_is_no_record_says_why(line: bytes, reason: str) -> None:
    row = parse_line(3, line, nesting=128)
    assert (row.line, row.malformed, row.record()) == (3, reason, {})
    assert row.text.startswith(line[:4].decode("utf-8", "replace"))


@pytest.mark.parametrize(
    ("line", "record"),
    [
        (b'{"a":1}\r', {"a": 1}),
        (b' {"a":1} ', {"a": 1}),
        (b'{"x":NaN}', {"x": "NaN"}),
        (rb'{"m":"\ud800"}', {"m": "\ufffd"}),
        ('{"m":"\u2028"}'.encode(), {"m": "\u2028"}),
    ],
)
def test_what_can_be_read_is_a_record(line: bytes, record: dict[str, Any]) -> None:
    row = parse_line(1, line, nesting=128)
    assert row.malformed is None
    assert row.record() == record
    assert b"\r" not in row.raw


def test_numbers_keep_their_digits_when_shown() -> None:
    row = parse_line(1, b'{"a":1e999,"b":1.10,"c":123456789012345678901234567890}', nesting=128)
    assert row.exact() == {"a": "1e999", "b": "1.10", "c": "123456789012345678901234567890"}
    assert all(isinstance(value, Number) for value in row.exact().values())
    assert row.record()["a"] == "1e999"


@given(st.binary(max_size=80).filter(lambda data: b"\n" not in data))
def test_any_line_becomes_a_row(line: bytes) -> None:
    row = parse_line(1, line, nesting=128)
    assert row.malformed or isinstance(row.record(), dict)


def test_steps_are_steps_only_on_the_line_where_they_may_stand() -> None:
    line = b'{"type":"reproduction_steps","steps":["x"],"_":{"run":1}}'
    assert parse_line(1, line, nesting=128, steps_line=True).steps
    assert not parse_line(2, line, nesting=128, steps_line=False).steps
    assert not parse_line(1, b'{"type":"reproduction_steps","steps":["x"]}', nesting=128, steps_line=True).steps


@pytest.mark.parametrize(
    ("value", "reason"),
    [
        ({}, "list"),
        ({"steps": []}, "1 to 50"),
        ({"steps": ["x"] * 51}, "1 to 50"),
        ({"steps": ["x", "  "]}, "step 2"),
        ({"steps": ["x", 3]}, "step 2"),
        ({"steps": ["x" * 2001]}, "2001 characters"),
        ({"steps": ["x"], "title": 3}, "title"),
        ({"steps": ["x"], "title": "x" * 2001}, "title"),
        ({"steps": ["字" * 1999] * 50}, "bytes"),
        ({"steps": "x"}, "list"),
    ],
)
def test_steps_that_cannot_be_published_say_why(value: dict[str, Any], reason: str, settings: Settings) -> None:
    with pytest.raises(InvalidSteps, match=reason):
        steps_from(value, settings, "cli")


def test_steps_are_trimmed_and_half_a_surrogate_pair_is_replaced(settings: Settings) -> None:
    steps = steps_from({"title": " ", "steps": [" open \ud800 "]}, settings, "http")
    assert (steps.title, steps.steps, steps.source) == (None, ("open ?",), "http")
