"""Values with a running bound of the rounding error that a correct
implementation may have made: the oracle of random programs.

A `Bounded` holds what exact arithmetic gives (floats in float64, integers in
their own width) and, for floats, how far a result may be from it. A bound of
zero means that the value must be bit-equal.
"""

import math

import numpy as np

from . import compare

# Unit roundoff of the arithmetic that a type is computed in, and of its storage:
# narrow floats are computed in f32 and rounded when they are stored.
COMPUTE_EPSILON = {"f64": 2.0**-52, "f32": 2.0**-23, "f16": 2.0**-23, "bf16": 2.0**-23}
STORE_EPSILON = {"f64": 0.0, "f32": 2.0**-24, "f16": 2.0**-11, "bf16": 2.0**-8}
MANTISSA = {"f64": 52, "f32": 23, "f16": 10, "bf16": 7}
SMALLEST = {"f64": 5e-324, "f32": 1.5e-45, "f16": 6e-8, "bf16": 1e-40}
# Library functions may be off by a few units.
FUNCTION_UNITS = 32

NUMPY_TYPES = {
    "f64": np.float64,
    "f32": np.float32,
    "f16": np.float16,
    "bf16": np.float32,
    "i8": np.int8,
    "i16": np.int16,
    "i32": np.int32,
    "i64": np.int64,
    "bool": np.bool_,
}
FLOATS = ("f64", "f32", "f16", "bf16")
INTEGERS = ("i8", "i16", "i32", "i64")

_erf = np.vectorize(math.erf, otypes=[np.float64])


def round_to(type, values):
    """float64 values as `type` stores them."""
    if type == "bf16":
        return compare.bf16_values(compare.bf16_bits(values)).astype(np.float64)
    return np.asarray(values).astype(NUMPY_TYPES[type]).astype(np.float64)


