"""JavaScript: one statement on one line, for pages, workers and Node, without a name that the program could see.

In Node the line is appended to the log; elsewhere it is sent as a beacon, which outlives the page, asks no preflight
and is seldom patched, or by fetch where there is no beacon. ES2017. Each value is read in a function of its own, so
that one that throws costs itself alone, and only if the event is sent. No getter is called, and no method that a class
put in place of a built-in one; traps of proxies are, as what they hold could not be told otherwise. What is counted
stands under a symbol of the global object, not enumerable.
"""

from __future__ import annotations

from typing import Final

from debugloop.probes.languages.base import SHOWN, Language, double

_STATE: Final = (
    ' var key = Symbol.for("debugloop"), state = root[key], left = 1000, seen = [];'
    " if (!state) Object.defineProperty(root, key, { value: state = { busy: false, probes: new Map() } });"
)

# counts a call of `name`, and tells whether its event is to be sent
_COUNT: Final = (
    " function count(name) { var now = Date.now(), mine = state.probes.get(name);"
    " if (!mine) state.probes.set(name, mine = { calls: 0, since: now, sent: 0 });"
    " mine.calls++;"
    " if (now - mine.since >= 1000 || now < mine.since) { mine.since = now; mine.sent = 0; }"
    " mine.sent++;"
    f" return !state.busy && (mine.sent <= {SHOWN} || !(mine.sent & (mine.sent - 1))) && mine; }}"
)

_PLAIN: Final = (
    " function plain(value, depth) { try {"
    " var type = typeof value, at, own, tag, copy, names;"
    ' if (value === null || type === "boolean") return value;'
    ' if (type === "number") return isFinite(value) ? value : String(value);'
    ' if (type === "string") return value.length > 2000 ? value.slice(0, 2000) + "... " + value.length : value;'
    ' if (type === "bigint") return String(value) + "n";'
    ' if (type === "function") return "function " + String(value.name);'
    ' if (type !== "object") return String(value);'
    ' if (seen.indexOf(value) >= 0) return "[circular]";'
    ' if (--left < 0 || depth > 6) return "...";'
    " for (at = value; at && !own; at = Object.getPrototypeOf(at))"
    " own = Object.getOwnPropertyDescriptor(at, Symbol.toStringTag);"
    ' tag = !own ? Object.prototype.toString.call(value).slice(8, -1) : "value" in own ? String(own.value) : "Object";'
    ' if (tag === "Date") return isNaN(at = Date.prototype.getTime.call(value)) ? "Invalid Date" : new Date(at).toISOString();'
    ' if (typeof Node === "function" && value instanceof Node)'
    ' return "<" + value.nodeName.toLowerCase() + (value.id ? " id=" + value.id : "") + ">";'
    ' if (tag === "RegExp") return String(value);'
    ' if (tag === "Map" || tag === "Set") { try {'
    ' at = tag === "Map" ? Map.prototype.entries.call(value) : Set.prototype.values.call(value);'
    " for (copy = [], own = at.next(); !own.done && copy.length < 100; own = at.next()) copy.push(own.value);"
    ' at = Object.getOwnPropertyDescriptor(tag === "Map" ? Map.prototype : Set.prototype, "size").get.call(value);'
    " } catch (_) { at = value.size; copy = Array.from(value).slice(0, 100); }"
    " return { type: tag, size: at, entries: plain(copy, depth + 1) }; }"
    " seen.push(value);"
    " try {"
    " if (Array.isArray(value) || ArrayBuffer.isView(value)) {"
    " for (copy = [], at = 0; at < value.length && at < 100; at++) {"
    " own = Object.getOwnPropertyDescriptor(value, at);"
    ' copy.push(!own ? null : "value" in own ? plain(own.value, depth + 1) : "[getter]"); }'
    ' if (value.length > 100) copy.push("... " + value.length); return copy; }'
    " copy = {}; names = Object.keys(value).slice(0, 100);"
    ' if (tag === "Error" || value instanceof Error) {'
    " copy = { name: String(value.name), message: String(value.message), stack: String(value.stack).slice(0, 2000) };"
    ' names.push("cause"); } else if (tag !== "Object") copy["[type]"] = tag;'
    " names.forEach(function (name) {"
    " var own = Object.getOwnPropertyDescriptor(value, name);"
    ' if (own) copy[name] = "value" in own ? plain(own.value, depth + 1) : "[getter]"; });'
    " return copy;"
    " } finally { seen.pop(); }"
    ' } catch (error) { return "[unreadable]"; } }'
)

