#!/usr/bin/python3
"""Random views of views, and choices among them, of sources and constants: NumPy's, bit for bit,
by the reference, on 1 to 8 devices, where readers read what is behind them, and shard by shard,
planned anew for other devices than they were cut for.

    check_selectors.py --seeds 0-24
"""

import argparse
import sys

import numpy as np

from harness import compare, driver
from harness.graphs import Graph



def draw(seed):
    rng = np.random.default_rng([seed, 0x5E1])
    graph = Graph(rng, np.random.default_rng([seed, 0xC05]))
    for _ in range(rng.integers(1, 3)):
        graph.leaf()
    while len(graph.lines) < 8:
        graph.select()
        if graph.leaves.random() < 0.2:
            graph.order()
        if graph.values[-1].size > 4000:
            break
    last = len(graph.values) - 1
    sinks = [last] if rng.random() < 0.3 else []
    for k in {last, int(rng.integers(len(graph.values)))}:
        graph.read(k)
        sinks.append(len(graph.values) - 1)
    if graph.leaves.random() < 0.5:
        graph.join()
        sinks.append(len(graph.values) - 1)
    graph.sinks = sinks
    return graph, int(rng.integers(1, 9))


def opt(name, *passes, made, folder):
    """A file from another by some passes."""
    driver.execute(["tapestry-opt", name, *passes, "-o", made], cwd=folder).expect_status(0)


def shard(seed, folder):
    """From views.mlir to sharded.mlir, by way of a plan, and how often that is cut anew."""
    rng = np.random.default_rng([seed, 0x5A4])
    plan = f"--tapestry-plan-pipeline=devices={int(rng.choice([2, 3, 4, 6]))}"
    opt("views.mlir", plan, made="planned.mlir", folder=folder)
    opt("planned.mlir", "--tapestry-shard", made="sharded.mlir", folder=folder)
    proofs = [("planned", "planned"), ("planned", "sharded")]
    if "tapestry.operator" not in (folder / "views.mlir").read_text():
        proofs.append(("views", "views"))
    for whole, cut in proofs:
        prove = f"--tapestry-verify-sharding=whole-file={whole}.mlir"
        opt(f"{cut}.mlir", prove, made="proved.mlir", folder=folder)
    return int(rng.choice([1, 2, 3, 5]))


def check_seed(seed, folder):
    graph, devices = draw(seed)
    (folder / "views.mlir").write_text(graph.text)
    arrays = {name: np.array(graph.values[int(name[1:])], order="C") for name in graph.sources}
    inputs = driver.save_inputs(folder, arrays)
    names = [f"O{k}" for k in graph.sinks]
    opt("views.mlir", "--tapestry-compose-selectors", made="composed.mlir", folder=folder)
    others = f"--devices={shard(seed, folder)}"
    for suffix, words in (
        (".reference", ["reference", "views.mlir"]),
        (".run", ["run", "views.mlir", f"--devices={devices}"]),
        (".composed", ["run", "composed.mlir", f"--devices={devices}"]),
        (".again", ["reference", "composed.mlir"]),
        (".shards", ["reference", "sharded.mlir"]),
        (".cut", ["run", "sharded.mlir", others]),
        (".greedy", ["run", "sharded.mlir", others, "--executor=greedy"]),
    ):
        outputs = driver.output_options(names, suffix)
        driver.tapestry(*words, *inputs, *outputs, cwd=folder).expect_status(0)
        for name, array in driver.load_outputs(folder, names, suffix).items():
            expected = np.array(graph.values[int(name[1:])])
            try:
                compare.check_equal(name, array, expected)
            except driver.CheckFailed as failure:
                raise driver.CheckFailed(f"{suffix}: {failure}") from None


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seeds", required=True, help="e.g. 0-24,117")
    options = parser.parse_args()
    failures = 0
    for seed in driver.parse_numbers(options.seeds):
        with driver.workspace() as folder:
            try:
                check_seed(seed, folder)
            except driver.CheckFailed as failure:
                graph, devices = draw(seed)
                print(f"FAILED: seed {seed} on {devices} devices\n{failure}\n{graph.text}")
                failures += 1
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
