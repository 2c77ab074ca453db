#!/usr/bin/python3
"""Programs that notes advise, as they stand there, give the values of NumPy.

    check_advice.py [CASE ...]
"""

import numpy as np

from harness import driver
from harness.cases import Group
from harness.driver import CheckFailed

case = Group()

INPUTS = """\
import stats
input X : f32[8]
input Y : f32[8]
input M : f32[4, 5]
input A : i32[8]
input B : i32[8]
input S : f32[16]
input x : f32
input y : f32
param lr = 0.5
N[i:8] = i32(i)
"""
# What is advised, and what it stands for.
ADVICE = [
    ("[i:8] = X[(i - 1) % 8]", lambda d: np.roll(d.X, 1)),
    (" = tile[2](X)", lambda d: np.tile(d.X, 2)),
    (" = repeat[0, 2](X)", lambda d: d.X.repeat(2)),
    ("[i:8] = edge(X)[i - 1]", lambda d: np.pad(d.X, 1, "edge")[:8]),
    (" = concat[0](X, Y)", lambda d: np.append(d.X, d.Y)),
    (" = stack[0](X, Y)", lambda d: np.stack([d.X, d.Y])),
    (" = interleave[0](X, Y)", lambda d: np.stack([d.X, d.Y], 1).reshape(16)),
    (" = flip[0](X)", lambda d: d.X[::-1]),
    (" = transpose[1, 0](M)", lambda d: d.M.T),
    ("[i:4] = X[i + 4]", lambda d: d.X[4:]),
    ("[i:3] = X[i + 1]", lambda d: d.X[1:4]),
    ("[i:7] = X[i + 1] - X[i]", lambda d: np.diff(d.X)),
    (" = reshape[4, 2](X)", lambda d: d.X.reshape(4, 2)),
    ("[k:8] = sum[n] select(A[n] == k, X[n], 0)", lambda d: np.bincount(d.A, d.X, 8)),
    ("[k:16] = sum[i] select([k == 2 * i], X[i], 0)", lambda d: np.kron(d.X, [1, 0])),
    (" = min[c] select(X[c] == Z, i32(c), 8)", lambda d: d.X.argmax()),
    ("[r] = sort[i] X[i]", lambda d: np.sort(d.X)),
    ("[r] = argsort[i] X[i]", lambda d: d.X.argsort()),
    ("[r:5] = topk[i] X[i]", lambda d: np.sort(d.X)[:2:-1]),
    (" : f32[3] = [1, 2.5, 3]", lambda d: [1, 2.5, 3]),
    (" = abs(x) < inf", lambda d: np.isfinite(d.x)),
    (" = x % y", lambda d: np.mod(d.x, d.y)),
    (" = x // y", lambda d: np.floor_divide(d.x, d.y)),
    ("[i] = A[i] ^ -1", lambda d: ~d.A),
    ("[i] = (A[i] < B[i]) & (A[i] < 5)", lambda d: (d.A < d.B) & (d.A < 5)),
    (" = mean[i] (X[i] - mean[k](X[k])) ** 2", lambda d: d.X.var()),
    ("[n] = mean[c] M[n, c]", lambda d: d.M.mean(1)),
    ("[n] = logsumexp[c] M[n, c]", lambda d: np.log(np.exp(d.M).sum(1))),
    (" = sum[i] X[i] > 0", lambda d: np.sum(d.X > 0)),
    (" = sqrt(sum[i](X[i] ** 2))", lambda d: np.linalg.norm(d.X)),
    (" = 1 / sum[i](X[i])", lambda d: 1 / d.X.sum()),
    ("[i, j] = X[i] * Y[j]", lambda d: np.outer(d.X, d.Y)),
    ("[i:8, j:8] = f32([i == j])", lambda d: np.eye(8)),
    ("[i] = X[7 - i]", lambda d: d.X[::-1]),
    ("[i] = cumsum[i] X[i]", lambda d: d.X.cumsum()),
    ("[i:16] = select([i == 0], S[15], pad(S, 0)[i - 1])", lambda d: np.roll(d.S, 1)),
    ("[i] = clamp(S[i], x, y)", lambda d: np.clip(d.S, d.x, d.y)),
    ("[i] = round(S[i])", lambda d: np.rint(d.S)),
    ("[i] = atan2(S[i], y)", lambda d: np.arctan2(d.S, d.y)),
    ("[i] = select(X[i] > 0, X[i], 0.01 * X[i])", lambda d: np.where(d.X > 0, d.X, 0.01 * d.X)),
    ("[n, c] = layernorm[c](M[n, c], 1e-5)", lambda d: normed(d.M)),
    ("[n, c] = rmsnorm[c](M[n, c], 1e-5)",
     lambda d: d.M / np.sqrt((d.M**2).mean(1, keepdims=True) + 1e-5)),
    ("[n, c] = softmax[c](M[n, c])", lambda d: np.exp(d.M) / np.exp(d.M).sum(1, keepdims=True)),
    ("[i] = X[A[i]]", lambda d: d.X[d.A]),
    ("[i, k:8] = f32(A[i] == k)", lambda d: np.eye(8)[d.A]),
    ("[i, j] = select([j >= i], M[i, j], 0)", lambda d: np.triu(d.M)),
    ("[i, j] = select([j <= i], M[i, j], 0)", lambda d: np.tril(d.M)),
    ("[i:8] = f32(i) / 7", lambda d: np.linspace(0, 1, 8)),
    (" : f32[8] = zeros", lambda d: np.zeros_like(d.X)),
    ("[i] = X[i] != 0", lambda d: d.X != 0),
    (" = sum[i] X[i] != 0", lambda d: np.count_nonzero(d.X)),
    ("[k:8] = any[i] A[i] == k", lambda d: np.isin(np.arange(8), d.A)),
    ("[A[i]:8] = sum[i] 1", lambda d: np.bincount(d.A, minlength=8)),
    (" = stats.covariance(M)", lambda d: np.cov(d.M, rowvar=False)),
    (" = stats.correlation(M)", lambda d: np.corrcoef(d.M, rowvar=False)),
    ("[i] = S[i] ** 2", lambda d: np.square(d.S)),
    ("[i] = 1 / S[i]", lambda d: np.reciprocal(d.S)),
    ("[i] = abs(S[i]) < inf", lambda d: np.isfinite(d.S)),
    ("[i] = max(S[i], 0) + log1p(exp(0 - abs(S[i])))", lambda d: np.logaddexp(0, d.S)),
]


