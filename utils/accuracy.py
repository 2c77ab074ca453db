#!/usr/bin/python3
"""Measures the functions of .ein and writes the table of docs/Accuracy.md.

    accuracy.py [--build build] [--every 97] [--check | --print] [FUNCTION ...]

f32: every N-th of all 2^32 numbers (--every 1 takes them all, a few minutes a
function), compared with NumPy in f64; f16 and bf16: all 65,536 numbers; f64:
random numbers of all magnitudes, compared with mpmath. The worst that is found
is computed again with mpmath. Code for x86-64-v2 (without fused multiply-adds)
and for x86-64-v3 is run, the worse of both counts. --check compares with the
page instead of writing it. Needs python3-mpmath and python3-scipy.
"""

import argparse
import math
import pathlib
import subprocess
import sys
import tempfile

import mpmath
import numpy as np
from scipy import special

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "test" / "Integration"))

from harness.units import FORMATS, units, widened  # noqa: E402

PAGE = ROOT / "docs" / "Accuracy.md"
PROCESSORS = ("x86-64-v2", "x86-64-v3")
mpmath.mp.prec = 140


def power(n):
    """x ** n by products, off by some units of f64; NumPy's is slow."""

    def formula(x):
        product, square = None, x
        for bit in reversed(bin(abs(n))[2:]):
            if bit == "1":
                product = square if product is None else product * square
            square = square * square
        return product if n > 0 else 1 / product

    return formula


def numpy_sigmoid(x):
    e = np.exp(-np.abs(x))
    return np.where(x < 0, e, 1.0) / (1 + e)


def exact_sigmoid(x):
    return 1 / (1 + mpmath.exp(-x))


# Name: the expression in .ein, in NumPy, in mpmath.
FUNCTIONS = {
    "exp": ("exp(X[i])", np.exp, mpmath.exp),
    "log": ("log(X[i])", np.log, mpmath.log),
    "sqrt": ("sqrt(X[i])", np.sqrt, mpmath.sqrt),
    "rsqrt": ("rsqrt(X[i])", lambda x: 1 / np.sqrt(x), lambda x: 1 / mpmath.sqrt(x)),
    "sin": ("sin(X[i])", np.sin, mpmath.sin),
    "cos": ("cos(X[i])", np.cos, mpmath.cos),
    "tanh": ("tanh(X[i])", np.tanh, mpmath.tanh),
    "erf": ("erf(X[i])", special.erf, mpmath.erf),
    "sigmoid": ("sigmoid(X[i])", numpy_sigmoid, exact_sigmoid),
    "tan": ("tan(X[i])", np.tan, mpmath.tan),
    "sinh": ("sinh(X[i])", np.sinh, mpmath.sinh),
    "cosh": ("cosh(X[i])", np.cosh, mpmath.cosh),
    "asin": ("asin(X[i])", np.arcsin, mpmath.asin),
    "acos": ("acos(X[i])", np.arccos, mpmath.acos),
    "atan": ("atan(X[i])", np.arctan, mpmath.atan),
    "atan2(x, 3)": ("atan2(X[i], 3)", lambda x: np.arctan2(x, 3), lambda x: mpmath.atan2(x, 3)),
    "atan2(-3, x)": ("atan2(-3, X[i])", lambda x: np.arctan2(-3, x), lambda x: mpmath.atan2(-3, x)),
    "hypot(x, 3)": ("hypot(X[i], 3)", lambda x: np.hypot(x, 3), lambda x: mpmath.hypot(x, 3)),
    "cbrt": ("cbrt(X[i])", np.cbrt, lambda x: mpmath.sign(x) * mpmath.cbrt(abs(x))),
    "exp2": ("exp2(X[i])", np.exp2, lambda x: mpmath.mpf(2) ** x),
    "expm1": ("expm1(X[i])", np.expm1, mpmath.expm1),
    "log1p": ("log1p(X[i])", np.log1p, mpmath.log1p),
    "log2": ("log2(X[i])", np.log2, lambda x: mpmath.log(x, 2)),
    "log10": ("log10(X[i])", np.log10, mpmath.log10),
    "1 / x": ("1 / X[i]", lambda x: 1 / x, lambda x: 1 / x),
    "x ** 2": ("X[i] ** 2", power(2), lambda x: x**2),
    "x ** 3": ("X[i] ** 3", power(3), lambda x: x**3),
    "x ** 31": ("X[i] ** 31", power(31), lambda x: x**31),
    "x ** -5": ("X[i] ** -5", power(-5), lambda x: x**-5),
    "x ** 33": ("X[i] ** 33", power(33), lambda x: x**33),
    "x ** 0.3": ("X[i] ** 0.3", None, None),
}


