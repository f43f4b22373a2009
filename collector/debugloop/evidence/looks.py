"""How the parts of a row look in a terminal: the same for `logs` and for the panel.

Only the sixteen colours of the terminal itself, over its own background: that suits a light theme, a dark one and
NO_COLOR alike. No state is told by a colour alone.
"""

from __future__ import annotations

from typing import Final, NamedTuple


class Look(NamedTuple):
    """Attributes of a text; ``colour`` is one of the terminal's own, by its name."""

    bold: bool = False
    dim: bool = False
    reverse: bool = False
    colour: str = ""


LOOKS: Final[dict[str, Look]] = {
    "text": Look(),
    "strong": Look(bold=True),
    "muted": Look(dim=True),
    "bad": Look(bold=True, colour="red"),
    "tag": Look(bold=True, colour="cyan"),
    "location": Look(colour="cyan"),
    "level-T": Look(dim=True),
    "level-D": Look(dim=True),
    "level-I": Look(colour="green"),
    "level-W": Look(bold=True, colour="yellow"),
    "level-E": Look(bold=True, colour="red"),
    "level-F": Look(bold=True, colour="red", reverse=True),
}

_COLOURS: Final = ("black", "red", "green", "yellow", "blue", "magenta", "cyan", "white")


def painted(text: str, look: str) -> str:
    """A visible text with the terminal's sequences (SGR) for its look, and back to none after it."""
    bold, dim, reverse, colour = LOOKS[look]
    codes = [code for code, wanted in (("1", bold), ("2", dim), ("7", reverse)) if wanted]
    codes += [f"3{_COLOURS.index(colour)}"] if colour else []
    return f"\x1b[{';'.join(codes)}m{text}\x1b[0m" if codes and text else text
