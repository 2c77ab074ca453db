#!/usr/bin/python3
"""Random views of views of sources and constants: NumPy's, bit for bit, by the reference, on 1 to 8 devices,
and where readers read what is behind them.

    check_selectors.py --seeds 0-24
"""

import argparse
import sys

import numpy as np

from harness import compare, driver

TYPES = {"f32": "float32", "f64": "float64", "i32": "int32", "i8": "int8", "i1": "bool"}
PAD_MODES = {"edge": "edge", "reflect": "reflect", "symmetric": "symmetric"}


class Graph:
    """A graph in text, with the values of its tensors."""

    def __init__(self, rng, leaves):
        self.rng = rng
        self.leaves = leaves
        self.type = str(rng.choice(list(TYPES)))
        self.lines = []
        self.values = []
        self.sources = []

    def type_of(self, array):
        return f"tensor<{''.join(f'{n}x' for n in array.shape)}{self.type}>"

    def add(self, kind, operands, words, value):
        name = f"T{len(self.values)}"
        types = ", ".join(self.type_of(self.values[k]) for k in operands)
        read = ", ".join(f"%T{k}" for k in operands)
        self.lines.append(
            f'  %{name} = tapestry.{kind} "{name}" {read} {words} : ({types}) -> {self.type_of(value)}'
        )
        self.values.append(value)

    def leaf(self):
        """A source or a constant."""
        shape = self.rng.integers(1, 8, self.rng.integers(1, 4))
        if self.type == "i1":
            value = self.rng.random(shape) < 0.5
        else:
            value = self.rng.integers(-50, 50, shape).astype(TYPES[self.type])
        name = f"T{len(self.values)}"
        if self.leaves.random() < 0.3:
            elements = str(value.tolist()).lower()
            leaf = f'constant "{name}" dense<{elements}>'
        else:
            leaf = f'source "{name}"'
            self.sources.append(name)
        self.lines.append(f"  %{name} = tapestry.{leaf} : {self.type_of(value)}")
        self.values.append(value)

    def constant(self):
        if self.type == "i1":
            return "true", True
        if self.type[0] == "f":
            return f"7.5 : {self.type}", 7.5
        return f"7 : {self.type}", 7

    def select(self):
        rng = self.rng
        k = int(rng.integers(max(0, len(self.values) - 3), len(self.values)))
        x = self.values[k]
        rank = x.ndim
        dim = int(rng.integers(rank)) if rank else 0
        kind = str(rng.choice(
            ["slice", "concat", "unsqueeze", "squeeze", "permute", "reverse", "broadcast",
             "repeat", "pad", "copy"]))  # fmt: skip
        if kind == "slice":
            lo = [int(rng.integers(n)) for n in x.shape]
            hi = [int(rng.integers(a + 1, n + 1)) for a, n in zip(lo, x.shape)]
            step = [int(rng.integers(1, 4)) for _ in lo]
            cut = tuple(slice(a, b, s) for a, b, s in zip(lo, hi, step))
            self.add(kind, [k], f"{lo} => {hi} by {step}", x[cut])
        elif kind == "concat" and rank:
            same = [n for n, y in enumerate(self.values)
                    if y.ndim == rank and y.shape[:dim] == x.shape[:dim]
                    and y.shape[dim + 1 :] == x.shape[dim + 1 :]]  # fmt: skip
            parts = [int(rng.choice(same)) for _ in range(rng.integers(1, 4))]
            value = np.concatenate([self.values[n] for n in parts], dim)
            self.add(kind, parts, f"along {dim}", value)
        elif kind == "unsqueeze" and rank < 4:
            at = int(rng.integers(rank + 1))
            self.add(kind, [k], f"at {at}", np.expand_dims(x, at))
        elif kind == "squeeze" and 1 in x.shape:
            at = int(rng.choice([d for d, n in enumerate(x.shape) if n == 1]))
            self.add(kind, [k], f"at {at}", x.squeeze(at))
        elif kind == "permute":
            order = [int(d) for d in rng.permutation(rank)]
            self.add(kind, [k], f"to {order}", x.transpose(order))
        elif kind == "reverse":
            dims = [d for d in range(rank) if rng.random() < 0.5]
            self.add(kind, [k], f"along {dims}", np.flip(x, dims))
        elif kind == "broadcast":
            shape = [int(rng.integers(1, 5)) if n == 1 else n for n in x.shape]
            self.add(kind, [k], f"to {shape}", np.broadcast_to(x, shape))
        elif kind == "repeat" and rank:
            times = int(rng.integers(1, 4))
            reps = [times if d == dim else 1 for d in range(rank)]
            self.add(kind, [k], f"along {dim} times {times}", np.tile(x, reps))
        elif kind == "pad" and rank:
            low = [int(rng.integers(0, 3)) for _ in x.shape]
            high = [int(rng.integers(0, 3)) for _ in x.shape]
            word, value = self.constant()
            how = str(rng.choice(["constant", *PAD_MODES]))
            widths = list(zip(low, high))
            if how == "constant":
                padded = np.pad(x, widths, constant_values=value)
            else:
                word, padded = f'"{how}"', np.pad(x, widths, mode=how)
            self.add(kind, [k], f"by {word} low {low} high {high}", padded)
        elif kind == "copy":
            self.add(kind, [k], "", x)

    def read(self, k):
        """An einsum that reads the tensor shifted, beside it the constant."""
        x = self.values[k]
        word, value = self.constant()
        labels = [f"l{d}" for d in range(x.ndim)]
        shift = [int(self.rng.integers(-1, 2)) for _ in labels]
        name = f"T{len(self.values)}"
        at = ", ".join(f"{label} + {s}" for label, s in zip(labels, shift))
        extents = ", ".join(f"{label} = {n}" for label, n in zip(labels, x.shape))
        self.lines.append(
            f'  %{name} = tapestry.einsum "{name}" [{extents}] (%T{k}[{at}] pad {word}) -> '
            f"[{', '.join(labels)}] {{\n  ^bb0(%x: {self.type}):\n    tapestry.yield %x : {self.type}\n"
            f"  }} : ({self.type_of(x)}) -> {self.type_of(x)}"
        )
        padded = np.pad(x, 1, constant_values=value) if x.ndim else x
        cut = tuple(slice(1 + s, 1 + s + n) for s, n in zip(shift, x.shape))
        self.values.append(padded[cut])

    def text(self, sinks):
        lines = [f'  tapestry.sink "O{k}", %T{k} : {self.type_of(self.values[k])}' for k in sinks]
        return "\n".join(["tapestry.graph @views {", *self.lines, *lines, "}", ""])


