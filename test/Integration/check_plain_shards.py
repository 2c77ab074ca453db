#!/usr/bin/python3
"""Graphs sharded by hand, of plain operators on slices: random chains of operators, each cut
in its own way into blocks that read slices and concatenations of the blocks before it, and
partial results that are summed. They are proved to be shardings of the whole graph, which is
recovered from them, and have NumPy's values. What is proved of one with an error in it has
them, too.

    check_plain_shards.py --seeds 0-24
"""

import argparse
import re
import sys

import numpy as np

from check_partials import split
from check_shards import graph_of, moved_by_one, prove
from harness import compare, driver


def tensor(shape):
    return f"tensor<{''.join(f'{n}x' for n in shape)}i64>"


class Text:
    """A graph that is written operation by operation. A tensor is a list of blocks, which are
    boxes with the names of values; the whole graph has one block of each."""

    def __init__(self, rng, is_cut):
        self.rng, self.is_cut, self.lines, self.count = rng, is_cut, [], 0

    def emit(self, text, shape, kind, words=""):
        self.count += 1
        name = f"v{self.count}"
        self.lines.append(f'%{name} = tapestry.{kind} "{name}" {text.replace("$", name)}')
        return name

    def source(self, name, shape):
        self.lines.append(f'%{name} = tapestry.source "{name}" : {tensor(shape)}')
        return [([(0, n) for n in shape], name)]

    def slice(self, name, box, part):
        """The part of what lies at a box."""
        if part == box:
            return name
        starts, ends = ([at[i] - b[0] for at, b in zip(part, box)] for i in (0, 1))
        types = [tensor([b - a for a, b in at]) for at in (box, part)]
        return self.emit(f"%{name} {starts} => {ends} : ({types[0]}) -> {types[1]}", None, "slice")

    def read(self, blocks, part, dim=0):
        """The part of a tensor, put together."""
        within = []
        for box, name in blocks:
            common = [(max(a, c), min(b, d)) for (a, b), (c, d) in zip(box, part)]
            if all(a < b for a, b in common):
                within.append((common, self.slice(name, box, common)))
        return self.join(within, 0)[1]

    def join(self, blocks, dim):
        if len(blocks) == 1:
            return blocks[0]
        starts = sorted({box[dim][0] for box, _ in blocks})
        rows = [self.join([b for b in blocks if b[0][dim][0] == s], dim + 1) for s in starts]
        if len(rows) == 1:
            return rows[0]
        box = list(rows[0][0])
        box[dim] = (rows[0][0][dim][0], rows[-1][0][dim][1])
        shapes = [tensor([b - a for a, b in row[0]]) for row in rows]
        whole = tensor([b - a for a, b in box])
        names = ", ".join(f"%{name}" for _, name in rows)
        return box, self.emit(f"{names} along {dim} : ({', '.join(shapes)}) -> {whole}", None, "concat")

    def einsum(self, labels, reads, out, body, reduce=""):
        """Of (name, shape, subscripts)."""
        shape = [labels[label] for label in out]
        args = ", ".join(f"%a{i}: i64" for i in range(len(reads)))
        return self.emit(
            f"[{', '.join(f'{k} = {n}' for k, n in labels.items())}] "
            f"({', '.join(f'%{name}[{at}' for name, _, at in reads)}) -> [{', '.join(out)}]{reduce} {{\n"
            f"^bb0({args}):\n{body}\ntapestry.yield %y : i64\n}} : "
            f"({', '.join(tensor(s) for _, s, _ in reads)}) -> {tensor(shape)}",
            None, "einsum")  # fmt: skip

    def cuts(self, extent):
        return split(self.rng, extent) if self.is_cut else [(0, extent)]

    def grid(self, shape):
        """Boxes, the rows of each cut on their own."""
        if self.is_cut and self.rng.integers(3) == 0:
            rows = [[(0, shape[0])]]
        rows = self.cuts(shape[0])
        return [[r, c] for r in rows for c in self.cuts(shape[1])]

    def operator(self, shape, reads, labels, subscripts, out, body, reduce=""):
        """One block of each box: `reads` says which part of each tensor it takes, `subscripts`
        how it reads that, `labels` which there are."""
        blocks = []
        for box in self.grid(shape):
            parts = reads(box)
            read = [
                (self.read(blocks_, part), [b - a for a, b in part], at)
                for (blocks_, part), at in zip(parts, subscripts(box, [p for _, p in parts]))
            ]
            blocks.append((box, self.einsum(labels(box), read, out, body(box), reduce)))
        return blocks

    def product(self, x, w, shape, inner, monoid):
        """Partial results over blocks of the inner dimension, combined in any order."""
        blocks = []
        for box in self.grid(shape):
            parts = []
            for k in self.cuts(inner):
                read = [(self.read(x, [box[0], k]), [box[0][1] - box[0][0], k[1] - k[0]], "i, k]")]
                read.append((self.read(w, [k, box[1]]), [k[1] - k[0], box[1][1] - box[1][0]], "k, j]"))
                labels = {"i": read[0][1][0], "k": k[1] - k[0], "j": read[1][1][1]}
                multiply = "%y = arith.muli %a0, %a1 : i64" if monoid == "add" else "%y = arith.addi %a0, %a1 : i64"
                parts.append(self.einsum(labels, read, ["i", "j"], multiply, f" reduce {monoid}"))
            sizes = {"i": box[0][1] - box[0][0], "j": box[1][1] - box[1][0]}
            combine = {"add": "arith.addi", "max": "arith.maxsi"}[monoid]
            while len(parts) > 1:
                two = [parts.pop(int(self.rng.integers(len(parts)))) for _ in range(2)]
                reads = [(name, list(sizes.values()), "i, j]") for name in two]
                parts.append(self.einsum(sizes, reads, ["i", "j"], f"%y = {combine} %a0, %a1 : i64"))
            blocks.append((box, parts[0]))
        return blocks


