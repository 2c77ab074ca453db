#!/usr/bin/python3
"""Times the runtime's collectives as threads, as MPI processes, and as MPI's own.

    collectives.py [--build build] [--devices 2] [--repetitions 3]

Microseconds of one collective of f32, the least of all repetitions, for 1 KiB to
64 MiB per device. Build tapestry-bench-collectives first, and run it on an idle
machine with a core per device.
"""

import argparse
import os
import pathlib
import subprocess

from bench import ROOT
from peers import machine

WAYS = {
    "threads": ["--backend=local"],
    "mpi, ring": ["--backend=mpi", "--collectives=ring"],
    "mpi, mpi": ["--backend=mpi", "--collectives=mpi"],
}


def measure(program, way, devices):
    """(kind, bytes) -> seconds."""
    command = [str(program), *WAYS[way]]
    if way != "threads":
        launcher = ["mpirun", "--oversubscribe", "-n", str(devices)]
        if os.geteuid() == 0:
            launcher.insert(1, "--allow-run-as-root")
        command = launcher + command
    env = {
        # Containers forbid the system call that this mechanism needs.
        "OMPI_MCA_btl_vader_single_copy_mechanism": "none",
        **os.environ,
        "BENCH_DEVICES": str(devices),
    }
    done = subprocess.run(command, env=env, check=True, stdout=subprocess.PIPE, text=True)
    rows = (line.split() for line in done.stdout.splitlines())
    return {(kind, int(size)): float(seconds) for kind, size, seconds in rows}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", default=ROOT / "build", type=pathlib.Path)
    parser.add_argument("--devices", type=int, default=2)
    parser.add_argument("--repetitions", type=int, default=3)
    options = parser.parse_args()
    program = options.build.resolve() / "bin/tapestry-bench-collectives"
    best = {way: {} for way in WAYS}
    for _ in range(options.repetitions):
        for way in WAYS:
            for key, seconds in measure(program, way, options.devices).items():
                best[way][key] = min(seconds, best[way].get(key, seconds))
    print(f"{machine()}; {options.devices} devices, microseconds")
    print(f"{'collective':16}{'bytes':>10}" + "".join(f"{way:>12}" for way in WAYS))
    for key in best["threads"]:
        times = "".join(f"{best[way][key] * 1e6:12.1f}" for way in WAYS)
        print(f"{key[0]:16}{key[1]:10}{times}")


if __name__ == "__main__":
    main()
