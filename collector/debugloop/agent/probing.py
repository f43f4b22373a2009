"""The probes of a session as its loop sees them: put in, listed with what was heard of them, named where silent."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from debugloop.probes import inserted
from debugloop.session import runs

if TYPE_CHECKING:
    from debugloop.probes.insert import Wanted
    from debugloop.session.session import Session


def put_in(session: Session, folder: Path, place: str, wanted: Wanted, *, dry_run: bool = False) -> dict[str, Any]:
    """Insert a probe before ``FILE:LINE``, the file as seen from ``folder``; the shape of ``instrument --json``.

    Raises InvalidPlace, NoPlace, UnknownLanguage and what keeps a file from being changed.
    """
    from debugloop.probes.insert import instrument, parse_place, plan
    from debugloop.probes.scan import place_of

    file, line = parse_place(place)
    workspace = place_of(session.settings, Path(session.state().workspace))
    if dry_run:
        probe = plan(session, workspace, folder / file, line, wanted, inserted.load(session.layout))[-1]
    else:
        probe = instrument(session, workspace, folder / file, line, wanted)
    return {"probe": probe.id, "file": probe.file, "line": probe.line, "language": probe.language, "dry_run": dry_run}


class Counted:
    """Places whose lines are all counted as the files stood before any probe of the same call went in."""

    def __init__(self, session: Session, folder: Path) -> None:
        self._session, self._folder = session, folder
        self._before: dict[Path, set[str]] = {}

    def put_in(self, place: str, wanted: Wanted) -> dict[str, Any]:
        """`put_in` where that line stands by now; its events name the line that was asked for."""
        from debugloop.probes.insert import parse_place

        file, line = parse_place(place)
        wanted = replace(wanted, named=line)
        return put_in(self._session, self._folder, f"{file}:{self._now(self._folder / file, line)}", wanted)

    def _now(self, path: Path, line: int) -> int:
        from debugloop.probes import markers

        try:
            regions, _ = markers.judge(markers.find(path.read_bytes()), self._session.id)
        except OSError:  # putting the probe in says what is wrong
            return line
        before = self._before.setdefault(path.resolve(), {region.probe for region in regions})
        for region in regions:
            if region.probe not in before and region.begin.line <= line:
                line += region.finish.line - region.begin.line + 1
        return line


def listed(session: Session) -> list[dict[str, Any]]:
    """The probes that the tool inserted or printed, in the shape of ``probes --json``.

    ``line`` is None for one that is not there any more, ``events`` counts those of this run, ``earlier`` the others.
    """
    from debugloop.probes import markers

    top = Path(session.state().workspace)
    *earlier, current = runs.kept(session)
    now, before = heard(session, [current]), heard(session, earlier)
    found: list[dict[str, Any]] = []
    for each in inserted.load(session.layout):
        try:
            there = markers.find((top / each.file).read_bytes()) if each.file else []
        except OSError:
            there = []
        found.append(
            {
                "probe": each.id,
                "file": each.file or None,
                "line": next((marker.line for marker in there if marker.probe == each.id), None),
                "language": each.language,
                "location": each.location,
                "message": each.message,
                "hypothesis": each.hypothesis,
                "events": now[each.id],
                "earlier": before[each.id],
            }
        )
    return found


def heard(session: Session, numbers: list[int]) -> Counter[str]:
    """How many events of these runs each probe sent."""
    rows = (row for number in numbers for row in runs.read(session, number, redacting=False)[1])
    return Counter(name for row in rows if isinstance(name := row.record().get("probe"), str))


def places(session: Session, run: int, hypothesis: str | None = None) -> dict[str, str]:
    """Where each probe of the session stands, by its id: what a digest names as never fired where nothing was heard.

    Of the current run only, for which probes stood at an earlier one is not known.
    """
    if run != session.state().run:
        return {}
    return {
        each.id: each.location
        for each in inserted.load(session.layout)
        if hypothesis is None or (each.hypothesis or "").casefold() == hypothesis.casefold()
    }
