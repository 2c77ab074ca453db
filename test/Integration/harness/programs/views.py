"""Views: whole tensors seen otherwise, alone, nested and in subscripts."""

import numpy as np

from .registry import integers, normal, program


@program(
    """
    input A : f32[7, 5]
    input B : f32[4, 5]
    input C : f32[7, 3]
    C0 = concat[0](A, B)
    C1 = concat[1](A, C)
    C2 = concat[0](B, concat[0](A, B), B)
    P[i:9, j] = concat[0](A, B)[i + 1, j] - concat[0](A, B)[i, 4 - j]
    S[i:4, j] = concat[0](A, B)[i + 7, j]
    Q[j] = sum[i] concat[0](A, B)[i, j] * concat[0](B, A)[i, j]
    E[i:13, j] = pad(concat[0](A, B), -1)[i - 1, j]
    R[i:13, j:5] = edge(concat[0](A, B))[i - 1, j - 2]
    """,
    {
        "A": integers(-9, 9, 7, 5, type="f32"),
        "B": integers(-9, 9, 4, 5, type="f32"),
        "C": integers(-9, 9, 7, 3, type="f32"),
    },
    "C0:f32 C1:f32 C2:f32 P:f32 S:f32 Q:f32 E:f32 R:f32",
    exact={"C0", "C1", "C2", "P", "S", "Q", "E", "R"},
)
def concatenations(A, B, C):
    both = np.concatenate([A, B])
    return {
        "C0": both,
        "C1": np.concatenate([A, C], 1),
        "C2": np.concatenate([B, A, B, B]),
        "P": both[1:10] - both[:9, ::-1],
        "S": B,
        "Q": (both * np.concatenate([B, A])).sum(0),
        "E": np.pad(both, ((1, 1), (0, 0)), constant_values=-1),
        "R": np.pad(both, ((1, 1), (2, 0)), "edge")[:, :5],
    }


@program(
    """
    input A : f32[6, 4, 5]
    input M : f32[4, 6]
    input N : f32[6, 4]
    T = transpose(A)
    V = transpose[2, 0, 1](A)
    D = transpose(M) @ transpose(N) + flip[0, 1](transpose(M)) @ M
    F = flip[1](A)
    H = flip[0](reshape[24, 5](transpose[1, 0, 2](A)))
    L[i, j] = transpose(M)[i, j] * flip[1](N)[i, j] - N[i, j]
    W[i:6, j:4] = reflect(transpose(M))[i - 1, j + 2] + pad(flip[0](N), 7)[i + 1, j]
    """,
    {
        "A": integers(-9, 9, 6, 4, 5, type="f32"),
        "M": integers(-9, 9, 4, 6, type="f32"),
        "N": integers(-9, 9, 6, 4, type="f32"),
    },
    "T:f32 V:f32 D:f32 F:f32 H:f32 L:f32 W:f32",
    exact={"T", "V", "D", "F", "H", "L", "W"},
)
def transposed_views(A, M, N):
    wide = np.pad(M.T, ((1, 0), (0, 2)), "reflect")[:6, 2:]
    return {
        "T": A.transpose(0, 2, 1),
        "V": A.transpose(2, 0, 1),
        "D": M.T @ N.T + M.T[::-1, ::-1] @ M,
        "F": A[:, ::-1],
        "H": A.transpose(1, 0, 2).reshape(24, 5)[::-1],
        "L": M.T * N[:, ::-1] - N,
        "W": wide + np.pad(N[::-1], ((0, 1), (0, 0)), constant_values=7)[1:],
    }


