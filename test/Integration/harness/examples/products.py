"""Examples of products, layers and windows."""

import numpy as np
from scipy import special

from ..programs.neural import softmax
from ..programs.registry import Input, integers, normal, one_hot
from ..programs.windows import correlate
from .registry import example


@example({"s": 37}, {name: normal(37, 37) for name in "ABCDE"}, "Z:f32")
def chain(A, B, C, D, E):
    return A @ B + C @ (D @ E)


@example({"s": 40}, {
    "A": normal(40, 4), "B": normal(4, 40), "C": normal(40, 4), "D": normal(4, 400),
    "E": normal(400, 40),
}, "Z:f32")
def chain_skewed(A, B, C, D, E):
    return A @ B + C @ (D @ E)


@example(
    {"B": 2, "H": 3, "S": 9, "A": 14, "D": 5},
    {"X": normal(2, 9, 14), **{w: normal(14, 3, 5, scale=0.4) for w in ("WQ", "WK", "WV", "WO")}},
    "Y:f32",
)
def attention(X, WQ, WK, WV, WO):
    Y = np.zeros_like(X)
    for h in range(3):
        q, k, v = X @ WQ[:, h], X @ WK[:, h], X @ WV[:, h]
        Y += softmax(q @ k.swapaxes(1, 2) / np.sqrt(5)) @ v @ WO[:, h].T
    return Y


@example(
    {"N": 3, "S": 10, "C": 5},
    {"X": normal(3, 3, 10, 10), "W1": normal(5, 3, 3, 3), "W2": normal(5, 5, 3, 3)},
    "A2:f32 Mean:f32",
)
def conv(X, W1, W2):
    first = np.maximum(correlate(X, W1, padding=1), 0)
    pooled = first.reshape(3, 5, 5, 2, 5, 2).max((3, 5))
    second = correlate(pooled, W2)
    return {"A2": second, "Mean": second.mean((2, 3))}


@example(
    {"N": 57, "K": 5, "F": 4},
    {"X": normal(57, 4), "C": normal(5, 4)},
    "Linf:f32 Count:i32 Cn:f32",
)
def distances(X, C):
    mine = ((X[:, None] - C) ** 2).sum(2).argmin(1)
    groups = [X[mine == k] for k in range(5)]
    return {
        "Linf": np.abs(X[:, None] - C).max(2),
        "Count": np.array([len(group) for group in groups]),
        "Cn": np.array([group.sum(0) / max(len(group), 1) for group in groups]),
    }


def _sparse_graph(rng):
    lengths = rng.uniform(1, 9, (23, 23))
    lengths[rng.random((23, 23)) < 0.8] = np.inf
    np.fill_diagonal(lengths, 0)
    return lengths


@example(
    {"n": 23}, {"D": Input("f32", _sparse_graph)}, "Dn:f32 Reach:i32 Far:f32", exact={"Dn", "Far"}
)
def shortest_paths(D):
    Dn = (D.astype(np.float32)[:, :, None] + D.astype(np.float32)[None]).min(1)
    known = np.isfinite(Dn)
    return {"Dn": Dn, "Reach": known.sum(1), "Far": Dn[known].max()}


def _step(X, Y, W1, W2, rate):
    hidden = X @ W1
    active = np.maximum(hidden, 0)
    probability = softmax(active @ W2)
    slope = (probability - Y) / len(X)
    back = np.where(hidden > 0, slope @ W2.T, 0)
    return {
        "W1n": W1 - rate * X.T @ back,
        "W2n": W2 - rate * active.T @ slope,
        "Loss": -np.log((probability * Y).sum(1)).mean(),
    }


@example(
    {"B": 14, "F": 33, "H": 20, "O": 11},
    {
        "X": normal(14, 33), "W1": normal(33, 20, scale=0.3), "W2": normal(20, 11, scale=0.3),
        "Y": one_hot(14, 11),
    },
    "W1n:f32 W2n:f32",
)
def classifier(X, W1, W2, Y):
    step = _step(X, Y, W1, W2, 0.01)
    return {name: step[name] for name in ("W1n", "W2n")}


DIGITS = {
    "X": normal(29, 17), "Y": one_hot(29, 10), "W1": normal(17, 12, scale=0.3),
    "W2": normal(12, 10, scale=0.3),
}


@example({"B": 29, "F": 17, "H": 12}, DIGITS, "W1n:f32 W2n:f32 Loss:f32")
def digits_train(X, Y, W1, W2):
    return _step(X, Y, W1, W2, 0.5)


@example({"B": 29, "F": 17, "H": 12}, DIGITS, "Hits:i32 Accuracy:f32")
def digits_test(X, Y, W1, W2):
    right = (np.maximum(X @ W1, 0) @ W2).argmax(1) == Y.argmax(1)
    return {"Hits": np.asarray(right.sum()), "Accuracy": right.mean()}


def _rope(x):
    """Rotary positions of x[..., s, e]."""
    s, e = x.shape[-2:]
    angles = np.outer(np.arange(s), 10000.0 ** (-2 * np.arange(e // 2) / e))
    turn = np.exp(1j * angles) * (x[..., : e // 2] + 1j * x[..., e // 2 :])
    return np.concatenate([turn.real, turn.imag], -1)


def _rmsnorm(x, scale):
    return x / np.sqrt((x**2).mean(-1, keepdims=True) + 1e-6) * scale


@example(
    {"B": 2, "S": 7, "V": 23, "D": 12, "H": 3},
    {
        "Tok": integers(0, 22, 2, 7), "Target": integers(0, 22, 2, 7), "Words": normal(23, 12),
        "Scale": normal(5, 12), **{w: normal(2, 12, 3, 4, scale=0.4) for w in ("WQ", "WK", "WV")},
        "WO": normal(2, 3, 4, 12, scale=0.4), "W1": normal(2, 12, 48, scale=0.3),
        "B1": normal(2, 48), "W2": normal(2, 48, 12, scale=0.3), "WU": normal(12, 23, scale=0.4),
    },
    "Loss:f32 Next:f32",
)  # fmt: skip
def language_model(Tok, Target, Words, Scale, WQ, WK, WV, WO, W1, B1, W2, WU):
    X = Words[Tok]
    for l in range(2):
        A = _rmsnorm(X, Scale[2 * l])
        q, k, v = (np.einsum("bsd,dhe->bhse", A, w[l]) for w in (WQ, WK, WV))
        scores = np.einsum("bhse,bhte->bhst", _rope(q), _rope(k)) / 2
        scores = np.where(np.tri(7, dtype=bool), scores, -np.inf)
        X = X + np.einsum("bhst,bhte,hed->bsd", softmax(scores), v, WO[l])
        hidden = _rmsnorm(X, Scale[2 * l + 1]) @ W1[l] + B1[l]
        X = X + hidden * special.ndtr(hidden) @ W2[l]
    Y = _rmsnorm(X, Scale[4]).reshape(14, 12)
    guess, hit = softmax(Y @ WU), np.eye(23)[Target.ravel()]
    return {
        "Loss": -np.log((guess * hit).sum(1)).mean(),
        "Next": WU - 0.1 * Y.T @ (guess - hit) / 14,
    }
