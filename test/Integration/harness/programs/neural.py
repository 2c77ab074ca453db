"""Attention, norms, classifiers: graphs of many statements."""

import numpy as np

from .registry import normal, one_hot, program, uniform


def softmax(x, axis=-1):
    e = np.exp(x - x.max(axis=axis, keepdims=True))
    return e / e.sum(axis=axis, keepdims=True)


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


@program(
    """
    input X : f32[13, 21]
    Y[i, j] = softmax[j] X[i, j]
    Z[i, j] = softmax[i] 3.0 * X[i, j]
    W[i, j] = softmax[i, j] X[i, j]
    """,
    {"X": normal(13, 21)},
    "Y:f32 Z:f32 W:f32",
)
def softmax_directions(X):
    return {"Y": softmax(X), "Z": softmax(3 * X, 0), "W": softmax(X, (0, 1))}


@program(
    """
    input X : f32[9, 30]
    Y[i, j] = softmax[j] X[i, j]
    """,
    {"X": uniform(-300, 300, 9, 30)},
    "Y:f32",
    tolerance={"Y": 1e-4},
)
def softmax_of_large_values(X):
    # exp(300) is no f32: only the difference to the maximum works.
    return softmax(X)


@program(
    """
    input X : f32[14, 26]
    input G : f32[26]
    N[s, a] = rmsnorm[a](X[s, a], 0.00001)
    L[s, a] = layernorm[a](X[s, a], 0.001)
    Y[s, a] = N[s, a] * G[a] + L[s, a]
    """,
    {"X": normal(14, 26, scale=2.0), "G": normal(26)},
    "N:f32 L:f32 Y:f32",
)
def norms(X, G):
    N = X / np.sqrt((X**2).mean(1, keepdims=True) + 1e-5)
    centred = X - X.mean(1, keepdims=True)
    L = centred / np.sqrt((centred**2).mean(1, keepdims=True) + 1e-3)
    return {"N": N, "L": L, "Y": N * G + L}


@program(
    """
    def attention(Q[b,h,s,d], K[b,h,t,d], V[b,h,t,d]) -> O[b,h,s,d] {
    T[b,h,s,t] = sum[d] Q[b,h,s,d] * K[b,h,t,d] / sqrt(f32(d'))
    P[b,h,s,t] = softmax[t] T[b,h,s,t]
    O[b,h,s,d] = sum[t] P[b,h,s,t] * V[b,h,t,d]
    }
    input Q : f32[2, 3, 10, 8]
    input K : f32[2, 3, 14, 8]
    input V : f32[2, 3, 14, 8]
    O = attention(Q, K, V)
    """,
    {"Q": normal(2, 3, 10, 8), "K": normal(2, 3, 14, 8), "V": normal(2, 3, 14, 8)},
    "O:f32",
)
def attention_macro(Q, K, V):
    return softmax(Q @ K.swapaxes(2, 3) / np.sqrt(8)) @ V


# The paper's section 3: projections per head, attention, output projection.
MULTI_HEAD = """
    QH[h, s, d] = sum[a] Q[s, a] * WQ[h, a, d]
    KH[h, t, d] = sum[a] K[t, a] * WK[h, a, d]
    VH[h, t, d] = sum[a] V[t, a] * WV[h, a, d]
    T1[h, s, t] = sum[d] QH[h, s, d] * KH[h, t, d]
    T2[h, s, t] = T1[h, s, t] / sqrt(f32(D))
    T3[h, s, t] = softmax[t] T2[h, s, t]
    O[h, s, d] = sum[t] T3[h, s, t] * VH[h, t, d]
    Y[s, a] = sum[h, d] O[h, s, d] * WO[h, a, d]
"""


def _multi_head(Q, K, V, WQ, WK, WV, WO):
    total = np.zeros((Q.shape[0], WO.shape[1]))
    for wq, wk, wv, wo in zip(WQ, WK, WV, WO):
        q, k, v = Q @ wq, K @ wk, V @ wv
        total += softmax(q @ k.T / np.sqrt(wq.shape[1])) @ v @ wo.T
    return total


@program(
    """
    param D = 64
    input Q : f32[11, 24]
    input K : f32[17, 24]
    input V : f32[17, 24]
    input WQ : f32[5, 24, D]
    input WK : f32[5, 24, D]
    input WV : f32[5, 24, D]
    input WO : f32[5, 24, D]
    """
    + MULTI_HEAD,
    {
        "Q": normal(11, 24),
        "K": normal(17, 24),
        "V": normal(17, 24),
        **{w: normal(5, 24, 6, scale=0.3) for w in ("WQ", "WK", "WV", "WO")},
    },
    "Y:f32",
    params={"D": 6},
)
def multi_head_attention(Q, K, V, WQ, WK, WV, WO):
    return _multi_head(Q, K, V, WQ, WK, WV, WO)


