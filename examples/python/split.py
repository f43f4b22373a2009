"""Split a bill among friends: a small Python job that tells debugloop what it does.

    python split.py 100.00 3

The bug: what the shares add up to is not always the bill.
"""

from __future__ import annotations

import json
import os
import sys
import time


def probe(hypothesis: str, location: str, message: str, **data: object) -> None:
    """Append one event to the log of a debug session; without one, or if anything is wrong, do nothing."""
    try:
        line = json.dumps(
            {
                "hypothesisId": hypothesis,
                "location": location,
                "message": message,
                "data": data,
                "timestamp": time.time_ns() // 1_000_000,
            },
            default=repr,
        )
        # one write to a file opened for append: lines of several programs never mix
        log = os.open(os.environ["DEBUGLOOP_LOG"], os.O_WRONLY | os.O_APPEND)
        try:
            os.write(log, line.encode() + b"\n")
        finally:
            os.close(log)
    except Exception:  # noqa: BLE001, S110 -- a probe never breaks the program
        pass


def split(bill: float, people: int) -> list[float]:
    """Each one's share, in whole cents."""
    share = round(bill / people, 2)
    shares = [share] * people
    probe("H1", "split.py:split", "the bill as it was read", bill=bill, people=people)
    probe("H2", "split.py:split", "the shares and what they add up to", shares=shares, sum=round(sum(shares), 2))
    return shares


def main() -> None:
    """Read the bill and the number of people from the command line; print the shares and their sum."""
    shares = split(float(sys.argv[1]), int(sys.argv[2]))
    sys.stdout.write(" ".join(f"{share:.2f}" for share in shares) + f" = {sum(shares):.2f}\n")


if __name__ == "__main__":
    main()
