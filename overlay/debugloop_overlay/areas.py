"""How the height of the terminal is shared out. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

LEAST_WIDTH: Final = 40
LEAST_HEIGHT: Final = 10
_FIXED: Final = 3  # header, rule, actions
_MOST_STATUS: Final = 3
_MOST_HINT: Final = 4


@dataclass(frozen=True, slots=True)
class Areas:
    """Lines that each area gets. Header, rule and actions have one each."""

    steps: int
    log: int
    status: int
    notice: int
    hint: int


def share(height: int, *, steps: int, status: int, notice: int, hint: int) -> Areas:
    """Share ``height`` lines, given how many each area would like; the log takes what is left.

    The actions always stay; the log keeps half of what it shares with the steps where these are tall.
    """
    hint = min(max(hint, 1), _MOST_HINT)
    status = min(status, _MOST_STATUS, height - _FIXED - hint - 2)
    left = height - _FIXED - hint - status
    notice = min(notice, left // 4)
    left -= notice
    steps = min(steps, left - max(left // 2, 1))
    return Areas(steps=steps, log=left - steps, status=status, notice=notice, hint=hint)
