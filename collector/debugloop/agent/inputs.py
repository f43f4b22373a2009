"""What agents hand to us, judged by pydantic before it reaches a file. The only module that imports pydantic."""

from __future__ import annotations

from typing import Annotated, TypeVar

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, ValidationError

from debugloop.errors import InvalidHypothesis
from debugloop.session.ledger import Verdict

M = TypeVar("M", bound=BaseModel)

_Id = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=32)]
_Text = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=2_000)]
_Citation = Annotated[str, StringConstraints(strip_whitespace=True, pattern=r"^\d{1,9}:\d{1,9}$")]


class _Input(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class NewHypothesis(_Input):
    """A statement that evidence can prove wrong."""

    text: _Text = Field(description="One falsifiable statement about the cause.")
    id: _Id | None = Field(default=None, description="H1, H2, … by default.")


class Judgement(_Input):
    """A verdict on a hypothesis, with the rows that decide it."""

    id: _Id = Field(description="The hypothesis, such as H1.")
    verdict: Verdict
    citations: tuple[_Citation, ...] = Field(default=(), max_length=100, description="Rows as run:line, such as 2:17.")


def checked(model: type[M], **values: object) -> M:
    """The values as this input. Raises InvalidHypothesis with a sentence that names what is wrong."""
    try:
        return model.model_validate(values)
    except ValidationError as invalid:
        raise InvalidHypothesis(_reason(invalid)) from None


def _reason(invalid: ValidationError) -> str:
    error = invalid.errors(include_url=False)[0]
    field = str(error["loc"][0]) if error["loc"] else "input"
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
            return f"it knows no {field}"
        case _:
            return f"{field}: {error['msg'].lower()}"
