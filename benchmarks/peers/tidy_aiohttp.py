"""A peer: what a careful author would write on aiohttp. Appends each event to a file, answers 204.

Usage: tidy_aiohttp.py PORT LOG
"""

from __future__ import annotations

import os
import sys

import orjson
from aiohttp import web


def main() -> None:
    """Serve until SIGTERM."""
    port, log = int(sys.argv[1]), os.open(sys.argv[2], os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)

    async def receive(request: web.Request) -> web.Response:
        event = orjson.loads(await request.read())
        os.write(log, orjson.dumps(event) + b"\n")
        return web.Response(status=204)

    app = web.Application()
    app.router.add_post("/debug/token", receive)
    web.run_app(app, host="127.0.0.1", port=port, access_log=None, print=None)


if __name__ == "__main__":
    main()
