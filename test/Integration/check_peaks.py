#!/usr/bin/python3
"""Processes that share no memory hold what was predicted, whatever their messages are.

    check_peaks.py [CASE ...]

Messages that are no stretch of memory, shorter and longer than what is staged at a
time, are sent by the runtime and by MPI's own collectives. Values are NumPy's.
"""

import json

import numpy as np
from harness import contract, driver
from harness.cases import Group
from harness.driver import CheckFailed

case = Group()


def random(*shape):
    return np.random.default_rng(len(shape) + sum(shape)).standard_normal(shape).astype(np.float32)


def same(got, wanted):
    if got.shape != wanted.shape or not np.allclose(got, wanted, rtol=1e-5, atol=1e-4):
        raise CheckFailed(f"a wrong result: {np.abs(got - wanted).max()} off")


def check(bench, text, devices, grid, inputs, wanted, kinds, *words):
    """Runs a program that has a collective of these kinds, and returns its plan."""
    bench.write("program.ein", text)
    files = driver.save_inputs(bench.folder, inputs)
    planning = [f"--devices={devices}", f"--grid={grid}", "--cost=spmd", *words]
    bench.tapestry("plan", "program.ein", *planning, "--json=plan.json").expect_status(0)
    bench.tapestry("compile", "program.ein", "--plan=plan.json", "-o", "prog").expect_status(0)
    plan = driver.load_json(bench.folder / "plan.json")
    if not plan["peak_bytes_exact"]:
        raise CheckFailed("the peak is not known")
    found = {entry["kind"] for entry in plan["collectives"]}
    if not found & kinds:
        raise CheckFailed(f"collectives are {found}, expected {kinds}")
    for whose in ("ring", "mpi"):
        options = ["--backend=mpi", f"--collectives={whose}", "--report=report.json"]
        done = driver.mpirun(devices, "./prog", *options, *files, "-o", "Y=Y.npy", cwd=bench.folder)
        done.expect_status(0)
        same(np.load(bench.folder / "Y.npy"), wanted)
        report = driver.load_json(bench.folder / "report.json")
        if whose == "ring":
            contract.check_contract(plan, report, devices, "mpi")
        elif report["peak_bytes"] != report["predicted_peak_bytes"]:
            raise CheckFailed(f"by MPI's collectives: {report['peak_bytes']}, {report['predicted_peak_bytes']}")
    return plan


def transposed(rows, columns, devices):
    return f"""\
input X : f32[{rows}, {columns}] @ {{1: {devices}}}
Y[i, j] @ {{i: {devices}, *: 1}} = X[i, j] * 2
output Y @ {{0: {devices}}}
"""


@case
def uneven_cuts(bench):
    for devices in (2, 3, 5):
        X = random(101, 67)
        text = transposed(101, 67, devices)
        check(bench, text, devices, f"d={devices}", {"X": X}, 2 * X, {"all_to_all"})


@case
def long_messages(bench):
    X = random(1501, 1499)
    check(bench, transposed(1501, 1499, 3), 3, "d=3", {"X": X}, 2 * X, {"all_to_all"})
    # Of longer rows than are staged at a time.
    X = random(2, 700001)
    text = transposed(2, 700001, 2)
    check(bench, text, 2, "d=2", {"X": X}, 2 * X, {"all_to_all"})


@case
def inner_dimension(bench):
    X = random(37, 20, 45)
    text = """\
input X : f32[37, 20, 45] @ {2: 4}
Y[i, j, k] @ {j: 4, *: 1} = X[i, j, k] * 2
output Y @ {1: 4}
"""
    check(bench, text, 4, "d=4", {"X": X}, 2 * X, {"all_to_all"})


@case
def columns_to_all(bench):
    X, W = random(40, 331), random(331, 12)
    text = """\
input X : f32[40, 331] @ {1: 3}
input W : f32[331, 12]
Y[i, k] @ {i: 1, j: 1, k: 3} = sum[j] X[i, j] * W[j, k]
output Y @ {1: 3}
"""
    check(bench, text, 3, "d=3", {"X": X, "W": W}, X @ W, {"all_gather"})


@case
def halos(bench):
    """Columns of one element; from both sides of a ring of two in one message."""
    X = random(149, 151)
    wanted = X + sum(np.roll(X, shift, axis) for shift in (1, -1) for axis in (0, 1))
    for a, b in ((1, 2), (2, 2), (2, 3), (1, 5)):
        text = f"""\
input X : f32[149, 151] @ {{0: {a}, 1: {b}}}
Y[i, j] @ {{i: {a}, j: {b}}} = X[i, j] + X[(i - 1) % 149, j] + X[(i + 1) % 149, j] + X[i, (j - 1) % 151] + X[i, (j + 1) % 151]
output Y @ {{0: {a}, 1: {b}}}
"""
        kinds = {"halo_exchange", "collective_permute"}
        check(bench, text, a * b, f"a={a},b={b}" if a > 1 else f"b={b}", {"X": X}, wanted, kinds)


@case
def sums(bench):
    """Longer than what is combined at a time, and parts that lie scattered."""
    X = random(3, 801, 403)
    for layout, kind in (("0: 1, 1: 1", "all_reduce"), ("1: 3", "reduce_scatter"), ("0: 3", "reduce_scatter")):
        text = f"""\
input X : f32[3, 801, 403] @ {{0: 3}}
Y[i, j] @ {{m: 3, *: 1}} = sum[m] X[m, i, j]
output Y @ {{{layout}}}
"""
        check(bench, text, 3, "d=3", {"X": X}, X.sum(0), {kind})


@case
def exact_limit(bench):
    """A limit of what was predicted is kept, and a byte less is refused."""
    X = random(1001, 803)
    text = transposed(1001, 803, 4)
    given = (bench, text, 4, "d=4", {"X": X}, 2 * X, {"all_to_all"})
    peak = check(*given)["peak_bytes_per_device"]
    if check(*given, f"--memory={peak}")["peak_bytes_per_device"] != peak:
        raise CheckFailed(f"another peak than {peak}")
    words = ["--devices=4", "--grid=d=4", "--cost=spmd", f"--memory={peak - 1}"]
    bench.expect_error(bench.tapestry("plan", "program.ein", *words), 3, str(peak), str(peak - 1))


@case
def fed_results(bench):
    """What goes from run to run arrives otherwise than it leaves."""
    X = random(501, 299)
    text = """\
input X : f32[501, 299] @ {1: 3}
Y[i, j] @ {i: 3, *: 1} = X[i, j] * 0.5 + 1
output Y @ {0: 3}
"""
    check(bench, text, 3, "d=3", {"X": X}, X * 0.5 + 1, {"all_to_all"})
    options = ["--backend=mpi", "--repeat=3", "--feed", "Y=X", "--report=report.json"]
    done = driver.mpirun(3, "./prog", *options, "-i", "X=X.npy", "-o", "Y=Y.npy", cwd=bench.folder)
    done.expect_status(0)
    for _ in range(3):
        X = X * np.float32(0.5) + 1
    same(np.load(bench.folder / "Y.npy"), X)
    report = driver.load_json(bench.folder / "report.json")
    if report["peak_bytes"] != report["predicted_peak_bytes"]:
        raise CheckFailed(f"peaks of {report['peak_bytes']} bytes: {json.dumps(report)}")


if __name__ == "__main__":
    case.main(__doc__)
