"""A row of the log as a paragraph: time, level letter, hypothesis, location, message, data; free text last."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from debugloop.evidence.rows import parts
from debugloop_overlay.paragraphs import Paragraph

if TYPE_CHECKING:
    from debugloop.session.records import Row
    from debugloop_overlay.languages.words import Words

NARROW: Final = 60
"""Below this many cells the clock has no milliseconds and further lines hang by little."""
_CLOCK: Final = len("20:00:00.000")
_SHORT_CLOCK: Final = len("20:00:00")


def row_paragraph(row: Row, words: Words, width: int) -> Paragraph:
    """How a row is shown in ``width`` cells; all of it, however long."""
    narrow = width < NARROW
    clock = _SHORT_CLOCK if narrow else _CLOCK
    hang = 2 if narrow else clock + 3
    shown = parts(row, line_break="\n")
    if shown.malformed:
        reason = words.malformed_row.format(reason=getattr(words, shown.malformed))
        head = f"{'':<{clock}} ! "
        return Paragraph.of((head, "bad"), (f"{reason} ", "bad"), (shown.message, "text"), hang=hang)
    spaced = [
        (shown.hypothesis, "tag"),
        (shown.location, "location"),
        (shown.message.rstrip("\n"), "bad" if shown.level in {"E", "F"} else "strong"),
        (shown.data, "text"),
    ]
    pieces = [(text + ("  " if role == "location" else " "), role) for text, role in spaced if text]
    return Paragraph.of(
        (f"{shown.time[:clock]:<{clock}} ", "muted"),
        (f"{shown.level or ' '} ", f"level-{shown.level or 'I'}"),
        *pieces,
        hang=hang,
    )
