"""One row in full: every member of its record, also those that have no place in the row, as a tree of JSON."""

from __future__ import annotations

import json
import re
from json.encoder import encode_basestring as quoted
from typing import TYPE_CHECKING, Final, cast

from debugloop.evidence.rows import clock
from debugloop.evidence.visible import visible
from debugloop.session.records import Number
from debugloop_overlay.paragraphs import Paragraph

if TYPE_CHECKING:
    from collections.abc import Iterator

    from debugloop.session.records import Row
    from debugloop_overlay.languages.words import Words
    from debugloop_overlay.palette import Role

_INDENT: Final = 2
_ESCAPE: Final = re.compile(r"\\(.)")


class _Members(list[tuple[str, object]]):
    """The members of an object in their order; a name that occurs twice does so here, too."""


def details(words: Words, row: Row, run: int) -> list[Paragraph]:
    """A row as paragraphs: how it is cited, then its record; of a malformed one why, and its bytes as they are kept."""
    title = Paragraph.of((f"{run}:{row.line}" if row.line else str(run), "strong"))
    if row.malformed:
        reason = words.malformed_row.format(reason=getattr(words, row.malformed))
        return [title, Paragraph.of((reason, "bad")), Paragraph.of((visible(row.text), "text"))]
    record = json.loads(row.raw, object_pairs_hook=_Members, parse_int=Number, parse_float=Number)
    time = clock(row.record().get("timestamp"))
    head = [Paragraph.of((f"{title.text}  {time}", "strong"))] if time else [title]
    return head + [Paragraph.of(*parts, hang=hang) for parts, hang in _tree(record, 0, [], "")]


def _tree(
    value: object, depth: int, name: list[tuple[str, Role]], comma: str
) -> Iterator[tuple[list[tuple[str, Role]], int]]:
    # nesting is bounded by the reader
    whole = value
    indent = " " * (_INDENT * depth)
    hang = len(indent) + _INDENT
    start: list[tuple[str, Role]] = [(indent, "text"), *name]
    if isinstance(value, _Members) and value:
        yield [*start, ("{", "text")], hang
        for at, (key, member) in enumerate(value, 1):
            named: list[tuple[str, Role]] = [(visible(quoted(key)), "location"), (": ", "text")]
            yield from _tree(member, depth + 1, named, "," if at < len(value) else "")
        yield [(f"{indent}}}{comma}", "text")], hang
    elif isinstance(value, list) and value and not isinstance(value, _Members):
        items = cast("list[object]", value)
        yield [*start, ("[", "text")], hang
        for at, item in enumerate(items, 1):
            yield from _tree(item, depth + 1, [], "," if at < len(items) else "")
        yield [(f"{indent}]{comma}", "text")], hang
    else:
        yield [*start, *_scalar(whole), (comma, "text")], hang


def _scalar(value: object) -> list[tuple[str, Role]]:
    if isinstance(value, Number):
        return [(str(value), "key")]
    if isinstance(value, str):
        # after each \n the line breaks, too: a stack trace stays readable, and what is seen stays JSON
        return [(_ESCAPE.sub(lambda escape: escape[0] + "\n" * (escape[1] == "n"), visible(quoted(value))), "good")]
    if isinstance(value, list):
        return [("{}" if isinstance(value, _Members) else "[]", "text")]
    return [("null" if value is None else "true" if value else "false", "tag")]
