"""The ledger as agents write it: statements, and verdicts that cite rows which are there."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from debugloop.agent.loop import require_open
from debugloop.errors import InvalidCitation, RunNotFound
from debugloop.session import ledger, runs

if TYPE_CHECKING:
    from debugloop.session.ledger import Hypothesis
    from debugloop.session.session import Session


def add(session: Session, text: str, hypothesis_id: str | None = None) -> Hypothesis:
    """Write down a hypothesis. Raises InvalidHypothesis, or SessionFinished: its ledger is closed."""
    from debugloop.agent.inputs import NewHypothesis, checked

    require_open(session)
    new = checked(NewHypothesis, text=text, id=hypothesis_id)
    return ledger.add(session, new.text, new.id)


def judge(session: Session, hypothesis_id: str, verdict: str, citations: Sequence[str] = ()) -> Hypothesis:
    """Record a verdict and the rows that decide it. Raises InvalidHypothesis, InvalidCitation or SessionFinished."""
    from debugloop.agent.inputs import Judgement, checked

    require_open(session)
    judged = checked(Judgement, id=hypothesis_id, verdict=verdict, citations=tuple(citations))
    cited = [ledger.parse_citation(text) for text in judged.citations]
    for run, line in cited:
        _require_row(session, run, line)
    return ledger.set_verdict(session, judged.id, judged.verdict, cited)


def _require_row(session: Session, run: int, line: int) -> None:
    try:
        rows = runs.read(session, run, redacting=False)[1]
    except RunNotFound as gone:
        raise InvalidCitation(
            f"{run}:{line}", f"run {run} is not kept; there are: {', '.join(map(str, gone.kept))}"
        ) from gone
    if all(row.line != line for row in rows):
        last = rows[-1].line if rows else 0
        raise InvalidCitation(f"{run}:{line}", f"run {run} has no line {line}; its last one is {last}")


def as_json(session: Session, hypothesis: Hypothesis) -> dict[str, Any]:
    """A hypothesis in the shape of ``hypothesis list --json``; ``stale`` are citations whose rows are gone."""
    clears, kept = session.state().clears, runs.kept(session)
    gone = [each for each in hypothesis.citations if ledger.is_stale(each, clears) or each.run not in kept]
    return {
        "id": hypothesis.id,
        "text": hypothesis.text,
        "verdict": hypothesis.verdict,
        "citations": [str(each) for each in hypothesis.citations],
        "stale": [str(each) for each in gone],
    }
