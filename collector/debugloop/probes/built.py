"""What a build made while probes stood in its sources: no marker of it can be trusted, only another build cleans it."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from functools import partial
from typing import TYPE_CHECKING, BinaryIO, Final

from debugloop.probes.git import BLOCK

if TYPE_CHECKING:
    from debugloop.probes.tree import Found, Workspace

_GENERATED: Final = re.compile(r"\.map$|[.-](?:min|bundle|chunk)\.[cm]?(?:js|css)$")
_BUILT: Final = re.compile(r"(?:^|/)(?:dist|build|out|target|\.next|\.nuxt|\.output|\.svelte-kit|\.cache|__pycache__)/")
_MAPPED: Final = re.compile(rb"^(?://|/\*)# sourceMappingURL=", re.MULTILINE)
_OVERLAP: Final = 256


def is_generated(found: Found, file: BinaryIO) -> bool:
    """Whether a build made this file, which is open: then its source is what has to be cleaned."""
    if _GENERATED.search(found.file) or (found.ignored and _BUILT.search(found.file)):
        return True
    file.seek(max(0, file.seek(0, os.SEEK_END) - BLOCK))
    return _MAPPED.search(file.read()) is not None


def built(place: Workspace, session: str, since: float) -> Iterator[tuple[str, tuple[str, ...]]]:
    """The built files that hold probes of a session, and which; ignored ones if they changed ``since`` (seconds)."""
    names = place.names(with_ignored=True)
    ignored = set(names.ignored)
    for name in place.sift(names, {f"{session}/".encode()}, since).held:
        found = place.found(name, ignored=name in ignored)
        if found is None or found.link:
            continue
        try:
            with found.open() as file:
                probes = _probes(file, session)
                if probes and is_generated(found, file):
                    yield found.name, probes
        except OSError:  # `scan` tells of it
            continue


def _probes(file: BinaryIO, session: str) -> tuple[str, ...]:
    """The ids of a session's probes in a file, also where a minifier took the markers."""
    pattern = re.compile(rb"(?<![\w.-])" + re.escape(f"{session}/".encode()) + rb"\d+(?![\w.-])")
    ids: dict[bytes, None] = {}
    before = b""
    for block in iter(partial(file.read, BLOCK), b""):
        ids |= dict.fromkeys(pattern.findall(before + block))
        before = block[-_OVERLAP:]
    return tuple(each.decode() for each in ids)
