"""Whether a statement may stand at a place: by trying it.

The file is parsed with the statement and without. It fits if the second tree is the first one plus this one statement,
directly in a block: no string, no template, no branch without braces and no half expression can pass for a block
then, and everything else of the file still means what it meant.
"""

from __future__ import annotations

import ast
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Final, cast

from debugloop.probes.scripts import Code

if TYPE_CHECKING:
    from tree_sitter import Language as Grammar
    from tree_sitter import Node

    from debugloop.probes.languages.base import Language

_LEAVES: Final = frozenset(
    {
        "return_statement",
        "break_statement",
        "continue_statement",
        "throw_statement",
        "goto_statement",
        "return_expression",
        "break_expression",
        "continue_expression",
        "throw_expression",
        "loopex_expression",
        "return",
        "break",
        "next",
    }
)
_NO_CODE: Final = frozenset({"pod", "eof_marker", "data_section"})
_EXPRESSION: Final = "expression_statement"
_AROUND: Final = (
    "a value of --data acts on the function around it, as await and yield do; give a variable that holds it"
)


@dataclass(frozen=True, slots=True)
class Refused(Exception):
    """Why a statement cannot stand at a place: a phrase for people."""

    reason: str


def check(code: Code, old: bytes, at: int, inserted: bytes) -> None:
    """See that ``inserted`` is one statement when it stands at byte ``at`` of ``old``, in this code. Raises Refused.

    ``inserted`` is whole lines; comments around its statement are free to stand anywhere.
    """
    language, length = code.language, len(inserted)
    new = old[:at] + inserted + old[at:]
    if language.grammar is None:
        _check_python(old, new, at, length)
    else:
        before, after = _parse(code, old), _parse(replace(code, end=code.end + length), new)
        _Trial(language, at, length).compare(before, after)


def starts(code: Code, data: bytes) -> set[int]:
    """The byte offsets at which statements begin, as candidates for other places."""
    language = code.language
    if language.grammar is None:
        lines = _line_starts(data)
        tree = _python(data)
        return {lines[_first_line(statement) - 1] for block in _bodies(tree) for statement in block}
    return set(_tree_starts(_parse(code, data), language.blocks))


def head_end(language: Language, data: bytes) -> int:
    """The byte offset behind the last node that must stand above the region of imports; 0 where there is none."""
    root = _parse(Code(language, 0, len(data)), data)
    return max((node.end_byte for node in root.children if node.type in language.heads), default=0)


def _parse(code: Code, data: bytes) -> Node:
    """The tree of this code in a file, with offsets of the file. Raises Refused where there is no parser of it."""
    from tree_sitter import Parser, Range

    try:
        grammar = _grammar(cast("str", code.language.grammar))
    except ImportError as error:
        name = code.language.name
        raise Refused(
            f"no parser of {name} is installed here; insert what `debugloop snippet {name}` prints"
        ) from error
    start, end = _point(data, code.start), _point(data, code.end)
    parser = Parser(grammar, included_ranges=[Range(start, end, code.start, code.end)])
    return parser.parse(data).root_node


def _point(data: bytes, offset: int) -> tuple[int, int]:
    """The row and the column of an offset, as tree-sitter counts them."""
    return data.count(b"\n", 0, offset), offset - data.rfind(b"\n", 0, offset) - 1


@cache
def _grammar(name: str) -> Grammar:
    from tree_sitter import Language as Grammar

    module, _, function = name.partition(":")
    made: Callable[[], object] = getattr(import_module(module), function)
    with warnings.catch_warnings(action="ignore", category=DeprecationWarning):  # Perl's gives a plain address
        return Grammar(made())


@dataclass(frozen=True, slots=True)
class _Trial:
    language: Language
    at: int
    length: int

    def ours(self, node: Node) -> bool:
        return self.at <= node.start_byte and node.end_byte <= self.at + self.length and node.end_byte > node.start_byte

    def compare(self, old: Node, new: Node) -> None:
        """Descend to where the trees differ: it must be one block, and by one statement. Raises Refused."""
        mine = [node for node in new.children if self.ours(node)]
        rest = [node for node in new.children if not self.ours(node)]
        if (old.type, len(old.children)) != (new.type, len(rest)):
            raise Refused(f"it would break {_phrase(old.type)}")
        statements = [node for node in mine if "comment" not in node.type]
        if statements:
            self._judge(new, statements)
        for before, after in zip(old.children, rest, strict=True):
            if after.start_byte < self.at + self.length and after.end_byte > self.at:
                self.compare(before, after)
            elif _shape(before) != _shape(after):
                raise Refused(f"it would break {_phrase(old.type)}")
        if old.child_count == 0 and _shape(old) != _shape(new):
            raise Refused(f"it is within {_phrase(old.type)}")

    def _judge(self, parent: Node, statements: list[Node]) -> None:
        first, last = statements[0], statements[-1]
        if parent.type not in self.language.blocks and first.type not in self.language.blocks:
            raise Refused(f"no statement stands directly in {_phrase(parent.type)}")
        if any(node.has_error for node in statements) or len([node for node in statements if _counts(node)]) != 1:
            raise Refused("it would not parse there; are all of --data expressions?")
        around = self.language.around
        if around and any(node.type in around for statement in statements for node in _nodes(statement)):
            raise Refused(_AROUND)
        before, after = _statement(first, -1), _statement(last, 1)
        if before is not None and _bare(before).type in _LEAVES:
            raise Refused("it would never be reached")
        if after is None and self._gives_value(parent, before):
            raise Refused("it would stand for the value of what it ends")
        if first.type in self.language.beside and not {first.type} & {each.type for each in (before, after) if each}:
            raise Refused(f"no statement stands directly in {_phrase(parent.type)}")
        if self._is_barred(parent):
            raise Refused("what stands there is not run as the program runs")
        if after is not None and (after.type in self.language.first or _is_directive(after)):
            raise Refused("what follows must stand first")
        if parent.type == "compound_statement" and parent.parent is not None and "switch" in parent.parent.type:
            raise Refused("it would never be reached")

    def _gives_value(self, parent: Node, before: Node | None) -> bool:
        """Whether a statement that is last in here, behind ``before``, is what the block gives."""
        valued, discards = self.language.valued, self.language.discards
        if discards and (before is None or (before.text or b"").endswith(discards.encode())):
            return False
        return any(node is not None and node.type in valued for node in (parent, parent.parent))

    def _is_barred(self, parent: Node) -> bool:
        node: Node | None = parent
        while node is not None:
            kind = node.type
            words = {
                word for child in node.children[:-1] for word in (child.text or b"").decode("utf-8", "replace").split()
            }
            if any(kind == barred and (not word or word in words) for barred, word in self.language.barred):
                return True
            node = node.parent
        return False


