"""Examples that iterate: the values of NumPy's loops."""

import numpy as np
from scipy.special import expit

from ..programs.neural import softmax
from ..programs.registry import Input, booleans, integers, normal
from .registry import example


def _clusters(rng):
    centres = 10 * rng.standard_normal((4, 3))
    return centres[rng.integers(0, 4, 61)] + rng.standard_normal((61, 3))


@example(
    {"N": 61, "K": 5, "F": 3}, {"X": Input("f32", _clusters), "Start": normal(5, 3, scale=8)},
    "C:f32 Group:i64 Passes:i64",
)  # fmt: skip
def kmeans(X, Start):
    C = Start
    for passes in range(1, 101):
        mine = ((X[:, None] - C) ** 2).sum(2).argmin(1)
        new = np.array([X[mine == k].mean(0) if (mine == k).any() else C[k] for k in range(5)])
        moved = np.abs(new.astype(np.float32) - C.astype(np.float32)).max()
        C = new
        if moved == 0:
            break
    group = ((X[:, None] - C) ** 2).sum(2).argmin(1)
    return {"C": C, "Group": group, "Passes": np.int64(passes)}


def _links(rng):
    links = (rng.random((41, 41)) < 0.1).astype(np.float32)
    links[:, 7] = 0
    return links


@example({"n": 41}, {"Links": Input("f32", _links)}, "Rank:f32")
def pagerank(Links):
    degree = Links.sum(0)
    R = np.full(41, 1 / 41)
    for _ in range(200):
        given = np.divide(R, degree, out=np.zeros(41), where=degree > 0)
        new = 0.15 / 41 + 0.85 * (R[degree == 0].sum() / 41 + Links @ given)
        change, R = np.abs(new - R).sum(), new
        if change < 1e-6:
            break
    return R


def _positive(rng):
    A = rng.standard_normal((37, 37))
    return A @ A.T / 37 + np.eye(37)


@example({"n": 37}, {"A": Input("f32", _positive), "B": normal(37)}, "X:f32")
def conjugate_gradients(A, B):
    return np.linalg.solve(A, B)


@example({"n": 23, "steps": 11}, {"Start": normal(23, 23)}, "U:f32 Total:f32")
def heat(Start):
    U = Start
    for _ in range(11):
        E = np.pad(U, [(1, 1), (0, 0)], "edge")
        U = U + 0.2 * (E[:-2] + E[2:] + np.roll(U, 1, 1) + np.roll(U, -1, 1) - 4 * U)
    return {"U": U, "Total": U.sum()}


def _lengths(rng):
    lengths = rng.uniform(1, 9, (29, 29))
    lengths[rng.random((29, 29)) < 0.8] = np.inf
    np.fill_diagonal(lengths, 0)
    return lengths


@example({"n": 29}, {"Length": Input("f32", _lengths)}, "D:f32")
def floyd_warshall(Length):
    D = Length
    for k in range(29):
        D = np.minimum(D, D[:, k, None] + D[k])
    return D


@example({"n": 19, "steps": 13}, {"Start": booleans(19, 19, chance=0.4)}, "Alive:bool Living:i64")
def life(Start):
    alive = Start.astype(int)
    for _ in range(13):
        near = sum(np.roll(alive, (y, x), (0, 1)) for y in (-1, 0, 1) for x in (-1, 0, 1))
        alive = ((near == 3) | ((alive == 1) & (near == 4))).astype(int)
    return {"Alive": alive == 1, "Living": alive.sum()}


@example(
    {"T": 11, "B": 3, "D": 5, "H": 7},
    {
        "X": normal(11, 3, 5), "W": normal(5, 4, 7, scale=0.4), "R": normal(7, 4, 7, scale=0.4),
        "Bias": normal(4, 7),
    },
    "Y:f32 State:f32 Cell:f32",
)  # fmt: skip
def lstm(X, W, R, Bias):
    state = cell = np.zeros((3, 7))
    states = []
    for x in X:
        Z = np.einsum("bd,dgh->bgh", x, W) + np.einsum("bk,kgh->bgh", state, R) + Bias
        cell = expit(Z[:, 1]) * cell + expit(Z[:, 0]) * np.tanh(Z[:, 2])
        state = expit(Z[:, 3]) * np.tanh(cell)
        states.append(state)
    return {"Y": np.array(states), "State": state, "Cell": cell}


@example(
    {"B": 3, "N": 7, "V": 19, "D": 12, "H": 3},
    {
        "First": integers(0, 18, 3, type="i64"), "Words": normal(19, 12),
        **{w: normal(12, 3, 4, scale=0.4) for w in ("WQ", "WK", "WV")},
        "WO": normal(3, 4, 12, scale=0.4),
    },
    "Out:i64",
)  # fmt: skip
def decode(First, Words, WQ, WK, WV, WO):
    tokens, keys, values, out = First, [], [], []
    for _ in range(7):
        x = Words[tokens]
        q, k, v = (np.einsum("bd,dhe->bhe", x, w) for w in (WQ, WK, WV))
        keys.append(k)
        values.append(v)
        weights = softmax(np.einsum("bhe,sbhe->bhs", q, keys) / 2)
        r = x + np.einsum("bhs,sbhe,hed->bd", weights, values, WO)
        tokens = (r @ Words.T).argmax(1)
        out.append(tokens)
    return np.array(out)


def _log_shares(*shape):
    return Input("f32", lambda rng: np.log(rng.dirichlet(np.ones(shape[-1]), shape[:-1])))


@example(
    {"T": 17, "S": 5, "M": 6},
    {
        "First": _log_shares(5), "Step": _log_shares(5, 5), "Emit": _log_shares(5, 6),
        "Seen": integers(0, 5, 17),
    },
    "Path:i64 Score:f32",
)  # fmt: skip
def viterbi(First, Step, Emit, Seen):
    best, back = First + Emit[:, Seen[0]], []
    for seen in Seen[1:]:
        way = best[:, None] + Step
        back.append(way.argmax(0))
        best = way.max(0) + Emit[:, seen]
    path = [best.argmax()]
    for origin in reversed(back):
        path.append(origin[path[-1]])
    return {"Path": np.array(path[::-1]), "Score": best.max()}
