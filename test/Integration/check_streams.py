#!/usr/bin/python3
"""Peaks of programs with contractions that nobody reads as a whole are less than what
these would take.

    check_streams.py [CASE ...]
"""

import numpy as np

from harness import driver
from harness.cases import Group
from harness.driver import CheckFailed

case = Group()


def check(bench, source, inputs, output, scores):
    """`scores`: bytes of the tensor that must not be there, on all devices together."""
    rng = np.random.default_rng(scores)
    bench.write("p.ein", source)
    arrays = {name: rng.standard_normal(shape).astype(np.float32) for name, shape in inputs.items()}
    files = driver.save_inputs(bench.folder, arrays) + driver.output_options([output])
    for devices in (1, 3):
        bench.tapestry(
            "run", "p.ein", f"--devices={devices}", *files, "--report=report.json"
        ).expect_status(0)
        report = driver.load_json(bench.folder / "report.json")
        predicted, counted = report["predicted_peak_bytes"], report["peak_bytes"]
        if predicted != counted:
            raise CheckFailed(f"ranks peaked at {counted} bytes, predicted were {predicted}")
        if max(counted) >= scores // devices:
            raise CheckFailed(f"{devices} devices peaked at {max(counted)} bytes")


@case
def attention(bench):
    for name in ("attention", "causal_attention"):
        source = f"""
            import nn
            input Q : f32[3, 1511, 8]
            input K : f32[3, 1511, 8]
            input V : f32[3, 1511, 8]
            O = nn.{name}(Q, K, V)
            output O
            """
        check(bench, source, {name: (3, 1511, 8) for name in "QKV"}, "O", 4 * 3 * 1511**2)


@case
def nearest(bench):
    source = """
        input X : f32[2503, 8]
        input C : f32[2477, 8]
        D[i, c] = sum[f] (X[i, f] - C[c, f]) ** 2
        output M[i] = min[c] D[i, c]
        """
    check(bench, source, {"X": (2503, 8), "C": (2477, 8)}, "M", 4 * 2503 * 2477)


@case
def relative_to_others(bench):
    """The greatest is that of other values: exponentials relative to the greatest of the
    first columns would be infinite."""
    source = """
        input Q : f32[300, 2]
        input K : f32[4096, 2]
        S[i, t] = sum[c] Q[i, c] * K[t, c]
        M[i] = max[t] S[i, t]
        L[i] = sum[t] exp(S[i, t] * -0.001 - M[i])
        output L
        """
    bench.write("p.ein", source)
    K = np.full((4096, 2), -500, np.float32)
    K[-1] = 0
    arrays = {"Q": np.ones((300, 2), np.float32), "K": K}
    files = driver.save_inputs(bench.folder, arrays) + driver.output_options(["L"])
    for devices in (1, 2, 3):
        bench.tapestry("run", "p.ein", f"--devices={devices}", "--cost=spmd", *files).expect_status(0)
        found = np.load(bench.folder / "L.npy")
        if not np.allclose(found, 4095 * np.exp(1.0) + 1, rtol=1e-5):
            raise CheckFailed(f"{devices} devices: {found[:4]}")


def scores(source, rows, columns):
    """A program that weighs V by exp of scores, whose columns are cut."""
    return f"""
        input Q : f32[2, {rows}, 6]
        input K : f32[2, {columns}, 6]
        input V : f32[2, {columns}, 5]
        {source}
        output O
        """


# Labels and what is done to the scores differ; `E` are the weights.
ATTENTION = """
    S[h, i, t] @ {t: N} = sum[c] Q[h, i, c] * K[h, t, c]
    T[h, i, t] = S[h, i, t] * 0.5
    P[h, i, t] = softmax[t] T[h, i, t]
    O[h, i, e] = sum[t] P[h, i, t] * V[h, t, e]
    """
CAUSAL = """
    S[h, i, t] @ {t: N} = sum[c] Q[h, i, c] * K[h, t, c]
    T[h, i, t] = select(t <= i, S[h, i, t] * 0.5, -inf)
    P[h, i, t] = softmax[t] T[h, i, t]
    O[h, i, e] = sum[t] P[h, i, t] * V[h, t, e]
    """
