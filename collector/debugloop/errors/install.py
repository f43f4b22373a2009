"""What is, or is to be, installed beside debugloop."""

from __future__ import annotations

from pathlib import Path

from debugloop.errors.base import DebugloopError


class InstallError(DebugloopError):
    """What is, or is to be, installed beside debugloop."""


class ExtraMissing(InstallError):
    """A verb whose packages were not installed. ``extra`` is what brings them."""

    code = "extra_missing"
    verb: str
    extra: str

    def __str__(self) -> str:
        return f"`debugloop {self.verb}` needs more packages. Install them with: pip install 'debugloop[{self.extra}]'"


class ConfigRefused(InstallError):
    """A host's configuration file that an entry cannot be put into."""

    code = "config_refused"
    path: Path
    reason: str

    def __str__(self) -> str:
        return f"{self.path} was left as it is: {self.reason}. Mend or move that, then install again."


class InstallationIncomplete(InstallError):
    """What `doctor` finds missing."""

    code = "installation_incomplete"
    host: str
    problems: tuple[str, ...]
    user: bool

    def __str__(self) -> str:
        return f"{' '.join(self.problems)} `debugloop install {self.host}{' --user' * self.user}` mends that."
