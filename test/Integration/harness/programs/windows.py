"""Affine subscripts: strides, dilation, padding, shifts, reversal, slices."""

import numpy as np

from .registry import booleans, integers, normal, program


def correlate(x, w, stride=1, dilation=1, padding=0):
    """x[batch, channel, y, x], w[out, channel, r, q], by explicit loops."""
    x = np.pad(x, ((0, 0), (0, 0), (padding, padding), (padding, padding)))
    rows = (x.shape[2] - dilation * (w.shape[2] - 1) - 1) // stride + 1
    columns = (x.shape[3] - dilation * (w.shape[3] - 1) - 1) // stride + 1
    out = np.zeros((x.shape[0], w.shape[0], rows, columns))
    for row in range(rows):
        for column in range(columns):
            patch = x[
                :,
                :,
                row * stride : row * stride + dilation * w.shape[2] : dilation,
                column * stride : column * stride + dilation * w.shape[3] : dilation,
            ][:, :, : w.shape[2], : w.shape[3]]
            out[:, :, row, column] = np.tensordot(patch, w, ((1, 2, 3), (1, 2, 3)))
    return out


IMAGE = {"X": normal(3, 4, 15, 13), "W": normal(5, 4, 3, 3)}
DECLARE_IMAGE = "input X : f32[3, 4, 15, 13]\ninput W : f32[5, 4, 3, 3]\n"


@program(
    DECLARE_IMAGE + "Z[b, o, y, x] = sum[c, r, q] X[b, c, y + r, x + q] * W[o, c, r, q]",
    IMAGE,
    "Z:f32",
)
def convolution(X, W):
    return correlate(X, W)


@program(
    DECLARE_IMAGE + "Z[b, o, y, x] = sum[c, r, q] X[b, c, 2*y + r, 2*x + q] * W[o, c, r, q]",
    IMAGE,
    "Z:f32",
)
def convolution_stride(X, W):
    return correlate(X, W, stride=2)


@program(
    DECLARE_IMAGE + "Z[b, o, y, x] = sum[c, r, q] X[b, c, y + 2*r, x + 3*q] * W[o, c, r, q]",
    IMAGE,
    "Z:f32",
)
def convolution_dilation(X, W):
    spread = np.zeros((5, 4, 5, 7))
    spread[:, :, ::2, ::3] = W
    return correlate(X, spread)


@program(
    DECLARE_IMAGE
    + """
    Z[b, o, y:15, x:13] = sum[c, r, q] pad(X, 0.0)[b, c, y + r - 1, x + q - 1] * W[o, c, r, q]
    """,
    IMAGE,
    "Z:f32",
)
def convolution_padding(X, W):
    return correlate(X, W, padding=1)


@program(
    DECLARE_IMAGE
    + """
    Z[b, o, y:7, x:6] = sum[c, r, q] pad(X, 0.0)[b, c, 2*y + 2*r - 2, 2*x + 2*q - 2] * W[o, c, r, q]
    R[b, o, y, x] = max(Z[b, o, y, x], 0.0)
    """,
    IMAGE,
    "R:f32",
)
def convolution_everything(X, W):
    return np.maximum(correlate(X, W, stride=2, dilation=2, padding=2)[:, :, :7, :6], 0)


@program(
    """
    input X : f32[2, 16, 18]
    input W : f32[7, 3, 3]
    input V : f32[4, 7, 2, 2]
    A[b, o, y, x] = sum[r, q] X[b, y + r, x + q] * W[o, r, q]
    B[b, o, y, x] = max(A[b, o, y, x], 0.0)
    P[b, o, y:7, x:8] = max[r:2, q:2] B[b, o, 2*y + r, 2*x + q]
    Z[b, p, y, x] = sum[o, r, q] P[b, o, y + r, x + q] * V[p, o, r, q]
    """,
    {"X": normal(2, 16, 18), "W": normal(7, 3, 3), "V": normal(4, 7, 2, 2)},
    "P:f32 Z:f32",
)
def convolution_network(X, W, V):
    a = np.maximum(correlate(X[:, None], W[:, None]), 0)
    p = a.reshape(2, 7, 7, 2, 8, 2).max((3, 5))
    return {"P": p, "Z": correlate(p, V)}


@program(
    """
    input X : f32[2, 37]
    input W : f32[5]
    Z[b, x] = sum[r] X[b, x + r] * W[r]
    S[b, x:8] = sum[r] X[b, 4*x + r + 1] * W[r]
    """,
    {"X": normal(2, 37), "W": normal(5)},
    "Z:f32 S:f32",
)
def convolution_line(X, W):
    Z = np.stack([np.correlate(row, W, "valid") for row in X])
    return {"Z": Z, "S": Z[:, 1::4][:, :8]}


