"""C++11 and later: a block with counters of its own; the functions that it calls stand, with their headers, once a file.

What the type of a value offers picks its form: numbers, text, ``what()``, the elements of a range or pair or optional,
``<<``, the address of a pointer. A type that offers nothing is told so, and compiles. ``errno`` is kept. A value that
throws costs itself alone, also where exceptions are switched off there is nothing to catch.
"""

from __future__ import annotations

from typing import Final

from debugloop.probes.languages.base import SHOWN, Language, double

_N: Final = "debugloop_@file@"
_HEADERS: Final = (
    *("atomic", "cerrno", "chrono", "cmath", "cstdio", "cstring", "exception", "iterator", "sstream", "string"),
    *("type_traits", "utility", "fcntl.h", "unistd.h"),
)


def _shape(rank: int, test: str, code: str, *, template: str = "class T", value: str = "const T &value") -> str:
    """One way to write a value, for the types for which the expression ``test`` makes sense."""
    return (
        f"template <{template}> auto one({value}, int depth, rank<{rank}>) -> decltype({test}, std::string())"
        f" {{ (void)depth; {code} }}"
    )


def _kind(rank: int, trait: str, code: str) -> str:
    return _shape(rank, f"typename std::enable_if<std::{trait}<T>::value, int>::type()", code)


