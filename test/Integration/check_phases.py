#!/usr/bin/python3
"""Puts random strided and dilated windows in phases and runs what they become.

    check_phases.py [--programs 12] [--first 0] [--backend local|mpi]

Convolutions and pools in a row, in one and two dimensions, of random strides,
dilations, extents and borders, are rewritten by kinds that `phase` is among. The
reference evaluates the result, and devices run it, also by the plan that carries the
rewrites. All numbers are small and whole, so that values are NumPy's to the bit.
"""

import argparse
import itertools
import random
import sys

import numpy as np
from harness import contract, driver
from harness.driver import CheckFailed
from harness.rewriting import import_program, kind_of, random_walk

BORDERS = ["none", "pad", "edge", "symmetric", "wrap"]


class Window:
    """How one dimension of a layer reads that of the layer before."""

    def __init__(self, choose, extent, border, number):
        self.stride, self.dilation = choose.randint(1, 4), choose.randint(1, 4)
        self.taps = choose.randint(1, 4)
        self.border, self.before = border, extent
        self.y, self.r = f"y{number}", f"r{number}"
        reach = (self.taps - 1) * self.dilation
        if border == "none" and reach >= extent:
            self.taps = 1 + (extent - 1) // self.dilation
            reach = (self.taps - 1) * self.dilation
        self.shift = 0 if border == "none" else choose.randint(0, min(reach, extent))
        if border == "none":
            most = (extent - 1 - reach) // self.stride + 1
            self.extent = most - choose.randint(0, min(2, most - 1))
        else:
            self.extent = choose.randint(1, 14)

    def subscript(self):
        text = f"{self.stride}*{self.y} + {self.dilation}*{self.r} - {self.shift}"
        return f"({text}) % {self.before}" if self.border == "wrap" else text

    def indices(self):
        """What every point reads, and whether it lies inside."""
        at = np.add.outer(self.stride * np.arange(self.extent), self.dilation * np.arange(self.taps)) - self.shift
        inside = (at >= 0) & (at < self.before)
        if self.border == "wrap":
            return at % self.before, np.ones_like(inside)
        if self.border == "symmetric":
            at = at % (2 * self.before)
            return np.minimum(at, 2 * self.before - 1 - at), np.ones_like(inside)
        kept = np.clip(at, 0, self.before - 1)
        return kept, np.ones_like(inside) if self.border == "edge" else inside


