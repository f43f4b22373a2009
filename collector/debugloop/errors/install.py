"""What is, or is to be, installed beside debugloop."""

from __future__ import annotations

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
