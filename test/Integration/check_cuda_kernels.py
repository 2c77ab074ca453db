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


def compute(bench, source, inputs, outputs, devices=1):
    """Values of the outputs, whose bytes are those of the plan."""
    bench.write("p.ein", source)
    files = driver.save_inputs(bench.folder, inputs) + driver.output_options(outputs)
    options = [f"--devices={devices}", *driver.on_stub()]
    driver.tapestry("run", "p.ein", *options, *files, "--report=r.json", cwd=bench.folder).expect_status(0)
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
            devices = 1 + number % 4
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


ROWS = """\
input X : {type}[{rows}, {n}]
input G : {type}[{n}]
P[i, k] = softmax[k] X[i, k]
M[i] = mean[k] X[i, k]
V[i] = mean[k] (X[i, k] - M[i]) * (X[i, k] - M[i])
N[i, k] = (X[i, k] - M[i]) * rsqrt(V[i] + 1.0e-5) * G[k]
W[i] = max[k] X[i, k]
E[i] = sum[k] exp(X[i, k] - W[i])
L[i] = log(E[i]) + W[i] - X[i, 3]
output P
output N
output L
"""


def rows_of(x, g):
    x = x.astype(float)
    largest = x.max(-1, keepdims=True)
    e = np.exp(x - largest)
    mean, variance = x.mean(-1, keepdims=True), x.var(-1, keepdims=True)
    return {
        "P": e / e.sum(-1, keepdims=True),
        "N": (x - mean) / np.sqrt(variance + 1e-5) * g,
        "L": (np.log(e.sum(-1, keepdims=True)) + largest - x[:, 3:4])[:, 0],
    }


@case
def rows_are_read_once(bench):
    """Softmax, norm and loss: of rows of a warp, of a block, and those that do not fit."""
    for number, (type, shape, devices) in enumerate(
        [("f32", (70, 40), 1), ("f32", (5, 1000), 2), ("f64", (66, 333), 4), ("f16", (9, 515), 3), ("f32", (3, 13001), 1)]
    ):
        generator = np.random.default_rng(number)
        code = {"f32": "f4", "f64": "f8", "f16": "f2"}[type]
        x = (generator.standard_normal(shape) * 3).astype(code)
        g = generator.standard_normal(shape[1]).astype(code)
        source = ROWS.format(type=type, rows=shape[0], n=shape[1])
        got = compute(bench, source, {"X": x, "G": g}, "PNL", devices)
        near = {"f32": 2e-5, "f64": 1e-12, "f16": 2e-2}[type]
        for name, value in rows_of(x, g).items():
            if not np.allclose(got[name], value, rtol=near, atol=near):
                raise CheckFailed(f"{name} of {type}{shape} is wrong by {np.abs(got[name] - value).max()}")
    driver.tapestry("compile", "p.ein", "--devices=1", "--target=cuda", "--emit=ptx", "-o", "p.ptx", cwd=bench.folder)
    text = (bench.folder / "p.ptx").read_text()
    if "shfl.sync.bfly.b32" not in text or text.count(".visible .entry") != 1:
        raise CheckFailed("rows are not one kernel that warps reduce")


SCATTERS = """\
input X : f32[{n}, {d}]
input A : i32[{n}]
input B : i32[{n}]
S[A[n]:{rows}, d] = sum[n] X[n, d]
H[A[n]:{rows}] = sum[n] X[n, 2]
T[A[n]:{rows}, B[n]:5, d] = max[n] X[n, d]
output S
output H
output T
"""


