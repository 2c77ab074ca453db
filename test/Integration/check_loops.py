#!/usr/bin/python3
"""Ctrl-C ends a run that stands in a loop, and an MPI job, with all of its processes.

    check_loops.py [--mpi]
"""

import argparse
import contextlib
import os
import pathlib
import signal
import subprocess
import sys
import time

import numpy as np
from harness import driver
from harness.driver import CheckFailed

ENDLESS = """
input X0 : f32[64, 64]
repeat t:1000000000 (X = X0) {
  Y[i, j] = sum[k] X[i, k] * X[k, j]
  next X[i, j] = Y[i, j] / (1 + max[a, b](abs(Y[a, b])))
}
output X
"""


def interrupt(mpi):
    """A run that has begun ends by a signal, and so do all of its processes."""
    with driver.workspace() as folder:
        (folder / "p.ein").write_text(ENDLESS)
        np.save(folder / "X0.npy", np.ones((64, 64), np.float32))
        words = ["-i", "X0=X0.npy", "-o", "X=X.npy", "-v"]
        if mpi:
            driver.tapestry("compile", "p.ein", "--devices=2", "-o", "p", cwd=folder).expect_status(0)
            command = ["mpirun", "--oversubscribe", "-n", "2", "./p", "--backend", "mpi", *words]
            if os.geteuid() == 0:
                command.insert(1, "--allow-run-as-root")
        else:
            command = [driver.tapestry_path(), "run", "p.ein", "--devices=2", *words]
        with subprocess.Popen(
            command,
            cwd=folder,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            env={**os.environ, **driver.ONE_MACHINE},
            # A background job ignores it.
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
        ) as process:
            for line in process.stdout:
                if " read " in line:
                    break
            time.sleep(0.2)
            process.send_signal(signal.SIGINT)
            said, _ = process.communicate(timeout=driver.TIME_LIMIT)
        # Open MPI's launcher ends by itself and says so.
        wanted = 1 if mpi else -signal.SIGINT
        if process.returncode != wanted:
            raise CheckFailed(f"status {process.returncode}, expected {wanted}: {said}")
        left = [entry for entry in folder.iterdir() if entry.name not in ("p", "p.ein", "X0.npy")]
        if left:
            raise CheckFailed(f"left behind: {left}")
        for entry in pathlib.Path("/proc").glob("[0-9]*/cwd"):
            with contextlib.suppress(OSError):
                if os.readlink(entry) == str(folder.resolve()):
                    raise CheckFailed(f"process {entry.parent.name} goes on")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--mpi", action="store_true")
    args = parser.parse_args()
    try:
        interrupt(args.mpi)
    except CheckFailed as failure:
        sys.exit(str(failure))


if __name__ == "__main__":
    main()
