#!/usr/bin/python3
"""Expands linear layers in every way and folds them back, and runs what they become.

    check_rules.py [--backend local|mpi] [--layers 6]

Layers of random shapes, in a row, are expanded by preferred rules and rewritten by
global ones. The plan of the result then runs the program as it was written: it
carries the rewrites. Values are NumPy's in float64, to the last bit, as all numbers
are small and whole.
"""

import argparse
import random
import shutil
import sys

import numpy as np
from harness import contract, driver
from harness.driver import CheckFailed

# Preferred rules, then global ones.
WAYS = [
    ("linear-block", ""),
    ("linear-sum", ""),
    ("linear-sum,matmul-prod", ""),
    ("linear-sum,matmul-prod", "linear-fold"),
    ("linear-block", "fuse-elementwise"),
    ("linear-sum,matmul-prod", "linear-fold,fuse-elementwise"),
    ("linear-block", "fuse-producer"),
    ("linear-sum,matmul-prod", "linear-fold,fuse-elementwise,fuse-producer"),
]


def tensor(shape):
    return "tensor<" + "".join(f"{extent}x" for extent in shape) + "f32>"


class Layers:
    """relu(X W + b) several times; inputs by name."""

    def __init__(self, choose, pinned):
        batch = [choose.randint(1, 9) for _ in range(choose.randint(0, 2))]
        widths = [choose.randint(max(1, pinned), 13) for _ in range(3)]
        numbers = np.random.default_rng(choose.randrange(2**32))
        self.arrays = {"X": numbers.integers(-3, 4, (*batch, widths[0])).astype("f4")}
        x, shape = "%X", (*batch, widths[0])
        lines, body = [f'  %X = tapestry.source "X" : {tensor(shape)}'], []
        value = self.arrays["X"].astype("f8")
        for layer, (inner, outer) in enumerate(zip(widths, widths[1:])):
            w, b, y = f"W{layer}", f"b{layer}", f"Y{layer}"
            for name, extents in ((w, (inner, outer)), (b, (outer,))):
                self.arrays[name] = numbers.integers(-3, 4, extents).astype("f4")
                lines.append(f'  %{name} = tapestry.source "{name}" : {tensor(extents)}')
            pins = f"{{constraints = [#tapestry.constraint<pin cut {{in = {pinned}}}>]}}" if pinned else ""
            after = (*batch, outer)
            body.append(
                f'  %{y} = tapestry.operator "{y}" "linear"({x}, %{w}, %{b}) {pins} : '
                f"({tensor(shape)}, {tensor((inner, outer))}, {tensor((outer,))}) -> {tensor(after)}"
            )
            labels = [f"d{dim}" for dim in range(len(after))]
            space = ", ".join(f"{label} = {extent}" for label, extent in zip(labels, after))
            read = ", ".join(labels)
            body.append(
                f'  %R{layer} = tapestry.einsum "R{layer}" [{space}] (%{y}[{read}]) -> [{read}] {{\n'
                "  ^bb0(%v: f32):\n    %zero = arith.constant 0.0 : f32\n"
                "    %0 = arith.maximumf %v, %zero : f32\n    tapestry.yield %0 : f32\n"
                f"  }} : ({tensor(after)}) -> {tensor(after)}"
            )
            x, shape = f"%R{layer}", after
            value = np.maximum(value @ self.arrays[w].astype("f8") + self.arrays[b], 0)
        lines += body + [f'  tapestry.sink "Z", {x} : {tensor(shape)}']
        self.text = "\n".join(["tapestry.graph @layers {", *lines, "}"])
        self.expected = value


def rewrite(folder, preferred, rules):
    passes = f"tapestry-expand{{prefer={preferred}}}"
    if rules:
        passes += f",tapestry-apply-rules{{rules={rules}}}"
    words = ["program.mlir", f"--pass-pipeline=builtin.module(tapestry.graph({passes}))", "-o", "rewritten.mlir"]
    driver.execute([shutil.which("tapestry-opt"), *words], folder).expect_status(0)


def check_value(folder, layers, what):
    found = driver.load_outputs(folder, ["Z"])["Z"]
    if found.shape != layers.expected.shape or not (found == layers.expected).all():
        raise CheckFailed(f"{what}: Z is\n{found}\nexpected\n{layers.expected}")


def check(folder, layers, way, devices, backend):
    (folder / "program.mlir").write_text(layers.text)
    files = driver.save_inputs(folder, layers.arrays) + driver.output_options(["Z"])
    rewrite(folder, *way)
    driver.tapestry("reference", "rewritten.mlir", *files, cwd=folder).expect_status(0)
    check_value(folder, layers, "the reference")
    driver.tapestry(
        "plan", "rewritten.mlir", "--order=none", f"--devices={devices}", "--json=plan.json", cwd=folder
    ).expect_status(0)
    plan = driver.load_json(folder / "plan.json")
    rules = {argument for step in plan["rewrites"] for argument in step["arguments"]}
    missing = set(filter(None, ",".join(way).split(","))) - rules - {"linear-block"}
    if missing:
        raise CheckFailed(f"the plan has no rewrite by {missing}, but by {rules}")
    driver.run_planned("program.mlir", devices, files, backend, folder)
    check_value(folder, layers, "the run")
    contract.check_contract(plan, driver.load_json(folder / "report.json"), devices, backend)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--backend", default="local", choices=["local", "mpi"])
    parser.add_argument("--layers", type=int, default=6, help="programs per way")
    options = parser.parse_args()
    failed = False
    with driver.workspace() as folder:
        for number in range(options.layers):
            for position, way in enumerate(WAYS):
                choose = random.Random(f"{number} {position}")
                devices = 1 + (number * len(WAYS) + position) % 8
                # What is pinned is not kept whole, so it is not folded either.
                pinned = devices if position == 1 else 0
                layers = Layers(choose, pinned)
                try:
                    check(folder, layers, way, devices, options.backend)
                except CheckFailed as failure:
                    print(f"FAILED: {way} on {devices} devices\n{layers.text}\n{failure}")
                    failed = True
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
