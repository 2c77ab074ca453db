#!/usr/bin/python3
"""Times what .ein has beside sums of products, beside NumPy, torch and JAX.

    language.py [--build build] [--repetitions 5] [--quick] [WORKLOAD ...]

Every workload runs on one rank, on two, and in those of the peers that can be
imported, each on one thread, in turns; the least of the repetitions counts. Ours is
report.json's seconds of a pass, without compilation and files. `again` is a further
pass, into memory that the first has touched. `copy` and `fresh` are the times to copy as
many bytes as the workload reads and writes at least, into memory that has been touched
(beside `again`) and into memory that has not. Run it on an idle machine.
"""

import argparse
import dataclasses
import importlib
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time
from typing import Callable

for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[variable] = "1"
os.environ["XLA_FLAGS"] = "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1"
PROCESSORS = os.sched_getaffinity(0)
ANYWHERE = ["taskset", "-c", ",".join(map(str, PROCESSORS))]

import numpy as np  # noqa: E402

from bench import ROOT, machine  # noqa: E402


def importable(name):
    try:
        return importlib.import_module(name)
    except ImportError:
        return None


torch = importable("torch")
jax = importable("jax")


@dataclasses.dataclass
class Workload:
    """`source` has {n} where --quick makes it smaller. The peers' functions take the
    inputs by name and give the result, which is compared with ours."""

    name: str
    source: str
    sizes: dict
    quick: dict
    draw: Callable | None
    output: str
    numpy: Callable
    torch: Callable | None = None
    jax: Callable | None = None
    moved: Callable | None = None
    passes: int = 1
    compared: bool = True


WORKLOADS = []


def workload(*args, **kwargs):
    WORKLOADS.append(Workload(*args, **kwargs))


def normals(rng, *shape):
    return rng.standard_normal(shape, np.float32)


workload(
    "gather", """
    input T : f32[{rows}, 256]
    input I : i64[{n}]
    output Y[n, d] = T[I[n], d]
    """,
    {"rows": 50_000, "n": 1_000_000}, {"rows": 500, "n": 10_000},
    lambda rng, rows, n: {"T": normals(rng, rows, 256), "I": rng.integers(0, rows, n)},
    "Y",
    numpy=lambda T, I: T[I],
    torch=lambda T, I: T.index_select(0, I),
    jax=lambda T, I: T[I],
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
        numpy=lambda A, X, cells=cells: np.bincount(A, X, cells),
        torch=lambda A, X, cells=cells: torch.zeros(cells).index_add(0, A, X),
        jax=lambda A, X, cells=cells: jax.numpy.zeros(cells).at[A].add(X),
    )  # fmt: skip

workload(
    "cumsum", """
    input X : f32[{n}]
    output C[i] = cumsum[i] X[i]
    """,
    {"n": 100_000_000}, {"n": 1_000_000},
    lambda rng, n: {"X": normals(rng, n)},
    "C",
    numpy=lambda X: np.cumsum(X),
    torch=lambda X: X.cumsum(0),
    jax=lambda X: X.cumsum(),
    moved=lambda n: 8 * n,
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
        numpy=lambda X, axis=axis: X.argmax(axis),
        torch=lambda X, axis=axis: X.argmax(axis),
        jax=lambda X, axis=axis: X.argmax(axis),
        moved=lambda n: 4 * n * n,
    )  # fmt: skip

workload(
    "sort", """
    input X : f32[{n}]
    output S[r] = sort[i] X[i]
    """,
    {"n": 10_000_000}, {"n": 100_000},
    lambda rng, n: {"X": normals(rng, n)},
    "S",
    numpy=lambda X: np.sort(X),
    torch=lambda X: X.sort().values,
    jax=lambda X: jax.numpy.sort(X),
)  # fmt: skip

workload(
    "topk", """
    input X : f32[{n}, 1000]
    V[n, r:5], I[n, r] = topk[c] X[n, c]
    output V, I
    """,
    {"n": 100_000}, {"n": 1_000},
    lambda rng, n: {"X": normals(rng, n, 1000)},
    "V",
    numpy=lambda X: np.sort(np.partition(X, -5)[:, -5:])[:, ::-1],
    torch=lambda X: X.topk(5).values,
    jax=lambda X: jax.lax.top_k(X, 5)[0],
    moved=lambda n: 4 * n * 1000,
)  # fmt: skip

workload(
    "normals", "output W[i:{n}] = random.normal[f32](7)\n",
    {"n": 100_000_000}, {"n": 1_000_000},
    None,
    "W",
    numpy=lambda n: np.random.default_rng(7).standard_normal(n, np.float32),
    torch=lambda n: torch.randn(n),
    jax=lambda n: jax.random.normal(jax.random.key(7), n),
    compared=False,
)  # fmt: skip


def complexes(rng, *shape):
    return (normals(rng, *shape) + 1j * normals(rng, *shape)).astype(np.complex64)


