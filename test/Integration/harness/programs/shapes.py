"""How tensors are read and written: diagonals, broadcasts, scalars, brackets."""

import numpy as np

from .registry import integers, normal, program


@program(
    """
    input M : f32[18, 18]
    input T : f32[7, 7, 5]
    Tr = sum[i] M[i, i]
    D[i] = M[i, i]
    B[j] = sum[i] T[i, i, j]
    R[i, j] = M[i, i] * M[j, j] - M[i, j] * M[j, i]
    """,
    {"M": normal(18, 18), "T": normal(7, 7, 5)},
    "Tr:f32 D:f32 B:f32 R:f32",
    exact={"D"},
)
def diagonals(M, T):
    d = np.diagonal(M)
    return {
        "Tr": np.trace(M),
        "D": d,
        "B": np.einsum("iij->j", T),
        "R": np.outer(d, d) - M * M.T,
    }


@program(
    """
    input E : f32[23]
    input C : f32[23, 9]
    input s : f32[]
    G[i, k:8] = E[i]
    F[i, k] = C[i, k] / (E[i] ** 2 + 1.0)
    H[i, j] = E[i] * E[j]
    K[i:6, j:4] = s
    L[a:3, i] = s * E[i] + f32([a == 1])
    """,
    {"E": normal(23), "C": normal(23, 9), "s": normal()},
    "G:f32 F:f32 H:f32 K:f32 L:f32",
    exact={"G", "K"},
)
def broadcasts(E, C, s):
    return {
        "G": np.repeat(E[:, None], 8, 1),
        "F": C / (E**2 + 1)[:, None],
        "H": np.outer(E, E),
        "K": np.full((6, 4), s),
        "L": s * E[None, :] + np.array([0, 1, 0])[:, None],
    }


@program(
    """
    input a : f32[]
    input b : f32[]
    input X : f32[29]
    c = a * b + 1.0
    n = sum[i] X[i]
    m = n[] / c
    Y[i] = (X[i] - m) * a[]
    k = max[i] Y[i]
    """,
    {"a": normal(), "b": normal(), "X": normal(29)},
    "c:f32 m:f32 Y:f32 k:f32",
)
def scalars_everywhere(a, b, X):
    c = a * b + 1
    m = X.sum() / c
    Y = (X - m) * a
    return {"c": c, "m": m, "Y": Y, "k": Y.max()}


@program(
    """
    input X : f32[16, 16]
    L[i, j] = X[i, j] * [j <= i]
    U[i, j] = select([i < j], X[i, j], 0.0)
    I[i:11, j:11] = f32([i == j])
    B[i, j] = X[i, j] * [i - j <= 2] * [j - i <= 1]
    C[i] = sum[j] X[i, j] * [2*j >= i + 3]
    N = sum[i:20, j:20] i32([3*i + 2*j < 31])
    """,
    {"X": normal(16, 16)},
    "L:f32 U:f32 I:f32 B:f32 C:f32 N:i32",
)
def brackets(X):
    i, j = np.ogrid[:16, :16]
    a, b = np.ogrid[:20, :20]
    return {
        "L": np.tril(X),
        "U": np.triu(X, 1),
        "I": np.eye(11),
        "B": np.tril(np.triu(X, -2), 1),
        "C": (X * (2 * j >= i + 3)).sum(1),
        "N": np.asarray((3 * a + 2 * b < 31).sum()),
    }


@program(
    """
    input X : f32[5, 14, 8]
    A[k, i, j] = X[i, j, k]
    B[j, i, k] = A[k, i, j] + X[i, j, k]
    C[i, k] = sum[j] B[j, i, k]
    """,
    {"X": normal(5, 14, 8)},
    "A:f32 B:f32 C:f32",
    exact={"A", "B"},
)
def transposes(X):
    B = (2 * X).transpose(1, 0, 2)
    return {"A": X.transpose(2, 0, 1), "B": B, "C": 2 * X.sum(1)}


@program(
    """
    input X : f32[20, 20]
    Y[i, j] = X[i, j] + X[j, i]
    Z[i, j] = sum[k] Y[i, k] * X[k, j] + Y[k, i]
    W[i] = sum[j] X[i, j] * X[j, i] * Y[i, j]
    """,
    {"X": normal(20, 20)},
    "Y:f32 Z:f32 W:f32",
)
def shared_input(X):
    Y = X + X.T
    return {"Y": Y, "Z": Y @ X + Y.sum(0)[:, None], "W": (X * X.T * Y).sum(1)}


@program(
    """
    input X : f32[1, 13, 1]
    input Y : f32[13, 1]
    A[a, b, c] = X[a, b, c] * Y[b, c]
    B[b] = sum[a, c] A[a, b, c]
    C[a, c] = max[b] A[a, b, c]
    """,
    {"X": normal(1, 13, 1), "Y": normal(13, 1)},
    "B:f32 C:f32",
)
def extents_of_one(X, Y):
    products = X[0, :, 0] * Y[:, 0]
    return {"B": products, "C": products.max().reshape(1, 1)}


@program(
    """
    input X : i64[2, 3, 2, 5, 2, 3]
    S[c, a, e] = sum[b, d, f] X[a, b, c, d, e, f]
    M[f, b] = max[a, c, d, e] X[a, b, c, d, e, f]
    """,
    {"X": integers(-(10**12), 10**12, 2, 3, 2, 5, 2, 3, type="i64")},
    "S:i64 M:i64",
)
def six_labels(X):
    return {"S": X.sum((1, 3, 5)).transpose(1, 0, 2), "M": X.max((0, 2, 3, 4)).T}


@program(
    """
    input X : f32[34]
    A[i] = X[i] + 1.0
    B[i] = A[i] * 2.0
    C[i] = A[i] - B[i]
    D[i] = C[i] * B[i] + A[i] * X[i]
    Unused[i] = exp(D[i])
    """,
    {"X": normal(34)},
    "A:f32 D:f32",
)
def diamond_with_unused(X):
    A = X + 1
    return {"A": A, "D": (A - 2 * A) * 2 * A + A * X}
