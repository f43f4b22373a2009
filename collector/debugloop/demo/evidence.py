"""What the cart's probes must have said, before its fix and after."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import orjson

from debugloop.errors import DemoFailed

if TYPE_CHECKING:
    from collections.abc import Iterable

    from debugloop.session.records import Row

HYPOTHESES: Final = {
    "H1": "The backend sends a wrong price.",
    "H2": "One press of Add puts more than one line into the cart.",
    "H3": "Prices reach the page as text, and the page joins them where it should add.",
}
BOUGHT: Final = (("mug", "Mug", "12.50"), ("tea", "Tea", "16.50"))
"""What is bought: the SKU, the name, and the total that is due then."""
WRONG: Final = ("12.50", "12504.00")
"""The totals that the page shows while the bug is in it: right for one item, wrong for two."""


@dataclass(frozen=True, slots=True)
class Seen:
    """Events of a run by hypothesis: the line of each in the log, and its data."""

    run: int
    events: dict[str, list[tuple[int, Any]]]

    @property
    def count(self) -> int:
        return sum(map(len, self.events.values()))

    def cite(self, hypothesis: str, data: object) -> str:
        """Where an event stands (``run:line``). Raises DemoFailed where no event holds this data."""
        for line, found in self.events.get(hypothesis, ()):
            if found == data:
                return f"{self.run}:{line}"
        heard = [orjson.dumps(found).decode() for _, found in self.events.get(hypothesis, ())]
        wanted = orjson.dumps(data).decode()
        raise DemoFailed(
            f"run {self.run} has no event of {hypothesis} with {wanted}; it has {', '.join(heard) or 'none'}"
        )


def seen(run: int, rows: Iterable[Row]) -> Seen:
    """Sort the events of a run by their hypothesis."""
    events: dict[str, list[tuple[int, Any]]] = {}
    for row in rows:
        if not row.steps and not row.malformed:
            record = row.record()
            events.setdefault(str(record.get("hypothesisId")), []).append((row.line, record.get("data")))
    return Seen(run, events)


def judge_broken(found: Seen) -> list[tuple[str, str, list[str], str]]:
    """The verdicts on the run with the bug: hypothesis, verdict, citations, and why in a phrase."""
    right = [
        found.cite("H1", {"sku": "mug", "price_cents": "1250"}),
        found.cite("H1", {"sku": "tea", "price_cents": "400"}),
    ]
    single = [found.cite("H2", {"sku": "mug", "lines": 1}), found.cite("H2", {"sku": "tea", "lines": 2})]
    joined = found.cite("H3", {"types": ["string", "string"], "sum": "1250400"})
    return [
        ("H1", "rejected", right, "1250 and 400 are the prices of the catalogue"),
        ("H2", "rejected", single, "two presses, two lines"),
        ("H3", "confirmed", [joined], 'two strings, joined: "1250" and "400" became "1250400"'),
    ]


def compare(before: Seen, after: Seen) -> list[str]:
    """What has to differ between the run before the fix and the one after it, and what must not. Raises DemoFailed."""
    broken = before.cite("H3", {"types": ["string", "string"], "sum": "1250400"})
    mended = after.cite("H3", {"types": ["number", "number"], "sum": 1650})
    price = after.cite("H1", {"sku": "tea", "price_cents": 400})
    same = (before.cite("H2", {"sku": "tea", "lines": 2}), after.cite("H2", {"sku": "tea", "lines": 2}))
    if any(isinstance(data["sum"], str) for _, data in after.events["H3"]):
        raise DemoFailed(f"run {after.run} still joins text")
    return [
        f'H3  sum "1250400" of two strings ({broken}) is now 1650, of two numbers ({mended})',
        f'H1  price_cents "400" is now 400 ({price})',
        f"H2  two lines as before ({same[0]}, {same[1]})",
    ]
