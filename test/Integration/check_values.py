#!/usr/bin/python3
"""Runs one program on several device counts and compares every value with an
independent formula in NumPy, and every collective with the plan.

    check_values.py --program chain_uneven --devices 1-8 [--backend mpi] [--target cuda]

With --target cuda the driver of the tests (test/lib/CUDAStub) runs what a GPU would, and
with --collectives nccl their NCCL (test/lib/NCCLStub) exchanges what it can.
"""

import argparse
import pathlib
import sys

from harness import contract, driver
from harness.programs import PROGRAMS


def run_local(program, devices, folder, options, collectives):
    words = ["run", "program.ein", f"--devices={devices}", *options, "--report=report.json"]
    words += [f"--collectives={collectives}"]
    driver.tapestry(*words, cwd=folder).expect_status(0)


def run_mpi(program, devices, folder, options, collectives):
    planning = [word for word in options if word.startswith(("-D", "--"))]
    files = [word for word in options if word not in planning]
    words = ["compile", "program.ein", f"--devices={devices}", *planning, "-o", "prog"]
    driver.tapestry(*words, cwd=folder).expect_status(0)
    driver.mpirun(
        devices,
        "./prog",
        *("--backend", "mpi", *files, "--report", "report.json", "--collectives", collectives),
        cwd=folder,
    ).expect_status(0)


def check(program, devices, backend, planning, collectives="ring"):
    arrays = program.arrays()
    with driver.workspace() as folder:
        (folder / "program.ein").write_text(program.source)
        files = driver.save_inputs(folder, arrays) + driver.output_options(program.outputs)
        # A plan is for one thread of each device, whatever cores there are to run it.
        planning = [*program.options(), "--threads=1", *planning]
        driver.tapestry(
            "plan", "program.ein", f"--devices={devices}", *planning, "--json=plan.json", cwd=folder
        ).expect_status(0)
        run = run_mpi if backend == "mpi" else run_local
        run(program, devices, folder, planning + files, collectives)
        got = driver.load_outputs(folder, program.outputs)
        program.check(got, program.expected(arrays))
        plan = driver.load_json(folder / "plan.json")
        report = driver.load_json(folder / "report.json")
        contract.check_solver_plan(plan)
        contract.check_contract(plan, report, devices, backend)


def check_reference(program):
    """The oracle of the random programs is held against NumPy as well."""
    arrays = program.arrays()
    with driver.workspace() as folder:
        (folder / "program.ein").write_text(program.source)
        files = driver.save_inputs(folder, arrays) + driver.output_options(program.outputs)
        driver.tapestry(
            "reference", "program.ein", *program.options(), *files, cwd=folder
        ).expect_status(0)
        program.check(driver.load_outputs(folder, program.outputs), program.expected(arrays))


def check_listed(folder):
    """A program without a test is forgotten quietly; say so."""
    tests = {path.stem for path in pathlib.Path(folder).glob("*.test")}
    missing = {name.replace("_", "-") for name in PROGRAMS} - tests
    if missing:
        print(f"no test of: {', '.join(sorted(missing))}")
    return 1 if missing else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--program", help="name, or 'all'")
    parser.add_argument("--devices", default="1-8", help="e.g. 1-3,7")
    parser.add_argument("--backend", choices=["local", "mpi", "reference"], default="local")
    parser.add_argument("--solver", help="the planner's default if not given")
    parser.add_argument("--target", choices=["cpu", "cuda"], default="cpu")
    parser.add_argument("--collectives", choices=["ring", "nccl"], default="ring")
    parser.add_argument("--listed-in", help="only check that this folder tests every program")
    options = parser.parse_args()
    if options.listed_in:
        sys.exit(check_listed(options.listed_in))
    if options.program not in ("all", *PROGRAMS):
        parser.error(f"no program '{options.program}'; there are {', '.join(sorted(PROGRAMS))}")
    names = sorted(PROGRAMS) if options.program == "all" else [options.program]
    planning = [f"--solver={options.solver}"] if options.solver else []
    if options.target == "cuda":
        planning += driver.on_stub(with_nccl=options.collectives == "nccl")
    failed = False
    for name in names:
        counts = driver.parse_numbers(options.devices)
        for devices in [1] if options.backend == "reference" else counts:
            try:
                if options.backend == "reference":
                    check_reference(PROGRAMS[name])
                else:
                    check(PROGRAMS[name], devices, options.backend, planning, options.collectives)
            except driver.CheckFailed as failure:
                print(f"FAILED: {name} on {devices} devices ({options.backend})\n{failure}")
                failed = True
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
