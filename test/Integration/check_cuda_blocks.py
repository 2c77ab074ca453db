#!/usr/bin/python3
"""Functions of users in programs for GPUs: the host's, which are called on copies of
what lies on a GPU, and bodies in IR, which are kernels.

    check_cuda_blocks.py [CASE ...]

The tests' driver (test/lib/CUDAStub) says where the host touches a GPU's memory.
"""

import json

import check_blocks
import numpy as np
from harness import contract, driver
from harness.cases import Group

case = Group()
BODIES = (check_blocks.HERE / "Blocks" / "Inputs" / "bodies.mlir").read_text()


def build_functions(folder):
    check_blocks.build(folder, check_blocks.HERE / "Blocks" / "Inputs" / "blocks.c", "b.o", "-c")


def check_on_devices(folder, program, given, wanted, cuts, *objects):
    files = driver.save_inputs(folder, given) + driver.output_options(list(wanted))
    stub = driver.on_stub()
    for devices, pins in cuts:
        parts = [{"name": name, "parts": cut} for name, cut in pins.items()]
        plan = {"tapestry_plan": 1, "devices": devices, "vertices": parts}
        (folder / "pins.json").write_text(json.dumps(plan))
        words = [program, "--plan=pins.json", f"--devices={devices}", *stub]
        driver.tapestry("plan", *words, "--json=plan.json", cwd=folder).expect_status(0)
        words = ["run", program, "--plan=plan.json", *stub, *objects, *files, "--report=r.json"]
        driver.tapestry(*words, cwd=folder, env=driver.CHECKED).expect_status(0)
        plan = driver.load_json(folder / "plan.json")
        contract.check_contract(plan, driver.load_json(folder / "r.json"), devices, "local")
        check_blocks.check(driver.load_outputs(folder, list(wanted)), wanted)


@case
def functions_of_the_host(bench):
    given = check_blocks.draw()
    wanted = check_blocks.expected(given)
    build_functions(bench.folder)
    bench.write("p.ein", check_blocks.PROGRAM)
    cuts = [(1, {}), *check_blocks.PINS]
    check_on_devices(bench.folder, "p.ein", given, wanted, cuts, "--object=b.o")


@case
def bodies(bench):
    bench.write("p.mlir", BODIES)
    cuts = [(1, {}), *check_blocks.BODY_PINS]
    check_on_devices(bench.folder, "p.mlir", *check_blocks.draw_bodies(), cuts)


@case
def an_executable_has_them(bench):
    given = check_blocks.draw()
    wanted = check_blocks.expected(given)
    build_functions(bench.folder)
    bench.write("p.ein", check_blocks.PROGRAM)
    files = driver.save_inputs(bench.folder, given) + driver.output_options(list(wanted))
    words = ["compile", "p.ein", "--devices=3", "--object=b.o", *driver.on_stub(), "-o", "prog"]
    bench.tapestry(*words).expect_status(0)
    driver.execute(["./prog", *files], bench.folder, driver.CHECKED).expect_status(0)
    check_blocks.check(driver.load_outputs(bench.folder, list(wanted)), wanted)


@case
def a_function_that_fails_is_named(bench):
    given = {"X": np.zeros(20, dtype=np.float32)}
    files = driver.save_inputs(bench.folder, given)
    build_functions(bench.folder)
    for name, says in (
        ("fails", "returned 7"),
        ("faults", "was ended by a segmentation fault"),
    ):
        check_blocks.write_small(bench.folder, name)
        for devices in (1, 3):
            words = ["run", "p.ein", f"--devices={devices}", "--object=b.o", *driver.on_stub(), *files]
            finished = bench.tapestry(*words)
            check_blocks.expect(finished, 4, f"block 'Y' failed: its function {says}")


if __name__ == "__main__":
    case.main(__doc__)
