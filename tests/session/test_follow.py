from __future__ import annotations

import dataclasses
import itertools
import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from debugloop.evidence.query import Query
from debugloop.session.follow import Follower, LineReader
from debugloop.session.records import Row
from debugloop.settings import Settings


@pytest.fixture
def log(tmp_path: Path) -> Path:
    path = tmp_path / "debug.jsonl"
    path.touch()
    return path


def append(path: Path, data: bytes) -> None:
    with path.open("ab", buffering=0) as file:
        file.write(data)


class Seen:
    """A reader that keeps rows as a panel does: a reset voids all of them."""

    def __init__(self, path: Path, settings: Settings) -> None:
        self.follower = Follower(path, settings)
        self.rows: list[Row] = []
        self.resets = 0

    def look(self) -> list[str]:
        while True:
            batch = self.follower.poll()
            if batch.reset:
                self.resets += 1
                self.rows.clear()
            self.rows += batch.rows
            if not batch.more:
                return [row.malformed or str(row.record().get("m")) for row in self.rows]


def test_a_row_shows_when_its_line_feed_has_come_and_once(log: Path, settings: Settings) -> None:
    seen = Seen(log, settings)
    append(log, b'{"m":')
    assert seen.look() == []
    append(log, b"1}\n")
    assert seen.look() == ["1"]
    assert seen.look() == ["1"]


@pytest.mark.parametrize("position", range(0, 60, 7))
def test_a_cut_inside_a_partial_line_forgets_it(log: Path, settings: Settings, position: int) -> None:
    seen = Seen(log, settings)
    append(log, b'{"m":1}\n{"m":2, "long": "' + b"x" * position)
    assert seen.look() == ["1"]
    os.truncate(log, 0)
    append(log, b'{"m":3}\n')
    assert seen.look() == ["3"]


def test_regrowth_past_the_old_size_between_two_looks_is_noticed(log: Path, settings: Settings) -> None:
    seen = Seen(log, settings)
    append(log, b'{"m":1}\n')
    assert seen.look() == ["1"]
    os.truncate(log, 0)
    append(log, b'{"m":2}\n{"m":3}\n{"m":4}\n')
    assert seen.look() == ["2", "3", "4"]
    assert seen.resets == 1


def test_regrowth_that_differs_only_at_the_head_or_only_near_the_end_is_noticed(log: Path, settings: Settings) -> None:
    filler = b"".join(b'{"m":"%d"}\n' % number for number in range(2000))
    seen = Seen(log, settings)
    append(log, b'{"m":"a"}\n' + filler)
    seen.look()
    log.write_bytes(b'{"m":"b"}\n' + filler + b'{"m":"new"}\n')
    assert seen.look()[0] == "b"
    assert seen.look()[-1] == "new"
    changed = log.read_bytes()
    log.write_bytes(changed.replace(b'"1999"', b'"zzzz"') + b'{"m":"newer"}\n')
    assert seen.look()[-3:] == ["zzzz", "new", "newer"]
    assert seen.resets == 2


def test_replacement_by_rename_and_deletion_are_noticed(log: Path, settings: Settings) -> None:
    seen = Seen(log, settings)
    append(log, b'{"m":1}\n')
    seen.look()
    other = log.with_name("other")
    other.write_bytes(b'{"m":1}\n{"m":2}\n')
    other.replace(log)
    assert seen.look() == ["1", "2"]
    log.unlink()
    assert seen.look() == []
    assert seen.follower.poll().gone
    assert not seen.follower.poll().reset
    log.write_bytes(b'{"m":5}\n')
    assert seen.look() == ["5"]


def test_malformed_neighbours_never_hide_a_row(log: Path, settings: Settings) -> None:
    seen = Seen(log, settings)
    append(log, b'{"m":1}\n\xff\n[\n\n{"m":2}\r\n\x00\n{"m":3}\n' + "\u2028".encode() + b'\n{"m":4}\n')
    assert seen.look() == ["1", "invalid_utf8", "torn", "2", "nul", "3", "not_json", "4"]
    assert [row.line for row in seen.rows] == [1, 2, 3, 5, 6, 7, 8, 9]


def test_a_line_too_long_is_one_row_read_in_bounded_memory(log: Path, settings: Settings) -> None:
    seen = Seen(log, settings)
    append(log, b'{"m":"' + b"x" * 3_000_000 + b'"}\n{"m":2}\n')
    assert seen.look() == ["too_long", "2"]
    assert len(seen.rows[0].raw) <= 1000


