"""Examples that iterate: the values of NumPy's loops."""

import numpy as np

from ..programs.registry import Input, booleans, normal
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