def power_of(type):
    """x ** 0.3 with 0.3 as the type holds it."""
    exponent = {"f64": 0.3, "f32": float(np.float32(0.3)), "f16": float(np.float16(0.3)),
                "bf16": float(np.array(0x3E9A << 16, "<u4").view("<f4"))}[type]
    return lambda x: np.power(x, exponent), lambda x: mpmath.power(x, exponent)


def functions_of(type, names):
    for name in names:
        expression, approximate, exact = FUNCTIONS[name]
        if approximate is None:
            approximate, exact = power_of(type)
        yield name, expression, approximate, exact


def inputs(type, every):
    """Arrays of numbers of the type."""
    if type in ("f16", "bf16"):
        bits = np.arange(1 << 16, dtype="<u2")
        yield bits.view("<f2") if type == "f16" else bits.view("V2")
    elif type == "f32":
        size = 1 << 22
        for first in range(0, 1 << 32, size * every):
            bits = np.arange(first, min(first + size * every, 1 << 32), every, dtype=np.uint64)
            yield bits.astype("<u4").view("<f4")
    else:
        random = np.random.default_rng(5)
        bits = random.integers(0, 1 << 64, 4000, dtype=np.uint64).view("<f8")
        scale = random.uniform(-12, 10, 24000)
        near = random.choice([-1, 1], 24000) * random.uniform(1, 2, 24000) * 2**scale
        edges = [random.uniform(a, b, 2000) for a, b in
                 ((-746, -707), (707, 711), (0.5, 2), (-40, -35), (18, 20), (35, 40))]
        edges.append(random.choice([-1, 1], 2000) * 2 ** random.uniform(-1060, -900, 2000))
        special_values = np.array([0.0, -0.0, np.inf, -np.inf, np.nan, 5e-324, -5e-324,
                                   2.2250738585072014e-308, 1.7976931348623157e308])
        yield np.concatenate([bits, near, *edges, special_values])


def run(folder, tapestry, cpu, type, functions, values):
    """The results of all functions; what is compiled stays in the folder."""
    program = folder / f"{type}-{cpu}-{values.size}"
    if not program.exists():
        lines = [f"input X : {type}[{values.size}]"]
        lines += [f"Y{k}[i] = {expression}" for k, (_, expression, *_) in enumerate(functions)]
        lines.append("output " + ", ".join(f"Y{k}" for k in range(len(functions))))
        (folder / "f.ein").write_text("\n".join(lines) + "\n")
        words = [tapestry, "compile", "f.ein", f"--cpu={cpu}", "-o", program]
        subprocess.run(words, cwd=folder, check=True)
    np.save(folder / "X.npy", values)
    words = [program, "-i", "X=X.npy"]
    for k in range(len(functions)):
        words += ["-o", f"Y{k}=Y{k}.npy"]
    subprocess.run(words, cwd=folder, check=True)
    return [np.load(folder / f"Y{k}.npy") for k in range(len(functions))]


def exact_units(x, result, function, type):
    """As `units`, of one number, with mpmath."""
    bits, least = FORMATS[type]
    if not math.isfinite(x) or not math.isfinite(result):
        return None
    try:
        wanted = function(mpmath.mpf(x))
    except (ValueError, ZeroDivisionError):
        return None
    if not mpmath.isfinite(wanted) or mpmath.im(wanted) != 0 or wanted == 0:
        return None
    exponent = int(mpmath.floor(mpmath.log(abs(wanted), 2))) + 1
    unit = mpmath.mpf(2) ** max(exponent - bits, least - bits + 1)
    return float(abs(mpmath.mpf(result) - wanted) / unit)


