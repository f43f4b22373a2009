"""Any error as a code and a sentence that says what to do next. The one place where that is made."""

from __future__ import annotations

import re
from typing import Final

from debugloop.errors import DebugloopError

TRACEBACK: Final = "DEBUGLOOP_TRACEBACK"
"""The variable that shows the traceback of an error of our own, for a bug report."""

_TOKEN: Final = re.compile(r"[0-9a-f]{64}")


def masked(text: str) -> str:
    """The text without anything that could be a token."""
    return _TOKEN.sub("…", text)


def told(error: Exception) -> tuple[str, str, int]:
    """The code, the sentence (its tokens masked) and the exit code of an error."""
    if isinstance(error, DebugloopError):
        return error.code, masked(str(error)), error.exit_code
    if isinstance(error, OSError) and error.strerror:
        where = f"{error.filename}: " if error.filename else ""
        return "system_error", masked(f"{where}{error.strerror}. Mend that and try again."), 1
    return (
        "bug",
        masked(
            f"debugloop met an error of its own ({type(error).__name__}: {error}); please report it as a bug, "
            f"with what the same command prints when {TRACEBACK}=1 is set."
        ),
        1,
    )
