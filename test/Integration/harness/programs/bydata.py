"""Tensors that are read at places which the data name."""

import numpy as np

from .registry import Input, booleans, complexes, integers, normal, program, uniform


@program(
    """
    input Table : f32[37, 12]
    input Tok : i32[3, 11]
    input W : f32[12, 5]
    E[b, s, a] = Table[Tok[b, s], a]
    H[b, s, c] = sum[a] Table[Tok[b, s], a] * W[a, c]
    Next[b, s, a] = pad(Table, -1)[Tok[b, s] + 1, a] - E[b, s, a]
    Part[a, b] = sum[s] Table[Tok[b, s], a]
    """,
    {"Table": normal(37, 12), "Tok": integers(0, 36, 3, 11), "W": normal(12, 5)},
    "E:f32 H:f32 Next:f32 Part:f32",
    exact=("E",),
)
def embedding(Table, Tok, W):
    rows = Table[Tok]
    below = np.concatenate([Table, np.full((1, 12), -1.0)])[Tok + 1]
    return {"E": rows, "H": rows @ W, "Next": below - rows, "Part": rows.sum(1).T}


@program(
    """
    input X : f32[13, 7]
    input T : i64[13]
    M[n] = max[c] X[n, c]
    L[n] = M[n] + log(sum[c](exp(X[n, c] - M[n]))) - X[n, T[n]]
    Loss = sum[n] L[n] / n'
    S[n, c] = softmax[c] X[T[n], c] * X[n, T[n]]
    """,
    {"X": normal(13, 7), "T": integers(0, 6, 13, type="i64")},
    "L:f32 Loss:f32 S:f32",
)
def cross_entropy(X, T):
    rows = np.arange(13)
    log_sum = np.log(np.exp(X).sum(1))
    scaled = X[T] * X[rows, T][:, None]
    power = np.exp(scaled - scaled.max(1, keepdims=True))
    loss = log_sum - X[rows, T]
    return {"L": loss, "Loss": loss.mean(), "S": power / power.sum(1, keepdims=True)}


