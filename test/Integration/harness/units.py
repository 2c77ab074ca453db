"""Errors in units in the last place, for each float type of .ein."""

import numpy as np

# Significant bits, and the exponent of the smallest normal number.
FORMATS = {"f64": (53, -1022), "f32": (24, -126), "f16": (11, -14), "bf16": (8, -126)}


def widened(array, type):
    """The numbers of an array that holds values of the type, in f64."""
    with np.errstate(invalid="ignore"):
        if type == "bf16":
            array = (array.view("<u2").astype("<u4") << 16).view("<f4")
        return array.astype(np.float64)


def units(result, wanted, type):
    """|result - wanted| in units in the last place of `wanted`; infinite where
    NaN, infinities or the signs of zeros differ."""
    bits, least = FORMATS[type]
    with np.errstate(all="ignore"):
        _, exponent = np.frexp(wanted)
        unit = np.maximum(exponent - bits, least - bits + 1)
        # Infinity stands for what follows the largest number.
        end = np.ldexp(np.longdouble(1), 2 - least)
        overflow = np.isinf(result) & np.isfinite(wanted)
        result = np.where(overflow, np.copysign(end, result), result)
        error = np.ldexp(np.abs(result - wanted), -unit)
        beyond = (np.abs(wanted) >= end) & (np.abs(result) >= end)
        error = np.where(beyond & (np.sign(result) == np.sign(wanted)), 0, error)
        equal = (result == wanted) & (np.signbit(result) == np.signbit(wanted))
        error = np.where(equal | (np.isnan(result) & np.isnan(wanted)), 0, error)
        wrong = np.isnan(error) | ((wanted == 0) & ~equal) | (np.isinf(wanted) & ~equal)
        wrong |= (result == 0) & (np.signbit(result) != np.signbit(wanted))
        return np.where(wrong, np.inf, error)
