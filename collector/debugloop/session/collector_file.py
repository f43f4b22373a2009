"""collector.json: what the collector tells (pid, counters, latest rejections) and what it is told (allowed origins)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any, Final

from debugloop.errors import CorruptFile
from debugloop.session import files
from debugloop.session.locks import hold, is_held

if TYPE_CHECKING:
    from debugloop.session.layout import Layout
    from debugloop.settings import Settings

LATEST: Final = 20
"""Rejections that are kept whole; all are counted."""


@dataclass(frozen=True, slots=True)
class Rejection:
    """One request that was refused. ``mend`` says how to let it in, where that is possible."""

    time: str
    code: str
    origin: str | None = None
    size: int | None = None
    mend: str | None = None


@dataclass(frozen=True, slots=True)
class CollectorFile:
    """The content of collector.json. ``pid`` is informational: only a held collector.lock says that it lives."""

    pid: int | None = None
    started: str | None = None
    allowed_origins: tuple[str, ...] = ()
    redact: bool = True
    sampling: bool = True
    rejected: dict[str, int] = field(default_factory=dict[str, int])
    sampled: int = 0
    """Events that flood control left out."""
    sampled_keys: dict[str, int] = field(default_factory=dict[str, int])
    """Those that left out most, by key."""
    redacted: int = 0
    """Secrets that were hidden."""
    latest: tuple[Rejection, ...] = ()


def load(layout: Layout) -> CollectorFile:
    """Read collector.json; an empty one where there is none yet. Raises CorruptFile or NewerFormat."""
    value = files.read_json(layout.collector)
    if value is None:
        return CollectorFile()
    try:
        return _collector_file(value)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise CorruptFile(layout.collector, f"field {error} is missing or wrong") from error


def update(layout: Layout, settings: Settings, change: Callable[[CollectorFile], CollectorFile]) -> CollectorFile:
    """Read, change and write collector.json under the journal lock: the collector and the CLI both write it."""
    with hold(layout.journal_lock, settings.lock_seconds):
        old = load(layout)
        new = change(old)
        if new != old:
            files.write_json(layout.collector, asdict(new))
        return new


def running(layout: Layout) -> bool:
    """Whether this session's collector lives, starts or is just ending."""
    return is_held(layout.collector_lock)


def _collector_file(value: dict[str, Any]) -> CollectorFile:
    known = {name: value[name] for name in CollectorFile.__dataclass_fields__ if name in value}
    known["allowed_origins"] = tuple(map(str, known.get("allowed_origins", ())))
    known["rejected"] = {str(code): int(count) for code, count in dict(known.get("rejected", {})).items()}
    known["sampled_keys"] = {str(key): int(count) for key, count in dict(known.get("sampled_keys", {})).items()}
    for name in ("sampled", "redacted"):
        known[name] = int(known.get(name, 0))
    for name in ("redact", "sampling"):
        known[name] = bool(known.get(name, True))
    known["latest"] = tuple(Rejection(**item) for item in known.get("latest", ()))
    return CollectorFile(**known)
