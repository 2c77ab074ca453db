"""Running sums, products, maxima and minima, and by monoids of the program."""

import numpy as np

from .registry import booleans, complexes, integers, normal, program, uniform


@program(
    """
    input X : f32[13, 61]
    input V : f64[101]
    Rows[n, i] = cumsum[i] X[n, i]
    Columns[n, i] = cumsum[n] X[n, i]
    Line[i] = cumsum[i] V[i]
    Back[i] = cumsum[i] V[100 - i] * V[i]
    Share[n, i] = cumsum[i](exp(X[n, i])) / sum[k](exp(X[n, k]))
    Top[i, n] = cummax[i] X[n, i]
    Low[n, i] = X[n, i] - cummin[n](X[n, i])
    Deep[n] = min[i] cumsum[i](X[n, i])
    Both[n, i] = cumsum[n] cumsum[i](X[n, i])
    """,
    {"X": normal(13, 61), "V": normal(101, type="f64")},
    "Rows:f32 Columns:f32 Line:f64 Back:f64 Share:f32 Top:f32 Low:f32 Deep:f32 Both:f32",
    exact=("Top", "Low"),
)
def running(X, V):
    e = np.exp(X)
    return {
        "Rows": X.cumsum(1),
        "Columns": X.cumsum(0),
        "Line": V.cumsum(),
        "Back": (V[::-1] * V).cumsum(),
        "Share": e.cumsum(1) / e.sum(1, keepdims=True),
        "Top": np.maximum.accumulate(X.T, 0),
        "Low": X.astype(np.float32) - np.minimum.accumulate(X, 0).astype(np.float32),
        "Deep": X.cumsum(1).min(1),
        "Both": X.cumsum(1).cumsum(0),
    }


@program(
    """
    input K : i8[43]
    input L : i64[3, 5, 29]
    input B : bool[31]
    input H : f16[7, 23]
    input G : bf16[37]
    Wraps[i] = cumsum[i] K[i]
    Odd[i] = cumprod[i] 2 * i32(K[i]) + 1
    Inner[a, b, c] = cummin[b] L[a, b, c]
    Outer[a, b, c] = cummax[a] L[a, b, 28 - c]
    Count[i] = cumsum[i] B[i]
    Starts[n:8] = cumsum[n] i32(n)
    Half[n, i] = cumsum[i] H[n, i]
    Wide[n, i] = cumsum[n](H[n, i]) * 2
    Brain[i] = cumsum[i] G[i] + 1
    Most[i] = cummax[i] G[i]
    """,
    {
        "K": integers(-100, 100, 43, type="i8"),
        "L": integers(-(10**12), 10**12, 3, 5, 29, type="i64"),
        "B": booleans(31),
        "H": uniform(0, 2, 7, 23, type="f16"),
        "G": uniform(0, 2, 37, type="bf16"),
    },
    "Wraps:i8 Odd:i32 Inner:i64 Outer:i64 Count:i64 Starts:i32 Half:f16 Wide:f16 Brain:bf16 Most:bf16",
)
def running_types(K, L, B, H, G):
    return {
        "Wraps": K.astype(np.int8).cumsum(dtype=np.int8),
        "Odd": (2 * K.astype(np.int32) + 1).cumprod(dtype=np.int32),
        "Inner": np.minimum.accumulate(L, 1),
        "Outer": np.maximum.accumulate(L[:, :, ::-1], 0),
        "Count": B.cumsum(),
        "Starts": np.arange(8).cumsum(),
        "Half": H.cumsum(1),
        "Wide": H.cumsum(0) * 2,
        "Brain": (G + 1).cumsum(),
        "Most": np.maximum.accumulate(G),
    }


def last_known(values, axis):
    """The last one but 0 so far."""
    lines = np.moveaxis(values, axis, 0).copy()
    for before, line in zip(lines, lines[1:]):
        line[...] = np.where(line == 0, before, line)
    return np.moveaxis(lines, 0, axis)


@program(
    """
    input X : f32[13, 61]
    input V : f64[101]
    input K : i32[5, 97]
    input U : u8[43]
    input B : bool[3, 31]
    input H : f16[29]
    input G : bf16[29]
    input Z : c64[4, 17]
    param top = 100
    monoid absmax(a, b) = max(abs(a), abs(b)) identity 0
    monoid logaddexp(x, y) = select(x == y, x + log(2), max(x, y) + log1p(exp(-abs(x - y)))) identity -inf
    monoid last(a, b) = select(b == 0, a, b) identity 0
    monoid saturate(a, b) = min(a + b, top) identity 0
    monoid differs(a, b) = a != b identity false
    monoid far(a, b) = hypot(a, b) identity 0
    monoid turned(a, b) = a * b identity 1
    Rows[n, i] = scan absmax[i] X[n, i]
    Columns[i, n] = scan absmax[n] 2 * X[n, i] - 1
    Share[i] = V[i] - scan logaddexp[i](V[i])
    Known[n, i] = scan last[i] K[n, i]
    Above[n, i] = scan last[n] K[n, i]
    Deep[n] = max[i] scan last[i](K[n, i] * i32(n))
    Sum[i] = scan saturate[i] U[i] % 8
    Odd[n, i] = scan differs[i] B[n, i]
    All[n, i] = scan all[n] B[n, i] || n < 2
    Any[n, i] = scan any[i] B[n, i]
    Bits[n, i] = scan xor[i] K[n, i]
    Same[n, i] = scan sum[i] K[n, i]
    Top[i] = cummax[i] U[i]
    Half[i] = scan far[i] H[i]
    Brain[i] = 1 + scan far[i](G[i])
    Turn[n, i] = scan turned[i] Z[n, i] / c64(abs(Z[n, i]))
    """,
    {
        "X": normal(13, 61),
        "V": normal(101, type="f64", scale=9.0),
        "K": integers(-1, 2, 5, 97),
        "U": integers(0, 255, 43, type="u8"),
        "B": booleans(3, 31),
        "H": uniform(-2, 2, 29, type="f16"),
        "G": uniform(-2, 2, 29, type="bf16"),
        "Z": complexes(4, 17),
    },
    "Rows:f32 Columns:f32 Share:f64 Known:i32 Above:i32 Deep:i32 Sum:u8 Odd:bool All:bool Any:bool"
    " Bits:i32 Same:i32 Top:u8 Half:f16 Brain:bf16 Turn:c64",
    exact=("Rows",),
)
def own_running(X, V, K, U, B, H, G, Z):
    rows = np.arange(5).reshape(5, 1)
    return {
        "Rows": np.maximum.accumulate(np.abs(X), 1),
        "Columns": np.maximum.accumulate(np.abs(2 * X - 1), 0).T,
        "Share": V - np.logaddexp.accumulate(V),
        "Known": last_known(K, 1),
        "Above": last_known(K, 0),
        "Deep": last_known(K * rows, 1).max(1),
        "Sum": np.minimum((U % 8).cumsum(), 100),
        "Odd": np.logical_xor.accumulate(B, 1),
        "All": np.logical_and.accumulate(B | (np.arange(3).reshape(3, 1) < 2), 0),
        "Any": np.logical_or.accumulate(B, 1),
        "Bits": np.bitwise_xor.accumulate(K, 1),
        "Same": K.cumsum(1),
        "Top": np.maximum.accumulate(U),
        "Half": np.sqrt((H.astype(np.float64) ** 2).cumsum()),
        "Brain": 1 + np.sqrt((G.astype(np.float64) ** 2).cumsum()),
        "Turn": (Z / np.abs(Z)).cumprod(1),
    }
