"""Operators that are most of a program's memory, to be run in pieces."""

import numpy as np

from .registry import integers, normal, program


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
