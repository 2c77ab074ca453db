#!/usr/bin/python3
"""Kernels on several threads of a rank: the bits of one, the memory that was predicted.

    check_threads.py [CASE ...]

Extents are those that threads do not share out evenly, and large enough that they do.
"""

import json

import numpy as np
from harness import driver
from harness.cases import Group
from harness.driver import CheckFailed

case = Group()

THREADS = (1, 2, 3, 5)


def programs():
    """Name, program, and what its outputs are in 64 bits, of random inputs."""
    yield (
        "products",
        """input A : f32[211, 517]
        input B : f32[517, 389]
        input V : f32[517, 6]
        C[i, k] = sum[j] A[i, j] * B[j, k]
        T[k, i] = sum[j] B[j, k] * A[i, j]
        S[i, k] = sum[j] A[j, i] * A[j, k]
        M[i, k] = max[j] (A[i, j] + B[j, k])
        W[i, k] = sum[j] A[i, j] * V[j, k]
        output C, T, S, M, W
        """,
        lambda A, B, V: {
            "C": A @ B,
            "T": (A @ B).T,
            "S": A.T @ A,
            "M": np.array([(row[:, None] + B).max(0) for row in A]),
            "W": A @ V,
        },
    )
    yield (
        "long sums",
        """input A : f32[37, 9001]
        input B : f32[9001, 70]
        C[i, k] = sum[j] A[i, j] * B[j, k]
        R[i] = sum[j] A[i, j] * A[i, j]
        output C, R
        """,
        lambda A, B: {"C": A @ B, "R": (A * A).sum(1)},
    )
    yield (
        "rows",
        """input X : f32[301, 1013]
        Y[i, j] = softmax[j] X[i, j]
        T[j, i] = exp(X[i, j]) + 1
        P[i, j] = cumsum[j] X[i, j]
        E[i, j] = tanh(X[i, j]) * X[i, j]
        output Y, T, P, E
        """,
        lambda X: {
            "Y": np.exp(X) / np.exp(X).sum(1, keepdims=True),
            "T": np.exp(X).T + 1,
            "P": X.cumsum(1),
            "E": np.tanh(X) * X,
        },
    )
    yield (
        "attention",
        """input Q : f32[3, 600, 16]
        input K : f32[3, 523, 16]
        S[h, i, j] = sum[e] Q[h, i, e] * K[h, j, e]
        P[h, i, j] = softmax[j] S[h, i, j]
        O[h, i, e] = sum[j] P[h, i, j] * K[h, j, e]
        D[h, i] = min[j] S[h, i, j]
        output O, D
        """,
        lambda Q, K: {
            "O": (lambda S: np.exp(S) @ K / np.exp(S).sum(2, keepdims=True))(Q @ K.transpose(0, 2, 1)),
            "D": (Q @ K.transpose(0, 2, 1)).min(2),
        },
    )
    yield (
        "convolution",
        """input X : f32[5, 7, 61, 53]
        input W : f32[11, 7, 3, 3]
        Y[n, f, y, x] = sum[c, r, s] X[n, c, y + r, x + s] * W[f, c, r, s]
        output Y
        """,
        lambda X, W: {
            "Y": sum(
                np.einsum("ncyx,fc->nfyx", X[:, :, r : r + 59, s : s + 51], W[:, :, r, s])
                for r in range(3)
                for s in range(3)
            )
        },
    )


def write_inputs(bench, program, rng):
    inputs = {}
    for line in program.splitlines():
        words = line.replace("[", " ").replace("]", " ").replace(",", " ").split()
        if words[:1] == ["input"]:
            inputs[words[1]] = rng.standard_normal([int(n) for n in words[4:]]).astype(np.float32)
            np.save(bench.folder / f"{words[1]}.npy", inputs[words[1]])
    return inputs, [word for name in inputs for word in ("-i", f"{name}={name}.npy")]


def expect_peak(report, threads):
    if report["threads"] != threads:
        raise CheckFailed(f"{report['threads']} threads, asked for {threads}")
    if report["peak_bytes"] != report["predicted_peak_bytes"]:
        raise CheckFailed(f"peak {report['peak_bytes']}, predicted {report['predicted_peak_bytes']}")


@case
def same_bits(bench):
    rng = np.random.default_rng(12)
    for name, program, evaluate in programs():
        bench.write("p.ein", program)
        inputs, files = write_inputs(bench, program, rng)
        want = evaluate(**{name: array.astype(np.float64) for name, array in inputs.items()})
        first = {}
        for devices in (1, 2):
            for threads in THREADS:
                where = f"{name} on {devices} devices of {threads} threads"
                words = [f"--devices={devices}", f"--threads={threads}", "--report=r.json"]
                done = bench.tapestry("run", "p.ein", *files, *driver.output_options(want), *words)
                done.expect_status(0)
                got = driver.load_outputs(bench.folder, want)
                for output, array in got.items():
                    error = np.abs(array - want[output]).max() / np.abs(want[output]).max()
                    if not error <= 1e-5:
                        raise CheckFailed(f"{where}: {output} is off by {error:.1e} of the largest")
                    # Plans differ between numbers of devices.
                    if array.tobytes() != first.setdefault((output, devices), array).tobytes():
                        raise CheckFailed(f"{where}: {output} has other bits")
                try:
                    expect_peak(json.loads((bench.folder / "r.json").read_text()), threads)
                except CheckFailed as failure:
                    raise CheckFailed(f"{where}: {failure}") from None


