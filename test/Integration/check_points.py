#!/usr/bin/python3
"""What follows a sequence point begins when all devices have done what the point
waits for, in loops, too, on threads, under MPI and in the greedy executor.

    check_points.py [--backend local|mpi|greedy]
"""

import argparse
import pathlib
import re

import numpy as np
from check_blocks import build
from harness import compare, driver
from harness.driver import CheckFailed

SOURCE = pathlib.Path(__file__).resolve().parent / "Points" / "Inputs" / "points.c"
GRAPH = """\
#before = #tapestry.kernel<"before" [i] (X : f32[i]) -> (Y : f32[i])>
#after = #tapestry.kernel<"after" [i] (X : f32[i]) -> (Y : f32[i])>
tapestry.graph @points {
  %X = tapestry.source "X" : tensor<37xf32>
  %F = tapestry.block "F" #before [i = 37] (%X) {} : (tensor<37xf32>) -> tensor<37xf32>
  %p = tapestry.sequence_point %F : tensor<37xf32>
  %q = tapestry.sequence_point %p : !tapestry.point
  %A = tapestry.await "A" %X after %q : tensor<37xf32>
  %S = tapestry.block "S" #after [i = 37] (%A) {} : (tensor<37xf32>) -> tensor<37xf32>
  %r = tapestry.sequence_point %S, %F : tensor<37xf32>, tensor<37xf32>
  tapestry.sink "F", %F : tensor<37xf32>
  tapestry.sink "S", %S after %r : tensor<37xf32>
}
"""


# Without its points, S would not wait, nor a pass for those of other devices.
PROGRAM = """\
input X : f32[37]
extern block before[i](X[i] : f32) -> Y[i] : f32
extern block after[i](X[i] : f32) -> Y[i] : f32
F = before(X)
point p after F
S = after(X) after p
point r after S, p
repeat t:3 (Z = X after r) {
  G = before(Z)
  point q after G
  H = after(Z) after q
  point end after H, q
  next Z[i] = G[i] - H[i] / 4 after end
}
output F, S after r, Z
"""


# Each use of the macro has a point of its own.
MACRO = """\
input X : f32[37]
extern block before[i](X[i] : f32) -> Y[i] : f32
extern block after[i](X[i] : f32) -> Y[i] : f32
def both(X[i]) -> F[i], S[i] {
  F = before(X)
  point p after F
  S = after(X) after p
}
F, S = both(X)
point r after S
repeat t:3 (Z = X after r) {
  G, H = both(Z)
  point end after H
  next Z[i] = G[i] - H[i] / 4 after end
}
output F, S after r, Z
"""


# Nothing is read by what follows.
READING_NOTHING = """\
input X : f32[37]
extern block before[i](X[i] : f32) -> Y[i] : f32
extern block made[i:37](scale : f32) -> T[i] : f32
F = before(X)
point p after F
T = made(scale = 2) after p
N[i:37] = 2 * f32(i) after p
S[i] = 3 * X[i] + (T[i] - N[i])
output F, S
"""


def leads_to(lines, names, wanted):
    """Whether a value of these names is made of another, as lines `%a, %b = op %c` say."""
    makers = {made: line for line in lines for made in re.findall(r"%\w+", line.partition(" = ")[0])}
    open, seen = list(names), set()
    while open:
        name = open.pop()
        if name not in seen:
            seen.add(name)
            open += re.findall(r"%\w+", makers.get(name, "").partition(" = ")[2])
    return wanted in seen


def check_program(folder, program, devices):
    """Each call of a function that is to wait takes what a point behind the call before it
    has let through or, where it takes nothing, gives it to who waits for that: that the
    device program has them in this order follows from nothing else."""
    words = ["compile", program, f"--devices={devices}", "--stop-after=program"]
    text = driver.tapestry(*words, cwd=folder).expect_status(0).stdout
    calls = 0
    for function in text.split("func.func ")[1:]:
        lines = [line.strip() for line in function.splitlines() if " = " in line]
        awaits = [re.match(r"%\w+ = comm\.await (%\w+) after (.*) :", line) for line in lines]
        before = None
        for line in lines:
            call = re.match(r'(%\w+) = tapestry_index\.call_block "(\w+)"\(([^)]*)\)', line)
            if not call:
                continue
            made, what, reads = call.groups()
            if what == "before":
                before = made
                continue
            calls += 1
            names = re.findall(r"%\w+", reads)
            if not names:
                names = [name for wait in awaits if wait and wait[1] == made
                         for name in re.findall(r"%\w+", wait[2])]  # fmt: skip
            if not leads_to(lines, names, before):
                raise CheckFailed(f"{program}: nothing holds back\n{line}\n{text}")
    if calls == 0:
        raise CheckFailed(f"{program}: nothing waits in\n{text}")


def check(folder, program, rounds, devices, backend, files, X):
    log = folder / f"log.{program}.{devices}"
    env = {"POINTS_LOG": str(log)}
    words = [program, f"--devices={devices}", "--object=b.o"]
    if backend == "mpi":
        driver.tapestry("compile", *words, "-o", "prog", cwd=folder).expect_status(0)
        done = driver.mpirun(devices, "./prog", "--backend", "mpi", *files, cwd=folder, env=env)
    else:
        executor = "greedy" if backend == "greedy" else "spmd"
        done = driver.tapestry(
            "run", *words, f"--executor={executor}", *files, cwd=folder, env=env
        )
    done.expect_status(0)
    outputs = driver.load_outputs(folder, ["F", "S"])
    compare.check_equal("F", outputs["F"], 2 * X)
    compare.check_equal("S", outputs["S"], 3 * X)
    if rounds > 1:
        Z = X
        for _ in range(rounds - 1):
            Z = 2 * Z - 3 * Z / 4
        compare.check_equal("Z", np.load(folder / "Z.npy"), Z)
    words = [line.split()[0] for line in log.read_text().splitlines()]
    each = len(words) // (2 * rounds)
    if each < 1 or words != (["before"] * each + ["after"] * each) * rounds:
        raise CheckFailed(f"{program} on {devices} devices: {' '.join(words)}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--backend", choices=["local", "mpi", "greedy"], default="local")
    options = parser.parse_args()
    X = np.random.default_rng(5).random(37, dtype=np.float32)
    with driver.workspace() as folder:
        (folder / "p.mlir").write_text(GRAPH)
        build(folder, SOURCE, "b.o", "-c")
        files = driver.save_inputs(folder, {"X": X}) + driver.output_options(["F", "S"])
        (folder / "p.ein").write_text(PROGRAM)
        (folder / "m.ein").write_text(MACRO)
        (folder / "n.ein").write_text(READING_NOTHING)
        loop = ["-o", "Z=Z.npy"]
        for program, rounds, more in (
            ("p.mlir", 1, []),
            ("n.ein", 1, []),
            ("p.ein", 4, loop),
            ("m.ein", 4, loop),
        ):
            driver.tapestry(
                "reference", program, "--object=b.o", *files, *more, cwd=folder
            ).expect_status(0)
            compare.check_equal("S", driver.load_outputs(folder, ["S"])["S"], 3 * X)
            check_program(folder, program, 3)
            counts = {"local": range(1, 9), "mpi": (2, 3, 5), "greedy": (1, 3)}[options.backend]
            for devices in counts:
                check(folder, program, rounds, devices, options.backend, files + more, X)


if __name__ == "__main__":
    main()
