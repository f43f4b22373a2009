"""POSIX sh (dash, ash, ksh): what the probe of Bash does, with what POSIX has.

There is no clock without starting a process, so that events have no time, and the limit is on all calls: the first
hundred are sent, then those whose count is a power of two. A value is escaped one character at a time.
"""

from __future__ import annotations

import json
import re
from typing import Final

from debugloop.probes.languages.base import SHOWN, Language
from debugloop.probes.languages.bash import BASH

_VARIABLE: Final = re.compile(r"\$?(?:\{([A-Za-z_]\w*|[0-9@*#?!$-])\}|([A-Za-z_]\w*|[0-9@*#?!$-]))")


def _value(_name: str, expression: str) -> str:
    match = _VARIABLE.fullmatch(expression)
    variable = f"{match[1] or match[2]}-" if match else expression.removeprefix("${").removesuffix("}")
    return f'{BASH.quote(json.dumps(expression))} "${{{variable}}}" '


SH: Final = Language(
    name="sh",
    names=("posix", "dash", "ash", "ksh"),
    suffixes=(".sh",),
    shebangs=("sh", "dash", "ash", "ksh"),
    comment="#",
    between="",
    body=(
        "{ debugloop_status=$?",
        "  debugloop_calls_@key@=$((${debugloop_calls_@key@-0} + 1))",
        (
            f"  if [ -f @log@ ] && [ -w @log@ ] && {{ [ $debugloop_calls_@key@ -le {SHOWN} ]"
            " || [ $((debugloop_calls_@key@ & (debugloop_calls_@key@ - 1))) -eq 0 ]; }; then"
        ),
        "    debugloop_about=@about@ debugloop_d= debugloop_n= debugloop_l='",
        '\'; debugloop_l=${debugloop_l%"${debugloop_l#?}"}',
        "    for debugloop_v in @values@ ''; do",
        '      [ -n "$debugloop_n$debugloop_v" ] || break',
        '      if [ -z "$debugloop_n" ]; then debugloop_n="${debugloop_d:+, }$debugloop_v: \\""; continue; fi',
        '      [ ${#debugloop_v} -le 2000 ] || debugloop_v="[too long] ${#debugloop_v}"',
        '      while :; do case $debugloop_v in *[\\\\\\"[:cntrl:]]*)',
        '        debugloop_h=${debugloop_v%%[\\\\\\"[:cntrl:]]*} debugloop_n=$debugloop_n$debugloop_h',
        '        debugloop_v=${debugloop_v#"$debugloop_h"}',
        "        case $debugloop_v in",
        "          \\\\*) debugloop_n=$debugloop_n'\\\\' ;;",
        "          \\\"*) debugloop_n=$debugloop_n'\\\"' ;;",
        "          '\t'*) debugloop_n=$debugloop_n'\\t' ;;",
        "          \"$debugloop_l\"*) debugloop_n=$debugloop_n'\\n' ;;",
        "          *) debugloop_n=$debugloop_n'?' ;;",
        "        esac",
        "        debugloop_v=${debugloop_v#?} ;; *) break ;; esac; done",
        "      debugloop_d=$debugloop_d$debugloop_n$debugloop_v'\"' debugloop_n=",
        "    done",
        '    printf \'%s, "calls": %d, "data": {%s}}\\n\' "${debugloop_about%\\}}" "$debugloop_calls_@key@" \\',
        '      "$debugloop_d" >>@log@',
        "  fi",
        '  [ $debugloop_status -eq 0 ] || (exit "$debugloop_status"); } 2>/dev/null && :',
    ),
    quote=BASH.quote,
    value=_value,
    grammar=BASH.grammar,
    blocks=BASH.blocks,
)
