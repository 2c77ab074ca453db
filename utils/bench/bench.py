#!/usr/bin/python3
"""Times whole commands, as a user waits for them, and prints medians.

    bench.py [--build build] [--repetitions 5] [--quick]

Wall time of `tapestry run` on a small product; one local rank against two on a
large one (report.json's seconds, without compilation and files); seconds per
training step of the digits classifier; planning time of a 32-layer transformer.
Run it on an idle machine.
"""

import argparse
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

import numpy as np

from llama import llama
from peers import machine

ROOT = pathlib.Path(__file__).resolve().parents[2]
MATMUL = """\
param n = 64
input A : f32[n, n]
input B : f32[n, n]
C[i, k] = sum[j] A[i, j] * B[j, k]
output C
"""


class Bench:
    def __init__(self, tapestry, folder, repetitions):
        self.tapestry = tapestry
        self.folder = pathlib.Path(folder)
        self.repetitions = repetitions
        self.rng = np.random.default_rng(3)

    def save(self, name, *shape):
        np.save(self.folder / f"{name}.npy", self.rng.standard_normal(shape).astype(np.float32))

    def run(self, *words):
        """Wall seconds of one command."""
        start = time.perf_counter()
        done = subprocess.run(
            [self.tapestry, *map(str, words)], cwd=self.folder, capture_output=True, text=True
        )
        seconds = time.perf_counter() - start
        if done.returncode:
            sys.exit(f"tapestry {' '.join(map(str, words))}: status {done.returncode}\n{done.stderr}")
        return seconds

    def wall(self, *words):
        return self.median(lambda: self.run(*words))

    def inside(self, *words):
        """report.json's seconds: between all ranks' start and end."""
        def once():
            self.run(*words, "--report=r.json")
            return json.loads((self.folder / "r.json").read_text())["seconds"]

        return self.median(once)

    def median(self, measure):
        measure()  # warms the page cache
        return statistics.median(measure() for _ in range(self.repetitions))


def print_row(what, seconds, note=""):
    value = f"{seconds * 1e3:.1f} ms" if seconds < 1 else f"{seconds:.2f} s"
    print(f"{what:<52} {value:>10}  {note}", flush=True)


def products(bench, large):
    (bench.folder / "matmul.ein").write_text(MATMUL)
    files = ["-i", "A=A.npy", "-i", "B=B.npy", "-o", "C=C.npy"]
    bench.save("A", 64, 64)
    bench.save("B", 64, 64)
    for devices in (1, 4):
        seconds = bench.wall("run", "matmul.ein", f"--devices={devices}", *files)
        print_row(f"tapestry run, 64^3 product, {devices} ranks, wall", seconds)
    bench.save("A", large, large)
    bench.save("B", large, large)
    times = {}
    for devices in (1, 2):
        times[devices] = bench.inside(
            "run", "matmul.ein", f"-Dn={large}", f"--devices={devices}", *files
        )
        gflops = 2 * large**3 / times[devices] / 1e9
        print_row(f"{large}^3 product, {devices} local ranks", times[devices], f"{gflops:.1f} GFLOP/s")
    print(f"{'  two ranks against one':<52} {times[1] / times[2]:>8.2f} x")


def classifier(bench):
    shapes = {"X": (1437, 65), "Y": (1437, 10), "W1": (65, 64), "W2": (64, 10)}
    for name, shape in shapes.items():
        bench.save(name, *shape)
    files = [word for name in shapes for word in ("-i", f"{name}={name}.npy")]
    program = ROOT / "docs" / "examples" / "digits-train.ein"
    steps = 100
    for devices in (1, 2, 4):
        seconds = bench.inside(
            "run", program, f"--devices={devices}", f"--repeat={steps}", "--feed=W1n=W1",
            "--feed=W2n=W2", *files, "-o", "Loss=Loss.npy",
        )
        print_row(f"training step of digits-train.ein, {devices} ranks", seconds / steps)


def planning(bench, layers):
    (bench.folder / "llama.ein").write_text(llama(layers))
    for solver in ("exact", "eindecomp"):
        def once():
            bench.run(
                "plan", "llama.ein", "--devices=8", f"--solver={solver}", "--json=plan.json"
            )
            return json.loads((bench.folder / "plan.json").read_text())["plan_seconds"]

        seconds = bench.median(once)
        cost = json.loads((bench.folder / "plan.json").read_text())["cost"]
        what = f"plan of {layers} transformer layers, 8 devices, {solver}"
        print_row(what, seconds, f"cost {cost:.0f}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", default=os.environ.get("TAPESTRY_BUILD", ROOT / "build"))
    parser.add_argument("--repetitions", type=int, default=5)
    parser.add_argument("--quick", action="store_true", help="small sizes: does it work at all")
    options = parser.parse_args()
    tapestry = pathlib.Path(options.build).resolve() / "bin" / "tapestry"
    if not tapestry.exists():
        sys.exit(f"{tapestry} is not there; run utils/build.sh first")
    print(f"{machine()}; medians of {options.repetitions}")
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(tapestry, folder, options.repetitions)
        products(bench, 256 if options.quick else 2048)
        classifier(bench)
        planning(bench, 2 if options.quick else 32)


if __name__ == "__main__":
    main()
