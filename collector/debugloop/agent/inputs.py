"""What agents hand to us, judged by pydantic before it reaches a file. The only module that imports pydantic."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal, TypeVar, get_args

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, ValidationError

from debugloop.errors import InvalidArguments, InvalidHypothesis
from debugloop.session.ledger import Verdict

M = TypeVar("M", bound=BaseModel)

_Id = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=32)]
_Text = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=2_000)]
_SessionId = Annotated[str, StringConstraints(min_length=1, max_length=128)]
_Citation = Annotated[str, StringConstraints(strip_whitespace=True, pattern=r"^\d{1,9}:\d{1,9}$")]


class _Input(BaseModel):
    # built when a tool is called for the first time, not while a client waits for the first greeting
    model_config = ConfigDict(extra="forbid", frozen=True, defer_build=True)


class NewHypothesis(_Input):
    """A statement that evidence can prove wrong."""

    text: _Text = Field(description="One falsifiable statement about the cause.")
    id: _Id | None = Field(default=None, description="H1, H2, … by default.")


class Judgement(_Input):
    """A verdict on a hypothesis, with the rows that decide it."""

    id: _Id = Field(description="The hypothesis, such as H1.")
    verdict: Verdict
    citations: tuple[_Citation, ...] = Field(default=(), max_length=100, description="Rows as run:line, such as 2:17.")


class Which(_Input):
    """Which session is meant."""

    session: _SessionId | None = Field(default=None, description="Which session, where the workspace has several.")
    workspace: str | None = Field(
        default=None, max_length=4_096, description="Absolute path of the project; this server's folder by default."
    )


class StartDebug(Which):
    """What a start is asked for."""

    new: bool = Field(default=False, description="Make another session, even if there is one.")
    in_workspace: bool = Field(
        default=False, description="Keep its files in .debugloop/ of the project, for containers."
    )
    new_endpoint: bool = Field(default=False, description="Give up the old address, where its port is taken.")
    allow_origins: tuple[str, ...] = Field(default=(), max_length=20, description="Exact origins of pages to let in.")


class RecordHypotheses(Which):
    """Changes of the ledger; without any, the ledger is only read."""

    add: tuple[NewHypothesis, ...] = Field(default=(), max_length=20)
    judge: tuple[Judgement, ...] = Field(default=(), max_length=20)


class ProbeAt(_Input):
    """A probe before a line of a file."""

    place: str = Field(min_length=1, max_length=1_024, description="FILE:LINE from the project, as before this call.")
    hypothesis: str | None = Field(default=None, max_length=32, description="What the event speaks to, such as H1.")
    message: str = Field(default="", max_length=500)
    data: str = Field(default="", max_length=2_000, description="Expressions of that language, by commas.")
    level: str | None = Field(default=None, max_length=32)
    language: str | None = Field(default=None, description="Where the file's name does not tell it.")
    capture: bool = Field(default=False, description="At a page's entry point: record what goes wrong anywhere in it.")


class Instrument(Which):
    """Where probes are to stand. Without any, those that there are are listed."""

    insert: tuple[ProbeAt, ...] = Field(default=(), max_length=12)
    dry_run: bool = Field(default=False, description="Only tell where they would stand.")
    snippet: str | None = Field(default=None, description="A language: gives a probe in it to put in by hand.")


class PublishSteps(Which):
    """Steps that a stranger could follow."""

    title: str | None = Field(default=None, description="What is wrong, in a few words.")
    steps: tuple[str, ...] = Field(description="One action each, in the person's language.")


class WaitForUser(Which):
    """How long, and past which press."""

    max_wait_s: float | None = Field(default=None, ge=0, le=3_600, description="Seconds; 0 looks once.")
    after: int | None = Field(default=None, ge=1, description="Acknowledge this press and wait for a later one.")


class ReadEvidence(Which):
    """Which rows, and how to see them."""

    view: Literal["digest", "timeline", "rows", "compare"] = Field(
        default="digest",
        description="digest: by hypothesis and place. timeline: what came after what. rows: as they are. "
        "compare: what changed since the run in `before`.",
    )
    run: int | None = Field(default=None, ge=0, description="The current run by default.")
    before: int | None = Field(
        default=None, ge=0, description="For compare: the earlier run; the one before by default."
    )
    hypothesis: str | None = Field(default=None, description="Only events of this hypothesis.")
    location: str | None = Field(default=None, description="Only events whose location holds this.")
    probe: str | None = Field(default=None, description="Only events of this probe.")
    level: str | None = None
    text: str | None = Field(default=None, description="Only events that hold this in any key or value.")
    since: str | None = Field(default=None, description="ISO 8601 or ms, by the program's clock.")
    until: str | None = None
    after: int = Field(default=0, ge=0, description="The cursor of an earlier answer.")
    max_bytes: int | None = Field(default=None, ge=2_000, le=1_000_000, description="Of the answer; 16 KiB by default.")


class RemoveInstrumentation(Which):
    """Which files, and whether to touch them."""

    files: tuple[str, ...] = Field(
        default=(), max_length=1_000, description="Only these; by default the whole project."
    )
    dry_run: bool = Field(default=False, description="Only tell what would be removed.")
    edited: bool = Field(
        default=False,
        description="Also probes that you wrote by hand or changed; without it they are only shown, as a diff.",
    )


class FinishDebug(Which):
    """Nothing but which session."""


def schema(model: type[BaseModel]) -> dict[str, Any]:
    """The JSON schema of an input."""
    return model.model_json_schema()


def arguments(model: type[M], values: Mapping[str, Any]) -> M:
    """The arguments of a tool call as its input. Raises InvalidArguments with a sentence that names what is wrong."""
    try:
        return model.model_validate(values)
    except ValidationError as invalid:
        raise InvalidArguments(_reason(model, invalid)) from None


def checked(model: type[M], **values: object) -> M:
    """The values as this input. Raises InvalidHypothesis with a sentence that names what is wrong."""
    try:
        return model.model_validate(values)
    except ValidationError as invalid:
        raise InvalidHypothesis(_reason(model, invalid)) from None


def _reason(model: type[BaseModel], invalid: ValidationError) -> str:
    error = invalid.errors(include_url=False)[0]
    field = ".".join(map(str, error["loc"])) or "input"
    limits = error.get("ctx", {})
    match error["type"]:
        case "string_too_short":
            return f"the {field} is empty"
        case "string_too_long":
            return f"the {field} is longer than {limits.get('max_length')} characters"
        case "string_pattern_mismatch":
            return f"{error['input']!r} is no citation; one is run:line, such as 2:17"
        case "literal_error":
            return f"the {field} must be {limits.get('expected')}"
        case "too_long":
            return f"there may be {limits.get('max_length')} {field} at most"
        case "extra_forbidden":
            return f"it knows no {field}; it takes {', '.join(_taken(model, error['loc'][:-1]))}"
        case _:
            return f"{field}: {error['msg'].lower()}"


def _taken(model: type[BaseModel], place: tuple[int | str, ...]) -> list[str]:
    """The names of what stands at this place of an input."""
    for step in place:
        if isinstance(step, str):
            model = next(part for part in get_args(model.model_fields[step].annotation) if part is not Ellipsis)
    return list(model.model_fields)
