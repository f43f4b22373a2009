"""probes.json: what was inserted, where, and what it looked like: a cache of this tool's, never proof."""

from __future__ import annotations

import hashlib
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Final

from debugloop.errors import CorruptFile
from debugloop.session import files

if TYPE_CHECKING:
    from debugloop.session.layout import Layout

BY_HAND: Final = ""
"""The file of a probe that was printed for somebody to insert by hand."""


@dataclass(frozen=True, slots=True)
class Inserted:
    """One probe. ``file`` is relative to the workspace, ``line`` that of its first marker when it was inserted.

    ``inside`` is the fingerprint of the region with its markers, ``imports`` that of the region at the top of the
    file if it came with this probe, ``around`` the SHA-256 of the file without ours. ``joined`` says that the region
    stood behind a last line without a line end, and so brought that one too.
    """

    id: str
    file: str
    line: int
    language: str
    location: str
    message: str
    hypothesis: str | None = None
    inside: str = ""
    around: str = ""
    imports: str = ""
    joined: bool = False


def load(layout: Layout) -> list[Inserted]:
    """All probes that were inserted, in their order; empty where there is no file. Raises CorruptFile."""
    value = files.read_json(layout.probes)
    if value is None:
        return []
    try:
        return [Inserted(**item) for item in value["probes"]]
    except (KeyError, TypeError) as error:
        raise CorruptFile(layout.probes, f"field {error} is missing or wrong") from error


def save(layout: Layout, probes: list[Inserted]) -> None:
    """Write all of them. The caller holds the journal lock."""
    files.write_json(layout.probes, {"probes": [asdict(each) for each in probes]})


def next_id(session: str, known: list[Inserted], there: set[str]) -> str:
    """An id that no probe has, neither those known nor those whose ids are ``there``."""
    taken = {each.id for each in known} | there
    number = len(known) + 1
    while f"{session}/{number}" in taken:
        number += 1
    return f"{session}/{number}"


def digest(data: bytes) -> str:
    """The hash that is kept of bytes."""
    return hashlib.sha256(data).hexdigest()
