from __future__ import annotations

import json
from typing import Any

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from debugloop.session import strict

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)


def pairs(text: bytes) -> Any:
    return json.loads(text, object_pairs_hook=lambda members: members, parse_int=str, parse_float=str)


@given(JSON, st.sampled_from([None, 1, "\t"]), st.booleans())
def test_every_json_value_comes_back_with_its_own_tokens(value: Any, indent: Any, ascii_only: bool) -> None:
    text = json.dumps(value, indent=indent, ensure_ascii=ascii_only).encode("utf-8", "surrogatepass")
    found = strict.scan(text)
    assert (found.start, found.end) == (0, len(text))
    assert b"\n" not in found.text
    assert pairs(found.text) == pairs(text)


@given(st.binary(max_size=60))
def test_any_bytes_are_a_value_or_broken_at_a_position(data: bytes) -> None:
    try:
        value = strict.scan(data)
    except strict.Broken as broken:
        assert 0 <= broken.position <= len(data)
    else:
        assert strict.scan(value.text).text == value.text


@given(st.text(alphabet='{}[]",:\\ \n0123456789.eE+-truefalsnNaIity\u00e9', max_size=40))
def test_what_orjson_takes_the_scanner_takes(text: str) -> None:
    data = text.encode()
    try:
        expected = orjson.loads(data)
    except orjson.JSONDecodeError:
        return
    value = strict.scan(data)
    assert strict.skip_space(data, value.end) == len(data)
    assert orjson.loads(value.text) == expected


@given(JSON, JSON, st.sampled_from([b"\n", b"\r\n", b" ", b"\n\n"]))
def test_values_that_follow_each_other_are_found_one_by_one(first: Any, second: Any, between: bytes) -> None:
    text = json.dumps(first).encode() + between + json.dumps(second).encode()
    one = strict.scan(text)
    two = strict.scan(text, one.end)
    assert (json.loads(one.text), json.loads(two.text)) == (first, second)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (b'{"x": NaN}', b'{"x": "NaN"}'),
        (b"[Infinity,-Infinity]", b'["Infinity","-Infinity"]'),
        (b'{"n": 1e999, "m": 1.10, "k": 123456789012345678901234567890}', None),
        (b'{"a":1,"a":2}', None),
        (rb'{"m": "\ud800"}', rb'{"m": "\ufffd"}'),
        (rb'"\udc00\ud800x"', rb'"\ufffd\ufffdx"'),
        (rb'"\ud83d\ude00"', None),
        (rb'"\\ud800"', None),
        (rb'"\u0041\udc00"', rb'"\u0041\ufffd"'),
        (b'{"a":\r\n[1,\n2]}', b'{"a":  [1, 2]}'),
    ],
)
def test_only_what_is_not_strict_json_is_rewritten(text: bytes, expected: bytes | None) -> None:
    assert strict.scan(text).text == (expected or text)


@pytest.mark.parametrize(
    ("text", "position"),
    [(b"", 0), (b'{"a":', 5), (b'{"a" 1}', 5), (b"[1,]", 3), (b"{,}", 1), (b'{"a":1', 6), (b"01", 1), (b"12ab", 2)],
)
def test_a_broken_text_says_where(text: bytes, position: int) -> None:
    with pytest.raises(strict.Broken) as broken:
        strict.scan(text)
    assert broken.value.position == position


def test_deep_nesting_is_refused_and_never_a_recursion_error() -> None:
    deep = b"[" * 20_000 + b"]" * 20_000
    with pytest.raises(strict.TooDeep):
        strict.scan(deep)
    assert strict.deeper_than(b"[" * 129 + b"]" * 129, 128)
    assert not strict.deeper_than(b"[" * 128 + b"]" * 128, 128)
    assert not strict.deeper_than(b'"' + b"[" * 500 + b'"', 128)


@given(st.dictionaries(st.text(), JSON, max_size=5))
def test_members_stand_where_they_say(value: dict[str, Any]) -> None:
    text = strict.scan(json.dumps(value, indent=1).encode()).text
    found = strict.members(text)
    assert [each.key for each in found] == list(value)
    for each in found:
        assert json.loads(text[each.key_start : each.key_end]) == each.key
        assert json.loads(text[each.value_start : each.value_end]) == value[each.key]
