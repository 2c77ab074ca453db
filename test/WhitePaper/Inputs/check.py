#!/usr/bin/python3
"""Runs an example of the white paper whole and shard by shard: both have NumPy's values.

    check.py NAME --devices N [--cost MODEL] [-D param=value ...] [--graph FILE ...]
             [--unsent 1,2 --most-copied BYTES]
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


def linear_relu():
    inputs, outputs = linear(10, 7, 6)
    return inputs, {"Z": np.maximum(outputs["Y"], 0)}


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
    parts = {f"X.{n}": normal(500 + n, 10, 10)[n:] for n in (1, 2)}
    X = np.concatenate(list(parts.values())).astype(np.float64)
    return parts, {"Rows": 2 * X[600:700], "Both": X[498:503].sum(0), "Y": 2 * X}


def views_and_broadcast_strides():
    T, A = np.arange(8, 12), np.arange(10, 70, 10).reshape(2, 3)
    draw = np.random.default_rng(811).integers
    W, U, P = (draw(-99, 99, shape) for shape in (4, (3, 2), (4, 2)))
    return {"T": T, "A": A, "W": W, "U": U, "P": P}, {
        "RW": T[::-1] * W, "BU": A.T * U, "VW": (T - W).reshape(1, 1, 4, 1), "MP": T[:, None] * P
    }  # fmt: skip


def reductions(N, I, **_):
    A, B = normal(N, I), np.random.default_rng(N).integers(-(2**31), 2**31, (N, I), np.int32)
    wide = A.astype(np.float64)
    S, P, M, U = wide.sum(1), wide.prod(1), wide.max(1), np.abs(wide).max(1)
    return {"A": A, "B": B}, {"S": S, "P": P, "M": M, "X": np.bitwise_xor.reduce(B, 1), "U": U}


def sparse_convolution():
    X, F = normal(5, 1, 9, 14), normal(7, 1, 3, 3)
    windows = np.lib.stride_tricks.sliding_window_view(X.astype(np.float64), (3, 5), (2, 3))
    Y = np.einsum("ncijab,kcab->nkij", windows[..., ::2], F)
    return {"X": X, "F": F}, {"Sparse": Y, "Dense": Y}


def dilated_layers():
    inputs = {"A": normal(8, 32768), "F": normal(8, 8, 3), "G": normal(8, 8, 3) / 5, "H": normal(8, 8, 3) / 5}
    value = inputs["A"].astype(np.float64)
    for name in "FGH":
        wide = np.pad(value, ((0, 0), (4096, 4096)))
        taps = [wide[:, r * 4096 : r * 4096 + 32768] for r in range(3)]
        value = sum(inputs[name][:, :, r].astype(np.float64) @ taps[r] for r in range(3))
    return inputs, {"Z": value}


EXAMPLES = {
    "dilated-layers": dilated_layers,
    "linear": linear,
    "linear-relu": linear_relu,
    "convolution": convolution,
    "prod": prod,
    "expression-graph": expression_graph,
    "piecewise-tensors": piecewise_tensors,
    "reductions": reductions,
    "sparse-convolution": sparse_convolution,
    "views-and-broadcast-strides": views_and_broadcast_strides,
}


def check(name, devices, cost, params, graphs, unsent, most_copied):
    inputs, wanted = EXAMPLES[name](**params)
    given = [f"--cost={cost}", *(f"-D{key}={value}" for key, value in params.items())]
    program, source = FOLDER / f"{name}.ein", FOLDER.parent / f"{name}.mlir"
    with driver.workspace() as folder:
        files = driver.save_inputs(folder, inputs)
        outputs = driver.output_options(wanted)

        def tapestry(*words):
            return driver.tapestry(*words, cwd=folder).expect_status(0)

        def compare_with(what):
            for output, value in driver.load_outputs(folder, wanted).items():
                compare.check_close(f"{output} of {what}", value, wanted[output], 1e-5)

        def check_graph(graph, what):
            tapestry("reference", graph, *files, *outputs)
            compare_with(f"the reference {what}")
            for other in (1, 3):
                tapestry("run", graph, f"--devices={other}", *files, *outputs)
                compare_with(f"the run on {other} {what}")

        def check_counts(graph, count):
            words = [f"--devices={count}", *files, *outputs, "--report=r.json"]
            tapestry("run", graph, *words)
            compare_with(f"the run on {count}")
            report = driver.load_json(folder / "r.json")
            sent = sum(entry["counted_bytes"] for entry in report["collectives"])
            if sent or report["copied_bytes"] > most_copied:
                raise driver.CheckFailed(
                    f"on {count} {sent} bytes are sent, {report['copied_bytes']} copied: {report['copies']}"
                )

        if program.exists():
            planned = tapestry(
                "compile", program, *given, f"--devices={devices}", "--stop-after=plan"
            ).stdout
            tapestry("run", program, *given, f"--devices={devices}", *files, *outputs)
            compare_with("the run")
        elif source.exists():
            planned = source.read_text()
        else:
            planned = None  # The graphs are all that there is.
        if planned:
            (folder / "planned.mlir").write_text(planned)
            shard = ["--tapestry-shard"] if devices > 1 else []
            for passes in (shard, [*shard, "--tapestry-compose-selectors"]):
                words = ["tapestry-opt", "planned.mlir", *passes, "-o", "shards.mlir"]
                driver.execute(words, cwd=folder).expect_status(0)
                check_graph("shards.mlir", f"behind {passes}")
        for count in unsent:
            check_counts("shards.mlir", count)
        for graph in graphs:
            check_graph(graph, f"of {graph.name}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("name", choices=EXAMPLES)
    parser.add_argument("--devices", type=int, required=True)
    parser.add_argument("--cost", default="paper")
    parser.add_argument(
        "--graph", action="append", default=[], type=pathlib.Path, help="has the same values"
    )
    parser.add_argument(
        "--unsent", default="", help="devices, e.g. 1,2, on which the composed graph sends nothing"
    )
    parser.add_argument("--most-copied", type=int, default=0, help="bytes, on each of these")
    parser.add_argument("-D", action="append", default=[])
    options = parser.parse_args()
    params = {key: int(value) for key, value in (word.split("=") for word in options.D)}
    unsent = driver.parse_numbers(options.unsent) if options.unsent else []
    check(
        options.name,
        options.devices,
        options.cost,
        params,
        options.graph,
        unsent,
        options.most_copied,
    )


if __name__ == "__main__":
    main()
