"""The few styles of the panel, by what they mean.

Only the sixteen colours of the terminal itself, over its own background: the panel suits a light theme, a dark
one and NO_COLOR alike. No state is told by a colour alone.
"""

from __future__ import annotations

from typing import Final, TypeAlias

from rich.style import Style

Role: TypeAlias = str

STYLES: Final[dict[Role, Style]] = {
    "text": Style(),
    "strong": Style(bold=True),
    "muted": Style(dim=True),
    "title": Style(bold=True, reverse=True),
    "rule": Style(dim=True),
    "chosen": Style(bold=True, reverse=True),
    "key": Style(bold=True, color="cyan"),
    "good": Style(color="green"),
    "attention": Style(bold=True, color="yellow"),
    "bad": Style(bold=True, color="red"),
    "tag": Style(bold=True, color="cyan"),
    "location": Style(color="cyan"),
    "match": Style(bold=True, reverse=True, color="yellow"),
    "escape": Style(color="magenta"),
    "level-T": Style(dim=True),
    "level-D": Style(dim=True),
    "level-I": Style(color="green"),
    "level-W": Style(bold=True, color="yellow"),
    "level-E": Style(bold=True, color="red"),
    "level-F": Style(bold=True, color="red", reverse=True),
}
