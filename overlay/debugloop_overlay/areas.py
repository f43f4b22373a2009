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
    hypotheses: int
    log: int
    status: int
    notice: int
    hint: int


def share(  # noqa: PLR0913 -- an argument an area, by name
    height: int, *, steps: int, hypotheses: int, status: int, notice: int, hint: int
) -> Areas:
    """Share ``height`` lines, given how many each area would like; the log takes what is left.

    The actions always stay; the log keeps half of what it shares with steps and hypotheses, these a third of the rest.
    """
    hint = min(max(hint, 1), _MOST_HINT)
    status = min(status, _MOST_STATUS, height - _FIXED - hint - 2)
    left = height - _FIXED - hint - status
    notice = min(notice, left // 4)
    left -= notice
    top = left - max(left // 2, 1)
    steps = min(steps, top - min(hypotheses, top // 3))
    hypotheses = min(hypotheses, top - steps)
    log = left - steps - hypotheses
    return Areas(steps=steps, hypotheses=hypotheses, log=log, status=status, notice=notice, hint=hint)
