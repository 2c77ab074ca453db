#!/usr/bin/python3
"""Random graphs of selectors, blocks, operators, alone, fused and as shards, constants, loops,
generators, points, and sources and sinks that name files: NumPy's values bit
for bit by the reference, on 1 to 8 devices by plans good and bad, with the bytes and
peaks of the plan; the same graph after a round trip in text and bytecode, and shard
by shard.

    check_nodes.py --seeds 0-24
"""

import argparse
import re
import sys

import numpy as np

from harness import compare, contract, driver
from harness.blocks import object_options
from harness.graph_nodes import random_graph
from harness.plans import write_random_plan


def devices_of(seed):
    return int(np.random.default_rng([seed, 0xDE7]).integers(1, 9))


class Attempt:
    """One graph in a folder of its own."""

    def __init__(self, seed, folder):
        self.seed = seed
        self.folder = folder
        self.graph, self.devices = random_graph(seed), devices_of(seed)
        (folder / "g.mlir").write_text(self.graph.text)
        arrays = {
            name: np.array(self.graph.values[int(name[1:])], order="C") for name in self.graph.sources
        }
        driver.save_inputs(folder, {name: arrays.pop(name) for name in self.graph.files})
        self.inputs = [*driver.save_inputs(folder, arrays), *object_options(self.graph.text, folder)]
        self.names = [f"O{k}" for k in self.graph.sinks]
        self.named = [f"O{k}" for k in self.graph.sinks if k not in self.graph.file_sinks]

    def tapestry(self, *words):
        return driver.tapestry(*words, cwd=self.folder).expect_status(0)

    def opt(self, *words):
        driver.execute(["tapestry-opt", *words], cwd=self.folder).expect_status(0)

    def run(self, *words):
        """A command that computes the graph's values."""
        for name in self.names:
            (self.folder / f"{name}.npy").unlink(missing_ok=True)
        self.tapestry(*words, *self.inputs, *driver.output_options(self.named))
        for name, array in driver.load_outputs(self.folder, self.names).items():
            try:
                compare.check_equal(name, array, np.array(self.graph.values[int(name[1:])]))
            except driver.CheckFailed as failure:
                raise driver.CheckFailed(f"{' '.join(words)}: {failure}") from None

    def check_text(self):
        self.opt("g.mlir", "--verify-roundtrip", "-o", "text.mlir")
        self.opt("g.mlir", "--emit-bytecode", "-o", "g.mlirbc")
        self.opt("g.mlirbc", "-o", "again.mlir")
        if (self.folder / "text.mlir").read_text() != (self.folder / "again.mlir").read_text():
            raise driver.CheckFailed("bytecode holds another graph")

    def pin(self):
        """Sources and sinks on devices of the plan, but for scalars."""
        rng = np.random.default_rng([self.seed, 0xD1])

        def change(match):
            return f"{match[1]} on device {rng.integers(self.devices)}" if rng.random() < 0.5 else match[1]

        border = r'(tapestry\.(?:source "\w+"|sink "\w+", %\w+))(?=(?: after [^:]*)? : tensor<\d+x)'
        (self.folder / "g.mlir").write_text(re.sub(border, change, self.graph.text))

    def check(self):
        self.check_text()
        self.run("reference", "g.mlir")
        planning = [f"--devices={self.devices}"]
        if self.seed % 3:
            write_random_plan(self.folder, "g.mlir", self.seed, self.graph.vertices, self.devices)
            planning.append("--plan=given.json")
        if self.seed % 2:
            self.pin()
            self.check_text()
        self.tapestry("plan", "g.mlir", *planning, "--json=plan.json")
        self.run("run", "g.mlir", *planning, "--report=report.json")
        plan = driver.load_json(self.folder / "plan.json")
        report = driver.load_json(self.folder / "report.json")
        contract.check_contract(plan, report, self.devices, "local")
        self.check_shards(planning)

    def check_shards(self, planning):
        planned = self.tapestry("compile", "g.mlir", *planning, "--stop-after=plan")
        (self.folder / "planned.mlir").write_text(planned.stdout)
        self.opt("planned.mlir", "--tapestry-shard", "-o", "sharded.mlir")
        prove = "--tapestry-verify-sharding=whole-file=planned.mlir"
        self.opt("sharded.mlir", prove, "-o", "proved.mlir")
        self.run("reference", "sharded.mlir")
        self.opt("sharded.mlir", "--tapestry-unshard", "-o", "recovered.mlir")
        self.run("run", "recovered.mlir", f"--devices={max(2, self.devices)}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seeds", required=True, help="e.g. 0-24,117")
    options = parser.parse_args()
    failures = 0
    for seed in driver.parse_numbers(options.seeds):
        with driver.workspace() as folder:
            try:
                Attempt(seed, folder).check()
            except driver.CheckFailed as failure:
                print(f"FAILED: seed {seed} on {devices_of(seed)} devices\n{failure}")
                print((folder / "g.mlir").read_text())
                failures += 1
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
