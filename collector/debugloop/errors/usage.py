"""The call itself is wrong: exit 2, and nothing was read or written."""

from __future__ import annotations

from debugloop.errors.base import DebugloopError


class UsageError(DebugloopError):
    """The call itself is wrong: nothing was read or written."""

    code = "usage"
    exit_code = 2


class InvalidSetting(UsageError):
    """A ``DEBUGLOOP_…`` variable does not hold what it must."""

    code = "invalid_setting"
    variable: str
    value: str
    wanted: str

    def __str__(self) -> str:
        return f"{self.variable} is {self.value!r}, but must be {self.wanted}. Correct it or unset it."


class InvalidSessionId(UsageError):
    """A session id that could not be a folder's name."""

    code = "invalid_session_id"
    text: str

    def __str__(self) -> str:
        return (
            f"{self.text!r} is no session id. Use 1 to 128 letters, digits, dots, dashes or underscores, "
            "beginning with a letter or digit."
        )


class InvalidFolder(UsageError):
    """A folder whose path is no UTF-8: neither a state file nor a probe could name it."""

    code = "invalid_folder"
    text: str

    def __str__(self) -> str:
        return (
            f"The path {self.text!r} is no UTF-8, so no session can be kept there. Rename the folder, then start again."
        )


class InvalidSteps(UsageError):
    """Reproduction steps that nobody could follow, or that are too many."""

    code = "invalid_steps"
    reason: str

    def __str__(self) -> str:
        return f"These reproduction steps cannot be published: {self.reason}. Give each action as one text, in order."


class InvalidOrigin(UsageError):
    """An ``--allow-origin`` that is not one exact origin."""

    code = "invalid_origin"
    text: str

    def __str__(self) -> str:
        return f"{self.text!r} is no origin. Give scheme, host and port only, such as http://myapp.test:8080."


class InvalidHypothesis(UsageError):
    """A hypothesis, or a change to one, that the ledger cannot take."""

    code = "invalid_hypothesis"
    reason: str

    def __str__(self) -> str:
        return f"The ledger cannot take this: {self.reason}."


class InvalidCitation(UsageError):
    """A citation that is not ``run:line``, or that names a line which is not there."""

    code = "invalid_citation"
    text: str
    reason: str = "a citation is run:line, such as 2:17"

    def __str__(self) -> str:
        return f"{self.text!r} cannot be cited: {self.reason}."


class InvalidArguments(UsageError):
    """A tool was called with arguments that it does not take."""

    code = "invalid_arguments"
    reason: str

    def __str__(self) -> str:
        return f"The arguments of this call are wrong: {self.reason}. Mend them and call it again."


class InvalidTime(UsageError):
    """A moment that no clock shows."""

    code = "invalid_time"
    text: str

    def __str__(self) -> str:
        return f"{self.text!r} is no moment. Give ISO 8601, such as 2024-05-01T12:30:00, or ms since the epoch."


class InvalidPattern(UsageError):
    """A text that is to be a regular expression and is none. ``reason``: why, with the position where it is known."""

    code = "invalid_pattern"
    text: str
    reason: str

    def __str__(self) -> str:
        return f"{self.text!r} is no regular expression: {self.reason}. Without / around it, it is plain text."


class UnknownLanguage(UsageError):
    """A language, or a file's language, that no probe is written in."""

    code = "unknown_language"
    name: str
    known: tuple[str, ...]

    def __str__(self) -> str:
        return (
            f"No probe is known for {self.name!r}. Known are: {', '.join(self.known)}. For others write one by hand, "
            "between the two markers."
        )


class InvalidPlace(UsageError):
    """A ``FILE:LINE`` that names no line of a file."""

    code = "invalid_place"
    text: str
    reason: str

    def __str__(self) -> str:
        return f"{self.text!r} is no place for a probe: {self.reason}."


class InvalidData(UsageError):
    """What is to be logged is no list of expressions."""

    code = "invalid_data"
    text: str

    def __str__(self) -> str:
        return f"{self.text!r} cannot be logged: its brackets or quotes do not pair. Give expressions, by commas."


class InvalidCapture(UsageError):
    """A probe that is to capture what goes wrong anywhere, in a language without one or with a message of its own."""

    code = "invalid_capture"
    reason: str

    def __str__(self) -> str:
        return f"{self.reason} --capture records console errors, uncaught errors and failed requests of a page."