def draw(seed):
    rng = np.random.default_rng([seed, 0x5E1])
    graph = Graph(rng, np.random.default_rng([seed, 0xC05]))
    for _ in range(rng.integers(1, 3)):
        graph.leaf()
    leaves = len(graph.values)
    while len(graph.values) < leaves + 6:
        graph.select()
        if graph.values[-1].size > 4000:
            break
    last = len(graph.values) - 1
    sinks = [last] if rng.random() < 0.3 else []
    for k in {last, int(rng.integers(len(graph.values)))}:
        graph.read(k)
        sinks.append(len(graph.values) - 1)
    return graph, sinks, int(rng.integers(1, 9))


def check_seed(seed, folder):
    graph, sinks, devices = draw(seed)
    (folder / "views.mlir").write_text(graph.text(sinks))
    arrays = {name: np.array(graph.values[int(name[1:])], order="C") for name in graph.sources}
    inputs = driver.save_inputs(folder, arrays)
    names = [f"O{k}" for k in sinks]
    driver.execute(
        ["tapestry-opt", "views.mlir", "--tapestry-compose-selectors", "-o", "composed.mlir"],
        cwd=folder,
    ).expect_status(0)
    for suffix, words in (
        (".reference", ["reference", "views.mlir"]),
        (".run", ["run", "views.mlir", f"--devices={devices}"]),
        (".composed", ["run", "composed.mlir", f"--devices={devices}"]),
        (".again", ["reference", "composed.mlir"]),
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
                graph, sinks, devices = draw(seed)
                print(f"FAILED: seed {seed} on {devices} devices\n{failure}\n{graph.text(sinks)}")
                failures += 1
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
