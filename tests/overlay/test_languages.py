from __future__ import annotations

import re
from pathlib import Path

import pytest

import debugloop_overlay
from debugloop.evidence.rows import REASONS
from debugloop_overlay import languages
from debugloop_overlay.languages.words import Words, count

FIELDS = list(Words._fields)
SOURCE = "\n".join(
    path.read_text(encoding="utf-8")
    for path in Path(debugloop_overlay.__file__).parent.rglob("*.py")
    if path.parent.name != "languages"
)


def placeholders(text: str | tuple[str, ...]) -> list[set[str]]:
    return [set(re.findall(r"{(\w+)}", each)) for each in ([text] if isinstance(text, str) else text)]


def test_every_language_has_every_text_with_the_same_places_to_fill_in() -> None:
    for field in FIELDS:
        texts = [getattr(languages.load(code), field) for code in languages.LANGUAGES]
        assert all(texts), field
        assert all(placeholders(text) == placeholders(texts[0]) for text in texts), field


def test_no_text_is_left_over() -> None:
    shown_by_name = set(REASONS)
    assert [
        field for field in FIELDS if field not in shown_by_name and not re.search(rf"\.{field}\b|\"{field}\"", SOURCE)
    ] == []


@pytest.mark.parametrize(
    ("wanted", "environment", "code"),
    [
        (None, {}, "en"),
        (None, {"LANG": "zh_CN.UTF-8"}, "zh"),
        (None, {"LANG": "zh-Hans"}, "zh"),
        (None, {"LANG": "zh_CN.UTF-8", "LC_ALL": "C.UTF-8"}, "en"),
        (None, {"LANG": "de_DE", "LC_MESSAGES": "zh_TW"}, "zh"),
        ("en", {"LANG": "zh_CN.UTF-8"}, "en"),
        ("zh", {}, "zh"),
    ],
)
def test_the_language_is_the_one_asked_for_else_that_of_the_locale(
    wanted: str | None, environment: dict[str, str], code: str
) -> None:
    assert languages.choose(wanted, environment).code == code


def test_the_key_goes_round_all_languages() -> None:
    first = languages.load("en")
    assert languages.after(languages.after(first)) is first


def test_a_number_takes_its_form_and_thousands_are_marked() -> None:
    assert [count(languages.load("en").events, n) for n in (0, 1, 2, 12_345)] == [
        "0 events",
        "1 event",
        "2 events",
        "12,345 events",
    ]
    assert count(languages.load("zh").events, 1) == "1 个事件"


def test_the_contract_s_words_for_the_actions() -> None:
    chinese = languages.load("zh")
    assert (chinese.reproduced, chinese.resolved, chinese.clear) == ("已复现", "已解决", "清除日志")
