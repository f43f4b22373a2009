"""The few styles of the panel, by what they mean: those of the rows, which `logs` has too, and its own."""

from __future__ import annotations

from typing import Final, TypeAlias

from rich.style import Style

from debugloop.evidence.looks import LOOKS

Role: TypeAlias = str

STYLES: Final[dict[Role, Style]] = {
    **{
        name: Style(
            bold=look.bold or None, dim=look.dim or None, reverse=look.reverse or None, color=look.colour or None
        )
        for name, look in LOOKS.items()
    },
    "title": Style(bold=True, reverse=True),
    "rule": Style(dim=True),
    "chosen": Style(bold=True, reverse=True),
    "key": Style(bold=True, color="cyan"),
    "good": Style(color="green"),
    "attention": Style(bold=True, color="yellow"),
    "match": Style(bold=True, reverse=True, color="yellow"),
    "escape": Style(color="magenta"),
}