class Bounded:
    """An array of one of the language's types; floats carry an error bound."""

    def __init__(self, type, value, error=None):
        self.type = type
        self.value = np.asarray(value).astype(
            np.float64 if type in FLOATS else NUMPY_TYPES[type], copy=False
        )
        self.error = np.zeros(self.value.shape) if error is None else error

    @property
    def is_float(self):
        return self.type in FLOATS

    @property
    def is_exact(self):
        return not np.any(self.error)

    def seen(self, view):
        """The elements that a view of NumPy's takes."""
        return Bounded(self.type, view(self.value), view(self.error))

    def _rounded(self, value, error, units=1):
        """The result of an operation that rounds once (or `units` times)."""
        epsilon = COMPUTE_EPSILON[self.type]
        return Bounded(
            self.type, value, error + units * epsilon * np.abs(value) + SMALLEST[self.type]
        )

    def _wrapped(self, value):
        return Bounded(self.type, np.asarray(value).astype(NUMPY_TYPES[self.type]))

    def add(self, other, sign=1):
        if not self.is_float:
            with np.errstate(over="ignore"):
                return self._wrapped(
                    self.value + other.value if sign > 0 else self.value - other.value
                )
        return self._rounded(self.value + sign * other.value, self.error + other.error)

    def subtract(self, other):
        return self.add(other, -1)

    def multiply(self, other):
        if not self.is_float:
            with np.errstate(over="ignore"):
                return self._wrapped(self.value * other.value)
        error = (
            np.abs(self.value) * other.error
            + np.abs(other.value) * self.error
            + self.error * other.error
        )
        return self._rounded(self.value * other.value, error)

    def divide(self, other):
        """Floats: by what is at least 1. Integers: by a positive constant."""
        if not self.is_float:
            quotient = np.abs(self.value.astype(object)) // other.value.astype(object)
            signed = np.where(self.value < 0, -quotient, quotient)
            return self._wrapped(signed.astype(np.int64))
        quotient = self.value / other.value
        error = (self.error + np.abs(quotient) * other.error) / np.maximum(
            np.abs(other.value) - other.error, 0.5
        )
        return self._rounded(quotient, error, units=2)

    def bitwise(self, other, function):
        with np.errstate(divide="ignore", over="ignore"):
            return self._wrapped(function(self.value, other.value))

    def floor_divide(self, other):
        return self.bitwise(other, np.floor_divide)

    def modulo(self, other):
        return self.bitwise(other, np.remainder)

    def shift_left(self, other):
        return self.bitwise(other, np.left_shift)

    def shift_right(self, other):
        return self.bitwise(other, np.right_shift)

    def negate(self):
        if not self.is_float:
            with np.errstate(over="ignore"):
                return self._wrapped(np.negative(self.value))
        return Bounded(self.type, -self.value, self.error)

    def absolute(self):
        if not self.is_float:
            with np.errstate(over="ignore"):
                return self._wrapped(np.abs(self.value))
        return Bounded(self.type, np.abs(self.value), self.error)

    def extreme(self, other, pick):
        error = np.maximum(*np.broadcast_arrays(self.error, other.error))
        return Bounded(self.type, pick(self.value, other.value), error)

    def smooth(self, function, steepness):
        """A library function whose derivative stays below `steepness`."""
        return self._rounded(function(self.value), steepness * self.error, FUNCTION_UNITS)

    def choose(self, then, other):
        """select(self, then, other)"""
        return Bounded(
            then.type,
            np.where(self.value, then.value, other.value),
            np.where(self.value, then.error, other.error),
        )

    def cast(self, type):
        if type == self.type:
            return self
        if type == "bool":
            return Bounded(type, self.value != 0)
        if type not in FLOATS:
            whole = np.trunc(self.value).astype(np.int64) if self.is_float else self.value
            return Bounded(type, whole.astype(NUMPY_TYPES[type]))
        cast = Bounded(type, self.value, self.error)
        widens = self.is_float and MANTISSA[type] >= MANTISSA[self.type]
        return cast if widens else cast.stored()

    def stored(self):
        """As it is after the statement: rounded to its type."""
        if not self.is_float:
            return self
        if self.is_exact:
            return Bounded(self.type, round_to(self.type, self.value))
        # Compute units are in the bound; storage rounds once more.
        extra = STORE_EPSILON[self.type] * (np.abs(self.value) + self.error)
        return Bounded(self.type, self.value, self.error + extra + SMALLEST[self.type])

    def reduce(self, monoid, axes):
        if not axes:
            return self
        if not self.is_float:
            return self._wrapped(_INTEGER_MONOIDS[monoid](self.value, axes, self.type))
        if monoid in ("max", "min"):
            pick = np.max if monoid == "max" else np.min
            return Bounded(self.type, pick(self.value, axis=axes), np.max(self.error, axis=axes))
        count = math.prod(self.value.shape[axis] for axis in axes)
        epsilon = COMPUTE_EPSILON[self.type]
        magnitude = np.abs(self.value)
        if monoid == "sum":
            value = self.value.sum(axis=axes)
            error = self.error.sum(axis=axes) + count * epsilon * magnitude.sum(axis=axes)
            return Bounded(self.type, value, error + SMALLEST[self.type])
        value = self.value.prod(axis=axes)
        largest = (magnitude + self.error).prod(axis=axes)
        error = largest - np.abs(value) + 2 * count * epsilon * largest + count * SMALLEST[self.type]
        return Bounded(self.type, value, error)


    def scan(self, monoid, axis):
        """What is combined up to each element."""
        parts = [
            Bounded(self.type, *(np.take(a, range(end), axis) for a in (self.value, self.error)))
            for end in range(1, self.value.shape[axis] + 1)
        ]
        parts = [part.reduce(monoid, (axis,)) for part in parts]
        value, error = (np.stack(list(a), axis) for a in zip(*((p.value, p.error) for p in parts)))
        return Bounded(self.type, value, error)


def _with_width(ufunc):
    def reduce(value, axes, type):
        with np.errstate(over="ignore"):
            return ufunc.reduce(value, axis=axes, dtype=NUMPY_TYPES[type])

    return reduce


_INTEGER_MONOIDS = {
    "sum": _with_width(np.add),
    "prod": _with_width(np.multiply),
    "max": lambda value, axes, type: value.max(axis=axes),
    "min": lambda value, axes, type: value.min(axis=axes),
    "xor": lambda value, axes, type: np.bitwise_xor.reduce(value, axis=axes),
    "any": lambda value, axes, type: value.any(axis=axes),
    "all": lambda value, axes, type: value.all(axis=axes),
}


def erf(values):
    return _erf(values)
