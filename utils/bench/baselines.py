#!/usr/bin/python3
"""Plans that people write by hand beside those of `exact`, costed and run.

    baselines.py [--build build] [--devices 4] [--small] [--machine machine.json]
                 [--repeat 5] [--programs NAME ...]

For the classifier, one llama layer and the chain: data parallel, sequence,
attention heads, Megatron's cuts and square roots as plan files, and exact plans for
both cost models. Each is costed (elements of `paper`, seconds of `spmd` on the
calibrated machine) and run on local ranks. Plans by hand may compute a vertex on
all devices, which the search in the model `paper` never does, so that one of them
may be cheaper there than `exact`. A difference between the bytes that a plan
predicts and those that the runtime counts, or between the results of two plans, ends
the script with status 1.
"""

import argparse
import pathlib
import shutil
import sys
import tempfile

import numpy as np

from plans import ROOT, Bench, Refused, calibrated, chain, classifier, llama_layer


def preferring(*labels):
    """Cuts the first of these labels that a vertex has over all devices; a vertex
    without any is computed on every device."""

    def cut(_, has):
        found = [label for label in labels if label in has]
        return {found[0]: ["d"]} if found else {}

    return cut


def square(rows, columns, special=()):
    """Cuts two labels, each over the square root of the devices: the first of `rows`
    and the first other one of `columns`; `special` maps ends of names to pairs."""

    def cut(name, has):
        first, second = rows, columns
        for end, pair in dict(special).items():
            if name.endswith(end):
                first, second = pair
        one = next((label for label in first if label in has), None)
        two = next((label for label in second if label in has and label != one), None)
        axes = {}
        if one:
            axes[one] = ["r"]
        if two:
            axes[two] = ["c"]
        return axes

    return cut


# By program: the name of a plan and how it cuts a vertex (its name, its labels).
BASELINES = {
    "classifier": {
        "data parallel": preferring("b"),
        "Megatron": preferring("h"),
        "square root": square("bfh", "oh", {"dW2": ("h", "o"), "dW1": ("f", "h")}),
    },
    "llama layer": {
        "data parallel": preferring("b"),
        "sequence": preferring("s", "t"),
        "attention heads": preferring("h", "s"),
        "Megatron": preferring("h", "f"),
        "square root": square("st", "hfab", {"Y0": ("s", "a"), "Dn0": ("s", "a"), "sq": ("s", "b")}),
    },
    "chain": {
        "data parallel": preferring("i"),
        "square root": square("i", "k"),
    },
}


def programs(small):
    if small:
        return [
            classifier(batch=8, features=32, hidden=16, classes=12),
            llama_layer(batch=6, sequence=12, width=16, heads=6, head=4, hidden=24),
            chain(16),
        ]
    return [
        classifier(batch=128, features=4096, hidden=1024, classes=1024),
        llama_layer(batch=4, sequence=128, width=256, heads=8, head=32, hidden=688),
        chain(1024),
    ]


