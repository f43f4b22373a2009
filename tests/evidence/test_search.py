from __future__ import annotations

import json
import re
from typing import Any

import orjson
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from debugloop.errors import InvalidPattern
from debugloop.evidence.rows import body, parts
from debugloop.evidence.search import Filter, Pattern, certain_words
from debugloop.session.records import Row, parse_line

ROW = orjson.dumps(
    {
        "hypothesisId": "H1",
        "location": "src/Cart.js:42",
        "message": "the Total",
        "data": {"sum": 1.50, "name": 'say "hi"'},
        "level": "error",
        "timestamp": 1_764_532_800_123,
        "runId": "hidden",
        "extra": None,
    }
)


def row(raw: bytes) -> Row:
    return parse_line(1, raw, nesting=128)


def shown(raw: bytes) -> str:
    return body(parts(row(raw), line_break="\n"))


def regex(text: str, **record: Any) -> bool:
    return Pattern(text, regex=True).matches(row(orjson.dumps(record) if record else ROW))


@pytest.mark.parametrize(
    "pattern",
    [
        "total",
        "Total",
        "cart.js:\\d+",
        "sum=1.5",
        "the total sum",
        "^H1 src",
        "extra=null",
        "t.tal|nothing",
        r"\bsum\b",
    ],
)
def test_a_pattern_meets_what_the_row_shows(pattern: str) -> None:
    assert regex(pattern)


@pytest.mark.parametrize("pattern", ["hidden", "runId", "1764532800123", "TOTAL", "cartXjs", "^Total", "timestamp"])
def test_it_does_not_meet_what_the_row_does_not_show(pattern: str) -> None:
    assert not regex(pattern)


def test_a_plain_text_is_no_regular_expression() -> None:
    assert Pattern('name="say', regex=False).matches(row(ROW))
    assert not Pattern("s.m", regex=False).matches(row(ROW))
    assert Pattern("[a", regex=False).matches(row(b'{"message":"x[a]"}'))


def test_case_counts_only_where_the_pattern_has_a_capital() -> None:
    assert regex("über", message="ÜBER")
    assert not regex("Über", message="ÜBER")
    assert regex(r"\Stotal", message="xTOTAL")  # \S is no capital of the text


def test_what_is_written_as_an_escape_is_found_by_its_letters_and_by_its_escape() -> None:
    assert Pattern("hello", regex=False).matches(row(rb'{"message":"\u0068ello"}'))
    assert Pattern(r"\x1b]52", regex=False).matches(row(rb'{"message":"\u001b]52;"}'))
    assert Pattern(r"x7f", regex=False).matches(row(b'{"message":"\x7f"}'))
    assert Pattern("u202e", regex=False).matches(row('{"message":"\u202e"}'.encode()))


def test_a_malformed_row_is_searched_by_its_text() -> None:
    assert Pattern("killed", regex=False).matches(row(b"Killed \x1b[0m"))
    assert Pattern("x1b", regex=False).matches(row(b"Killed \x1b[0m"))
    assert not Pattern("malformed", regex=False).matches(row(b"Killed"))


@pytest.mark.parametrize(
    ("text", "kept"),
    [("Total", True), ("-Total", False), ("/t.tal/", True), ("-/t.tal/", False), ("t.tal", False), ("-", False)],
)
def test_a_filter_is_a_text_a_regex_or_what_to_leave_out(text: str, kept: bool) -> None:
    assert Filter.of(text).matches(row(ROW)) is kept


@pytest.mark.parametrize(
    "text", ["[", "(", "*", "a{2,1}", "(?P<n>x)(?P<n>y)", "a{99999999999}", "x" * 2_001, "(" * 999]
)
def test_a_broken_pattern_says_why(text: str) -> None:
    with pytest.raises(InvalidPattern) as refused:
        Pattern(text, regex=True)
    assert refused.value.reason
    assert len(str(refused.value)) < 1_200