@program(
    """
    param n = 12
    param tile = 4
    input W : c128[n]
    input X : c128[n]
    input L : f64[3, 2, 11]
    input A : u8[12, 8]
    F[k:n] = sum[i] X[i] * W[i64(i * k) % n]
    Tiled[y, x] = L[y // tile, x // tile, A[y, x]]
    Y[i:4, k:3] = L[(2 - k) % 3, i // 2, i32(i * k)]
    Z[i:4, k:3] = transpose(L)[(2 - k) % 3, i64(i * k), i // 2]
    S[i:8, k:8] = A[(i ^ 5) + [i > 9], min(k + 1, 7)] & 0x1F
    """,
    {
        "W": complexes(12, type="c128"),
        "X": complexes(12, type="c128"),
        "L": normal(3, 2, 11, type="f64"),
        "A": integers(0, 10, 12, 8, type="u8"),
    },
    "F:c128 Tiled:f64 Y:f64 Z:f64 S:u8",
    exact=("Tiled", "Y", "Z", "S"),
)
def computed_places(W, X, L, A):
    i, k, y, x = np.arange(4)[:, None], np.arange(3), np.arange(12)[:, None], np.arange(8)
    row = np.arange(12)
    return {
        "F": W[row[:, None] * row % 12] @ X,
        "Tiled": L[y // 4, x // 4, A.astype(int)],
        "Y": L[(2 - k) % 3, i // 2, i * k],
        "Z": L[(2 - k) % 3, i // 2, i * k],
        "S": A[np.arange(8)[:, None] ^ 5, np.minimum(x + 1, 7)] & 0x1F,
    }


@program(
    """
    input M : f32[5, 3]
    input N : f32[5, 3]
    input I : i32[2]
    input K : i32
    def rows(X[a, b], I[c]) -> Y[c, b] {
      Y = X[I, :]
    }
    A = flip[0](M)[I, :]
    B = M[3:, :][I, :]
    C = concat[0](2 * N, M)[I + 3, :]
    D = reshape[3, 5](M)[I, :]
    E = tile[3, 1](M)[I + 9, :]
    F = transpose(M)[I, 1:]
    G = rows(flip[0](M), I)
    H = flip[1](M)[:, K]
    J = stack[0](M, N)[K, :, 1:]
    L = M[::-1, :][I, ::2] + 1
    O[n, c:3] = edge(M)[I[n], c - 1]
    P[i, c:3] = edge(M[I, :])[i - 1, c] + M[I, ::-1][i, c]
    repeat t:5 (S[c:3] = f32(0)) {
      next S = 2 * S + flip[0](M)[t, :]
    }
    """,
    {"M": normal(5, 3), "N": normal(5, 3), "I": integers(0, 1, 2), "K": integers(1, 1)},
    "A:f32 B:f32 C:f32 D:f32 E:f32 F:f32 G:f32 H:f32 J:f32 L:f32 O:f32 P:f32 S:f32",
    exact=("A", "B", "D", "E", "F", "G", "H", "J", "O"),
)
def slices_of_views(M, N, I, K):
    last = 0
    for row in M[::-1]:
        last = 2 * last + row
    return {
        "A": M[::-1][I],
        "B": M[3:][I],
        "C": np.concatenate([2 * N, M])[I + 3],
        "D": M.reshape(3, 5)[I],
        "E": np.tile(M, (3, 1))[I + 9],
        "F": M.T[I, 1:],
        "G": M[::-1][I],
        "H": M[:, ::-1][:, int(K)],
        "J": np.stack([M, N])[int(K)][:, 1:],
        "L": M[::-1][I, ::2] + 1,
        "O": M[I][:, [0, 0, 1]],
        "P": M[I][[0, 0]] + M[I, ::-1],
        "S": last,
    }


@program(
    """
    input X : i16[11, 5, 7]
    input P : i32[11]
    input Q : i8[11, 3]
    input K : i64
    input F : f64[11]
    Sorted[i] = F[P[i]]
    Twice[i] = P[P[i]]
    Back[i] = P[10 - P[i]]
    Many[n, m] = X[P[n], Q[n, m], m + 2]
    One[j, k] = X[K, j, k]
    Pairs[a, b] = X[P[a], Q[b, 1], Q[a, 0]]
    Diagonal = sum[n] X[P[n], Q[n, 0], Q[n, 0]]
    """,
    {
        "X": integers(-9, 9, 11, 5, 7, type="i16"),
        "P": integers(0, 10, 11),
        "Q": integers(0, 4, 11, 3, type="i8"),
        "K": integers(0, 10, type="i64"),
        "F": normal(11, type="f64"),
    },
    "Sorted:f64 Twice:i32 Back:i32 Many:i16 One:i16 Pairs:i16 Diagonal:i16",
    exact=("Sorted",),
)
def permutations(X, P, Q, K, F):
    m = np.arange(3)
    return {
        "Sorted": F[P],
        "Twice": P[P],
        "Back": P[10 - P],
        "Many": X[P[:, None], Q, m + 2],
        "One": X[K],
        "Pairs": X[P[:, None], Q[None, :, 1], Q[:, :1]],
        "Diagonal": X[P, Q[:, 0], Q[:, 0]].sum(),
    }


@program(
    """
    input X : f32[23, 40]
    input Q : i32[31]
    Doubled[v, a] = 2 * X[v, a]
    Rows[n, a] = Doubled[Q[n], a] + 1
    Back[n, a] = exp(X[(Q[n] * 5) % 23, 39 - a])
    Scaled[n:23] = X[Q[n], n] * Doubled[n, 3 * Q[n] // 2]
    Column[a] = X[Q[0], a] - Rows[1, a]
    """,
    {"X": normal(23, 40), "Q": integers(0, 22, 31)},
    "Doubled:f32 Rows:f32 Back:f32 Scaled:f32 Column:f32",
)
def computed_tables(X, Q):
    doubled = 2 * X
    rows = doubled[Q] + 1
    n = np.arange(23)
    return {
        "Doubled": doubled,
        "Rows": rows,
        "Back": np.exp(X[Q * 5 % 23, ::-1]),
        "Scaled": X[Q[:23], n] * doubled[n, 3 * Q[:23] // 2],
        "Column": X[Q[0]] - rows[1],
    }


@program(
    """
    input B : bool[9, 4]
    input H : f16[9, 4]
    input G : bf16[9]
    input I : i32[17]
    U[n, c] = select(B[I[n], c], H[I[n], 3 - c], -0.0)
    V[n] = any[c] B[I[n], c]
    W[n] = pad(B, true)[I[n] + 3, 0] && !pad(B, false)[I[n] - 3, 1]
    R[n] = G[I[n]]
    Y[n, d:3] = pad(H, 2)[I[n] + 2, d - 1]
    """,
    {
        "B": booleans(9, 4),
        "H": uniform(-2, 2, 9, 4, type="f16"),
        "G": uniform(-2, 2, 9, type="bf16"),
        "I": integers(0, 8, 17),
    },
    "U:f16 V:bool W:bool R:bf16 Y:f16",
    exact=("U", "Y"),
)
def gathered_types(B, H, G, I):
    above = np.concatenate([B[:, 0], np.ones(3, bool)])[I + 3]
    below = np.concatenate([np.zeros(3, bool), B[:, 1]])[I]
    wide = np.full((11, 5), 2.0)
    wide[:9, 1:] = H
    return {
        "U": np.where(B[I], H[I][:, ::-1], -0.0),
        "V": B[I].any(1),
        "W": above & ~below,
        "R": G[I],
        "Y": wide[I + 2, :3],
    }


def _hostile(rng):
    """Many equal values, zeros of both signs, infinities and NaN."""
    values = rng.integers(-3, 4, (31, 7, 3)).astype(np.float64)
    values[3, 2, 1] = values[3, 4, 1] = np.nan
    values[4], values[6] = -np.inf, np.inf
    values[5, ::2, 0], values[5, 1::2, 0] = -0.0, 0.0
    return values


@program(
    """
    input X : f32[31, 7, 3]
    input K : i8[31, 7]
    input D : f64[31, 7]
    input U : u8[31, 7]
    P[k] = argmax[n] U[n, k]
    Q[n] = argmin[k] u64(U[n, k]) << 56
    I[n, j] = argmax[k] X[n, k, j]
    F[n] = argmin[k, j] X[n, k, j]
    G = argmax[j, n, k] X[n, k, j] * 2
    H[n] = argmax[k] f16(K[n, k])
    L[k] = argmin[n] K[n, k]
    M[n] = D[n, argmax[k](D[n, k])] + f64(argmin[k](D[n, k]))
    """,
    {
        "X": Input("f32", _hostile),
        "K": integers(-2, 2, 31, 7, type="i8"),
        "D": normal(31, 7, type="f64"),
        "U": integers(0, 255, 31, 7, type="u8"),
    },
    "P:i64 Q:i64 I:i64 F:i64 G:i64 H:i64 L:i64 M:f64",
    exact=("M",),
)
def extremes(X, K, D, U):
    return {
        "P": U.argmax(0),
        "Q": U.argmin(1),
        "I": X.argmax(1),
        "F": X.reshape(31, -1).argmin(1),
        "G": X.transpose(2, 0, 1).argmax(),
        "H": K.argmax(1),
        "L": K.argmin(0),
        "M": D[np.arange(31), D.argmax(1)] + D.argmin(1),
    }
