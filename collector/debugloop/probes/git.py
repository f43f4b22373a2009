"""What git knows of a workspace, asked by commands that only read.

Nothing of the repository's or the user's configuration runs: no hook, no fsmonitor, no pager, no external diff, no
text conversion, no signature check, no fetch of missing objects. No lock is taken and no index is refreshed.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Final

from debugloop.errors import GitFailed

BLOCK: Final = 8 << 20
"""How many bytes of an object are in memory at once."""

_DAY: Final = 86_400
_SUBMODULE: Final = "160000"
_CLOSED: Final = re.compile(rb"^warning: could not open directory '(.+)/': ", re.MULTILINE)
_KEPT: Final = {"GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM", "GIT_CONFIG_NOSYSTEM", "GIT_EXEC_PATH"}
_OPTIONS: Final = (
    "--no-pager",
    "--literal-pathspecs",
    *("-c", "core.fsmonitor=false"),
    *("-c", f"core.hooksPath={os.devnull}"),
)
_RAW: Final = ("-r", "--raw", "-z", "--no-renames", "--no-abbrev", "--no-ext-diff", "--no-textconv")


@dataclass(frozen=True, slots=True)
class Blob:
    """A file's content in the repository. ``where`` says for people where that is, such as ``stash@{0}``."""

    oid: str
    file: str
    where: str


@dataclass(slots=True)
class Listing:
    """Names in a working tree. ``inner`` are folders with a repository of their own: submodules, and other clones.

    A file whose merge has conflicts is ``tracked`` several times over.
    """

    tracked: list[str] = field(default_factory=list[str])
    untracked: list[str] = field(default_factory=list[str])
    inner: list[str] = field(default_factory=list[str])

    @property
    def files(self) -> list[str]:
        return self.tracked + self.untracked


