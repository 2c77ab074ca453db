"""Subscripts that divide and wrap around: rolls, reshapes, tiles, repeats."""

import numpy as np

from .registry import integers, normal, program


@program(
    """
    param n = 23
    param m = 14
    input U : f32[n, m]
    N[i:n, j:m] = U[(i + 1) % n, j] + U[(i - 1) % n, j]
    W[i:n, j:m] = U[i, (j + 1) % m] + U[i, (j - 1) % m]
    L[i, j] = N[i, j] + W[i, j] - 4 * U[i, j]
    V[i, j] = U[i, j] + 0.125 * L[i, j]
    """,
    {"U": integers(-64, 64, 23, 14, type="f32")},
    "V:f32",
    exact={"V"},
)
def periodic_heat(U):
    around = sum(np.roll(U, shift, axis) for shift in (1, -1) for axis in (0, 1))
    return U + 0.125 * (around - 4 * U)


@program(
    """
    param n = 19
    param m = 11
    input X : f32[n, m]
    input K : f32[3, 5]
    C[i:n, j:m] = sum[r, q] X[(i + r - 1) % n, (j - q + 2) % m] * K[r, q]
    D[i:n, j:m] = max[r:4] X[(n - 1 - i - r) % n, j]
    T[i:30, j:25] = X[(i - 4) % n, j // 2 % m] - X[i % n, (12 - j) % m]
    """,
    {"X": integers(-9, 9, 19, 11, type="f32"), "K": integers(-9, 9, 3, 5, type="f32")},
    "C:f32 D:f32 T:f32",
    exact={"C", "D", "T"},
)
def periodic_windows(X, K):
    i, j = np.arange(30)[:, None], np.arange(25)
    return {
        "C": sum(
            K[r, q] * np.roll(X, (1 - r, q - 2), (0, 1)) for r in range(3) for q in range(5)
        ),
        "D": np.max([np.roll(X, r, 0)[::-1] for r in range(4)], axis=0),
        "T": X[(i - 4) % 19, j // 2 % 11] - X[i % 19, (12 - j) % 11],
    }


@program(
    """
    input X : f32[6, 14, 10]
    input M : f32[140, 9]
    input N : i32[77]
    F[b, f:140] = X[b, f // 10, f % 10]
    A[a:840] = X[a // 140, a // 10 % 14, a % 10]
    P[b, o] = sum[f] X[b, f // 10, f % 10] * M[f, o]
    S[a:7, b:11] = max[r:2] N[(11*a + b + r) % 77]
    G[r:3, b:11, c:7] = N[77 - 1 - (7*b + c) // 1] * (r' + 1)
    """,
    {
        "X": integers(-9, 9, 6, 14, 10, type="f32"),
        "M": integers(-9, 9, 140, 9, type="f32"),
        "N": integers(-99, 99, 77),
    },
    "F:f32 A:f32 P:f32 S:i32 G:i32",
    exact={"F", "A", "P"},
)
def reshapes(X, M, N):
    rows = X.reshape(6, 140)
    return {
        "F": rows,
        "A": X.reshape(-1),
        "P": rows @ M,
        "S": np.maximum(N, np.roll(N, -1)).reshape(7, 11),
        "G": np.tile(4 * N[::-1].reshape(1, 11, 7), (3, 1, 1)),
    }


@program(
    """
    input X : f32[7, 5]
    input W : f32[3, 3]
    R[i:21, j:15] = X[i // 3, j // 3]
    U[i:14, j:5] = sum[r, q] pad(X, 0)[(i + r - 1) // 2, j + q - 1] * W[r, q]
    T[i:30, j:11] = X[i % 7, j % 5]
    I[i:14, j] = select([i % 2 == 0], X[i // 2, j], X[6 - i // 2, 4 - j])
    O[i:20, j] = pad(X, -1)[i // 2 - 1, j]
    D[i] = X[i, (2*i + 1) % 5]
    """,
    {"X": integers(-9, 9, 7, 5, type="f32"), "W": integers(-9, 9, 3, 3, type="f32")},
    "R:f32 U:f32 T:f32 I:f32 O:f32 D:f32",
    exact={"R", "U", "T", "I", "O", "D"},
)
def repeats(X, W):
    wide = np.pad(X, ((1, 3), (1, 1)))
    i, j = np.arange(14), np.arange(5)
    flipped = np.where(i[:, None] % 2 == 0, X[i // 2], X[6 - i // 2, ::-1])
    return {
        "R": X.repeat(3, 0).repeat(3, 1),
        "U": sum(
            W[r, q] * wide[(i + r - 1) // 2 + 1][:, q : q + 5] for r in range(3) for q in range(3)
        ),
        "T": np.tile(X, (5, 3))[:30, :11],
        "I": flipped,
        "O": np.pad(X, ((1, 3), (0, 0)), constant_values=-1)[np.arange(20) // 2],
        "D": X[np.arange(7), (2 * np.arange(7) + 1) % 5],
    }
