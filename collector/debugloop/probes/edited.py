"""Probes that are not as this tool inserted them, and what removing one looks like."""

from __future__ import annotations

import difflib
import re
from collections.abc import Container, Iterable, Mapping
from typing import TYPE_CHECKING, Final

from debugloop.probes.inserted import digest

if TYPE_CHECKING:
    from debugloop.probes.markers import Region

_SECRET: Final = re.compile(r"[0-9a-fA-F]{24,}")
_BREAK: Final = re.compile(rb"\r\n|\n|\r")
_LONGEST: Final = 200
"""Characters of a line that a diff shows: a probe may be one long line."""


def fingerprint(region: bytes) -> str:
    """The hash of a region, whatever its line ends and indentation: those of a whole file may be converted."""
    return digest(b"\n".join(line.strip(b" \t") for line in _BREAK.split(region.strip(b"\r\n"))))


def edited(data: bytes, regions: Iterable[Region], known: Mapping[str, Container[str]]) -> list[Region]:
    """The regions that look like none that was inserted (id: fingerprints), or were not inserted by this tool."""
    return [
        region
        for region in regions
        if fingerprint(data[region.begin.start : region.finish.end]) not in known.get(region.probe, ())
    ]


def diff(file: str, old: bytes, new: bytes) -> str:
    """What changes in a file, as a unified diff with long lines cut and every token masked."""
    before, after = (data.decode("utf-8", "replace").splitlines() for data in (old, new))
    lines = difflib.unified_diff(before, after, file, file, lineterm="")
    return "\n".join(_SECRET.sub("…", line)[:_LONGEST] for line in lines)
