"""``debugloop probes``: what was inserted, whether it is still there, and how often it was heard."""

from __future__ import annotations

from typing import Any

from debugloop.cli.verb import Call, verb
from debugloop.evidence.visible import visible


@verb(example="debugloop probes --json")
def command(call: Call) -> None:
    """List the probes that this tool inserted or printed, and how many events each sent in this run and before.

    A probe that never fired is evidence too: the code around it was not reached. Probes that were written by hand are
    not known here; `scan` finds them.
    """
    from debugloop.agent.probing import listed

    probes = listed(call.open())
    call.answer(probes, "\n".join(map(_text, probes)))


def _text(each: dict[str, Any]) -> str:
    place = "printed" if each["file"] is None else f"{each['file']}:{each['line'] or ' no longer there'}"
    before = f", {each['earlier']} before" if each["earlier"] else ""
    heard = f"{each['events']} in this run{before}" if each["events"] or before else "never fired"
    return visible(f"{each['probe']}  {place}  {each['hypothesis'] or '-'}  {heard}  {each['message']}")
