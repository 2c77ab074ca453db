#!/usr/bin/python3
"""Reductions sharded by hand: partial results of random blocks, combined by random trees of
sums, of stacks and of both. They have the values of NumPy, by the reference and run on 1 to
8 devices, are proved to be shardings, and put together to the whole. With one part twice,
left out, or combined otherwise, the proof says so.

    check_partials.py --seeds 0-24
"""

import argparse
import functools
import re
import sys

import numpy as np

from check_shards import prove
from harness import compare, driver

# Per monoid: element types, how two are combined (in MLIR and NumPy), the word behind
# reduce, and what another monoid is.
FLOATS = ["f64", "f32", "f16"]
MONOIDS = {
    "add": (FLOATS, "arith.addf {a}, {b}", np.add, "arith.mulf {a}, {b}"),
    "mul": (["i32", "i64"], "arith.muli {a}, {b}", np.multiply, "arith.addi {a}, {b}"),
    "max": (FLOATS, "arith.maximumf {a}, {b}", np.maximum, "arith.minimumf {a}, {b}"),
    "min": (["i32"], "arith.minsi {a}, {b}", np.minimum, "arith.maxsi {a}, {b}"),
    "xor": (["i32", "i64"], "arith.xori {a}, {b}", np.bitwise_xor, "arith.andi {a}, {b}"),
    "and": (["i32"], "arith.andi {a}, {b}", np.bitwise_and, "arith.ori {a}, {b}"),
    # The one that is larger by its absolute value.
    "own": (["f64"], None, lambda a, b: np.maximum(np.abs(a), np.abs(b)), "arith.addf {a}, {b}"),
}
NUMPY = {"f64": np.float64, "f32": np.float32, "f16": np.float16, "i32": np.int32, "i64": np.int64}


def split(rng, extent):
    """The ends of random blocks of [0, extent)."""
    count = int(rng.integers(1, min(extent, 5) + 1))
    cuts = sorted(rng.choice(np.arange(1, extent), count - 1, replace=False).tolist())
    return list(zip([0, *cuts], [*cuts, extent]))