_LINE: Final = (
    " line = JSON.stringify(Object.assign(event, { calls: mine.calls, timestamp: Date.now() }));"
    ' if (line.length > 60000) line = JSON.stringify(Object.assign(event, { data: "[too large]" }));'
)

# `load` is the page's own fetch
_BEACON: Final = (
    ' if (!(typeof navigator === "object" && navigator && typeof navigator.sendBeacon === "function"'
    " && navigator.sendBeacon(url, line)))"
    ' load(url, { method: "POST", body: line, credentials: "omit" }).catch(function () {});'
)

_ROOT: Final = 'typeof globalThis === "object" ? globalThis : typeof self === "object" ? self : global'

_STATEMENT: Final = (
    "try { (function (root, probe, about, log, url, values) {"
    f"{_STATE}{_COUNT} var mine = count(probe); if (!mine) return;{_PLAIN}"
    " state.busy = true;"
    " try {"
    " var data = {}, event = JSON.parse(about), line, fs, file, size, last, load = root.fetch;"
    " Object.keys(values).forEach(function (name) {"
    " try { data[name] = plain(values[name](), 0); }"
    ' catch (error) { data[name] = "[threw] " + (error && error.message); } });'
    f" event.data = data;{_LINE}"
    ' if (typeof process === "object" && process && process.versions && process.versions.node) {'
    ' fs = process.getBuiltinModule ? process.getBuiltinModule("fs")'
    ' : process.mainModule && process.mainModule.require("fs"); }'
    " if (fs) {"
    " file = fs.openSync(log, fs.constants.O_RDWR | fs.constants.O_APPEND);"
    " try { size = fs.fstatSync(file).size; last = new Uint8Array([10]);"
    " if (size) fs.readSync(file, last, 0, 1, size - 1);"
    ' fs.writeSync(file, (last[0] === 10 ? "" : "\\n") + line + "\\n"); } finally { fs.closeSync(file); }'
    f" }} else {{{_BEACON} }}"
    " } finally { state.busy = false; }"
    f" }})({_ROOT}, @probe@, @about@, @log@, @endpoint@, {{ @values@ }}); }} catch (_) {{}}"
)

