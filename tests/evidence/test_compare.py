from __future__ import annotations

import json
from typing import Any

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from debugloop.evidence.compare import compare
from debugloop.evidence.views_text import compare_text
from debugloop.session.records import Row, parse_line


def rows(*records: dict[str, Any] | bytes) -> list[Row]:
    lines = [each if isinstance(each, bytes) else json.dumps(each).encode() for each in records]
    return [parse_line(number, line, nesting=128) for number, line in enumerate(lines, 1)]


def event(location: str, **data: object) -> dict[str, Any]:
    return {"hypothesisId": "H1", "location": location, "message": "seen", "data": data, "timestamp": 1_700_000_000_000}


def test_a_value_that_the_fix_changed_is_shown_with_both_rows() -> None:
    compared = compare(rows(event("cart.py:3", total="105")), 1, rows(event("cart.py:3", total=15)), 2)

    [changed] = compared["changed"]
    assert changed["location"] == "cart.py:3"
    assert changed["values"] == [{"path": "data.total", "times": 1, "at": ["1:1", "2:1"], "before": "105", "after": 15}]


def test_places_that_are_new_and_places_that_are_gone_are_named_with_their_first_row() -> None:
    compared = compare(rows(event("a.py:1"), event("b.py:2")), 3, rows(event("a.py:1"), event("c.py:5")), 4)

    assert [(each["location"], each["first"]) for each in compared["gone"]] == [("b.py:2", "3:2")]
    assert [(each["location"], each["first"]) for each in compared["new"]] == [("c.py:5", "4:2")]
    assert (compared["changed"], compared["same"]) == ([], 1)


def test_events_of_one_place_are_aligned_by_their_order() -> None:
    before = rows(event("a", n=1), event("b", n=0), event("a", n=2))
    after = rows(event("a", n=1), event("a", n=5), event("b", n=0))

    [changed] = compare(before, 1, after, 2)["changed"]

    assert [(value["at"], value["before"], value["after"]) for value in changed["values"]] == [(["1:3", "2:2"], 2, 5)]


def test_a_place_that_is_passed_more_often_has_changed() -> None:
    [changed] = compare(rows(event("a")), 1, rows(event("a"), event("a")), 2)["changed"]

    assert (changed["events"], changed["values"]) == ([1, 2], [])


def test_only_another_time_is_no_difference() -> None:
    later = {**event("a", n=1), "timestamp": 1_800_000_000_000}

    compared = compare(rows(event("a", n=1)), 1, rows(later), 2)

    assert (compared["same"], compared["changed"]) == (1, [])


@pytest.mark.parametrize("more", [1, 20])
def test_what_a_probe_says_of_itself_is_no_difference(more: int) -> None:
    before = [{**event("a", n=n), "probe": "s/1", "calls": n} for n in range(more)]
    after = [{**event("a", n=n), "probe": "s/4", "calls": n + 700, **({"extra": 1} if n else {})} for n in range(more)]

    compared = compare(rows(*before), 1, rows(*after), 2)

    assert [value["path"] for each in compared["changed"] for value in each["values"]] == ["extra"] * (more > 1)


@pytest.mark.parametrize(("before", "after"), [(1, True), (0, False), (None, 0), ("1", 1)])
def test_values_that_programs_tell_apart_are_told_apart(before: object, after: object) -> None:
    compared = compare(rows(event("a", x=before)), 1, rows(event("a", x=after)), 2)

    assert compared["changed"][0]["values"][0]["path"] == "data.x"


def test_a_member_that_only_one_event_has_is_shown_on_its_side_alone() -> None:
    [changed] = compare(rows(event("a", x=1)), 1, rows(event("a", y=1)), 2)["changed"]

    assert [set(value) & {"before", "after"} for value in changed["values"]] == [{"before"}, {"after"}]


def test_events_without_a_location_are_aligned_by_their_message() -> None:
    compared = compare(rows({"message": "a", "n": 1}, {"message": "b"}), 1, rows({"message": "b"}), 2)

    assert [(each["message"], each["location"]) for each in compared["gone"]] == [("a", None)]
    assert compared["same"] == 1


def test_malformed_rows_count_as_events_and_belong_to_no_place() -> None:
    compared = compare(rows(b"\0", event("a")), 1, rows(b"{", event("a")), 2)

    assert (compared["before"]["events"], compared["same"]) == (2, 1)


def test_two_hostile_runs_are_compared_within_the_limit() -> None:
    huge = rows(*(event(f"{n}\x1b[2J" * 50, **{"k" * 500 + str(m): "v" * 9_000 for m in range(30)}) for n in range(60)))
    other = rows(*(event(f"{n}\x1b[2J" * 50, **{"k" * 500 + str(m): 1e300 for m in range(30)}) for n in range(60)))

    compared = compare(huge, 1, other, 2, limit=4_000)

    assert len(orjson.dumps(compared)) <= 4_000
    assert compared["more"]["changed"] > 0
    assert "\x1b" not in compare_text(compared)


@given(st.lists(st.tuples(st.sampled_from("abc"), st.integers(0, 3)), max_size=12))
def test_a_run_is_the_same_as_itself(listed: list[tuple[str, int]]) -> None:
    run = rows(*(event(location, n=n) for location, n in listed))

    compared = compare(run, 1, run, 1)

    assert (compared["changed"], compared["new"], compared["gone"]) == ([], [], [])


def test_as_text_a_comparison_names_places_values_and_rows() -> None:
    before = rows(event("cart.py:3", total=1.10), event("old.py:1"))
    after = rows(event("cart.py:3", total=True), event("new.py:1"), event("new.py:1"))

    text = compare_text(compare(before, 1, after, 2))

    assert "Run 1 (2 events) and run 2 (3 events)." in text
    assert "data.total: 1.1 → true  [1:1 and 2:1]" in text
    assert "New      H1  new.py:1: 2 events, first 2:2" in text
    assert "Gone     H1  old.py:1: 1 events, first 1:2" in text
