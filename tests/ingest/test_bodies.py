from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import orjson
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from debugloop.ingest.bodies import Parsed, parse
from debugloop.settings import Settings

SETTINGS = Settings(home=Path("/nowhere"))
NOW = 1_700_000_000_000
STAMP = b',"timestamp":1700000000000}'
STEPS = b'{"type":"reproduction_steps","title":"Cart","steps":["open","press"]}'

scalars = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text()
values = st.recursive(
    scalars, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4)
)
keys = st.text(max_size=8) | st.sampled_from(["_", "timestamp", "type", "message"])


def as_bytes(value: object, indent: int | None, ascii_only: bool) -> bytes:
    return json.dumps(value, indent=indent, ensure_ascii=ascii_only).encode("utf-8", "replace")


json_bytes = st.builds(as_bytes, st.dictionaries(keys, values, max_size=6), st.sampled_from([None, 2]), st.booleans())


def parsed(body: bytes, content_type: str = "text/plain", **more: Any) -> Parsed:
    return parse(body, content_type, SETTINGS, now_ms=NOW, **more)


def records(result: Parsed) -> list[bytes]:
    return [event.record for event in result.events]


def stored(body: bytes, content_type: str = "text/plain") -> list[Any]:
    """The records without the timestamp that the server sets."""
    result = parsed(body, content_type)
    assert result.rejected == []
    found = [json.loads(record) for record in records(result)]
    return [{key: value for key, value in each.items() if (key, value) != ("timestamp", NOW)} for each in found]


@pytest.mark.parametrize(
    "content_type",
    [
        "application/json",
        "application/json; charset=utf-8",
        "text/plain;charset=UTF-8",
        "application/x-www-form-urlencoded",
        "",
    ],
)
def test_an_object_is_a_record_whatever_its_content_type(content_type: str) -> None:
    assert records(parsed(b'{"a":1}', content_type)) == [b'{"a":1' + STAMP]


@pytest.mark.parametrize(
    "body",
    [
        b'{"a":1}{"b":2}',
        b'{"a":1}\n{"b":2}',
        b'{"a":1}\r\n{"b":2}\r\n',
        b'  {"a":1} {"b":2}',
        b'\n\n{"a":1}\n\n\n{"b":2}\n\n',
        b'[{"a":1},{"b":2}]',
        b'[\n  {"a":1},\n  {"b":2}\n]\n',
        b'[{"a":1}]\n[{"b":2}]',
        b'[{"a":1}]{"b":2}',
        b'\xef\xbb\xbf{"a":1}\n{"b":2}',
        b'{"a":\n1\n}\n{\n"b":2}',
    ],
)
def test_several_values_in_one_body_are_a_record_each(body: bytes) -> None:
    assert stored(body) == [{"a": 1}, {"b": 2}]


@pytest.mark.parametrize(
    ("body", "values"),
    [
        (b"1", [1]),
        (b'"hi"', ["hi"]),
        (b"null\ntrue\n-1.5\n", [None, True, -1.5]),
        (b'[1,"x",[2,3],null]', [1, "x", [2, 3], None]),
        (b'"a"\n"b"', ["a", "b"]),
    ],
)
def test_what_is_no_object_is_stored_as_a_value(body: bytes, values: list[Any]) -> None:
    assert stored(body) == [{"value": value} for value in values]


@pytest.mark.parametrize(
    "text",
    [
        "[vite] hmr update",
        "2024-01-01 failed",
        "2024-01-01",
        "404 not found",
        "1 2 3",
        '"a" "b"',
        "true false",
        "[1] failed",
        "{a: 1}",
        "{} {",
        "message=hi&level=info",
        "hello\nworld\n",
        "<b>é</b>\t\x00\x1b[31m",
        "NaNa",
        "[" * 300,
    ],
)
def test_what_is_no_json_is_one_message_as_it_is(text: str) -> None:
    assert stored(text.encode()) == [{"message": text}]


def test_bytes_that_are_no_text_become_replacement_characters() -> None:
    assert stored(b"a\xffb") == [{"message": "a�b"}]