@program(
    """
    param D = 4
    input X : f64[8, 12]
    input WQ : f64[3, 12, D]
    input WK : f64[3, 12, D]
    input WV : f64[3, 12, D]
    input WO : f64[3, 12, D]
    """
    + MULTI_HEAD.replace("f32", "f64").replace("Q[s, a]", "X[s, a]")
    .replace("K[t, a]", "X[t, a]").replace("V[t, a]", "X[t, a]"),
    {"X": normal(8, 12, type="f64"),
     **{w: normal(3, 12, 4, type="f64") for w in ("WQ", "WK", "WV", "WO")}},
    "Y:f64",
)
def self_attention_f64(X, WQ, WK, WV, WO):
    return _multi_head(X, X, X, WQ, WK, WV, WO)


@program(
    """
    input Q : f32[4, 12, 6]
    input K : f32[4, 12, 6]
    input V : f32[4, 12, 6]
    S[h, s, t] = sum[d] Q[h, s, d] * K[h, t, d]
    M[h, s, t] = select([t <= s], S[h, s, t], -1000000.0)
    P[h, s, t] = softmax[t] M[h, s, t]
    O[h, s, d] = sum[t] P[h, s, t] * V[h, t, d]
    """,
    {name: normal(4, 12, 6) for name in "QKV"},
    "O:f32",
)
def causal_attention(Q, K, V):
    scores = Q @ K.swapaxes(1, 2)
    hidden = ~np.tril(np.ones((12, 12), bool))
    scores[:, hidden] = -np.inf
    return softmax(scores) @ V


@program(
    """
    param B = 512
    param F = 65536
    param H = 8192
    param O = 16384
    input X : f32[B, F]
    input W1 : f32[F, H]
    input W2 : f32[H, O]
    input Y : f32[B, O]
    Hd[b, h] = sum[f] X[b, f] * W1[f, h]
    Ac[b, h] = max(Hd[b, h], 0.0)
    Lo[b, o] = sum[h] Ac[b, h] * W2[h, o]
    Pr[b, o] = softmax[o] Lo[b, o]
    dO[b, o] = (Pr[b, o] - Y[b, o]) / f32(B)
    dW2[h, o] = sum[b] Ac[b, h] * dO[b, o]
    dA[b, h] = sum[o] dO[b, o] * W2[h, o]
    dH[b, h] = select(Hd[b, h] > 0.0, dA[b, h], 0.0)
    dW1[f, h] = sum[b] X[b, f] * dH[b, h]
    W1n[f, h] = W1[f, h] - 0.5 * dW1[f, h]
    W2n[h, o] = W2[h, o] - 0.5 * dW2[h, o]
    """,
    {
        "X": normal(18, 33),
        "W1": normal(33, 20, scale=0.3),
        "W2": normal(20, 10, scale=0.3),
        "Y": one_hot(18, 10),
    },
    "W1n:f32 W2n:f32",
    params={"B": 18, "F": 33, "H": 20, "O": 10},
)
def classifier_step(X, W1, W2, Y):
    hidden = X @ W1
    active = np.maximum(hidden, 0)
    slope = (softmax(active @ W2) - Y) / len(X)
    back = np.where(hidden > 0, slope @ W2.T, 0)
    return {"W1n": W1 - 0.5 * X.T @ back, "W2n": W2 - 0.5 * active.T @ slope}


LLAMA_WEIGHTS = {
    **{w: normal(16, 4, 4, scale=0.3) for w in ("Wq", "Wk", "Wv", "Wo")},
    **{w: normal(16, 22, scale=0.3) for w in ("Wg", "Wu")},
    "Wd": normal(22, 16, scale=0.3),
    "G1": uniform(0.5, 1.5, 16),
    "G2": uniform(0.5, 1.5, 16),
}