def complex_workload(name, source, shapes, draw, calls, moved):
    workload(
        name, source, shapes, {key: 100 for key in shapes}, draw, "Z",
        numpy=calls(np), torch=calls(torch), jax=calls(jax and jax.numpy), moved=moved,
    )  # fmt: skip


VECTORS = "input X : c64[{n}]\ninput Y : c64[{n}]\n"
for name, source, calls, moved in (
    ("map", "output Z[i] = X[i] * Y[i] + conj(X[i])", lambda lib: lambda X, Y: X * Y + lib.conj(X),
     lambda n: 24 * n),
    ("abs", "output Z[i] = abs(X[i]) + re(Y[i])", lambda lib: lambda X, Y: lib.abs(X) + Y.real,
     lambda n: 20 * n),
    ("product", "output Z = sum[i] X[i] * Y[i]", lambda lib: lambda X, Y: lib.dot(X, Y),
     lambda n: 16 * n),
):  # fmt: skip
    complex_workload(
        f"complex-{name}", VECTORS + source + "\n", {"n": 10_000_000},
        lambda rng, n: {"X": complexes(rng, n), "Y": complexes(rng, n)}, calls, moved,
    )  # fmt: skip
complex_workload(
    "complex-vector", """
    input M : c64[{n}, {m}]
    input V : c64[{m}]
    output Z[i] = sum[j] M[i, j] * V[j]
    """,
    {"n": 2_500, "m": 4_000},
    lambda rng, n, m: {"M": complexes(rng, n, m), "V": complexes(rng, m)},
    lambda lib: lambda M, V: M @ V,
    lambda n, m: 8 * n * m,
)  # fmt: skip


def jacobi_numpy(U):
    for _ in range(1000):
        new = U.copy()
        new[1:-1, 1:-1] = 0.25 * (U[:-2, 1:-1] + U[2:, 1:-1] + U[1:-1, :-2] + U[1:-1, 2:])
        U = new
    return U


def jacobi_jax(U):
    def sweep(_, U):
        inner = 0.25 * (U[:-2, 1:-1] + U[2:, 1:-1] + U[1:-1, :-2] + U[1:-1, 2:])
        return U.at[1:-1, 1:-1].set(inner)

    return jax.lax.fori_loop(0, 1000, sweep, U)


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
    numpy=lambda U0: jacobi_numpy(U0),
    jax=lambda U0: jacobi_jax(U0),
)  # fmt: skip
workload(
    "jacobi-sweep", "input U : f32[{n}, {n}]\n" + SWEEP + "\noutput V\n",
    {"n": 1024}, {"n": 64},
    lambda rng, n: {"U": normals(rng, n, n)},
    "V",
    numpy=lambda U: U,
    passes=1000,
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
    numpy=lambda S: np.float32(2),
    compared=False,
)  # fmt: skip


def lstm_numpy(X, W, R, B):
    h = np.zeros((X.shape[1], R.shape[0]), np.float32)
    c = h
    sigmoid = lambda x: 1 / (1 + np.exp(-x))  # noqa: E731
    width = R.shape[0]
    for x in X:
        z = x @ W.reshape(len(W), -1) + h @ R.reshape(width, -1) + B.ravel()
        i, f, g, o = z[:, :width], z[:, width : 2 * width], z[:, 2 * width : 3 * width], z[:, 3 * width :]
        c = sigmoid(f) * c + sigmoid(i) * np.tanh(g)
        h = sigmoid(o) * np.tanh(c)
    return h


def lstm_torch(X, W, R, B):
    inputs, width = W.shape[0], R.shape[0]
    layer = torch.nn.LSTM(inputs, width)
    with torch.no_grad():
        layer.weight_ih_l0.copy_(W.reshape(inputs, -1).T)
        layer.weight_hh_l0.copy_(R.reshape(width, -1).T)
        layer.bias_ih_l0.copy_(B.ravel())
        layer.bias_hh_l0.zero_()
        return layer(X)[1][0][0]


def lstm_jax(X, W, R, B):
    width = R.shape[0]

    def step(state, x):
        h, c = state
        z = x @ W.reshape(W.shape[0], -1) + h @ R.reshape(width, -1) + B.ravel()
        i, f, g, o = jax.numpy.split(z, 4, axis=1)
        c = jax.nn.sigmoid(f) * c + jax.nn.sigmoid(i) * jax.numpy.tanh(g)
        return (jax.nn.sigmoid(o) * jax.numpy.tanh(c), c), None

    zero = jax.numpy.zeros((X.shape[1], width))
    return jax.lax.scan(step, (zero, zero), X)[0][0]


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


