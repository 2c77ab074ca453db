#!/usr/bin/python3
"""Rewrites random graphs by rewrites of every kind and runs what they become.

    check_graphs.py [--programs 12] [--first 0] [--kinds order,reassociate,...]

Statements of few labels read each other at random: products of two and three tensors,
with functions as factors, elementwise ones, windows, loops, and what rules look for. Rewrites
are chosen kind by kind. All numbers are integers, whose sums and products are the same
in any order, so that every graph has the values of the reference on the program as it is
written, to the bit. Every kind of --kinds has to occur.
"""

import argparse
import collections
import random
import sys

import numpy as np
from harness import contract, driver
from harness.driver import CheckFailed
from harness.rewriting import import_program, kind_of, rewrite

KINDS = ["order", "reassociate", "fuse", "unfuse", "recompute", "phase", "linear-fold", "fuse-producer", "split"]


class Graph:
    """A random program on matrices; inputs by name."""

    def __init__(self, choose):
        self.choose = choose
        self.numbers = np.random.default_rng(choose.randrange(2**32))
        self.arrays, self.lines, self.shapes = {}, [], {}
        self.extents = [choose.randint(3, 9) for _ in range(3)]
        self.read = set()
        for _ in range(choose.randint(4, 7)):
            choose.choice(
                [self.product, self.chain, self.elementwise, self.elementwise, self.windows, self.linear, self.loop]
            )()
        made = [name for name in self.shapes if name not in self.arrays]
        self.outputs = [name for name in made if name not in self.read or choose.random() < 0.2]
        self.text = "\n".join([*self.lines, f"output {', '.join(self.outputs)}", ""])

    def input(self, *shape):
        name = f"A{len(self.arrays)}"
        self.arrays[name] = self.numbers.integers(-3, 4, shape).astype("i4")
        self.lines.append(f"input {name} : i32[{', '.join(map(str, shape))}]")
        self.shapes[name] = shape
        return name

    def pick(self, *shape):
        """A matrix of this shape, None standing for any extent."""
        fitting = [
            name
            for name, known in self.shapes.items()
            if len(known) == len(shape) and all(want in (None, has) for want, has in zip(shape, known))
        ]
        if not fitting or self.choose.random() < 0.25:
            return self.input(*(want or self.choose.choice(self.extents) for want in shape))
        # What was made last, so that there are chains.
        name = self.choose.choice(fitting[-3:])
        self.read.add(name)
        return name

    def add(self, shape, labels, value):
        name = f"T{len(self.shapes)}"
        self.lines.append(f"{name}[{labels}] = {value}")
        self.shapes[name] = shape
        return name

    def factor(self, read):
        return self.choose.choice(["{}", "{}", "abs({})", "max({}, 1)", "({} + 2)"]).format(read)

    def product(self):
        left = self.pick(None, None)
        rows, inner = self.shapes[left]
        right = self.pick(inner, None)
        body = f"{self.factor(left + '[i, j]')} * {self.factor(right + '[j, k]')}"
        self.add((rows, self.shapes[right][1]), "i, k", f"sum[j] {body}")

    def chain(self):
        first = self.pick(None, None)
        second = self.pick(self.shapes[first][1], None)
        third = self.pick(self.shapes[second][1], None)
        body = f"{self.factor(first + '[i, j]')} * {second}[j, k] * {third}[k, l]"
        self.add((self.shapes[first][0], self.shapes[third][1]), "i, l", f"sum[j, k] {body}")

    def elementwise(self):
        left = self.pick(None, None)
        rows, columns = self.shapes[left]
        right = self.pick(columns, rows) if self.choose.random() < 0.5 else self.pick(rows, columns)
        other = "[i, j]" if self.shapes[right] == (rows, columns) and right != left else "[j, i]"
        if other == "[j, i]" and self.shapes[right] != (columns, rows):
            right, other = left, "[i, j]"
        body = self.choose.choice(["max({}, {})", "{} - {}", "{} * {} + 1", "abs({}) + {}"])
        self.add((rows, columns), "i, j", body.format(f"{left}[i, j]", f"{right}{other}"))

    def windows(self):
        tensor = self.pick(None, None)
        rows, before = self.shapes[tensor]
        stride, dilation, taps = self.choose.choice([(1, 2), (1, 3), (2, 1), (2, 2), (3, 2)]) + (3,)
        columns = self.choose.choice(self.extents)
        weights = self.pick(taps, None)
        read = f"pad({tensor}, 0)[i, {stride}*y + {dilation}*r - {dilation}] * {weights}[r, 0]"
        self.add((rows, columns), f"i, y:{columns}", f"sum[r:{taps}] {read}")

    def linear(self):
        """Prod, SumDim and Sum."""
        x = self.pick(None, None)
        rows, inner = self.shapes[x]
        w = self.pick(inner, None)
        columns = self.shapes[w][1]
        b = self.input(columns)
        prod = self.add((rows, inner, columns), "n, k, m", f"{x}[n, k] * {w}[k, m]")
        sums = self.add((rows, columns), "n, m", f"sum[k] {prod}[n, k, m]")
        self.read |= {prod, sums}
        self.add((rows, columns), "n, m", f"{sums}[n, m] + {b}[m]")


    def loop(self):
        """Products of three, with a factor of its own, several times."""
        start = self.pick(None, None)
        rows, columns = self.shapes[start]
        first = self.pick(rows, None)
        second = self.pick(self.shapes[first][1], rows)
        name, inner = f"T{len(self.shapes)}", f"P{len(self.shapes)}"
        body = f"{self.factor(first + '[i, k]')} * {second}[k, l] * {inner}[l, j]"
        self.lines += [
            f"repeat t{len(self.shapes)}:{self.choose.randint(1, 3)} ({name} = {start}) {{",
            f"  {inner}[i, j] = max({name}[i, j], {self.choose.randint(-2, 2)})",
            f"  next {name}[i, j] = sum[k, l] {body}",
            "}",
        ]
        self.shapes[name] = (rows, columns)