CPP: Final = Language(
    name="cpp",
    names=("c++", "cxx", "cc"),
    suffixes=(".cpp", ".cc", ".cxx", ".c++", ".hpp", ".hh", ".hxx", ".ipp", ".inl"),
    body=(
        "// clang-format off",
        f"do {{ static {_N}::counts debugloop_counts;",
        f"  {_N}::line debugloop_line(debugloop_counts, @about@);",
        "  if (debugloop_line.open) {",
        "    @values@",
        "    debugloop_line.send(@log@);",
        "  } } while (0);",
        "// clang-format on",
    ),
    quote=double,
    between=" ",
    value=lambda name, expression: f"debugloop_value_@file@(debugloop_line, {name}, ({expression}));",
    grammar="tree_sitter_cpp:language",
    around=frozenset({"co_await_expression"}),
    blocks=frozenset({"compound_statement", "case_statement"}),
    heads=frozenset({"preproc_include", "preproc_def", "preproc_call"}),
    barred=(("function_definition", "constexpr"), ("function_definition", "consteval")),
    before=(
        "// clang-format off",
        *(f"#include <{name}>" for name in _HEADERS),
        f"namespace {_N} {{",
        "template <int n> struct rank : rank<n - 1> {};",
        "template <> struct rank<0> {};",
        "inline std::string quote(const char *text, std::size_t size) {",
        '  std::string out = "\\""; char one[8];',
        "  for (std::size_t at = 0; at < size && at < 2000; at++) {",
        "    unsigned char each = static_cast<unsigned char>(text[at]);",
        "    if (each >= 32 && each != '\"' && each != '\\\\') { out += text[at]; continue; }",
        '    std::snprintf(one, sizeof one, "\\\\u%04x", each); out += one; }',
        '  return out + "\\""; }',
        "template <class T> std::string plain(const T &value, int depth);",
        "inline std::string text(const char *value) {",
        '  return value ? quote(value, ::strnlen(value, 2000)) : "null"; }',
        _kind(
            9,
            "is_floating_point",
            "char out[64]; long double wide = value;"
            ' std::snprintf(out, sizeof out, std::isfinite(wide) ? "%.17Lg" : "\\"%Lg\\"", wide); return out;',
        ),
        _kind(
            9,
            "is_integral",
            'if (std::is_same<typename std::remove_cv<T>::type, bool>::value) return value ? "true" : "false";'
            " return std::is_signed<T>::value ? std::to_string(static_cast<long long>(value))"
            " : std::to_string(static_cast<unsigned long long>(value));",
        ),
        _kind(9, "is_enum", "return std::to_string(static_cast<long long>(value));"),
        'inline std::string one(std::nullptr_t, int, rank<9>) { return "null"; }',
        "template <std::size_t n> std::string one(const char (&value)[n], int, rank<9>) {",
        "  return quote(value, ::strnlen(value, n)); }",
        "template <class T> typename std::enable_if<std::is_same<typename std::remove_const<T>::type, char>::value,",
        "  std::string>::type one(T *const &value, int, rank<8>) { return text(value); }",
        "template <class T> std::string one(T *const &value, int, rank<7>) {",
        '  char out[32]; if (!value) return "null"; std::snprintf(out, sizeof out, "\\"0x%llx\\"",',
        "    static_cast<unsigned long long>(reinterpret_cast<std::size_t>(value))); return out; }",
        _shape(7, "std::string(value.data(), value.size())", "return quote(value.data(), value.size());"),
        _kind(7, "is_base_of", "return text(value.what());").replace("is_base_of<T>", "is_base_of<std::exception, T>"),
        _shape(
            6,
            "value.has_value(), *value",
            'return value.has_value() ? debugloop_@file@::plain(*value, depth + 1) : "null";',
        ),
        _shape(6, "value.get() == nullptr, *value", "return debugloop_@file@::one(value.get(), depth, rank<9>());"),
        _shape(
            5,
            "value.first, value.second",
            'return "[" + debugloop_@file@::plain(value.first, depth + 1) + ", " + debugloop_@file@::plain(value.second, depth + 1) + "]";',
        ),
        _shape(
            5,
            "*std::begin(value), std::end(value)",
            'std::string out = "["; int count = 0; if (depth > 6) return "\\"...\\"";'
            " for (auto at = std::begin(value); at != std::end(value) && count < 100; ++at, ++count)"
            ' { if (count) out += ", "; out += debugloop_@file@::plain(*at, depth + 1); if (out.size() > 20000) break; }'
            ' return out + "]";',
        ),
        _shape(
            4,
            "std::declval<std::ostream &>() << value",
            "std::ostringstream out; out << value; std::string all = out.str(); return quote(all.data(), all.size());",
        ),
        'template <class T> std::string one(const T &, int, rank<0>) { return "\\"[unreadable]\\""; }',
        "template <class T> std::string plain(const T &value, int depth) { return debugloop_@file@::one(value, depth, rank<9>()); }",
        "struct counts { std::atomic<long> calls, sent; std::atomic<long long> since;",
        "  constexpr counts() : calls(0), sent(0), since(0) {} };",
        "struct line { int error; bool open; std::string text;",
        "  line(counts &mine, const char *about) : error(errno), open(false), text() {",
        "    long long now = std::chrono::duration_cast<std::chrono::milliseconds>(",
        "        std::chrono::system_clock::now().time_since_epoch()).count();",
        "    long calls = ++mine.calls, sent;",
        "    if (now - mine.since >= 1000 || now < mine.since) { mine.since = now; mine.sent = 0; }",
        f"    sent = ++mine.sent; open = sent <= {SHOWN} || (sent & (sent - 1)) == 0;",
        "    if (!open) return;",
        "    text = about; text.pop_back();",
        '    text += ", \\"calls\\": " + std::to_string(calls) + ", \\"timestamp\\": " + std::to_string(now) + ", \\"data\\": {"; }',
        "  line(const line &) = delete; line &operator=(const line &) = delete;",
        "  ~line() { errno = error; }",
        "  void add(const char *name, const std::string &value) {",
        "    if (text[text.size() - 1] != '{') text += \", \";",
        '    text += quote(name, std::strlen(name)) + ": " + (text.size() + value.size() > 60000 ? "\\"[too large]\\"" : value); }',
        "  void send(const char *log) {",
        "    char last = '\\n'; int file = ::open(log, O_RDWR | O_APPEND | O_CLOEXEC); text += \"}}\\n\";",
        "    if (file < 0) return;",
        "    off_t end = ::lseek(file, 0, SEEK_END);",
        "    if (end > 0 && ::pread(file, &last, 1, end - 1) == 1 && last != '\\n') text.insert(0, \"\\n\");",
        "    if (::write(file, text.data(), text.size()) < 0) text.clear();",
        "    ::close(file); } }; }",
        "#ifdef __cpp_exceptions",
        "#define debugloop_value_@file@(line, name, ...) \\",
        f"  try {{ line.add(name, {_N}::plain(__VA_ARGS__, 0)); }} \\",
        "  catch (const std::exception &debugloop_e) { line.add(name, \\",
        f'    {_N}::text((std::string("[threw] ") + debugloop_e.what()).c_str())); }} \\',
        '  catch (...) { line.add(name, "\\"[threw]\\""); }',
        "#else",
        f"#define debugloop_value_@file@(line, name, ...) line.add(name, {_N}::plain(__VA_ARGS__, 0))",
        "#endif",
        "// clang-format on",
    ),
)
