#!/usr/bin/python3
"""Runs programs shard by shard, in less and less memory, against NumPy.

    check_greedy.py --program chain_uneven --workers 1,3 [--example attention]
    check_greedy.py --seeds 0-19 --workers 2

The first run has all memory; the next ones a quarter of what that took, a
sixteenth and so on, until the program is refused: with both numbers and nothing
written. What
moves is what was predicted, and nothing is left in the folder for it.
"""

import argparse
import sys

import numpy as np

from harness import contract, driver
from harness.blocks import object_options
from harness.examples import EXAMPLES
from harness.generator import generate
from harness.plans import write_random_plan
from harness.programs import PROGRAMS

# What a fraction of the memory of the whole comes to is of interest down to here.
LEAST_FRACTION = 64


class RandomProgram:
    """A random program that is cut by the planner or, every other one, at random."""

    def __init__(self, seed):
        self.seed = seed
        self.program = generate(seed)
        self.source = self.program.source
        self.outputs = self.program.outputs

    def arrays(self):
        return self.program.inputs

    def options(self):
        return ["--plan=given.json"] if self.seed % 2 else []

    def prepare(self, folder):
        if self.seed % 2 == 0:
            return
        devices = int(np.random.default_rng([self.seed, 0x6EED]).choice([2, 3, 4, 6, 8, 12]))
        write_random_plan(folder, "program.ein", self.seed, self.program.vertices, devices)

    def expected(self, arrays):
        return None

    def check(self, got, expected):
        self.program.check(got)


def run(folder, program, options, workers, limit):
    """What `run` did with so many bytes for all workers; nothing where it refused."""
    spill = folder / "spill"
    spill.mkdir(exist_ok=True)
    for name in program.outputs:
        (folder / f"{name}.out.npy").unlink(missing_ok=True)
    memory = [f"--memory={limit // workers}"] if limit else []
    finished = driver.tapestry(
        *("run", "program.ein", "--executor=greedy", f"--devices={workers}", *memory),
        *(f"--spill={spill}", "--report=report.json", *options),
        cwd=folder,
    )
    left = [path.name for path in spill.iterdir()]
    if left:
        raise driver.CheckFailed(f"left behind: {left}\n{finished.describe()}")
    if limit and finished.status == 3:
        written = [name for name in program.outputs if (folder / f"{name}.out.npy").exists()]
        said = [line for line in finished.stderr.splitlines() if "error:" in line]
        if written or len(said) != 1 or "the limit is" not in said[0]:
            raise driver.CheckFailed(f"written: {written}\n{finished.describe()}")
        return None
    finished.expect_status(0)
    return driver.load_json(folder / "report.json")


def check(program, workers, planning=()):
    """How much less memory than at first the program ran in, and what it spilled at most."""
    arrays = program.arrays()
    with driver.workspace() as folder:
        (folder / "program.ein").write_text(program.source)
        if isinstance(program, RandomProgram):
            program.prepare(folder)
        options = [
            *program.options(),
            *planning,
            *object_options(program.source, folder),
            *driver.save_inputs(folder, arrays),
            *driver.output_options(program.outputs, ".out"),
        ]
        expected = program.expected(arrays)
        most, spilled, fraction = 0, 0, 1
        limit = None
        while fraction <= LEAST_FRACTION:
            report = run(folder, program, options, workers, limit)
            if not report:
                break
            program.check(driver.load_outputs(folder, program.outputs, ".out"), expected)
            contract.check_tasks(report, workers, limit)
            spilled = max(spilled, report["counted_spilled_bytes"])
            most = most or report["predicted_peak_bytes_per_device"]
            fraction *= 4
            limit = max(most // fraction, workers)
        return fraction // 4, spilled


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--program", help="a name of harness/programs, or 'all'")
    parser.add_argument("--example", help="name without .ein, or 'all'")
    parser.add_argument("--seeds", default="", help="of random programs, e.g. 0-24,117")
    parser.add_argument("--workers", default="1,2", help="e.g. 1-3,5")
    parser.add_argument("--fraction", type=int, help="it runs in this part of the memory")
    parser.add_argument("--spills", action="store_true", help="it spills something")
    parser.add_argument("-v", action="store_true", help="say how far each program came")
    options = parser.parse_args()
    programs = [
        (name, table[name])
        for table, asked in ((PROGRAMS, options.program), (EXAMPLES, options.example))
        for name in (sorted(table) if asked == "all" else [asked] if asked else [])
    ]
    for seed in driver.parse_numbers(options.seeds) if options.seeds else []:
        programs.append((f"seed {seed}", RandomProgram(seed)))
    failed = False
    for name, program in programs:
        for workers in driver.parse_numbers(options.workers):
            try:
                fraction, spilled = check(program, workers)
                if options.v:
                    print(f"{name}: {workers} workers, 1/{fraction} of the memory, {spilled} bytes")
                if options.fraction and fraction < options.fraction:
                    raise driver.CheckFailed(f"needs more than 1/{4 * fraction} of the memory")
                if options.spills and spilled == 0:
                    raise driver.CheckFailed("nothing was spilled")
            except driver.CheckFailed as failure:
                print(f"FAILED: {name} on {workers} workers\n{failure}")
                failed = True
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
