#!/usr/bin/python3
"""Kernels for GPUs with an error planted in them fail on the tests' driver: each in
its turn of a program that is right.

    check_planted.py [CASE ...]
"""

import re

import numpy as np

from harness import driver
from harness.cases import Group
from harness.driver import CheckFailed

case = Group()

# A product in tiles, a tree of a block, and a thread per result; nothing divides.
PROGRAM = """\
input A : f32[37, 65]
input B : f32[65, 29]
C[i, k] = sum[j] A[i, j] * B[j, k]
S[i] = sum[j] A[i, j]
T[i, k] = C[i, k] / S[i]
output C
output S
output T
"""
# What `compile` does behind --stop-after=gpu.
LOWERING = (
    "builtin.module(tapestry-lower-to-stub{archs=stub},"
    "gpu.module(lower-affine,expand-strided-metadata,lower-affine,tapestry-lower-to-nvvm),"
    "tapestry-embed-images{archs=stub},tapestry-lower-to-llvm{space=1 alignment=256},"
    "tapestry-emit-program-description{target=cuda})"
)


class Plant:
    """The program's code as text, which is changed and run."""

    def __init__(self, bench):
        self.bench = bench
        bench.write("p.ein", PROGRAM)
        generator = np.random.default_rng(8)
        A = generator.standard_normal((37, 65)).astype(np.float32)
        B = generator.standard_normal((65, 29)).astype(np.float32)
        np.save(bench.folder / "A.npy", A)
        np.save(bench.folder / "B.npy", B)
        C, S = A.astype(float) @ B, A.astype(float).sum(1)
        self.want = {"C": C, "S": S, "T": C / S[:, None]}
        self.stub = driver.on_stub()
        words = ["compile", "p.ein", "--devices=1", *self.stub, "--stop-after=gpu"]
        text = driver.tapestry(*words, cwd=bench.folder).expect_status(0).stdout
        at = text.index("gpu.module @tapestry_device")
        self.host, self.device = text[:at], text[at:]

    def build(self, device):
        folder, tools = self.bench.folder, driver.build_folder() / "bin"
        runtime = driver.build_folder() / "lib"
        archives = [runtime / f"libTapestryRuntime{name}.a" for name in ("Main", "")]
        (folder / "p.mlir").write_text(self.host + device)
        for command in (
            [tools / "tapestry-opt", f"--pass-pipeline={LOWERING}", "p.mlir", "-o", "p.llvm"],
            [tools / "tapestry-translate", "--mlir-to-object", "p.llvm", "-o", "p.o"],
            ["c++", "p.o", *archives, f"-Wl,-rpath,{runtime}", "-pthread", "-ldl", "-o", "p"],
        ):
            driver.execute(command, folder).expect_status(0)

    def run(self, device):
        """Says what is seen to be wrong, or nothing."""
        self.build(device)
        files = ["-i", "A=A.npy", "-i", "B=B.npy", *driver.output_options(self.want)]
        finished = driver.execute(["./p", *files], self.bench.folder, driver.CHECKED)
        if finished.status != 0:
            finished.expect_status(4)
            return finished.stderr.strip().splitlines()[0]
        got = driver.load_outputs(self.bench.folder, self.want)
        for name, want in self.want.items():
            if not np.allclose(got[name], want, rtol=1e-3, atol=1e-3):
                return f"{name} is wrong"
        return ""

    def expect_seen(self, pattern, change, says, count, skip=0):
        """Each of the first `count` places of the pattern is changed alone."""
        found = list(re.finditer(pattern, self.device, re.MULTILINE))[skip:]
        if len(found) < count:
            raise CheckFailed(f"{len(found)} places of /{pattern}/\n{self.device}")
        for match in found[:count]:
            device = self.device[: match.start()] + change(match) + self.device[match.end() :]
            seen = self.run(device)
            if not re.search(says, seen):
                line = self.device.count("\n", 0, match.start()) + 1
                raise CheckFailed(f"'{seen}' is not /{says}/: line {line}, {match.group()}")


@case
def the_program_itself_is_right(bench):
    plant = Plant(bench)
    if seen := plant.run(plant.device):
        raise CheckFailed(seen)


@case
def a_missing_barrier(bench):
    # Two of a step and two of the last one, and those of a tree.
    Plant(bench).expect_seen(
        r"^ *gpu\.barrier\n", lambda match: "", "with no barrier between", count=7
    )


@case
def a_wrong_thread_index(bench):
    def change(match):
        return (
            f"{match[1]}%given = gpu.thread_id  x\n{match[1]}%one = arith.constant 1 : index\n"
            f"{match[1]}%thread_id_x = arith.addi %given, %one : index\n"
        )

    Plant(bench).expect_seen(
        r"^( *)%thread_id_x = gpu\.thread_id  x\n",
        change,
        "is wrong|at byte [0-9-]+ of|with no barrier between",
        count=3,
    )


@case
def a_missing_mask_of_a_tile(bench):
    """What has no place computes a neighbour's value, and would store it."""
    Plant(bench).expect_seen(
        r"arith\.cmpi slt, %\w+, %c(37|29) : index",
        lambda match: "arith.constant true",
        "with no barrier between",
        count=4,
    )


@case
def a_missing_end_of_a_loop(bench):
    """Threads behind the last result have one, too."""
    Plant(bench).expect_seen(
        r"^( *)(scf\.for %\w+ = %\w+ to) %c1073 step",
        lambda match: f"{match[1]}%more = arith.constant 1280 : index\n{match[1]}{match[2]} %more step",
        "at byte 4292 of a buffer of 4292",
        count=1,
    )


if __name__ == "__main__":
    case.main(__doc__)