def normed(rows):
    """Each row less its mean, over its deviation."""
    centred = rows - rows.mean(1, keepdims=True)
    return centred / np.sqrt(rows.var(1, keepdims=True) + 1e-5)


class Data:
    """Random arrays by the names of INPUTS."""

    def __init__(self):
        rng = np.random.default_rng(17)
        self.X, self.Y = rng.standard_normal((2, 8)).astype(np.float32)
        self.M = rng.standard_normal((4, 5)).astype(np.float32)
        # What is no number or infinite, signed zeros, and where rounding turns.
        half, large = np.float32(0.5), np.float32(2**22)
        near = [half, np.nextafter(half, -large), np.nextafter(half, large)]
        near += [*np.negative(near), 2.5, large + half, 2 * large + 1]
        self.S = np.array([*near, -1.7, 0.0, -0.0, np.inf, -np.inf, np.nan, 3.5], np.float32)
        self.A = rng.integers(0, 8, 8, np.int32)
        self.B = rng.integers(1, 5, 8, np.int32)
        self.x, self.y = np.float32(-1.7), np.float32(0.6)


@case
def advice_is_right(bench):
    data = Data()
    names = [f"P{number}" for number in range(len(ADVICE))]
    text = INPUTS + "Z = max[c] X[c]\n"
    text += "".join(name + row[0] + "\n" for name, row in zip(names, ADVICE))
    bench.write("p.ein", text + f"output N, {', '.join(names)}\n")
    files = driver.output_options(["N", *names])
    for name, array in vars(data).items():
        np.save(bench.folder / f"{name}.npy", array)
        files += ["-i", f"{name}={name}.npy"]
    for devices in (1, 3):
        bench.tapestry("run", "p.ein", f"--devices={devices}", *files).expect_status(0)
        got = driver.load_outputs(bench.folder, ["N", *names])
        rows = [("N", "", lambda d: np.arange(8)), *((n, *row) for n, row in zip(names, ADVICE))]
        for name, advised, wanted in rows:
            with np.errstate(all="ignore"):
                want = np.asarray(wanted(data))
            close = got[name].shape == want.shape and np.allclose(
                got[name], want, 1e-5, 1e-6, equal_nan=True
            )
            if not close:
                raise CheckFailed(f"{name}{advised} is {got[name]}, not {want}")


if __name__ == "__main__":
    case.main(__doc__)
