"""Named cases on one small program: what a user does wrong, and how it ends."""

import argparse
import os
import pathlib
import re
import sys

import numpy as np

from . import driver
from .driver import CheckFailed

# Two devices cut the reduced label j when GIVEN says so: one all_reduce.
PROGRAM = """\
input A : f32[6, 5]
input B : f32[5, 7]
C[i, k] = sum[j] A[i, j] * B[j, k]
D[i] = max[k] C[i, k]
output C
output D
"""


def given_plan():
    """A plan for PROGRAM on two devices that adds partial sums of C."""
    return {
        "tapestry_plan": 1,
        "devices": 2,
        "grid": {"d": 2},
        "vertices": [
            {"name": "C", "parts": {"i": 1, "j": 2, "k": 1}, "axes": {"j": ["d.0"]}},
            {"name": "D", "parts": {"i": 2, "k": 1}, "axes": {"i": ["d.0"]}},
        ],
    }


OUTPUTS = ("C", "D")


class Bench:
    """A folder with PROGRAM and its inputs, and what is expected of runs."""

    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        rng = np.random.default_rng(11)
        self.A = rng.standard_normal((6, 5)).astype(np.float32)
        self.B = rng.standard_normal((5, 7)).astype(np.float32)
        self.write("small.ein", PROGRAM)
        np.save(self.folder / "A.npy", self.A)
        np.save(self.folder / "B.npy", self.B)
        self.inputs = ["-i", "A=A.npy", "-i", "B=B.npy"]
        self.outputs = ["-o", "C=C.npy", "-o", "D=D.npy"]
        self.kept = {}

    def write(self, name, contents):
        path = self.folder / name
        if isinstance(contents, bytes):
            path.write_bytes(contents)
        else:
            path.write_text(contents)
        return path

    def tapestry(self, *words, env=None):
        return driver.tapestry(*words, cwd=self.folder, env=env)

    def run(self, *words, inputs=None, outputs=None, env=None):
        """`tapestry run small.ein` with its usual files and more options."""
        return self.tapestry(
            "run",
            "small.ein",
            *(self.inputs if inputs is None else inputs),
            *(self.outputs if outputs is None else outputs),
            *words,
            env=env,
        )

    def expect_results(self, finished):
        finished.expect_status(0)
        got = driver.load_outputs(self.folder, OUTPUTS)
        product = self.A.astype(np.float64) @ self.B
        if not np.allclose(got["C"], product, atol=1e-5):
            raise CheckFailed(f"C is wrong\n{finished.describe()}")
        if not np.allclose(got["D"], product.max(1), atol=1e-5):
            raise CheckFailed(f"D is wrong\n{finished.describe()}")

    def keep_outputs(self):
        """From now on output files exist that a failure must not touch."""
        for name in OUTPUTS:
            contents = f"what was in {name} before".encode()
            self.kept[name] = contents
            self.write(f"{name}.npy", contents)

    def expect_no_outputs(self, finished):
        for name in OUTPUTS:
            path = self.folder / f"{name}.npy"
            if name in self.kept:
                if path.read_bytes() != self.kept[name]:
                    raise CheckFailed(f"{path.name} was overwritten\n{finished.describe()}")
            elif path.exists():
                raise CheckFailed(f"{path.name} was written\n{finished.describe()}")
        known = re.compile(r".*\.(ein|mlir|npy|json)|prog|sub")
        strange = [p.name for p in self.folder.iterdir() if not known.fullmatch(p.name)]
        if strange:
            raise CheckFailed(f"left behind: {strange}\n{finished.describe()}")

    def expect_error(self, finished, status, *patterns, outputs_intact=True):
        """One clear message with these words in any order, and nothing else."""
        allowed = status if isinstance(status, tuple) else (status,)
        if finished.status not in allowed:
            raise CheckFailed(
                f"exit status {finished.status}, expected {' or '.join(map(str, allowed))}\n"
                f"{finished.describe()}"
            )
        text = finished.stderr
        for pattern in patterns:
            if not re.search(pattern, text, re.IGNORECASE):
                raise CheckFailed(f"no /{pattern}/ in the message\n{finished.describe()}")
        for crash in ("Stack dump", "Assertion", "UNREACHABLE", "terminate called", "LLVM ERROR"):
            if crash in text:
                raise CheckFailed(f"a crash\n{finished.describe()}")
        if finished.stdout:
            raise CheckFailed(f"text on stdout\n{finished.describe()}")
        if outputs_intact:
            self.expect_no_outputs(finished)

    def expect_no_processes(self, finished):
        """No rank of the run is still there."""
        here = str(self.folder.resolve())
        for entry in pathlib.Path("/proc").iterdir():
            if not entry.name.isdigit() or int(entry.name) == os.getpid():
                continue
            try:
                if os.readlink(entry / "cwd") == here:
                    raise CheckFailed(f"process {entry.name} is left\n{finished.describe()}")
            except OSError:
                continue


class Group:
    """The cases of one script, by name."""

    def __init__(self):
        self.cases = {}

    def __call__(self, function):
        self.cases[function.__name__] = function
        return function

    def main(self, description):
        """Runs the cases that the command line names, or all."""
        parser = argparse.ArgumentParser(description=description.splitlines()[0])
        parser.add_argument("case", nargs="*", choices=[[], *self.cases], metavar="CASE")
        parser.add_argument("--matching", default="", help="only cases with this in their names")
        parser.add_argument("--without", help="no cases with this in their names")
        options = parser.parse_args()
        names = [
            name
            for name in options.case or self.cases
            if options.matching in name and not (options.without and options.without in name)
        ]
        failed = []
        for name in names:
            with driver.workspace() as folder:
                try:
                    self.cases[name](Bench(folder))
                except CheckFailed as failure:
                    print(f"FAILED: {name}\n{failure}\n")
                    failed.append(name)
        print(f"{len(names) - len(failed)} of {len(names)} cases passed")
        sys.exit(1 if failed or not names else 0)
