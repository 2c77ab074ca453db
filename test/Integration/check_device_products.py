#!/usr/bin/python3
"""Products of matrices by the tests' cuBLASLt against NumPy, on random data.

    check_device_products.py [CASE ...]

TAPESTRY_STUB_SHOW has the library say each kind of product that it is asked for.
"""

import re

import numpy as np

from harness import driver
from harness.cases import Group
from harness.compare import bf16_bits, bf16_values
from harness.driver import CheckFailed

case = Group()

CHECKED = {**driver.CHECKED, "TAPESTRY_STUB_SHOW": "1"}


def compute(bench, source, inputs, outputs, devices=1, words=(), env=CHECKED):
    """Values of the outputs, and what the library was asked for: rows, columns, batches
    and epilogue of each kind of product, for all ranks."""
    bench.write("p.ein", source)
    files = driver.save_inputs(bench.folder, inputs) + driver.output_options(outputs)
    options = [f"--devices={devices}", *driver.on_stub(), *words]
    done = driver.tapestry("run", "p.ein", *options, *files, "--report=r.json", cwd=bench.folder, env=env)
    done.expect_status(0)
    report = driver.load_json(bench.folder / "r.json")
    if report["peak_bytes"] != report["predicted_peak_bytes"]:
        raise CheckFailed(f"{source}\ntakes {report['peak_bytes']} bytes of {report['predicted_peak_bytes']}")
    for entry in report["collectives"]:
        if entry["predicted_bytes"] != entry["counted_bytes"]:
            raise CheckFailed(f"{source}\n{entry}")
    told = re.findall(r"stub: (\d+) x (\d+), (\d+) of them, epilogue (\d+)", done.stderr)
    return driver.load_outputs(bench.folder, outputs), [tuple(map(int, one)) for one in told]


def expect_near(name, got, want, near):
    """Sums of `near` relative to the largest result."""
    scale = max(np.abs(want).max(), 1e-30)
    worst = np.abs(got.astype(float) - want).max() / scale
    if got.shape != want.shape or not worst <= near:
        raise CheckFailed(f"{name} is {worst} from its value")


def expect_asked(told, asked, what):
    if sorted(set(told)) != sorted(set(asked)):
        raise CheckFailed(f"{what}: the library was asked for {sorted(set(told))}, not {asked}")


NUMBERS = {"f32": (np.float32, 2e-6), "f64": (np.float64, 1e-14), "f16": (np.float16, 1e-3)}


@case
def products_that_lie_in_all_ways(bench):
    """Each factor and the result row by row or column by column, in odd shapes."""
    m, n, k = 37, 29, 65
    for number in range(8):
        generator = np.random.default_rng(number)
        name = ("f32", "f64")[number % 2]
        kind, near = NUMBERS[name]
        a, b = generator.standard_normal((m, k)), generator.standard_normal((k, n))
        a, b = a.astype(kind), b.astype(kind)
        want = a.astype(float) @ b.astype(float)
        first, second, result = (bool(number >> bit & 1) for bit in range(3))
        source = (
            f"input A : {name}[{'k, m' if first else 'm, k'}]\n"
            f"input B : {name}[{'n, k' if second else 'k, n'}]\n"
            f"C[{'c, r' if result else 'r, c'}] = sum[t] A[{'t, r' if first else 'r, t'}] * "
            f"B[{'c, t' if second else 't, c'}]\noutput C\n"
        )
        source = f"param m = {m}\nparam n = {n}\nparam k = {k}\n" + source
        inputs = {"A": a.T if first else a, "B": b.T if second else b}
        devices = 1 + number % 4
        got, told = compute(bench, source, inputs, "C", devices)
        expect_near(f"C of {source} on {devices}", got["C"], want.T if result else want, near)
        if len(told) != devices:
            raise CheckFailed(f"{source}\non {devices} devices: {told}")