class Text:
    """A graph that is written operation by operation."""

    def __init__(self, rng):
        self.rng, self.lines, self.count = rng, [], 0
        self.monoid = str(rng.choice(list(MONOIDS)))
        types, self.scalar, self.fold, self.wrong = MONOIDS[self.monoid]
        self.type = str(rng.choice(types))
        self.sums = "f32" if self.type == "f16" else self.type
        self.spoil = None

    def fresh(self):
        self.count += 1
        return f"v{self.count}"

    def emit(self, line):
        self.lines.append(line)

    def tensor(self, shape, element):
        return f"tensor<{''.join(f'{n}x' for n in shape)}{element}>"

    def combined(self, a, b, to, wrong=False):
        """The scalar operations that combine two values."""
        if self.monoid == "own" and not wrong:
            return [
                f"{to}a = math.absf {a} : f64",
                f"{to}b = math.absf {b} : f64",
                f"{to} = arith.maximumf {to}a, {to}b : f64",
            ]
        form = self.wrong if wrong else self.scalar
        return [f"{to} = {form.format(a=a, b=b)} : {self.sums}"]

    def reduction(self):
        """What follows the result's subscripts, and the end of the regions."""
        if self.monoid != "own":
            return f" reduce {self.monoid} {{", "}"
        body = "\n".join(self.combined("%p", "%q", "%r"))
        return " reduce custom {", (
            f"}} combine {{\n^bb0(%p: f64, %q: f64):\n{body}\ntapestry.yield %r : f64\n}} identity 0.0 : f64"
        )

    def whole(self, name, tensor):
        """The reduction of all of a tensor, in text without its name."""
        n, j, k = self.extents
        begin, end = self.reduction()
        widen = "%e = arith.extf %x : f16 to f32\n" if self.type == "f16" else ""
        value = "%e" if widen else "%x"
        return (
            f'{name} = tapestry.einsum "{self.fresh()}" [n = {n}, j = {j}, k = {k}] ({tensor}[n, j, k]) -> [n]'
            f"{begin}\n^bb0(%x: {self.type}):\n{widen}tapestry.yield {value} : {self.sums}\n{end} : "
            f"({self.tensor(self.extents, self.type)}) -> {self.tensor([n], self.type)}"
        )

    def shard(self, box):
        slice_, part = self.fresh(), self.fresh()
        starts, ends = ([limits[i] for limits in box] for i in (0, 1))
        whole, cut = self.tensor(self.extents, self.type), [b - a for a, b in box]
        read = "X"
        if cut != self.extents:
            read = slice_
            self.emit(f'%{slice_} = tapestry.slice "{slice_}" %X {starts} => {ends} : ({whole}) -> {self.tensor(cut, self.type)}')
        element = self.type if cut[1:] == self.extents[1:] else self.sums
        out = self.tensor(cut[:1], element)
        self.emit(
            f'%{part} = tapestry.shard "{part}" {starts} => {ends} (%{read}) {{\n^bb0(%t: {whole}):\n'
            f"{self.whole('%w', '%t')}\ntapestry.part_of %w : {self.tensor(self.extents[:1], self.type)}\n}} : "
            f"({self.tensor(cut, self.type)}) -> {out}"
        )
        return part

    def combine(self, parts, rows, element):
        """One operation that combines some tensors of so many rows."""
        wrong = self.spoil == "monoid" and self.rng.integers(2) == 0
        if wrong:
            self.spoil, self.spoiled = None, True
        name = self.fresh()
        if len(parts) > 1 and not wrong and self.rng.integers(2):
            raised = []
            for part in parts:
                row = self.fresh()
                raised.append(f"%{row}")
                self.emit(f'%{row} = tapestry.unsqueeze "{row}" %{part} at 0 : ({self.tensor([rows], self.sums)}) -> {self.tensor([1, rows], self.sums)}')
            stack, types = self.fresh(), ", ".join([self.tensor([1, rows], self.sums)] * len(parts))
            all_rows = self.tensor([len(parts), rows], self.sums)
            self.emit(f'%{stack} = tapestry.concat "{stack}" {", ".join(raised)} along 0 : ({types}) -> {all_rows}')
            begin, end = self.reduction()
            self.emit(
                f'%{name} = tapestry.einsum "{name}" [b = {len(parts)}, i = {rows}] (%{stack}[b, i]) -> [i]{begin}\n'
                f"^bb0(%x: {self.sums}):\ntapestry.yield %x : {self.sums}\n{end} : ({all_rows}) -> {self.tensor([rows], element)}"
            )
            return name
        arguments = [f"%a{i}" for i in range(len(parts))]
        open_, body = list(arguments), []
        while len(open_) > 1:
            a, b = (open_.pop(int(self.rng.integers(len(open_)))) for _ in range(2))
            to = f"%s{len(body)}"
            body += self.combined(a, b, to, wrong)
            open_.append(to)
        reads = ", ".join(f"%{part}[i]" for part in parts)
        blocks = ", ".join(f"{a}: {self.sums}" for a in arguments)
        types = ", ".join([self.tensor([rows], self.sums)] * len(parts))
        self.emit(
            f'%{name} = tapestry.einsum "{name}" [i = {rows}] ({reads}) -> [i] {{\n^bb0({blocks}):\n'
            + "\n".join([*body, f"tapestry.yield {open_[0]} : {self.sums}"])
            + f"\n}} : ({types}) -> {self.tensor([rows], element)}"
        )
        return name

    def block(self, rows):
        """The result's cells of some rows."""
        parts = [self.shard([rows, j, k]) for j in split(self.rng, self.extents[1]) for k in split(self.rng, self.extents[2])]
        if len(parts) == 1:
            return parts[0]
        chosen = int(self.rng.integers(len(parts)))
        if self.spoil == "twice":
            parts.append(parts[chosen])
            self.spoil, self.spoiled = None, True
        elif self.spoil == "missing":
            del parts[chosen]
            self.spoil, self.spoiled = None, True
        while len(parts) > 1:
            count = int(self.rng.integers(2, min(len(parts), 4) + 1))
            taken = [parts.pop(int(self.rng.integers(len(parts)))) for _ in range(count)]
            parts.append(self.combine(taken, rows[1] - rows[0], self.sums if parts else self.type))
        return parts[0]

    def graph(self, sharded, spoil=None):
        self.lines, self.spoil, self.spoiled = [], spoil, False
        n = self.extents[0]
        result = self.tensor([n], self.type)
        self.emit(f'tapestry.graph @g {{\n%X = tapestry.source "X" : {self.tensor(self.extents, self.type)}')
        if sharded:
            blocks = [self.block(rows) for rows in split(self.rng, n)]
            ends = [int(re.findall(r"-> tensor<(\d+)x\w+>", next(line for line in self.lines if line.startswith(f"%{b} =")))[-1]) for b in blocks]
            kinds = ", ".join(self.tensor([end], self.type) for end in ends)
            self.emit(f'%Y = tapestry.concat "Y" {", ".join(f"%{b}" for b in blocks)} along 0 : ({kinds}) -> {result}')
        else:
            self.emit(self.whole("%Y", "%X"))
        self.emit(f'tapestry.sink "Y", %Y : {result}\n}}')
        return "\n".join(self.lines) + "\n"


