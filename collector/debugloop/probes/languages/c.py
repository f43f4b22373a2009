"""C11: a block with a counter of its own; the functions that it calls stand, with their headers, once in the file.

The type of a value picks its form: numbers, booleans, text up to 2,000 bytes, and the address of any other pointer. A
structure has to be named by its members. ``errno`` is kept. Each thread counts by itself.
"""

from __future__ import annotations

from typing import Final

from debugloop.probes.languages.base import SHOWN, Language, double

_TYPES: Final = {
    "text": ("char *", "const char *", "unsigned char *", "const unsigned char *"),
    "real": ("float", "double", "long double"),
    "whole": ("char", "signed char", "short", "int", "long", "long long"),
    "count": ("unsigned char", "unsigned short", "unsigned", "unsigned long", "unsigned long long"),
    "truth": ("_Bool",),
}
_CHOICES: Final = ", ".join(f"{kind}: debugloop_{name}_@file@" for name, kinds in _TYPES.items() for kind in kinds)

C: Final = Language(
    name="c",
    names=(),
    suffixes=(".c",),
    body=(
        "/* clang-format off */",
        "do { static __thread struct debugloop_@file@ debugloop_line;",
        "  if (debugloop_begin_@file@(&debugloop_line, @about@)) {",
        "    @values@",
        "    debugloop_end_@file@(&debugloop_line, @log@);",
        "  } } while (0);",
        "/* clang-format on */",
    ),
    quote=double,
    between=" ",
    value=lambda name, expression: f"debugloop_value_@file@(&debugloop_line, {name}, ({expression}));",
    grammar="tree_sitter_c:language",
    blocks=frozenset({"compound_statement", "case_statement"}),
    heads=frozenset({"preproc_include"}),
    before=(
        "/* clang-format off */",
        *(f"#include <{name}.h>" for name in ("errno", "fcntl", "math", "stdio", "string", "time", "unistd")),
        "struct debugloop_@file@ { long calls, sent; time_t since; int error; size_t size; char text[16384]; };",
        "static void debugloop_put_@file@(struct debugloop_@file@ *line, const char *text) {",
        "  size_t size = strlen(text);",
        "  if (line->size + size < sizeof line->text) {",
        "    memcpy(line->text + line->size, text, size + 1); line->size += size; } }",
        "static void debugloop_quote_@file@(struct debugloop_@file@ *line, const char *text) {",
        "  char one[8]; int at;",
        '  debugloop_put_@file@(line, "\\"");',
        "  for (at = 0; text[at] && at < 2000 && line->size < sizeof line->text - 64; at++) {",
        "    unsigned char each = (unsigned char)text[at];",
        "    if (each < 32 || each == '\"' || each == '\\\\') snprintf(one, sizeof one, \"\\\\u%04x\", each);",
        '    else snprintf(one, sizeof one, "%c", each);',
        "    debugloop_put_@file@(line, one); }",
        '  debugloop_put_@file@(line, "\\""); }',
        "static void debugloop_name_@file@(struct debugloop_@file@ *line, const char *name) {",
        "  if (line->text[line->size - 1] != '{') debugloop_put_@file@(line, \", \");",
        '  debugloop_quote_@file@(line, name); debugloop_put_@file@(line, ": "); }',
        *(
            f"static inline void debugloop_{name}_@file@(struct debugloop_@file@ *line, const char *name, {kind}) {{"
            f" char text[64]; debugloop_name_@file@(line, name); (void)text; {code} }}"
            for name, kind, code in (
                (
                    "text",
                    "const void *value",
                    'if (value) debugloop_quote_@file@(line, (const char *)value); else debugloop_put_@file@(line, "null");',
                ),
                (
                    "real",
                    "long double value",
                    (
                        'snprintf(text, sizeof text, isfinite(value) ? "%.17Lg" : "\\"%Lg\\"", value);'
                        " debugloop_put_@file@(line, text);"
                    ),
                ),
                (
                    "whole",
                    "long long value",
                    'snprintf(text, sizeof text, "%lld", value); debugloop_put_@file@(line, text);',
                ),
                (
                    "count",
                    "unsigned long long value",
                    'snprintf(text, sizeof text, "%llu", value); debugloop_put_@file@(line, text);',
                ),
                ("truth", "_Bool value", 'debugloop_put_@file@(line, value ? "true" : "false");'),
                (
                    "other",
                    "const void *value",
                    'snprintf(text, sizeof text, "\\"%p\\"", value); debugloop_put_@file@(line, text);',
                ),
            )
        ),
        "#define debugloop_value_@file@(line, name, value) \\",
        f"  _Generic((value), {_CHOICES}, default: debugloop_other_@file@)(line, name, value)",
        "static int debugloop_begin_@file@(struct debugloop_@file@ *line, const char *about) {",
        "  char text[64]; time_t now = time(NULL);",
        "  line->calls++;",
        "  if (now != line->since) { line->since = now; line->sent = 0; }",
        "  line->sent++;",
        f"  if (line->sent > {SHOWN} && (line->sent & (line->sent - 1))) return 0;",
        "  line->error = errno; line->size = 0;",
        "  debugloop_put_@file@(line, about); line->size--;",
        '  snprintf(text, sizeof text, ", \\"calls\\": %ld, \\"timestamp\\": %lld000, \\"data\\": {",',
        "           line->calls, (long long)now);",
        "  debugloop_put_@file@(line, text); return 1; }",
        "static void debugloop_end_@file@(struct debugloop_@file@ *line, const char *log) {",
        "  char last = '\\n'; off_t end; int file = open(log, O_RDWR | O_APPEND);",
        '  debugloop_put_@file@(line, "}}\\n");',
        "  if (file >= 0) {",
        "    end = lseek(file, 0, SEEK_END);",
        "    if (end > 0 && (lseek(file, end - 1, SEEK_SET) < 0 || read(file, &last, 1) < 1)) last = '\\n';",
        "    if (last != '\\n' && line->size < sizeof line->text) {",
        "      memmove(line->text + 1, line->text, line->size); line->text[0] = '\\n'; line->size++; }",
        "    if (write(file, line->text, line->size) < 0) line->size = 0;",
        "    close(file); }",
        "  errno = line->error; }",
        "/* clang-format on */",
    ),
)
