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

# A product in tiles, rows by several warps, with vectors of 16 bytes and elements left
# behind them, rows whose elements are less than a word, and a thread per result.
PROGRAM = """\
input A : f32[37, 65]
input B : f32[65, 29]
input G : f32[5, 1029]
input H : f16[2, 1029]
C[i, k] = sum[j] A[i, j] * B[j, k]
S[i] = sum[j] G[i, j]
T[i, j] = G[i, j] / S[i]
M[i] = max[j] H[i, j]
N[i, j] = H[i, j] - M[i]
U[j, i] = A[i, j] + 1
output C
output S
output T
output N
output U
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
        A, B, G, H = (
            generator.standard_normal(shape).astype(kind)
            for shape, kind in (
                ((37, 65), np.float32),
                ((65, 29), np.float32),
                ((5, 1029), np.float32),
                ((2, 1029), np.float16),
            )
        )
        G = np.abs(G)
        self.files = driver.save_inputs(bench.folder, {"A": A, "B": B, "G": G, "H": H})
        A, B, G, H = (value.astype(float) for value in (A, B, G, H))
        S = G.sum(1)
        self.want = {"C": A @ B, "S": S, "T": G / S[:, None], "U": A.T + 1}
        self.want["N"] = H - H.max(1)[:, None]
        self.stub = driver.on_stub()
        words = ["compile", "p.ein", "--devices=1", *self.stub, "--gpu-products=generated"]
        words += ["--stop-after=gpu"]
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
        files = [*self.files, *driver.output_options(self.want)]
        finished = driver.execute(["./p", *files], self.bench.folder, driver.CHECKED)
        if finished.status != 0:
            finished.expect_status(4)
            return finished.stderr.strip().splitlines()[0]
        got = driver.load_outputs(self.bench.folder, self.want)
        for name, want in self.want.items():
            near = 1e-2 if name == "N" else 1e-4
            if not np.allclose(got[name], want, rtol=near, atol=near):
                return f"{name} is wrong"
        return ""

    def expect_seen(self, pattern, change, says, places):
        """Each of these places of the pattern is changed alone."""
        found = list(re.finditer(pattern, self.device, re.MULTILINE))
        if len(found) <= max(places):
            raise CheckFailed(f"{len(found)} places of /{pattern}/\n{self.device}")
        for match in (found[place] for place in places):
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
    # Two of a step of a product and two of the last one; in rows those behind what is
    # loaded once, the sums of warps, and the sum of all. Of the first value of a sum one
    # thread knows, and there is no second row that the last barrier is for.
    Plant(bench).expect_seen(
        r"^ *gpu\.barrier\n",
        lambda match: "",
        "with no barrier between",
        places=[0, 1, 2, 3, 5, 6, 7],
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
        places=range(4),
    )


@case
def a_missing_mask_of_a_tile(bench):
    """What has no place computes a neighbour's value, and would store it."""
    Plant(bench).expect_seen(
        r"arith\.cmpi slt, %\w+, %c(37|29) : index",
        lambda match: "arith.constant true",
        "with no barrier between",
        places=range(4),
    )


@case
def a_missing_end_of_a_loop(bench):
    """Threads behind the last result have one, too."""
    Plant(bench).expect_seen(
        r"^( *)(scf\.for %\w+ = %\w+ to) %c2405 step",
        lambda match: f"{match[1]}%more = arith.constant 2560 : index\n{match[1]}{match[2]} %more step",
        "at byte 9620 of a buffer of 9620",
        places=[0],
    )


@case
def a_wrong_lane(bench):
    """Of five steps in each warp and three of the warps' sums."""
    def change(match):
        other = 8 if match[3] == "16" else 16
        return (
            f"{match[1]}%other = arith.constant {other} : i32\n"
            f"{match[1]}{match[2]} %other, %c32_i32 : i32"
        )

    Plant(bench).expect_seen(
        r"^( *)(.* = gpu\.shuffle  xor %\w+,) %c(\d+)_i32, %c32_i32 : i32",
        change,
        "S is wrong",
        places=range(8),
    )


@case
def a_lane_that_is_alone(bench):
    def change(match):
        within = match[1] + "  "
        return (
            f"{match[1]}%alone = arith.cmpi slt, %thread_id_x, %c1 : index\n"
            f"{match[1]}{match[2]} = scf.if %alone -> (i32) {{\n"
            f"{within}%of, %is = gpu.shuffle  xor {match[3]} : i32\n{within}scf.yield %of : i32\n"
            f"{match[1]}}} else {{\n{within}scf.yield {match[4]} : i32\n{match[1]}}}\n"
        )

    Plant(bench).expect_seen(
        r"^( *)(%\w+), %\w+ = gpu\.shuffle  xor ((%\w+), .*) : i32\n",
        change,
        "some threads of a warp exchange values without the others",
        places=range(8),
    )


@case
def vectors_that_begin_elsewhere(bench):
    """Rows of odd numbers of elements do not begin at multiples of 16 bytes."""
    Plant(bench).expect_seen(
        r"arith\.cmpi eq, %\w+, %c0 : index",
        lambda match: "arith.constant true",
        "at an address that is no multiple of 16",
        places=range(4),
    )


@case
def a_vector_too_many(bench):
    # What is loaded once, by the block, and results of its row and the next one's.
    Plant(bench).expect_seen(
        r"^( *)(%\w+ = arith\.select %\w+,) %c(257|128), %c0 : index",
        lambda match: f"{match[1]}%more = arith.constant {int(match[3]) + 1} : index\n"
        f"{match[1]}{match[2]} %more, %c0 : index",
        "at byte [0-9-]+ of|touch the same",
        places=range(4),
    )


@case
def an_element_of_a_vector_again(bench):
    """The last one of a thread's eight, which begins within a word."""
    Plant(bench).expect_seen(
        r"^( *)(%\w+) = (arith\.addi %\w+, )%thread_id_x : index\n(?=.*\n*.* to %c1029 step)",
        lambda match: f"{match[1]}%less = arith.constant -1 : index\n"
        f"{match[1]}%before = arith.addi %thread_id_x, %less : index\n"
        f"{match[1]}{match[2]} = {match[3]}%before : index\n",
        "touch the same",
        places=[2, 3],
    )


if __name__ == "__main__":
    case.main(__doc__)
