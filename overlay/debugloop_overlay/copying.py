"""What of a row is copied."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from debugloop.evidence.cut import without_stamp
from debugloop.evidence.rows import parts
from debugloop.evidence.visible import visible

if TYPE_CHECKING:
    from debugloop.session.records import Row

_BEYOND_ASCII: Final = re.compile(r"[^\x20-\x7e]")


def message_of(row: Row) -> str:
    """What a row says, as it is shown, with its line breaks; without a message its data."""
    shown = parts(row, line_break="\n")
    return shown.message or shown.data


def json_of(row: Row) -> str:
    """The record as it came, every digit kept; what a terminal would obey stands as a JSON escape."""
    if row.malformed:
        return visible(row.text)
    return _BEYOND_ASCII.sub(_shown, without_stamp(row).decode())


def _shown(match: re.Match[str]) -> str:
    character = match[0]
    if visible(f"a{character}") == f"a{character}":
        return character
    units = character.encode("utf-16-be")
    return "".join(f"\\u{units[at] << 8 | units[at + 1]:04x}" for at in range(0, len(units), 2))