@pytest.mark.parametrize(
    ("body", "content_type", "position"),
    [
        (b'{"a":', "text/plain", 5),
        (b'{"a":1,}', "", 7),
        (b'[{"a":1},]', "", 9),
        (b'[{"a":1}', "", 8),
        (b'{"a":"x\ny"}', "", 5),
        (b"oops", "application/json", 0),
        (b"[1,2", "application/json; charset=utf-8", 4),
        (b"{a:1}", "application/x-ndjson", 1),
        (b"{a:1}", "application/vnd.api+json", 1),
        (b'{"a":"\xff"}', "", 6),
        (b'\xef\xbb\xbf{"a":oops}', "", 8),
        (b"404 not found", "application/json", 4),
    ],
)
def test_broken_json_is_refused_with_its_position(body: bytes, content_type: str, position: int) -> None:
    result = parsed(body, content_type)
    assert records(result) == []
    assert f"at byte {position}." in result.rejected[0].message


@pytest.mark.parametrize("body", [b"", b" \r\n\t", b"\xef\xbb\xbf", b"[]", b"[ ]\n[]"])
def test_a_body_without_a_record_is_refused(body: bytes) -> None:
    result = parsed(body)
    assert records(result) == []
    assert "empty" in result.rejected[0].message


def test_records_nested_deeper_than_the_limit_are_refused() -> None:
    def nested(depth: int) -> bytes:
        return b'{"a":' * (depth - 1) + b"{}" + b"}" * (depth - 1)

    assert parsed(nested(128)).rejected == []
    assert "nested deeper than 128" in parsed(nested(129)).rejected[0].message
    assert "nested deeper" in parsed(b"[" * 20_000 + b"]" * 20_000).rejected[0].message
    assert parsed(b'{"a":"' + b"[" * 1_000 + b'"}').rejected == []


@pytest.mark.parametrize(
    ("body", "kept", "refused"),
    [
        (b'{"a":1}\n{oops\n{"c":3}\n', ["a", "c"], [1]),
        (b'{"a":1}\n{"b":\n{"c":3}\n{"d":4}', ["a", "c", "d"], [1]),
        (b'{"a":1}\n{"b":"cut\n{"c":3}', ["a", "c"], [1]),
        (b'{"a":1}\noops\n{"c":3}', ["a", "c"], [1]),
        (b'{"a":1}\n{"b":oops}\n{"c":3}\n{"d":oops}\n{"e":5}', ["a", "c", "e"], [1, 3]),
        (b'{"a":1}{"b":oops}{"c":3}', ["a"], [1]),
        (b'{"a":1}{"b":oops}{"c":3}\n{"d":4}', ["a", "d"], [1]),
        (b'{"a":1}\n[{"b":2},oops]\n{"c":3}', ["a", "c"], [2]),
        (b'{"a":1}\n[{"b":2},oops', ["a"], [2]),
        (b'{"a":1};', ["a"], [1]),
        (b'{"a":1} 5', ["a"], [1]),
    ],
)
def test_lines_go_on_after_a_broken_one_and_joined_values_stop(
    body: bytes, kept: list[str], refused: list[int]
) -> None:
    result = parsed(body)
    assert [next(iter(orjson.loads(record))) for record in records(result)] == kept
    assert [rejected.index for rejected in result.rejected] == refused
    assert sorted(result.indexes + refused) == sorted({*result.indexes, *refused})
    assert result.batch


@pytest.mark.parametrize(
    "body",
    [
        b'[{"a":1},{"b":oops},{"c":3}]',
        b'[{"a":1},\n{"b":oops},\n{"c":3}\n]',
        b'[{"a":1},{"b":2}',
    ],
)
def test_a_broken_array_stores_nothing(body: bytes) -> None:
    result = parsed(body)
    assert records(result) == []
    assert "Nothing of its array is stored" in result.rejected[0].message


def test_nothing_of_a_broken_object_that_spans_lines_is_taken_for_a_record() -> None:
    body = b'{"a": [\n  {"inner": 1}\n  ], oops,\n  "b": {\n    "c": 2\n  }\n}'
    result = parsed(body)
    assert records(result) == []
    assert len(result.rejected) == 1


def test_a_record_keeps_the_bytes_it_came_with() -> None:
    body = b'{"b": 1.10, "a": 1e999, "a":123456789012345678901234567890,  "c":-0, "d":"\\u00e9\xc3\xa9"}'
    assert records(parsed(body)) == [body[:-1] + STAMP]


def test_line_breaks_between_tokens_become_blanks() -> None:
    assert records(parsed(b'{\r\n  "a": [\n1\n],\n"b":"x\\ny"\n}\n')) == [b'{    "a": [ 1 ], "b":"x\\ny"' + STAMP]


def test_only_what_is_no_strict_json_is_rewritten() -> None:
    body = b'{"x":NaN,"y":[-Infinity, Infinity],"m":"\\ud800","ok":"\\ud83d\\ude00"}'
    rewritten = b'{"x":"NaN","y":["-Infinity", "Infinity"],"m":"\\ufffd","ok":"\\ud83d\\ude00"'
    assert records(parsed(body)) == [rewritten + STAMP]


