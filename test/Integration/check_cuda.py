#!/usr/bin/python3
"""Programs for GPUs: what the runtime says where there are none, and how ranks share them.

    check_cuda.py [CASE ...]

The tests' driver (test/lib/CUDAStub) runs what a GPU would.
"""

import numpy as np

from harness import driver
from harness.cases import Group
from harness.driver import CheckFailed

case = Group()

PROGRAM = """\
input A : f32[37, 65]
input B : f32[65, 29]
C[i, k] = sum[j] A[i, j] * B[j, k]
L[i] = max[k] C[i, k]
output C
output L
"""


def expect_said(finished, text):
    if text not in finished.stderr:
        raise CheckFailed(f"expected '{text}'\n{finished.describe()}")


class Product:
    """The program, compiled, with files for it."""

    def __init__(self, bench, devices, *words):
        bench.write("p.ein", PROGRAM)
        generator = np.random.default_rng(5)
        self.A = generator.standard_normal((37, 65)).astype(np.float32)
        self.B = generator.standard_normal((65, 29)).astype(np.float32)
        np.save(bench.folder / "A.npy", self.A)
        np.save(bench.folder / "B.npy", self.B)
        self.bench = bench
        self.stub = driver.on_stub()
        driver.tapestry(
            "compile", "p.ein", f"--devices={devices}", *self.stub, *words, "-o", "p", cwd=bench.folder
        ).expect_status(0)

    def files(self):
        return ["-i", "A=A.npy", "-i", "B=B.npy", "-o", "C=C.npy", "-o", "L=L.npy"]

    def run(self, *words, env=None):
        return driver.execute(["./p", *self.files(), *words], self.bench.folder, env)

    def expect_values(self):
        want = self.A.astype(float) @ self.B
        for name, value in (("C", want), ("L", want.max(1))):
            got = np.load(self.bench.folder / f"{name}.npy")
            if got.shape != value.shape or not np.allclose(got, value, atol=1e-4):
                raise CheckFailed(f"{name} is wrong")


@case
def executables_run_on_devices_of_their_own(bench):
    for devices in (1, 2, 3):
        product = Product(bench, devices)
        product.run("--report", "r.json").expect_status(0)
        product.expect_values()
        report = driver.load_json(bench.folder / "r.json")
        if report["peak_bytes"] != report["predicted_peak_bytes"]:
            raise CheckFailed(f"peaks: {report}")
        for entry in report["collectives"]:
            if entry["predicted_bytes"] != entry["counted_bytes"]:
                raise CheckFailed(f"{entry}")


@case
def functions_of_any_number_have_the_processors_values(bench):
    """Of large angles and powers, which no libm computes there."""
    generator = np.random.default_rng(3)
    x = generator.standard_normal(4000) * 10.0 ** generator.uniform(0, 37, 4000)
    y = generator.standard_normal(4000) * 3
    special = [0.0, -0.0, 1, -1, 2, -2, 0.5, -0.5, np.inf, -np.inf, np.nan, 3, -3, 1e30, -1e-30]
    places = np.meshgrid(special, special)
    x = np.concatenate([places[0].ravel(), x]).astype(np.float32)
    y = np.concatenate([places[1].ravel(), y]).astype(np.float32)
    y[-2000:] = np.round(y[-2000:])
    bench.write(
        "p.ein",
        f"input X : f32[{x.size}]\ninput Y : f32[{x.size}]\n"
        "S[i] = sin(X[i])\nC[i] = cos(X[i])\nT[i] = tan(X[i])\nP[i] = X[i] ** Y[i]\n"
        "output S\noutput C\noutput T\noutput P\n",
    )
    np.save(bench.folder / "X.npy", x)
    np.save(bench.folder / "Y.npy", y)
    files = ["-i", "X=X.npy", "-i", "Y=Y.npy"]
    got = {}
    for where, words in (("cpu", []), ("cuda", driver.on_stub())):
        outputs = [word for name in "SCTP" for word in ("-o", f"{name}={where}-{name}.npy")]
        driver.tapestry(
            "run", "p.ein", "--devices=1", *words, *files, *outputs, cwd=bench.folder
        ).expect_status(0)
        got[where] = {name: np.load(bench.folder / f"{where}-{name}.npy") for name in "SCTP"}
    for name in "SCTP":
        ours, want = got["cuda"][name], got["cpu"][name]
        apart = np.abs(ours.view(np.int32).astype(np.int64) - want.view(np.int32))
        wrong = ~(np.isnan(ours) & np.isnan(want)) & (apart > 1)
        if wrong.any():
            at = np.flatnonzero(wrong)[0]
            raise CheckFailed(f"{name} of {x[at]}, {y[at]} is {ours[at]}, not {want[at]}")


@case
def threads_do_not_race(bench):
    product = Product(bench, 1, "--gpu-products=generated")
    product.run(env=driver.CHECKED).expect_status(0)
    product.expect_values()
    # Without barriers they do, and that is seen.
    missing = product.run(env={**driver.CHECKED, "TAPESTRY_STUB_NO_BARRIERS": "1"})
    expect_said(missing, "with no barrier between")
    missing.expect_status(4)


@case
def ranks_share_a_device_where_they_may(bench):
    product = Product(bench, 3)
    one = {"TAPESTRY_STUB_DEVICES": "1"}
    refused = product.run(env=one)
    refused.expect_status(3)
    expect_said(refused, 
        "3 ranks of this machine need a GPU each, and it has 1 (--share-devices lets ranks share)"
    )
    product.run("--share-devices", env=one).expect_status(0)
    product.expect_values()


@case
def processes_have_devices_of_their_own(bench):
    product = Product(bench, 3)
    driver.mpirun(
        3, "./p", "--backend", "mpi", *product.files(), cwd=bench.folder
    ).expect_status(0)
    product.expect_values()


@case
def a_machine_without_a_driver_says_so(bench):
    product = Product(bench, 1)
    without = product.run(env={"LD_LIBRARY_PATH": "/nowhere"})
    without.expect_status(3)
    expect_said(without, "no driver for NVIDIA's GPUs: libcuda.so.1")
    none = product.run(env={"TAPESTRY_STUB_DEVICES": "0"})
    none.expect_status(3)
    expect_said(none, "this machine has no GPU")


@case
def a_device_that_no_image_fits_says_so(bench):
    product = Product(bench, 1)
    driver.tapestry(
        "compile", "p.ein", "--devices=1", "--target=cuda", "-o", "p", cwd=bench.folder
    ).expect_status(0)
    finished = product.run()
    expect_said(finished, "the program has code for sm_80, none of which stub (sm_0) runs")


if __name__ == "__main__":
    case.main(__doc__)
