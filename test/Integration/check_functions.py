#!/usr/bin/python3
"""Functions have the values of NumPy and C, to one unit in the last place, with
subnormal numbers, the signs of zeros, infinities and NaN, on every processor.

    check_functions.py [CASE ...]
"""

import numpy as np

from check_specials import Program, narrow, numbers, specials, stored
from harness.bounded import FLOATS, INTEGERS, NUMPY_TYPES
from harness.cases import Group
from harness.driver import CheckFailed
from harness.units import FORMATS, units

case = Group()

UNARY = {
    "relu": lambda x: np.where(np.isnan(x), x, np.where(x > 0, x, 0)), "sign": np.sign,
    "round": np.rint, "trunc": np.trunc, "tan": np.tan, "log1p": np.log1p, "expm1": np.expm1,
    "log2": np.log2, "log10": np.log10, "exp2": np.exp2, "cbrt": np.cbrt, "sinh": np.sinh,
    "cosh": np.cosh, "asin": np.arcsin, "acos": np.arccos, "atan": np.arctan,
}  # fmt: skip
BINARY = {"atan2": np.arctan2, "hypot": np.hypot}


def within(what, type, got, want):
    """A unit of what long doubles say; NaN for NaN, zeros with their signs."""
    limit = 1.0 if type in ("f32", "f64") else 0.501
    if what.startswith("reference:") and type == "f64":
        # The C library's cbrt, sinh and cosh.
        limit = 4.0
    got, want = np.broadcast_arrays(numbers(type, got), want)
    error = units(got.astype(np.longdouble), want, type)
    zeros = (got == 0) & (want == 0)
    bad = ~(error <= limit) | (zeros & (np.signbit(got) != np.signbit(want)))
    if bad.any():
        at = tuple(np.argwhere(bad)[0])
        raise CheckFailed(f"{what} ({type}): at {[int(i) for i in at]} {got[at]!r} instead of {want[at]!r}")


def arguments(rng, type):
    """Specials, what is near where the functions change, and random magnitudes."""
    bits, least = FORMATS[type]
    edges = [s * x for x in (0.3466, 0.34, 0.4142, 0.5, 1, 1.5, 2.4142, 10, 22, 88.7, 89.5, 709.7, 710.4, 711)
             for s in (1, -1)]
    near = np.array(edges) * (1 + np.ldexp(rng.integers(-2, 3, (8, len(edges))), -bits))
    random = rng.choice([-1, 1], 600) * 2.0 ** rng.uniform(least - bits + 2, 1 - least, 600)
    values = np.concatenate([specials(type), near.ravel(), random, rng.uniform(-4, 4, 400)])
    return numbers(type, narrow(type, values))


@case
def of_one_number(bench):
    rng = np.random.default_rng(51)
    for type in FLOATS:
        x = arguments(rng, type)
        program = Program()
        program.input("X", type, stored(type, x))
        wide = x.astype(np.longdouble)
        with np.errstate(all="ignore"):
            for name, function in UNARY.items():
                program.output(f"@[i] = {name}(X[i])", type, function(wide), within)
            program.output("@[i] = clamp(X[i], -2, 0.75)", type,
                           narrow(type, np.clip(wide, -2, 0.75)))
            program.output("@[i] = clamp(1, X[i], 2)", type, narrow(type, np.clip(1, wide, 2)))
        program.output("@[i] = isnan(X[i])", "bool", np.isnan(x))
        program.output("@[i] = isinf(X[i]) || isnan(X[i])", "bool", ~np.isfinite(x))
        program.check(bench, (1, 3))


@case
def of_two_numbers(bench):
    rng = np.random.default_rng(52)
    for type in FLOATS:
        values = numbers(type, narrow(type, specials(type)))
        x = np.concatenate([values, arguments(rng, type)[-300:]])
        y = np.concatenate([values, arguments(rng, type)[-300:] / 7])
        y = numbers(type, narrow(type, y))
        program = Program()
        program.input("X", type, stored(type, x))
        program.input("Y", type, stored(type, y))
        rows, columns = x.astype(np.longdouble)[:, None], y.astype(np.longdouble)[None]
        with np.errstate(all="ignore"):
            for name, function in BINARY.items():
                program.output(f"@[i, j] = {name}(X[i], Y[j])", type, function(rows, columns), within)
        program.check(bench, (1, 3))


@case
def of_integers(bench):
    rng = np.random.default_rng(53)
    for type in INTEGERS:
        info = np.iinfo(NUMPY_TYPES[type])
        x = np.append(rng.integers(-9, 10, 50), [info.min, info.max]).astype(info.dtype)
        program = Program()
        program.input("X", type, x)
        program.output("@[i] = relu(X[i])", type, np.maximum(x, 0))
        program.output("@[i] = sign(X[i])", type, np.sign(x))
        program.output("@[i] = clamp(X[i], -3, i)", type,
                       np.clip(x, -3, np.arange(52, dtype=info.dtype)))
        program.check(bench, (1, 3))


@case
def names_of_programs(bench):
    """What a program defines goes before the language."""
    x = np.array([-1.5, 0.25, 7.0])
    program = Program()
    program.input("X", "f64", x)
    program.output("@[i] = X[i] * pi + e", "f64", x * np.pi + np.e)
    program.output("@[e] = X[e] + e", "f64", x + np.arange(3))
    program.output("@[i] = select([X[i] < e], 1, X[i])", "f64", np.where(x < np.e, 1, x))
    program.check(bench, (1, 3))
    program = Program()
    program.lines.append("param e = 3")
    program.lines.append("def relu(V[p]) -> W[p] {\n  W[p] = V[p] - e\n}")
    program.input("X", "f64", x)
    program.input("pi", "f64", np.array(4.0))
    program.output("@ = relu(X)", "f64", x - 3)
    program.output("@[i] = pi * X[i]", "f64", 4 * x)
    program.check(bench, (1, 3))


if __name__ == "__main__":
    case.main(__doc__)
