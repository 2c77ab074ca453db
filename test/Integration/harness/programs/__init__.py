"""Programs with independent formulas for their results, by theme."""

from . import distances, integers, linear, neural, scalars, shapes, statements, tiles, windows
from .registry import PROGRAMS, Program

__all__ = ["PROGRAMS", "Program"]
