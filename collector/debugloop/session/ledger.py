"""hypotheses.json: the ledger of hypotheses, their verdicts and the rows cited for them."""

from __future__ import annotations

import dataclasses
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias, cast, get_args

from debugloop.errors import CorruptFile, InvalidCitation, InvalidHypothesis
from debugloop.session import files
from debugloop.session.locks import hold

if TYPE_CHECKING:
    from debugloop.session.session import Session

Verdict: TypeAlias = Literal["open", "confirmed", "rejected", "inconclusive"]

VERDICTS: Final = cast("tuple[Verdict, ...]", get_args(Verdict))
_CITATION = re.compile(r"(\d{1,9}):(\d{1,9})")
_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,31}")


@dataclass(frozen=True, slots=True)
class Citation:
    """One row as evidence. ``clears``: how often its run had been cleared when it was cited."""

    run: int
    line: int
    clears: int = 0

    def __str__(self) -> str:
        return f"{self.run}:{self.line}"


@dataclass(frozen=True, slots=True)
class Hypothesis:
    """A statement that evidence can prove wrong, and what the evidence said."""

    id: str
    text: str
    verdict: Verdict = "open"
    citations: tuple[Citation, ...] = ()


def parse_citation(text: str) -> tuple[int, int]:
    """``run:line`` as numbers. Raises InvalidCitation."""
    match = _CITATION.fullmatch(text.strip())
    if match is None or int(match[2]) == 0:
        raise InvalidCitation(text)
    return int(match[1]), int(match[2])


def load(session: Session) -> list[Hypothesis]:
    """The ledger in the order it was written; empty where there is none. Raises CorruptFile or NewerFormat."""
    value = files.read_json(session.layout.hypotheses)
    if value is None:
        return []
    try:
        return [_hypothesis(item) for item in value["hypotheses"]]
    except (KeyError, TypeError, ValueError) as error:
        raise CorruptFile(session.layout.hypotheses, f"field {error} is missing or wrong") from error


def add(session: Session, text: str, hypothesis_id: str | None = None) -> Hypothesis:
    """Write down a new hypothesis; without an id it gets the next ``H<n>``. Raises InvalidHypothesis."""
    if hypothesis_id is not None and not _ID.fullmatch(hypothesis_id):
        raise InvalidHypothesis(f"{hypothesis_id!r} is no id; use 1 to 32 letters, digits, dots, dashes or underscores")
    with hold(session.layout.journal_lock, session.settings.lock_seconds):
        ledger = load(session)
        taken = {each.id for each in ledger}
        if hypothesis_id in taken:
            raise InvalidHypothesis(f"{hypothesis_id} is there already; change it with `debugloop hypothesis set`")
        free = (f"H{number}" for number in range(1, len(ledger) + 2))
        new = Hypothesis(hypothesis_id or next(name for name in free if name not in taken), text.strip())
        _save(session, [*ledger, new])
    return new


def set_verdict(session: Session, hypothesis_id: str, verdict: Verdict, cited: list[tuple[int, int]]) -> Hypothesis:
    """Change a verdict; the rows in ``cited`` (run, line) are added to those cited before. Raises InvalidHypothesis."""
    with hold(session.layout.journal_lock, session.settings.lock_seconds):
        ledger = load(session)
        clears = session.state().clears
        for index, old in enumerate(ledger):
            if old.id == hypothesis_id:
                added = [Citation(run, line, clears.get(str(run), 0)) for run, line in cited]
                kept = [each for each in old.citations if all((each.run, each.line) != pair for pair in cited)]
                ledger[index] = dataclasses.replace(old, verdict=verdict, citations=(*kept, *added))
                _save(session, ledger)
                return ledger[index]
    known = ", ".join(each.id for each in ledger) or "none yet"
    raise InvalidHypothesis(f"there is no {hypothesis_id}; there are: {known}")


def is_stale(citation: Citation, clears: dict[str, int]) -> bool:
    """Whether the run was cleared after it was cited. ``clears`` is that of session.json."""
    return clears.get(str(citation.run), 0) > citation.clears


def _hypothesis(item: dict[str, Any]) -> Hypothesis:
    if item["verdict"] not in VERDICTS:
        raise ValueError("verdict")
    citations = tuple(Citation(int(c["run"]), int(c["line"]), int(c["clears"])) for c in item["citations"])
    return Hypothesis(str(item["id"]), str(item["text"]), item["verdict"], citations)


def _save(session: Session, ledger: list[Hypothesis]) -> None:
    files.write_json(session.layout.hypotheses, {"hypotheses": [dataclasses.asdict(each) for each in ledger]})
