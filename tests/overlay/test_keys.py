from __future__ import annotations

from collections import Counter

import pytest

from debugloop_overlay import languages
from debugloop_overlay.app import Panel
from debugloop_overlay.keys import KEYS, bindings, help_rows, short_rows
from tests.support import ROOT


def test_no_key_does_two_things() -> None:
    pressed = Counter(key for row in KEYS for key in row.keys)
    assert [key for key, times in pressed.items() if times > 1] == []


@pytest.mark.parametrize("key", KEYS, ids=lambda key: key.shown)
def test_every_key_has_its_action(key: object) -> None:
    action = getattr(key, "action", "").partition("(")[0]
    assert callable(getattr(Panel, f"action_{action}"))


def test_every_binding_is_of_the_table_but_for_the_ways_out_of_a_text_field() -> None:
    assert len(bindings()) == len(KEYS) + 1


@pytest.mark.parametrize("code", languages.LANGUAGES)
def test_the_help_names_every_key(code: str) -> None:
    words = languages.load(code)
    named = " ".join(shown for shown, _ in help_rows(words)).split()
    assert [key.shown for key in KEYS if not set(key.shown.split()) <= set(named)] == []
    assert len({told for _, told in help_rows(words)}) == len(help_rows(words))
    assert ("n", words.short_note) in short_rows(words)


def test_the_documentation_lists_the_keys_of_the_table() -> None:
    told = [(shown.replace("|", r"\|"), text.replace("|", r"\|")) for shown, text in help_rows(languages.load("en"))]
    table = "".join(f"| `{shown}` | {text} |\n" for shown, text in told)
    assert f"| key | does |\n|---|---|\n{table}\n" in (ROOT / "docs" / "panel.md").read_text(encoding="utf-8")