@case
def executables(bench):
    _, program, _ = next(programs())
    bench.write("p.ein", program)
    _, files = write_inputs(bench, program, np.random.default_rng(13))
    bench.tapestry("compile", "p.ein", "--devices=1", "--threads=3", "-o", "three").expect_status(0)
    bench.tapestry("compile", "p.ein", "--devices=1", "-o", "any").expect_status(0)
    outputs = []
    for prog, words, threads in (("three", [], 3), ("any", ["--threads=1"], 1), ("any", ["--threads", "4"], 4)):
        done = driver.execute([f"./{prog}", *files, "-o", "C=C.npy", "--report=r.json", *words], bench.folder)
        done.expect_status(0)
        report = json.loads((bench.folder / "r.json").read_text())
        if prog == "three" or threads == 1:
            expect_peak(report, threads)
        elif report["threads"] != threads or "predicted_peak_bytes" in report:
            raise CheckFailed("what is predicted is not of this number of threads")
        outputs.append(np.load(bench.folder / "C.npy").tobytes())
    if len(set(outputs)) != 1:
        raise CheckFailed("results depend on threads")
    for words, message in (
        (["--threads=0"], "--threads '0' is no number from 1 "),
        (["--threads=x"], "--threads 'x' is no number from 1 "),
        (["--threads=1025"], "--threads takes at most 1024, not 1025 "),
    ):
        done = driver.execute(["./any", *files, *words], bench.folder)
        bench.expect_error(done, 2, message, outputs_intact=False)


@case
def memory(bench):
    """What all threads take is part of the plan's limit."""
    _, program, _ = next(programs())
    bench.write("p.ein", program)
    _, files = write_inputs(bench, program, np.random.default_rng(14))
    bench.tapestry("run", "p.ein", *files, "--report=r.json", "--threads=1").expect_status(0)
    peak = json.loads((bench.folder / "r.json").read_text())["peak_bytes"][0]
    words = [*files, f"--memory={peak + 1024}", "--executor=spmd"]
    bench.tapestry("run", "p.ein", *words, "--threads=1").expect_status(0)
    bench.expect_error(
        bench.tapestry("run", "p.ein", *words, "--threads=8"), 3, f"no plan keeps within {peak + 1024} bytes"
    )


@case
def shared_inputs(bench):
    """Ranks of a process have an input that all of them read once, unless a run gives the next another."""
    bench.write(
        "p.ein",
        "param n = 1\ninput A : f32[211, 64]\ninput B : f32[64, 30] @ {*: 1}\n"
        "C[i, k] @ {*: 1, i: n} = sum[j] A[i, j] * B[j, k]\n"
        "N[j, k] @ {*: 1} = 2 * B[j, k]\noutput C, N\n",
    )
    rng = np.random.default_rng(15)
    inputs, files = write_inputs(bench, "input A : f32[211, 64]\ninput B : f32[64, 30]\n", rng)
    A, B = (inputs[name].astype(np.float64) for name in "AB")
    for devices in (1, 2, 3, 5, 8):
        for words, factor, copies in (([], 1, 1), (["--repeat=3", "--feed=N=B"], 4, devices)):
            words = [*files, *words, "-o", "C=C.npy", f"--devices={devices}", f"-Dn={devices}", "--report=r.json"]
            bench.tapestry("run", "p.ein", *words).expect_status(0)
            if not np.allclose(np.load(bench.folder / "C.npy"), factor * A @ B, atol=1e-3):
                raise CheckFailed(f"{words}: other values than NumPy's")
            report = json.loads((bench.folder / "r.json").read_text())
            peaks = report["peak_bytes"]
            if max(peaks) != report["predicted_peak_bytes_per_device"]:
                raise CheckFailed(f"peaks {peaks}, predicted {report['predicted_peak_bytes']}")
            if report["process_peak_bytes"] != sum(peaks) - (devices - copies) * 4 * B.size:
                raise CheckFailed(f"{words}: {report['process_peak_bytes']} bytes together of {peaks}")


@case
def options(bench):
    bench.write("p.ein", next(programs())[1])
    for command in ("run", "plan", "compile", "session"):
        words = [] if command == "session" else ["p.ein"]
        for value, message in (("0", "at least 1, not 0"), ("1025", "at most 1024, not 1025"), ("two", "not 'two'")):
            bench.expect_error(bench.tapestry(command, *words, f"--threads={value}"), 2, f"--threads .*{message}")
    for words in (["--executor=greedy"], ["--stop-after=graph"]):
        bench.expect_error(bench.tapestry("plan", "p.ein", *words, "--threads=2"), 2, "takes no --threads")


if __name__ == "__main__":
    case.main(__doc__)
