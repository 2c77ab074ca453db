#!/usr/bin/python3
"""Runs an example of the white paper whole and shard by shard: both have NumPy's values.

    check.py NAME --devices N [-D param=value ...]
"""

import argparse
import pathlib
import sys

import numpy as np

FOLDER = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(FOLDER.parents[1] / "Integration"))

from harness import compare, driver  # noqa: E402


def normal(*shape):
    return np.random.default_rng(len(shape) + sum(shape)).standard_normal(shape).astype(np.float32)


def linear(N, I, O, **_):
    X, W, b = normal(N, I), normal(I, O), normal(O)
    return {"X": X, "W": W, "b": b}, {"Y": X.astype(np.float64) @ W + b}


def convolution(N, S, C, **_):
    X, F = normal(N, 1, S, S), normal(C, 1, 3, 3)
    windows = np.lib.stride_tricks.sliding_window_view(X.astype(np.float64), (3, 3), (2, 3))
    return {"X": X, "F": F}, {"Y": np.einsum("ncyxab,kcab->nkyx", windows, F)}


def prod(N, I, O, **_):
    X, W = normal(N, I), normal(I, O)
    V = X.astype(np.float64)[:, :, None] * W[None]
    return {"X": X, "W": W}, {"V": V, "Y": V.sum(1)}


def expression_graph():
    A1, A2, B = normal(500, 10), normal(501, 10)[1:], normal(10)
    return {"A.1": A1, "A.2": A2, "B": B}, {"C": np.concatenate([A1, A2]) + B}


def piecewise_tensors():
    parts = {f"X.{n}": normal(5 + n, 4)[n:] for n in (1, 2, 3)}
    X = np.concatenate(list(parts.values())).astype(np.float64)
    return parts, {"Rows": 2 * X[6:9], "Both": X[3:8].sum(0)}


def reductions(N, I, **_):
    A, B = normal(N, I), np.random.default_rng(N).integers(-(2**31), 2**31, (N, I), np.int32)
    wide = A.astype(np.float64)
    S, P, M, U = wide.sum(1), wide.prod(1), wide.max(1), np.abs(wide).max(1)
    return {"A": A, "B": B}, {"S": S, "P": P, "M": M, "X": np.bitwise_xor.reduce(B, 1), "U": U}


def sparse_convolution():
    X, F = normal(3, 12), normal(2, 3)
    windows = np.lib.stride_tricks.sliding_window_view(X.astype(np.float64), 5, 1)[:, :, ::2]
    Y = np.einsum("iyr,kr->iky", windows, F)
    return {"X": X, "F": F}, {"Sparse": Y, "Dense": Y}


EXAMPLES = {
    "linear": linear,
    "convolution": convolution,
    "prod": prod,
    "expression-graph": expression_graph,
    "piecewise-tensors": piecewise_tensors,
    "reductions": reductions,
    "sparse-convolution": sparse_convolution,
}


def check(name, devices, params):
    inputs, wanted = EXAMPLES[name](**params)
    given = [f"-D{key}={value}" for key, value in params.items()]
    program = FOLDER / f"{name}.ein"
    with driver.workspace() as folder:
        files = driver.save_inputs(folder, inputs)
        outputs = driver.output_options(wanted)

        def tapestry(*words):
            return driver.tapestry(*words, cwd=folder).expect_status(0)

        def compare_with(what):
            for output, value in driver.load_outputs(folder, wanted).items():
                compare.check_close(f"{output} of {what}", value, wanted[output], 1e-5)

        if program.exists():
            planned = tapestry(
                "compile", program, *given, f"--devices={devices}", "--stop-after=plan"
            ).stdout
            tapestry("run", program, *given, f"--devices={devices}", *files, *outputs)
            compare_with("the run")
        else:
            planned = (FOLDER.parent / f"{name}.mlir").read_text()
        (folder / "planned.mlir").write_text(planned)
        shard = ["--tapestry-shard"] if devices > 1 else []
        for passes in (shard, [*shard, "--tapestry-compose-selectors"]):
            words = ["tapestry-opt", "planned.mlir", *passes, "-o", "shards.mlir"]
            driver.execute(words, cwd=folder).expect_status(0)
            tapestry("reference", "shards.mlir", *files, *outputs)
            compare_with(f"the reference behind {passes}")
            for other in (1, 3):
                tapestry("run", "shards.mlir", f"--devices={other}", *files, *outputs)
                compare_with(f"the run on {other} behind {passes}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("name", choices=EXAMPLES)
    parser.add_argument("--devices", type=int, required=True)
    parser.add_argument("-D", action="append", default=[])
    options = parser.parse_args()
    params = {key: int(value) for key, value in (word.split("=") for word in options.D)}
    check(options.name, options.devices, params)


if __name__ == "__main__":
    main()
