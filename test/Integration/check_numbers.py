#!/usr/bin/python3
"""How exact numbers are: long sums, and functions on every kind of argument.

    check_numbers.py [CASE ...]
"""

import math

import numpy as np

from harness.cases import Group
from harness.compare import bf16_bits
from harness.driver import CheckFailed
from harness.levels import PROCESSORS, run
from harness.units import units, widened

case = Group()

# Half the distance of 1 to the next f32.
UNIT = 2.0**-24


def expect_below(what, error, limit):
    if not error <= limit:
        raise CheckFailed(f"{what}: error {error:.3g}, at most {limit:.3g} is right")


def relative(got, want):
    return float(np.max(np.abs(got.astype(np.float64) - want) / np.abs(want)))


SUMS = """
    param n = 10000019
    input X : f32[n]
    input R : f32[n]
    S = sum[i] X[i]
    T = sum[i] R[i]
    M = sum[i] R[i] / n
    output S, T, M
"""


@case
def long_sums(bench):
    rng = np.random.default_rng(3)
    x = np.full(10000019, 0.1, np.float32)
    r = rng.standard_normal(x.size).astype(np.float32)
    exact, size = r.astype(np.float64).sum(), np.abs(r.astype(np.float64)).sum()
    first = {}
    for devices in (1, 1, 3, 8):
        words = [f"--devices={devices}", "--cpu=x86-64-v2"]
        got = run(bench, SUMS, {"X": x, "R": r}, ("S", "T", "M"), *words)
        expect_below(f"0.1, {devices} devices", relative(got["S"], x[0] * float(x.size)), 1e-6)
        expect_below("random", abs(float(got["T"]) - exact), 8 * UNIT * size)
        expect_below("mean", abs(float(got["M"]) * x.size - exact), 9 * UNIT * size)
        again = first.setdefault(devices, got)
        if any(again[name].tobytes() != got[name].tobytes() for name in got):
            raise CheckFailed(f"{devices} devices: two runs differ")


@case
def long_sums_of_short_loops(bench):
    """Of loops whose cut extents are known where the program runs, the innermost short."""
    program = """
        input X : f32[10000000]
        input Y : f32[300007, 20]
        input W : f32[20]
        L = sum[a:100, b:100, c:100, d:10] X[100000*a + 1000*b + 10*c + d]
        S @ {c: 3} = sum[a, c] Y[a, c] * W[c]
        output L, S
    """
    x, y = np.full(10**7, 0.1, np.float32), np.full((300007, 20), 0.1, np.float32)
    for devices in (3, 6):
        got = run(bench, program, {"X": x, "Y": y, "W": np.ones(20, np.float32)}, ("L", "S"),
                  f"--devices={devices}", "--cpu=x86-64-v2")
        expect_below(f"L on {devices}", relative(got["L"], x[0] * float(x.size)), 1e-6)
        expect_below(f"S on {devices}", relative(got["S"], x[0] * float(y.size)), 1e-6)


COLUMNS = """
    param n = 300007
    input X : f32[n, 37]
    input H : bf16[n, 5]
    input D : f64[n, 5]
    S[j] = sum[i] X[i, j]
    W[j] = sum[i] X[i, j] * X[i, 36 - j]
    B[j] = sum[i] H[i, j]
    E[j] = sum[i] D[i, j]
    output S, W, B, E
"""


@case
def column_sums(bench):
    rng = np.random.default_rng(4)
    x = rng.random((300007, 37), dtype=np.float32)
    x[:, 0] = 0.1
    wide = x.astype(np.float64)
    h = bf16_bits(x[:, :5])
    d = np.full((300007, 5), 0.1)
    inputs = {"X": x, "H": h, "D": d}
    for devices in (1, 5):
        got = run(bench, COLUMNS, inputs, ("S", "W", "B", "E"), f"--devices={devices}")
        expect_below("columns", relative(got["S"], wide.sum(0)), 1e-6)
        expect_below("products", relative(got["W"], (wide * wide[:, ::-1]).sum(0)), 1e-6)
        # Of bf16 the sums are f32, rounded once.
        sums = widened(h, "bf16").reshape(h.shape).sum(0)
        rounded = widened(got["B"].reshape(-1), "bf16")
        expect_below("bf16", relative(rounded, sums), 2.0**-8)
        expect_below("f64", relative(got["E"], 300007 * 0.1), 1e-15)