# What is watched is wrapped in proxies, which have the properties of what they wrap; Function.prototype.toString is
# wrapped to see through them. A promise of fetch is passed on, not tapped: a handler of ours on the page's promise would
# make a rejection that the page forgot one that is handled. In Node, which has no addEventListener, nothing is done.
_CAPTURE: Final = (
    "try { (function (root, probe, about, url) {"
    f'{_STATE} if (state.capture || typeof root.addEventListener !== "function") return; state.capture = true;'
    f"{_COUNT}{_PLAIN}"
    " var load = root.fetch, real = new WeakMap(), asked = new WeakMap();"
    " function note(kind, level, data) { try {"
    ' var mine = count(probe + " " + kind), event, line; if (!mine) return;'
    " state.busy = true; left = 1000; seen = [];"
    " try { event = Object.assign(JSON.parse(about), { message: kind, level: level, data: plain(data, 0) });"
    f"{_LINE}{_BEACON} }} finally {{ state.busy = false; }}"
    " } catch (_) {} }"
    " function tap(owner, name, call) { try {"
    " var own = owner && Object.getOwnPropertyDescriptor(owner, name), wrapped;"
    ' if (!own || typeof own.value !== "function" || !own.configurable) return;'
    " wrapped = new Proxy(own.value, { apply: call }); real.set(wrapped, own.value); own.value = wrapped;"
    " Object.defineProperty(owner, name, own);"
    " } catch (_) {} }"
    " function listen(kind, hear) { root.addEventListener(kind, function (event) { try { hear(event); } catch (_) {} }, true); }"
    " tap(Function.prototype, 'toString', function (target, self, given) {"
    " return Reflect.apply(target, real.get(self) || self, given); });"
    " ['error', 'warn'].forEach(function (name) { tap(root.console, name, function (target, self, given) {"
    " note('console.' + name, name, { arguments: given }); return Reflect.apply(target, self, given); }); });"
    " tap(root, 'fetch', function (target, self, given) {"
    " var answer = Reflect.apply(target, self, given);"
    " if (!(answer instanceof Promise)) return answer;"
    " function failed(status, error) { try {"
    " var input = given[0], more = given[1] || {}, address = String(input && input.url || input);"
    " if (address !== url) note('fetch failed', 'error', { method: String(more.method || input && input.method || 'GET'),"
    " url: address, status: status, error: error }); } catch (_) {} }"
    " return answer.then(function (found) { if (found && found.status >= 400) failed(found.status); return found; },"
    " function (error) { failed(0, error); throw error; }); });"
    " if (typeof XMLHttpRequest === 'function') {"
    " tap(XMLHttpRequest.prototype, 'open', function (target, self, given) {"
    " try { asked.set(self, given); } catch (_) {} return Reflect.apply(target, self, given); });"
    " tap(XMLHttpRequest.prototype, 'send', function (target, self, given) { try {"
    " ['load', 'error', 'timeout'].forEach(function (kind) { self.addEventListener(kind, function () { try {"
    " var wish = asked.get(self) || [];"
    " if ((kind !== 'load' || self.status >= 400) && String(wish[1]) !== url) note('XMLHttpRequest failed', 'error',"
    " { method: String(wish[0]), url: String(wish[1]), status: self.status, event: kind }); } catch (_) {} },"
    " { once: true }); }); } catch (_) {} return Reflect.apply(target, self, given); }); }"
    " listen('error', function (event) { if ('message' in event) note('uncaught error', 'error', { message: event.message,"
    " error: event.error, at: event.filename + ':' + event.lineno + ':' + event.colno });"
    " else if (event.target && event.target !== root) note('resource failed', 'error',"
    " { element: event.target, url: String(event.target.src || event.target.href) }); });"
    " listen('unhandledrejection', function (event) { note('unhandled rejection', 'error', { reason: event.reason }); });"
    " if (typeof document === 'object') {"
    " ['pushState', 'replaceState'].forEach(function (name) { tap(History.prototype, name, function (target, self, given) {"
    " var answer = Reflect.apply(target, self, given); note('navigation', 'info', { by: name, to: location.href });"
    " return answer; }); });"
    " ['popstate', 'hashchange', 'pagehide'].forEach(function (kind) { listen(kind, function () {"
    " note('navigation', 'info', { by: kind, to: location.href }); }); }); }"
    f" }})({_ROOT}, @probe@, @about@, @endpoint@); }} catch (_) {{}}"
)


def _quote(text: str) -> str:
    """A literal that ends no script element that it stands in."""
    return double(text).replace("<", "\\x3c")


def _value(name: str, expression: str) -> str:
    return f"{name}: () => ({expression})"


_BLOCKS: Final = frozenset({"program", "statement_block", "switch_case", "switch_default", "class_static_block"})

JAVASCRIPT: Final = Language(
    name="javascript",
    names=("js", "jsx", "node", "browser"),
    suffixes=(".js", ".mjs", ".cjs", ".jsx"),
    shebangs=("node", "bun"),
    # formatters leave the line as it is, and type checkers say nothing of it
    body=("// prettier-ignore", "// @ts-ignore", _STATEMENT),
    capture=("// prettier-ignore", "// @ts-ignore", _CAPTURE),
    quote=_quote,
    value=_value,
    grammar="tree_sitter_javascript:language",
    blocks=_BLOCKS,
    around=frozenset({"await_expression", "yield_expression"}),
)
