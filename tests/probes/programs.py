"""A small program in each language, with every awkward kind of value that the language has."""

from __future__ import annotations

from tests.probes import compiled, managed, scripted
from tests.probes.program import Program

__all__ = ["PROGRAMS", "Program"]

PROGRAMS = (*scripted.PROGRAMS, *compiled.PROGRAMS, *managed.PROGRAMS)