@program(
    """
    input X : f32[45]
    D[i:44] = X[i + 1] - pad(X, 0.0)[i]
    S[i:43] = X[i + 2] - 2.0 * X[i + 1] + pad(X, 0.0)[i]
    M[i:45] = (pad(X, 0.0)[i - 1] + X[i] + pad(X, 0.0)[i + 1]) / 3.0
    """,
    {"X": normal(45)},
    "D:f32 S:f32 M:f32",
)
def differences(X):
    return {
        "D": np.diff(X),
        "S": np.diff(X, 2),
        "M": np.convolve(X, np.ones(3), "same") / 3,
    }


@program(
    """
    input U : f32[17, 14]
    L[y:17, x:14] = pad(U, 0.0)[y - 1, x] + pad(U, 0.0)[y + 1, x] + pad(U, 0.0)[y, x - 1] + pad(U, 0.0)[y, x + 1] - 4.0 * U[y, x]
    V[y, x] = U[y, x] + 0.1 * L[y, x]
    K[y:17, x:14] = pad(V, 0.0)[y - 1, x] + pad(V, 0.0)[y + 1, x] - 2.0 * V[y, x]
    """,
    {"U": normal(17, 14)},
    "V:f32 K:f32",
)
def heat_steps(U):
    p = np.pad(U, 1)
    V = U + 0.1 * (p[:-2, 1:-1] + p[2:, 1:-1] + p[1:-1, :-2] + p[1:-1, 2:] - 4 * U)
    q = np.pad(V, ((1, 1), (0, 0)))
    return {"V": V, "K": q[:-2] + q[2:] - 2 * V}


@program(
    """
    input X : f32[13]
    input F : f32[3]
    Y[i:7, j:4] = X[12 - i - j]
    Z[y:13] = sum[r] pad(X, 0.5)[13 - y - r] * F[r]
    """,
    {"X": normal(13), "F": normal(3)},
    "Y:f32 Z:f32",
    exact={"Y"},
)
def two_reversals(X, F):
    i, j = np.ogrid[:7, :4]
    padded = np.concatenate([np.full(2, 0.5), X, np.full(1, 0.5)])
    y, r = np.ogrid[:13, :3]
    return {"Y": X[12 - i - j], "Z": padded[13 - y - r + 2] @ F}


@program(
    """
    input X : f32[16]
    Y[i] = sum[r:3] X[i + r]
    """,
    {"X": normal(16)},
    "X:f32 Y:f32",
    exact={"X"},
)
def input_handed_out(X):
    return {"X": X, "Y": X[:-2] + X[1:-1] + X[2:]}


@program(
    """
    input X : f32[12, 22]
    R[i, j] = X[11 - i, 21 - j]
    E[i:6, j] = X[2*i + 1, j]
    F[j] = X[3, j]
    G[i, j:5] = X[i, j + 4]
    H[i:5] = X[2*i, 3*i + 1]
    """,
    {"X": normal(12, 22)},
    "R:f32 E:f32 F:f32 G:f32 H:f32",
    exact={"R", "E", "F", "G", "H"},
)
def reversal_and_slices(X):
    return {
        "R": X[::-1, ::-1],
        "E": X[1::2],
        "F": X[3],
        "G": X[:, 4:9],
        "H": X[np.arange(5) * 2, np.arange(5) * 3 + 1],
    }


@program(
    """
    input A : i32[21]
    input B : i32[9]
    C[k:29] = sum[j] pad(A, 0)[k - j] * B[j]
    P[i:10, j:12] = A[i + j]
    Q[i:10] = max[j:3] A[2*i + j - 0]
    """,
    {"A": integers(-50, 50, 21), "B": integers(-50, 50, 9)},
    "C:i32 P:i32 Q:i32",
)
def integer_windows(A, B):
    return {
        "C": np.convolve(A, B),
        "P": A[np.add.outer(np.arange(10), np.arange(12))],
        "Q": np.stack([A[2 * i : 2 * i + 3].max() for i in range(10)]),
    }


@program(
    """
    input G : bool[14, 16]
    N[y:14, x:16] = sum[r:3, q:3] i32(pad(G, false)[y + r - 1, x + q - 1]) * i32([r != 1] || [q != 1])
    H[y, x] = N[y, x] == 3 || G[y, x] && N[y, x] == 2
    """,
    {"G": booleans(14, 16, chance=0.35)},
    "N:i32 H:bool",
)
def game_of_life(G):
    p = np.pad(G.astype(int), 1)
    N = sum(
        p[r : r + 14, q : q + 16] for r in range(3) for q in range(3) if (r, q) != (1, 1)
    )
    return {"N": N, "H": (N == 3) | (G & (N == 2))}