def test_lines_past_the_cap_say_so_and_cost_no_memory(log: Path, settings: Settings) -> None:
    seen = Seen(log, dataclasses.replace(settings, log_bytes=100))
    append(log, (b'{"m":"' + b"x" * 60 + b'"}\n') * 3)
    assert seen.look()[1:] == ["over_cap", "over_cap"]


def test_a_large_log_is_read_in_several_looks(log: Path, settings: Settings) -> None:
    append(log, b'{"m":1}\n' * 400_000)
    follower = Follower(log, settings)
    first = follower.poll()
    assert first.more
    assert follower.position <= 1_048_576


LINES = st.lists(st.binary(max_size=40), max_size=12)


@given(LINES, st.lists(st.integers(0, 300), max_size=8))
def test_however_the_bytes_are_cut_the_rows_are_the_same(lines: list[bytes], cuts: list[int]) -> None:
    settings = Settings(home=Path("/nowhere"), line_bytes=10_000)
    data = b"\n".join(lines) + b"\n"
    whole = LineReader(settings).feed(data)
    places = sorted({0, len(data), *(cut for cut in cuts if cut < len(data))})
    reader = LineReader(settings)
    pieces = [row for start, end in itertools.pairwise(places) for row in reader.feed(data[start:end])]
    assert pieces == whole


OPERATIONS = st.lists(
    st.one_of(
        st.tuples(st.just("append"), st.integers(0, 3)),
        st.tuples(st.sampled_from(["look", "cut", "replace", "delete", "torn"]), st.just(0)),
    ),
    max_size=30,
)


@given(OPERATIONS)
def test_any_history_ends_with_the_rows_that_are_in_the_file(
    tmp_path_factory: pytest.TempPathFactory, operations: list[tuple[str, int]]
) -> None:
    path = tmp_path_factory.mktemp("log") / "debug.jsonl"
    seen = Seen(path, Settings(home=path.parent))
    number = 0
    for operation, count in operations:
        if operation == "append":
            for _ in range(count):
                number += 1
                append(path, b'{"m":%d}\n' % number)
        elif operation == "torn":
            number += 1
            append(path, b'{"torn%d' % number)
        elif operation == "look":
            seen.look()
        elif operation == "cut" and path.exists():
            os.truncate(path, 0)
        elif operation == "replace":
            number += 1
            fresh = path.with_name("fresh")
            fresh.write_bytes(b'{"m":%d}\n' % number)
            fresh.replace(path)
        elif operation == "delete":
            path.unlink(missing_ok=True)
    shown = seen.look()
    seen.follower.close()
    whole = Seen(path, Settings(home=path.parent))
    assert shown == whole.look()
    whole.follower.close()


WANTED_LINES = st.lists(
    st.one_of(
        st.sampled_from(
            [
                b'{"hypothesisId":"H3","n":1}',
                b'{"hypothesisId":"h3"}',
                b'{"hypothesisId":"H1"}',
                rb'{"hypothesisId":"\u00483"}',
                '{"location":"é","hypothesisId":"H2"}'.encode(),
                b"",
                b"  ",
                b"no JSON with H3",
                b'{"a":"' + b"x" * 700 + b'"}',
                b'{"H3":"' + b"x" * 700 + b'"}',
                b"\xff\xfeH",
            ]
        ),
        st.binary(max_size=6).map(lambda data: data.replace(b"\n", b"")),
    ),
    max_size=30,
)


@given(WANTED_LINES, st.integers(1, 400), st.booleans())
def test_a_reader_of_what_is_wanted_gives_the_rows_of_a_whole_reading_that_can_be_meant(
    lines: list[bytes], chunk: int, small: bool
) -> None:
    settings = Settings(home=Path("/nowhere"), line_bytes=500, log_bytes=2_000 if small else 10**6)
    data = b"".join(line + b"\n" for line in lines)
    whole, some = LineReader(settings), LineReader(settings, wanted=b"h3")
    query = Query(hypothesis="H3")
    pieces = [data[at : at + chunk] for at in range(0, len(data), chunk)]

    expected = [row for piece in pieces for row in whole.feed(piece) if query.matches(row)]
    got = [row for piece in pieces for row in some.feed(piece) if query.matches(row)]

    assert got == expected