def check_values(folder, graph, expected, what):
    for name, value in driver.load_outputs(folder, graph.outputs).items():
        if value.shape != expected[name].shape or not (value == expected[name]).all():
            raise CheckFailed(f"{what}: {name} is\n{value}\nexpected\n{expected[name]}")


def choose_rewrites(choose, folder, seen):
    """A few rewrites, of kinds that have been chosen the least."""
    chosen = []
    for _ in range(choose.randint(1, 4)):
        offered = rewrite(folder, chosen)
        if not offered:
            break
        kinds = sorted({kind_of(each) for each in offered})
        kind = min(kinds, key=lambda each: (seen[each], choose.random()))
        chosen.append(choose.choice([each for each in offered if kind_of(each) == kind]))
        seen[kind] += 1
    rewrite(folder, chosen)
    return chosen


def check(folder, graph, choose, devices, seen):
    (folder / "program.ein").write_text(graph.text)
    files = driver.save_inputs(folder, graph.arrays) + driver.output_options(graph.outputs)
    driver.tapestry("reference", "program.ein", *files, cwd=folder).expect_status(0)
    expected = driver.load_outputs(folder, graph.outputs)
    import_program(folder)
    rewrites = choose_rewrites(choose, folder, seen)
    try:
        driver.tapestry("reference", "rewritten.mlir", *files, cwd=folder).expect_status(0)
        check_values(folder, graph, expected, "the reference")
        words = ["rewritten.mlir", "--order=none", f"--devices={devices}"]
        driver.tapestry("plan", *words, "--json=plan.json", cwd=folder).expect_status(0)
        driver.tapestry(
            "run", "program.ein", "--plan=plan.json", *files, "--report=report.json", cwd=folder
        ).expect_status(0)
        check_values(folder, graph, expected, "the run")
        plan = driver.load_json(folder / "plan.json")
        contract.check_contract(plan, driver.load_json(folder / "report.json"), devices, "local")
    except CheckFailed as failure:
        raise CheckFailed(f"after {rewrites}:\n{failure}") from failure


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--programs", type=int, default=12)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--kinds", default=",".join(KINDS))
    options = parser.parse_args()
    failed, seen = False, collections.Counter()
    with driver.workspace() as folder:
        for number in range(options.first, options.first + options.programs):
            choose = random.Random(f"graphs {number}")
            graph = Graph(choose)
            devices = 1 + number % 8
            try:
                check(folder, graph, choose, devices, seen)
            except CheckFailed as failure:
                print(f"FAILED: program {number} on {devices} devices\n{graph.text}\n{failure}")
                failed = True
    missing = [kind for kind in options.kinds.split(",") if not seen[kind]]
    if missing:
        sys.exit(f"FAILED: no rewrite of {', '.join(missing)} was tried, but {dict(seen)}")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
