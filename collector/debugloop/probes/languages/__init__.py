"""The languages that probes are written in: one small file each, and how the language of a file is told."""

from __future__ import annotations

import re
from pathlib import PurePath
from typing import Final

from debugloop.errors import UnknownLanguage
from debugloop.probes.languages.base import Event, Language, Target, check_capture, expressions
from debugloop.probes.languages.bash import BASH
from debugloop.probes.languages.c import C
from debugloop.probes.languages.cpp import CPP
from debugloop.probes.languages.csharp import CSHARP
from debugloop.probes.languages.go import GO
from debugloop.probes.languages.java import JAVA
from debugloop.probes.languages.javascript import JAVASCRIPT
from debugloop.probes.languages.kotlin import KOTLIN
from debugloop.probes.languages.lua import LUA
from debugloop.probes.languages.perl import PERL
from debugloop.probes.languages.php import PHP
from debugloop.probes.languages.python import PYTHON
from debugloop.probes.languages.ruby import RUBY
from debugloop.probes.languages.rust import RUST
from debugloop.probes.languages.sh import SH
from debugloop.probes.languages.typescript import TSX, TYPESCRIPT

__all__ = ["LANGUAGES", "Event", "Language", "Target", "by_name", "check_capture", "expressions", "of_file"]

_SCRIPTS: Final = (JAVASCRIPT, TYPESCRIPT, TSX, PYTHON, BASH, SH, RUBY, PHP, PERL, LUA)
LANGUAGES: Final = (*_SCRIPTS, GO, RUST, C, CPP, CSHARP, JAVA, KOTLIN)

_SHEBANG = re.compile(rb"#![ \t]*(?:\S*/)?(?:env[ \t]+(?:-S[ \t]+)?(?:\w+=\S*[ \t]+)*)?(?:\S*/)?([A-Za-z-]+[\d.]*)")


def by_name(name: str) -> Language:
    """The language of a name or of one of its other names, in any case. Raises UnknownLanguage."""
    wanted = name.lower()
    for language in LANGUAGES:
        if wanted in {language.name, *language.names} or f".{wanted}" in language.suffixes:
            return language
    raise UnknownLanguage(name, tuple(language.name for language in LANGUAGES))


def of_file(file: str, head: bytes) -> Language:
    """The language of a file by its first line, else by its name. Raises UnknownLanguage."""
    path = PurePath(file)
    if match := _SHEBANG.match(head):
        interpreter = match[1].decode()
        names = {interpreter, interpreter.rstrip("0123456789.")}
        found = next((each for each in LANGUAGES if names & {*each.shebangs}), None)
    else:
        found = next((each for each in LANGUAGES if path.suffix.lower() in each.suffixes), None)
    if found is None:
        raise UnknownLanguage(path.name, tuple(language.name for language in LANGUAGES))
    return found