def _counts(node: Node) -> bool:
    """Whether it is a statement of its own; an attribute belongs to what follows it."""
    return node.is_named and node.type != "attribute_item"


def _bare(node: Node) -> Node:
    """The expression of a statement that is nothing else."""
    return node.named_children[0] if node.type == _EXPRESSION and len(node.named_children) == 1 else node


def _shape(node: Node) -> tuple[str, str, int]:
    return node.type, str(node), node.end_byte - node.start_byte


def _phrase(kind: str) -> str:
    return f"the {kind.replace('_', ' ')}"


def _statement(node: Node, step: int) -> Node | None:
    """The next or the previous sibling that is no comment and no data behind the program."""
    found = node.next_named_sibling if step > 0 else node.prev_named_sibling
    while found is not None and ("comment" in found.type or found.type in _NO_CODE):
        found = found.next_named_sibling if step > 0 else found.prev_named_sibling
    return found


def _is_directive(node: Node) -> bool:
    """Whether it is one like ``"use strict"``, which must stand before every statement."""
    children = node.named_children
    return node.type == _EXPRESSION and len(children) == 1 and children[0].type == "string"


def _tree_starts(root: Node, blocks: frozenset[str]) -> Iterator[int]:
    for node in _nodes(root):
        if node.type in blocks:
            yield from (child.start_byte for child in node.children if child.is_named or child.type == "}")


def _nodes(root: Node) -> Iterator[Node]:
    """The node and all below it, however deep."""
    pending = [root]
    while pending:
        node = pending.pop()
        yield node
        pending += node.children


def _python(data: bytes) -> ast.Module:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return ast.parse(data)


def _bodies(tree: ast.AST) -> Iterator[list[ast.stmt]]:
    for node in ast.walk(tree):
        for name in ("body", "orelse", "finalbody"):
            body: object = getattr(node, name, None)
            if isinstance(body, list):
                yield cast("list[ast.stmt]", body)


def _first_line(statement: ast.stmt) -> int:
    decorators: list[ast.expr] = getattr(statement, "decorator_list", [])
    return min([statement.lineno, *(each.lineno for each in decorators)])


def _check_python(old: bytes, new: bytes, at: int, length: int) -> None:
    try:
        expected = _python(old)
    except (SyntaxError, ValueError) as error:
        raise Refused(f"the file does not parse as it is ({error})") from error
    try:
        tree = _python(new)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            compile(tree, "probe", "exec", dont_inherit=True)
    except (SyntaxError, ValueError) as error:
        raise Refused("the file would not parse") from error
    lines = _line_starts(new)
    place = range(at, at + length)
    found = [(body, statement) for body in _bodies(tree) for statement in body if lines[statement.lineno - 1] in place]
    inner = [pair for pair in found if isinstance(pair[1], ast.Try)]
    if not inner:
        raise Refused("it is within a string or a longer statement")
    body, statement = inner[0]
    if any(isinstance(node, ast.Await | ast.Yield | ast.YieldFrom) for node in ast.walk(statement)):
        raise Refused(_AROUND)
    index = body.index(statement)
    if index and isinstance(body[index - 1], ast.Return | ast.Raise | ast.Break | ast.Continue):
        raise Refused("it would never be reached")
    if index == 0 and len(body) > 1 and _is_docstring(body[1]):
        raise Refused("what follows is a docstring, which must stand first")
    body.remove(statement)
    if ast.dump(tree) != ast.dump(expected):
        raise Refused("it would change what follows")


def _is_docstring(statement: ast.stmt) -> bool:
    if not isinstance(statement, ast.Expr) or not isinstance(statement.value, ast.Constant):
        return False
    return isinstance(statement.value.value, str)


def _line_starts(data: bytes) -> list[int]:
    """Where each line begins, as Python's parser counts lines: LF, CRLF and CR end one."""
    found, here = [0], 0
    for line in data.splitlines(keepends=True):
        here += len(line)
        found.append(here)
    return found
