"""What a tool gives: the same JSON as text and as structure, valid for every reader, and the schema it keeps to."""

from __future__ import annotations

import json
import math
from decimal import Decimal, InvalidOperation
from typing import Any, Final

import orjson

_EXACT: Final = 2**53
_DIGITS: Final = 16


def as_text(answer: dict[str, Any]) -> str:
    """The answer as JSON; what a program wrote keeps every digit."""
    return orjson.dumps(answer, default=str).decode()


def structure(text: str) -> dict[str, Any]:
    """The same as a structure. A number that a double cannot hold, such as 1e999, is a string of its own digits."""
    value: dict[str, Any] = json.loads(text, parse_int=_whole, parse_float=_real)
    return value


def _whole(digits: str) -> int | str:
    if len(digits.lstrip("-")) > _DIGITS:
        return digits
    value = int(digits)
    return value if abs(value) <= _EXACT else digits


def _real(digits: str) -> float | str:
    value = float(digits)
    try:
        return value if math.isfinite(value) and Decimal(repr(value)) == Decimal(digits) else digits
    except InvalidOperation:  # an exponent past what even a Decimal holds
        return digits


def _of(**properties: dict[str, Any]) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "required": list(properties)}


_TEXT: Final = {"type": "string"}
_WHOLE: Final = {"type": "integer"}
_FLAG: Final = {"type": "boolean"}
_OBJECT: Final = {"type": "object"}
_LIST: Final = {"type": "array", "items": {"type": "object"}}
_NUMBERS: Final = {"type": "array", "items": {"type": "integer"}}
_TEXT_OR_NONE: Final = {"type": ["string", "null"]}

SCHEMAS: Final[dict[str, dict[str, Any]]] = {
    "start_debug": _of(
        session=_TEXT,
        directory=_TEXT,
        endpoint=_TEXT,
        log=_TEXT,
        run=_WHOLE,
        stage={"enum": ["investigating", "reproducing", "analysing", "resolved", "finished"]},
        history={"enum": ["new", "resumed", "reopened"]},
        attached=_FLAG,
        workflow=_TEXT,
    ),
    "record_hypotheses": _of(session=_TEXT, hypotheses=_LIST, refused=_LIST),
    "instrument": _of(
        session=_TEXT,
        inserted=_LIST,
        refused=_LIST,
        snippet={"type": ["object", "null"]},
        begin=_TEXT,
        end=_TEXT,
        endpoint=_TEXT_OR_NONE,
        log=_TEXT,
        event=_OBJECT,
        probes=_LIST,
        by_hand=_LIST,
        more=_OBJECT,
        next=_TEXT,
    ),
    "publish_reproduction_steps": _of(
        session=_TEXT,
        run=_WHOLE,
        title=_TEXT_OR_NONE,
        steps={"type": "array", "items": _TEXT},
        retired=_NUMBERS,
        next=_TEXT,
    ),
    "wait_for_user": _of(
        session=_TEXT,
        status={"enum": ["reproduced", "no_events", "resolved", "pending"]},
        press={"type": ["integer", "null"]},
        note=_TEXT_OR_NONE,
        run=_WHOLE,
        events=_WHOLE,
        verified={"type": ["boolean", "null"]},
        collector=_TEXT,
        panel={"enum": ["open", "closed"]},
        next=_TEXT,
        evidence=_OBJECT,
    ),
    "read_evidence": _of(view={"enum": ["digest", "timeline", "rows", "compare"]}, notice=_TEXT),
    "remove_instrumentation": _of(
        session=_TEXT, dry_run=_FLAG, removed=_LIST, leftovers=_LIST, review=_LIST, more=_OBJECT, next=_TEXT
    ),
    "finish_debug_cleanup": _of(session=_TEXT, finished=_FLAG, leftovers=_LIST, review=_LIST, more=_OBJECT, next=_TEXT),
}
"""What the structure of each tool's answer holds at least."""
