"""The entry that hosts call: ``python -I -S …/hooks/__main__.py HOST EVENT``, the host's JSON on stdin."""

import sys

if __name__ == "__main__":
    sys.path.append(__file__.rsplit("debugloop", 1)[0])
    from debugloop.agent.hooks.run import main

    main(sys.argv[1:])