@case
def scatters_are_in_order(bench):
    """Sums whose order is seen in their last digits; places that many and none go to."""
    for devices, n, d, rows in ((1, 500, 33, 130), (2, 300, 300, 7), (4, 700, 3, 1000)):
        generator = np.random.default_rng(n)
        x = (generator.standard_normal((n, d)) * 10.0 ** generator.integers(-3, 3, (n, d))).astype("f4")
        a = (generator.integers(0, rows, n) ** 2 // rows).astype("i4")
        b = generator.integers(0, 5, n).astype("i4")
        source = SCATTERS.format(n=n, d=d, rows=rows)
        got = compute(bench, source, {"X": x, "A": a, "B": b}, "SHT", devices)
        again = compute(bench, source, {"X": x, "A": a, "B": b}, "SHT", devices)
        want = np.zeros((rows, d)), np.zeros(rows), np.full((rows, 5, d), -np.inf)
        np.add.at(want[0], a, x.astype(float))
        np.add.at(want[1], a, x[:, 2].astype(float))
        np.maximum.at(want[2], (a, b), x)
        for name, value in zip("SHT", want):
            if got[name].tobytes() != again[name].tobytes():
                raise CheckFailed(f"{name} has other digits the second time")
            if not np.allclose(got[name], value, rtol=1e-6, atol=1e-4):
                raise CheckFailed(f"{name} of {n} updates on {devices} devices is wrong")


def run_on(bench, target, source, inputs, outputs):
    bench.write("p.ein", source)
    files = driver.save_inputs(bench.folder, inputs) + driver.output_options(outputs)
    words = driver.on_stub() if target == "cuda" else []
    driver.tapestry("run", "p.ein", "--devices=1", *words, *files, cwd=bench.folder).expect_status(0)
    return driver.load_outputs(bench.folder, outputs)


def expect_near(name, got, want, units, places):
    """NaN where the other is, else so many units in the last place apart."""
    signed = np.dtype(f"i{got.itemsize}")
    least = np.iinfo(signed).min

    def steps(values):
        bits = values.view(signed).astype(object)
        return np.where(bits < 0, least - bits, bits)

    wrong = np.isnan(got) != np.isnan(want)
    wrong |= ~np.isnan(want) & (np.abs(steps(got) - steps(want)) > units)
    if wrong.any():
        at = np.flatnonzero(wrong)[0]
        where = ", ".join(repr(float(place[at])) for place in places)
        raise CheckFailed(f"{name} of {where} is {float(got[at])!r}, not {float(want[at])!r}: {wrong.sum()} are wrong")


SPECIAL = [0.0, -0.0, 1, -1, 2, -2, 0.5, -0.5, np.inf, -np.inf, np.nan, 3, -3, 1e300, -1e-300, 5e-324]


def numbers(generator, count, widest):
    """Of all magnitudes, and pairs of special ones."""
    a = generator.standard_normal(count) * 10.0 ** generator.uniform(-widest, widest, count)
    b = generator.standard_normal(count) * 10.0 ** generator.uniform(-widest, widest, count)
    places = np.meshgrid(SPECIAL, SPECIAL)
    return np.concatenate([places[0].ravel(), a]), np.concatenate([places[1].ravel(), b])


@case
def functions_of_doubles_are_the_processors(bench):
    """The C library has them there, within 0.52 units."""
    generator = np.random.default_rng(4)
    x, y = numbers(generator, 6000, 300)
    # Powers that neither vanish nor overflow, and some that are near to it.
    x[-4000:] = np.abs(generator.standard_normal(4000)) * 2.0 ** generator.integers(-40, 40, 4000)
    y[-4000:] = generator.uniform(-745, 710, 4000) / np.log(x[-4000:])
    y[-1000:] = np.round(y[-1000:])
    x[-1000:-500] *= -1
    near = 2.0 ** generator.uniform(-50, -2, 500)
    x[-3000:-2500] = 1 + near
    y[-3000:-2500] = generator.uniform(-745, 710, 500) / np.log1p(near)
    source = (
        f"input X : f64[{x.size}]\ninput Y : f64[{x.size}]\n"
        "S[i] = sin(X[i])\nC[i] = cos(X[i])\nT[i] = tan(X[i])\nP[i] = X[i] ** Y[i]\n"
        + "".join(f"output {name}\n" for name in "SCTP")
    )
    got = run_on(bench, "cuda", source, {"X": x, "Y": y}, "SCTP")
    want = run_on(bench, "cpu", source, {"X": x, "Y": y}, "SCTP")
    for name in "SCTP":
        expect_near(name, got[name], want[name], 2 if name == "T" else 1, (x, y))
    with np.errstate(all="ignore"):
        expect_near("P", got["P"], x**y, 1, (x, y))


@case
def angles_next_to_a_zero_keep_their_digits(bench):
    """The f64 that comes nearest to a multiple of pi / 2 (J.-M. Muller, Elementary Functions)."""
    x = np.array([6381956970095103.0 * 2.0**797])
    source = "input X : f64[1]\nC[i] = cos(X[i])\noutput C\n"
    got = run_on(bench, "cuda", source, {"X": x}, "C")
    expect_near("C", got["C"], np.array([-4.68716592425462761112e-19]), 0, (x,))


@case
def remainders_are_exact(bench):
    for type, code, widest in (("f64", "f8", 300), ("f32", "f4", 37), ("f16", "f2", 4)):
        generator = np.random.default_rng(widest)
        with np.errstate(all="ignore"):
            x, y = (part.astype(code) for part in numbers(generator, 4000, widest))
            # Quotients of a few digits, too.
            y[-2000:] = (x[-2000:].astype(float) / generator.uniform(0.3, 3000, 2000)).astype(code)
        source = (
            f"input X : {type}[{x.size}]\ninput Y : {type}[{x.size}]\n"
            "R[i] = X[i] % Y[i]\nQ[i] = X[i] // Y[i]\noutput R\noutput Q\n"
        )
        got = run_on(bench, "cuda", source, {"X": x, "Y": y}, "RQ")
        want = run_on(bench, "cpu", source, {"X": x, "Y": y}, "RQ")
        for name in "RQ":
            expect_near(name, got[name], want[name], 0, (x, y))
        with np.errstate(all="ignore"):
            expect_near("R", got["R"], np.mod(x, y), 0, (x, y))


if __name__ == "__main__":
    case.main(__doc__)
