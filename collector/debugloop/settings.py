"""Every limit and path, once. Each field is the environment variable ``DEBUGLOOP_<FIELD>``."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Self

from debugloop.errors import InvalidSetting

_MOST = 10**12


def default_home() -> Path:
    """The platform's directory for user state, ``debugloop`` in it."""
    import platformdirs

    return Path(platformdirs.user_state_dir("debugloop", appauthor=False))


@dataclass(frozen=True, slots=True)
class Settings:
    """What one process was told to keep to. Sizes are bytes, times are seconds."""

    home: Path
    """Where the sessions are: ``$DEBUGLOOP_HOME/sessions/<workspace key>/<session id>/``."""
    request_bytes: int = 65_536
    """The body of one request, after unpacking."""
    log_bytes: int = 5_242_880
    """The size of ``debug.jsonl`` past which the collector stores nothing more."""
    nesting: int = 128
    """How deep the arrays and objects of one record may stand in each other."""
    steps: int = 50
    """Reproduction steps of one run."""
    step_chars: int = 2_000
    """Characters of one step, and of the title."""
    steps_bytes: int = 65_536
    """All steps of a run together, as UTF-8."""
    line_bytes: int = 524_288
    """A line of ``debug.jsonl`` that readers take whole."""
    answer_bytes: int = 16_384
    """An answer to an agent, unless it asks for more."""
    archive_bytes: int = 5_242_880
    """All earlier runs together, compressed."""
    head_bytes: int = 16_384
    """The head of one request: its first line and headers."""
    head_seconds: float = 10.0
    """How long a client may take to send a head."""
    body_seconds: float = 10.0
    """How long a client may take to send a body."""
    connections: int = 512
    """Connections that are open at once."""
    idle_seconds: float = 43_200.0
    """After how long without an event, an open panel or a waiting agent the collector exits."""
    lock_seconds: float = 5.0
    """How long to wait for another process's lock on the files of a session."""
    poll_seconds: float = 0.05
    """How often readers look at the log."""
    fast_path: bool = True
    """Whether the collector takes small requests the short way; 0 switches it off."""

    @classmethod
    def from_environment(cls, environment: Mapping[str, str] | None = None) -> Self:
        """Read all ``DEBUGLOOP_…`` variables; an empty one counts as unset.

        Raises InvalidSetting for a number that is none, or is not above zero.
        """
        env = os.environ if environment is None else environment
        values: dict[str, float] = {}
        for field in fields(cls):
            variable = f"DEBUGLOOP_{field.name.upper()}"
            text = env.get(variable, "")
            if field.name != "home" and text:
                values[field.name] = _READERS[type(field.default)](variable, text)
        home = env.get("DEBUGLOOP_HOME", "")
        if home and not Path(home).expanduser().is_absolute():  # else it would be another one in each folder
            raise InvalidSetting("DEBUGLOOP_HOME", home, "an absolute path")
        return cls(home=Path(home).expanduser() if home else default_home(), **values)  # type: ignore[arg-type] # pyright: ignore[reportArgumentType] -- each value has its field's own type, by _number


def _switch(variable: str, text: str) -> bool:
    if text not in {"0", "1"}:
        raise InvalidSetting(variable, text, "0 or 1")
    return text == "1"


def _whole(variable: str, text: str) -> int:
    try:
        value = int(text)
    except ValueError:
        value = 0
    if not 0 < value <= _MOST:
        raise InvalidSetting(variable, text, "a whole number above 0")
    return value


def _seconds(variable: str, text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = 0
    if not 0 < value <= _MOST:  # also refuses nan
        raise InvalidSetting(variable, text, "a number of seconds above 0")
    return value


_READERS: dict[type, Callable[[str, str], float]] = {bool: _switch, int: _whole, float: _seconds}