def save(folder, name, text):
    """The graph as it is printed, if it is one."""
    (folder / "raw.mlir").write_text(text)
    return driver.execute(["tapestry-opt", "raw.mlir", "-o", name], cwd=folder)


def check_spoiled(text, folder):
    """What is wrong is said in one message. A part that is left alone may have the accumulator's
    type, which is none of the result's."""
    for spoil in ("twice", "missing", "monoid"):
        for _ in range(4):
            graph = text.graph(sharded=True, spoil=spoil)
            if text.spoiled:
                break
        else:
            continue
        if save(folder, "spoiled.mlir", graph).status:
            continue
        try:
            prove(folder, ("whole.mlir", "spoiled.mlir"))
        except driver.CheckFailed as failure:
            expected = {
                "twice": r"is combined 2 times, expected 1|expected a partial value of",
                "missing": r"is combined 0 times, expected 1|a partial value of|is computed 0 times|expected tensor",
                "monoid": "by another monoid",
            }[spoil]
            if not re.search(expected, str(failure)) or str(failure).count("error: ") != 1:
                raise driver.CheckFailed(f"{spoil}: {failure}\n{graph}") from None
        else:
            raise driver.CheckFailed(f"proved with a part {spoil}:\n{graph}")


def check_seed(seed, folder):
    rng = np.random.default_rng([seed, 0x9A27])
    text = Text(rng)
    text.extents = [int(n) for n in rng.integers(1, 8, 3)]
    save(folder, "whole.mlir", text.graph(sharded=False)).expect_status(0)
    save(folder, "sharded.mlir", text.graph(sharded=True)).expect_status(0)
    prove(folder, ("whole.mlir", "sharded.mlir"))
    driver.execute(["tapestry-opt", "sharded.mlir", "--tapestry-unshard", "-o", "recovered.mlir"], cwd=folder).expect_status(0)
    recovered = (folder / "recovered.mlir").read_text()
    if recovered.count("tapestry.einsum") != 1 or re.search(r"tapestry\.(shard|concat|slice)", recovered):
        raise driver.CheckFailed(f"no whole was recovered:\n{recovered}")
    prove(folder, ("whole.mlir", "recovered.mlir"), ("recovered.mlir", "sharded.mlir"))

    if text.type[0] == "i":
        x = rng.integers(-9, 10, text.extents).astype(NUMPY[text.type])
    else:
        x = rng.uniform(-2, 2, text.extents).astype(NUMPY[text.type])
    wide = x.astype(np.float64) if text.type[0] == "f" else x
    expected = functools.reduce(text.fold, np.moveaxis(wide.reshape(len(x), -1), 1, 0))
    if text.monoid == "own":
        expected = np.abs(expected)
    inputs = driver.save_inputs(folder, {"X": x})
    devices = int(rng.integers(1, 9))
    for words in (["reference"], ["run", f"--devices={devices}"]):
        driver.tapestry(*words, "sharded.mlir", *inputs, "-o", "Y=Y.npy", cwd=folder).expect_status(0)
        y = np.load(folder / "Y.npy")
        if text.type[0] == "i":
            compare.check_equal("Y", y, expected.astype(x.dtype))
        else:
            tolerance = {"f16": 2e-3, "f32": 1e-5, "f64": 1e-12}[text.type]
            if not np.allclose(y, expected, rtol=tolerance, atol=tolerance * np.abs(wide).sum()):
                raise driver.CheckFailed(f"{words}: {y} for {expected}")
    check_spoiled(text, folder)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seeds", default="0-24", help="e.g. 0-24,117")
    failed = False
    for seed in driver.parse_numbers(parser.parse_args().seeds):
        with driver.workspace() as folder:
            try:
                check_seed(seed, folder)
            except driver.CheckFailed as failure:
                print(f"FAILED: seed {seed}\n{failure}")
                failed = True
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
