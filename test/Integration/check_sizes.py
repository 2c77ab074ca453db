#!/usr/bin/python3
"""Params without a value: the shapes of the inputs' files give them one.

    check_sizes.py [CASE ...]
"""

import numpy as np

from harness import driver
from harness.cases import Group
from harness.driver import CheckFailed

case = Group()

PROGRAM = """\
param n
param k
param half = n // 2
input X : f32[n, k]
input W : f32[k, 3]
input V : f32[half]
output Y[i, j] = sum[a] X[i, a] * W[a, j]
output Z[i] = 2 * V[i]
"""


def prepare(bench, n=11, k=7, rows=None):
    rng = np.random.default_rng(n)
    bench.write("p.ein", PROGRAM)
    X = rng.standard_normal((n, k)).astype(np.float32)
    W = rng.standard_normal((rows or k, 3)).astype(np.float32)
    V = rng.standard_normal(n // 2).astype(np.float32)
    files = driver.save_inputs(bench.folder, {"X": X, "W": W, "V": V})
    return X, W, V, files + driver.output_options(["Y", "Z"])


def check_values(bench, X, W, V):
    got = driver.load_outputs(bench.folder, ["Y", "Z"])
    if not np.allclose(got["Y"], X @ W, atol=1e-5) or not np.array_equal(got["Z"], 2 * V):
        raise CheckFailed(f"{got}")


@case
def run_takes_them(bench):
    for n in (11, 4):
        X, W, V, files = prepare(bench, n)
        for devices in (1, 3):
            words = ["run", "p.ein", f"--devices={devices}", *files]
            bench.tapestry(*words).expect_status(0)
            check_values(bench, X, W, V)
        bench.tapestry("reference", "p.ein", *files).expect_status(0)
        check_values(bench, X, W, V)


@case
def fortran_order_is_a_shape_too(bench):
    X, W, V, files = prepare(bench)
    np.save(bench.folder / "X.npy", np.asfortranarray(X))
    bench.tapestry("run", "p.ein", *files).expect_status(0)
    check_values(bench, X, W, V)


@case
def inputs_that_disagree(bench):
    *_, files = prepare(bench, rows=8)
    for command in ("run", "reference"):
        finished = bench.tapestry(command, "p.ein", *files)
        bench.expect_error(
            finished, 1, "p.ein:5:15: error: param 'k' is 7 in input 'X' but 8 in input 'W'",
            "p.ein:4:18: note: 7 comes from here",
        )  # fmt: skip


@case
def files_that_do_not_say(bench):
    *_, files = prepare(bench)
    np.save(bench.folder / "X.npy", np.zeros(11, np.float32))
    finished = bench.tapestry("run", "p.ein", *files)
    bench.expect_error(finished, 1, "p.ein:4:7: error: input 'X' has 2 dimensions, but what is given for it has 1")
    (bench.folder / "X.npy").unlink()
    finished = bench.tapestry("run", "p.ein", *files)
    bench.expect_error(finished, 1, "p.ein:4:7: error: X.npy: cannot open: No such file or directory\n")
    bench.write("X.npy", b"no numbers")
    bench.expect_error(bench.tapestry("run", "p.ein", *files), 1, "X.npy")
    np.save(bench.folder / "X.npy", np.zeros((0, 7), np.float32))
    finished = bench.tapestry("run", "p.ein", *files)
    bench.expect_error(finished, 1, "p.ein:4:15: error: the extents of input 'X' .* got 0")


@case
def no_value_at_all(bench):
    prepare(bench)
    for words in (["plan", "p.ein"], ["compile", "p.ein", "-o", "prog"]):
        bench.expect_error(
            bench.tapestry(*words), 1, "p.ein:1:7: error: param 'n' has no value",
            "-D n=8 gives it one; .* --like INPUT=FILE.npy",
        )  # fmt: skip


@case
def executables_have_their_extents(bench):
    X, W, V, files = prepare(bench)
    for sizes in (["--like", "X=X.npy"], ["-D", "n=11", "-D", "k=7"], ["-Dn=11", "--like=W=W.npy"]):
        words = ["compile", "p.ein", "--devices=2", *sizes, "-o", "prog"]
        bench.tapestry(*words).expect_status(0)
        driver.execute(["./prog", *files], bench.folder).expect_status(0)
        check_values(bench, X, W, V)
        bench.tapestry("plan", "p.ein", *sizes).expect_status(0)
    np.save(bench.folder / "X.npy", np.zeros((12, 7), np.float32))
    finished = driver.execute(["./prog", *files], bench.folder)
    if finished.status != 1 or "has shape [12, 7], but input 'X' has [11, 7]" not in finished.stderr:
        raise CheckFailed(finished.describe())


@case
def a_like_is_of_an_input_that_has_its_shape(bench):
    """Whether the program needs it or not."""
    prepare(bench)
    sizes = ["-D", "n=11", "-D", "k=7"]
    bench.tapestry("plan", "p.ein", *sizes, "--stop-after=graph").expect_status(0)
    graph = bench.tapestry("plan", "p.ein", *sizes, "--stop-after=graph").stdout
    bench.write("p.mlir", graph)
    np.save(bench.folder / "short.npy", np.zeros((10, 7), np.float32))
    unknown = "^tapestry: error: --like Q: the program has no input 'Q'; its inputs are X, W, "
    for status, words, pattern in (
        (2, ["p.ein", "--like=Q=X.npy"], unknown),
        (2, ["p.ein", "--like=X=X.npy", "--like=Q=X.npy"], unknown),
        (2, ["p.ein", *sizes, "--like=Q=X.npy"], unknown),
        (2, ["p.mlir", "--like=Q=X.npy"], unknown),
        (1, ["p.ein", *sizes, "--like=X=no.npy"], "^no.npy: error: cannot open: No such file"),
        (1, ["p.mlir", "--like=X=no.npy"], "^no.npy: error: cannot open: No such file"),
        (1, ["p.ein", *sizes, "--like=X=short.npy"], "shape .10, 7., but input 'X' has .11, 7."),
        (1, ["p.mlir", "--like=X=short.npy"], "shape .10, 7., but input 'X' has .11, 7."),
    ):
        bench.expect_error(bench.tapestry("plan", *words), status, pattern)
        bench.expect_error(bench.tapestry("compile", *words, "-o", "prog"), status, pattern)
    bench.tapestry("plan", "p.ein", *sizes, "--like=X=X.npy").expect_status(0)
    bench.tapestry("plan", "p.mlir", "--like=X=X.npy").expect_status(0)
    finished = bench.tapestry("run", "p.ein", "-i", "Q=X.npy")
    bench.expect_error(finished, 2, "-i Q: the program has no input 'Q'")


@case
def a_value_given_is_the_value(bench):
    X, W, V, files = prepare(bench)
    bench.tapestry("run", "p.ein", "-D", "n=11", *files).expect_status(0)
    check_values(bench, X, W, V)
    for name in ("Y", "Z"):
        (bench.folder / f"{name}.npy").unlink()
    finished = bench.tapestry("run", "p.ein", "-D", "n=12", *files)
    bench.expect_error(finished, 1, "X.npy: error: has shape .11, 7., but input 'X' has .12, 7.")


if __name__ == "__main__":
    case.main(__doc__)
