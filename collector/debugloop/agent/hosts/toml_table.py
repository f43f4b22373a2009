"""A table at the end of a TOML file: every byte before it stays."""

from __future__ import annotations

import json
import tomllib
from typing import Any, cast

from debugloop.agent.hosts.splice import Broken, Splice


def parse(text: str) -> dict[str, Any]:
    """The value of the text."""
    try:
        return tomllib.loads(text.lstrip("\ufeff").replace("\r\n", "\n"))
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise Broken(str(error)) from None


def entry(text: str, keys: tuple[str, ...]) -> object:
    """What stands under the keys, None where nothing does."""
    value: object = parse(text)
    for key in keys:
        value = cast("dict[str, object]", value).get(key) if isinstance(value, dict) else None
    return value


def insert(text: str, keys: tuple[str, ...], value: dict[str, Any]) -> Splice:
    """The splice that puts a table of texts, numbers and lists of texts at the end."""
    newline = "\r\n" if "\r\n" in text else "\n"
    # JSON writes texts, whole numbers and lists of texts as TOML does
    lines = [f"[{'.'.join(keys)}]", *(f"{key} = {json.dumps(item)}" for key, item in value.items()), ""]
    before = "" if not text.strip("\ufeff") else newline if text.endswith("\n") else newline * 2
    splice = Splice(len(text), before + newline.join(lines))
    if entry(splice.into(text), keys) != value:
        raise Broken(f"{keys[0]} is written in a form that cannot be added to")
    return splice
