"""Kotlin on the JVM: a statement of fully qualified names, so that no import is needed.

Values are read in place, each in a ``try``, not by lambdas, which could stand between a variable and its smart cast.
What is counted stands in a system property.
"""

from __future__ import annotations

from typing import Final

from debugloop.probes.languages.base import SHOWN, Language, double


def _quote(text: str) -> str:
    return double(text).replace("$", "\\$")


KOTLIN: Final = Language(
    name="kotlin",
    names=("kt",),
    suffixes=(".kt", ".kts"),
    body=(
        "// @formatter:off",
        "try {",
        '    val debugloop_key = "debugloop." + @probe@',
        "    val debugloop_mine = java.lang.System.getProperty(debugloop_key, \"0 0 0\").split(' ')",
        "    val debugloop_now = java.lang.System.currentTimeMillis()",
        "    val debugloop_calls = debugloop_mine[0].toLong() + 1",
        "    var debugloop_since = debugloop_mine[1].toLong()",
        "    var debugloop_sent = debugloop_mine[2].toLong() + 1",
        "    if (debugloop_now - debugloop_since >= 1000 || debugloop_now < debugloop_since) {",
        "        debugloop_since = debugloop_now",
        "        debugloop_sent = 1",
        "    }",
        '    java.lang.System.setProperty(debugloop_key, "" + debugloop_calls + " " + debugloop_since + " " + debugloop_sent)',
        f"    if (debugloop_sent <= {SHOWN} || (debugloop_sent and (debugloop_sent - 1)) == 0L) {{",
        "        val debugloop_line = java.lang.StringBuilder(@about@)",
        "        debugloop_line.setLength(debugloop_line.length - 1)",
        '        debugloop_line.append(", \\"calls\\": ").append(debugloop_calls).append(", \\"timestamp\\": ")',
        '        debugloop_line.append(debugloop_now).append(", \\"data\\": {")',
        "        val debugloop_values = kotlin.arrayOf<Any?>(@values@)",
        "        for (debugloop_i in debugloop_values.indices) {",
        "            val debugloop_value = debugloop_values[debugloop_i]",
        '            if (debugloop_i > 0) debugloop_line.append(if (debugloop_i % 2 == 0) ", " else ": ")',
        "            var debugloop_text: String",
        "            var debugloop_plain = debugloop_value == null || debugloop_value is Boolean || (debugloop_value is Number",
        '                && debugloop_value.javaClass.name.startsWith("java."))',
        "            try {",
        "                debugloop_text = java.util.Arrays.deepToString(kotlin.arrayOf(debugloop_value)).drop(1).dropLast(1)",
        "            } catch (debugloop_error: Throwable) {",
        '                debugloop_text = "[unreadable]"',
        "                debugloop_plain = false",
        "            }",
        '            if (debugloop_plain && !debugloop_text.endsWith("NaN") && !debugloop_text.endsWith("Infinity")) {',
        "                debugloop_line.append(debugloop_text)",
        "            } else {",
        "                debugloop_line.append('\"')",
        "                for (debugloop_each in debugloop_text.take(2000)) {",
        "                    if (debugloop_each in ' '..'~' && debugloop_each != '\"' && debugloop_each != '\\\\')",
        "                        debugloop_line.append(debugloop_each)",
        "                    else",
        "                        debugloop_line.append('\\\\').append('u').append(",
        "                            java.lang.Integer.toHexString(65536 or (debugloop_each - '\\u0000')).substring(1))",
        "                }",
        "                debugloop_line.append('\"')",
        "            }",
        "        }",
        '        debugloop_line.append("}}\\n")',
        "        val debugloop_file = java.io.File(@log@)",
        "        if (debugloop_file.isFile) {",
        "            if (debugloop_calls == 1L && debugloop_file.length() > 0) {",
        '                java.io.RandomAccessFile(debugloop_file, "r").use {',
        "                    it.seek(it.length() - 1)",
        "                    if (it.read() != 10) debugloop_line.insert(0, '\\n')",
        "                }",
        "            }",
        "            java.io.FileOutputStream(debugloop_file, true).use { it.write(debugloop_line.toString().toByteArray()) }",
        "        }",
        "    }",
        "} catch (debugloop_error: Throwable) {",
        "}",
        "// @formatter:on",
    ),
    quote=_quote,
    value=lambda name, expression: (
        f"{name}, (try {{ ({expression}) }} catch (debugloop_error: Throwable) {{ debugloop_error }}) as Any?"
    ),
    grammar="tree_sitter_kotlin:language",
    blocks=frozenset({"block", "lambda_literal"}),
    valued=frozenset({"lambda_literal", "if_expression", "when_entry", "try_expression", "catch_block"}),
)
