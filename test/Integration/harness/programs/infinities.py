"""Infinities and NaN in what combines values."""

import numpy as np

from .registry import integers, normal, program, specials
from .scatters import combined


@program(
    """
    input X : f32[23, 47]
    input V : f64[11, 211]
    input H : f16[13, 29]
    input G : bf16[13, 29]
    input Y : f32[47, 5]
    input A : i32[23]
    Sum[n] = sum[i] X[n, i]
    Total[i] = sum[n] X[n, i]
    All = sum(V)
    Wide[n] = sum[i] V[n, i]
    Half[n] = sum[i] H[n, i]
    Brain[n] = sum[i] G[n, i]
    Prod[n] = prod[i] V[n, i]
    Mean[n] = mean[i] X[n, i]
    Means[i] = mean[n] V[n, i]
    Max[n] = max[i] X[n, i]
    Log[n] = logsumexp[i] V[n, i]
    Matmul[n, k] = sum[i] X[n, i] * Y[i, k]
    Run[n, i] = cumsum[i] X[n, i]
    Down[n, i] = cumsum[n] V[n, i]
    Times[n, i] = cumprod[i] V[n, i] * 0.5
    Halves[n, i] = cumsum[i] H[n, i]
    Top[n, i] = cummax[i] X[n, i]
    Low[n, i] = cummin[n] G[n, i]
    At[A[n]:9, i] = sum[n] X[n, i]
    AtLine[A[n]:9] = sum[n, i] X[n, i]
    AtWide[A[n]:9] = sum[n] V[n % 11, 3 * n]
    AtMean[A[n]:9, i] = mean[n] X[n, i]
    AtMost[A[n]:9, i] = max[n] X[n, i]
    AtLeast[n // 4, i] = min[n] G[n, i]
    AtLog[A[n]:9, i] = logsumexp[n] X[n, i]
    """,
    {
        "X": specials(23, 47, chance=0.005),
        "V": specials(11, 211, type="f64", chance=0.001),
        "H": specials(13, 29, type="f16", chance=0.01),
        "G": specials(13, 29, type="bf16", chance=0.01),
        "Y": normal(47, 5),
        "A": integers(0, 7, 23),
    },
    "Sum:f32 Total:f32 All:f64 Wide:f64 Half:f16 Brain:bf16 Prod:f64 Mean:f32 Means:f64 Max:f32"
    " Log:f64 Matmul:f32 Run:f32 Down:f64 Times:f64 Halves:f16 Top:f32 Low:bf16 At:f32 AtLine:f32"
    " AtWide:f64 AtMean:f32 AtMost:f32 AtLeast:bf16 AtLog:f32",
    exact=("Max", "Top", "AtMost"),
)
def infinities(X, V, H, G, Y, A):
    n = np.arange(23)
    with np.errstate(all="ignore"):
        at = combined((9, 47), np.add, A, X)
        return {
            "Sum": X.sum(1),
            "Total": X.sum(0),
            "All": V.sum(),
            "Wide": V.sum(1),
            "Half": H.sum(1),
            "Brain": G.sum(1),
            "Prod": V.prod(1),
            "Mean": X.mean(1),
            "Means": V.mean(0),
            "Max": X.max(1),
            "Log": np.logaddexp.reduce(V, 1),
            "Matmul": (X[:, :, None] * Y).sum(1),
            "Run": X.cumsum(1),
            "Down": V.cumsum(0),
            "Times": (V * 0.5).cumprod(1),
            "Halves": H.cumsum(1),
            "Top": np.maximum.accumulate(X, 1),
            "Low": np.minimum.accumulate(G, 0),
            "At": at,
            "AtLine": combined(9, np.add, A, X.sum(1)),
            "AtWide": combined(9, np.add, A, V[n % 11, 3 * n]),
            "AtMean": at / np.bincount(A, minlength=9)[:, None],
            "AtMost": combined((9, 47), np.maximum, A, X, -np.inf),
            "AtLeast": combined((4, 29), np.minimum, np.arange(13) // 4, G, np.inf),
            "AtLog": combined((9, 47), np.logaddexp, A, X, -np.inf),
        }
