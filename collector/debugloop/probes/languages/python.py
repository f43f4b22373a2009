"""Python: a statement that binds no name, so that it may stand in a function, a class body or a module alike.

Its code is compiled once a process and kept as a module in ``sys.modules``; each probe there only hands over what
is to be logged. They are made plain with bounds on depth and size, by what a built-in type's own methods say of them
and not by what a class has put in their place, which may change things; what ``repr`` raises costs that value alone.
Where an expression raises, all are evaluated again, each by itself, in the frame of the program: a function of ours
around each of them would not see the names of a class body. What a signal's handler of the program raises meanwhile, as
where its time is up, is the program's: `again` returns for that alone, and it goes on.
"""

from __future__ import annotations

from typing import Final

from debugloop.probes.languages.base import SHOWN, Language

_CODE: Final = f"""\
import _thread, itertools, json, math, os, signal, sys, time, types
state, busy, kinds = {{}}, set(), (list, tuple, set, frozenset)
def interrupted(error):
    at = error.__traceback__.tb_next
    codes = at and [getattr(signal.getsignal(each), "__code__", 0) for each in signal.valid_signals()]
    while at and at.tb_frame.f_code not in codes:
        at = at.tb_next
    return at is not None
def text(value, make=repr):
    try:
        return make(value)[:2000]
    except (Exception, SystemExit) as error:
        if interrupted(error):
            raise
        return "[unreadable %s]" % type(value).__name__
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
    if issubclass(kind, BaseException):
        return {{"type": kind.__name__, "message": text(value, str)}}
    if issubclass(kind, (bytes, bytearray)):
        return repr(bytes(memoryview(value)[:500])) + ("... %d" % len(value) if len(value) > 500 else "")
    base = next((each for each in (dict,) + kinds if issubclass(kind, each)), None)
    if base is None:
        return text(value)
    if left[0] <= 0 or depth > 6:
        return "..."
    size, deeper = base.__len__(value), depth + 1
    if base is dict:
        some = list(itertools.islice(dict.items(value), 100))
        made = {{text(key, str)[:200]: plain(each, deeper, left) for key, each in some}}
        return made if size <= 100 else dict(made, **{{"...": size}})
    some = list(itertools.islice(base.__iter__(value), 100))
    return [plain(each, deeper, left) for each in some] + (["... %d" % size] if size > 100 else [])
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
        event["data"] = plain(values if type(values) is dict else values(), 0, [1000])
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
    except Exception as error:
        if interrupted(error):
            raise
    finally:
        busy.discard(thread)
def value(frame, name):
    try:
        return eval("(" + name + ")", frame.f_globals, frame.f_locals)
    except Exception as error:
        if interrupted(error):
            raise
        return "[raised] %s: %s" % (type(error).__name__, text(error, str))
def again(name, about, log, frame, names):
    if not interrupted(sys.exc_info()[1]):
        probe(name, about, log, lambda: {{each: value(frame, each) for each in names}})
        raise LookupError
made = types.ModuleType(name)
made.probe, made.again = probe, again
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
        "    try:",
        f'        __import__("sys").modules[{_MODULE}].again(@probe@, @about@, @log@, __import__("sys")._getframe(), [@names@])  # fmt: skip',
        "    except Exception:",
        "        pass",
        "    else:",
        "        raise",
    ),
    quote=quote,
    value=_value,
)
