"""Loops: carried tensors, conditions, counters, reads by the counter, nesting."""

import numpy as np

from .registry import integers, normal, program, uniform


def _around(X):
    padded = np.pad(X, 1)
    return padded[:-2, 1:-1] + padded[2:, 1:-1] + padded[1:-1, :-2] + padded[1:-1, 2:]


@program(
    """
    param n = 23
    param m = 14
    input B : f64[n, m]
    input X0 : f64[n, m]
    repeat t:700 (X = X0) {
      Y[i, j] = 0.25 * (pad(X, 0.0)[i - 1, j] + pad(X, 0.0)[i + 1, j]
                + pad(X, 0.0)[i, j - 1] + pad(X, 0.0)[i, j + 1]) + B[i, j]
      E = max[i, j] abs(Y[i, j] - X[i, j])
      next X[i, j] = Y[i, j]
    } until E < 0.001
    N = t.count
    R[i, j] = X[i, j] - X0[i, j]
    """,
    {"B": normal(23, 14, type="f64"), "X0": normal(23, 14, type="f64")},
    "X:f64 N:i64 R:f64",
    exact={"N"},
)
def jacobi(B, X0):
    X = X0
    for t in range(700):
        Y = 0.25 * _around(X) + B
        done = np.abs(Y - X).max() < 0.001
        X = Y
        if done:
            break
    return {"X": X, "N": t + 1, "R": X - X0}


@program(
    """
    param n = 17
    input G : f64[n, n]
    A[i, j] = sum[k] G[i, k] * G[j, k]
    repeat k:400 (v[i:n] = f64(1), lam = f64(0)) {
      w[i] = sum[j] A[i, j] * v[j]
      next v[i] = w[i] / sqrt(sum[j](w[j] ** 2))
      next lam = sum[i] w[i] * v[i]
      before = lam
    } until abs(lam - before) < 1e-9 * abs(lam)
    N = k.count
    """,
    {"G": normal(17, 17, type="f64")},
    "v:f64 lam:f64 N:i64",
)
def power_iteration(G):
    A = G @ G.T
    v, lam = np.ones(17), 0.0
    for k in range(400):
        w = A @ v
        before, lam = lam, w @ v
        v = w / np.sqrt((w**2).sum())
        if abs(lam - before) < 1e-9 * abs(lam):
            break
    return {"v": v, "lam": lam, "N": k + 1}


@program(
    """
    input a : f64[]
    repeat t:50 (x = a) {
      next x = 0.5 * (x + a / x)
    } until abs(x * x - a) < 1e-10
    c = t.count
    """,
    {"a": uniform(7, 7, type="f64")},
    "x:f64 c:i64",
    exact={"c"},
)
def newton(a):
    return {"x": np.sqrt(a), "c": 6}


@program(
    """
    param n = 29
    input L : i32[n, n]
    D[j] = sum[i] f32(L[i, j])
    P[i, j] = select(D[j] > 0.0, f32(L[i, j]) / D[j], 1.0 / n)
    repeat k:300 (r[i:n] = f32(1) / n) {
      s[i] = 0.15 / n + 0.85 * sum[j](P[i, j] * r[j])
      E = sum[i] abs(s[i] - r[i])
      next r[i] = s[i]
    } until E < 1e-5
    """,
    {"L": integers(0, 2, 29, 29, type="i32")},
    "r:f32",
)
def pagerank(L):
    D = L.sum(axis=0)
    P = np.where(D > 0, L / np.maximum(D, 1), 1 / 29)
    r = np.full(29, 1 / 29)
    for _ in range(300):
        r = 0.15 / 29 + 0.85 * P @ r
    return r


@program(
    """
    param T = 11
    input S : f32[T, 6, 5]
    input U : f32[7, 7]
    input W : f32[5, 7]
    repeat t:T (h[b:6, k:7] = f32(0), c = i32(0)) {
      g[b, k] = sum[j] h[b, j] * U[j, k]
      next h[b, k] = tanh(g[b, k] + sum[i](S[t, b, i] * W[i, k])) + 0.125 * (t + 1) + S[T - 1 - t, b, 0]
      next c = c + 3 * i32(t)
    }
    """,
    {"S": normal(11, 6, 5), "U": normal(7, 7), "W": normal(5, 7)},
    "h:f32 c:i32",
    exact={"c"},
)
def over_time(S, U, W):
    h = np.zeros((6, 7))
    for t in range(11):
        h = np.tanh(h @ U + S[t] @ W) + 0.125 * (t + 1) + S[10 - t, :, :1]
    return {"h": h, "c": 3 * sum(range(11))}


