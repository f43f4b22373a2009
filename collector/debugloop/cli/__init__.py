"""The command ``debugloop``: one small file a verb, each imported only when it runs."""

from __future__ import annotations

import signal
import sys

INTERRUPTED = 130
"""The exit code after Ctrl-C, as shells count it: 128 and the signal's number."""


def main() -> int:
    """Run the command of this process's arguments; returns its exit code."""
    try:
        from debugloop.cli.program import run

        code = run(sys.argv[1:])
    except KeyboardInterrupt:
        code = INTERRUPTED
    # what was asked for is done or given up: a Ctrl-C while Python winds up must not tell otherwise
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    return code