@case
def partial_sums_and_devices_without_terms(bench):
    """Terms are cut; of 72 in 10 parts of 8 the last device has none."""
    generator = np.random.default_rng(3)
    a = generator.standard_normal((40, 72)).astype(np.float32)
    b = generator.standard_normal((72, 24)).astype(np.float32)
    source = (
        "input A : f32[40, 72]\ninput B : f32[72, 24]\n"
        "C[i, k] @ {{j: {parts}, *: 1}} = sum[j] A[i, j] * B[j, k]\noutput C\n"
    )
    env = {**CHECKED, "TAPESTRY_STUB_DEVICES": "10"}
    for parts in (2, 10):
        inputs = {"A": a, "B": b}
        got, told = compute(bench, source.format(parts=parts), inputs, "C", parts, env=env)
        expect_near(f"C in {parts} parts", got["C"], a.astype(float) @ b, 2e-6)
        expect_asked(told, [(40, 24, 1, 1)], f"{parts} parts")
        if len(told) != {2: 2, 10: 9}[parts]:
            raise CheckFailed(f"{parts} parts: {told}")


ATTENTION = """\
input Q : f32[3, 20, 2, 16]
input K : f32[3, 24, 2, 16]
input V : f32[3, 24, 2, 16]
S[b, h, s, t] = sum[d] Q[b, s, h, d] * K[b, t, h, d] * 0.25
P[b, h, s, t] = exp(S[b, h, s, t])
O[b, s, h, d] = sum[t] P[b, h, s, t] * V[b, t, h, d]
output S
output O
"""


@case
def batches_that_do_not_become_one(bench):
    """Heads are over matrices and sequences over calls, or the other way round."""
    generator = np.random.default_rng(4)
    q, k, v = (generator.standard_normal((3, n, 2, 16)).astype(np.float32) for n in (20, 24, 24))
    scores = np.einsum("bshd,bthd->bhst", q.astype(float), k.astype(float)) / 4
    want = {"S": scores, "O": np.einsum("bhst,bthd->bshd", np.exp(scores), v.astype(float))}
    for devices in (1, 2, 3):
        got, told = compute(bench, ATTENTION, {"Q": q, "K": k, "V": v}, "SO", devices)
        for name in want:
            expect_near(f"{name} on {devices} devices", got[name], want[name], 3e-6)
        if not any(batches > 1 for _, _, batches, _ in told):
            raise CheckFailed(f"no batches: {told}")


@case
def rows_that_do_not_become_one(bench):
    """A convolution of one point: the columns of each image are a product of their own."""
    generator = np.random.default_rng(5)
    x = generator.standard_normal((5, 16, 4, 6)).astype(np.float32)
    w = generator.standard_normal((20, 16)).astype(np.float32)
    source = (
        "input X : f32[5, 16, 4, 6]\ninput W : f32[20, 16]\n"
        "Y[n, o, y, x] = sum[c] W[o, c] * X[n, c, y, x]\noutput Y\n"
    )
    got, told = compute(bench, source, {"X": x, "W": w}, "Y")
    expect_near("Y", got["Y"], np.einsum("oc,ncyx->noyx", w.astype(float), x.astype(float)), 2e-6)
    expect_asked(told, [(20, 24, 5, 1)], "images")


@case
def parts_of_tensors(bench):
    """Slices whose lines lie further apart, and begin anywhere."""
    generator = np.random.default_rng(6)
    a = generator.standard_normal((50, 71)).astype(np.float32)
    b = generator.standard_normal((40, 61)).astype(np.float32)
    source = (
        "input A : f32[50, 71]\ninput B : f32[40, 61]\n"
        "C[i:40, k:40] = sum[j:25] A[i + 7, j + 3] * B[j + 5, k + 11]\noutput C\n"
    )
    for devices in (1, 3):
        got, told = compute(bench, source, {"A": a, "B": b}, "C", devices)
        want = a[7:47, 3:28].astype(float) @ b[5:30, 11:51]
        expect_near("C", got["C"], want, 2e-6)
        if not told:
            raise CheckFailed(f"no product of the library on {devices} devices")


@case
def narrow_floats(bench):
    generator = np.random.default_rng(7)
    for name in ("f16", "bf16"):
        a, b = generator.standard_normal((33, 70)), generator.standard_normal((70, 41))
        if name == "f16":
            a, b = a.astype(np.float16), b.astype(np.float16)
            stored, values = (a, b), (a.astype(float), b.astype(float))
        else:
            stored = bf16_bits(a), bf16_bits(b)
            values = tuple(bf16_values(bits).astype(float) for bits in stored)
        for result, near in ((name, 1e-3 if name == "f16" else 5e-3), ("f32", 2e-6)):
            factors = "A[i, j] * B[j, k]"
            if result == "f32":
                factors = "f32(A[i, j]) * f32(B[j, k])"
            source = (
                f"input A : {name}[33, 70]\ninput B : {name}[70, 41]\n"
                f"C[i, k] = sum[j] {factors}\noutput C\n"
            )
            for devices in (1, 2):
                got, told = compute(bench, source, {"A": stored[0], "B": stored[1]}, "C", devices)
                value = bf16_values(got["C"]) if result == "bf16" else got["C"]
                expect_near(f"C of {name} in {result}", value, values[0] @ values[1], near)
                if not told:
                    raise CheckFailed(f"{source}\nis no product of the library")


