"""Statements of more than one vertex: reductions inside expressions, parts of tensors."""

import numpy as np
from scipy import special

from .registry import booleans, integers, normal, program, uniform


@program(
    """
    input X : f32[13, 7]
    input W : f32[7]
    A[n, c] = X[n, c] / sum[k](abs(X[n, k]))
    L[n] = (max[k](X[n, k])) + log(sum[k](exp(X[n, k] - max[j](X[n, j]))))
    V[n] = sum[k] (X[n, k] - sum[j](X[n, j]) / k') ** 2 / k'
    D[i, j] = (sum[k](X[i, k] * W[k])) - sum[q](X[j, q] * W[q])
    E[c] = sum[n] X[n, c] * [c <= n] / (1 + sum[k, m](X[n, k] ** 2 * W[m] ** 2))
    """,
    {"X": normal(13, 7), "W": normal(7)},
    "A:f32 L:f32 V:f32 D:f32 E:f32",
)
def inner_reductions(X, W):
    share = X / np.abs(X).sum(1, keepdims=True)
    weighted = X @ W
    size = 1 + (X**2).sum(1) * (W**2).sum()
    below = np.arange(7)[None] <= np.arange(13)[:, None]
    return {
        "A": share,
        "L": special.logsumexp(X, axis=1),
        "V": X.var(1),
        "D": weighted[:, None] - weighted[None],
        "E": (X * below / size[:, None]).sum(0),
    }


@program(
    """
    input X : i32[11, 5]
    input B : bool[11, 5]
    A[i] = (prod[k](X[i, k])) - min[k](X[i, k]) * max[k](X[i, k])
    N[i] = sum[k] (X[i, k] > 0)
    C = i32(sum[i, k](B[i, k])) + sum[i](select(any[k](B[i, k]), 1, 0) + X[i, 0])
    E[i] = (all[k](B[i, k])) || xor[k](B[i, k])
    P[i, j] = select(X[i, j] == max[k](X[i, k]), sum[k](xor[q](X[k, q]) * X[k, j]), X[i, j])
    """,
    {"X": integers(-5, 5, 11, 5), "B": booleans(11, 5, chance=0.7)},
    "A:i32 N:i64 C:i32 E:bool P:i32",
)
def inner_monoids(X, B):
    mixed = np.bitwise_xor.reduce(X, axis=1)
    return {
        "A": X.prod(1) - X.min(1) * X.max(1),
        "N": (X > 0).sum(1),
        "C": B.sum() + (B.any(1) + X[:, 0]).sum(),
        "E": B.all(1) | np.logical_xor.reduce(B, axis=1),
        "P": np.where(X == X.max(1, keepdims=True), (mixed[:, None] * X).sum(0), X),
    }


@program(
    """
    input X : f16[3, 700]
    input Y : bf16[3, 700]
    A[n, c] = 700 * X[n, c] / sum[k](X[n, k])
    B[n, c] = 700 * Y[n, c] / sum[k](Y[n, k])
    C[n] = f16(sum[k](X[n, k])) * 2
    """,
    {"X": uniform(200, 300, 3, 700, type="f16"), "Y": uniform(1, 2, 3, 700, type="bf16")},
    "A:f16 B:bf16 C:f16",
)
def inner_sums_are_wide(X, Y):
    # The sums of X leave the range of f16, so that C does.
    return {
        "A": 700 * X / X.sum(1, keepdims=True),
        "B": 700 * Y / Y.sum(1, keepdims=True),
        "C": np.full(3, np.inf),
    }


