"""TypeScript: the statement of JavaScript, in the grammars of ``.ts`` and ``.tsx``."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from debugloop.probes.languages.javascript import JAVASCRIPT

TYPESCRIPT: Final = replace(
    JAVASCRIPT,
    name="typescript",
    names=("ts",),
    suffixes=(".ts", ".mts", ".cts"),
    shebangs=("tsx", "ts-node", "deno"),
    grammar="tree_sitter_typescript:language_typescript",
    barred=(("ambient_declaration", ""),),
)
TSX: Final = replace(
    TYPESCRIPT, name="tsx", names=(), suffixes=(".tsx",), shebangs=(), grammar="tree_sitter_typescript:language_tsx"
)
