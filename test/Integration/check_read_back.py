#!/usr/bin/python3
"""An input that follows a point is read after it: of a file that the program has written by then,
which need not be there when it begins, what that holds by then. On threads, under MPI, in the
greedy executor, in sessions and by the reference.

    check_read_back.py [--backend local|mpi|greedy|session|reference]
"""

import argparse

import numpy as np
from harness import compare, contract, driver
from harness.driver import CheckFailed

# C is an input that goes to a file at once, and U is of a type of files alone.
PROGRAM = """\
param n
input X : f32[n, 5]
input W : u8[n]
Y[i, j] = 2 * X[i, j]
output Y to "y.npy"
V[i] = W[i] + 1
output V to "v.npy"
point p after output Y, output V
input B : f32[n, 5] from "y.npy"PIN after p
input U : u8[n] from "v.npy" after p
Z[i, j] = B[i, j] + X[i, j]
output B to "b.npy"
point q after output B, p
input C : f32[n, 5] from "b.npy" after q
output C to "c.npy"
S[j] = sum[i] C[i, j] * f32(U[i])
point r after S
output T[j] = S[j] - 1 after r
output Z after r
"""
FILES = ["y.npy", "v.npy", "b.npy", "c.npy"]

REPEATED = """\
input X : f32[37]
Y[i] = 2 * X[i]
output Y to "y.npy"
point p after output Y
input B : f32[37] from "y.npy" after p
Z[i] = B[i] + X[i]
output Z
"""

COUNTS = {"local": range(1, 9), "session": (1, 3), "mpi": (2, 5), "greedy": (1, 3)}


class Runs:
    def __init__(self, folder, backend):
        self.folder = folder
        self.backend = backend

    def run(self, program, devices, *words):
        if self.backend == "reference":
            return driver.tapestry("reference", program, *words, cwd=self.folder)
        if self.backend == "session":
            pairs = [word.replace("=", " ") for word in words if word.endswith(".npy")]
            lines = [f"load {pair}\n" for pair in pairs if pair[0] in "XW"]
            lines.append(f"apply {program}\n")
            lines += [f"export {pair}\n" for pair in pairs if pair[0] not in "XW"]
            (self.folder / "commands").write_text("".join(lines))
            return driver.tapestry("session", "commands", f"--devices={devices}", cwd=self.folder)
        words = [*words, "--report=report.json"]
        if self.backend == "greedy":
            words += [f"--devices={devices}", "--executor=greedy"]
            return driver.tapestry("run", program, *words, cwd=self.folder)
        likes = [f"--like={word}" for word in words if word[:2] in ("X=", "W=")]
        planned = ["plan", program, f"--devices={devices}", *likes, "--json=plan.json"]
        driver.tapestry(*planned, cwd=self.folder).expect_status(0)
        if self.backend == "local":
            return driver.tapestry("run", program, "--plan=plan.json", *words, cwd=self.folder)
        compiled = ["compile", program, "--plan=plan.json", *likes, "-o", "prog"]
        driver.tapestry(*compiled, cwd=self.folder).expect_status(0)
        return driver.mpirun(devices, "./prog", "--backend", "mpi", *words, cwd=self.folder)

    def check_contract(self, devices):
        report = driver.load_json(self.folder / "report.json")
        if self.backend == "greedy":
            return contract.check_tasks(report, devices, None)
        plan = driver.load_json(self.folder / "plan.json")
        contract.check_contract(plan, report, devices, self.backend)


def check_values(runs, devices, files, stale, X, W):
    for name in FILES:
        (runs.folder / name).unlink(missing_ok=True)
        if stale:
            shape, dtype = ((len(W),), np.uint8) if name == "v.npy" else (X.shape, np.float32)
            np.save(runs.folder / name, np.full(shape, 9, dtype))
    done = runs.run("back.ein", devices, *files, *driver.output_options(["T", "Z"]))
    done.expect_status(0)
    values = driver.load_outputs(runs.folder, ["T", "Z"])
    compare.check_equal("Z", values["Z"], 3 * X)
    for name in ("y.npy", "b.npy", "c.npy"):
        compare.check_equal(name, np.load(runs.folder / name), 2 * X)
    wide = X.astype(np.float64)
    compare.check_close("T", values["T"], 2 * wide.T @ (W + 1.0) - 1, 1e-5)
    if runs.backend not in ("session", "reference"):
        runs.check_contract(devices)


def check_repeated(runs, devices, files, X):
    """What is read back is of the same run."""
    (runs.folder / "y.npy").unlink(missing_ok=True)
    feeds = [] if runs.backend == "greedy" else ["--feed", "Z=X"]
    words = [*files, *driver.output_options(["Z"]), "--repeat=3", *feeds]
    runs.run("repeated.ein", devices, *words).expect_status(0)
    factor = 27 if feeds else 3
    compare.check_close("Z", np.load(runs.folder / "Z.npy"), factor * X.astype(np.float64), 1e-6)
    compare.check_close("Y", np.load(runs.folder / "y.npy"), factor / 1.5 * X.astype(np.float64), 1e-6)


def check_refused(runs, program, devices, words, wanted):
    done = runs.run(program, devices, *words)
    done.expect_status(1)
    if done.stderr.count("error:") != 1 or wanted not in done.stderr:
        raise CheckFailed(f"not '{wanted}' alone: {done.stderr}")
    left = [path.name for path in runs.folder.iterdir() if path.name.endswith(".tmp")]
    if left:
        raise CheckFailed(f"left behind: {left}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument(
        "--backend", choices=["local", "mpi", "greedy", "session", "reference"], default="local"
    )
    backend = parser.parse_args().backend
    random = np.random.default_rng(23)
    X = random.random((41, 5), dtype=np.float32)
    W = random.integers(1, 200, 41).astype(np.uint8)
    x = random.random(37, dtype=np.float32)
    with driver.workspace() as folder:
        runs = Runs(folder, backend)
        files = driver.save_inputs(folder, {"X": X, "W": W})
        for devices in COUNTS.get(backend, (1,)):
            for stale in (False, True):
                pin = f" on device {devices - 1}" if stale else ""
                (folder / "back.ein").write_text(PROGRAM.replace("PIN", pin))
                check_values(runs, devices, files, stale, X, W)
        if backend == "session":
            return
        files = driver.save_inputs(folder, {"X": x})
        (folder / "repeated.ein").write_text(REPEATED)
        if backend != "reference":
            check_repeated(runs, 2, files, x)
        (folder / "missing.ein").write_text(REPEATED.replace('from "y.npy"', 'from "no.npy"'))
        no = "no.npy: error: cannot open: No such file or directory"
        check_refused(runs, "missing.ein", 3, files, no)
        compare.check_equal("Y", np.load(folder / "y.npy"), 2 * x)
        np.save(folder / "no.npy", np.zeros(36, np.float32))
        no = "no.npy: error: has shape [36], but input 'B' has [37]"
        check_refused(runs, "missing.ein", 3, files, no)


if __name__ == "__main__":
    main()