def test_matches_are_told_by_their_place_and_empty_ones_are_left_out() -> None:
    assert Pattern("a+", regex=True).spans("baab a", 1) == [(1, 3), (5, 6)]
    assert Pattern("x*", regex=True).spans("baab") == []


@pytest.mark.parametrize(
    ("pattern", "words"),
    [
        ("total sum", ["total", "sum"]),
        (r"cart\.js:\d+", ["cart", "js"]),
        ("items?", ["item"]),
        ("ab+c", ["a", "c"]),
        ("(maybe)?sure", ["sure"]),
        ("[abc]x{0,2}y", ["y"]),
        ("a|b", []),
        (r"\x41b", []),
        ("(?i)word", []),
        ("^whole$", ["whole"]),
    ],
)
def test_words_that_every_match_holds(pattern: str, words: list[str]) -> None:
    assert certain_words(pattern) == words


TEXTS = st.text(alphabet=st.sampled_from('abAB01_ .:="\\\n\x1b\x7f\u202eé\u212a\u017fks'), max_size=8)
RECORDS = st.dictionaries(
    st.sampled_from(["message", "location", "data", "level", "hypothesisId", "extra", "timestamp", "a b"]),
    st.one_of(
        TEXTS, st.integers(0, 20), st.none(), st.lists(TEXTS, max_size=2), st.dictionaries(TEXTS, TEXTS, max_size=2)
    ),
    max_size=5,
)
PIECES = st.sampled_from(
    [
        *"abk_. =?*+{^$|s",
        "AB",
        "01",
        r"\d",
        "[ab]",
        "[^a]",
        "(ab)",
        "(a|b)",
        "{0,2}",
        r"\b",
        r"\.",
        r"\x61",
        "(?:a)",
        "(?=a)",
    ]
)


@given(RECORDS, st.lists(PIECES, max_size=6).map("".join))
@example({"message": "\u212a"}, "k")
@example({"message": "ab"}, "ab$")
def test_the_short_cuts_change_no_answer(record: dict[str, object], pattern: str) -> None:
    raw = orjson.dumps(record)
    try:
        found = Pattern(pattern, regex=True)
    except InvalidPattern:
        return
    flags = re.NOFLAG if any(letter.isupper() for letter in re.sub(r"\\.", "", pattern)) else re.IGNORECASE
    assert found.matches(row(raw)) is (re.search(pattern, shown(raw), flags) is not None)


DATA = st.recursive(
    st.one_of(TEXTS, st.none(), st.booleans(), st.sampled_from([1, 10**30, 1e22, 1.5])),
    lambda values: st.one_of(st.lists(values, max_size=2), st.dictionaries(TEXTS, values, max_size=2)),
    max_leaves=4,
)


@given(RECORDS, DATA, st.one_of(TEXTS, st.sampled_from(["null", "ull", "true", "e", "ab", "data", "message", "_a"])))
@example({}, None, "null")
@example({"message": None}, {}, "null")
@example({}, {"k": {"ab": [None]}}, "ULL")
def test_a_text_is_met_where_it_is_shown_and_nowhere_else(record: dict[str, object], data: object, text: str) -> None:
    raw = json.dumps(record | {"data": data}, ensure_ascii=False, separators=(",", ":")).encode()
    flags = re.NOFLAG if any(letter.isupper() for letter in text) else re.IGNORECASE
    assert Pattern(text, regex=False).matches(row(raw)) is (re.search(re.escape(text), shown(raw), flags) is not None)


def test_a_number_is_met_by_the_digits_that_were_written() -> None:
    written = row(b'{"message":"x","data":[10000000000000000000000.0]}')
    assert not Pattern("e", regex=False).matches(written)  # 1e22
    assert Pattern("0.0", regex=False).matches(written)


@given(st.binary(max_size=60), TEXTS)
def test_no_line_of_any_bytes_breaks_a_filter(line: bytes, text: str) -> None:
    try:
        Filter.of(text).matches(row(line.replace(b"\n", b"")))
    except InvalidPattern:
        assert "/" in text