def sizes(box):
    return {"i": box[0][1] - box[0][0], "j": box[1][1] - box[1][0]}


def labelled(box):
    """x * (i + 2), of an i that counts from where the block begins."""
    start = box[0][0]
    add = f"%c = arith.constant {start} : index\n%g = arith.addi %l, %c : index\n" if start else ""
    return (
        f'%l = tapestry.label "i"\n{add}%n = arith.index_cast %{"g" if start else "l"} : index to i64\n'
        "%t = arith.constant 2 : i64\n%m = arith.addi %n, %t : i64\n%y = arith.muli %a0, %m : i64"
    )


RELU = "%z = arith.constant 0 : i64\n%y = arith.maxsi %a0, %z : i64"
STENCIL = "%y = arith.muli %a0, %a1 : i64"


def layer(kind, text, number, x, shape, arrays, value, rng):
    """The blocks, shape and value of one more operator."""
    n, m = shape
    if kind in ("add", "max"):
        p = arrays.setdefault(f"W{number}", rng.integers(-3, 4, [m, int(rng.integers(2, 6))])).shape[1]
        w = text.source(f"W{number}", [m, p])
        out = text.product(x, w, [n, p], m, kind)
        if kind == "add":
            return out, [n, p], value @ arrays[f"W{number}"]
        return out, [n, p], (value[:, :, None] + arrays[f"W{number}"][None]).max(1)
    if kind in ("stencil", "edge", "valid"):
        s = text.source(f"S{number}", [3])
        weights = arrays.setdefault(f"S{number}", rng.integers(-3, 4, 3))
        rows = n - 2 if kind == "valid" else n

        def around(box):
            (a, b), cols = box
            part = (a, b + 2) if kind == "valid" else (max(a - 1, 0), min(b + 1, n))
            return [(x, [part, cols]), (s, [(0, 3)])]

        def at(box, parts):
            start = box[0][0] - parts[0][0][0] - (kind != "valid")
            pad = {"stencil": "pad 7 : i64", "edge": "edge", "valid": ""}[kind]
            leaves = box[0][0] == 0 or box[0][1] == n
            return [f"i + r{' - 1' if start < 0 else ''}, j] {pad if leaves else ''}", "r]"]

        out = text.operator(
            [rows, m], around, lambda box: {**sizes(box), "r": 3}, at, ["i", "j"], lambda box: STENCIL, " reduce add"
        )
        padded = value if kind == "valid" else np.pad(value, [(1, 1), (0, 0)], **(
            {"constant_values": 7} if kind == "stencil" else {"mode": "edge"}))  # fmt: skip
        return out, [rows, m], sum(weights[r] * padded[r : r + rows] for r in range(3))
    if kind == "flip":
        out = text.operator(
            [m, n], lambda box: [(x, box[::-1])], sizes, lambda box, parts: ["j, i]"], ["i", "j"], lambda box: RELU
        )
        return out, [m, n], np.maximum(value.T, 0)
    body = labelled if kind == "label" else lambda box: RELU
    out = text.operator(shape, lambda box: [(x, box)], sizes, lambda box, parts: ["i, j]"], ["i", "j"], body)
    if kind == "label":
        return out, shape, value * (np.arange(n)[:, None] + 2)
    return out, shape, np.maximum(value, 0)