@program(
    """
    input X0 : i64[13, 9]
    input Y0 : i64[9, 13]
    repeat t:4 (X = X0, Y = Y0) {
      next X[i, j] = Y[j, i] + 1
      next Y[i, j] = X[j, i] - Y[i, j]
    }
    repeat s:3 (Z = X, never = true) {
      K[j] = sum[i] Z[i, j]
      repeat u:5 (V = Z) {
        next V[i, j] = V[12 - i, j] + K[j] % 7 - u
      } until V[0, 0] > 100
      next Z[i, j] = V[i, j] + Y[j, i] * u.count
      next never = never && K[0] == 0
    }
    """,
    {"X0": integers(-9, 9, 13, 9, type="i64"), "Y0": integers(-9, 9, 9, 13, type="i64")},
    "X:i64 Y:i64 Z:i64",
    exact={"X", "Y", "Z"},
)
def nested_loops(X0, Y0):
    X, Y = X0, Y0
    for _ in range(4):
        X, Y = Y.T + 1, X.T - Y
    Z = X
    for _ in range(3):
        K = Z.sum(axis=0)
        V = Z
        for u in range(5):
            V = V[::-1] + K % 7 - u
            if V[0, 0] > 100:
                break
        Z = V + Y.T * (u + 1)
    return {"X": X, "Y": Y, "Z": Z}


@program(
    """
    input seed : i64[]
    def noisy(X[...], s) -> Y[...] { Y[...] = X[...] + f64(random.uniform[f32](s)) }
    repeat t:5 (X[i:40] = f64(0), low = f64(1), high = f64(0)) {
      R = noisy(X, 7)
      repeat u:2 (Q[i:40] = f64(0)) {
        next Q[i] = Q[i] + select(random.bernoulli(seed, 0.5), 1.0, 0.0)
      }
      next X[i] = R[i]
      next low = low * select(min[i](Q[i]) < max[i](Q[i]), 1.0, 0.0)
      next high = high + sum[i](Q[i])
    }
    D = sum[i](select(floor(X[i] * 4) == X[i] * 4, f64(1), 0.0))
    S = select(max[i](X[i]) < 4.9 && min[i](X[i]) > 0.1, f64(1), 0.0)
    B = select(high > 150 && high < 250, f64(1), 0.0)
    """,
    {"seed": integers(1, 99, type="i64")},
    "low:f64 S:f64 B:f64 D:f64",
)
def drawn_in_loops(seed):
    """A pass that drew the numbers of another one would make multiples."""
    return {"low": 1.0, "S": 1.0, "B": 1.0, "D": 0.0}


@program(
    """
    param T = 13
    input S : f32[T, 6, 5]
    input U : f32[7, 7]
    input W : f32[5, 7]
    repeat t:T (h[b:6, k:7] = f32(0), n = i32(1)) {
      new[b, k] = tanh(sum[j](h[b, j] * U[j, k]) + sum[i](S[t, b, i] * W[i, k]))
      next h[b, k] = new[b, k]
      collect H[t, k, b] = 2 * new[b, k]
      collect N[t] = n
      collect Big[t, b] = (max[k](h[b, k])) > 0.5
      next n = 2 * n
    } until n > 300
    Y[t, b] = sum[k] H[t, k, b] * U[k, 0]
    C = t.count
    """,
    {"S": normal(13, 6, 5), "U": normal(7, 7), "W": normal(5, 7)},
    "H:f32 N:i32 Big:bool Y:f32 C:i64",
    exact={"N", "Big", "C"},
)
def collected(S, U, W):
    h = np.zeros((6, 7))
    H, N, Big = np.zeros((13, 7, 6)), np.zeros(13, np.int32), np.zeros((13, 6), bool)
    for t in range(9):
        N[t], Big[t] = 2**t, h.max(1) > 0.5
        h = np.tanh(h @ U + S[t] @ W)
        H[t] = 2 * h.T
    return {"H": H, "N": N, "Big": Big, "Y": np.einsum("tkb,k->tb", H, U[:, 0]), "C": 9}


