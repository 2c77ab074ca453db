#!/usr/bin/python3
"""Kernels for GPUs against NumPy, on random data.

    check_cuda_kernels.py [CASE ...]

The tests' driver (test/lib/CUDAStub) runs what a GPU would.
"""

import numpy as np

from harness import driver
from harness.cases import Group
from harness.driver import CheckFailed

case = Group()


def compute(bench, source, inputs, outputs, devices=1, words=(), env=None):
    """Values of the outputs, whose bytes are those of the plan."""
    bench.write("p.ein", source)
    files = driver.save_inputs(bench.folder, inputs) + driver.output_options(outputs)
    options = [f"--devices={devices}", *driver.on_stub(), *words]
    driver.tapestry("run", "p.ein", *options, *files, "--report=r.json", cwd=bench.folder, env=env).expect_status(0)
    report = driver.load_json(bench.folder / "r.json")
    if report["peak_bytes"] != report["predicted_peak_bytes"]:
        raise CheckFailed(f"{source}\ntakes {report['peak_bytes']} bytes of {report['predicted_peak_bytes']}")
    for entry in report["collectives"]:
        if entry["predicted_bytes"] != entry["counted_bytes"]:
            raise CheckFailed(f"{source}\n{entry}")
    return driver.load_outputs(bench.folder, outputs)


def with_ties(generator, type, shape):
    if type.kind != "f":
        return generator.integers(np.iinfo(type).min, np.iinfo(type).max, shape, type, endpoint=True) // 3 * 2
    values = (generator.standard_normal(shape) * 8).round(1).astype(type)
    for special in (np.nan, np.inf, -np.inf, 0.0, -0.0):
        values[generator.random(shape) < 0.02] = special
    return values


def order_of(array, descending):
    """Along the last dimension; NaN is the largest, equal ones keep their order."""
    if not descending:
        return np.argsort(array, -1, kind="stable")
    back = np.argsort(np.flip(array, -1), -1, kind="stable")
    return array.shape[-1] - 1 - np.flip(back, -1)


SORTS = """\
input X : {type}[{rows}, {n}]
S[i, k] = sort[j] X[i, j]
A[i, k] = argsort[j] X[i, j]
T[i, k:{few}] = topk[j] X[i, j]
output S
output A
output T
"""


@case
def sorts_are_stable(bench):
    """Rows that fit in shared memory, and those that do not."""
    shapes = [(5, 1, 1), (7, 37, 5), (3, 2048, 2000), (2, 2049, 7), (2, 5000, 1500), (1, 9000, 3)]
    types = {"f32": "f4", "f64": "f8", "f16": "f2", "i8": "i1", "i64": "i8", "u16": "u2", "u32": "u4"}
    for number, (name, code) in enumerate(types.items()):
        generator = np.random.default_rng(number)
        # Each type short and long.
        for at in {number % 3, 3 + number % 3}:
            rows, n, few = shapes[at]
            x = with_ties(generator, np.dtype(code), (rows, n))
            source = SORTS.format(type=name, rows=rows, n=n, few=few)
            for devices in (1, 1 + number % 4):
                got = compute(bench, source, {"X": x}, "SAT", devices)
                up, down = order_of(x, False), order_of(x, True)[:, :few]
                want = {"S": np.take_along_axis(x, up, -1), "A": up, "T": np.take_along_axis(x, down, -1)}
                for output, value in want.items():
                    if got[output].tobytes() != np.ascontiguousarray(value).tobytes():
                        raise CheckFailed(f"{output} of {name}[{rows}, {n}] on {devices} devices is not NumPy's")


@case
def parts_of_sorts_are_those_of_all(bench):
    """Sorts whose rows are cut: runs are merged, and each device has some of the places."""
    for number, (name, code) in enumerate({"f32": "f4", "i16": "i2"}.items()):
        for n in (1100, 2700):
            x = with_ties(np.random.default_rng(number), np.dtype(code), (2, n))
            for sort, descending in (("sort", False), ("argsort", False), ("topk", True)):
                # Of the best some devices may have none: they are not cut.
                left, cut = ("k:%d" % (n - 100), "") if descending else ("k", " @ {1: 3, *: 1}")
                source = (
                    f"input X : {name}[2, {n}] @ {{1: 3, *: 1}}\n"
                    f"Y[i, {left}] @ {{k: 3, *: 1}} = {sort}[j] X[i, j]\noutput Y{cut}\n"
                )
                got = compute(bench, source, {"X": x}, "Y", 3)["Y"]
                order = order_of(x, descending)[:, : got.shape[1]]
                want = order if sort == "argsort" else np.take_along_axis(x, order, -1)
                if got.tobytes() != np.ascontiguousarray(want).tobytes():
                    raise CheckFailed(f"{sort} of {name}[2, {n}] in parts is not NumPy's")


if __name__ == "__main__":
    case.main(__doc__)
