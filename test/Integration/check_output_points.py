#!/usr/bin/python3
"""What follows an output begins when its file is whole and has its name, on threads and under
MPI, in the greedy executor, in sessions and in the reference; what reads an input that follows a
point begins after that.

    check_output_points.py [--backend local|mpi|greedy|session|reference]
"""

import argparse
import pathlib

import numpy as np
from check_blocks import build
from harness import compare, driver
from harness.driver import CheckFailed

SOURCE = pathlib.Path(__file__).resolve().parent / "Points" / "Inputs" / "points.c"
# The first device is late with F, and L reads nothing of it. What is computed of F behind its
# output is not computed in the place of that.
PROGRAM = """\
input X : f32[37]
extern block before[i](X[i] : f32) -> Y[i] : f32
extern block look[i](X[i] : f32) -> Y[i] : f32
F = before(X)
output F to "F.npy"
output S[] = sum(F)
point p after output F, output S
L = look(X)AFTER
G[i] = 5 * F[i] + 1AFTER
output L, G
"""
# Without its point L would not wait.
INPUTS = """\
input X : f32[37]
extern block before[i](X[i] : f32) -> Y[i] : f32
extern block after[i](X[i] : f32) -> Y[i] : f32
F = before(X)
point p after F
input B : f32[37] from "X.npy" after p
S = after(B)
output F, S
"""


COUNTS = {"local": range(1, 9), "session": range(1, 9), "mpi": (2, 5)}


def run(folder, program, devices, backend, *words):
    log = folder / "log"
    log.unlink(missing_ok=True)
    env = {"POINTS_LOG": str(log), "POINTS_FILE": str(folder / "F.npy")}
    if backend == "reference":
        done = driver.tapestry("reference", program, "--object=b.o", *words, cwd=folder, env=env)
        logged = [line.split()[0] for line in log.read_text().splitlines()]
        return done, logged
    if backend == "session":
        tensors = [word.replace("=", " ") for word in words if word.endswith(".npy")]
        loads = [f"load {tensor}\n" for tensor in tensors if tensor.startswith("X ")]
        exports = [f"export {tensor}\n" for tensor in tensors if not tensor.startswith("X ")]
        (folder / "commands").write_text("".join([*loads, f"apply {program}\n", *exports]))
        words = ["commands", f"--devices={devices}", "--object=b.o"]
        done = driver.tapestry("session", *words, cwd=folder, env=env)
        logged = [line.split()[0] for line in log.read_text().splitlines()]
        return done, logged
    program = [program, f"--devices={devices}", "--object=b.o"]
    if backend == "mpi":
        driver.tapestry("compile", *program, "-o", "prog", cwd=folder).expect_status(0)
        done = driver.mpirun(devices, "./prog", "--backend", "mpi", *words, cwd=folder, env=env)
    else:
        executor = "greedy" if backend == "greedy" else "spmd"
        done = driver.tapestry("run", *program, f"--executor={executor}", *words, cwd=folder, env=env)
    logged = [line.split()[0] for line in log.read_text().splitlines()] if log.exists() else []
    return done, logged


def check_outputs(folder, devices, backend, files, X):
    outputs = driver.output_options(["S", "L", "G"])
    for repeat in (1,) if backend in ("session", "reference") else (1, 3):
        (folder / "F.npy").unlink(missing_ok=True)
        words = [f"--repeat={repeat}"] if repeat > 1 else []
        done, logged = run(folder, "out.ein", devices, backend, *files, *outputs, *words)
        done.expect_status(0)
        names = ["F", "S", "L", "G"]
        values = driver.load_outputs(folder, names)
        compare.check_equal("F", values["F"], 2 * X)
        compare.check_equal("L", values["L"], 3 * X)
        compare.check_close("G", values["G"], 10 * X.astype(np.float64) + 1, 1e-6)
        compare.check_close("S", values["S"], 2 * X.astype(np.float64).sum(), 1e-6)
        looks = [word for word in logged if word != "before"]
        each = len(looks) // repeat
        # The last run writes.
        if each < 1 or looks != ["missing"] * each * (repeat - 1) + ["whole"] * each:
            raise CheckFailed(f"{devices} devices, {repeat} runs: {' '.join(logged)}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--backend", choices=["local", "mpi", "greedy", "session", "reference"], default="local")
    backend = parser.parse_args().backend
    X = np.random.default_rng(11).random(37, dtype=np.float32)
    with driver.workspace() as folder:
        build(folder, SOURCE, "b.o", "-c")
        files = driver.save_inputs(folder, {"X": X})
        (folder / "out.ein").write_text(PROGRAM.replace("AFTER", " after p"))
        free = PROGRAM.replace("AFTER", "").replace("point p after output F, output S\n", "")
        (folder / "free.ein").write_text(free)
        (folder / "in.ein").write_text(INPUTS)
        for devices in COUNTS.get(backend, (1, 3)):
            done, logged = run(
                folder, "in.ein", devices, backend, *files, *driver.output_options(["F", "S"])
            )
            done.expect_status(0)
            compare.check_equal("S", driver.load_outputs(folder, ["S"])["S"], 3 * X)
            each = len(logged) // 2
            if each < 1 or logged != ["before"] * each + ["after"] * each:
                raise CheckFailed(f"input on {devices} devices: {' '.join(logged)}")
            check_outputs(folder, devices, backend, files, X)
        # Without the point the file is not there yet.
        (folder / "F.npy").unlink(missing_ok=True)
        done, logged = run(folder, "free.ein", 2, backend, *files)
        done.expect_status(0)
        if "missing" not in logged:
            raise CheckFailed(f"without points: {' '.join(logged)}")


if __name__ == "__main__":
    main()
