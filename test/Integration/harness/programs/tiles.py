"""Extents beyond a tile, a vector and a cache line, none of them a multiple."""

import numpy as np

from .registry import integers, normal, program
from .windows import correlate


@program(
    """
    input A : f32[259, 517]
    input B : f32[517, 301]
    C[i, k] = sum[j] A[i, j] * B[j, k]
    """,
    {"A": normal(259, 517), "B": normal(517, 301)},
    "C:f32",
)
def tiled_matmul(A, B):
    return A @ B


@program(
    """
    input A : f32[131, 67]
    input B : f32[131, 67]
    AtB[i, k] = sum[j] A[j, i] * B[j, k]
    ABt[i, k] = sum[j] A[i, j] * B[k, j]
    Ct[k, i] = sum[j] A[i, j] * B[k, j]
    """,
    {"A": normal(131, 67), "B": normal(131, 67)},
    "AtB:f32 ABt:f32 Ct:f32",
)
def tiled_transposes(A, B):
    return {"AtB": A.T @ B, "ABt": A @ B.T, "Ct": B @ A.T}


@program(
    """
    input A : f64[5, 70, 45]
    input B : f64[5, 45, 83]
    C[b, i, k] = sum[j] A[b, i, j] * B[b, j, k]
    D[i, k] = sum[b] C[b, i, k]
    """,
    {"A": normal(5, 70, 45, type="f64"), "B": normal(5, 45, 83, type="f64")},
    "C:f64 D:f64",
)
def tiled_batches(A, B):
    return {"C": A @ B, "D": (A @ B).sum(0)}


@program(
    """
    input X : f32[30011]
    input Y : i64[30011]
    S = sum[i] X[i]
    Q = sum[i] X[i] * X[i]
    M = max[i] X[i]
    T = sum[i] Y[i]
    U = xor[i] Y[i]
    Z[i] = (X[i] - S / 30011.0) * rsqrt(Q)
    """,
    {"X": normal(30011), "Y": integers(-(2**40), 2**40, 30011, type="i64")},
    "S:f32 Q:f32 M:f32 T:i64 U:i64 Z:f32",
    exact={"M"},
    # The sum of 30,000 normal numbers is small against what it is made of.
    tolerance={"S": 1e-3},
)
def long_vectors(X, Y):
    S, Q = X.sum(), (X * X).sum()
    return {
        "S": S,
        "Q": Q,
        "M": X.max(),
        "T": Y.sum(),
        "U": np.bitwise_xor.reduce(Y),
        "Z": (X - S / 30011) / np.sqrt(Q),
    }


@program(
    """
    input X : f32[3, 1009]
    Y[i, j] = softmax[j] X[i, j]
    N[i, j] = layernorm[j](X[i, j], 0.00001)
    R[j] = max[i] X[i, j]
    """,
    {"X": normal(3, 1009)},
    "Y:f32 N:f32 R:f32",
    exact={"R"},
)
def long_rows(X):
    e = np.exp(X - X.max(1, keepdims=True))
    c = X - X.mean(1, keepdims=True)
    return {
        "Y": e / e.sum(1, keepdims=True),
        "N": c / np.sqrt((c**2).mean(1, keepdims=True) + 1e-5),
        "R": X.max(0),
    }


@program(
    """
    input X : f32[2, 19, 33, 31]
    input W : f32[23, 19, 3, 3]
    Z[b, o, y, x] = sum[c, r, q] X[b, c, y + r, x + q] * W[o, c, r, q]
    M[b, o] = max[y, x] Z[b, o, y, x]
    """,
    {"X": normal(2, 19, 33, 31), "W": normal(23, 19, 3, 3)},
    "Z:f32 M:f32",
)
def tiled_convolution(X, W):
    Z = correlate(X, W)
    return {"Z": Z, "M": Z.max((2, 3))}


@program(
    """
    input A : i8[140, 300]
    input B : i8[300, 77]
    C[i, k] = sum[j] i32(A[i, j]) * i32(B[j, k])
    D[i, k] = max[j] A[i, j] - B[j, k]
    """,
    {
        "A": integers(-60, 60, 140, 300, type="i8"),
        "B": integers(-60, 60, 300, 77, type="i8"),
    },
    "C:i32 D:i8",
)
def tiled_integers(A, B):
    return {
        "C": A.astype(np.int64) @ B.astype(np.int64),
        "D": (A[:, :, None] - B[None]).max(1),
    }
