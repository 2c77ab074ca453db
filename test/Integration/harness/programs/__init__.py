"""Programs with independent formulas for their results, by theme."""

from . import (
    bydata, complexes, distances, draws, folds, infinities, integers, linear, loops, monoids, neural, pieces, scalars, scans,
    scatters, shapes, sorts, statements, streams, tiles, turns, unsigned, views, windows,
)  # fmt: skip
from .registry import PROGRAMS, Program

__all__ = ["PROGRAMS", "Program"]