@program(
    """
    input A : f32[6, 10]
    input B : f32[6, 10]
    input K : f32[3]
    R0 = reshape[4, 15](A)
    R1 = reshape[60](A)
    R2 = reshape[3, 2, 5, 2](A)
    R3 = reshape[10, 6](reshape[4, 15](A))
    R4 = transpose(reshape[2, 30](transpose(A)))
    R5[i, j] = reshape[4, 15](A)[3 - i, j]
    P0 = repeat[0, 3](A)
    P1 = repeat[1, 2](tile[2, 1](A))
    T0 = tile[2, 3](A)
    S0 = stack[0](A, B)
    S1 = stack[2](A, B, A)
    S2[i, j] = stack[1](A, B)[i, 1, j]
    I0 = interleave[0](A, B)
    I1 = interleave[1](A, flip[1](B))
    I2[i:6, j] = interleave[0](A, B)[2*i + 1, j]
    Z[i:60] = -wrap(tile[2, 1](A))[i, (i + 1) % 10] + sum[r](edge(reshape[60](A))[i + r - 1] * K[r])
    """,
    {
        "A": integers(-9, 9, 6, 10, type="f32"),
        "B": integers(-9, 9, 6, 10, type="f32"),
        "K": integers(-9, 9, 3, type="f32"),
    },
    "R0:f32 R1:f32 R2:f32 R3:f32 R4:f32 R5:f32 P0:f32 P1:f32 T0:f32 S0:f32 S1:f32 S2:f32 I0:f32 "
    "I1:f32 I2:f32 Z:f32",
    exact={"R0", "R1", "R2", "R3", "R4", "R5", "P0", "P1", "T0", "S0", "S1", "S2", "I0", "I1", "I2", "Z"},
)
def reshaped_views(A, B, K):
    pair, turned = np.stack([A, B], 1), np.stack([A, B[:, ::-1]], 2)
    flat, i = np.pad(A.reshape(60), 1, "edge"), np.arange(60)
    return {
        "R0": A.reshape(4, 15),
        "R1": A.reshape(60),
        "R2": A.reshape(3, 2, 5, 2),
        "R3": A.reshape(10, 6),
        "R4": A.T.reshape(2, 30).T,
        "R5": A.reshape(4, 15)[::-1],
        "P0": A.repeat(3, 0),
        "P1": np.tile(A, (2, 1)).repeat(2, 1),
        "T0": np.tile(A, (2, 3)),
        "S0": np.stack([A, B]),
        "S1": np.stack([A, B, A], 2),
        "S2": B,
        "I0": pair.reshape(12, 10),
        "I1": turned.reshape(6, 20),
        "I2": B,
        "Z": sum(K[r] * flat[r : r + 60] for r in range(3)) - A[i % 6, (i + 1) % 10],
    }


