"""Which language the panel speaks, and the next one for the key that changes it."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Final, cast

if TYPE_CHECKING:
    from collections.abc import Mapping

    from debugloop_overlay.languages.words import Words

LANGUAGES: Final = ("en", "zh")


def load(code: str) -> Words:
    """The words of a language by its code."""
    return cast("Words", import_module(f"debugloop_overlay.languages.{code}").WORDS)


def choose(wanted: str | None, environment: Mapping[str, str]) -> Words:
    """The language that was asked for, else that of the locale (POSIX: LC_ALL, LC_MESSAGES, LANG), else English."""
    locale = next((environment[name] for name in ("LC_ALL", "LC_MESSAGES", "LANG") if environment.get(name)), "")
    spoken = locale.lower().replace("-", "_").partition("_")[0].partition(".")[0]
    return load(wanted or (spoken if spoken in LANGUAGES else "en"))


def after(current: Words) -> Words:
    """The language that follows, round and round."""
    return load(LANGUAGES[(LANGUAGES.index(current.code) + 1) % len(LANGUAGES)])
