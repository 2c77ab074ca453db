"""What is made of large contractions whose results nobody reads as a whole: attention, losses,
least distances. Extents are odd, and larger than blocks."""

import numpy as np

from .registry import normal, program


def softmax(scores):
    powers = np.exp(scores - scores.max(-1, keepdims=True))
    return powers / powers.sum(-1, keepdims=True)


def log_sum(scores):
    greatest = scores.max(-1)
    return greatest + np.log(np.exp(scores - greatest[..., None]).sum(-1))


HEADS = {"Q": normal(3, 701, 13), "K": normal(3, 689, 13), "V": normal(3, 689, 11)}
DECLARE_HEADS = "input Q : f32[3, 701, 13]\ninput K : f32[3, 689, 13]\ninput V : f32[3, 689, 11]\n"


@program(
    DECLARE_HEADS
    + """
    Z[u, x, y] = sum[w] Q[u, x, w] * K[u, y, w] * 0.5
    G[u, x] = max[y] Z[u, x, y]
    E[u, x, y] = exp(Z[u, x, y] - G[u, x])
    L[u, x] = sum[y] E[u, x, y]
    O[u, x, w] = sum[y] (E[u, x, y] / L[u, x]) * V[u, y, w]
    """,
    HEADS,
    "O:f32",
)
def streamed_attention(Q, K, V):
    return softmax(Q @ K.swapaxes(1, 2) * 0.5) @ V


@program(
    """
    import nn
    input Q : f32[2, 773, 9]
    input K : f32[2, 773, 9]
    input V : f32[2, 773, 17]
    O = nn.causal_attention(Q, K, V)
    """,
    {"Q": normal(2, 773, 9), "K": normal(2, 773, 9, scale=3), "V": normal(2, 773, 17)},
    "O:f32",
)
def streamed_causal_attention(Q, K, V):
    hidden = ~np.tril(np.ones((773, 773), bool))
    return softmax(np.where(hidden, -np.inf, Q @ K.swapaxes(1, 2) / 3)) @ V


# Heads lie inside, windows of positions are seen, and scores are those of max-plus.
@program(
    """
    input Q : f64[643, 2, 5]
    input K : f64[659, 2, 5]
    input V : f64[659, 2, 19]
    S[h, i, j] = max[d] (Q[i, h, d] + K[j, h, d])
    P[h, i, j] = softmax[j] select([j <= i + 300] & [i <= j + 300], S[h, i, j], -inf)
    O[i, h, e] = sum[j] P[h, i, j] * V[j, h, e]
    """,
    {
        "Q": normal(643, 2, 5, type="f64"),
        "K": normal(659, 2, 5, type="f64", scale=9),
        "V": normal(659, 2, 19, type="f64"),
    },
    "O:f64",
)
def streamed_windows(Q, K, V):
    scores = (Q[:, None] + K[None]).max(-1).transpose(2, 0, 1)
    distance = np.arange(659)[None] - np.arange(643)[:, None]
    return np.einsum("hij,jhe->ihe", softmax(np.where(abs(distance) <= 300, scores, -np.inf)), V)


# Some rows have no score but -inf: they have no value, as by definition.
@program(
    """
    input Q : f32[811, 7]
    input K : f32[797, 7]
    input V : f32[797, 3]
    S[i, j] = sum[d] Q[i, d] * K[j, d]
    M[i, j] = select([j > i], S[i, j], -inf)
    P[i, j] = softmax[j] M[i, j]
    O[i, e] = sum[j] P[i, j] * V[j, e]
    """,
    {"Q": normal(811, 7, scale=4), "K": normal(797, 7, scale=4), "V": normal(797, 3)},
    "O:f32",
)
def streamed_nothing(Q, K, V):
    hidden = np.tril(np.ones((811, 797), bool))
    with np.errstate(invalid="ignore"):
        return softmax(np.where(hidden, -np.inf, Q @ K.T)) @ V


@program(
    """
    input X : f32[1031, 29]
    input C : f32[1033, 29]
    D[i, c] = sum[f] (X[i, f] - C[c, f]) ** 2
    Best[i] = min[c] D[i, c]
    Cost = sum[i] Best[i]
    """,
    {"X": normal(1031, 29), "C": normal(1033, 29)},
    "Best:f32 Cost:f32",
)
def streamed_neighbours(X, C):
    best = ((X**2).sum(1)[:, None] - 2 * X @ C.T + (C**2).sum(1)).min(1)
    return {"Best": best, "Cost": best.sum()}


@program(
    """
    input X : f32[907, 31]
    input W : f32[31, 1201]
    input B : f32[1201]
    S[i, c] = (sum[f] (X[i, f] * W[f, c])) + B[c]
    L[i] = logsumexp[c](S[i, c])
    Loss = sum[i] L[i]
    """,
    {"X": normal(907, 31), "W": normal(31, 1201), "B": normal(1201)},
    "L:f32 Loss:f32",
)
def streamed_loss(X, W, B):
    sums = log_sum(X @ W + B)
    return {"L": sums, "Loss": sums.sum()}


# The mean is needed before anything is made of the scores: all columns at once.
@program(
    """
    input X : f32[919, 31]
    input W : f32[31, 733]
    input V : f32[733, 5]
    S[i, c] = sum[f] X[i, f] * W[f, c]
    N[i, c] = layernorm[c](S[i, c], 1e-5)
    O[i, e] = sum[c] max(N[i, c], 0) * V[c, e]
    """,
    {"X": normal(919, 31), "W": normal(31, 733), "V": normal(733, 5)},
    "O:f32",
)
def streamed_norms(X, W, V):
    scores = X @ W
    centred = scores - scores.mean(1, keepdims=True)
    normed = centred / np.sqrt((centred**2).mean(1, keepdims=True) + 1e-5)
    return np.maximum(normed, 0) @ V
