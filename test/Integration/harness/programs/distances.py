"""Other pairs of combine and monoid: distances, paths, products."""

import numpy as np

from .registry import booleans, normal, program, uniform

PAIR = {"X": normal(31, 12), "Y": normal(12, 27)}
DECLARE_PAIR = "input X : f32[31, 12]\ninput Y : f32[12, 27]\n"


@program(DECLARE_PAIR + "Z[i, k] = sum[j] (X[i, j] - Y[j, k]) ** 2", PAIR, "Z:f32")
def distance_l2(X, Y):
    return (X**2).sum(1)[:, None] - 2 * X @ Y + (Y**2).sum(0)[None, :]


@program(
    DECLARE_PAIR + "Z[i, k] = max[j] abs(X[i, j] - Y[j, k])", PAIR, "Z:f32", tolerance={"Z": 2e-7}
)
def distance_linf(X, Y):
    return np.stack([np.abs(X - y).max(1) for y in Y.T], axis=1)


@program(DECLARE_PAIR + "Z[i, k] = sum[j] abs(X[i, j] - Y[j, k])", PAIR, "Z:f32")
def distance_l1(X, Y):
    return np.stack([np.abs(X - y).sum(1) for y in Y.T], axis=1)


@program(
    DECLARE_PAIR
    + """
    N[i] = sum[j] X[i, j] ** 2
    M[k] = sum[j] Y[j, k] ** 2
    D[i, k] = sum[j] X[i, j] * Y[j, k]
    Z[i, k] = D[i, k] * rsqrt(N[i]) * rsqrt(M[k])
    """,
    PAIR,
    "Z:f32",
)
def cosine_similarity(X, Y):
    return X @ Y / np.linalg.norm(X, axis=1)[:, None] / np.linalg.norm(Y, axis=0)


@program(
    """
    input X : f32[41, 7]
    input C : f32[6, 7]
    D[i, c] = sum[f] (X[i, f] - C[c, f]) ** 2
    Best[i] = min[c] D[i, c]
    Cost = sum[i] Best[i]
    Worst = max[i] Best[i]
    """,
    {"X": normal(41, 7), "C": normal(6, 7)},
    "Best:f32 Cost:f32 Worst:f32",
)
def nearest_centre(X, C):
    best = ((X[:, None] - C[None]) ** 2).sum(2).min(1)
    return {"Best": best, "Cost": best.sum(), "Worst": best.max()}


@program(
    """
    input A : f32[23, 19]
    input B : f32[19, 21]
    Z[i, k] = max[j] A[i, j] + B[j, k]
    """,
    {"A": normal(23, 19), "B": normal(19, 21)},
    "Z:f32",
    exact={"Z"},
)
def max_plus(A, B):
    # One rounded addition per candidate: bit-equal in float32.
    return (A.astype(np.float32)[:, :, None] + B.astype(np.float32)[None]).max(1)


@program(
    """
    input W : f32[13, 13]
    P[i, k] = min[j] W[i, j] + W[j, k]
    Q[i, k] = min[j] P[i, j] + P[j, k]
    """,
    {"W": uniform(0.1, 9.0, 13, 13)},
    "P:f32 Q:f32",
    exact={"P", "Q"},
)
def shortest_paths(W):
    def step(D):
        return (D[:, :, None] + D[None]).min(1)

    P = step(W.astype(np.float32))
    return {"P": P, "Q": step(P)}


@program(
    """
    input A : f32[11, 17]
    P[i] = prod[j] A[i, j]
    Q[j] = prod[i] A[i, j] * A[i, j]
    """,
    {"A": uniform(0.5, 1.6, 11, 17)},
    "P:f32 Q:f32",
)
def products(A):
    return {"P": np.exp(np.log(A).sum(1)), "Q": np.exp(2 * np.log(A).sum(0))}


@program(
    """
    input E : bool[15, 15]
    R[i, k] = any[j] E[i, j] && E[j, k]
    S[i, k] = all[j] E[i, j] || E[j, k]
    T[i, k] = xor[j] E[i, j] && E[j, k]
    U[i, k] = R[i, k] && !S[i, k] || T[i, k]
    """,
    {"E": booleans(15, 15, chance=0.3)},
    "R:bool S:bool T:bool U:bool",
)
def boolean_monoids(E):
    paths = E.astype(int) @ E.astype(int)
    R, T = paths > 0, paths % 2 == 1
    misses = (~E).astype(int) @ (~E).astype(int)
    S = misses == 0
    return {"R": R, "S": S, "T": T, "U": R & ~S | T}


@program(
    """
    input X : f32[37, 5]
    Lo[f] = min[i] X[i, f]
    Hi[f] = max[i] X[i, f]
    Z[i, f] = (X[i, f] - Lo[f]) / (Hi[f] - Lo[f])
    All = max[i, f] X[i, f]
    """,
    {"X": normal(37, 5)},
    "Lo:f32 Hi:f32 Z:f32 All:f32",
    exact={"Lo", "Hi", "All"},
)
def scale_to_range(X):
    lo, hi = X.min(0), X.max(0)
    return {"Lo": lo, "Hi": hi, "Z": (X - lo) / (hi - lo), "All": X.max()}