@case
def sums_around_blocks(bench):
    """Lengths before and behind where blocks and groups of them end."""
    rng = np.random.default_rng(12)
    program = """
        input X : f32[n, 3]
        input Z : f32[3, n]
        S[j] = sum[i] X[i, j]
        T[j] = sum[i] Z[j, i]
        U = sum[i, j] Z[i, j] * X[j, i]
        M[j] = max[i] Z[j, i]
        output S, T, U, M
    """
    for n in (1, 63, 257, 511, 4097, 16385, 32769, 131101):
        x = rng.standard_normal((n, 3)).astype(np.float32)
        z = rng.standard_normal((3, n)).astype(np.float32)
        wide, tall = x.astype(np.float64), z.astype(np.float64)
        product = tall * wide.T
        for devices in (1, 3):
            got = run(bench, f"param n = {n}\n{program}", {"X": x, "Z": z},
                      ("S", "T", "U", "M"), f"--devices={devices}")
            for name, exact, size in (("S", wide.sum(0), np.abs(wide).sum(0)),
                                      ("T", tall.sum(1), np.abs(tall).sum(1)),
                                      ("U", product.sum(), np.abs(product).sum())):
                error = float(np.max(np.abs(got[name] - exact) / size)) / UNIT
                expect_below(f"{name} of {n} on {devices}, in units", error, 8)
            if not np.array_equal(got["M"], z.max(1)):
                raise CheckFailed(f"maxima of {n} on {devices}")


PRODUCT = """
    param n = 1000003
    input A : f32[5, n]
    input B : f32[n, 7]
    C[i, j] = sum[k] A[i, k] * B[k, j]
    D[i, j] = sum[k] A[i, k] * A[j, k]
    output C, D
"""


@case
def long_products(bench):
    rng = np.random.default_rng(5)
    a = rng.random((5, 1000003), dtype=np.float32)
    b = rng.random((1000003, 7), dtype=np.float32)
    c, d = a.astype(np.float64) @ b, a.astype(np.float64) @ a.T
    for devices in (1, 6):
        got = run(bench, PRODUCT, {"A": a, "B": b}, ("C", "D"), f"--devices={devices}")
        expect_below("A B", relative(got["C"], c), 2e-6)
        expect_below("A A'", relative(got["D"], d), 2e-6)


EQUAL = """
    param n = 100003
    input A : f32[8, n]
    input B : f32[n, 64]
    input P : f32[8, 1000]
    input Q : f32[1000, 64]
    input F : f32[8, 2, n]
    input G : f32[40, n, 2]
    input H : f32[2, n, 40]
    C[i, j] = sum[k] A[i, k] * B[k, j]
    S[i, j] = sum[k] P[i, k] * Q[k, j]
    D[i, j] = sum[a, b] F[i, a, b] * G[j, b, a]
    E[j] = sum[a, b] H[a, b, j] * F[0, a, 0]
    output C, S, D, E
"""


@case
def products_of_equal_terms(bench):
    """Whose roundings all go one way, also along two loops."""
    shapes = {"A": (8, 100003), "B": (100003, 64), "P": (8, 1000), "Q": (1000, 64),
              "F": (8, 2, 100003), "G": (40, 100003, 2), "H": (2, 100003, 40)}
    for x, y in ((0.1, 0.1), (0.3, 0.7), (1 / 3, 1 / 7)):
        inputs = {name: np.full(shape, x if name in "APF" else y, np.float32)
                  for name, shape in shapes.items()}
        term = float(np.float32(x)) * float(np.float32(y))
        for words in (["--devices=1"], ["--devices=1", "--cpu=x86-64-v2"], ["--devices=6"]):
            got = run(bench, EQUAL, inputs, ("C", "S", "D", "E"), *words)
            for name, terms in (("C", 100003), ("S", 1000), ("D", 200006), ("E", 200006)):
                error = relative(got[name], np.array(term * terms))
                expect_below(f"{name} of {x} and {y}, {words}", error, 2e-6)