def test_the_clients_own_underscore_is_kept_under_another_name() -> None:
    assert records(parsed(b'{"_":{"_":1}, "a":2, "\\u005f" :3}')) == [
        b'{"_client":{"_":1}, "a":2, "_client" :3' + STAMP
    ]


@pytest.mark.parametrize("time", [b"5", b'"2024-01-01T00:00:00Z"', b"null", b'"soon"'])
def test_the_clients_timestamp_is_never_touched(time: bytes) -> None:
    body = b'{"timestamp":' + time + b"}"
    assert records(parsed(body)) == [body]


@pytest.mark.parametrize("body", [b"{}", b" { } ", b"{\n}"])
def test_an_empty_object_gets_a_timestamp(body: bytes) -> None:
    assert records(parsed(body)) == [b'{"timestamp":1700000000000}']


def test_steps_alone_and_without_an_origin_open_a_run() -> None:
    for body in (STEPS, b"[" + STEPS + b"]", b"\n" + STEPS + b"\n"):
        result = parsed(body)
        assert records(result) == []
        assert result.rejected == []
        assert result.steps is not None
        assert (result.steps.title, result.steps.steps, result.steps.source) == ("Cart", ("open", "press"), "http")


@pytest.mark.parametrize(
    ("body", "from_page", "why"),
    [
        (STEPS, True, "page may not"),
        (STEPS + b'\n{"a":1}', False, "only record"),
        (b'[{"a":1},' + STEPS + b"]", False, "only record"),
        (STEPS + b"\n{oops", False, "only record"),
        (b'{"type":"reproduction_steps"}', False, "list of texts"),
        (b'{"type":"reproduction_steps","steps":[]}', False, "1 to 50"),
        (b'{"type":"reproduction_steps","steps":[" "]}', False, "empty"),
        (b'{"type":"reproduction_steps","steps":[1e999]}', False, "no text"),
        (b'{"type":"x","type":"reproduction_steps","steps":[]}', False, "1 to 50"),
    ],
)
def test_steps_that_may_not_open_a_run_change_nothing(body: bytes, from_page: bool, why: str) -> None:
    result = parsed(body, from_page=from_page)
    assert result.steps is None
    assert records(result) == []
    assert why in result.rejected[0].message


@given(st.binary(max_size=200) | st.text(max_size=60).map(str.encode), st.sampled_from(["", "application/json"]))
@example(b'{"_":1e999,"_":NaN}', "")
@example(b'{"a":1}\n[\n{"b":oops},\n', "application/json")
def test_whatever_comes_is_stored_as_strict_json_or_refused(body: bytes, content_type: str) -> None:
    result = parsed(body, content_type)
    assert records(result) or result.rejected or result.steps
    assert len(records(result)) == len(result.indexes)
    for record in records(result):
        assert b"\n" not in record
        assert b"\r" not in record
        value = json.loads(record.decode(), parse_constant=pytest.fail)
        assert isinstance(value, dict)
        assert "_" not in value
        assert "timestamp" in value


@given(st.lists(json_bytes, min_size=1, max_size=5), st.sampled_from([b"", b"\n", b"\r\n", b" ", b"\n\n"]))
def test_every_value_of_a_sequence_is_stored_in_order(bodies: list[bytes], separator: bytes) -> None:
    for body in (separator.join(bodies), b"[" + b",".join(bodies) + b"]"):
        result = parsed(body)
        if result.steps is None and not any(b"reproduction_steps" in each for each in bodies):
            assert result.rejected == []
            assert result.indexes == list(range(len(bodies)))
            for record, each in zip(records(result), bodies, strict=True):
                wanted = {"timestamp": NOW, **json.loads(each)}
                if "_" in wanted:
                    wanted["_client"] = wanted.pop("_")
                assert json.loads(record) == wanted


@given(json_bytes)
def test_the_short_way_for_plain_objects_gives_what_the_long_way_gives(body: bytes) -> None:
    by_the_long_way = parsed(b"\xef\xbb\xbf" + body)
    assert parsed(body) == by_the_long_way


@given(json_bytes, st.data())
def test_json_that_is_cut_off_stores_nothing_of_itself(body: bytes, data: st.DataObject) -> None:
    cut = body[: data.draw(st.integers(1, len(body) - 1))]
    result = parsed(cut, "application/json")
    assert records(result) == []
    assert result.rejected
