#!/usr/bin/python3
"""Rewrites a program in every way that is offered and runs what it becomes.

    check_rewrites.py --program three_operands [--devices 1-4] [--walks 3]

Every single rewrite, and random walks of several, are evaluated by the reference
and run on devices, and compared with the program's formula in NumPy. The plan of
the rewritten program then runs the program as it was written: it carries the
rewrites.
"""

import argparse
import random
import sys

from harness import contract, driver
from harness.programs import PROGRAMS
from harness.rewriting import import_program, random_walk, rewrite


def check(program, arrays, devices, folder):
    files = driver.save_inputs(folder, arrays) + driver.output_options(program.outputs)
    expected = program.expected(arrays)
    driver.tapestry("reference", "rewritten.mlir", *files, cwd=folder).expect_status(0)
    program.check(driver.load_outputs(folder, program.outputs), expected)
    count = f"--devices={devices}"
    driver.tapestry(
        "plan", "rewritten.mlir", "--order=none", count, "--json=plan.json", cwd=folder
    ).expect_status(0)
    plan = driver.load_json(folder / "plan.json")
    runs = [
        ["rewritten.mlir", "--order=none", count],
        ["program.ein", *program.options(), "--plan=plan.json"],
    ]
    for words in runs:
        driver.tapestry("run", *words, *files, "--report=report.json", cwd=folder).expect_status(0)
        program.check(driver.load_outputs(folder, program.outputs), expected)
        contract.check_contract(plan, driver.load_json(folder / "report.json"), devices, "local")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--program", required=True)
    parser.add_argument("--devices", default="1-4")
    parser.add_argument("--walks", type=int, default=3)
    parser.add_argument("--most", type=int, default=8, help="single rewrites that are tried")
    options = parser.parse_args()
    program = PROGRAMS[options.program]
    counts = driver.parse_numbers(options.devices)
    choose = random.Random(options.program)
    arrays = program.arrays()
    failed = False
    with driver.workspace() as folder:
        (folder / "program.ein").write_text(program.source)
        sizes = [f"-D{name}={value}" for name, value in program.params.items()]
        import_program(folder, *sizes)
        offered = rewrite(folder, [])
        if not offered:
            sys.exit(f"FAILED: nothing can be rewritten in {program.name}")
        tries = [[one] for one in choose.sample(offered, min(options.most, len(offered)))]
        for _ in range(options.walks):
            tries.append(random_walk(choose, folder, 5))
        for number, rewrites in enumerate(tries):
            devices = counts[number % len(counts)]
            try:
                rewrite(folder, rewrites)
                check(program, arrays, devices, folder)
            except driver.CheckFailed as failure:
                print(f"FAILED: {program.name} on {devices} devices after {rewrites}\n{failure}")
                failed = True
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
