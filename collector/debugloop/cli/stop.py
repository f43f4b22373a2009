"""``debugloop stop``: the collector ends, its address stays."""

from __future__ import annotations

from debugloop.cli.verb import Call, verb


@verb(example="debugloop stop")
def command(call: Call) -> None:
    """Stop the collector. Its address stays: the next start, steps or wait serves it again."""
    from debugloop.ingest import daemon

    session = call.open()
    stopped = daemon.stop(session)
    call.say(
        "The collector has stopped, with all it accepted on file. `debugloop start` brings it back on the same address."
        if stopped
        else "No collector was running."
    )
    call.answer({"session": session.id, "stopped": stopped}, "")