@case
def windows_and_rows(bench):
    rng = np.random.default_rng(6)
    x = rng.random(60000, dtype=np.float32)
    total = np.concatenate([[0], np.cumsum(x.astype(np.float64))])
    program = """
        input X : f32[60000]
        S[i] = sum[r:50000] X[i + r]
        Y[i] = softmax[i] X[i]
        L[i] = layernorm[i](X[i], 1e-5)
        output S, Y, L
    """
    got = run(bench, program, {"X": x}, ("S", "Y", "L"))
    expect_below("windows", relative(got["S"], (total[50000:] - total[:-50000])), 1e-6)
    e = np.exp(x.astype(np.float64) - x.max())
    expect_below("softmax", relative(got["Y"], e / e.sum()), 1e-6)
    wide = x.astype(np.float64)
    norm = (wide - wide.mean()) / np.sqrt(wide.var() + 1e-5)
    expect_below("layernorm", float(np.abs(got["L"] - norm).max()), 1e-6)


@case
def sums_with_infinities(bench):
    """What is infinite or NaN stays so, however a sum is cut."""
    x = np.ones((4, 200003), np.float32)
    x[0, 7] = x[3, 150000] = np.inf
    x[1, 7] = np.inf
    x[1, 199999] = -np.inf
    x[2, 100000] = np.nan
    program = "input X : f32[4, 200003]\nS[i] = sum[j] X[i, j]\noutput S\n"
    across = "input X : f32[200003, 4]\nS[i] = sum[j] X[j, i]\noutput S\n"
    for devices in (1, 3):
        for text, data in ((program, x), (across, np.ascontiguousarray(x.T))):
            got = run(bench, text, {"X": data}, ("S",), f"--devices={devices}")["S"]
            want = np.array([np.inf, np.nan, np.nan, np.inf], np.float32)
            if not np.array_equal(got, want, equal_nan=True):
                raise CheckFailed(f"got {got}, expected {want}")


@case
def reordered_infinity(bench):
    """The example of docs/Ein.md."""
    program = """
        input A : f32[8, 2]
        input B : f32[2, 2]
        input C : f32[2, 1]
        Y[i, l] = sum[j, k] A[i, j] * B[j, k] * C[k, l]
        output Y
    """
    inputs = {
        "A": np.array([[np.inf, 1]] + [[1, 1]] * 7, np.float32),
        "B": np.array([[0, 1], [1, 1]], np.float32),
        "C": np.array([[1], [1]], np.float32),
    }
    for order, first in (("none", np.isnan), ("flops", np.isposinf)):
        got = run(bench, program, inputs, ("Y",), f"--order={order}")["Y"]
        if not first(got[0, 0]) or not np.array_equal(got[1:], np.full((7, 1), 3, np.float32)):
            raise CheckFailed(f"--order={order}: {got}")


def sigmoid(x):
    e = np.exp(-np.abs(x))
    return np.where(x < 0, e, 1.0) / (1 + e)


ERF = np.vectorize(math.erf, otypes=[np.float64])
FUNCTIONS = {
    "exp(X[i])": np.exp,
    "log(X[i])": np.log,
    "sqrt(X[i])": np.sqrt,
    "rsqrt(X[i])": lambda x: 1 / np.sqrt(x),
    "sin(X[i])": np.sin,
    "cos(X[i])": np.cos,
    "tanh(X[i])": np.tanh,
    "erf(X[i])": lambda x: ERF(x.astype(np.float64)),
    "sigmoid(X[i])": sigmoid,
    "tan(X[i])": np.tan,
    "sinh(X[i])": np.sinh,
    "asin(X[i])": np.arcsin,
    "atan(X[i])": np.arctan,
    "cbrt(X[i])": np.cbrt,
    "log1p(X[i])": np.log1p,
    "X[i] ** 3": lambda x: x**3,
    "X[i] ** 31": lambda x: np.power(x, 31),
    "X[i] ** -5": lambda x: np.power(x, -5),
    "X[i] ** 33": lambda x: np.power(x, 33),
    "floor(X[i])": np.floor,
    "ceil(X[i])": np.ceil,
    "abs(X[i])": np.abs,
}
# Of two units, since one would cost up to half the time again (docs/Accuracy.md).
FAST_SINGLES = ("tanh(X[i])", "erf(X[i])", "sigmoid(X[i])")