@case
def bytes_are_exact(bench):
    """To the last bit, where the library takes them and where it does not."""
    generator = np.random.default_rng(8)
    for terms, columns, asked in ((64, 48, [(32, 48, 1, 1)]), (63, 48, []), (64, 46, [])):
        a = generator.integers(-128, 128, (64, terms), np.int8)
        b = generator.integers(-128, 128, (columns, terms), np.int8)
        source = (
            f"input A : i8[64, {terms}]\ninput B : i8[{columns}, {terms}]\n"
            "C[i, k] = sum[j] i32(A[i, j]) * i32(B[k, j])\noutput C\n"
        )
        got, told = compute(bench, source, {"A": a, "B": b}, "C", 2)
        want = a.astype(np.int64) @ b.T.astype(np.int64)
        if not np.array_equal(got["C"], want):
            raise CheckFailed(f"bytes: {terms} x {columns}")
        expect_asked(told, asked, f"{terms} x {columns}")


RELU = ["--gpu-products=cublaslt-relu"]

# What is made of H, in f32: which epilogue of the library that is, as its enum has it,
# and its values; None: an operation of its own.
EPILOGUES = {
    "H[i, k] + B[k]": (4, lambda h, b, r: h + b),
    "max(H[i, k], 0)": (2, lambda h, b, r: np.maximum(h, 0)),
    "max(B[k] + H[i, k], 0)": (6, lambda h, b, r: np.maximum(h + b, 0)),
    "H[i, k] + R[i, k]": (1, lambda h, b, r: h + r),
    "max(R[i, k] + (H[i, k] * 0.5 + B[k]), 0)": (6, lambda h, b, r: np.maximum(h / 2 + b + r, 0)),
    "0.5 * H[i, k] * (1 + tanh(0.7978845608 * (H[i, k] + 0.044715 * H[i, k] * H[i, k] * H[i, k])))": (
        32,
        lambda h, b, r: gelu(h),
    ),
    # Functions of another kind, numbers per row, and what lies otherwise.
    "tanh(H[i, k])": (None, lambda h, b, r: np.tanh(h)),
    "max(H[i, k], 0) + B[k]": (None, lambda h, b, r: np.maximum(h, 0) + b),
    "H[i, k] + D[i]": (None, lambda h, b, r: h + r[:, :1]),
    "H[i, k] * R[i, k]": (None, lambda h, b, r: h * r),
    # That are alike about 0.
    "max(H[i, k] + B[k], -7)": (None, lambda h, b, r: np.maximum(h + b, -7)),
    "max(H[i, k], 0) + max(H[i, k] - 8, 0)": (None, lambda h, b, r: np.maximum(h, 0) + np.maximum(h - 8, 0)),
}


def gelu(x):
    return 0.5 * x * (1 + np.tanh(np.sqrt(2 / np.pi) * (x + 0.044715 * x**3)))


@case
def epilogues(bench):
    generator = np.random.default_rng(10)
    a, b = (generator.standard_normal(shape).astype(np.float32) for shape in ((45, 32), (32, 28)))
    bias, r = (generator.standard_normal(shape).astype(np.float32) for shape in ((28,), (45, 28)))
    inputs = {"A": a, "W": b, "B": bias, "R": r, "D": r[:, 0]}
    h = a.astype(float) @ b
    for number, (text, (epilogue, values)) in enumerate(EPILOGUES.items()):
        source = "input A : f32[45, 32]\ninput W : f32[32, 28]\n"
        kinds = {"B": "f32[28]", "R": "f32[45, 28]", "D": "f32[45]"}
        used = {name: inputs[name] for name in "AWBRD" if name in "AW" or f"{name}[" in text}
        source += "".join(f"input {name} : {kinds[name]}\n" for name in used if name in kinds)
        source += f"H[i, k] = sum[j] A[i, j] * W[j, k]\nY[i, k] = {text}\noutput Y\n"
        got, told = compute(bench, source, used, "Y", 1 + number % 3, RELU)
        expect_near(text, got["Y"], values(h, bias.astype(float), r.astype(float)), 3e-6)
        if {asked for _, _, _, asked in told} != {epilogue or 1}:
            raise CheckFailed(f"{text}: {told}")
        launches = count_kernels(bench)
        if (launches == 0) != (epilogue is not None):
            raise CheckFailed(f"{text}: {launches} kernels beside the product")