@program(
    """
    input X : f32[11, 13]
    input H : f16[3, 700]
    input B : bf16[7, 5]
    M[n] = mean[c] X[n, c]
    N = mean[n, c] X[n, c] * X[n, 0]
    V[n] = mean[c] (X[n, c] - mean[k](X[n, k])) ** 2
    L[n] = logsumexp[c] 100 * X[n, c]
    K[c, n] = X[n, c] - logsumexp[k](X[n, k])
    W[i, j] = H[i, j] - mean[k](H[i, k])
    Q[i] = logsumexp[j] B[i, j]
    I[i:3] = logsumexp[j] select([i == 0], inf, select([i == 1 || j == 0], -inf, X[i, j]))
    """,
    {
        "X": normal(11, 13),
        "H": uniform(200, 300, 3, 700, type="f16"),
        "B": normal(7, 5, type="bf16"),
    },
    "M:f32 N:f32 V:f32 L:f32 K:f32 W:f16 Q:bf16 I:f32",
)
def means(X, H, B):
    return {
        "M": X.mean(1),
        "N": (X * X[:, :1]).mean(),
        "V": X.var(1),
        "L": special.logsumexp(100 * X, axis=1),
        "K": special.log_softmax(X, axis=1).T,
        "W": H - H.mean(1, keepdims=True),
        "Q": special.logsumexp(B, axis=1),
        "I": [np.inf, -np.inf, special.logsumexp(X[2, 1:])],
    }


@program(
    """
    input X : f32[23]
    input W : f32[4]
    input S : f32[9, 10]
    Y[y] = (sum[r](X[y + r] * W[r])) / sum[r](abs(W[r])) - max[q:3](X[2*q + 4])
    Z[i:11] = X[2*i] + max[r:3](pad(X, -1)[2*i + r - 2]) * min[r:2](X[i + r])
    P[i, j] = softmax[j] S[i, j] - sum[k](S[i, k] * pad(S, 0)[j, k])
    def centred(T[a, b], f) -> R[a, b] {
      D[a, b] = T[a, b] - sum[c](T[a, c]) / b'
      R[a, b] = D[a, b] * f / max[b1](abs(D[a, b1]))
    }
    N[k, c] = centred(S, 0.5)
    M[c, k] = centred(N, 3)
    """,
    {"X": normal(23), "W": normal(4), "S": normal(9, 10)},
    "Y:f32 Z:f32 P:f32 M:f32",
)
def inner_reductions_of_windows(X, W, S):
    smooth = np.correlate(X, W) / np.abs(W).sum() - X[4:10:2].max()
    padded = np.concatenate([[-1, -1], X, [-1]])
    upper = np.stack([padded[2 * i : 2 * i + 3].max() for i in range(11)])
    lower = np.minimum(X[:11], X[1:12])
    rows = (S[:, None] * S[None]).sum(2)
    logits = S - np.pad(rows, ((0, 0), (0, 1)))[:, :10]

    def centred(values, factor):
        moved = values - values.mean(1, keepdims=True)
        return moved * factor / np.abs(moved).max(1, keepdims=True)

    return {
        "Y": smooth,
        "Z": X[:21:2] + upper * lower,
        "P": special.softmax(logits, axis=1),
        "M": centred(centred(S, 0.5), 3),
    }


@program(
    """
    input X : f32[11, 7]
    input U : f32[13, 12]
    input V : i32[17]
    param n = 11
    A[i:5, j] = X[i, j]
    B[i, j:1] = X[i, j] * 2
    D[i:n - 1, j] = X[i + 1, j] - X[i, j]
    L[y:11, x:10] = U[y, x + 1] + U[y + 2, x + 1] + U[y + 1, x] + U[y + 1, x + 2] - 4 * U[y + 1, x + 1]
    S = sum[i:n - 1] abs(X[i + 1, 0] - X[i, 0])
    C[i:7] = V[i] + V[2*i + 4]
    E[i:3, k] = sum[j:4] X[i, j] * X[k, j]
    R[i] = X[i, 0] / sum[k:2](X[k, 1])
    """,
    {"X": normal(11, 7), "U": normal(13, 12), "V": integers(-9, 9, 17)},
    "A:f32 B:f32 D:f32 L:f32 S:f32 C:i32 E:f32 R:f32",
)
def parts_of_tensors(X, U, V):
    return {
        "A": X[:5],
        "B": X[:, :1] * 2,
        "D": np.diff(X, axis=0),
        "L": U[:-2, 1:-1] + U[2:, 1:-1] + U[1:-1, :-2] + U[1:-1, 2:] - 4 * U[1:-1, 1:-1],
        "S": np.abs(np.diff(X[:, 0])).sum(),
        "C": V[:7] + V[4::2],
        "E": X[:3, :4] @ X[:, :4].T,
        "R": X[:, 0] / X[:2, 1].sum(),
    }


