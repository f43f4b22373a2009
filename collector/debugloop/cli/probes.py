"""``debugloop probes``: what was inserted, whether it is still there, and how often it was heard."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

from debugloop.cli.verb import Call, verb
from debugloop.evidence.visible import visible

if TYPE_CHECKING:
    from debugloop.session.session import Session


@verb(example="debugloop probes --json")
def command(call: Call) -> None:
    """List the probes that this tool inserted or printed, and how many events each sent in this run and before.

    A probe that never fired is evidence too: the code around it was not reached. Probes that were written by hand are
    not known here; `scan` finds them.
    """
    from debugloop.probes import inserted, markers
    from debugloop.session import runs

    session = call.open()
    top = Path(session.state().workspace)
    *earlier, current = runs.kept(session)
    now, before = _heard(session, [current]), _heard(session, earlier)
    listed: list[dict[str, Any]] = []
    for each in inserted.load(session.layout):
        try:
            there = markers.find((top / each.file).read_bytes()) if each.file else []
        except OSError:
            there = []
        line = next((marker.line for marker in there if marker.probe == each.id), None)
        listed.append(
            {
                "probe": each.id,
                "file": each.file or None,
                "line": line,
                "language": each.language,
                "location": each.location,
                "message": each.message,
                "hypothesis": each.hypothesis,
                "events": now[each.id],
                "earlier": before[each.id],
            }
        )
    call.answer(listed, "\n".join(map(_text, listed)))


def _heard(session: Session, numbers: list[int]) -> Counter[str]:
    """How many events of these runs each probe sent."""
    from debugloop.session import runs

    rows = (row for number in numbers for row in runs.read(session, number, redacting=False)[1])
    return Counter(name for row in rows if isinstance(name := row.record().get("probe"), str))


def _text(each: dict[str, Any]) -> str:
    place = "printed" if each["file"] is None else f"{each['file']}:{each['line'] or ' no longer there'}"
    before = f", {each['earlier']} before" if each["earlier"] else ""
    heard = f"{each['events']} in this run{before}" if each["events"] or before else "never fired"
    return visible(f"{each['probe']}  {place}  {each['hypothesis'] or '-'}  {heard}  {each['message']}")
