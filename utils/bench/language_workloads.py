"""What .ein has beside sums of products, for speed.py: gathers and scatters, running
values, sorts, random and complex numbers, loops."""

import numpy as np

from workloads import Workload, everywhere, normals

LANGUAGE = []


def workload(*args, **kwargs):
    LANGUAGE.append(Workload(*args, **kwargs))


workload(
    "gather", """
    input T : f32[{rows}, 256]
    input I : i64[{n}]
    output Y[n, d] = T[I[n], d]
    """,
    {"rows": 50_000, "n": 1_000_000}, {"rows": 500, "n": 10_000},
    lambda rng, rows, n: {"T": normals(rng, rows, 256), "I": rng.integers(0, rows, n)},
    "Y",
    numpy=lambda lib, T, I: T[I],
    torch=lambda lib, T, I: T.index_select(0, I),
    jax=lambda lib, T, I: T[I],
    moved=lambda rows, n: 2 * n * 1024,
)  # fmt: skip

for cells in (1_000, 1_000_000):
    workload(
        f"scatter-{cells}", """
        input A : i64[{n}]
        input X : f32[{n}]
        output S[A[n]:{cells}] = sum[n] X[n]
        """,
        {"n": 10_000_000, "cells": cells}, {"n": 100_000, "cells": cells},
        lambda rng, n, cells: {"A": rng.integers(0, cells, n), "X": normals(rng, n)},
        "S",
        numpy=lambda lib, A, X, cells=cells: lib.bincount(A, X, cells),
        torch=lambda lib, A, X, cells=cells: lib.zeros(cells).index_add(0, A, X),
        jax=lambda lib, A, X, cells=cells: lib.zeros(cells, X.dtype).at[A].add(X),
    )  # fmt: skip

workload(
    "cumsum", """
    input X : f32[{n}]
    output C[i] = cumsum[i] X[i]
    """,
    {"n": 100_000_000}, {"n": 1_000_000},
    lambda rng, n: {"X": normals(rng, n)},
    "C",
    **everywhere(lambda lib, X: X.cumsum(0)),
)  # fmt: skip

for name, axis, source in (
    ("argmax-rows", 1, "output I[i] = argmax[j] X[i, j]"),
    ("argmax-columns", 0, "output I[j] = argmax[i] X[i, j]"),
):
    workload(
        name, "input X : f32[{n}, {n}]\n" + source,
        {"n": 10_000}, {"n": 500},
        lambda rng, n: {"X": normals(rng, n, n)},
        "I",
        **everywhere(lambda lib, X, axis=axis: X.argmax(axis)),
    )  # fmt: skip

workload(
    "sort", """
    input X : f32[{n}]
    output S[r] = sort[i] X[i]
    """,
    {"n": 10_000_000}, {"n": 100_000},
    lambda rng, n: {"X": normals(rng, n)},
    "S",
    numpy=lambda lib, X: lib.sort(X),
    torch=lambda lib, X: X.sort().values,
    jax=lambda lib, X: lib.sort(X),
)  # fmt: skip


def topk_jax(_, X):
    from jax.lax import top_k

    return top_k(X, 5)[0]


workload(
    "topk", """
    input X : f32[{n}, 1000]
    V[n, r:5], I[n, r] = topk[c] X[n, c]
    output V, I
    """,
    {"n": 100_000}, {"n": 1_000},
    lambda rng, n: {"X": normals(rng, n, 1000)},
    "V",
    numpy=lambda lib, X: lib.sort(lib.partition(X, -5)[:, -5:])[:, ::-1],
    torch=lambda lib, X: X.topk(5).values,
    jax=topk_jax,
)  # fmt: skip


def normals_jax(lib, n):
    from jax.random import key, normal

    return normal(key(7), n, lib.float32)


workload(
    "normals", "output W[i:{n}] = random.normal[f32](7)\n",
    {"n": 100_000_000}, {"n": 1_000_000},
    None,
    "W",
    numpy=lambda lib, n: lib.random.default_rng(7).standard_normal(n, lib.float32),
    torch=lambda lib, n: lib.randn(n),
    jax=normals_jax,
    compared=False,
)  # fmt: skip


def complexes(rng, *shape):
    return (normals(rng, *shape) + 1j * normals(rng, *shape)).astype(np.complex64)


def complex_workload(name, source, shapes, draw, function):
    quick = {key: 100 for key in shapes}
    workload(name, source, shapes, quick, draw, "Z", **everywhere(function))


VECTORS = "input X : c64[{n}]\ninput Y : c64[{n}]\n"
for name, source, function in (
    ("map", "output Z[i] = X[i] * Y[i] + conj(X[i])", lambda lib, X, Y: X * Y + lib.conj(X)),
    ("abs", "output Z[i] = abs(X[i]) + re(Y[i])", lambda lib, X, Y: lib.abs(X) + Y.real),
    ("product", "output Z = sum[i] X[i] * Y[i]", lambda lib, X, Y: lib.dot(X, Y)),
):
    complex_workload(
        f"complex-{name}", VECTORS + source + "\n", {"n": 10_000_000},
        lambda rng, n: {"X": complexes(rng, n), "Y": complexes(rng, n)}, function,
    )  # fmt: skip
