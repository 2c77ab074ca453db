#!/usr/bin/python3
"""Labels as numbers: positions, ramps, one-hot rows and masks have the values of
NumPy, cut or not: a label is the coordinate in the whole tensor.

    check_labels.py [CASE ...]
"""

import numpy as np

from check_specials import Program, narrow
from harness.bounded import FLOATS, INTEGERS, NUMPY_TYPES
from harness.cases import Group

case = Group()


def as_type(type, values):
    """Integers as a type has them, wrapped or rounded."""
    return narrow(type, values) if type in FLOATS else values.astype(NUMPY_TYPES[type])


@case
def positions(bench):
    program = Program()
    i, j = np.arange(131), np.arange(67)
    row, column = i[:, None], j[None]
    # The largest extents whose positions the types have.
    whole = {"i8": 128, "bf16": 257, "f16": 2049}
    for type in (*FLOATS, *INTEGERS):
        extent = whole.get(type, 2500)
        program.output(f"@[i:{extent}] = {type}(i)", type, as_type(type, np.arange(extent)))
        for pin in ("", " @ {i: n}", " @ {j: n}"):
            text = f"@[i:67, j:67]{pin} = {type}(0) + 2 * i - j"
            program.output(text, type, as_type(type, 2 * column.T - column))
        program.output(f"@[i:131] @ {{i: n}} = {type}(67 - i)", type, as_type(type, 67 - i))
        # A cast wraps, or rounds once.
        program.output(f"@[i:70000] = {type}(i)", type, as_type(type, np.arange(70000)))
        program.output(f"@[i:131, j:67] = {type}(i * 67 + j)", type, as_type(type, row * 67 + column))
        program.output(f"@[i:131] = {type}(i ** 3)", type, as_type(type, i**3))
    program.output("@[i:131, j:67] = i32(i // 7 * 3 + j % 5)", "i32", (row // 7 * 3 + column % 5).astype("i4"))
    program.output("@[i:131] = f64(i) / 2", "f64", i / 2)
    program.output("@[i:131] = f64(i * 0.5 + (7 - i) // 2)", "f64", i * 0.5 + (7 - i) // 2)
    program.output("@[i:131] = i64(i ^ i >> 1)", "i64", i ^ i >> 1)
    program.output("@[i:131] = bool(i & 4)", "bool", i & 4 != 0)
    program.output("@ @ {i: n} = sum[i:131] i64(i * i)", "i64", (i * i).sum())
    program.output("@ @ {i: n} = max[i:131] i32(50 - (i - 77) ** 2)", "i32", np.int32(50))
    program.output("@[i:131] = i32(max(i - 7, 3))", "i32", np.maximum(i - 7, 3).astype("i4"))
    program.check(bench, (1, 2, 3, 4))


@case
def beside_data(bench):
    rng = np.random.default_rng(41)
    program = Program()
    x = rng.standard_normal((37, 53)).astype(np.float32)
    a = rng.integers(-2, 12, 37).astype(np.int32)
    bytes_ = rng.integers(-100, 100, 53).astype(np.int8)
    for name, type, array in (("X", "f32", x), ("A", "i32", a), ("B", "i8", bytes_)):
        program.input(name, type, array)
    n, c = np.arange(37)[:, None], np.arange(53)[None]
    hot = a[:, None] == np.arange(10)
    for pin in ("", " @ {r: n}", " @ {k: n}"):
        program.output(f"@[r, k:10]{pin} = f32([A[r] == k])", "f32", hot.astype("f4"))
        program.output(f"@[r, k:10]{pin} = A[r] == k", "bool", hot)
    program.output("@[r, k:10] = [A[r] == k || k == 3] && X[r, k + 1] > 0", "bool",
                   (hot | (np.arange(10) == 3)) & (x[:, 1:11] > 0))
    program.output("@[k:10] @ {r: n} = sum[r] i32([A[r] == k])", "i32", hot.sum(0).astype("i4"))
    # Reading by data.
    want = np.where(a >= 0, bytes_[np.maximum(a, 0)], 0).astype("i1")
    program.output("@[r] = sum[k] select(A[r] == k, B[k], 0)", "i8", want)
    program.output("@[r, c] = [X[r, c] < X[r, 0]]", "bool", x < x[:, :1])
    program.output("@[r, c] = select([2 * r % 3 == c % 3], X[r, c], -inf)", "f32",
                   np.where(2 * n % 3 == c % 3, x, np.float32(-np.inf)))
    program.output("@[r, c] = select(r // 4 >= c // 6, X[r, c], 0)", "f32",
                   np.where(n // 4 >= c // 6, x, np.float32(0)))
    program.output("@[c] = B[c] * c", "i8", bytes_ * np.arange(53, dtype="i1"))
    program.output("@[r] = A[r] // (r - 7) + r", "i32", floored(a, n[:, 0] - 7) + n[:, 0].astype("i4"))
    program.output("@[r, c] @ {c: n} = X[r, c] * (c + 1)", "f32", x * (c + 1).astype("f4"))

    def close(what, type, got, want):
        np.testing.assert_allclose(got, want, 1e-5, 1e-3, err_msg=what)

    program.output("@[c:53, r:37] = pad(X, 1)[r - 3, c + 2] * r - c", "f32",
                   (np.pad(x, ((3, 0), (0, 2)), constant_values=1)[:37, 2:] * n.astype("f4") - c.astype("f4")).T, close)
    wide = x.astype("f8")
    program.output("@[r] @ {c: n} = sum[c] X[r, c] * c", "f32", (wide * c).sum(1), close)
    program.output("@[r, k:10] = sum[c] X[r, c] * f32([A[r] == k]) * (c - k)", "f32",
                   (wide[:, :, None] * hot[:, None] * (c[0][:, None] - np.arange(10))).sum(1), close)
    program.output("@[r] = X[r, 0] - sum[c](X[r, c] * (c + r))", "f32",
                   wide[:, 0] - (wide * (c + n)).sum(1), close)
    program.output("@[r] = A[r] + sum[k:9](i32(k * r) % 7)", "i32",
                   a + (np.arange(9) * n % 7).sum(1).astype("i4"))
    scores = wide - abs(n - c) / 4
    soft = np.exp(scores - scores.max(1, keepdims=True))
    program.output("@[r, c] = softmax[c] X[r, c] - f32(abs(r - c)) / 4", "f32",
                   soft / soft.sum(1, keepdims=True), close)
    program.lines.append("def ramp(V[p]) -> W[p] {\n  W[p] = V[p] * p + p'\n}")
    program.output("@[c] = ramp(B)", "i8", bytes_ * np.arange(53, dtype="i1") + np.int8(53))
    program.check(bench, (1, 2, 3, 4))


def floored(a, b):
    with np.errstate(divide="ignore"):
        return (a // b).astype("i4")


if __name__ == "__main__":
    case.main(__doc__)