@program(
    """
    input A : f64[7, 9]
    input V : f64[11]
    input T : i32[2, 3]
    input E : f64[13, 5]
    input W : f64[3, 4]
    param n = 5
    D = V[1:] - V[:-1]
    F = V[::-1] * V[-1] + V[n - 5]
    H = V[9:1:-3] + V[1:-2 * n + 3]
    I = A[-1, 1:] * A[2, :-1]
    J = A[1:-1, 1:-1] + A[:-2, 2:] - A[3, -2]
    K = E[T, 1:4] + A[2, 0]
    L = E[T[0, :], 3:0:-1] @ W
    M = transpose(A)[1:8:3, ::2]
    N[i, j] = transpose(A[1:4, :])[i, j] + A[2:5, :][j, 8 - i]
    O = concat[0](V[5:], V[:5], V[3:4])
    P = reshape[2, 3](V[2:8])
    Q = V[T]
    R[i:3] = V[2:8][2*i] + pad(V[2:8], 1)[2*i - 1]
    S = V[:][::2][1:]
    X[i:10, j:20] = A[6 - 2 * ((i - 3) // 3 + 1), j % 4 + 5] + V[7 - i % 8]
    Y[i:9] = V[3 * ((i - 2) // 4) + 4] - V[2 * (i // 2) + 1]
    repeat t:3 (v = A[0, :]) {
      next v = v + A[t + 1, :] * V[t]
    }
    """,
    {
        "A": integers(-9, 9, 7, 9, type="f64"),
        "V": integers(-9, 9, 11, type="f64"),
        "T": integers(0, 10, 2, 3, type="i32"),
        "E": integers(-9, 9, 13, 5, type="f64"),
        "W": integers(-9, 9, 3, 4, type="f64"),
    },
    "D:f64 F:f64 H:f64 I:f64 J:f64 K:f64 L:f64 M:f64 N:f64 O:f64 P:f64 Q:f64 R:f64 S:f64 X:f64 Y:f64 v:f64",
    exact=set("DFHIJKLMNOPQRSXYv"),
)
def slices(A, V, T, E, W):
    v = A[0]
    for t in range(3):
        v = v + A[t + 1] * V[t]
    i, j = np.arange(10), np.arange(20)
    return {
        "D": V[1:] - V[:-1],
        "F": V[::-1] * V[-1] + V[0],
        "H": V[9:1:-3] + V[1:-7],
        "I": A[-1, 1:] * A[2, :-1],
        "J": A[1:-1, 1:-1] + A[:-2, 2:] - A[3, -2],
        "K": E[T, 1:4] + A[2, 0],
        "L": E[T[0], 3:0:-1] @ W,
        "M": A.T[1:8:3, ::2],
        "N": A[1:4].T + A[2:5, ::-1].T,
        "O": np.concatenate([V[5:], V[:5], V[3:4]]),
        "P": V[2:8].reshape(2, 3),
        "Q": V[T],
        "R": V[2:8][::2] + np.concatenate([[1], V[3:7:2]]),
        "S": V[::2][1:],
        "X": A[6 - 2 * ((i - 3) // 3 + 1)][:, j % 4 + 5] + V[7 - i % 8][:, None],
        "Y": V[3 * ((i[:9] - 2) // 4) + 4] - V[2 * (i[:9] // 2) + 1],
        "v": v,
    }


@program(
    """
    input A : f64[7, 5]
    input B : f64[5, 4]
    input T : i32[6]
    input v : f64[5]
    def scale(X[...], a) -> Y[...] {
      Y[...] = X[...] * a
    }
    def turned(X[i, j]) -> Y[j, i] {
      Y[j, i] = X[i, j] - max(X)
    }
    C = transpose(A @ B) @ A
    D = 2 * scale(scale(A, 3) + 1, v[0]) - A
    E = turned(transpose(B)) + scale(B, sum(v))
    F[i, j] = transpose(A)[T[i], j] - flip[0](transpose(A))[T[i], j]
    def times(A[i, j], B[j, k]) -> C[i, k] {
      C[i, k] = sum[j] A[i, j] * B[j, k]
    }
    def gram(A[i, j]) -> C[i, k] {
      C = times(A, transpose(A))
    }
    def rows(A[i, j], T[n]) -> R[n, j] {
      R[n, j] = A[T[n], j] - pad(A, 1)[n - 1, j]
    }
    K = gram(concat[0](transpose(B)[1:, :], flip[1](A))) + 1
    L = rows(transpose(A), T[::-1])
    G = sum(A) + prod(v) * max(A @ B) - min(v)
    H[i, j] = A[i, j] * sum(A[1:, :]) - mean(v)
    I = argmax(A)
    J = sum(A > 1)
    repeat t:3 (x = v) {
      next x = scale(v - x, 2) + A[0, :]
    }
    """,
    {
        "A": integers(-9, 9, 7, 5, type="f64"),
        "B": integers(-9, 9, 5, 4, type="f64"),
        "T": integers(0, 4, 6, type="i32"),
        "v": integers(-9, 9, 5, type="f64"),
    },
    "C:f64 D:f64 E:f64 F:f64 G:f64 H:f64 I:i64 J:i64 K:f64 L:f64 x:f64",
)
def parts_of_statements(A, B, T, v):
    x = v
    for _ in range(3):
        x = (v - x) * 2 + A[0]
    joined = np.concatenate([B.T[1:], A[:, ::-1]])
    return {
        "C": (A @ B).T @ A,
        "D": 2 * (A * 3 + 1) * v[0] - A,
        "E": B - B.max() + B * v.sum(),
        "F": A.T[T] - A.T[::-1][T],
        "G": A.sum() + v.prod() * (A @ B).max() - v.min(),
        "H": A * A[1:].sum() - v.mean(),
        "I": A.argmax(),
        "J": (A > 1).sum(),
        "K": joined @ joined.T + 1,
        "L": A.T[T[::-1]] - np.pad(A.T, ((1, 0), (0, 0)), constant_values=1)[:6],
        "x": x,
    }


@program(
    """
    input O : f32[1]
    input M : f32[3, 1]
    Total = sum(repeat[0, 4](O))
    Most = max[i] repeat[0, 4](O)[i]
    Soft[i] = softmax[i] repeat[0, 4](O)[i]
    Rows[n] = sum[j] repeat[1, 4](M)[n, j]
    End[i:2] = sum[j:2] tile[1, 16](M)[i, j + 14]
    Running[i] = cumsum[i] tile[4](O)[i]
    Log[n] = logsumexp[j] repeat[1, 4](M)[n, j]
    Mean[n] = mean[j:3] M[n, j % 1]
    """,
    {"O": normal(1), "M": normal(3, 1)},
    "Total:f32 Most:f32 Soft:f32 Rows:f32 End:f32 Running:f32 Log:f32 Mean:f32",
)
def views_of_extent_one(O, M):
    row = np.repeat(O, 4)
    return {
        "Total": row.sum(),
        "Most": row.max(),
        "Soft": np.full(4, 0.25),
        "Rows": 4 * M[:, 0],
        "End": 2 * M[:2, 0],
        "Running": np.cumsum(row),
        "Log": np.log(4) + M[:, 0],
        "Mean": M[:, 0],
    }


@program(
    """
    input X : f32[5, 3]
    input M : f32[5, 3]
    Y = copy(flip[0](X))
    Z[i, j] = sum[k:3] copy(X[i, j] * 2) + M[i, k]
    W = 2 * copy(transpose(X)) @ M
    S = copy(X[0, 0]) + X[-1, -1]
    V[i] = sum[j](copy(exp(X[i, j])) / (1 + copy(exp(X[i, j]))))
    """,
    {"X": normal(5, 3), "M": normal(5, 3)},
    "Y:f32 Z:f32 W:f32 S:f32 V:f32",
    exact=("Y",),
)
def copies(X, M):
    return {
        "Y": X[::-1],
        "Z": 6 * X + M.sum(1, keepdims=True),
        "W": 2 * X.T @ M,
        "S": X[0, 0] + X[-1, -1],
        "V": (1 / (1 + np.exp(-X))).sum(1),
    }