complex_workload(
    "complex-vector", """
    input M : c64[{n}, {m}]
    input V : c64[{m}]
    output Z[i] = sum[j] M[i, j] * V[j]
    """,
    {"n": 2_500, "m": 4_000},
    lambda rng, n, m: {"M": complexes(rng, n, m), "V": complexes(rng, m)},
    lambda lib, M, V: M @ V,
)  # fmt: skip


def jacobi_numpy(_, U0):
    U = U0
    for _ in range(1000):
        new = U.copy()
        new[1:-1, 1:-1] = 0.25 * (U[:-2, 1:-1] + U[2:, 1:-1] + U[1:-1, :-2] + U[1:-1, 2:])
        U = new
    return U


def jacobi_jax(_, U0):
    from jax.lax import fori_loop

    def sweep(_, U):
        inner = 0.25 * (U[:-2, 1:-1] + U[2:, 1:-1] + U[1:-1, :-2] + U[1:-1, 2:])
        return U.at[1:-1, 1:-1].set(inner)

    return fori_loop(0, 1000, sweep, U0)


SWEEP = (
    "V[i, j] = select([0 < i && i < {n} - 1 && 0 < j && j < {n} - 1], 0.25 * (pad(U, 0)[i - 1, j]"
    " + pad(U, 0)[i + 1, j] + pad(U, 0)[i, j - 1] + pad(U, 0)[i, j + 1]), U[i, j])"
)
workload(
    "jacobi", """
    input U0 : f32[{n}, {n}]
    repeat t:1000 (U = U0) {{
      """ + SWEEP + """
      next U[i, j] = V[i, j]
    }}
    output U
    """,
    {"n": 1024}, {"n": 64},
    lambda rng, n: {"U0": normals(rng, n, n)},
    "U",
    numpy=jacobi_numpy,
    jax=jacobi_jax,
)  # fmt: skip
workload(
    "jacobi-sweep", "input U : f32[{n}, {n}]\n" + SWEEP + "\noutput V\n",
    {"n": 1024}, {"n": 64},
    lambda rng, n: {"U": normals(rng, n, n)},
    "V",
    compared=False,
)  # fmt: skip

workload(
    "loop", """
    input S : f32
    repeat t:100000 (X = S) {{
      next X = 0.5 * X + 1
    }}
    output X
    """,
    {}, {},
    lambda rng: {"S": np.float32(3)},
    "X",
    compared=False,
)  # fmt: skip


def lstm_numpy(_, X, W, R, B):
    h = np.zeros((X.shape[1], R.shape[0]), X.dtype)
    c = h
    sigmoid = lambda x: 1 / (1 + np.exp(-x))  # noqa: E731
    width = R.shape[0]
    for x in X:
        z = x @ W.reshape(len(W), -1) + h @ R.reshape(width, -1) + B.ravel()
        i, f, g, o = z[:, :width], z[:, width : 2 * width], z[:, 2 * width : 3 * width], z[:, 3 * width :]
        c = sigmoid(f) * c + sigmoid(i) * np.tanh(g)
        h = sigmoid(o) * np.tanh(c)
    return h


def lstm_torch(torch, X, W, R, B):
    inputs, width = W.shape[0], R.shape[0]
    layer = torch.nn.LSTM(inputs, width)
    with torch.no_grad():
        layer.weight_ih_l0.copy_(W.reshape(inputs, -1).T)
        layer.weight_hh_l0.copy_(R.reshape(width, -1).T)
        layer.bias_ih_l0.copy_(B.ravel())
        layer.bias_hh_l0.zero_()
        return layer(X)[1][0][0]


def lstm_jax(lib, X, W, R, B):
    from jax.lax import scan
    from jax.nn import sigmoid

    width = R.shape[0]

    def step(state, x):
        h, c = state
        z = x @ W.reshape(W.shape[0], -1) + h @ R.reshape(width, -1) + B.ravel()
        i, f, g, o = lib.split(z, 4, axis=1)
        c = sigmoid(f) * c + sigmoid(i) * lib.tanh(g)
        return (sigmoid(o) * lib.tanh(c), c), None

    zero = lib.zeros((X.shape[1], width), X.dtype)
    return scan(step, (zero, zero), X)[0][0]


workload(
    "lstm", """
    input X : f32[{steps}, {batch}, {width}]
    input W : f32[{width}, 4, {width}]
    input R : f32[{width}, 4, {width}]
    input B : f32[4, {width}]
    repeat t:{steps} (H[b:{batch}, h:{width}] = f32(0), C[b:{batch}, h:{width}] = f32(0)) {{
      Z[b, g, h] = (sum[a](X[t, b, a] * W[a, g, h])) + (sum[a](H[b, a] * R[a, g, h])) + B[g, h]
      N[b, h] = sigmoid(Z[b, 1, h]) * C[b, h] + sigmoid(Z[b, 0, h]) * tanh(Z[b, 2, h])
      next C[b, h] = N[b, h]
      next H[b, h] = sigmoid(Z[b, 3, h]) * tanh(N[b, h])
    }}
    output H
    """,
    {"steps": 200, "batch": 128, "width": 512}, {"steps": 5, "batch": 8, "width": 16},
    lambda rng, steps, batch, width: {
        "X": normals(rng, steps, batch, width), "W": normals(rng, width, 4, width) / 30,
        "R": normals(rng, width, 4, width) / 30, "B": normals(rng, 4, width),
    },
    "H",
    numpy=lstm_numpy, torch=lstm_torch, jax=lstm_jax,
)  # fmt: skip