MAX_PLUS = """
    Z[y, b, x] @ {x: N} = max[z] Q[b, y, z] + K[b, x, z]
    M[b, y] = max[x] Z[y, b, x]
    E[y, b, x] = exp(Z[y, b, x] - M[b, y])
    A[b, y, e] = sum[x] V[b, x, e] * E[y, b, x]
    L[y, b] = sum[x] E[y, b, x]
    O[b, y, e] = A[b, y, e] / L[y, b]
    """
DIVIDED = """
    S[h, i, t] @ {t: N} = sum[c] Q[h, i, c] * K[h, t, c]
    M[h, i] = max[t] S[h, i, t] * 0.5
    R[h, i] = 1 + sum[c](Q[h, i, c] ** 2)
    E[h, i, t] = exp(S[h, i, t] * 0.5 - M[h, i]) / R[h, i]
    L[h, i] = sum[t] E[h, i, t]
    A[h, i, e] = sum[t] E[h, i, t] * V[h, t, e]
    O[h, i, e] = A[h, i, e] / L[h, i]
    """
NEAREST = """
    D[h, i, t] @ {t: N} = sum[c] (Q[h, i, c] - K[h, t, c]) ** 2
    Z[h, i, t] = -0.5 * D[h, i, t]
    M[h, i] = max[t] Z[h, i, t]
    L[h, i] = sum[t] exp(Z[h, i, t] - M[h, i])
    W[h, i, t] = exp(Z[h, i, t] - M[h, i]) / L[h, i]
    O[h, i, e] = sum[t] W[h, i, t] * V[h, t, e]
    """


def weights(scores):
    """The softmax of the last dimension."""
    powers = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return powers / powers.sum(axis=-1, keepdims=True)


def check_cut(bench, program, rows, columns, find, devices):
    """Columns in as many parts as there are devices: the value is that of NumPy, what
    is sent and held is as predicted, and no part of the scores is there as a whole."""
    rng = np.random.default_rng(rows + columns)
    shapes = {"Q": (2, rows, 6), "K": (2, columns, 6), "V": (2, columns, 5)}
    arrays = {name: rng.standard_normal(shape).astype(np.float32) for name, shape in shapes.items()}
    wide = {name: array.astype(np.float64) for name, array in arrays.items()}
    expected = weights(find(wide["Q"], wide["K"])) @ wide["V"]
    files = driver.save_inputs(bench.folder, arrays) + driver.output_options(["O"])
    bench.write("p.ein", scores("param N = 1\n" + program, rows, columns))
    for parts in devices:
        bench.tapestry(
            "run", "p.ein", f"--devices={parts}", f"-DN={parts}", "--cost=spmd", *files,
            "--report=report.json",
        ).expect_status(0)
        error = np.abs(np.load(bench.folder / "O.npy") - expected).max()
        if not error < 1e-5:
            raise CheckFailed(f"{parts} devices are off by {error}")
        report = driver.load_json(bench.folder / "report.json")
        if report["predicted_peak_bytes"] != report["peak_bytes"]:
            raise CheckFailed(f"{parts} devices: {report['peak_bytes']} were not predicted")
        for entry in report["collectives"]:
            if entry["predicted_bytes"] != entry["counted_bytes"]:
                raise CheckFailed(f"{parts} devices: {entry}")
        if max(report["peak_bytes"]) >= 2 * 4 * rows * columns // parts:
            raise CheckFailed(f"{parts} devices peaked at {max(report['peak_bytes'])} bytes")


def half_products(q, k):
    return q @ k.swapaxes(-1, -2) / 2


@case
def cut_attention(bench):
    # 2017 is prime: the last part is smaller.
    check_cut(bench, ATTENTION, 523, 2017, half_products, (1, 2, 3, 4, 5, 6, 7, 8))


@case
def cut_causal_attention(bench):
    # All but the first of many devices have columns that no row sees.
    def find(q, k):
        seen = np.arange(2048) <= np.arange(512)[:, None]
        return np.where(seen, half_products(q, k), -np.inf)

    check_cut(bench, CAUSAL, 512, 2048, find, (1, 2, 3, 4, 8))


@case
def cut_max_plus(bench):
    def find(q, k):
        return (q[:, :, None, :] + k[:, None, :, :]).max(axis=-1)

    check_cut(bench, MAX_PLUS, 512, 1536, find, (2, 3, 5, 6))


