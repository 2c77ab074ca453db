"""Contractions: the paper's chains, batches, several operands."""

import numpy as np

from .registry import normal, program

CHAIN = """
    AB[i, k] = sum[j] A[i, j] * B[j, k]
    DE[i, k] = sum[j] D[i, j] * E[j, k]
    CDE[i, k] = sum[j] C[i, j] * DE[j, k]
    Z[i, k] = AB[i, k] + CDE[i, k]
"""


@program(
    """
    param n = 4096
    input A : f32[n, n]
    input B : f32[n, n]
    input C : f32[n, n]
    input D : f32[n, n]
    input E : f32[n, n]
    """
    + CHAIN,
    {name: normal(40, 40) for name in "ABCDE"},
    "Z:f32",
    params={"n": 40},
)
def chain_square(A, B, C, D, E):
    return A @ B + C @ (D @ E)


@program(
    """
    param s = 1000
    input A : f32[s, s / 10]
    input B : f32[s / 10, s]
    input C : f32[s, s / 10]
    input D : f32[s / 10, 10 * s]
    input E : f32[10 * s, s]
    """
    + CHAIN,
    {
        "A": normal(50, 5),
        "B": normal(5, 50),
        "C": normal(50, 5),
        "D": normal(5, 500),
        "E": normal(500, 50),
    },
    "Z:f32",
    params={"s": 50},
)
def chain_skewed(A, B, C, D, E):
    return A @ B + C @ (D @ E)


@program(
    """
    input A : f32[97, 53]
    input B : f32[53, 61]
    input C : f32[97, 29]
    input D : f32[29, 31]
    input E : f32[31, 61]
    """
    + CHAIN,
    {
        "A": normal(97, 53),
        "B": normal(53, 61),
        "C": normal(97, 29),
        "D": normal(29, 31),
        "E": normal(31, 61),
    },
    "Z:f32",
)
def chain_uneven(A, B, C, D, E):
    return A @ B + C @ (D @ E)


@program(
    """
    input A : f64[19, 23]
    input B : f64[23, 17]
    C[i, k] = sum[j] A[i, j] * B[j, k]
    G[k, l] = sum[i] C[i, k] * C[i, l]
    """,
    {"A": normal(19, 23, type="f64"), "B": normal(23, 17, type="f64")},
    "C:f64 G:f64",
)
def matmul_f64(A, B):
    C = A @ B
    return {"C": C, "G": C.T @ C}


@program(
    """
    input X : f32[10, 25, 20]
    input Y : f32[25, 20, 37]
    Z[i, k] = sum[b, j] X[i, j, b] * Y[j, b, k]
    """,
    {"X": normal(10, 25, 20), "Y": normal(25, 20, 37)},
    "Z:f32",
)
def contraction_transposed(X, Y):
    return X.reshape(10, 500) @ Y.reshape(500, 37)


@program(
    """
    input X : f32[11, 13, 6]
    input Y : f32[13, 6, 9]
    Z[b, k, i] = sum[j] X[i, j, b] * Y[j, b, k]
    """,
    {"X": normal(11, 13, 6), "Y": normal(13, 6, 9)},
    "Z:f32",
)
def batched_transposed(X, Y):
    product = np.matmul(X.transpose(2, 0, 1), Y.transpose(1, 0, 2))
    return product.transpose(0, 2, 1)


@program(
    """
    input A : f32[7, 11]
    input B : f32[11, 5]
    input C : f32[5, 13]
    Z[i, l] = sum[j, k] A[i, j] * B[j, k] * C[k, l]
    """,
    {"A": normal(7, 11), "B": normal(11, 5), "C": normal(5, 13)},
    "Z:f32",
)
def three_operands(A, B, C):
    return A @ B @ C


@program(
    """
    input T : f32[9, 14, 10]
    input B : f32[14, 6]
    input C : f32[10, 6]
    M[i, r] = sum[j, k] T[i, j, k] * B[j, r] * C[k, r]
    """,
    {"T": normal(9, 14, 10), "B": normal(14, 6), "C": normal(10, 6)},
    "M:f32",
)
def tensor_times_factors(T, B, C):
    khatri_rao = (B[:, None, :] * C[None, :, :]).reshape(140, 6)
    return T.reshape(9, 140) @ khatri_rao


@program(
    """
    input A : f32[3, 2]
    input B : f32[2, 5]
    C[i, k] = sum[j] A[i, j] * B[j, k]
    D[i] = sum[k] C[i, k] * C[i, k]
    """,
    {"A": normal(3, 2), "B": normal(2, 5)},
    "C:f32 D:f32",
)
def fewer_cells_than_devices(A, B):
    C = A @ B
    return {"C": C, "D": (C * C).sum(1)}


@program(
    """
    input A : f32[1, 1]
    input B : f32[1, 1]
    C[i, k] = sum[j] A[i, j] * B[j, k]
    """,
    {"A": normal(1, 1), "B": normal(1, 1)},
    "C:f32",
)
def single_cell(A, B):
    return A * B


@program(
    """
    input A : f32[257]
    input B : f32[257]
    S = sum[i] A[i] * B[i]
    N = sum[i] A[i] ** 2
    P[i] = A[i] - S / N * B[i]
    """,
    {"A": normal(257), "B": normal(257)},
    "S:f32 P:f32",
)
def dot_then_project(A, B):
    s = float(A @ B)
    return {"S": np.asarray(s), "P": A - s / float(A @ A) * B}


@program(
    """
    input A : f32[21, 21]
    input x : f32[21]
    y[i] = sum[j] A[i, j] * x[j]
    z[i] = sum[j] A[j, i] * y[j]
    q = sum[i, j] x[i] * A[i, j] * x[j]
    """,
    {"A": normal(21, 21), "x": normal(21)},
    "z:f32 q:f32",
)
def matrix_and_its_transpose(A, x):
    return {"z": A.T @ (A @ x), "q": np.asarray(x @ A @ x)}


@program(
    """
    input A : f32[19, 23]
    input B : f32[3, 23, 11]
    input v : f32[23]
    input u : f32[19]
    Av = A @ v
    uA = u @ A
    vB = v @ B
    s = 2 * (u @ A @ v) + 1
    Z = (v @ v) * A + u @ u
    n = v / sqrt(v @ v)
    """,
    {"A": normal(19, 23), "B": normal(3, 23, 11), "v": normal(23), "u": normal(19)},
    "Av:f32 uA:f32 vB:f32 s:f32 Z:f32 n:f32",
)
def vectors(A, B, v, u):
    return {
        "Av": A @ v, "uA": u @ A, "vB": v @ B, "s": 2 * (u @ A @ v) + 1,
        "Z": (v @ v) * A + u @ u, "n": v / np.sqrt(v @ v),
    }  # fmt: skip
