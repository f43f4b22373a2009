"""``debugloop mcp``: the loop as tools of an MCP client, on stdin and stdout."""

from __future__ import annotations

import signal
from importlib.util import find_spec

from debugloop.cli.verb import Call, verb
from debugloop.errors import ExtraMissing
from debugloop.session.pause import made_for_good


@verb(example="debugloop mcp < /dev/null")
def command(call: Call) -> None:
    """Serve the loop to one MCP client, until stdin closes. An agent host runs this; `debugloop install` sets it up.

    stdout carries JSON-RPC only. The session and its collector outlive this process.
    """
    if find_spec("mcp") is None:
        raise ExtraMissing("mcp", "mcp")
    # nothing here needs a farewell, and a thread that reads stdin would hold one up
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    with made_for_good():
        from debugloop.agent.mcp_server import serve
    serve(call.settings, call.folder, call.session_id)
