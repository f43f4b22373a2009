"""Bash: a group of builtins that starts no process, keeps ``$?`` and stops no script that stops at errors.

Standing left of ``&&`` it is exempt from ``set -e`` and the ERR trap, and what it returns is the status that was there
before. The values to log are names of variables, with or without ``$``; one that is unset is empty, under ``set -u``
too. They are logged as text. Its own variables begin with ``debugloop_``.
"""

from __future__ import annotations

import json
import re
from typing import Final

from debugloop.probes.languages.base import SHOWN, Language

_NAME = re.compile(r"\$?(?:\{(?P<braced>[^}]*)\}|(?P<plain>.*))")
_VARIABLE = re.compile(r"[A-Za-z_]\w*|[0-9@*#?!$-]")
_ESCAPE: Final = (
    r"debugloop_v=${debugloop_v:0:2000}; debugloop_v=${debugloop_v//\\/\\\\}; "
    r"debugloop_v=${debugloop_v//\"/\\\"}; debugloop_v=${debugloop_v//$'\n'/\\n}; "
    r"debugloop_v=${debugloop_v//$'\t'/\\t}; debugloop_v=${debugloop_v//$'\r'/\\r}; "
    r"debugloop_v=${debugloop_v//[[:cntrl:]]/?}; "
)


def _quote(text: str) -> str:
    return "'" + text.replace("'", "'\\''") + "'"


def _value(_name: str, expression: str) -> str:
    match = _NAME.fullmatch(expression)
    variable = (match["braced"] or match["plain"]) if match else expression
    text = f"${{{variable}-}}" if _VARIABLE.fullmatch(variable) else f"${{{variable}}}"
    member = _quote(f", {json.dumps(expression)}: ")
    return f"""debugloop_v="{text}"; {_ESCAPE}debugloop_d+={member}"\\"$debugloop_v\\""; """


BASH: Final = Language(
    name="bash",
    names=(),
    suffixes=(".bash",),
    shebangs=("bash",),
    comment="#",
    between="",
    body=(
        "{ debugloop_status=$?",
        "  debugloop_calls_@key@=$((${debugloop_calls_@key@-0} + 1))",
        '  [[ ${debugloop_since_@key@-} == "$SECONDS" ]] || debugloop_sent_@key@=0',
        "  debugloop_since_@key@=$SECONDS debugloop_sent_@key@=$((${debugloop_sent_@key@-0} + 1))",
        (
            f"  if [[ -f @log@ && -w @log@ ]] && ((debugloop_sent_@key@ <= {SHOWN}"
            " || (debugloop_sent_@key@ & (debugloop_sent_@key@ - 1)) == 0)); then"
        ),
        "    debugloop_about=@about@ debugloop_t=${EPOCHREALTIME-} debugloop_d=",
        "    debugloop_t=${debugloop_t/[.,]/}",
        "    @values@",
        '    printf \'%s, "calls": %d%s, "data": {%s}}\\n\' "${debugloop_about%\\}}" "$debugloop_calls_@key@" \\',
        '      "${debugloop_t:+, \\"timestamp\\": ${debugloop_t:0:13}}" "${debugloop_d#, }" >>@log@',
        "  fi",
        '  [[ $debugloop_status -eq 0 ]] || (exit "$debugloop_status"); } 2>/dev/null && :',
    ),
    quote=_quote,
    value=_value,
    grammar="tree_sitter_bash:language",
    blocks=frozenset(
        {
            "program",
            "compound_statement",
            "do_group",
            "if_statement",
            "else_clause",
            "elif_clause",
            "case_item",
            "subshell",
        }
    ),
)