@case
def positive_parts_keep_nan(bench):
    """Of the library only where it is asked for them."""
    a, b = plain_inputs()
    a[3, 5] = np.nan
    source = PLAIN.replace("output C", "D[i, k] = max(C[i, k], 0)\noutput D")
    got, told = compute(bench, source, {"A": a, "B": b}, "D")
    expect_asked(told, [(64, 32, 1, 1)], "max")
    want = np.maximum(a.astype(float) @ b, 0)
    if not np.isnan(got["D"][3]).all() or np.isnan(np.delete(got["D"], 3, 0)).any():
        raise CheckFailed("max of NaN is none")
    expect_near("max", np.delete(got["D"], 3, 0), np.delete(want, 3, 0), 2e-6)


def count_kernels(bench):
    """Of p.ein, functions of the GPU."""
    words = ["compile", "p.ein", "--devices=1", "--target=cuda", "--stop-after=gpu", *RELU]
    text = driver.tapestry(*words, cwd=bench.folder).expect_status(0).stdout
    return len(re.findall(r"gpu\.func @", text))


@case
def results_that_are_needed_stay(bench):
    """Before a bias is added, and where a matrix is written over."""
    generator = np.random.default_rng(11)
    a, b = (generator.standard_normal(shape).astype(np.float32) for shape in ((45, 32), (32, 28)))
    bias, r = (generator.standard_normal(shape).astype(np.float32) for shape in ((28,), (45, 28)))
    source = (
        "input A : f32[45, 32]\ninput W : f32[32, 28]\ninput B : f32[28]\ninput R : f32[45, 28]\n"
        "H[i, k] = sum[j] A[i, j] * W[j, k]\nY[i, k] = H[i, k] + B[k]\n"
        "Q[i, k] = exp(R[i, k])\nG[i, k] = sum[j] A[i, j] * W[j, k] * 2\nZ[i, k] = G[i, k] + Q[i, k]\n"
        "output H\noutput Y\noutput Z\n"
    )
    got, told = compute(bench, source, {"A": a, "W": b, "B": bias, "R": r}, "HYZ", 2)
    h = a.astype(float) @ b
    for name, want in {"H": h, "Y": h + bias, "Z": 2 * h + np.exp(r.astype(float))}.items():
        expect_near(name, got[name], want, 3e-6)


@case
def results_are_narrowed_by_the_library(bench):
    """Sums of f16 and bf16 are rounded once, without a buffer of f32."""
    for name in ("f16", "bf16"):
        source = (
            f"input A : {name}[48, 64]\ninput W : {name}[64, 40]\n"
            "H[i, k] = sum[j] A[i, j] * W[j, k]\nY[i, k] = max(H[i, k], 0)\noutput Y\n"
        )
        generator = np.random.default_rng(12)
        stored = [generator.standard_normal(shape).astype(np.float16) for shape in ((48, 64), (64, 40))]
        if name == "bf16":
            stored = [bf16_bits(values) for values in stored]
        compute(bench, source, {"A": stored[0], "W": stored[1]}, "Y", 1, RELU)
        if count_kernels(bench) != 0:
            raise CheckFailed(f"{name}: results are narrowed by a kernel")
        # The inputs, the output, and as much as the largest of them to work in.
        bytes = 2 * (48 * 64 + 64 * 40 + 48 * 40 + 48 * 64)
        peak = driver.load_json(bench.folder / "r.json")["peak_bytes"]
        if not bytes <= peak[0] < bytes + 1024:
            raise CheckFailed(f"{name} takes {peak} bytes, not {bytes}")