@case
def cut_divided(bench):
    check_cut(bench, DIVIDED, 520, 1537, half_products, (1, 3))


@case
def cut_nearest(bench):
    def find(q, k):
        return -0.5 * ((q[:, :, None, :] - k[:, None, :, :]) ** 2).sum(axis=-1)

    check_cut(bench, NEAREST, 521, 1531, find, (2, 3, 4))


@case
def cut_logsumexp(bench):
    """Devices have nothing of some rows, or what is infinite or no number."""
    bench.write(
        "p.ein",
        """
        param N = 1
        input X : f32[256, 4096]
        Y[i, t] @ {t: N} = X[i, t] * 0.5
        O[i] = logsumexp[t] Y[i, t]
        output O
        """,
    )
    X = np.random.default_rng(5).standard_normal((256, 4096)).astype(np.float32)
    X[0] = -np.inf
    X[1, :2048] = -np.inf
    X[2, 4000] = np.inf
    X[3, 7] = np.nan
    X[4, 2048:] = -2000
    X[5] = -2000
    X[5, :2048] = -np.inf
    X[6, 1::2] = 2000
    half = X.astype(np.float64) / 2
    most = half.max(axis=1, keepdims=True)
    most[~np.isfinite(most)] = 0
    with np.errstate(divide="ignore"):
        expected = np.log(np.exp(half - most).sum(axis=1)) + most[:, 0]
    files = driver.save_inputs(bench.folder, {"X": X}) + driver.output_options(["O"])
    for parts in (1, 2, 3, 4):
        bench.tapestry(
            "run", "p.ein", f"--devices={parts}", f"-DN={parts}", "--cost=spmd", *files
        ).expect_status(0)
        found = np.load(bench.folder / "O.npy")
        if not np.allclose(found, expected, rtol=1e-6, atol=1e-5, equal_nan=True):
            raise CheckFailed(f"{parts} devices: {found[:8]}, expected {expected[:8]}")


def check_values(bench, source, arrays, expected, devices):
    files = driver.save_inputs(bench.folder, arrays) + driver.output_options(expected)
    bench.write("p.ein", source)
    for parts in devices:
        bench.tapestry(
            "run", "p.ein", f"--devices={parts}", f"-DN={parts}", "--cost=spmd", *files
        ).expect_status(0)
        for name, values in expected.items():
            found = np.load(bench.folder / f"{name}.npy")
            if not np.allclose(found, values, rtol=1e-5, atol=1e-5, equal_nan=True):
                raise CheckFailed(f"{parts} devices: {name} is {found}, expected {values}")


@case
def cut_masks(bench):
    """Sums leave out what a mask hides, whole rows and infinities included, be the
    maximum that of the rest (L, A) or of all (K)."""
    columns = 131101
    source = f"""
        param N = 1
        input X : f32[16, {columns}]
        input B : bool[16, {columns}]
        input V : f32[{columns}]
        Z[i, t] @ {{t: N}} = select(B[i, t], X[i, t], -inf)
        M[i] = max[t] Z[i, t]
        E[i, t] = select(B[i, t], exp(Z[i, t] - M[i]), 0)
        L[i] = sum[t] E[i, t]
        A[i] = sum[t] E[i, t] * V[t]
        Y[i, t] @ {{t: N}} = X[i, t] * 1
        H[i] = max[t] Y[i, t]
        G[i, t] = select(B[i, t], exp(Y[i, t] - H[i]), 0)
        K[i] = sum[t] G[i, t]
        output L, A, K
        """
    rng = np.random.default_rng(7)
    X = rng.standard_normal((16, columns)).astype(np.float32)
    B = rng.random(X.shape) < 0.01
    V = rng.standard_normal(columns).astype(np.float32)
    half, large = columns // 2, columns // 16
    B[0] = False
    B[1, :half] = False
    X[2, half + 1], B[2, half + 1] = np.inf, False
    X[3, 5], B[3] = np.inf, False
    X[4, half + 1], B[4, half + 1] = np.inf, True
    X[5, half + 1], B[5, half + 1] = np.nan, True
    X[6, half + 1], B[6, half + 1] = np.nan, False
    X[7] = -np.inf
    X[8] = -np.inf
    B[8] = False
    X[9, :half] = -np.inf
    X[10] -= 1e30
    # Sums of some devices are infinite, and weigh nothing.
    V[:large] = 3e38
    B[:, :large] = False
    X[11, :half] = -300
    B[11, :large] = True
    x, v = X.astype(np.float64), V.astype(np.float64)
    with np.errstate(invalid="ignore"):
        z = np.where(B, x, -np.inf)
        E = np.where(B, np.exp(z - z.max(axis=1, keepdims=True)), 0)
        G = np.where(B, np.exp(x - x.max(axis=1, keepdims=True)), 0)
        expected = {"L": E.sum(axis=1), "A": (E * v).sum(axis=1), "K": G.sum(axis=1)}
    check_values(bench, source, {"X": X, "B": B, "V": V}, expected, (1, 2, 3, 8))


