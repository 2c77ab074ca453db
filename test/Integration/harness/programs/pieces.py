"""Operators that are most of a program's memory, to be run in pieces."""

import numpy as np

from .registry import complexes, integers, normal, program


@program(
    """
    input X : f32[601, 170]
    C[n, i] = cumsum[i] X[n, i]
    """,
    {"X": normal(601, 170)},
    "C:f32",
)
def scanned_in_pieces(X):
    return X.cumsum(1)


@program(
    """
    input X : f32[512, 400]
    E = exp(X)
    S[n, c] = cumsum[n] E[n, c]
    """,
    {"X": normal(512, 400)},
    "S:f32",
)
def scanned_down_in_pieces(X):
    return np.exp(X).cumsum(0)


@program(
    """
    input X : f32[401, 190]
    S[n, r] = sort[c] X[n, c]
    """,
    {"X": normal(401, 190)},
    "S:f32",
    exact=("S",),
)
def sorted_in_pieces(X):
    return np.sort(X, 1)


@program(
    """
    input Table : f32[907, 96]
    input Tok : i32[801]
    Y[n, a] = Table[Tok[n], a]
    """,
    {"Table": normal(907, 96), "Tok": integers(0, 906, 801)},
    "Y:f32",
    exact=("Y",),
)
def gathered_in_pieces(Table, Tok):
    return Table[Tok]


@program(
    """
    input X : f32[1201, 64]
    input A : i32[1201]
    S[A[n]:702, d] = sum[n] X[n, d]
    """,
    {"X": normal(1201, 64), "A": integers(0, 701, 1201)},
    "S:f32",
)
def scattered_in_pieces(X, A):
    S = np.zeros((702, 64))
    np.add.at(S, A, X)
    return S


@program(
    """
    input A : f32[5, 9]
    input K : f32[5, 4]
    input New : f32[3, 4]
    Y[i:9, j:9] = select([i < 5 && j < 4], pad(A, 0)[i, j], 0)
    Z[t, d] = select([d < 3], concat[0](K, New)[t, d], 0)
    S[i] = sum[d] select([d < 2], concat[0](K, New)[i, d], 0)
    R[j] = sum[i:9] select([j >= 4], 0, concat[0](A, A)[i, 8 - j])
    """,
    {"A": normal(5, 9), "K": normal(5, 4), "New": normal(3, 4)},
    "Y:f32 Z:f32 S:f32 R:f32",
    exact=("Y", "Z"),
)
def guarded_along_two_labels(A, K, New):
    """Of one dimension all is read, of another a part."""
    both = np.concatenate([K, New])
    Y, Z = np.zeros((9, 9)), np.zeros((8, 4))
    Y[:5, :4] = A[:, :4]
    Z[:, :3] = both[:, :3]
    R = np.where(np.arange(9) >= 4, 0, np.concatenate([A, A])[:9, ::-1].sum(0))
    return {"Y": Y, "Z": Z, "S": both[:, :2].sum(1), "R": R}


@program(
    """
    input X : c64[10, 3]
    input A : i32[11]
    input B : i32[11]
    V[i, j] = X[i, j] * X[i, j]
    Z = concat[0](V[4:, :], V[:4, :])
    Q[i] = A[i] / B[i]
    D = concat[0](Q[7:], Q[:7])
    """,
    {"X": complexes(10, 3), "A": integers(-50, 50, 11), "B": integers(1, 9, 11)},
    "Z:c64 D:i32",
    exact=("D",),
)
def turned(X, A, B):
    """Computed where it goes, of types whose 0 is no number that divides."""
    return {"Z": np.roll(X * X, -4, 0), "D": np.roll(np.trunc(A / B).astype(np.int64), -7)}


@program(
    """
    input X : f32[7]
    input Y : f32[5]
    input T : f32[5, 3]
    V[i] = exp(Y[i])
    W = concat[0](X, V)
    M = concat[1](T, -T)
    Z[i:6] = W[i] - W[i + 1]
    U[i:5] = W[i + 7] * Y[i]
    S[i] = sum[j:3] M[i, j]
    """,
    {"X": normal(7), "Y": normal(5), "T": normal(5, 3)},
    "Z:f32 S:f32",
)
def partly_read(X, Y, T):
    """What is joined and of which readers need some: U, and with it Y, is not
    observed."""
    return {"Z": X[:6] - X[1:], "S": T.sum(1)}
