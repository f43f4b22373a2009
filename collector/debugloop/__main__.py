"""``python -m debugloop``: the command, where its script is not on the PATH."""

import sys

from debugloop.cli import main

if __name__ == "__main__":
    code = main()
    # Python remembers a Ctrl-C that came inside an exec() of text, as dataclasses do it, though it was caught since: it
    # would end this process by SIGINT whatever the code. The next exec() makes it forget.
    exec("")  # noqa: S102
    sys.exit(code)