class Runner:
    def __init__(self, tapestry, folder, repetitions):
        self.tapestry = tapestry
        self.folder = pathlib.Path(folder)
        self.repetitions = repetitions

    def ours(self, work, arrays, devices, output=None, passes=None):
        """Seconds of all passes."""
        files = [word for name in arrays for word in ("-i", f"{name}={name}.npy")]
        if output:
            files += ["-o", f"{output}=out.npy"]
        passes = passes or work.passes
        words = ["run", "w.ein", "-q", f"--devices={devices}", f"--repeat={passes}"]
        done = subprocess.run(
            [*ANYWHERE, self.tapestry, *words, "--report=r.json", *files], cwd=self.folder,
            capture_output=True, text=True,
        )  # fmt: skip
        if done.returncode:
            sys.exit(f"{work.name}: status {done.returncode}\n{done.stderr}")
        return json.loads((self.folder / "r.json").read_text())["seconds"]

    def peers(self, work, arrays, sizes):
        """Name to a function without arguments, which waits for its result. What
        draws nothing is given the sizes."""
        numbers = {} if work.draw else sizes
        runs = {"numpy": lambda: work.numpy(**arrays, **numbers)}
        if torch and work.torch:
            torch.set_num_threads(1)
            given = {name: torch.from_numpy(np.asarray(a)) for name, a in arrays.items()}
            runs["torch"] = lambda: work.torch(**given, **numbers)
        if jax and work.jax:
            held = {name: jax.numpy.asarray(a) for name, a in arrays.items()}
            compiled = jax.jit(work.jax, static_argnames=list(numbers))
            runs["jax"] = lambda: compiled(**held, **numbers).block_until_ready()
        return runs

    def measure(self, work, quick):
        sizes = work.quick if quick else work.sizes
        arrays = work.draw(np.random.default_rng(5), **sizes) if work.draw else {}
        for name, array in arrays.items():
            np.save(self.folder / f"{name}.npy", array)
        lines = work.source.format(**sizes).strip().splitlines()
        (self.folder / "w.ein").write_text("\n".join(line.strip() for line in lines) + "\n")
        self.ours(work, arrays, 1, work.output)
        if work.compared:
            got, wanted = np.load(self.folder / "out.npy"), work.numpy(**arrays)
            scale = np.abs(wanted).max() + 1e-30
            wide = np.complex128 if np.iscomplexobj(got) else np.float64
            error = np.abs(got.astype(wide) - wanted).max() / scale
            if not error < 1e-3:
                sys.exit(f"{work.name}: differs from NumPy by {error:.1e} of the largest")
        least = {}

        def note(name, seconds):
            least[name] = min(least.get(name, seconds), seconds)

        peers = self.peers(work, arrays, sizes) if work.compared or not work.draw else {}
        for run in peers.values():
            run()
        copied = np.ones(work.moved(**sizes) // 8, np.float32) if work.moved else None
        target = np.empty_like(copied) if work.moved else None
        if work.moved:
            np.copyto(target, copied)
        for _ in range(self.repetitions):
            note("one", self.ours(work, arrays, 1) / work.passes)
            note("two", self.ours(work, arrays, 2) / work.passes)
            timed = dict(peers)
            if work.moved:
                note("again", self.ours(work, arrays, 1, passes=5))
                timed["copy"] = lambda: np.copyto(target, copied)
                timed["fresh"] = lambda: copied.copy()
            for name, run in timed.items():
                start = time.perf_counter()
                run()
                note(name, time.perf_counter() - start)
        if "again" in least:
            least["again"] = (least["again"] - least["one"]) / 4
        return least


def show(name, least):
    one = least.pop("one")
    cells = [f"{name:<16}", f"one {one * 1e3:9.2f} ms"]
    cells.append(f"two {one / least.pop('two'):5.2f} x")
    if "again" in least:
        again = least.pop("again")
        cells.append(f"again {again * 1e3:9.2f} ms copy {least.pop('copy') / again:5.2f}")
    for peer, seconds in least.items():
        cells.append(f"{peer} {seconds / one:5.2f}")
    print("  ".join(cells), flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", default=os.environ.get("TAPESTRY_BUILD", ROOT / "build"))
    parser.add_argument("--repetitions", type=int, default=5)
    parser.add_argument("--quick", action="store_true", help="small sizes: does it work at all")
    parser.add_argument("workloads", nargs="*", metavar="WORKLOAD")
    options = parser.parse_args()
    tapestry = pathlib.Path(options.build).resolve() / "bin" / "tapestry"
    if not tapestry.exists():
        sys.exit(f"{tapestry} is not there; run utils/build.sh first")
    unknown = set(options.workloads) - {work.name for work in WORKLOADS}
    if unknown:
        sys.exit(f"no workload {sorted(unknown)}; there are {[w.name for w in WORKLOADS]}")
    print(f"{machine()}; least of {options.repetitions}; of peers and copy their time over ours")
    # JAX takes a thread for each processor that it may run on, whatever its flags say.
    os.sched_setaffinity(0, {max(PROCESSORS)})
    with tempfile.TemporaryDirectory() as folder:
        runner = Runner(tapestry, folder, options.repetitions)
        for work in WORKLOADS:
            if not options.workloads or work.name in options.workloads:
                show(work.name, runner.measure(work, options.quick))


if __name__ == "__main__":
    main()
