"""Installing, and undoing it to the byte: what was put in is remembered, and only that is taken out again.

The memory is one file for each host and place under ``$DEBUGLOOP_HOME/hosts``, with a backup of each file as it was
before it was first touched. All files are judged before any is written.
"""

from __future__ import annotations

import contextlib
import difflib
import hashlib
import os
import secrets
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from debugloop.agent.hosts.splice import Broken, taken_out
from debugloop.errors import ConfigRefused
from debugloop.session import files

if TYPE_CHECKING:
    from debugloop.agent.hosts.host import Host, Place
    from debugloop.agent.hosts.operations import Operation
    from debugloop.settings import Settings

What: TypeAlias = Literal["added", "replaced", "kept", "removed", "left", "absent"]


@dataclass(frozen=True, slots=True)
class Change:
    """What becomes of one file; ``after`` is None where it goes. ``piece`` is what is ours in it."""

    path: Path
    what: What
    before: str | None
    after: str | None
    piece: str

    def diff(self) -> str:
        """The change as a unified diff, empty where there is none."""
        old, new = ((text or "").splitlines(keepends=True) for text in (self.before, self.after))
        return "".join(difflib.unified_diff(old, new, str(self.path), str(self.path)))


def install(settings: Settings, host: Host, place: Place, *, dry_run: bool = False) -> list[Change]:
    """Bring a host what it needs. Raises ConfigRefused before any file is touched."""
    memory = _Memory(settings, host, place)
    changes = [_judged(operation, memory.piece(operation.path)) for operation in host.operations(place)]
    if not dry_run:
        memory.keep(changes)
        for change in changes:
            if change.before != change.after:
                _write(change.path, change.after, place.root)
    return changes


def uninstall(settings: Settings, host: Host, place: Place, *, dry_run: bool = False) -> list[Change]:
    """Take out what `install` put in; a file that was changed since at that place is left, and said."""
    memory = _Memory(settings, host, place)
    changes = [_undone(Path(path), piece) for path, piece in memory.pieces.items()]
    if not dry_run:
        for change in changes:
            if change.before != change.after:
                _write(change.path, change.after, place.root)
        memory.forget(changes)
    return changes


def missing(host: Host, place: Place) -> list[Path]:
    """The files in which something of an installation is not, or not as it would be installed now."""
    absent: list[Path] = []
    for operation in host.operations(place):
        try:
            done = operation.is_done(_read(operation.path) or "")
        except Broken:
            done = False
        if not done:
            absent.append(operation.path)
    return absent


class _Memory:
    """What was put where, for one host in one place."""

    def __init__(self, settings: Settings, host: Host, place: Place) -> None:
        key = hashlib.sha256(os.fsencode(place.root)).hexdigest()[:16]
        self.folder = settings.home / "hosts"
        self.file = self.folder / f"{host.name}-{place.scope}-{key}.json"
        content = files.read_json(self.file) if self.folder.is_dir() else None
        self.content: dict[str, Any] = content or {"pieces": {}, "backups": {}}

    @property
    def pieces(self) -> dict[str, str]:
        pieces: dict[str, str] = self.content["pieces"]
        return pieces

    def piece(self, path: Path) -> str:
        return self.pieces.get(str(path), "")

    def keep(self, changes: list[Change]) -> None:
        """Remember before anything is written: what a crash cuts off can be undone."""
        for change in changes:
            if change.piece:
                self.pieces[str(change.path)] = change.piece
            if change.before is not None and change.before != change.after:
                self.content["backups"].setdefault(str(change.path), change.before)
        files.make_private_directory(self.folder)
        files.write_json(self.file, self.content)

    def forget(self, changes: list[Change]) -> None:
        for change in changes:
            if change.what != "left":
                self.pieces.pop(str(change.path), None)
        if self.pieces:
            files.write_json(self.file, self.content)
        else:
            self.file.unlink(missing_ok=True)


def _judged(operation: Operation, known: str) -> Change:
    before = _read(operation.path)
    text = before or ""
    try:
        if operation.is_done(text):
            return Change(operation.path, "kept", before, before, known if known and known in text else "")
        base = taken_out(text, known) if known else None
        old = text if base is None else base
        splice = operation.splice(old)
    except Broken as broken:
        raise ConfigRefused(operation.path, str(broken)) from None
    return Change(operation.path, "added" if base is None else "replaced", before, splice.into(old), splice.piece)


def _undone(path: Path, piece: str) -> Change:
    before = _read(path)
    if before is None:
        return Change(path, "absent", None, None, piece)
    after = taken_out(before, piece)
    if after is None:
        return Change(path, "left", before, before, piece)
    return Change(path, "removed", before, after or None, piece)


def _read(path: Path) -> str | None:
    try:
        return path.read_bytes().decode()
    except FileNotFoundError:
        return None
    except UnicodeDecodeError:
        raise ConfigRefused(path, "it is no UTF-8") from None


def _write(path: Path, text: str | None, root: Path) -> None:
    """Replace a file as a whole, its mode kept; a link stays, and what it leads to is replaced."""
    if text is None:
        path.unlink()
        _remove_empty(path.parent, root)
        return
    path = path.resolve()
    path.parent.mkdir(parents=True, exist_ok=True)
    mode = path.stat().st_mode & 0o7777 if path.exists() else 0o644
    draft = path.with_name(f".{path.name}.{secrets.token_hex(4)}")
    try:
        draft.write_bytes(text.encode())
        draft.chmod(mode)
        draft.replace(path)
    finally:
        draft.unlink(missing_ok=True)


def _remove_empty(folder: Path, root: Path) -> None:
    """Remove the folders below the root that hold nothing any more."""
    with contextlib.suppress(OSError):
        while folder != root and folder.is_relative_to(root):
            folder.rmdir()
            folder = folder.parent