def check_functions(bench, type, x, values, limit, cpu):
    """All functions of `values` (of the type; x: the same numbers)."""
    lines = [f"input X : {type}[{x.size}]"]
    lines += [f"Y{k}[i] = {text}" for k, text in enumerate(FUNCTIONS)]
    names = [f"Y{k}" for k in range(len(FUNCTIONS))]
    lines.append("output " + ", ".join(names))
    got = run(bench, "\n".join(lines) + "\n", {"X": values}, names, f"--cpu={cpu}")
    if got is None:
        return False
    for name, (text, formula) in zip(names, FUNCTIONS.items()):
        with np.errstate(all="ignore"):
            want = formula(x)
        error = units(widened(got[name].reshape(-1), type), want, type)
        at = int(np.argmax(error))
        most = 2.0 if type == "f32" and text in FAST_SINGLES else limit
        expect_below(f"{text} of {type} on {cpu} at {x[at]!r}", float(error[at]), most)
    return True


def singles():
    """Numbers of all exponents and signs, around those where things change."""
    rng = np.random.default_rng(8)
    exponents = np.repeat(np.arange(512, dtype=np.uint32) << 23, 101)
    bits = exponents | rng.integers(0, 1 << 23, exponents.size, dtype=np.uint32)
    edges = [0.0, -0.0, np.inf, -np.inf, np.nan, 88.7, -87.3, -103.9, -88.0, 1.1, 9.0, 3.84, 1.0]
    edges = np.array(edges, np.float32).view(np.uint32)
    near = (edges[:, None] + np.arange(-40, 41)).astype(np.uint32).reshape(-1)
    ordinary = rng.uniform(-12, 12, 40000).astype(np.float32).view(np.uint32)
    return np.concatenate([bits, near, ordinary]).view(np.float32)


@case
def functions_of_f32(bench):
    values = singles()
    ran = [check_functions(bench, "f32", widened(values, "f32"), values, 1.0, cpu)
           for cpu in PROCESSORS]
    assert any(ran)


@case
def functions_of_f16_and_bf16(bench):
    bits = np.arange(1 << 16, dtype=np.uint16)
    for cpu in PROCESSORS:
        check_functions(bench, "f16", widened(bits.view(np.float16), "f16"), bits.view(np.float16),
                        0.501, cpu)
        check_functions(bench, "bf16", widened(bits, "bf16"), bits, 0.501, cpu)


@case
def functions_of_f64(bench):
    rng = np.random.default_rng(9)
    bits = rng.integers(0, 1 << 64, 3000, dtype=np.uint64).view(np.float64)
    edges = [rng.uniform(a, b, 2000) for a, b in
             ((-746, -707), (707, 711), (0.5, 2), (-38, -35), (18, 21), (-12, 12))]
    special = [0.0, -0.0, np.inf, -np.inf, np.nan, 5e-324, -5e-324, 2.2250738585072014e-308]
    values = np.concatenate([bits, *edges, special])
    # NumPy's long double is wide enough to tell one unit, but erf is f64's.
    for cpu in ("x86-64-v2", "native"):
        check_functions(bench, "f64", values.astype(np.longdouble), values, 1.5, cpu)


@case
def an_element_has_the_same_bits_anywhere(bench):
    """In whole vectors, tails, rows and alone."""
    rng = np.random.default_rng(10)
    value = np.float32(rng.uniform(-3, -2))
    formula = "exp({0}) + tanh({0}) * erf({0}) + sigmoid({0}) + {0} ** 7 + tan({0}) * atan({0}) + log2(-{0})"
    program = "input X : f32[61]\ninput Z : f32[7, 19]\ninput S : f32\n"
    program += f"A[i] = {formula.format('X[i]')}\nB[i, j] = {formula.format('Z[j, i]')}\n"
    program += f"C = {formula.format('S')}\noutput A, B, C\n"
    inputs = {"X": np.full(61, value), "Z": np.full((7, 19), value), "S": np.array(value)}
    for cpu in PROCESSORS:
        got = run(bench, program, inputs, ("A", "B", "C"), f"--cpu={cpu}", "--devices=2")
        if got is None:
            continue
        found = set(np.concatenate([array.reshape(-1) for array in got.values()]).tolist())
        if len(found) != 1:
            raise CheckFailed(f"{cpu}: {sorted(found)}")


if __name__ == "__main__":
    case.main(__doc__)
