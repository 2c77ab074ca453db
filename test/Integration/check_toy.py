#!/usr/bin/python3
"""An operator of a plug-in that no tool knows: planned, cut, run and evaluated.

    check_toy.py PLUGIN.so [--backend local|mpi]

`toy.median_stats` has a window, a monoid of its own and two results. The plan is
forced to cut its parallel label, its reduced label, and both.
"""

import argparse
import json

import numpy as np
from check_shards import graph_of
from harness import compare, contract, driver
from harness.driver import CheckFailed

ROWS, COLUMNS = 97, 53
OUTPUTS = ["E", "P", "Z"]
PROGRAM = """\
tapestry.graph @toy {
  %X = tapestry.source "X" : tensor<97x53xTYPE>
  %energy, %peak = toy.median_stats "S", %X
      : tensor<97x53xTYPE> -> tensor<97xTYPE>, tensor<97xTYPE>
  %Z = tapestry.einsum "Z" [i = 97, j = 53] (%X[i, j], %peak[i]) -> [i, j] {
  ^bb0(%x: TYPE, %p: TYPE):
    %d = arith.subf %x, %p : TYPE
    tapestry.yield %d : TYPE
  } : (tensor<97x53xTYPE>, tensor<97xTYPE>) -> tensor<97x53xTYPE>
  tapestry.sink "E", %energy : tensor<97xTYPE>
  tapestry.sink "P", %peak : tensor<97xTYPE>
  tapestry.sink "Z", %Z : tensor<97x53xTYPE>
}
"""
# What `row` and `column` are cut into, and the collectives that follow.
CUTS = [
    (4, {"row": 4, "column": 1}, set()),
    (4, {"row": 1, "column": 4}, {"S", "S#1"}),
    (6, {"row": 3, "column": 2}, {"S", "S#1"}),
]


def expected(X):
    padded = np.zeros((ROWS + 2, COLUMNS))
    padded[1:-1] = X
    medians = np.median([padded[:-2], padded[1:-1], padded[2:]], axis=0)
    peak = medians.max(axis=1)
    return {
        "E": np.sqrt((medians**2).sum(axis=1)),
        "P": peak,
        "Z": X.astype(np.float64) - peak[:, None],
    }


def compare_all(got, wanted, tolerance):
    for name in OUTPUTS:
        compare.check_close(name, got[name].astype(np.float64), wanted[name], tolerance)


def run(folder, words, devices, backend):
    """Runs the program as planned; its report stands in r.json."""
    if backend == "local":
        driver.tapestry("run", "toy.mlir", *words, "--report=r.json", cwd=folder).expect_status(0)
        return
    plugin, plan, *files = words
    driver.tapestry(
        "compile", "toy.mlir", plugin, plan, "-o", "prog", cwd=folder
    ).expect_status(0)
    driver.mpirun(
        devices, "./prog", "--backend", "mpi", *files, "--report=r.json", cwd=folder
    ).expect_status(0)


def check_cut(folder, plugin, backend, devices, parts, partial):
    pins = {
        "tapestry_plan": 1,
        "devices": devices,
        "vertices": [{"name": "S", "parts": parts}],
    }
    (folder / "pins.json").write_text(json.dumps(pins))
    driver.tapestry(
        "plan", "toy.mlir", plugin, "--plan=pins.json", "--json=plan.json", cwd=folder
    ).expect_status(0)
    plan = driver.load_json(folder / "plan.json")
    vertices = {vertex["name"]: vertex for vertex in plan["vertices"]}
    if vertices["S"]["parts"] != parts:
        raise CheckFailed(f"S is cut into {vertices['S']['parts']}, expected {parts}")
    combined = {
        entry["vertex"]
        for entry in plan["collectives"]
        if entry["kind"] in ("all_reduce", "reduce_scatter")
    }
    if combined != partial:
        raise CheckFailed(f"partial results of {combined} are combined, expected of {partial}")
    words = [plugin, "--plan=plan.json", "-i", "X=X.npy", *driver.output_options(OUTPUTS)]
    run(folder, words, devices, backend)
    contract.check_contract(plan, driver.load_json(folder / "r.json"), devices, backend)
    return driver.load_outputs(folder, OUTPUTS)


def check_shards(folder, plugin, X, tolerance):
    """The cut of pins.json, block by block: an operator that no tool knows has shards."""

    def opt(*words):
        driver.execute(["tapestry-opt", plugin, *words], cwd=folder).expect_status(0)

    planned = driver.tapestry(
        "compile", "toy.mlir", plugin, "--plan=pins.json", "--stop-after=plan", cwd=folder
    ).expect_status(0)
    (folder / "planned.mlir").write_text(planned.stdout)
    opt("planned.mlir", "--tapestry-shard", "-o", "sharded.mlir")
    both = graph_of(folder, "planned.mlir", "whole") + graph_of(folder, "sharded.mlir", "sharded")
    (folder / "both.mlir").write_text(both)
    opt("both.mlir", "--tapestry-verify-sharding", "-o", "proved.mlir")
    opt("sharded.mlir", "--tapestry-unshard", "-o", "recovered.mlir")
    recovered = (folder / "recovered.mlir").read_text()
    if "tapestry.shard" in recovered or recovered.count("toy.median_stats") != 1:
        raise CheckFailed(f"not put together:\n{recovered}")
    files = ["-i", "X=X.npy", *driver.output_options(OUTPUTS)]
    for words in (
        ["reference", "sharded.mlir"],
        ["run", "sharded.mlir", "--devices=2"],
        ["run", "toy.mlir", "--plan=pins.json", "--executor=greedy"],
    ):
        driver.tapestry(*words, plugin, *files, cwd=folder).expect_status(0)
        compare_all(driver.load_outputs(folder, OUTPUTS), expected(X), tolerance)


def check_type(folder, plugin, backend, name, dtype, tolerance):
    (folder / "toy.mlir").write_text(PROGRAM.replace("TYPE", name))
    X = np.random.default_rng(7).standard_normal((ROWS, COLUMNS)).astype(dtype)
    files = driver.save_inputs(folder, {"X": X}) + driver.output_options(OUTPUTS)
    driver.tapestry("reference", "toy.mlir", plugin, *files, cwd=folder).expect_status(0)
    reference = driver.load_outputs(folder, OUTPUTS)
    compare_all(reference, expected(X), tolerance)
    for devices, parts, partial in CUTS:
        got = check_cut(folder, plugin, backend, devices, parts, partial)
        compare_all(got, expected(X), tolerance)
        # The largest of medians is one of the input's numbers.
        for output in ("P", "Z"):
            compare.check_equal(output, got[output], reference[output])
        if backend == "local":
            check_shards(folder, plugin, X, tolerance)
    print(f"{name}: {len(CUTS)} cuts have the values of NumPy and of the reference")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("plugin")
    parser.add_argument("--backend", choices=["local", "mpi"], default="local")
    options = parser.parse_args()
    plugin = f"--load-plugin={options.plugin}"
    with driver.workspace() as folder:
        check_type(folder, plugin, options.backend, "f32", np.float32, 1e-5)
        # f16 is accumulated in f32 and rounded once.
        check_type(folder, plugin, options.backend, "f16", np.float16, 2e-3)


if __name__ == "__main__":
    main()
