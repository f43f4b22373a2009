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
    # the log: log_keys.py
    Key("scroll(-1)", ("up",), "↑", "key_scroll"),
    Key("scroll(1)", ("down",), "↓", "key_scroll"),
    Key("row(-1)", ("k",), "k", "key_row"),
    Key("row(1)", ("j",), "j", "key_row"),
    Key("turn(-1)", ("pageup", "b"), "PageUp b", "key_page"),
    Key("turn(1)", ("pagedown", "space"), "PageDown Space", "key_page"),
    Key("turn(-0.5)", ("ctrl+u",), "^u", "key_half_page"),
    Key("turn(0.5)", ("ctrl+d",), "^d", "key_half_page"),
    Key("start", ("home", "g"), "Home g", "key_ends"),
    Key("end", ("end", "G"), "End G", "key_ends"),
    Key("follow", ("f",), "f", "key_follow", "short_follow"),
    Key("search", ("slash",), "/", "key_search", "short_search"),
    Key("previous_match", ("N",), "N", "key_match"),
    Key("filter", ("ampersand",), "&", "key_filter", "short_filter"),
    Key("hypothesis", ("i",), "i", "key_hypothesis"),
    Key("level(1)", ("1",), "1", "key_level"),
    Key("level(2)", ("2",), "2", "key_level"),
    Key("level(3)", ("3",), "3", "key_level"),
    Key("level(4)", ("4",), "4", "key_level"),
    Key("level(5)", ("5",), "5", "key_level"),
    Key("error(1)", ("e",), "e", "key_error"),
    Key("error(-1)", ("E",), "E", "key_error"),
    Key("details", ("o",), "o", "key_details", "short_details"),
    Key("copy('message')", ("y",), "y", "key_copy"),
    Key("copy('json')", ("Y",), "Y", "key_copy"),
    Key("goto", ("colon",), ":", "key_goto"),
    Key("wrap", ("w",), "w", "key_wrap"),
    Key("sideways(-1)", ("h",), "h", "key_sideways"),
    Key("sideways(1)", ("l",), "l", "key_sideways"),
    Key("times", ("t",), "t", "key_times"),
    Key("fold", ("z",), "z", "key_fold"),
    Key("steps", ("s",), "s", "key_steps", "short_steps"),
    Key("hypotheses", ("p",), "p", "key_hypotheses"),
    Key("go_to_run(-1)", ("left_square_bracket",), "[", "key_run_before"),
    Key("go_to_run(1)", ("right_square_bracket",), "]", "key_run_after"),
    Key("compare", ("equals_sign",), "=", "key_compare"),
    Key("hand_over", ("a",), "a", "key_hand_over"),
    Key("palette", ("ctrl+p",), "^p", "key_palette"),
    Key("revive", ("u",), "u", "key_revive"),
    Key("language", ("L",), "L", "key_language"),
    Key("help", ("question_mark",), "?", "key_help", "short_help"),
    Key("leave", ("escape",), "Esc", "key_leave"),
    Key("close", ("q",), "q", "key_quit", "short_quit"),
)

CLOSING: Final = frozenset({"ctrl+c", "ctrl+q"})
"""Keys that close the panel also while a line is typed: in their turn, after the keys that were typed before them."""


def bindings() -> list[BindingType]:
    """All keys as Textual wants them."""
    return [*(key.binding for key in KEYS), Binding(",".join(CLOSING), "close", show=False)]


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
