from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from debugloop.evidence.visible import MARKS_ON_ONE_CHARACTER, visible

ANY_TEXT = st.text(st.characters(exclude_categories=()))  # lone surrogates too


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("\x1b]52;c;aGk=\x07", "\\x1b]52;c;aGk=\\x07"),  # clipboard
        ("\x1b]0;title\x1b\\", "\\x1b]0;title\\x1b\\"),
        ("\x1b[2J\x1b[?1049h", "\\x1b[2J\\x1b[?1049h"),
        ("\x9b31m\x90q\x9d0;t\x9c", "\\x9b31m\\x90q\\x9d0;t\\x9c"),  # C1 forms
        ("a\tb\r\nc\x7f\0", "a\\tb\\r\\nc\\x7f\\x00"),
        ("user\u202egpj.exe\u2066", "user\\u202egpj.exe\\u2066"),
        ("zero\u200bwidth\ufeff\u00ad\u2060", "zero\\u200bwidth\\ufeff\\xad\\u2060"),
        ("a\u2028b\u2029c\x85d", "a\\u2028b\\u2029c\\x85d"),
        ("\ud83d half", "\\ud83d half"),
        ("\U000e0041\U000e007f", "\\U000e0041\\U000e007f"),  # tags: a message that nobody sees
        ("\u3164\uffa0\u115f", "\\u3164\\uffa0\\u115f"),  # letters without a shape
        ("\U0010ffff\uffff", "\\U0010ffff\\uffff"),
    ],
)
def test_what_a_terminal_would_obey_reorder_or_hide_is_written_out(text: str, shown: str) -> None:
    assert visible(text) == shown


@pytest.mark.parametrize(
    "text",
    [
        "",
        "plain [b]text[/b] \\n %s {}",
        "中文 日本語 한국어",
        "Žluťoučký кůň",
        "שלום عربى",
        "e\u0301te\u0301",
        "✅ ok 🎉",
        "\ue0b0",
    ],
)
def test_ordinary_text_of_any_script_stays_as_it_is(text: str) -> None:
    assert visible(text) == text


def test_joined_emoji_come_apart_so_that_every_terminal_gives_them_the_same_width() -> None:
    assert visible("👨\u200d👩\u200d👧") == "👨\\u200d👩\\u200d👧"
    assert visible("⚠\ufe0f") == "⚠\\ufe0f"
    assert visible("👍\U0001f3fd") == "👍\\U0001f3fd"


def test_a_pile_of_combining_marks_is_cut_down_and_none_reaches_what_stands_before_the_text() -> None:
    assert visible("a" + "\u0301" * 5) == "a" + "\u0301" * 3 + "\\u0301\\u0301"
    assert visible("\u0301a") == "\\u0301a"
    assert visible("\x1b\u0301") == "\\x1b\\u0301"


@given(ANY_TEXT)
def test_no_text_keeps_a_character_that_does_not_show_itself(text: str) -> None:
    shown = visible(text)
    assert not {unicodedata.category(character) for character in shown} & {"Cc", "Cf", "Cs", "Cn", "Zl", "Zp"}
    assert len(shown.splitlines()) <= 1
    run = 0
    for character in shown:
        run = run + 1 if unicodedata.category(character) in {"Mn", "Me"} else 0
        assert run <= MARKS_ON_ONE_CHARACTER


@given(ANY_TEXT)
def test_what_was_shown_once_is_shown_the_same_again(text: str) -> None:
    assert visible(visible(text)) == visible(text)


def test_all_of_unicode_passes_in_bounded_memory() -> None:
    everything = "".join(map(chr, range(0x110000)))
    assert len(visible(everything)) > len(everything)
