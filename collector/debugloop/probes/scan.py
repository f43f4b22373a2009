"""What a session left: in the working tree, in ignored files, in the index, in stashes and in commits.

Only the session's own traces are leftovers for ``finish``; ``scan`` also tells of other sessions' and other tools'
markers. What is merely new or changed since the start is listed for review and never counts.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from debugloop.errors import GitFailed
from debugloop.probes import traces
from debugloop.probes.built import is_generated
from debugloop.probes.git import BLOCK, Blob, Repository
from debugloop.probes.review import POLICY, Review, review
from debugloop.probes.tree import Workspace, readable, workspace
from debugloop.session import endpoint
from debugloop.session.layout import IN_WORKSPACE

if TYPE_CHECKING:
    from debugloop.probes.sieve import Sifted
    from debugloop.probes.tree import Found, Names
    from debugloop.session.endpoint import Endpoint
    from debugloop.session.session import Session
    from debugloop.settings import Settings

IN_FILE: Final = 100
"""How many lines of one file are listed."""

WORKING_TREE: Final = "working tree"
IGNORED: Final = "ignored file"
GENERATED: Final = "generated file, to be rebuilt"
MESSAGE: Final = "message"


@dataclass(frozen=True, slots=True)
class Leftover:
    """One line with a trace. ``where`` is the working tree, an ignored file, the index, a stash or a commit."""

    file: str
    line: int
    kind: traces.Kind
    text: str
    where: str


@dataclass(slots=True)
class Report:
    """What is left, and what a person may want to look at. ``files`` were read."""

    leftovers: list[Leftover] = field(default_factory=list[Leftover])
    review: list[Review] = field(default_factory=list[Review])
    files: int = 0

    def as_json(self) -> dict[str, Any]:
        return asdict(self)


def place_of(settings: Settings, top: Path) -> Workspace:
    """The workspace at ``top`` without the session directories that may lie in it."""
    return workspace(top, settings.home.resolve() / "sessions", top / IN_WORKSPACE)


def scan(session: Session, *, everything: bool = False) -> Report:
    """Look everywhere for traces of a session; ``everything`` adds those of other sessions and tools in files.

    Raises GitFailed where nothing can be said.
    """
    state = session.state()
    place = place_of(session.settings, Path(state.workspace))
    ours = traces.session_traces(session.id, session.layout.directory)
    known = endpoint.load(session.layout)
    for address in (*([known] if known else []), *endpoint.former(session.layout)):
        ours = traces.endpoint_traces(address) + ours
    report = Report()
    names = place.names(with_ignored=True)
    wanted = [*ours, *traces.other_traces(), *traces.id_trace(session.id)] if everything else ours
    sifted = _look_at_files(place, names, wanted, report, state.created / 1000)
    if place.repository is None and (place.top / ".git").exists():
        report.review.append(Review(".git", "unread", "git is not there to tell of the index, stashes and commits"))
    for prefix, repo in names.repositories:
        since = state.head if not prefix else None
        blobs = (*repo.index(since), *repo.stashes(), *repo.commits(since, state.created))
        _look_at_blobs(repo, prefix, ours, report, blobs)
        for name, text in repo.messages(since, state.created):
            _add(report, f"{prefix}{name}", MESSAGE, traces.look([text], ours))
    noted = review(place, names, sifted, state.status)
    report.review += (replace(each, file=traces.masked(each.file)) for each in noted)
    return report


def scan_markers(settings: Settings, top: Path) -> Report:
    """Look for the markers of any session and of other tools in a workspace's files; needs no session."""
    report = Report()
    place = place_of(settings, top)
    _look_at_files(place, place.names(), traces.other_traces(), report)
    return report


def scan_staged(settings: Settings, top: Path, environment: Mapping[str, str]) -> Report:
    """Look for markers and addresses of any session, and markers of other tools, in what is staged.

    Needs no session. Within a hook, that is what the commit is going to hold. Raises GitFailed.
    """
    repo = place_of(settings, top).repository
    if repo is None:
        raise GitFailed(top, "there is no repository, or git is not installed.")
    if given := environment.get("GIT_INDEX_FILE"):
        repo = replace(repo, index_file=Path(given).absolute())
    report = Report()
    _look_at_blobs(repo, "", [*traces.other_traces(), traces.any_endpoint()], report, repo.index(repo.head()))
    return report


def holding(settings: Settings, top: Path, address: Endpoint) -> list[Leftover]:
    """The lines of a workspace's files that hold an endpoint's URL or its token."""
    report = Report()
    place = place_of(settings, top)
    _look_at_files(place, place.names(), traces.endpoint_traces(address), report)
    return report.leftovers


def _look_at_files(
    place: Workspace, names: Names, wanted: Sequence[traces.Trace], report: Report, since: float | None = None
) -> Sifted:
    """Add what the files hold to the report. Ignored ones count if they changed since a time."""
    needles = {trace.needle for trace in wanted}
    sifted = place.sift(names, needles if since is None else needles.union(POLICY), since)
    report.files += sifted.files
    ignored = set(names.ignored)
    for name in sifted.held:
        if found := place.found(name, ignored=name in ignored):
            _look_at_file(found, wanted, report)
    return sifted


def _look_at_file(found: Found, wanted: Sequence[traces.Trace], report: Report) -> None:
    try:
        with found.open() as file:
            hits = traces.look(iter(partial(file.read, BLOCK), b""), wanted, quoted=_is_notebook(found.file))
            where = GENERATED if hits and is_generated(found, file) else IGNORED if found.ignored else WORKING_TREE
    except FileNotFoundError:
        return
    except OSError as error:
        report.review.append(Review(found.name, "unread", f"could not be read: {error.strerror}"))
        return
    _add(report, found.file, where, hits)


def _is_notebook(file: str) -> bool:
    return file.endswith(".ipynb")


def _look_at_blobs(
    repo: Repository, prefix: str, wanted: Sequence[traces.Trace], report: Report, blobs: Iterable[Blob]
) -> None:
    """Add what these contents of one repository hold."""
    homes: dict[str, list[Blob]] = {}
    for blob in blobs:
        homes.setdefault(blob.oid, []).append(blob)
    for oid, blocks in repo.contents(list(homes)) if homes else ():
        notebook = any(_is_notebook(blob.file) for blob in homes[oid])
        hits = traces.look(blocks, wanted, quoted=notebook) if blocks is not None else []
        for blob in homes[oid]:
            if blocks is None:
                report.review.append(
                    Review(readable(f"{prefix}{blob.file}"), "unread", f"not in this clone ({blob.where})")
                )
            _add(report, f"{prefix}{blob.file}", blob.where, hits)


def _add(report: Report, file: str, where: str, hits: Sequence[traces.Hit]) -> None:
    name = readable(file)
    report.leftovers += (Leftover(name, hit.line, hit.kind, hit.text, where) for hit in hits[:IN_FILE])
    if len(hits) > IN_FILE:
        report.review.append(Review(name, "more", f"{len(hits) - IN_FILE} more lines like those listed ({where})"))
