#!/usr/bin/python3
"""Gives the tools inputs that nobody wrote, until something breaks.

    fuzz.py [--kinds programs,modules] [--first 0] [--count 100] [--minutes 60]

An input is what a seed makes of what the repository has (fuzzing/__init__.py says
which file does what): the same seed of a kind is the same input. What fails is made
small and kept in --save, with the command lines that repeat it. The kind `random` is
the programs and plans of test/Integration/check_random.py by their seeds, `stub` the
same for GPUs, on the driver of the tests, with collectives of our own and of their NCCL.
"""

import argparse
import concurrent.futures
import json
import os
import pathlib
import random
import re
import resource
import shutil
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "test" / "Integration"))

from check_random import check_seed  # noqa: E402
from fuzzing import arrays, commands, modules, plans, programs, sessions  # noqa: E402
from fuzzing.minimise import minimise  # noqa: E402
from fuzzing.oracles import Bench, Failure  # noqa: E402
from harness import driver  # noqa: E402
from harness.driver import command_line  # noqa: E402

KINDS = {
    "programs": programs.draw,
    "modules": modules.draw,
    "bytecode": modules.draw_bytecode,
    "plans": plans.draw_plan,
    "machines": plans.draw_machine,
    "arrays": arrays.draw,
    "commands": commands.draw,
    "sessions": sessions.draw,
    "random": None,
    "stub": None,
}


class Outcome:
    """What became of one input."""

    def __init__(self, accepted=False, failure=None, commands=()):
        self.accepted = accepted
        self.failure = failure
        self.commands = commands


def attempt(tools, subject, check, keep=None):
    """Runs the check on an input in an empty folder, whose copy may be kept."""
    with tempfile.TemporaryDirectory(prefix="tapestry-fuzz-") as folder:
        bench = Bench(tools, folder)
        try:
            return Outcome(check(bench, subject), None, bench.commands)
        except Failure as failure:
            return Outcome(False, failure, bench.commands)
        finally:
            if keep:
                shutil.rmtree(bench.folder / "tmp")
                shutil.copytree(folder, keep, dirs_exist_ok=True)


def draw(kind, seed, tools):
    rng = random.Random(f"{kind} {seed}")
    return KINDS[kind](rng, tools)


def run_seed(kind, seed, tools, save):
    if not KINDS[kind]:
        stub = {"target": "cuda", "collectives": "nccl"} if kind == "stub" else {}
        report = check_seed(seed, **stub)
        return Outcome(not report, Failure(kind, report) if report else None)
    try:
        subject, check = draw(kind, seed, tools)
    except Failure as failure:  # of a command that makes what is changed
        return Outcome(False, failure)
    outcome = attempt(tools, subject, check)
    if outcome.failure and save:
        keep_failure(kind, seed, tools, subject, check, outcome.failure, save)
    return outcome


def keep_failure(kind, seed, tools, subject, check, failure, save):
    name = re.sub(r"\W+", "-", failure.signature)[:100].strip("-")
    folder = save / f"{kind}-{name}"
    if folder.exists():  # one of each signature is enough
        return

    def fails(candidate):
        other = attempt(tools, candidate, check).failure
        return other is not None and other.signature == failure.signature

    smallest = minimise(subject, fails)
    outcome = attempt(tools, smallest, check, folder)
    failure = outcome.failure or failure
    lines = "\n".join(command_line(words) for words in outcome.commands)
    (folder / "repeat.sh").write_text(
        f"# fuzz.py --kinds={kind} --first={seed} --count=1\n{lines}\n", errors="surrogateescape"
    )
    (folder / "report.txt").write_text(f"{failure}\n", errors="backslashreplace")


def parse_options():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", help="build folder (that of tapestry on PATH, or build/)")
    parser.add_argument("--kinds", default=",".join(k for k in KINDS if k != "stub"), help=f"of {', '.join(KINDS)}")
    parser.add_argument("--first", type=int, default=0, help="first seed of each kind")
    parser.add_argument("--count", type=int, default=100, help="how many of each kind")
    parser.add_argument("--minutes", type=float, help="so long instead of so many")
    parser.add_argument("--jobs", type=int, default=len(os.sched_getaffinity(0)))
    parser.add_argument("--save", type=pathlib.Path, help="folder for failures, made small")
    parser.add_argument("--print", action="store_true", help="print the inputs, run nothing")
    options = parser.parse_args()
    options.kinds = options.kinds.split(",")
    if unknown := set(options.kinds) - set(KINDS):
        parser.error(f"there is no kind {', '.join(unknown)}; there are {', '.join(KINDS)}")
    return options


def find_tools(build):
    if not build:
        found = shutil.which("tapestry")
        build = pathlib.Path(found).parents[1] if found else ROOT / "build"
    tools = pathlib.Path(build).resolve() / "bin"
    os.environ.setdefault("TAPESTRY", str(tools / "tapestry"))
    return tools


def inputs(options, end):
    """Kinds take turns, so that an early end is fair."""
    seed = options.first
    while time.monotonic() < end if options.minutes else seed < options.first + options.count:
        for kind in options.kinds:
            yield kind, seed
        seed += 1


def main():
    options = parse_options()
    sys.stdout.reconfigure(errors="backslashreplace")
    tools = find_tools(options.build)
    if options.print:
        for kind, seed in inputs(options, float("inf")):
            subject, _ = draw(kind, seed, tools)
            text = json.dumps(subject) if isinstance(subject, (list, dict)) else subject
            print(f"# {kind} {seed}\n{text if isinstance(text, str) else repr(text)}")
        return
    end = time.monotonic() + 60 * (options.minutes or 0)
    counts = {kind: [0, 0, 0] for kind in options.kinds}

    def finish(kind, seed, outcome):
        count = counts[kind]
        count[0] += 1
        count[1] += outcome.accepted
        if outcome.failure:
            count[2] += 1
            print(
                f"FAILED: --kinds={kind} --first={seed} --count=1\n{outcome.failure}\n", flush=True
            )

    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        running = {}
        for kind, seed in inputs(options, end):
            while len(running) >= 2 * options.jobs:
                done, _ = concurrent.futures.wait(
                    running, return_when=concurrent.futures.FIRST_COMPLETED
                )
                for future in done:
                    finish(*running.pop(future), future.result())
            running[pool.submit(run_seed, kind, seed, tools, options.save)] = kind, seed
        for future, place in running.items():
            finish(*place, future.result())
    for kind, (total, accepted, failed) in counts.items():
        print(f"{kind}: {total} inputs, {accepted} accepted, {failed} failed")
    used = sum(
        getattr(resource.getrusage(resource.RUSAGE_CHILDREN), n) for n in ("ru_utime", "ru_stime")
    )
    print(f"{used / 60:.1f} minutes of processor time")
    sys.exit(1 if any(failed for _, _, failed in counts.values()) else 0)


if __name__ == "__main__":
    main()