def build(rng, is_cut, kinds, arrays):
    text = Text(rng, is_cut)
    shape, value = list(arrays["X"].shape), arrays["X"]
    x = text.source("X", shape)
    for number, kind in enumerate(kinds):
        x, shape, value = layer(kind, text, number, x, shape, arrays, value, rng)
    name = text.read(x, [(0, n) for n in shape])
    body = "\n".join([*text.lines, f'tapestry.sink "Y", %{name} : {tensor(shape)}'])
    return f"tapestry.graph @g {{\n{body}\n  }}\n", value


def spoil(rng, text):
    """One slice moved, two pieces exchanged, or a number changed."""
    lines = text.splitlines()
    changes = [
        ("slice ", r"\[(\d[^\]]*)\] => \[([^\]]*)\]", moved_by_one),
        ("concat ", r"(%[\w.]+), (%[\w.]+)", lambda rng, match: f"{match[2]}, {match[1]}"),
        ("einsum ", r"(?<=\w [+-] )(\d+)(?=[,\]])", lambda rng, m: str(int(m[1]) + 1)),
        ("arith.constant ", r"(?<=constant )(\d+)", lambda rng, m: str(int(m[1]) + 1)),
    ]
    word, pattern, change = changes[int(rng.integers(len(changes)))]
    places = [(n, m) for n, line in enumerate(lines) if word in line for m in re.finditer(pattern, line)]
    if places:
        n, m = places[int(rng.integers(len(places)))]
        lines[n] = lines[n][: m.start()] + change(rng, m) + lines[n][m.end() :]
    return "\n".join(lines) + "\n"


def check_value(folder, graph, inputs, expected):
    driver.tapestry("reference", graph, *inputs, "-o", "Y=Y.npy", cwd=folder).expect_status(0)
    compare.check_equal("Y", np.load(folder / "Y.npy"), expected)


def check_spoiled(rng, folder, plain, inputs, expected):
    """What is proved, or recovered, is right."""
    for _ in range(3):
        (folder / "spoiled.mlir").write_text(spoil(rng, plain))
        both = graph_of(folder, "whole.mlir", "whole") + graph_of(folder, "spoiled.mlir", "sharded")
        (folder / "both.mlir").write_text(both)
        words = ["both.mlir", "--tapestry-verify-sharding", "-o", "proved.mlir"]
        if driver.execute(["tapestry-opt", *words], cwd=folder).status == 0:
            check_value(folder, "spoiled.mlir", inputs, expected)
        words = ["spoiled.mlir", "--tapestry-unshard", "-o", "recovered.mlir"]
        made = driver.execute(["tapestry-opt", *words], cwd=folder)
        if made.status == 0:
            driver.tapestry("reference", "spoiled.mlir", *inputs, "-o", "Y=Y.npy", cwd=folder).expect_status(0)
            check_value(folder, "recovered.mlir", inputs, np.load(folder / "Y.npy"))


def check_seed(seed, folder):
    rng = np.random.default_rng([seed, 0x91A1])
    choice = ["add", "max", "stencil", "edge", "valid", "flip", "label", "relu"]
    kinds = [str(kind) for kind in rng.choice(choice, int(rng.integers(1, 4)))]
    arrays = {"X": rng.integers(-5, 6, rng.integers(7, 12, 2))}
    whole, expected = build(rng, False, kinds, arrays)
    plain, _ = build(rng, True, kinds, arrays)
    for name, text in (("whole.mlir", whole), ("plain.mlir", plain)):
        (folder / name).write_text(text)
    inputs = driver.save_inputs(folder, arrays)
    check_value(folder, "plain.mlir", inputs, expected)
    prove(folder, ("whole.mlir", "plain.mlir"))
    made = driver.execute(["tapestry-opt", "plain.mlir", "--tapestry-unshard", "-o", "recovered.mlir"], cwd=folder)
    made.expect_status(0)
    recovered = (folder / "recovered.mlir").read_text()
    if recovered.count("tapestry.einsum") != len(kinds) or re.search(r"tapestry\.(shard|concat|slice)", recovered):
        raise driver.CheckFailed(f"{kinds}: no whole was recovered:\n{made.stderr}\n{recovered}\n{plain}")
    prove(folder, ("whole.mlir", "recovered.mlir"), ("recovered.mlir", "plain.mlir"))
    check_value(folder, "recovered.mlir", inputs, expected)
    check_spoiled(rng, folder, plain, inputs, expected)


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
