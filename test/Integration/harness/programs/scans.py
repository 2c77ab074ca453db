"""Running sums, products, maxima and minima."""

import numpy as np

from .registry import booleans, integers, normal, program, uniform


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
