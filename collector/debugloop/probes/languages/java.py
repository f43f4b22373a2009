"""Java 8 and later: a statement of fully qualified names, so that no import is needed.

A lambda could read no variable that is assigned twice, so the values are read in place, each in a ``try``. What is
counted stands in a system property.
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
        '    java.lang.String debugloop_mine = java.lang.System.getProperty("debugloop." + @probe@, "0 0 0");',
        "    int debugloop_at = debugloop_mine.indexOf(' '), debugloop_end = debugloop_mine.lastIndexOf(' ');",
        "    long debugloop_now = java.lang.System.currentTimeMillis();",
        "    long debugloop_calls = java.lang.Long.parseLong(debugloop_mine.substring(0, debugloop_at)) + 1;",
        "    long debugloop_since = java.lang.Long.parseLong(debugloop_mine.substring(debugloop_at + 1, debugloop_end));",
        "    long debugloop_sent = java.lang.Long.parseLong(debugloop_mine.substring(debugloop_end + 1)) + 1;",
        "    if (debugloop_now - debugloop_since >= 1000 || debugloop_now < debugloop_since) {",
        "        debugloop_since = debugloop_now;",
        "        debugloop_sent = 1;",
        "    }",
        '    java.lang.System.setProperty("debugloop." + @probe@, new java.lang.StringBuilder(40).append(debugloop_calls)',
        "        .append(' ').append(debugloop_since).append(' ').append(debugloop_sent).toString());",
        f"    if (debugloop_sent <= {SHOWN} || (debugloop_sent & (debugloop_sent - 1)) == 0) {{",
        "        java.lang.StringBuilder debugloop_line = new java.lang.StringBuilder(@about@);",
        "        debugloop_line.setLength(debugloop_line.length() - 1);",
        '        debugloop_line.append(", \\"calls\\": ").append(debugloop_calls).append(", \\"timestamp\\": ");',
        '        debugloop_line.append(debugloop_now).append(", \\"data\\": {");',
        "        java.util.List<java.lang.Object> debugloop_values = new java.util.ArrayList<java.lang.Object>();",
        "        @values@",
        "        for (int debugloop_i = 0; debugloop_i < debugloop_values.size(); debugloop_i++) {",
        "            java.lang.Object debugloop_value = debugloop_values.get(debugloop_i);",
        '            if (debugloop_i > 0) debugloop_line.append(debugloop_i % 2 == 0 ? ", " : ": ");',
        "            boolean debugloop_plain = debugloop_value == null || debugloop_value instanceof java.lang.Boolean",
        "                || (debugloop_value instanceof java.lang.Number",
        '                    && debugloop_value.getClass().getName().startsWith("java."));',
        "            java.lang.String debugloop_text;",
        "            try {",
        "                debugloop_text = java.util.Arrays.deepToString(new java.lang.Object[] { debugloop_value });",
        "                debugloop_text = debugloop_text.substring(1, debugloop_text.length() - 1);",
        "            } catch (java.lang.RuntimeException | java.lang.StackOverflowError debugloop_error) {",
        '                debugloop_text = "[unreadable]";',
        "                debugloop_plain = false;",
        "            }",
        '            if (debugloop_plain && !debugloop_text.endsWith("NaN") && !debugloop_text.endsWith("Infinity")) {',
        "                debugloop_line.append(debugloop_text);",
        "                continue;",
        "            }",
        "            debugloop_line.append('\"');",
        "            for (int debugloop_j = 0; debugloop_j < debugloop_text.length() && debugloop_j < 2000; debugloop_j++) {",
        "                char debugloop_each = debugloop_text.charAt(debugloop_j);",
        "                if (debugloop_each > 31 && debugloop_each < 127 && debugloop_each != '\"' && debugloop_each != '\\\\')",
        "                    debugloop_line.append(debugloop_each);",
        "                else debugloop_line.append('\\\\').append('u').append(",
        "                    java.lang.Integer.toHexString(65536 | debugloop_each).substring(1));",
        "            }",
        "            debugloop_line.append('\"');",
        "        }",
        '        debugloop_line.append("}}\\n");',
        "        java.io.File debugloop_file = new java.io.File(@log@);",
        "        if (debugloop_file.isFile()) {",
        "            if (debugloop_calls == 1 && debugloop_file.length() > 0) {",
        '                try (java.io.RandomAccessFile debugloop_log = new java.io.RandomAccessFile(debugloop_file, "r")) {',
        "                    debugloop_log.seek(debugloop_log.length() - 1);",
        "                    if (debugloop_log.read() != '\\n') debugloop_line.insert(0, '\\n');",
        "                }",
        "            }",
        "            try (java.io.FileOutputStream debugloop_log = new java.io.FileOutputStream(debugloop_file, true)) {",
        "                debugloop_log.write(debugloop_line.toString().getBytes(java.nio.charset.StandardCharsets.UTF_8));",
        "            }",
        "        }",
        "    }",
        "} catch (java.lang.Exception | java.lang.StackOverflowError | java.lang.LinkageError debugloop_error) {",
        "}",
        "// @formatter:on",
    ),
    quote=double,
    between=" ",
    value=lambda name, expression: (
        f"debugloop_values.add({name}); try {{ debugloop_values.add((java.lang.Object) ({expression})); }}"
        ' catch (java.lang.Exception debugloop_error) { debugloop_values.add("[threw] " + debugloop_error); }'
    ),
    grammar="tree_sitter_java:language",
    blocks=frozenset({"block", "constructor_body", "switch_block_statement_group"}),
)
