"""Values read as columns, held equal to taking each event apart for itself."""

from __future__ import annotations

from typing import Any

import orjson
from hypothesis import example, given
from hypothesis import strategies as st

from debugloop.evidence.columns import columns_of, distinct, one_by_one, summaries
from debugloop.evidence.content import leaves

SCALARS: st.SearchStrategy[Any] = st.sampled_from(
    [0, 1, 1.0, 1.5, -0.0, 0.0, True, False, None, "", "1", "x" * 90, [], [1, "a"], 2**60]
)
SHAPES: st.SearchStrategy[list[dict[str, Any]]] = st.lists(
    st.fixed_dictionaries(
        {"message": SCALARS, "data": st.fixed_dictionaries({"a": SCALARS, "b": st.sampled_from([1, 2, "x"])})},
        optional={"more": SCALARS, "location": SCALARS, "k" * 90: SCALARS, "k" * 91: SCALARS},
    ),
    min_size=1,
    max_size=8,
)


def quickly(records: list[dict[str, Any]]) -> dict[str, dict[str, Any]]:
    columns = columns_of(records)
    if columns is None:
        return dict(summaries(one_by_one(records)))
    return dict(summaries({path: distinct(column) for path, column in columns.items()}))


def slowly(records: list[dict[str, Any]]) -> dict[str, list[bytes]]:
    seen: dict[str, list[bytes]] = {}
    for record in records:
        for path, value in leaves(record):
            listed = seen.setdefault(path, [])
            if (dumped := orjson.dumps(value)) not in listed:
                listed.append(dumped)
    return {path: values for path, values in seen.items() if len(values) > 1}


@given(SHAPES)
@example([{"data": 1.0}, {"data": 0}, {"data": 1.0}])
def test_columns_hold_the_values_that_the_events_hold(records: list[dict[str, Any]]) -> None:
    expected = slowly(records)

    found = quickly(records)

    assert {path: each["distinct"] for path, each in found.items()} == {
        path: len(values) for path, values in expected.items()
    }
    for path, each in found.items():
        numbers = [value for value in map(orjson.loads, expected[path]) if type(value) in {int, float}]
        assert each.get("min") == (min(numbers) if numbers else None)
        assert each.get("max") == (max(numbers) if numbers else None)
        if not any(type(value) is str for value in each["first"]):
            assert [orjson.dumps(value) for value in each["first"]] == expected[path][:6]


def test_events_of_two_shapes_are_read_all_the_same() -> None:
    records: list[dict[str, Any]] = [{"data": {"a": 1}}, {"data": {"b": 2}}, {"data": 3}, {"data": {"a": 5}}]

    assert quickly(records) == {"data.a": {"distinct": 2, "min": 1, "max": 5, "first": [1, 5]}}


def test_a_member_in_the_place_of_a_time_is_not_overlooked() -> None:
    records: list[dict[str, Any]] = [{"data": 1, "timestamp": 5}, {"data": 1, "more": 2}, {"data": 1, "more": 3}]

    assert quickly(records) == {"more": {"distinct": 2, "min": 2, "max": 3, "first": [2, 3]}}
