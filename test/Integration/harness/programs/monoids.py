"""Reductions that the program defines."""

import numpy as np

from .registry import booleans, complexes, integers, normal, program, uniform


@program(
    """
    input X : f32[13, 61]
    input Y : f32[13, 3]
    input V : f64[5, 101]
    monoid absmax(a, b) = max(abs(a), abs(b)) identity 0
    monoid logaddexp(x, y) = select(x == y, x + log(2), max(x, y) + log1p(exp(-abs(x - y)))) identity -inf
    monoid nanmax(a, b) = select(isnan(a), b, select(isnan(b), a, max(a, b))) identity nan
    def scaled(A[i, j]) -> B[i, j] {
      B[i, j] = A[i, j] / absmax[k](A[i, k])
    }
    Rows[n] = absmax[k] X[n, k]
    All = absmax(X)
    Columns[k] = absmax[n] X[n, k] * 2 - 1
    Product[k, l] = absmax[n] X[n, k] * Y[n, l]
    Unit = scaled(X)
    Log[n] = logaddexp[k] X[n, k]
    Both = logaddexp[i, j] V[i, j]
    Known[n] = nanmax[k] log(X[n, k])
    Nothing = nanmax[i:3] log(f32(i) - 4)
    """,
    {"X": normal(13, 61), "Y": normal(13, 3), "V": normal(5, 101, type="f64", scale=9.0)},
    "Rows:f32 All:f32 Columns:f32 Product:f32 Unit:f32 Log:f32 Both:f64 Known:f32 Nothing:f32",
    exact=("Rows", "All"),
)
def own_monoids(X, Y, V):
    size = np.abs(X)
    with np.errstate(invalid="ignore"):
        logs = np.log(X)
    return {
        "Rows": size.max(1),
        "All": size.max(),
        "Columns": np.abs(2 * X - 1).max(0),
        "Product": np.abs(X[:, :, None] * Y[:, None, :]).max(0),
        "Unit": X / size.max(1, keepdims=True),
        "Log": np.logaddexp.reduce(X, 1),
        "Both": np.logaddexp.reduce(V, None),
        "Known": np.nanmax(logs, 1),
        "Nothing": np.float32(np.nan),
    }


@program(
    """
    input K : i32[7, 53]
    input W : i8[59]
    input U : u8[43, 3]
    input B : bool[9, 23]
    input H : f16[11, 37]
    input G : bf16[29]
    input Z : c64[3, 17]
    param top = 1000
    monoid saturate(a, b) = min(a + b, top) identity 0
    monoid common(a, b) = a & b identity -1
    monoid lowest(a, b) = min(a, b) identity 255
    monoid differs(a, b) = a != b identity false
    monoid far(a, b) = hypot(a, b) identity 0
    monoid turned(a, b) = a * b identity 1
    Sum[n] = saturate[k] K[n, k]
    Bits[n] = common[k] K[n, k] | 5
    Small = common[i] W[i] | 9
    Low[c] = lowest[n] U[n, c]
    Odd[n] = differs[k] B[n, k]
    Half[n] = far[k] H[n, k]
    Wide[n] = 1 + far[k](H[n, k])
    Brain = far[i] G[i]
    Turn[n] = turned[k] Z[n, k] / c64(abs(Z[n, k]))
    """,
    {
        "K": integers(0, 60, 7, 53),
        "W": integers(-128, 127, 59, type="i8"),
        "U": integers(3, 255, 43, 3, type="u8"),
        "B": booleans(9, 23),
        "H": uniform(-2, 2, 11, 37, type="f16"),
        "G": uniform(-2, 2, 29, type="bf16"),
        "Z": complexes(3, 17),
    },
    "Sum:i32 Bits:i32 Small:i8 Low:u8 Odd:bool Half:f16 Wide:f16 Brain:bf16 Turn:c64",
)
def own_monoids_of_types(K, W, U, B, H, G, Z):
    return {
        "Sum": np.minimum(K.sum(1), 1000),
        "Bits": np.bitwise_and.reduce(K | 5, 1),
        "Small": np.bitwise_and.reduce(W | 9),
        "Low": U.min(0),
        "Odd": np.logical_xor.reduce(B, 1),
        "Half": np.sqrt((H.astype(np.float64) ** 2).sum(1)),
        "Wide": 1 + np.sqrt((H.astype(np.float64) ** 2).sum(1)),
        "Brain": np.sqrt((G.astype(np.float64) ** 2).sum()),
        "Turn": (Z / np.abs(Z)).prod(1),
    }
