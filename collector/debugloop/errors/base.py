"""The root of all errors."""

from __future__ import annotations

from typing import ClassVar, dataclass_transform


@dataclass_transform(eq_default=False)
class DebugloopError(Exception):
    """The root: ``code`` is for programs, ``str()`` is the sentence for people.

    Each type is written as a dataclass and checked as one, but not made one: that took 10 ms for all of them, in each
    short verb.
    """

    code: ClassVar[str] = "error"
    exit_code: ClassVar[int] = 1

    def __init__(self, *values: object, **named: object) -> None:
        fields = [name for name, kind in type(self).__annotations__.items() if not kind.startswith("ClassVar")]
        given = dict(zip(fields, values, strict=False)) | named
        missing = [name for name in fields if name not in given and not hasattr(type(self), name)]
        if missing or len(values) > len(fields) or not named.keys() <= set(fields[len(values) :]):
            raise TypeError(f"{type(self).__name__} takes {', '.join(fields) or 'nothing'}")
        super().__init__(*given.values())
        for name, value in given.items():
            setattr(self, name, value)

    def __str__(self) -> str:
        return "Something failed in debugloop."
