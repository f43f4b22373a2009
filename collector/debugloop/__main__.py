"""``python -m debugloop``: the command, where its script is not on the PATH."""

import sys

from debugloop.cli import main

if __name__ == "__main__":
    sys.exit(main())