@case
def cut_row_factors(bench):
    """What is known before the maximum is multiplies each term: nothing times infinity."""
    source = """
        param N = 1
        input X : f32[4, 262144]
        input F : f32[4]
        S[i, t] @ {t: N} = X[i, t] * 2
        M[i] = max[t] S[i, t]
        E[i, t] = exp(S[i, t] - M[i]) / F[i]
        O[i] = sum[t] E[i, t]
        P[i, t] = exp(S[i, t] - M[i]) * F[i]
        Q[i] = sum[t] P[i, t]
        output O, Q
        """
    X = np.random.default_rng(8).standard_normal((4, 262144)).astype(np.float32)
    X[:, 3] = -1000
    F = np.array([0, 1, np.inf, 2], np.float32)
    x = 2 * X.astype(np.float64)
    powers = np.exp(x - x.max(axis=1, keepdims=True))
    powers[:, 3] = 0
    with np.errstate(divide="ignore", invalid="ignore"):
        expected = {
            "O": (powers / F[:, None]).sum(axis=1), "Q": (powers * F[:, None]).sum(axis=1)
        }
    check_values(bench, source, {"X": X, "F": F}, expected, (1, 2, 4))


@case
def cut_vanishing_sums(bench):
    """Relative to the greatest so far, on a device or in blocks, sums are infinite; what
    is no number stays so."""
    source = """
        param N = 1
        input Q : f32[300, 2]
        input K : f32[4096, 2]
        input V : f32[4096, 3]
        S[i, t] @ {t: N} = sum[c] Q[i, c] * K[t, c]
        M[i] = max[t] S[i, t]
        P[i, t] = exp(S[i, t] - M[i])
        O[i, e] = sum[t] P[i, t] * V[t, e]
        output O
        """
    rng = np.random.default_rng(9)
    arrays = {
        name: rng.standard_normal(shape).astype(np.float32)
        for name, shape in (("Q", (300, 2)), ("K", (4096, 2)), ("V", (4096, 3)))
    }
    arrays["Q"][:, 0] = 1
    arrays["K"][:2048] = (-300, 0)
    arrays["V"][:2048, 0] = 3e38
    arrays["V"][:2048, 1] = -3e38
    arrays["V"][5, 2] = np.nan
    wide = {name: array.astype(np.float64) for name, array in arrays.items()}
    scores = wide["Q"] @ wide["K"].T
    powers = np.exp(scores - scores.max(axis=1, keepdims=True))
    check_values(bench, source, arrays, {"O": powers @ wide["V"]}, (1, 2, 3, 4))


@case
def chosen_cut(bench):
    """Keys and values do not fit on one device: where memory is limited the planner cuts
    the columns, which takes no memory for scores."""
    bench.write("p.ein", scores("param N = 1\n" + ATTENTION.replace("@ {t: N}", ""), 64, 65536))
    bench.tapestry(
        "plan", "p.ein", "--devices=4", "--cost=spmd", "--memory=3MiB", "--json=plan.json"
    ).expect_status(0)
    plan = driver.load_json(bench.folder / "plan.json")
    entry = next(entry for entry in plan["vertices"] if entry["name"] == "O")
    if entry["parts"]["t"] < 2 or not plan["peak_bytes_exact"]:
        raise CheckFailed(f"O is cut as {entry['parts']}")


if __name__ == "__main__":
    case.main(__doc__)