@program(
    """
    input X : f32[2, 7, 16]
    input Rope : f32[7, 4]
    input Wq : f32[16, 4, 4]
    input Wk : f32[16, 4, 4]
    input Wv : f32[16, 4, 4]
    input Wo : f32[16, 4, 4]
    input Wg : f32[16, 22]
    input Wu : f32[16, 22]
    input Wd : f32[22, 16]
    input G1 : f32[16]
    input G2 : f32[16]
    Nx[b, s, a] = rmsnorm[a](X[b, s, a], 0.00001)
    N1[b, s, a] = Nx[b, s, a] * G1[a]
    Q[b, s, h, d] = sum[a] N1[b, s, a] * Wq[a, h, d]
    K[b, t, h, d] = sum[a] N1[b, t, a] * Wk[a, h, d]
    V[b, t, h, d] = sum[a] N1[b, t, a] * Wv[a, h, d]
    Qr[b, s, h, d] = Q[b, s, h, d] * Rope[s, d]
    Kr[b, t, h, d] = K[b, t, h, d] * Rope[t, d]
    T[b, h, s, t] = sum[d] Qr[b, s, h, d] * Kr[b, t, h, d]
    P[b, h, s, t] = softmax[t] T[b, h, s, t]
    O[b, s, h, d] = sum[t] P[b, h, s, t] * V[b, t, h, d]
    Y[b, s, a] = sum[h, d] O[b, s, h, d] * Wo[a, h, d]
    R[b, s, a] = X[b, s, a] + Y[b, s, a]
    Ny[b, s, a] = rmsnorm[a](R[b, s, a], 0.00001)
    N2[b, s, a] = Ny[b, s, a] * G2[a]
    Ga[b, s, f] = sum[a] N2[b, s, a] * Wg[a, f]
    Up[b, s, f] = sum[a] N2[b, s, a] * Wu[a, f]
    Si[b, s, f] = Ga[b, s, f] * sigmoid(Ga[b, s, f]) * Up[b, s, f]
    Dn[b, s, a] = sum[f] Si[b, s, f] * Wd[f, a]
    X1[b, s, a] = R[b, s, a] + Dn[b, s, a]
    """,
    {"X": normal(2, 7, 16), "Rope": normal(7, 4), **LLAMA_WEIGHTS},
    "X1:f32",
)
def llama_block(X, Rope, Wq, Wk, Wv, Wo, Wg, Wu, Wd, G1, G2):
    def norm(x, gain):
        return x / np.sqrt((x**2).mean(-1, keepdims=True) + 1e-5) * gain

    n = norm(X, G1)
    heads = np.zeros_like(X)
    for h in range(4):
        q = n @ Wq[:, h] * Rope
        k = n @ Wk[:, h] * Rope
        heads += softmax(q @ k.swapaxes(1, 2)) @ (n @ Wv[:, h]) @ Wo[:, h].T
    r = X + heads
    n = norm(r, G2)
    gate = n @ Wg
    return r + (gate * sigmoid(gate) * (n @ Wu)) @ Wd


@program(
    """
    def linear(X[b, i], W[i, o], c[o]) -> Y[b, o] {
    P[b, o] = sum[i] X[b, i] * W[i, o]
    Y[b, o] = P[b, o] + c[o]
    }
    def gelu(X[b, o]) -> Y[b, o] {
    Y[b, o] = 0.5 * X[b, o] * (1.0 + erf(X[b, o] / sqrt(2.0)))
    }
    input X : f32[19, 15]
    input W : f32[15, 23]
    input c : f32[23]
    input V : f32[23, 15]
    input e : f32[15]
    A = linear(X, W, c)
    G = gelu(A)
    Z = linear(G, V, e)
    """,
    {
        "X": normal(19, 15),
        "W": normal(15, 23, scale=0.3),
        "c": normal(23),
        "V": normal(23, 15, scale=0.3),
        "e": normal(15),
    },
    "Z:f32",
)
def macros_used_twice(X, W, c, V, e):
    from math import erf

    a = X @ W + c
    g = 0.5 * a * (1 + np.vectorize(erf)(a / np.sqrt(2)))
    return g @ V + e


@program(
    """
    input X : f32[13, 19]
    input W : f32[19, 37]
    input c : f32[37]
    input V : f32[37, 11]
    input e : f32[11]
    input R : f32[13, 11]
    H[b, h] = (sum[i] (X[b, i] * W[i, h])) + c[h]
    A[b, h] = tanh(H[b, h])
    P[b, o] = (sum[h] (A[b, h] * V[h, o])) + e[o]
    Q[b, o] = max(P[b, o], 0.0)
    Y[b, o] = Q[b, o] * 0.5 + R[b, o]
    N[b] = max[o] Q[b, o]
    T[o, b] = abs(P[b, o])
    """,
    {
        "X": normal(13, 19),
        "W": normal(19, 37, scale=0.3),
        "c": normal(37),
        "V": normal(37, 11, scale=0.3),
        "e": normal(11),
        "R": normal(13, 11),
    },
    "Y:f32 N:f32 T:f32",
)
def layers_in_place(X, W, c, V, e, R):
    p = np.tanh(X @ W + c) @ V + e
    q = np.maximum(p, 0)
    return {"Y": q * 0.5 + R, "N": q.max(1), "T": np.abs(p).T}
