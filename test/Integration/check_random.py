#!/usr/bin/python3
"""Runs random programs on random device counts with random plans, against
`tapestry reference` and against NumPy.

    check_random.py --seeds 0-24
    check_random.py --seeds 0-24 --backend mpi --collectives mpi

The latter runs on MPI ranks, once with the runtime's own collectives and once with
MPI's.
"""

import argparse
import json
import sys

import numpy as np

from harness import compare, contract, driver
from harness.generator import generate
from harness.plans import random_plan


def devices_of(seed):
    rng = np.random.default_rng([seed, 0xDE7])
    return int(rng.choice([1, 2, 2, 3, 3, 4, 4, 5, 6, 6, 7, 8, 8, 8, 12]))


def uses_random_plan(seed):
    return seed % 5 >= 2


# A device so slow that cutting always pays, so that plans in seconds move data.
SLOW_MACHINE = {
    "tapestry_machine": 1,
    "name": "slow",
    "flops": "1MFLOP/s",
    "memory_bandwidth": "4MB/s",
    "link": {"bandwidth": "20MB/s", "latency": "1us"},
}


def spmd_options(seed, devices, folder):
    """`--cost spmd` on a grid of one or two axes with links of their own."""
    (folder / "slow.json").write_text(json.dumps(SLOW_MACHINE))
    rng = np.random.default_rng([seed, 0x59D])
    cuts = [n for n in range(2, devices) if devices % n == 0]
    if not cuts:
        return ["--cost=spmd", "--machine=slow.json", f"--grid=d={devices}"]
    node = int(rng.choice(cuts))
    return [
        "--cost=spmd",
        "--machine=slow.json",
        f"--grid=node={node}:bw={rng.integers(1, 9)}MB/s:lat=2us,"
        f"gpu={devices // node}:bw={rng.integers(9, 99)}MB/s:lat=100ns",
    ]


class Attempt:
    """One random program in a folder of its own."""

    def __init__(self, seed, devices, folder, backend, collectives):
        self.backend = backend
        self.collectives = collectives
        self.program = generate(seed)
        self.devices = devices
        self.folder = folder
        self.planning = [f"--devices={devices}"]
        self.plan = None
        if uses_random_plan(seed):
            self.planning.append("--plan=given.json")
        elif seed % 10 == 1:
            self.planning.append("--solver=eindecomp")
        elif seed % 10 in (0, 6):
            self.planning += spmd_options(seed, devices, folder)
        (folder / "program.ein").write_text(self.program.source)
        if uses_random_plan(seed):
            self.plan = self.draw_plan(seed)
            (folder / "given.json").write_text(json.dumps(self.plan))
        self.inputs = driver.save_inputs(folder, self.program.inputs)

    def draw_plan(self, seed):
        """Vertices from which no output follows, as T in T - T, have no plan."""
        driver.tapestry(
            "plan", "program.ein", "--devices=1", "--json=computed.json", cwd=self.folder
        ).expect_status(0)
        computed = driver.load_json(self.folder / "computed.json")["vertices"]
        names = {vertex["name"] for vertex in computed}
        plan = random_plan(seed, self.program.vertices, self.devices)
        plan["vertices"] = [vertex for vertex in plan["vertices"] if vertex["name"] in names]
        return plan

    def outputs(self, suffix):
        return driver.output_options(self.program.outputs, suffix)

    def check(self, what, suffix):
        try:
            self.program.check(driver.load_outputs(self.folder, self.program.outputs, suffix))
        except driver.CheckFailed as failure:
            raise driver.CheckFailed(f"{what}: {failure}") from None

    def run(self, skip_reference=False):
        def tapestry(*words):
            driver.tapestry(*words, cwd=self.folder).expect_status(0)

        if not skip_reference:
            tapestry("reference", "program.ein", *self.inputs, *self.outputs(".reference"))
            self.check("the reference", ".reference")
        tapestry("plan", "program.ein", *self.planning, "--json=plan.json")
        files = [*self.inputs, *self.outputs(""), "--report=report.json"]
        if self.backend == "local":
            tapestry("run", "program.ein", *self.planning, *files)
        else:
            tapestry("compile", "program.ein", *self.planning, "-o", "prog")
            driver.mpirun(
                self.devices, "./prog", "--backend=mpi", *files, cwd=self.folder
            ).expect_status(0)
        self.check("the run", "")
        contract.check_contract(
            driver.load_json(self.folder / "plan.json"),
            driver.load_json(self.folder / "report.json"),
            self.devices,
            self.backend,
        )
        if self.collectives == "mpi":
            self.run_with_mpi_collectives()

    def run_with_mpi_collectives(self):
        """Within rounding of the first run; integers bit-equal to it."""
        driver.mpirun(
            self.devices + 1,  # one stays idle
            *("./prog", "--backend=mpi", "--collectives=mpi", "--report=mpi.json"),
            *self.inputs,
            *self.outputs(".mpi"),
            cwd=self.folder,
        ).expect_status(0)
        self.check("the run by MPI's collectives", ".mpi")
        ours = driver.load_outputs(self.folder, self.program.outputs, "")
        theirs = driver.load_outputs(self.folder, self.program.outputs, ".mpi")
        for name, array in ours.items():
            if array.dtype.kind in "iub":
                compare.check_equal(name, theirs[name], array)
        contract.check_payloads(
            driver.load_json(self.folder / "plan.json"), driver.load_json(self.folder / "mpi.json")
        )

    def describe(self):
        lines = ["program.ein:", self.program.source]
        if self.plan:
            lines += ["given.json:", json.dumps(self.plan)]
        lines += [
            "command line:",
            driver.command_line(
                ["tapestry", "run", "program.ein", *self.planning, *self.inputs, *self.outputs("")]
            ),
        ]
        return "\n".join(lines)


def check_seed(seed, devices=None, skip_reference=False, backend="local", collectives="ring"):
    """Returns None, or the report of a failure."""
    devices = devices or devices_of(seed)
    with driver.workspace() as folder:
        attempt = Attempt(seed, devices, folder, backend, collectives)
        try:
            attempt.run(skip_reference)
            return None
        except driver.CheckFailed as failure:
            return f"FAILED: seed {seed} on {devices} devices\n{failure}\n{attempt.describe()}\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seeds", required=True, help="e.g. 0-24,117")
    parser.add_argument("--devices", type=int, help="instead of what the seed says")
    parser.add_argument("--backend", choices=["local", "mpi"], default="local")
    parser.add_argument(
        "--collectives", choices=["ring", "mpi"], default="ring", help="mpi: both, on MPI ranks"
    )
    parser.add_argument("--print", action="store_true", help="print the programs, run nothing")
    parser.add_argument("--skip-reference", action="store_true", help="compare with NumPy only")
    options = parser.parse_args()
    if options.collectives == "mpi" and options.backend != "mpi":
        parser.error("--collectives mpi needs --backend mpi")
    failures = 0
    for seed in driver.parse_numbers(options.seeds):
        if options.print:
            print(f"# seed {seed} on {devices_of(seed)} devices\n{generate(seed).source}")
            continue
        report = check_seed(
            seed, options.devices, options.skip_reference, options.backend, options.collectives
        )
        if report:
            print(report)
            failures += 1
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
