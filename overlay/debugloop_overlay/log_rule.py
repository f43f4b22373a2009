"""What stands above the log: whether it follows, what is searched, what is left out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from rich.cells import cell_len

from debugloop.evidence.query import LETTERS
from debugloop.evidence.visible import visible
from debugloop_overlay.languages.words import Words, count

if TYPE_CHECKING:
    from debugloop_overlay.lens import Conditions
    from debugloop_overlay.palette import Role
    from debugloop_overlay.widgets.log import LogView

_LONGEST: Final = 20
_GAP: Final = 3


def log_rule(log: LogView, width: int) -> list[tuple[str, Role]]:
    """The parts of the rule above the log, those that matter least left out where there is no room."""
    words, pager = log.pager.look.words, log.pager
    conditions = pager.conditions
    told: list[tuple[str, Role]] = [(words.log, "strong")]
    told.append((words.following, "muted") if log.following else (words.paused, "attention"))
    if log.too_slow:
        told.append((words.too_slow, "bad"))
    if pager.new:
        told.append((count(words.new_rows, pager.new), "attention"))
    if log.finder:
        told.append(_search(log, words))
    if conditions.narrows:
        shown = f"{len(pager.shown):,}{'' if pager.shown.done else '…'}"
        told.append((words.shown_of.format(shown=shown, total=f"{len(log.rows):,}"), "attention"))
        told.append((" ".join(_conditions(conditions)), "key"))
    if conditions.folds:
        told.append((words.folded, "muted"))
    if not log.following:
        if log.has_shown:
            place = pager.shown.place(pager.page()[-1][0] if pager.cursor is None else pager.cursor)
            told.append((f"{place:,}/{len(pager.shown) if conditions.narrows else log.rows.total:,}", "muted"))
        told.append((words.resume, "muted"))
    return _fitting(told, width)


def _search(log: LogView, words: Words) -> tuple[str, Role]:
    finder = log.finder
    if finder is None:
        return "", "text"
    text = f"/{_short(finder.pattern.text)}"
    if finder.done and not finder.count:
        return f"{text} {words.no_match}", "bad"
    place = finder.place(log.pager.cursor)
    more = "" if finder.done else "…"
    wrapped = " ↻" if finder.wrapped else ""
    return f"{text} {f'{place:,}' if place else '-'}/{finder.count:,}{more}{wrapped}", "attention"


def _conditions(conditions: Conditions) -> list[str]:
    told: list[str] = []
    if conditions.filter:
        told.append(f"&{_short(conditions.filter.text)}")
    if conditions.least:
        told.append(f"≥{LETTERS[conditions.least]}")
    if conditions.hypotheses is not None:
        told.append(",".join(visible(each) or "-" for each in conditions.hypotheses))
    return told


def _short(text: str) -> str:
    shown = visible(text)
    return shown if len(shown) <= _LONGEST else shown[: _LONGEST - 1] + "…"


def _fitting(told: list[tuple[str, Role]], width: int) -> list[tuple[str, Role]]:
    fitting: list[tuple[str, Role]] = []
    room = width
    for text, role in told:
        if (room := room - cell_len(text) - _GAP) < -_GAP:
            break
        fitting.append((text, role))
    return fitting
