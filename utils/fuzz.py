#!/usr/bin/python3
"""Runs random programs with random plans until something breaks.

    fuzz.py [--build build] [--first 0] [--count 1000] [--seconds 600] [--jobs 2]

The programs are those of test/Integration/check_random.py: the same seed is the
same program. A failure prints the program, the plan and the command line; run it
again with `check_random.py --seeds SEED`.
"""

import argparse
import concurrent.futures
import os
import pathlib
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "test" / "Integration"))

from check_random import check_seed  # noqa: E402


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", default=os.environ.get("TAPESTRY_BUILD", ROOT / "build"))
    parser.add_argument("--first", type=int, default=1000, help="first seed")
    parser.add_argument("--count", type=int, default=1000, help="how many programs")
    parser.add_argument("--seconds", type=float, default=float("inf"), help="at most this long")
    parser.add_argument("--jobs", type=int, default=len(os.sched_getaffinity(0)))
    parser.add_argument("--devices", type=int, help="instead of what the seed says")
    parser.add_argument("--backend", choices=["local", "mpi"], default="local")
    parser.add_argument("--skip-reference", action="store_true", help="compare with NumPy only")
    options = parser.parse_args()
    os.environ.setdefault("TAPESTRY", str(pathlib.Path(options.build).resolve() / "bin/tapestry"))

    end = time.monotonic() + options.seconds
    done, failed = 0, []

    def attempt(seed):
        if time.monotonic() > end:
            return seed, None, False
        report = check_seed(seed, options.devices, options.skip_reference, options.backend)
        return seed, report, True

    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        seeds = range(options.first, options.first + options.count)
        for seed, report, ran in pool.map(attempt, seeds):
            done += ran
            if report:
                print(report, flush=True)
                failed.append(seed)
    print(f"{done} programs, {len(failed)} failed{': ' if failed else ''}{failed or ''}")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
