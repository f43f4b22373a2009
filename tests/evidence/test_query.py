from __future__ import annotations

from typing import Any

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from debugloop.evidence.query import Query, counts, hypotheses_of, level_of, select
from debugloop.session.records import Row


def row(line: int = 1, **record: Any) -> Row:
    return Row(line, orjson.dumps(record))


def lines(rows: list[Row], query: Query) -> list[int]:
    return [each.line for each in select(rows, query)]


def test_a_query_of_nothing_gives_every_row() -> None:
    rows = [row(1, message="a"), Row(2, b"x", "torn"), row(3)]

    assert lines(rows, Query()) == [1, 2, 3]


def test_the_cursor_gives_only_what_comes_after_it() -> None:
    rows = [row(1), Row(2, b"x", "torn"), row(3)]

    assert lines(rows, Query(after=1)) == [2, 3]
    assert lines(rows, Query(after=3)) == []


@pytest.mark.parametrize(
    ("tag", "asked", "meant"),
    [
        ("H1", "H1", True),
        ("H1", "h1", True),
        ("H10", "H1", False),
        ("H1, H2", "H2", True),
        ("H1;H2", "H1", True),
        (["H1", "H2"], "H2", True),
        (7, "7", True),
        (None, "H1", False),
        ("der Zähler", "DER ZÄHLER", True),
    ],
)
def test_a_hypothesis_is_a_whole_name_in_any_of_the_forms_that_programs_write(
    tag: object, asked: str, meant: bool
) -> None:
    assert Query(hypothesis=asked).matches(row(hypothesisId=tag)) is meant


@pytest.mark.parametrize(
    ("sent", "asked", "meant"),
    [
        ("s1/2", "s1/2", True),
        ("s1/2", "2", True),
        ("s1/12", "2", False),
        ("s1/2", "s1", False),
        (None, "2", False),
        (7, "7", True),
    ],
)
def test_a_probe_is_meant_by_its_id_or_by_what_stands_behind_the_session(sent: object, asked: str, meant: bool) -> None:
    assert Query(probe=asked).matches(row(probe=sent)) is meant
    assert not Query(probe=asked).matches(Row(1, b"2", "not_json"))


def test_a_hypothesis_that_only_another_key_names_is_not_meant() -> None:
    assert not Query(hypothesis="H1").matches(row(hypothesisId="H2", message="H1"))


def test_a_hypothesis_written_with_an_escape_is_found() -> None:
    assert Query(hypothesis="H1").matches(Row(1, rb'{"hypothesisId":"\u0048\u0031"}'))


def test_levels_are_compared_by_what_they_mean() -> None:
    assert Query(level="warn").matches(row(level="WARNING"))
    assert not Query(level="warn").matches(row(level="error"))
    assert not Query(level="warn").matches(row())
    assert Query(level="chatty").matches(row(level="Chatty"))
    assert level_of({"level": 30}) == "30"


def test_a_location_is_met_by_a_part_of_it() -> None:
    assert Query(location="cart.js").matches(row(location="src/Cart.js:42"))
    assert not Query(location="cart.js").matches(row(message="cart.js"))


@pytest.mark.parametrize("part", ["needle", "NEEDLE", "1.10", "deep", 'say "hi"', "true", "ß"])
def test_text_is_looked_for_in_every_key_and_value(part: str) -> None:
    raw = '{"message":"say \\"hi\\" Needle STRASSE ß","data":[{"deep":[1.10,true]}]}'

    assert Query(text=part).matches(Row(1, raw.encode()))


def test_text_is_not_looked_for_in_what_the_collector_added() -> None:
    stamped = Row(1, b'{"message":"a","_":{"observed":"2026-01-01T00:00:00.000000Z","run":3}}')

    assert not Query(text="observed").matches(stamped)


def test_text_does_not_match_across_values() -> None:
    assert not Query(text='a","b').matches(row(x="a", y="b"))


def test_only_the_text_filter_meets_a_malformed_row() -> None:
    torn = Row(1, b'{"hypothesisId":"H1","location":"x', "torn")

    assert Query(text="h1").matches(torn)
    assert not Query(text="other").matches(torn)
    assert not Query(hypothesis="H1").matches(torn)
    assert not Query(location="x").matches(torn)
    assert not Query(level="x", text="h1").matches(torn)


def test_all_filters_must_be_met() -> None:
    both = row(hypothesisId="H1", level="error", location="a.py:1", message="boom")

    assert Query("H1", "error", "a.py", "boom").matches(both)
    assert not Query("H1", "error", "a.py", "bang").matches(both)


def test_events_are_counted_by_hypothesis_and_untagged_ones_apart() -> None:
    rows = [
        Row(1, b'{"type":"reproduction_steps"}', steps=True),
        row(2, hypothesisId="H2"),
        row(3, hypothesisId="H1,H2"),
        row(4),
        Row(5, b"x", "torn"),
    ]

    assert counts(rows) == {"H2": 2, "H1": 1, "": 1}


def test_an_event_without_a_hypothesis_is_untagged() -> None:
    assert hypotheses_of({}) == hypotheses_of({"hypothesisId": " , "}) == hypotheses_of({"hypothesisId": []}) == ("",)


@given(st.text(min_size=1).filter(lambda text: text.isprintable() and text.strip() == text), st.text(), st.text())
def test_any_text_finds_itself(part: str, before: str, after: str) -> None:
    assert Query(text=part).matches(row(m=before + part + after))