PLAIN = "input A : f32[64, 128]\ninput B : f32[128, 32]\nC[i, k] = sum[j] A[i, j] * B[j, k]\noutput C\n"


def plain_inputs():
    generator = np.random.default_rng(9)
    a = generator.standard_normal((64, 128)).astype(np.float32)
    return a, generator.standard_normal((128, 32)).astype(np.float32)


@case
def who_computes_is_asked_for(bench):
    a, b = plain_inputs()
    want = a.astype(float) @ b
    files = {"A": a, "B": b}
    for words, near, asked in (
        ([], 2e-6, [(64, 32, 1, 1)]),
        (["--gpu-products=generated"], 2e-6, []),
        (["--tf32"], 2e-3, [(64, 32, 1, 1)]),
    ):
        got, told = compute(bench, PLAIN, files, "C", 1, words)
        expect_near(f"C with {words}", got["C"], want, near)
        expect_asked(told, asked, f"{words}")
        exact = np.abs(got["C"] - want).max() < 1e-5 * np.abs(want).max()
        if exact == ("--tf32" in words):
            raise CheckFailed(f"{words}: factors are rounded, or are not")


@case
def an_algorithm_is_chosen_once(bench):
    """Of two products that are alike."""
    a, b = plain_inputs()
    source = (
        "input A : f32[64, 128]\ninput B : f32[128, 32]\ninput D : f32[128, 32]\n"
        "C[i, k] = sum[j] A[i, j] * B[j, k]\nE[i, k] = sum[j] A[i, j] * D[j, k]\n"
        "output C\noutput E\n"
    )
    got, told = compute(bench, source, {"A": a, "B": b, "D": -b}, "CE", 1, env={"TAPESTRY_STUB_SHOW": "1"})
    expect_near("C", got["C"], a.astype(float) @ b, 2e-6)
    expect_near("E", got["E"], -(a.astype(float) @ b), 2e-6)
    if len(told) != 1:
        raise CheckFailed(f"asked {len(told)} times")


def compile_plain(bench, devices, *words):
    a, b = plain_inputs()
    bench.write("p.ein", PLAIN)
    driver.save_inputs(bench.folder, {"A": a, "B": b})
    command = ["compile", "p.ein", f"--devices={devices}", *driver.on_stub(), *words, "-o", "prog"]
    driver.tapestry(*command, cwd=bench.folder).expect_status(0)
    return ["./prog", "-i", "A=A.npy", "-i", "B=B.npy", "-o", "C=C.npy"]


@case
def a_machine_without_the_library_says_so(bench):
    """Nothing is written; a program that was told to does without."""
    env = {"TAPESTRY_CUBLASLT": "/nowhere/libcublasLt.so.13"}
    words = compile_plain(bench, 2)
    finished = driver.execute(words, bench.folder, env)
    bench.expect_error(
        finished, 3, r"vertex 'C' is a product by cuBLASLt: /nowhere/libcublasLt\.so\.13: ", "--gpu-products=generated"
    )
    words = compile_plain(bench, 2, "--gpu-products=generated")
    driver.execute(words, bench.folder, env).expect_status(0)


@case
def faults_name_the_vertex(bench):
    words = compile_plain(bench, 2)
    for mode, status, said in (
        ("refuse", 4, r"vertex 'C': cublasLtMatmul: CUBLAS_STATUS_EXECUTION_FAILED"),
        ("fault", 4, r"with 'C' in flight"),
    ):
        env = {"TAPESTRY_STUB_FAULT": f"device=1,launch=0,mode={mode}", "TAPESTRY_TIMEOUT": "2"}
        finished = driver.execute(words, bench.folder, env)
        bench.expect_error(finished, status, "rank 1: ", said)
    none = driver.execute(words, bench.folder, {"TAPESTRY_STUB_NO_ALGORITHM": "1", "TAPESTRY_TIMEOUT": "2"})
    said = r"vertex 'C': cuBLASLt has no algorithm for a product of \d+ x \d+ by \d+ x 32"
    bench.expect_error(none, 4, said, "--gpu-products=generated")
    env["TAPESTRY_SYNC"] = "1"
    finished = driver.execute(words, bench.folder, env)
    bench.expect_error(finished, 4, r"vertex 'C': cublasLtMatmul: CUDA_ERROR_LAUNCH_FAILED")


if __name__ == "__main__":
    case.main(__doc__)
