"""A log of forty rows, and the part of the screen that shows it."""

from __future__ import annotations

from tests.overlay.house import Driven

MANY = [
    {
        "hypothesisId": f"H{number % 2 + 1}",
        "location": f"cart.js:{number}",
        "message": f"row {number:02}",
        "level": "error" if number in {10, 30} else "warn" if number % 10 == 5 else "debug",
        "timestamp": 1_764_532_800_000 + number * 1_500,
        "data": {"sum": number, "even": number % 2 == 0},
    }
    for number in range(40)
]


def log_of(panel: Driven) -> list[str]:
    """The lines of the log on the screen."""
    lines = panel.screen.splitlines()
    top = next(at for at, line in enumerate(lines) if line.startswith(("── log", "── Details")))
    end = next(at for at in range(top + 1, len(lines)) if lines[at].startswith("──"))
    return [line for line in lines[top + 1 : end] if line]


def chosen(panel: Driven) -> str:
    """The line of the row at the cursor."""
    found = [line for line in log_of(panel) if line[14:15] == ">"]
    assert len(found) == 1, panel.screen
    return found[0]


async def open_log(panel: Driven) -> None:
    await panel.sees("row 39", "40 events")
