"""``debugloop serve``: the collector in the foreground."""

from __future__ import annotations

from typing import TYPE_CHECKING

from debugloop.cli.verb import Call, verb
from debugloop.errors import SessionFinished

if TYPE_CHECKING:
    from debugloop.session.endpoint import Endpoint


@verb(example="debugloop stop; timeout 1 debugloop serve || true")
def command(call: Call) -> None:
    """Run the collector of this session in the foreground, until Ctrl-C.

    For service managers, and to see why it does not start. Makes a session where there is none.
    """
    from debugloop.ingest import daemon
    from debugloop.session.session import start

    session = start(call.settings, call.folder, session_id=call.session_id)
    if session.state().mode != "debug":
        raise SessionFinished(session.id)

    def ready(endpoint: Endpoint) -> None:
        call.say(f"The collector of session {session.id} serves on port {endpoint.port}. Ctrl-C stops it.")
        call.answer({"session": session.id, "port": endpoint.port, "log": str(session.layout.log)}, "")

    daemon.serve(session, ready)