def grid_of(name, devices):
    if name != "square root":
        return {"d": devices}
    rows = int(devices**0.5)
    while devices % rows:
        rows -= 1
    return {"r": rows, "c": devices // rows}


def constraint_file(cut, vertices, inputs, grid, devices):
    """A plan file that states the cuts of all vertices but the inputs."""
    return {
        "tapestry_plan": 1,
        "devices": devices,
        "grid": grid,
        "vertices": [
            {"name": vertex["name"], "axes": cut(vertex["name"], vertex["parts"])}
            for vertex in vertices
            if vertex["name"] not in inputs
        ],
    }


def bytes_of(report):
    return [
        sum(collective[key] for collective in report["collectives"])
        for key in ("predicted_bytes", "counted_bytes")
    ]


class Table:
    def __init__(self):
        self.good = True
        self.reference = None

    def complain(self, text):
        print(f"baselines.py: error: {text}", file=sys.stderr)
        self.good = False

    def header(self, program, devices):
        self.reference = None
        sizes = " ".join(f"{name}={size}" for name, size in program.params.items())
        print(f"\n{program.name} ({sizes}), {devices} devices")
        print(
            f"  {'plan':18}{'paper':>14}{'spmd':>12}{'predicted B':>14}{'counted B':>14}"
            f"{'measured':>12}"
        )

    def row(self, name, paper, spmd, planned, report, results):
        predicted, counted = bytes_of(report)
        seconds = report["run_seconds"]["min"]
        paper = "-" if paper is None else f"{paper:.0f}"
        spmd = "-" if spmd is None else f"{spmd * 1e3:.3f} ms"
        print(
            f"  {name:18}{paper:>14}{spmd:>12}{predicted:14}{counted:14}{seconds * 1e3:9.3f} ms",
            flush=True,
        )
        if not planned == predicted == counted:
            self.complain(
                f"{name}: the plan says {planned} bytes, the program {predicted}, "
                f"counted are {counted}"
            )
        for collective in report["collectives"]:
            if collective["predicted_bytes"] != collective["counted_bytes"]:
                self.complain(f"{name}: {collective}")
        if self.reference is None:
            self.reference = results
        for tensor, value in results.items():
            expected = self.reference[tensor]
            if not np.allclose(value, expected, rtol=1e-3, atol=1e-4 * np.abs(expected).max()):
                self.complain(f"{name}: output {tensor} differs from that of the first plan")


def planned_bytes(plan):
    return sum(collective["bytes"] for collective in plan["collectives"])


def seconds_of(bench, given, machine):
    """What the same cuts cost in seconds."""
    given = {**given, "cost_model": "spmd", "machine": str(machine)}
    return bench.plan(bench.write_plan("seconds.json", given))["cost"]


def compare(bench, table, devices, machine, repeat):
    count = f"--devices={devices}"
    program = bench.program
    table.header(program, devices)
    vertices = None
    for name, words in {
        "exact, paper": ["--cost=paper"],
        "exact, spmd": ["--cost=spmd", f"--machine={machine}"],
    }.items():
        plan = bench.plan(count, *words)
        report, results = bench.run(count, *words, repeat=repeat)
        if vertices is None:
            vertices = plan["vertices"]
        if "paper" in name:
            axes = {vertex["name"]: vertex.get("axes", {}) for vertex in plan["vertices"]}
            given = constraint_file(
                lambda name, parts: axes[name], vertices, program.inputs, plan["grid"], devices
            )
            paper, spmd = plan["cost"], seconds_of(bench, given, machine)
        else:
            paper, spmd = None, plan["cost"]
        table.row(name, paper, spmd, planned_bytes(plan), report, results)
    for name, cut in BASELINES[program.name].items():
        grid = grid_of(name, devices)
        given = constraint_file(cut, vertices, program.inputs, grid, devices)
        word = bench.write_plan("given.json", given)
        plan = bench.plan(word)
        seconds = seconds_of(bench, given, machine)
        report, results = bench.run(word, repeat=repeat)
        table.row(name, plan["cost"], seconds, planned_bytes(plan), report, results)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--build", default=ROOT / "build")
    parser.add_argument("--tapestry", help="the tool, where it is not that of --build")
    parser.add_argument("--devices", type=int, default=4)
    parser.add_argument("--small", action="store_true", help="sizes for a test")
    parser.add_argument("--programs", nargs="+", help="only these, by name")
    parser.add_argument("--machine")
    parser.add_argument("--repeat", type=int, default=5)
    options = parser.parse_args()
    tapestry = pathlib.Path(options.build).resolve() / "bin" / "tapestry"
    if options.tapestry:
        tapestry = shutil.which(options.tapestry)
    table = Table()
    with tempfile.TemporaryDirectory() as root:
        machine = options.machine or calibrated(tapestry, root, options.devices)
        if pathlib.Path(machine).exists():
            machine = pathlib.Path(machine).resolve()
        for program in programs(options.small):
            if options.programs and program.name not in options.programs:
                continue
            folder = pathlib.Path(root) / program.name
            folder.mkdir()
            bench = Bench(tapestry, folder, program)
            try:
                compare(bench, table, options.devices, machine, options.repeat)
            except Refused as refusal:
                table.complain(f"{program.name}: {refusal}")
    sys.exit(0 if table.good else 1)


if __name__ == "__main__":
    main()
