"""``debugloop clear``: the log of the run is emptied, its steps stay."""

from __future__ import annotations

from debugloop.cli.verb import Call, verb


@verb(example="debugloop clear")
def command(call: Call) -> None:
    """Empty the log of this run. Its steps, the collector and the run's number stay; citations of it become stale."""
    from debugloop.agent.loop import clear

    session = call.open()
    run, events = clear(session)
    call.say(f"Run {run} is empty: {events} event{'' if events == 1 else 's'} removed, the steps are kept.")
    call.answer({"session": session.id, "run": run, "events": events}, "")