@program(
    """
    param n = 3
    param lr = 0.1
    param momentum = 1 - lr
    input U : f32[17, 19]
    input G : f64[11]
    K : f32[n, 3] = [[0, 1, 0], [1, -4, 1], [0, 1, 0]]
    H : bf16[5] = [1 / 3, -lr, inf, 0, -0.0]
    B : bool[2, 3] = [[true, false, false], [true, true, false]]
    R : i32[2, 3, 2] = [[[1, 2], [3, 4], [5, 6]], [[7, 7], [7, 7], [7, -n]]]
    L[y:15, x:17] = sum[r, q] K[r, q] * U[y + r, x + q]
    M[i] = G[i] * momentum - lr / n
    S[a] = sum[b, c] R[a, b, c] * i32(B[a, b])
    Z : c128[5] = [1, -2, 0.5, inf, 4]
    W : u16[3] = [65535, 0, 7]
    V = f64(W) * re(Z[:3])
    repeat t:3 (T = V) {
      Step : f64[3] = [1, 2, 3]
      next T = T + Step
    }
    """,
    {"U": normal(17, 19), "G": normal(11, type="f64")},
    "L:f32 M:f64 S:i32 H:bf16 R:i32 B:bool V:f64 W:u16 T:f64",
    params={"lr": "0.25"},
)
def constants(U, G):
    stencil = np.array([[0, 1, 0], [1, -4, 1], [0, 1, 0]])
    windows = np.lib.stride_tricks.sliding_window_view(U, (3, 3))
    rows = np.array([[[1, 2], [3, 4], [5, 6]], [[7, 7], [7, 7], [7, -3]]])
    mask = np.array([[True, False, False], [True, True, False]])
    return {
        "L": (windows * stencil).sum((2, 3)),
        "M": G * 0.75 - 0.25 / 3,
        "S": (rows * mask[:, :, None]).sum((1, 2)),
        "H": [1 / 3, -0.25, np.inf, 0, -0.0],
        "R": rows,
        "B": mask,
        "V": [65535, 0, 3.5],
        "W": [65535, 0, 7],
        "T": [65538, 6, 12.5],
    }


@program(
    """
    input X : f32[11, 7]
    input Y : f32[11, 7]
    input W : f32[7, 5]
    input V : f32[5, 6]
    input T : f32[3, 11, 7]
    input U : f32[3, 7, 4]
    input I : i32[6, 6]
    input s : f32
    Z = X + 2 * Y * s
    C = X @ W
    D @ {0: 1} = exp(X @ W / 4) @ V + 1
    E = T @ U
    F = select(X > Y, X, 0) / max[i, j](X[i, j])
    G = (X @ W) @ V - (X @ W) @ V / 3
    J = I @ I @ I
    M = X * 2 @ W
    """,
    {
        "X": normal(11, 7),
        "Y": normal(11, 7),
        "W": normal(7, 5),
        "V": normal(5, 6),
        "T": normal(3, 11, 7),
        "U": normal(3, 7, 4),
        "I": integers(-5, 5, 6, 6),
        "s": normal(),
    },
    "Z:f32 C:f32 D:f32 E:f32 F:f32 G:f32 J:i32 M:f32",
)
def whole_tensors(X, Y, W, V, T, U, I, s):
    return {
        "Z": X + 2 * Y * s,
        "C": X @ W,
        "D": np.exp(X @ W / 4) @ V + 1,
        "E": T @ U,
        "F": np.where(X > Y, X, 0) / X.max(),
        "G": X @ W @ V * 2 / 3,
        "J": I @ I @ I,
        "M": X * 2 @ W,
    }
