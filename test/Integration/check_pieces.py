#!/usr/bin/python3
"""Operators of a plug-in that read in pieces: guards, floordiv, mod, gathers.

    check_pieces.py PLUGIN.so [--backend local|mpi]

Each reads tensors that were computed in blocks of rows, and is forced to cut its
labels otherwise. Values are those of NumPy, bit for bit, and what is sent is what
the devices lack of the rows that they read, counted here.
"""

import argparse
import json

import numpy as np
from check_toy import run
from harness import compare, contract, driver
from harness.driver import CheckFailed

DEVICES, COLUMNS = 4, 5
GRID = ["d.0", "d.1"]


def block(extent, device):
    size = -(-extent // DEVICES)
    return range(min(device * size, extent), min((device + 1) * size, extent))


class Case:
    """`op` of doubled inputs of so many rows (P, Q) and of indices I into them.

    `cut` is the label that is cut; `reads` gives per input the rows that some rows
    of the cut label read, `value` the result."""

    def __init__(self, op, inputs, rows, cut, reads, value, indices=0, labels=("row", "column")):
        self.op, self.inputs, self.rows, self.indices = op, inputs, rows, indices
        self.cut, self.reads, self.value, self.labels = cut, reads, value, labels

    def program(self):
        lines = ["tapestry.graph @pieces {"]
        for name, rows in zip("PQ", self.inputs):
            shape = f"tensor<{rows}x{COLUMNS}xf32>"
            lines += [
                f'%{name}0 = tapestry.source "{name}0" : {shape}',
                f'%{name} = tapestry.einsum "{name}" [i = {rows}, j = {COLUMNS}] (%{name}0[i, j]) -> [i, j] {{',
                "^bb0(%x: f32):",
                "%y = arith.addf %x, %x : f32",
                "tapestry.yield %y : f32",
                f"}} : ({shape}) -> {shape}",
            ]
        if self.indices:
            lines.append(f'%I = tapestry.source "I" : tensor<{self.indices}xi32>')
        result = f"tensor<{self.rows}x{COLUMNS}xf32>"
        types = [f"tensor<{rows}x{COLUMNS}xf32>" for rows in self.inputs]
        types += [f"tensor<{self.indices}xi32>"] * bool(self.indices)
        lines += [
            f"%Y = toy.{self.op} : {', '.join(types)} -> {result}",
            f'tapestry.sink "Y", %Y : {result}',
            "}",
        ]
        return "\n".join(lines)

    def pins(self):
        vertices = [
            {"name": name, "parts": {"i": DEVICES}, "home": [GRID, []]}
            for name, _ in zip("PQ", self.inputs)
        ]
        parts = {label: DEVICES if label == self.cut else 1 for label in self.labels}
        vertices.append({"name": "Y", "parts": parts, "axes": {self.cut: GRID}})
        return {"tapestry_plan": 1, "devices": DEVICES, "vertices": vertices}

    def lacking(self):
        """Bytes of the inputs that devices read and do not hold."""
        extent = {"row": self.rows, "entry": self.inputs[0]}[self.cut]
        rows = 0
        for device in range(DEVICES):
            for held, read in zip(self.inputs, self.reads(block(extent, device))):
                rows += len(set(read) - set(block(held, device)))
        return rows * COLUMNS * 4


def concat(sizes, gap):
    rows = sum(sizes) + gap * (len(sizes) - 1)
    names = ", ".join(f"%{name}" for name, _ in zip("PQ", sizes))

    def reads(points):
        first = 0
        for size in sizes:
            yield [point - first for point in points if first <= point < first + size]
            first += size + gap

    def value(inputs, _):
        between = np.full((gap, COLUMNS), -1, np.float32)
        parts = [inputs[0]]
        for one in inputs[1:]:
            parts += [between, one]
        return np.concatenate(parts)

    op = f'concat "Y", {names} {{gap = {gap}, fill = -1.0 : f32}}'
    return Case(op, sizes, rows, "row", reads, value)


def roll(size, shift, repeat):
    def reads(points):
        rows = [point // repeat + shift for point in points]
        # What wraps around within a block takes all rows.
        wraps = rows and rows[0] // size != rows[-1] // size
        return [range(size)] if wraps else [[row % size for row in rows]]

    op = f'roll "Y", %P {{shift = {shift}, repeat = {repeat}}}'
    return Case(
        op, [size], size * repeat, "row", reads,
        lambda inputs, _: inputs[0][(np.arange(size * repeat) // repeat + shift) % size],
    )  # fmt: skip


def gather(size, count, cut):
    by_entry = cut == "entry"
    return Case(
        'gather "Y", %P, %I' + ("" if by_entry else " {whole}"),
        [size], count, cut,
        lambda points: [points if by_entry else range(size) if points else []],
        lambda inputs, indices: inputs[0][indices],
        indices=count, labels=("row", "column") + ("entry",) * by_entry,
    )  # fmt: skip


CASES = [
    concat([7, 13], 3),  # prime extents, a gap, one device inside both guards
    concat([4, 17], 0),  # some devices outside a guard
    concat([5, 4], 1),  # a device without rows of the second
    roll(17, 5, 1),
    roll(17, 11, 3),  # floordiv and mod, blocks astride both
    roll(5, 2, 1),  # a device without rows
    gather(19, 11, "entry"),  # partial results where the table is cut
    gather(5, 23, "entry"),  # the last device has no entries
    gather(19, 11, "row"),
]


def plan_pinned(folder, plugin, case):
    """Writes the program of `case` and plans it as its pins say."""
    (folder / "toy.mlir").write_text(case.program())
    (folder / "pins.json").write_text(json.dumps(case.pins()))
    driver.tapestry(
        "plan", "toy.mlir", plugin, "--plan=pins.json", "--json=plan.json", cwd=folder
    ).expect_status(0)
    return driver.load_json(folder / "plan.json")


def bytes_sent(plan, names):
    return sum(entry["bytes"] for entry in plan["collectives"] if entry["vertex"] in names)


def check_values(folder, plugin, plan, backend, tensors, wanted):
    """The reference and a run of the plan give what is wanted, and keep to the plan."""
    files = driver.save_inputs(folder, tensors) + driver.output_options(list(wanted))
    driver.tapestry("reference", "toy.mlir", plugin, *files, cwd=folder).expect_status(0)
    reference = driver.load_outputs(folder, list(wanted))
    run(folder, [plugin, "--plan=plan.json", *files], DEVICES, backend)
    contract.check_contract(plan, driver.load_json(folder / "r.json"), DEVICES, backend)
    got = driver.load_outputs(folder, list(wanted))
    for name, value in wanted.items():
        compare.check_equal(f"reference of {name}", reference[name], value)
        compare.check_equal(name, got[name], value)


def check(folder, plugin, backend, number, case):
    random = np.random.default_rng(number)
    tensors = {
        f"{name}0": random.standard_normal((rows, COLUMNS)).astype(np.float32)
        for name, rows in zip("PQ", case.inputs)
    }
    doubled = [2 * tensor for tensor in tensors.values()]
    indices = random.integers(0, case.inputs[0], case.indices).astype(np.int32)
    if case.indices:
        tensors["I"] = indices
    plan = plan_pinned(folder, plugin, case)
    sent = bytes_sent(plan, "PQ")
    if sent != case.lacking():
        raise CheckFailed(f"{case.op}: {sent} bytes are sent, {case.lacking()} are lacking")
    check_values(folder, plugin, plan, backend, tensors, {"Y": case.value(doubled, indices)})


def check_cases(cases, check, what):
    """The command: checks all cases with the plug-in and the back end it is given."""
    parser = argparse.ArgumentParser()
    parser.add_argument("plugin")
    parser.add_argument("--backend", choices=["local", "mpi"], default="local")
    options = parser.parse_args()
    with driver.workspace() as folder:
        for number, case in enumerate(cases):
            check(folder, f"--load-plugin={options.plugin}", options.backend, number, case)
    print(f"{len(cases)} operators {what} as NumPy does")


if __name__ == "__main__":
    check_cases(CASES, check, "read in pieces")
