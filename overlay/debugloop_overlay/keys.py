"""The keys of the panel: one table for the bindings, the action bar and the help."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from textual.binding import Binding, BindingType

if TYPE_CHECKING:
    from debugloop_overlay.languages.words import Words


@dataclass(frozen=True, slots=True)
class Key:
    """Keys that do one thing. ``action`` is the panel's, ``keys`` are Textual's names, ``shown`` is what people read.

    ``help`` and ``short`` name fields of Words; without ``short`` the action bar leaves it out.
    """

    action: str
    keys: tuple[str, ...]
    shown: str
    help: str
    short: str = ""

    @property
    def binding(self) -> Binding:
        return Binding(",".join(self.keys), self.action, show=False, id=self.action)


KEYS: Final = (
    Key("choose(1)", ("tab", "right"), "Tab →", "key_choose"),
    Key("choose(-1)", ("shift+tab", "left"), "Shift+Tab ←", "key_choose"),
    Key("run", ("enter",), "Enter", "key_run"),
    Key("reproduced", ("r",), "r", "key_reproduced"),
    Key("resolved", ("R",), "R", "key_resolved"),
    Key("clear", ("C",), "C", "key_clear"),
    Key("note", ("n",), "n", "key_note", "short_note"),
    Key("scroll(-1)", ("up",), "↑", "key_scroll"),
    Key("scroll(1)", ("down",), "↓", "key_scroll"),
    Key("page(-1)", ("pageup",), "PageUp", "key_page"),
    Key("page(1)", ("pagedown",), "PageDown", "key_page"),
    Key("start", ("home",), "Home", "key_ends"),
    Key("end", ("end",), "End", "key_ends"),
    Key("follow", ("f",), "f", "key_follow", "short_follow"),
    Key("steps", ("s",), "s", "key_steps", "short_steps"),
    Key("revive", ("u",), "u", "key_revive"),
    Key("language", ("L",), "L", "key_language"),
    Key("help", ("question_mark",), "?", "key_help", "short_help"),
    Key("leave", ("escape",), "Esc", "key_leave"),
    Key("close", ("q",), "q", "key_quit", "short_quit"),
    # asked for by the question itself, while there is one
    Key("confirm", ("y",), "y", ""),
)


def bindings() -> list[BindingType]:
    """All keys as Textual wants them. Ctrl+C and Ctrl+Q work in a text field, too."""
    close = Binding("ctrl+c,ctrl+q", "close", show=False, priority=True)
    return [*(key.binding for key in KEYS), close]


def help_rows(words: Words) -> list[tuple[str, str]]:
    """The keys and what they do, one row for each thing."""
    rows: dict[str, str] = {}
    for key in KEYS:
        if key.help:
            rows[key.help] = f"{rows[key.help]} {key.shown}" if key.help in rows else key.shown
    return [(shown, getattr(words, field)) for field, shown in rows.items()]


def short_rows(words: Words) -> list[tuple[str, str]]:
    """Keys that the action bar names where there is room."""
    return [(key.shown, getattr(words, key.short)) for key in KEYS if key.short]
