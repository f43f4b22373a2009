"""Java 8 and later: a statement of fully qualified names, so that no import is needed.

A lambda could read no variable that is assigned twice, so the values are read before anything else, and one that throws
costs the event. What is counted stands in a system property.
"""

from __future__ import annotations

from typing import Final

from debugloop.probes.languages.base import SHOWN, Language, double

JAVA: Final = Language(
    name="java",
    names=(),
    suffixes=(".java",),
    body=(
        "// @formatter:off",
        "try {",
        '    java.lang.String[] debugloop_mine = java.lang.System.getProperty("debugloop." + @probe@, "0 0 0").split(" ");',
        "    long debugloop_now = java.lang.System.currentTimeMillis();",
        "    long debugloop_calls = java.lang.Long.parseLong(debugloop_mine[0]) + 1;",
        "    long debugloop_since = java.lang.Long.parseLong(debugloop_mine[1]);",
        "    long debugloop_sent = java.lang.Long.parseLong(debugloop_mine[2]) + 1;",
        "    if (debugloop_now - debugloop_since >= 1000 || debugloop_now < debugloop_since) {",
        "        debugloop_since = debugloop_now;",
        "        debugloop_sent = 1;",
        "    }",
        '    java.lang.System.setProperty("debugloop." + @probe@,',
        '        debugloop_calls + " " + debugloop_since + " " + debugloop_sent);',
        f"    if (debugloop_sent <= {SHOWN} || (debugloop_sent & (debugloop_sent - 1)) == 0) {{",
        "        java.lang.StringBuilder debugloop_line = new java.lang.StringBuilder(@about@);",
        "        debugloop_line.setLength(debugloop_line.length() - 1);",
        '        debugloop_line.append(", \\"calls\\": ").append(debugloop_calls).append(", \\"timestamp\\": ");',
        '        debugloop_line.append(debugloop_now).append(", \\"data\\": {");',
        "        java.lang.Object[] debugloop_values = { @values@ };",
        "        for (int debugloop_i = 0; debugloop_i < debugloop_values.length; debugloop_i++) {",
        "            java.lang.Object debugloop_value = debugloop_values[debugloop_i];",
        '            if (debugloop_i > 0) debugloop_line.append(debugloop_i % 2 == 0 ? ", " : ": ");',
        "            boolean debugloop_plain = debugloop_value == null || debugloop_value instanceof java.lang.Boolean",
        "                || debugloop_value instanceof java.lang.Number;",
        "            java.lang.String debugloop_text;",
        "            try {",
        "                debugloop_text = debugloop_value instanceof java.lang.Object[]",
        "                    ? java.util.Arrays.deepToString((java.lang.Object[]) debugloop_value)",
        "                    : java.lang.String.valueOf(debugloop_value);",
        "            } catch (java.lang.RuntimeException | java.lang.StackOverflowError debugloop_error) {",
        '                debugloop_text = "[unreadable]";',
        "                debugloop_plain = false;",
        "            }",
        '            if (debugloop_plain && debugloop_text.matches("null|true|false|-?\\\\d+(\\\\.\\\\d+)?([eE]-?\\\\d+)?")) {',
        "                debugloop_line.append(debugloop_text);",
        "                continue;",
        "            }",
        "            debugloop_line.append('\"');",
        "            for (int debugloop_j = 0; debugloop_j < debugloop_text.length() && debugloop_j < 2000; debugloop_j++) {",
        "                char debugloop_each = debugloop_text.charAt(debugloop_j);",
        "                if (debugloop_each > 31 && debugloop_each < 127 && debugloop_each != '\"' && debugloop_each != '\\\\')",
        "                    debugloop_line.append(debugloop_each);",
        "                else debugloop_line.append(java.lang.String.format(\"\\\\%c%04x\", 'u', (int) debugloop_each));",
        "            }",
        "            debugloop_line.append('\"');",
        "        }",
        '        byte[] debugloop_bytes = debugloop_line.append("}}\\n").toString().getBytes("UTF-8");',
        "        try (java.io.OutputStream debugloop_file = java.nio.file.Files.newOutputStream(",
        "                java.nio.file.Paths.get(@log@), java.nio.file.StandardOpenOption.APPEND)) {",
        "            debugloop_file.write(debugloop_bytes);",
        "        }",
        "    }",
        "} catch (java.lang.Exception | java.lang.StackOverflowError | java.lang.LinkageError debugloop_error) {",
        "}",
        "// @formatter:on",
    ),
    quote=double,
    value=lambda name, expression: f"{name}, {expression}",
    grammar="tree_sitter_java:language",
    blocks=frozenset({"block", "constructor_body", "switch_block_statement_group"}),
)