@dataclass(frozen=True, slots=True)
class Repository:
    """The repository whose working tree begins at ``top``. Paths are relative to it, with ``/``.

    ``index_file`` is another index than its own: git gives a hook the one of the commit that is being made.
    """

    top: Path
    index_file: Path | None = None

    def works(self) -> bool:
        """Whether git takes this for a repository. Raises GitFailed where it refuses one."""
        git = self._try("rev-parse", "--git-dir")
        if git.returncode and b"not a git repository" not in git.stderr:
            raise GitFailed(self.top, _sentence(git))
        return git.returncode == 0

    def head(self) -> str | None:
        """The commit that is checked out, or None before the first one."""
        return self._commit("HEAD")

    def listing(self) -> Listing:
        """What is tracked and what is new, ignored files left out."""
        found = Listing()
        options = ("-z", "-t", "--stage", "--cached", "--others", "--exclude-standard")
        git = self._try("ls-files", *options)
        if git.returncode:
            raise GitFailed(self.top, _sentence(git))
        # a folder that git may not enter is but a warning to it
        found.untracked += (os.fsdecode(name) for name in _CLOSED.findall(git.stderr))
        for entry in os.fsdecode(git.stdout).split("\0"):
            if entry.startswith("? "):
                name = entry[2:]
                (found.inner if name.endswith("/") else found.untracked).append(name.rstrip("/"))
            elif entry:  # <tag> <mode> <object> <stage>, a tab, and the path
                meta, _, name = entry.partition("\t")
                (found.inner if meta.startswith(_SUBMODULE, 2) else found.tracked).append(name)
        return found

    def untracked(self) -> list[str]:
        """Files that are neither tracked nor ignored."""
        return self._names("ls-files", "-z", "--others", "--exclude-standard")

    def ignored(self) -> list[str]:
        """Files that git is told to ignore."""
        return self._names("ls-files", "-z", "--others", "--ignored", "--exclude-standard")

    def index(self, since: str | None) -> list[Blob]:
        """What is staged and was not in commit ``since``; everything staged, where there is no such commit."""
        if since and self._commit(since):
            out = self._run("diff-index", "--cached", *_RAW, since, "--")
            return list(_blobs(out, lambda _: "index"))
        staged = (entry.split(b"\t", 1) for entry in self._staged())
        listed = ((*os.fsdecode(meta).split(), os.fsdecode(name)) for meta, name in staged)
        return [Blob(oid, file, "index") for mode, oid, _stage, file in listed if mode != _SUBMODULE]

    def stashes(self) -> list[Blob]:
        """What the stashes changed: their working trees, their indexes and their untracked files."""
        if not self._commit("refs/stash"):
            return []
        names: dict[str, str] = {}
        for number, commit in enumerate(self._words("rev-list", "-g", "refs/stash", "--")):
            # the commit that a stash was made on stands first among its parents, then its index, then its new files
            own, _base, *others = self._words("rev-list", "--no-walk", "--parents", commit, "--")
            names |= dict.fromkeys((own, *others), f"stash@{{{number}}}")
        return self._changed(names)

    def commits(self, since: str | None, start_ms: int) -> list[Blob]:
        """What commits made since the start changed, on any branch and in any worktree."""
        return self._changed({commit: f"commit {commit[:10]}" for commit in self._made(since, start_ms)})

    def messages(self, since: str | None, start_ms: int) -> Iterator[tuple[str, bytes]]:
        """The message of each commit and of each annotated tag made since the start, with a name for people."""
        names = {commit: f"commit {commit[:10]}" for commit in self._made(since, start_ms)}
        shape = "%(objecttype) %(objectname) %(taggerdate:unix) %(refname:short)"
        for line in os.fsdecode(self._run("for-each-ref", f"--format={shape}", "refs/tags")).splitlines():
            kind, oid, *rest = line.split(" ", 3)
            if kind == "tag" and rest[0].isdigit() and int(rest[0]) >= start_ms // 1000 - _DAY:
                names[oid] = f"tag {rest[1]}"
        for oid, blocks in self.contents(list(names)) if names else ():
            yield names[oid], b"".join(blocks or ()).partition(b"\n\n")[2]

    def _made(self, since: str | None, start_ms: int) -> list[str]:
        """The commits made since the start.

        ``since`` is the commit that was checked out then. All that HEAD gained is looked at, and of other branches
        what was committed after ``start_ms``, less a day for clocks that disagree.
        """
        not_before = f"--max-age={max(0, start_ms // 1000 - _DAY)}"
        base = [f"^{since}"] if since and self._commit(since) else []
        found = self._words("rev-list", not_before, "--exclude=refs/stash", "--all", *base, "--")
        if base and self.head():
            found += self._words("rev-list", "HEAD", *base, "--")
        return list(dict.fromkeys(found))

    def diff(self, since: str) -> bytes | None:
        """The tracked files of the working tree against commit ``since``, as a unified diff; None without it."""
        if not self._commit(since):
            return None
        wanted = ("config", "--name-only", "-z", "--get-regexp", r"^filter\..*\.(clean|process|required)$")
        filters = [os.fsdecode(name) for name in self._try(*wanted).stdout.split(b"\0") if name]
        # a clean filter is a program that the configuration names, and looking at a file would run it
        off = [word for name in filters for word in ("-c", f"{name}={'0' if name.endswith('required') else ''}")]
        return self._run(*off, "diff", "--no-ext-diff", "--no-textconv", "--no-color", "--no-renames", since, "--")

    def contents(self, oids: Sequence[str]) -> Iterator[tuple[str, Iterator[bytes] | None]]:
        """The content of each object in blocks; None for one that the repository lacks."""
        with tempfile.TemporaryFile() as asked:
            asked.write("".join(f"{oid}\n" for oid in oids).encode())
            asked.seek(0)
            with subprocess.Popen(
                self._command("cat-file", "--batch"),
                stdin=asked,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                cwd=self.top,
                env=self._environment(os.environ),
            ) as git:
                assert git.stdout is not None  # noqa: S101 -- tells the type checkers
                yield from self._answers(git.stdout, oids)

    def _answers(self, stream: IO[bytes], oids: Sequence[str]) -> Iterator[tuple[str, Iterator[bytes] | None]]:
        for oid in oids:
            answer = stream.readline().split()  # <oid> <type> <size>, or <oid> missing
            if not answer:
                raise GitFailed(self.top, "cat-file ended too early.")
            if answer[-1] == b"missing":
                yield oid, None
                continue
            blocks = _blocks(stream, int(answer[-1]))
            yield oid, blocks
            for _ in blocks:  # what the reader did not want
                pass
            stream.read(1)

    def _changed(self, commits: Mapping[str, str]) -> list[Blob]:
        """The contents that these commits brought, against each of their parents; the values say where."""
        if not commits:
            return []
        asked = "".join(f"{commit}\n" for commit in commits).encode()
        out = self._run("diff-tree", "--stdin", "--root", "-m", *_RAW, stdin=asked)
        return list(dict.fromkeys(_blobs(out, lambda commit: commits.get(commit, ""))))

    def _staged(self) -> list[bytes]:
        """Every entry of the index: ``<mode> <object> <stage>``, a tab, and the path."""
        return [entry for entry in self._run("ls-files", "-s", "-z").split(b"\0") if entry]

    def _commit(self, name: str) -> str | None:
        git = self._try("rev-parse", "--verify", "--quiet", "--end-of-options", f"{name}^{{commit}}")
        return git.stdout.decode().strip() if git.returncode == 0 else None

    def _names(self, *arguments: str) -> list[str]:
        return list(dict.fromkeys(os.fsdecode(name) for name in self._run(*arguments).split(b"\0") if name))

    def _words(self, *arguments: str) -> list[str]:
        return self._run(*arguments).decode().split()

    def _run(self, *arguments: str, stdin: bytes = b"") -> bytes:
        git = self._try(*arguments, stdin=stdin)
        if git.returncode:
            raise GitFailed(self.top, _sentence(git))
        return git.stdout

    def _try(self, *arguments: str, stdin: bytes = b"") -> subprocess.CompletedProcess[bytes]:
        command, env = self._command(*arguments), self._environment(os.environ)
        try:
            return subprocess.run(command, input=stdin, capture_output=True, cwd=self.top, env=env, check=False)
        except OSError as error:
            raise GitFailed(self.top, f"it did not start ({error.strerror}).") from error

    def _command(self, *arguments: str) -> list[str]:
        return ["git", *_OPTIONS, *arguments]

    def _environment(self, env: Mapping[str, str]) -> dict[str, str]:
        """What a git command of ours runs in: this repository, no trace files, no questions, no network."""
        kept = {name: value for name, value in env.items() if not name.startswith("GIT_") or name in _KEPT}
        if self.index_file is not None:
            kept["GIT_INDEX_FILE"] = str(self.index_file)
        return kept | {
            "GIT_CEILING_DIRECTORIES": str(self.top.parent),
            "GIT_OPTIONAL_LOCKS": "0",
            "GIT_NO_LAZY_FETCH": "1",
            "GIT_ALLOW_PROTOCOL": "none",  # the same for a git that does not know GIT_NO_LAZY_FETCH
            "GIT_TERMINAL_PROMPT": "0",
            "LC_ALL": "C",
        }


def repository(top: Path) -> Repository | None:
    """The repository of a working tree's top folder; None where there is none, or no git to ask.

    Raises GitFailed where git refuses the repository: somebody else's, damaged, or of a newer format.
    """
    if not (top / ".git").exists() or shutil.which("git") is None:
        return None
    found = Repository(top)
    return found if found.works() else None


def _sentence(git: subprocess.CompletedProcess[bytes]) -> str:
    return " ".join(git.stderr.decode("utf-8", "replace").split()) or f"it ended with {git.returncode}."


def _blobs(raw: bytes, where: Callable[[str], str]) -> Iterator[Blob]:
    """The new contents in what ``--raw -z`` prints, with a line for each commit or without."""
    commit = ""
    words = iter(raw.split(b"\0"))
    for word in words:
        if not word.startswith(b":"):
            commit = word.decode()
            continue
        _, mode, _, oid, _ = word.decode().split()
        file = os.fsdecode(next(words))
        if mode not in {_SUBMODULE, "000000"}:
            yield Blob(oid, file, where(commit))


def _blocks(stream: IO[bytes], size: int) -> Iterator[bytes]:
    while size > 0:
        block = stream.read(min(size, BLOCK))
        if not block:
            return
        size -= len(block)
        yield block