@program(
    """
    input X0 : i64[5, 11]
    input K : i64[3]
    repeat s:3 (X = X0) {
      repeat t:4 (Y = X, total = i64(0)) {
        next Y[i, j] = Y[4 - i, j] * 3 % 17 - t * K[s]
        next total = total + Y[0, 0]
        collect A[t, j] = Y[s, j]
        collect T[t] = total
      } until Y[1, 1] > 16 || K[s] == 2
      next X[i, j] = X[i, j] + Y[i, j]
      collect B[s, t, j] = A[t, j]
      collect P[s, j] = A[3 - s, j] + T[3]
      collect Q[s] = t.count
    }
    Z[j, s] = sum[t] B[s, t, j]
    """,
    {"X0": integers(-9, 9, 5, 11, type="i64"), "K": integers(1, 3, 3, type="i64")},
    "X:i64 B:i64 P:i64 Q:i64 Z:i64",
    exact={"X", "B", "P", "Q", "Z"},
)
def collected_nested(X0, K):
    X = X0
    B, P, Q = np.zeros((3, 4, 11), int), np.zeros((3, 11), int), np.zeros(3, int)
    for s in range(3):
        Y, total, T = X, 0, np.zeros(4, int)
        for t in range(4):
            B[s, t], T[t] = Y[s], total
            total, Y = total + Y[0, 0], Y[::-1] * 3 % 17 - t * K[s]
            Q[s] = t + 1
            if Y[1, 1] > 16 or K[s] == 2:
                break
        P[s] = B[s, 3 - s] + T[3]
        X = X + Y
    return {"X": X, "B": B, "P": P, "Q": Q, "Z": B.sum(1).T}


@program(
    """
    input A : f64[9, 9]
    input B : f64[9]
    input V : f64[4, 9]
    def jacobi(A[i, j], B[i], tol = 1e-3) -> X[i], N {
      D[i] = A[i, i]
      repeat t:300 (X[i:9] = f64(0)) {
        R[i] = B[i] - sum[j](A[i, j] * X[j])
        next X[i] = X[i] + R[i] / D[i]
      } until max[i](abs(R[i])) < tol
      N = t.count
    }
    def smooth(X[..., c], times) -> Y[..., c] {
      repeat s:times (Y = X) {
        next Y[..., c] = 0.5 * Y[..., c] + 0.5 * wrap(Y)[..., c + 1]
      }
    }
    def powers(X[i]) -> P[u, i] {
      repeat q:5 (Y = X) {
        collect P[q, i] = Y[i]
        next Y[i] = Y[i] * X[i]
      }
    }
    Dominant[i, j] = A[i, j] * 0.1 + 9 * [i == j]
    X @ {i: 1}, N = jacobi(Dominant, B)
    M, K = jacobi(Dominant, X, 1e-9)
    S = smooth(V, 3)
    repeat r:4 (W = V) {
      next W = smooth(W, 2)
      Q = smooth(W, 1)
      collect H[r, i] = Q[i, 0]
    }
    P = powers(B)
    """,
    {"A": normal(9, 9, type="f64"), "B": normal(9, type="f64"), "V": normal(4, 9, type="f64")},
    "X:f64 N:i64 M:f64 S:f64 W:f64 H:f64 P:f64",
    exact={"N"},
)
def loops_in_macros(A, B, V):
    A = 0.1 * A + 9 * np.eye(9)

    def jacobi(B, tol):
        X = np.zeros(9)
        for t in range(300):
            R = B - A @ X
            X = X + R / np.diag(A)
            if np.abs(R).max() < tol:
                break
        return X, t + 1

    def smooth(X, times):
        for _ in range(times):
            X = 0.5 * X + 0.5 * np.roll(X, -1, -1)
        return X

    X, N = jacobi(B, 1e-3)
    W, H = V, []
    for _ in range(4):
        H.append(smooth(W, 1)[:, 0])
        W = smooth(W, 2)
    M = jacobi(X, 1e-9)[0]
    P = np.cumprod(np.tile(B, (5, 1)), axis=0)
    return {"X": X, "N": N, "M": M, "S": smooth(V, 3), "W": W, "H": np.array(H), "P": P}


@program(
    """
    input X : i32[6, 4]
    T[i, j] = 2 * X[i, j]
    S[i, j] = T[i, j] + 1
    repeat t:2 (L = T) {
      next L[i, j] = pad(L, 0)[i - 1, j]
    }
    repeat u:3 (M = T[1:5, :], N = T) {
      next M[i, j] = M[3 - i, j] + 1
      next N[i, j] = N[i, 3 - j] - 1
    }
    R[i, j] = T[i, j] - N[i, j]
    """,
    {"X": integers(-9, 9, 6, 4, type="i32")},
    "T:i32 S:i32 L:i32 M:i32 N:i32 R:i32",
)
def begun_from_what_is_read_later(X):
    T = 2 * X
    L = np.concatenate([np.zeros((2, 4), X.dtype), T[:4]])
    M, N = T[1:5], T
    for _ in range(3):
        M, N = M[::-1] + 1, N[:, ::-1] - 1
    return {"T": T, "S": T + 1, "L": L, "M": M, "N": N, "R": T - N}