class Layers:
    """Windows over windows; inputs by name."""

    def __init__(self, choose):
        self.numbers = np.random.default_rng(choose.randrange(2**32))
        self.type, kind = choose.choice([("f32", "f4"), ("f32", "f4"), ("i32", "i4"), ("f16", "f2")])
        rank, count = choose.randint(1, 2), 1 if self.type == "f16" else choose.randint(1, 3)
        shape = (choose.randint(1, 2), *(choose.randint(5, 37 if rank == 1 else 15) for _ in range(rank)))
        self.arrays = {"X0": self.numbers.integers(-2, 3, shape).astype(kind)}
        self.lines = [f"input X0 : {self.type}[{', '.join(map(str, shape))}]"]
        value = self.arrays["X0"].astype("f8")
        for layer in range(count):
            value = self.add_layer(choose, layer, value, kind)
        self.outputs = [f"X{count}"]
        self.text = "\n".join([*self.lines, f"output {self.outputs[0]}", ""])
        self.expected = value

    def add_layer(self, choose, layer, value, kind):
        border = choose.choice(BORDERS)
        windows = [Window(choose, extent, border, n) for n, extent in enumerate(value.shape[1:])]
        if layer and choose.random() < 0.6:
            # Phases that may stay apart.
            windows[0].stride = 1
            windows[0].dilation = self.dilation
            windows[0].shift -= windows[0].shift % self.dilation
            windows[0].extent = min(windows[0].extent, max(1, value.shape[1] - (windows[0].taps - 1) * self.dilation))
            if border == "none" and (windows[0].taps - 1) * self.dilation >= value.shape[1]:
                windows[0].taps = 1 + (value.shape[1] - 1) // self.dilation
                windows[0].extent = 1
        self.dilation = windows[0].dilation
        filters = choose.randint(1, 3)
        isMax, useLabel = choose.random() < 0.25, choose.random() < 0.3
        shape = (filters, value.shape[0], *(window.taps for window in windows))
        weights = self.numbers.integers(-1, 2, shape).astype(kind)
        self.arrays[f"F{layer}"] = weights
        self.lines.append(f"input F{layer} : {self.type}[{', '.join(map(str, shape))}]")
        outer = "".join(f", {w.y}:{w.extent}" for w in windows)
        inner = "".join(f", {w.r}:{w.taps}" for w in windows)
        taps = "".join(f", {w.r}" for w in windows)
        read = {"none": f"X{layer}", "wrap": f"X{layer}", "pad": f"pad(X{layer}, 0)"}.get(border, f"{border}(X{layer})")
        read += f"[c, {', '.join(w.subscript() for w in windows)}]"
        weight = f"F{layer}[k, c{taps}]"
        factor = f" * (1 + {self.type}({windows[0].y} % 2 + {windows[0].r} % 3))" if useLabel else ""
        body = f"({read} + {weight})" if isMax else f"{read} * {weight}"
        self.lines.append(f"X{layer + 1}[k:{filters}{outer}] = {'max' if isMax else 'sum'}[c{inner}] {body}{factor}")
        # Gathered: [c, y0, r0, ...], then all y before all r.
        patches, weights = value, weights.astype("f8")
        for n, window in enumerate(windows):
            at, inside = window.indices()
            axis = 1 + 2 * n
            patches = np.take(patches, at, axis=axis)
            mask = inside.reshape((1,) * axis + inside.shape + (1,) * (patches.ndim - axis - 2))
            patches = np.where(mask, patches, 0)
        order = [0, *range(1, patches.ndim, 2), *range(2, patches.ndim, 2)]
        patches = patches.transpose(order)[None]
        rank = len(windows)
        weights = weights.reshape(shape[:2] + (1,) * rank + shape[2:])
        points = patches + weights if isMax else patches * weights
        if useLabel:
            y = np.arange(windows[0].extent).reshape((-1,) + (1,) * (2 * rank - 1))
            r = np.arange(windows[0].taps).reshape((-1,) + (1,) * (rank - 1))
            points = points * (1 + y % 2 + r % 3)
        axes = (1, *range(2 + rank, 2 + 2 * rank))
        return points.max(axis=axes) if isMax else points.sum(axis=axes)


def check_value(folder, layers, what):
    found = driver.load_outputs(folder, layers.outputs)[layers.outputs[0]]
    if found.shape != layers.expected.shape or not (found == layers.expected).all():
        raise CheckFailed(f"{what}:\n{found}\nexpected\n{layers.expected}")


def check(folder, layers, choose, devices, backend):
    (folder / "program.ein").write_text(layers.text)
    files = driver.save_inputs(folder, layers.arrays) + driver.output_options(layers.outputs)
    driver.tapestry("reference", "program.ein", *files, cwd=folder).expect_status(0)
    check_value(folder, layers, "the program itself")
    import_program(folder)
    rewrites = random_walk(choose, folder, choose.randint(1, 4), "phase")
    try:
        driver.tapestry("reference", "rewritten.mlir", *files, cwd=folder).expect_status(0)
        check_value(folder, layers, "the reference")
        words = ["rewritten.mlir", "--order=none", f"--devices={devices}", f"--cost={choose.choice(['paper', 'spmd'])}"]
        driver.tapestry("plan", *words, "--json=plan.json", cwd=folder).expect_status(0)
        plan = driver.load_json(folder / "plan.json")
        driver.run_planned("program.ein", plan["devices"], files, backend, folder)
        check_value(folder, layers, "the run")
        # A plan of few seconds may leave devices out.
        contract.check_contract(plan, driver.load_json(folder / "report.json"), plan["devices"], backend)
    except CheckFailed as failure:
        raise CheckFailed(f"after {rewrites}:\n{failure}") from failure
    return sum(kind_of(each) == "phase" for each in rewrites)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--programs", type=int, default=12)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--backend", default="local", choices=["local", "mpi"])
    options = parser.parse_args()
    failed, phases = False, 0
    with driver.workspace() as folder:
        for number in itertools.islice(itertools.count(options.first), options.programs):
            choose = random.Random(f"phases {number}")
            layers = Layers(choose)
            devices = 1 + number % 8
            try:
                phases += check(folder, layers, choose, devices, options.backend)
            except CheckFailed as failure:
                print(f"FAILED: program {number} on {devices} devices\n{layers.text}\n{failure}")
                failed = True
    if phases < options.programs // 2:
        sys.exit(f"FAILED: only {phases} labels of {options.programs} programs were put in phases")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
