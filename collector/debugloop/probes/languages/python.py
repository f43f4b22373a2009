"""Python: a statement that binds no name, so that it may stand in a function, a class body or a module alike.

Its code is compiled once a process and kept as a module in ``sys.modules``; each probe there only hands over what
is to be logged. Values are made plain with bounds on depth and size; what ``repr`` raises costs that value alone.
"""

from __future__ import annotations

from typing import Final

from debugloop.probes.languages.base import SHOWN, Language

_CODE: Final = f"""\
import _thread, json, math, os, sys, time, types
state, busy = {{}}, set()
def plain(value, depth, left):
    left[0] -= 1
    if value is None or value is True or value is False:
        return value
    kind = type(value)
    if kind is str:
        return value if len(value) <= 2000 else value[:2000] + "... %d" % len(value)
    if kind is int:
        return value if value.bit_length() < 1000 else hex(value)[:200]
    if kind is float:
        return value if math.isfinite(value) else repr(value)
    if left[0] > 0 and depth < 7:
        if isinstance(value, dict):
            return {{str(key)[:200]: plain(value[key], depth + 1, left) for key in list(value)[:100]}}
        if isinstance(value, (list, tuple, set, frozenset)):
            return [plain(each, depth + 1, left) for each in list(value)[:100]]
    if isinstance(value, BaseException):
        return {{"type": kind.__name__, "message": str(value)[:2000]}}
    try:
        return repr(value)[:2000]
    except Exception:
        return "[unreadable %s]" % kind.__name__
def probe(name, about, log, values):
    now, thread = time.time(), _thread.get_ident()
    calls, since, sent = state.get(name, (0, now, 0))
    if not 0 <= now - since < 1:
        since, sent = now, 0
    sent += 1
    state[name] = (calls + 1, since, sent)
    if sent > {SHOWN} and sent & (sent - 1) or thread in busy:
        return
    busy.add(thread)
    try:
        event = json.loads(about)
        event["data"] = plain(values, 0, [1000])
        event["calls"], event["timestamp"] = calls + 1, int(now * 1000)
        line = json.dumps(event)
        if len(line) > 60000:
            event["data"] = "[too large]"
            line = json.dumps(event)
        file = os.open(log, os.O_RDWR | os.O_APPEND)
        try:
            end = os.lseek(file, 0, 2)
            torn = end and os.pread(file, 1, end - 1)[0] != 10
            os.write(file, (b"%c" % 10 if torn else b"") + line.encode() + b"%c" % 10)
        finally:
            os.close(file)
    finally:
        busy.discard(thread)
made = types.ModuleType(name)
made.probe = probe
sys.modules.setdefault(name, made)
"""
_MODULE: Final = '"debugloop_@session@"'


def quote(text: str) -> str:
    """A literal in double quotes; a line of code may hold line ends."""
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{escaped}"'


def _value(name: str, expression: str) -> str:
    return f"{name}: {expression}"


PYTHON: Final = Language(
    name="python",
    names=("py", "python3"),
    suffixes=(".py", ".pyw"),
    shebangs=("python", "python3"),
    comment="#",
    # `fmt: off` makes black write code that does not parse where it changes the indentation
    body=(
        "try:",
        f'    __import__("sys").modules.get({_MODULE}) or exec({quote(_CODE)}, {{"name": {_MODULE}}})  # fmt: skip',
        f'    __import__("sys").modules[{_MODULE}].probe(@probe@, @about@, @log@, {{@values@}})  # fmt: skip',
        "except Exception:",
        "    pass",
    ),
    quote=quote,
    value=_value,
)
