#!/usr/bin/python3
"""--repeat and --feed: the same as running again by hand.

    check_repeat.py [CASE ...]
"""

import numpy as np

from harness import driver
from harness.cases import Group
from harness.driver import CheckFailed
from harness.steps import STEP

case = Group()

# Two values that change places: what is fed is what the run before put out.
FIBONACCI = """\
input A : i64[3]
input B : i64[3]
C[i] = A[i] + B[i]
D[i] = B[i]
output C
output D
"""


def write_step(bench):
    rng = np.random.default_rng(5)
    bench.write("step.ein", STEP)
    np.save(bench.folder / "W.npy", rng.standard_normal((13, 9)).astype(np.float32))
    np.save(bench.folder / "X.npy", rng.standard_normal((21, 13)).astype(np.float32))


def run_step(bench, weights, suffix, *words):
    files = ["-i", f"W={weights}", "-i", "X=X.npy"]
    files += driver.output_options(("Wn", "Norm"), suffix)
    bench.tapestry("run", "step.ein", *files, *words).expect_status(0)
    return driver.load_outputs(bench.folder, ("Wn", "Norm"), suffix)


def expect_same(what, got, want):
    for name, array in want.items():
        if got[name].tobytes() != array.tobytes():
            raise CheckFailed(f"{what}: {name} differs by {np.abs(got[name] - array).max()}")


@case
def feeding_equals_repeating_by_hand(bench):
    write_step(bench)
    for devices in (1, 2, 3, 4):
        weights = "W.npy"
        for round in range(5):
            by_hand = run_step(bench, weights, ".hand", f"--devices={devices}")
            weights = f"round{round}.npy"
            np.save(bench.folder / weights, by_hand["Wn"])
        fed = run_step(
            bench, "W.npy", ".fed", f"--devices={devices}", "--repeat=5", "--feed=Wn=W",
            "--report=r.json",
        )
        expect_same(f"{devices} devices", fed, by_hand)
        for entry in driver.load_json(bench.folder / "r.json")["collectives"]:
            if entry["predicted_bytes"] != entry["counted_bytes"]:
                raise CheckFailed(f"five repetitions: {entry}")


@case
def repeating_without_feeding(bench):
    write_step(bench)
    once = run_step(bench, "W.npy", ".once", "--devices=3")
    thrice = run_step(bench, "W.npy", ".thrice", "--devices=3", "--repeat=3")
    expect_same("three repetitions", thrice, once)


@case
def fed_values_change_places(bench):
    bench.write("fib.ein", FIBONACCI)
    a, b = np.array([0, 2, -5]), np.array([1, 1, 7])
    np.save(bench.folder / "A.npy", a)
    np.save(bench.folder / "B.npy", b)
    for _ in range(30):
        a, b = b, a + b
    for devices in (1, 2, 3):
        bench.tapestry(
            "run", "fib.ein", "-i", "A=A.npy", "-i", "B=B.npy", "-o", "C=C.npy", "-o", "D=D.npy",
            f"--devices={devices}", "--repeat=30", "--feed=C=B", "--feed=D=A",
        ).expect_status(0)
        got = driver.load_outputs(bench.folder, ("C", "D"))
        expect_same(f"{devices} devices", got, {"C": b, "D": a})


@case
def standalone_and_mpi_programs_repeat_too(bench):
    write_step(bench)
    want = run_step(bench, "W.npy", ".want", "--devices=3", "--repeat=4", "--feed=Wn=W")
    bench.tapestry("compile", "step.ein", "--devices=3", "-o", "prog").expect_status(0)
    words = ["-i", "W=W.npy", "-i", "X=X.npy", "--repeat=4", "--feed=Wn=W"]
    local = ["./prog", *words, *driver.output_options(want, ".local")]
    driver.execute(local, bench.folder).expect_status(0)
    expect_same("standalone", driver.load_outputs(bench.folder, want, ".local"), want)
    mpi = ["./prog", "--backend", "mpi", *words, *driver.output_options(want, ".mpi")]
    driver.mpirun(3, *mpi, cwd=bench.folder).expect_status(0)
    expect_same("mpi", driver.load_outputs(bench.folder, want, ".mpi"), want)


def refuse(bench, status, feed, *patterns):
    write_step(bench)
    finished = bench.tapestry(
        "run", "step.ein", "-i", "W=W.npy", "-i", "X=X.npy", "--repeat=2", f"--feed={feed}"
    )
    bench.expect_error(finished, status, *patterns)


@case
def feed_of_unknown_output(bench):
    refuse(bench, 2, "Zn=W", "'Zn'")


@case
def feed_of_what_is_no_output(bench):
    refuse(bench, 2, "G=W", "'G'")


@case
def feed_into_unknown_input(bench):
    refuse(bench, 2, "Wn=V", "'V'")


@case
def feed_of_other_shape(bench):
    refuse(bench, (1, 2), "Wn=X", "13, 9|13x9", "21, 13|21x13")


@case
def feed_without_input(bench):
    refuse(bench, 2, "Wn", "feed")


@case
def feed_without_repeat(bench):
    write_step(bench)
    words = ["-i", "W=W.npy", "-i", "X=X.npy", "--feed=Wn=W"]
    bench.expect_error(bench.tapestry("run", "step.ein", *words), 2, "--feed", "--repeat")
    run_step(bench, "W.npy", ".once", "--repeat=1", "--feed=Wn=W")
    bench.tapestry("compile", "step.ein", "-o", "prog").expect_status(0)
    finished = driver.execute(["./prog", *words], bench.folder)
    bench.expect_error(finished, 2, "--feed", "--repeat")


@case
def feed_of_other_type(bench):
    bench.write("types.ein", "input A : f32[4]\nB[i] = f64(A[i])\noutput B\n")
    np.save(bench.folder / "A.npy", np.arange(4, dtype=np.float32))
    finished = bench.tapestry("run", "types.ein", "-i", "A=A.npy", "--repeat=2", "--feed=B=A")
    bench.expect_error(finished, (1, 2), "f64", "f32")


@case
def two_outputs_into_one_input(bench):
    bench.write("two.ein", "input A : f32[4]\nB[i] = -A[i]\nC[i] = A[i] * A[i]\noutput B\noutput C\n")
    np.save(bench.folder / "A.npy", np.arange(4, dtype=np.float32))
    finished = bench.tapestry(
        "run", "two.ein", "-i", "A=A.npy", "--repeat=2", "--feed=B=A", "--feed=C=A"
    )
    bench.expect_error(finished, 2, "'A'")


if __name__ == "__main__":
    case.main(__doc__)
