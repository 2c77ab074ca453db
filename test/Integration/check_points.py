#!/usr/bin/python3
"""What follows a sequence point begins when all devices have done what the point
waits for, on threads and under MPI.

    check_points.py [--backend local|mpi]
"""

import argparse
import pathlib

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


def check(folder, devices, backend, files, X):
    log = folder / f"log.{devices}"
    env = {"POINTS_LOG": str(log)}
    if backend == "mpi":
        driver.tapestry(
            "compile", "p.mlir", f"--devices={devices}", "--object=b.o", "-o", "prog", cwd=folder
        ).expect_status(0)
        done = driver.mpirun(devices, "./prog", "--backend", "mpi", *files, cwd=folder, env=env)
    else:
        done = driver.tapestry(
            "run", "p.mlir", f"--devices={devices}", "--object=b.o", *files, cwd=folder, env=env
        )
    done.expect_status(0)
    outputs = driver.load_outputs(folder, ["F", "S"])
    compare.check_equal("F", outputs["F"], 2 * X)
    compare.check_equal("S", outputs["S"], 3 * X)
    words = [line.split()[0] for line in log.read_text().splitlines()]
    if words != ["before"] * (len(words) // 2) + ["after"] * (len(words) // 2):
        raise CheckFailed(f"on {devices} devices: {' '.join(words)}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--backend", choices=["local", "mpi"], default="local")
    options = parser.parse_args()
    X = np.random.default_rng(5).random(37, dtype=np.float32)
    with driver.workspace() as folder:
        (folder / "p.mlir").write_text(GRAPH)
        build(folder, SOURCE, "b.o", "-c")
        files = driver.save_inputs(folder, {"X": X}) + driver.output_options(["F", "S"])
        driver.tapestry("reference", "p.mlir", "--object=b.o", *files, cwd=folder).expect_status(0)
        compare.check_equal("S", driver.load_outputs(folder, ["S"])["S"], 3 * X)
        for devices in range(1, 9) if options.backend == "local" else (2, 3, 5):
            check(folder, devices, options.backend, files, X)


if __name__ == "__main__":
    main()