def special_double(approximate, x):
    with np.errstate(all="ignore"):
        return float(approximate(np.float64(x)))


def worst_doubles(x, y, approximate, exact):
    worst = (0.0, 0.0)
    for a, b in zip(x.tolist(), y.tolist()):
        error = exact_units(a, b, exact, "f64")
        if error is None:
            # NaN, infinite, 0 or beyond: NumPy knows what C says.
            error = float(units(np.float64(b), np.float64(special_double(approximate, a)), "f64"))
            error = 0.0 if error <= 1 else math.inf
        if error > worst[0]:
            worst = (error, a)
    return worst


def largest(x, y, formula, exact, type, worst):
    """Of `worst` and the errors of the results y for the numbers x."""
    for part in range(0, x.size, 1 << 16):
        a, b = x[part : part + (1 << 16)], y[part : part + (1 << 16)]
        with np.errstate(all="ignore"):
            wanted = formula(a)
        if type == "f32":
            # What is the number nearest to the exact one is within half a unit.
            with np.errstate(all="ignore"):
                nearest, found = wanted.astype(np.float32), b.astype(np.float32)
            off = nearest.view("<u4") != found.view("<u4")
            off &= ~(np.isnan(nearest) & np.isnan(found))
            a, b, wanted = a[off], b[off], wanted[off]
            worst = max(worst, (0.5, 0.0))
        if a.size == 0:
            continue
        error = units(b, wanted, type)
        at = int(np.argmax(error))
        if error[at] <= worst[0]:
            continue
        again = exact_units(float(a[at]), float(b[at]), exact, type)
        worst = max(worst, (float(error[at]) if again is None else again, float(a[at])))
    return worst


def measure(folder, tapestry, type, functions, every):
    """{name: (largest error, where)}."""
    worst = {name: (0.0, 0.0) for name, *_ in functions}
    for values in inputs(type, every):
        x = widened(values, type)
        for cpu in PROCESSORS:
            results = run(folder, tapestry, cpu, type, functions, values)
            for (name, _, approximate, exact), y in zip(functions, results):
                y = widened(y, type)
                if type == "f64":
                    worst[name] = max(worst[name], worst_doubles(x, y, approximate, exact))
                else:
                    worst[name] = largest(x, y, approximate, exact, type, worst[name])
    return worst


def shown(error):
    """Rounded up, so that it is a bound for what was tried."""
    return "0.5" if error <= 0.5 else f"{math.ceil(error * 100 - 1e-6) / 100:.2f}"


def table(results, names):
    lines = ["| function | f32 | f64 | f16 | bf16 |", "|---|---|---|---|---|"]
    for name in names:
        row = [f"{shown(results[type][name][0])}" for type in ("f32", "f64")]
        row += [f"{results[type][name][0]:.3f}" for type in ("f16", "bf16")]
        lines.append(f"| `{name}` | " + " | ".join(row) + " |")
    return "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("functions", nargs="*", default=list(FUNCTIONS))
    parser.add_argument("--build", default=str(ROOT / "build"))
    parser.add_argument("--every", type=int, default=97)
    parser.add_argument("--types", default="f32,f64,f16,bf16")
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--print", action="store_true")
    arguments = parser.parse_args()
    tapestry = str(pathlib.Path(arguments.build).resolve() / "bin" / "tapestry")
    results = {}
    for type in arguments.types.split(","):
        functions = list(functions_of(type, arguments.functions))
        with tempfile.TemporaryDirectory() as folder:
            results[type] = measure(pathlib.Path(folder), tapestry, type, functions,
                                    arguments.every)
        for name, (error, where) in results[type].items():
            print(f"{type:5} {name:10} {error:.4f} at {where!r} = {float(where).hex()}", flush=True)
    if arguments.print:
        return
    start, end = "<!-- accuracy.py -->\n", "<!-- end -->\n"
    page = PAGE.read_text()
    before, rest = page.split(start)
    _, after = rest.split(end)
    made = before + start + table(results, arguments.functions) + end + after
    if arguments.check:
        sys.exit(0 if made == page else "accuracy.py: error: docs/Accuracy.md is not up to date")
    PAGE.write_text(made)


if __name__ == "__main__":
    main()
