from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from debugloop.evidence.visible import visible
from debugloop_overlay.paragraphs import Paragraph, Wrapped, fits, line_starts, wrap

TEXT = st.text(st.sampled_from("ab 中é👍\n[\\x1b")) | st.text()
WIDTHS = st.integers(1, 40)


def lines_of(text: str, width: int, hang: int = 0) -> list[str]:
    wrapped = Wrapped(Paragraph.of((text, "text"), hang=hang), width)
    return [wrapped.strip(line).text for line in range(len(wrapped))]


@pytest.mark.parametrize(
    ("text", "width", "lines"),
    [
        ("", 5, [""]),
        ("short", 9, ["short"]),
        ("one two three", 8, ["one two", "three"]),
        ("one two", 3, ["one", "two"]),
        ("abcdefghij", 4, ["abcd", "efgh", "ij"]),
        ("a very_long_word_without_a_blank", 24, ["a very_long_word_without", "_a_blank"]),
        ("中文日志", 5, ["中文", "日志"]),
        ("stack\n  at a\n\nend", 20, ["stack", "  at a", "", "end"]),
        ("e\u0301e\u0301", 1, ["e\u0301", "e\u0301"]),
        ("中", 1, [" "]),  # no room for it at all
    ],
)
def test_text_is_wrapped_at_blanks_and_line_feeds_else_anywhere(text: str, width: int, lines: list[str]) -> None:
    assert [line.rstrip() or line[:1] * (text == "中") for line in lines_of(text, width)] == lines


def test_lines_after_the_first_hang_where_there_is_room_for_it() -> None:
    assert lines_of("aaaa bbbb cccc dddd", 12, hang=4) == ["aaaa bbbb   ", "    cccc    ", "    dddd    "]
    assert lines_of("aaaa bbbb cccc", 10, hang=4) == ["aaaa bbbb ", "cccc      "]


@given(TEXT.map(lambda text: "\n".join(map(visible, text.split("\n")))), WIDTHS, st.integers(0, 20))
def test_no_character_is_lost_and_no_line_is_too_wide(text: str, width: int, hang: int) -> None:
    wrapped = Wrapped(Paragraph.of((text[:7], "strong"), (text[7:], "text"), hang=hang), width)
    starts = list(wrapped.starts)
    assert starts == sorted(set(starts))
    assert starts[0] == 0
    assert all(0 <= start < max(len(text), 1) for start in starts)
    for line in range(len(wrapped)):
        strip = wrapped.strip(line)
        assert strip.cell_length == cell_len(strip.text) == width
    assert [wrapped.line_at(start) for start in starts] == list(range(len(starts)))


@given(TEXT, st.integers(2, 40))
def test_a_line_breaks_only_where_the_next_character_has_no_room(text: str, width: int) -> None:
    shown = visible(text)
    starts = [*line_starts(shown, width, 0), len(shown)]
    for start, end in pairwise(starts):
        assert cell_len(shown[start:end].rstrip(" ")) <= width


def test_escapes_are_told_apart_from_the_text_around_them() -> None:
    strip = Wrapped(Paragraph.of(("a\\x1bb\\n", "text")), 20).strip(0)
    styled = [
        (segment.text, segment.style.color.name if segment.style and segment.style.color else "") for segment in strip
    ]
    assert styled[:3] == [("a", ""), ("\\x1b", "magenta"), ("b\\n", "")]


def test_paragraphs_become_lines_in_order() -> None:
    lines = wrap([Paragraph.of(("one two", "text")), Paragraph.of(), Paragraph.of(("x", "text"))], 4)
    assert [wrapped.strip(line).text for wrapped, line in lines] == ["one ", "two ", "    ", "x   "]


def test_parts_are_counted_as_long_as_they_fit_with_their_gaps() -> None:
    assert [fits(["ab", "中", "c"], room, 1) for room in (1, 2, 4, 5, 6, 7)] == [0, 1, 1, 2, 2, 3]
