"""The report: one Markdown file for a pull request, from closing.json or from the session as it stands.

Whatever came from outside is made visible text, and stands escaped or in a fence that it cannot close.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Final, cast

import orjson

from debugloop.agent import closing
from debugloop.evidence.rows import compact
from debugloop.evidence.views_text import compare_text
from debugloop.evidence.visible import visible
from debugloop.session import files
from debugloop.session.records import Number

if TYPE_CHECKING:
    from debugloop.session.session import Session

_SPECIAL: Final = re.compile(r"([\\`*_\[\]#|~>])")
_LISTED: Final = 50


def report(session: Session) -> str:
    """The report of a session, finished or not. Raises CorruptFile, or GitFailed for an unfinished one."""
    from debugloop.probes.scan import scan

    if session.state().mode == "build":
        content = files.read_json(session.layout.closing) or {}
    else:
        content = orjson.loads(orjson.dumps(closing.account(session, scan(session))))
    return markdown(content, finished=session.state().mode == "build")


def markdown(account: dict[str, Any], *, finished: bool) -> str:
    """An account, as closing.json has it, as Markdown."""
    return "\n".join(_lines(account, finished=finished)) + "\n"


def _lines(account: dict[str, Any], *, finished: bool) -> Iterator[str]:
    steps: dict[str, Any] = account.get("steps") or {}
    yield f"# Debug report: {_plain(steps.get('title') or account.get('session') or 'a session')}"
    yield ""
    yield f"{_state(account, finished=finished)} {_verification(account)}"
    yield from _hypotheses(account.get("hypotheses", []))
    if steps:
        yield from _titled("Steps to reproduce", "")
        yield from (f"{number}. {_plain(step)}" for number, step in enumerate(steps["steps"], 1))
    if said := [press for press in account.get("presses", []) if press["note"]]:
        yield from _titled("What the person said", "")
        yield from (f"- Run {press['run']}, {press['action']}: {_plain(press['note'])}" for press in said)
    if comparison := account.get("comparison"):
        runs = f"run {comparison['before']['run']} and run {comparison['after']['run']}"
        yield from _titled(f"What changed between {runs}", _fenced(compare_text(comparison)))
    if fix := account.get("fix"):
        yield from _fix(fix)
    yield from _cleanup(account.get("cleanup", {}))


def _state(account: dict[str, Any], *, finished: bool) -> str:
    session = _plain(account.get("session", ""))
    if not finished:
        return f"Session {session} is not finished."
    day = datetime.fromtimestamp(account.get("finished", 0) / 1000, UTC).strftime("%Y-%m-%d %H:%M UTC")
    return f"Session {session} was finished on {day}{', forced by a person' if account.get('forced') else ''}."


def _verification(account: dict[str, Any]) -> str:
    run, events = account.get("run", 0), account.get("events", 0)
    if not account.get("verified"):
        return "The fix is **unverified**: no run was opened after the last Reproduced that was read."
    if not events:
        return f"The fix was tried in run {run}, but no event came in it: only the person's word says that it works."
    return f"The fix was verified in run {run}, with {events} event{'' if events == 1 else 's'}."


def _hypotheses(listed: list[dict[str, Any]]) -> Iterator[str]:
    if not listed:
        return
    yield from _titled("Hypotheses", "")
    for each in listed:
        yield f"- **{_plain(each['id'])}, {each['verdict']}**: {_plain(each['text'])}"
        rows = [f"{cited['at']}  {_row(cited)}" for cited in each["citations"]]
        if rows:
            yield ""
            yield "\n".join(f"  {line}" for line in _fenced("\n".join(rows)).split("\n"))
            yield ""


def _row(cited: dict[str, Any]) -> str:
    if cited["row"] is None:
        return "(cleared since)" if cited["stale"] else "(not kept)"
    return compact(json.loads(orjson.dumps(cited["row"]), parse_int=Number, parse_float=Number))


def _fix(fix: dict[str, Any]) -> Iterator[str]:
    title = f"Changes since {fix['since'][:10]}"
    if not fix["diff"]:
        yield from _titled(title, "None in the working tree.")
        return
    diff = "\n".join(visible(line).replace("\\t", "\t") for line in fix["diff"].rstrip("\n").split("\n"))
    yield from _titled(title, _fenced(diff, "diff"))
    if fix["cut"]:
        yield f"\n{fix['cut']:,} more bytes are left out."


def _cleanup(cleanup: dict[str, Any]) -> Iterator[str]:
    left = cast("list[dict[str, Any]]", cleanup.get("leftovers", []))
    read = cleanup.get("files", 0)
    lines = "1 line of the session is" if len(left) == 1 else f"{len(left)} lines of the session are"
    files = "1 file" if read == 1 else f"{read} files"
    found = f"{lines if left else 'Nothing of the session is'} left"
    yield from _titled("Proof of cleanup", f"{found}, in {files}, the index, stashes and commits.")
    places = [f"{each['file']}:{each['line']}: {each['kind']}" for each in left]
    places += [f"{each['file']}: to review: {each['text']}" for each in cleanup.get("review", [])]
    if places:
        yield ""
        yield from (f"- {_plain(place)}" for place in places[:_LISTED])
    if len(places) > _LISTED:
        yield f"- and {len(places) - _LISTED} more"


def _titled(title: str, text: str) -> Iterator[str]:
    yield f"\n## {title}"
    yield ""
    if text:
        yield text


def _plain(text: str) -> str:
    """Text that Markdown shows as it is."""
    return _SPECIAL.sub(r"\\\1", visible(text)).replace("&", "&amp;").replace("<", "&lt;")


def _fenced(text: str, language: str = "text") -> str:
    """A block of text that it cannot end from within."""
    longest = max((len(run) for run in re.findall(r"`+", text)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}{language}\n{text}\n{fence}"
