#!/usr/bin/python3
"""Imported macros: those of the library give the values of NumPy and SciPy.

    check_library.py [CASE ...]
"""

import numpy as np
from scipy import linalg as dense
from scipy import ndimage, special
from scipy import stats as samples

from harness import compare, driver, philox
from harness.cases import Group

case = Group()


def check(bench, source, inputs, wanted, tolerance=2e-5):
    """Runs a program on one and three devices."""
    bench.write("p.ein", source + f"output {', '.join(wanted)}\n")
    files = driver.save_inputs(bench.folder, inputs) + driver.output_options(wanted)
    for devices in (1, 3):
        bench.tapestry("run", "p.ein", f"--devices={devices}", *files).expect_status(0)
        got = driver.load_outputs(bench.folder, wanted)
        for name, value in wanted.items():
            compare.check_close(name, got[name], value, tolerance)


def normal(*shape):
    return np.random.default_rng(sum(shape)).standard_normal(shape).astype(np.float32)


@case
def nn_dropout(bench):
    X = normal(11, 7)
    source = """\
import nn
input X : f32[11, 7]
input step : i64
D = nn.dropout(X, step, 0.3)
E = nn.dropout(X, 4)
"""
    kept = [~philox.bernoulli(X.shape, *draw) for draw in ((2**33, "D#0", 0.3), (4, "E#0", 0.5))]
    wanted = {"D": X / 0.7 * kept[0], "E": X / 0.5 * kept[1]}
    check(bench, source, {"X": X, "step": np.int64(2**33)}, wanted)


@case
def nn_layers(bench):
    X, W, B, S = normal(11, 7), normal(7, 5), normal(5), normal(7)
    shifted = X - X.mean(1, keepdims=True)
    source = """\
import nn
input X : f32[11, 7]
input W : f32[7, 5]
input B : f32[5]
input S : f32[7]
R = nn.relu(X)
U = nn.silu(X)
G = nn.gelu(X)
L = nn.linear(X, W, B)
N = nn.layernorm(X, S, S)
N1 = nn.layernorm(X, S, S, 0.5)
M = nn.rmsnorm(X, S)
"""
    layer = shifted / np.sqrt(X.var(1, keepdims=True) + 1e-5)
    smooth = shifted / np.sqrt(X.var(1, keepdims=True) + 0.5)
    wanted = {
        "R": np.maximum(X, 0),
        "U": X * special.expit(X),
        "G": X * special.ndtr(X),
        "L": X @ W + B,
        "N": layer * S + S,
        "N1": smooth * S + S,
        "M": X / np.sqrt((X**2).mean(1, keepdims=True) + 1e-6) * S,
    }
    check(bench, source, {"X": X, "W": W, "B": B, "S": S}, wanted)


@case
def nn_crossentropy(bench):
    X = normal(13, 7)
    T = np.random.default_rng(1).integers(0, 7, 13).astype(np.int32)
    source = "import nn\ninput X : f32[13, 7]\ninput T : i32[13]\nL = nn.crossentropy(X, T)\n"
    loss = -special.log_softmax(X.astype(np.float64), axis=1)[np.arange(13), T].mean()
    check(bench, source, {"X": X, "T": T}, {"L": loss})


@case
def nn_attention(bench):
    Q, K, V = normal(2, 3, 5, 4), normal(2, 3, 7, 4), normal(2, 3, 7, 6)
    source = """\
import nn
input Q : f32[2, 3, 5, 4]
input K : f32[2, 3, 7, 4]
input V : f32[2, 3, 7, 6]
O = nn.attention(Q, K, V)
C = nn.causal_attention(Q, K, V)
"""
    scores = np.einsum("bhsd,bhtd->bhst", Q, K) / 2
    masked = np.where(np.arange(7)[None] <= np.arange(5)[:, None], scores, -np.inf)
    wanted = {"O": special.softmax(scores, -1) @ V, "C": special.softmax(masked, -1) @ V}
    check(bench, source, {"Q": Q, "K": K, "V": V}, wanted)


@case
def nn_of_any_rank(bench):
    """`...` of a macro is no dimension or as many as the arguments have."""
    X, S, s = normal(2, 3, 5, 7), normal(7), np.float32(0.7)
    Q, W = normal(5, 4), normal(7, 3)
    source = """\
import nn
input X : f32[2, 3, 5, 7]
input S : f32[7]
input s : f32
input Q : f32[5, 4]
input W : f32[7, 3]
input B : f32[3]
R = nn.relu(X)
U[a, b] = nn.silu(Q)
G = nn.gelu(s)
L = nn.linear(X, W, B)
L1 = nn.linear(S, W, B)
M = nn.rmsnorm(X, S)
A = nn.causal_attention(Q, Q, Q)
D = nn.sgd(S, S, 0.5)
"""
    scores = np.where(np.tri(5, dtype=bool), Q @ Q.T / 2, -np.inf)
    wanted = {
        "R": np.maximum(X, 0),
        "U": Q * special.expit(Q),
        "G": s * special.ndtr(s),
        "L": X @ W + W[0],
        "L1": S @ W + W[0],
        "M": X / np.sqrt((X**2).mean(-1, keepdims=True) + 1e-6) * S,
        "A": special.softmax(scores, -1) @ Q,
        "D": S / 2,
    }
    check(bench, source, {"X": X, "S": S, "s": s, "Q": Q, "W": W, "B": W[0]}, wanted)


@case
def nn_attention_of_halves(bench):
    Q = normal(3, 5, 4).astype(np.float16)
    source = "import nn\ninput Q : f16[3, 5, 4]\nO = nn.attention(Q, Q, Q)\n"
    exact = Q.astype(np.float64)
    scores = exact @ exact.transpose(0, 2, 1) / 2
    check(bench, source, {"Q": Q}, {"O": special.softmax(scores, -1) @ exact}, 4e-3)


@case
def nn_images(bench):
    X, W, B, S = normal(2, 6, 9, 7), normal(4, 6, 3, 2), normal(4), normal(6)
    source = """\
import nn
input X : f32[2, 6, 9, 7]
input W : f32[4, 6, 3, 2]
input B : f32[4]
input S : f32[6]
C = nn.conv2d(X, W, B)
C2 = nn.conv2d(X, W, B, 2, 1)
N = nn.groupnorm(X, S, S, 3)
M = nn.maxpool2d(X)
A = nn.avgpool2d(X, 3)
"""

    def convolved(stride, padding):
        padded = np.pad(X.astype(np.float64), [(0, 0), (0, 0)] + 2 * [(padding, padding)])
        windows = np.lib.stride_tricks.sliding_window_view(padded, (3, 2), (2, 3))
        windows = windows[:, :, ::stride, ::stride]
        return np.einsum("ncyxrq,ocrq->noyx", windows, W) + B[:, None, None]

    def pooled(size):
        cut = X[:, :, : 9 // size * size, : 7 // size * size]
        return cut.reshape(2, 6, 9 // size, size, 7 // size, size)

    grouped = X.reshape(2, 3, -1)
    grouped = grouped - grouped.mean(-1, keepdims=True)
    grouped = grouped / np.sqrt(grouped.var(-1, keepdims=True) + 1e-5)
    wanted = {
        "C": convolved(1, 0),
        "C2": convolved(2, 1),
        "N": grouped.reshape(X.shape) * S[:, None, None] + S[:, None, None],
        "M": pooled(2).max((3, 5)),
        "A": pooled(3).mean((3, 5)),
    }
    check(bench, source, {"X": X, "W": W, "B": B, "S": S}, wanted, 1e-4)


@case
def nn_convolutions(bench):
    """Strides, dilation, kinds of padding and groups, each with the others."""
    X, W, G, B = normal(2, 6, 9, 7), normal(4, 6, 3, 2), normal(4, 3, 3, 2), normal(4)
    source = """\
import nn
input X : f32[2, 6, 9, 7]
input W : f32[4, 6, 3, 2]
input G : f32[4, 3, 3, 2]
input D : f32[6, 1, 3, 2]
input B : f32[4]
input S : f32[6]
"""

    def convolved(filters, bias, groups, stride, padding, dilation, mode):
        padded = np.pad(X.astype(np.float64), [(0, 0), (0, 0)] + 2 * [(padding, padding)], mode)
        rows, columns = (dilation * (n - 1) + 1 for n in (3, 2))
        windows = np.lib.stride_tricks.sliding_window_view(padded, (rows, columns), (2, 3))
        windows = windows[:, :, ::stride, ::stride, ::dilation, ::dilation]
        parts = [
            np.einsum("ncyxrq,ocrq->noyx", part, own)
            for part, own in zip(np.split(windows, groups, 1), np.split(filters, groups))
        ]
        return np.concatenate(parts, 1) + bias[:, None, None]

    depthwise, own = normal(6, 1, 3, 2), normal(6)
    wanted = {
        "P1": convolved(W, B, 1, 1, 0, 3, "constant"),
        "P2": convolved(W, B, 1, 2, 2, 2, "constant"),
        "E": convolved(W, B, 1, 1, 1, 1, "edge"),
        "R": convolved(W, B, 1, 2, 3, 2, "reflect"),
        "C": convolved(W, B, 1, 1, 2, 2, "wrap"),
        "G2": convolved(G, B, 2, 2, 1, 2, "constant"),
        "G6": convolved(depthwise, own, 6, 1, 1, 1, "constant"),
        "G1": convolved(W, B, 1, 1, 0, 1, "constant"),
    }
    source += """\
P1 = nn.conv2d(X, W, B, dilation = 3)
P2 = nn.conv2d(X, W, B, 2, 2, 2)
E = nn.conv2d_edge(X, W, B)
R = nn.conv2d_reflect(X, W, B, 2, 3, 2)
C = nn.conv2d_wrap(X, W, B, 1, 2, 2)
G2 = nn.conv2d_groups(X, G, B, 2, dilation = 2, stride = 2, padding = 1)
G6 = nn.conv2d_groups(B = S, groups = 6, W = D, X = X, padding = 1)
G1 = nn.conv2d_groups(X, W, B, 1)
"""
    inputs = {"X": X, "W": W, "G": G, "D": depthwise, "B": B, "S": own}
    check(bench, source, inputs, wanted, 1e-4)


@case
def nn_inexact(bench):
    """Channels that groups do not divide, and halves of an odd number, are refused."""
    head = "import nn\ninput X : f32[1, 4, 5, 5]\ninput B : f32[6]\n"
    sources = ["input V : f32[3, 5]\nimport nn\nY = nn.rope(V)\noutput Y\n"]
    for own, groups in ((4, 2), (1, 2), (1, 4), (1, 3), (3, 1)):
        use = f"Y = nn.conv2d_groups(X, W, B, groups = {groups})\noutput Y\n"
        sources.append(f"{head}input W : f32[6, {own}, 3, 3]\n{use}")
    for source in sources:
        bench.write("p.ein", source)
        bench.tapestry("plan", "p.ein", "--devices=2").expect_status(1)


@case
def nn_convtranspose(bench):
    """Windows that overlap, touch and leave gaps; infinities stay in theirs."""
    X, W, B = normal(2, 6, 9, 7), normal(6, 4, 3, 5), normal(4)
    X[0, 1, 4, 2] = np.inf
    sources, wanted = ["import nn", "input X : f32[2, 6, 9, 7]", "input W : f32[6, 4, 3, 5]"], {}
    sources.append("input B : f32[4]")
    for stride in (1, 2, 3, 4, 7):
        sources.append(f"Y{stride} = nn.convtranspose2d(X, W, B, {stride})")
        sum = np.zeros((2, 4, 8 * stride + 3, 6 * stride + 5))
        for y, x in np.ndindex(9, 7):
            window = np.einsum("nc,corq->norq", X[:, :, y, x].astype(np.float64), W)
            sum[:, :, stride * y :, stride * x :][:, :, :3, :5] += window
        wanted[f"Y{stride}"] = sum + B[:, None, None]
    sources.append("Y = nn.convtranspose2d(X, W, B)\n")
    wanted["Y"] = wanted["Y2"]
    check(bench, "\n".join(sources), {"X": X, "W": W, "B": B}, wanted)


@case
def nn_rope(bench):
    X = normal(3, 11, 8)
    source = "import nn\ninput X : f32[3, 11, 8]\nY = nn.rope(X)\nZ = nn.rope(X, 5, 100.0)\n"

    def turned(first, base):
        angles = np.outer(np.arange(11) + first, base ** (-2 * np.arange(4) / 8))
        turn = np.exp(1j * angles) * (X[..., :4] + 1j * X[..., 4:])
        return np.concatenate([turn.real, turn.imag], -1)

    check(bench, source, {"X": X}, {"Y": turned(0, 1e4), "Z": turned(5, 100.0)})


@case
def nn_updates(bench):
    W, G, M = normal(7, 5), normal(5, 7).T.copy(), normal(6, 6)[:, :5].repeat(2, 0)[:7]
    V = np.abs(normal(7, 6)[:, :5])
    source = """\
import nn
input W : f32[7, 5]
input G : f32[7, 5]
input M : f32[7, 5]
input V : f32[7, 5]
input step : f32
S = nn.sgd(W, G)
S1 = nn.sgd(W, G, 0.5)
N, NM, NV = nn.adam(W, G, M, V, step)
F, FM, FV = nn.adam(W, G, M, V, 3, 0.1)
repeat t:1 (L = W) {
  N1, M1, V1 = nn.adam(L, G, M, V, t + 3)
  next L = N1
}
"""
    moment, square = 0.9 * M + 0.1 * G, 0.999 * V + 0.001 * G**2
    update = moment / (1 - 0.9**3) / (np.sqrt(square / (1 - 0.999**3)) + 1e-8)
    wanted = {
        "S": W - 0.01 * G,
        "S1": W - 0.5 * G,
        "N": W - 1e-3 * update,
        "NM": moment,
        "NV": square,
        "F": W - 0.1 * update,
        "L": W - 1e-3 * update,
    }
    step = np.float32(3)
    check(bench, source, {"W": W, "G": G, "M": M, "V": V, "step": step}, wanted, 2e-4)


@case
def stats(bench):
    X = normal(17, 5) + 3
    T = normal(7, 2, 3)
    source = """\
import stats
input X : f32[17, 5]
input T : f32[7, 2, 3]
M = stats.mean(X)
V = stats.variance(X)
V1 = stats.variance(X, 1)
D1 = stats.deviation(X, 1)
Z = stats.standardize(X)
W = stats.variance(T)
C = stats.covariance(X)
C0 = stats.covariance(X, 0)
R = stats.correlation(X)
"""
    exact = X.astype(np.float64)
    wanted = {
        "M": exact.mean(0),
        "V": exact.var(0),
        "V1": exact.var(0, ddof=1),
        "D1": exact.std(0, ddof=1),
        "Z": (exact - exact.mean(0)) / exact.std(0),
        "W": T.var(0),
        "C": np.cov(exact, rowvar=False),
        "C0": np.cov(exact, rowvar=False, ddof=0),
        "R": np.corrcoef(exact, rowvar=False),
    }
    check(bench, source, {"X": X, "T": T}, wanted)


@case
def stats_of_shape(bench):
    X, T, U = normal(1000), normal(7, 2, 3), normal(12, 5)
    X[0] = np.nan
    source = """\
import stats
input X : f32[1000]
input T : f32[7, 2, 3]
input U : f32[12, 5]
H = stats.histogram(X, -1.5, 2, 13)
S = stats.skewness(T)
K = stats.kurtosis(T)
M = stats.median(T)
M1 = stats.median(U)
Q = stats.quantile(U, 0.3)
Q1 = stats.quantile(U, 1)
"""
    exact = T.astype(np.float64)
    wanted = {
        "H": np.histogram(X[1:], 13, (-1.5, 2))[0],
        "S": samples.skew(exact),
        "K": samples.kurtosis(exact),
        "M": np.median(T, 0),
        "M1": np.median(U, 0),
        "Q": np.quantile(U, 0.3, 0),
        "Q1": U.max(0),
    }
    check(bench, source, {"X": X, "T": T, "U": U}, wanted, 1e-4)


@case
def nn_softmax(bench):
    X = normal(2, 5, 7)
    source = "import nn\ninput X : f32[2, 5, 7]\nP = nn.softmax(X)\nL = nn.logsoftmax(X)\n"
    exact = X.astype(np.float64)
    wanted = {"P": special.softmax(exact, -1), "L": special.log_softmax(exact, -1)}
    check(bench, source, {"X": X}, wanted)


@case
def linalg_products(bench):
    A, B, X, Y = normal(2, 7, 5), normal(3, 4), normal(11, 3), normal(13, 3)
    x, y = normal(7), normal(5)
    source = """\
import linalg
input A : f32[2, 7, 5]
input B : f32[3, 4]
input X : f32[11, 3]
input Y : f32[13, 3]
input x : f32[7]
input y : f32[5]
D = linalg.dot(X, flip[0](X))
N = linalg.norm(A)
N1 = linalg.norm(x)
U = linalg.normalize(A)
O = linalg.outer(x, y)
C = linalg.cross(X, Y[:11, :])
K = linalg.kron(A[0, :, :], B)
T = linalg.trace(transpose(A)[:, :, :5])
G = linalg.diagonal(A[:, :5, :])
G2 = linalg.diag(X)
L = linalg.tril(A)
R = linalg.triu(A)
P = linalg.distances(X, Y)
"""
    wanted = {
        "D": (X * X[::-1]).sum(1),
        "N": np.linalg.norm(A.ravel()),
        "N1": np.linalg.norm(x),
        "U": A / np.linalg.norm(A, axis=-1, keepdims=True),
        "O": np.outer(x, y),
        "C": np.cross(X, Y[:11]),
        "K": np.kron(A[0], B),
        "T": np.trace(A[:, :5], axis1=1, axis2=2),
        "G": np.diagonal(A[:, :5], axis1=1, axis2=2),
        "G2": np.stack([np.diag(row) for row in X]),
        "L": np.tril(A),
        "R": np.triu(A),
        "P": np.linalg.norm(X[:, None] - Y, axis=-1),
    }
    check(bench, source, {"A": A, "B": B, "X": X, "Y": Y, "x": x, "y": y}, wanted)


@case
def complex_numbers(bench):
    """The macros that measure give what NumPy does of complex numbers, too."""
    rng = np.random.default_rng(5)
    X, Y = ((rng.standard_normal((9, 4)) + 1j * rng.standard_normal((9, 4))) for _ in range(2))
    A = X[:4] * 3
    source = """\
import linalg
import stats
input X : c128[9, 4]
input Y : c128[9, 4]
input A : c128[4, 4]
N = linalg.norm(X)
U = linalg.normalize(X)
D = linalg.distances(X, Y)
E = linalg.expm(A)
V = stats.variance(X, 1)
S = stats.deviation(X)
Z = stats.standardize(X)
C = stats.covariance(X)
R = stats.correlation(X)
"""
    wanted = {
        "N": np.linalg.norm(X),
        "U": X / np.linalg.norm(X, axis=1, keepdims=True),
        "D": np.linalg.norm(X[:, None] - Y, axis=2),
        "E": dense.expm(A),
        "V": X.var(0, ddof=1),
        "S": X.std(0),
        "Z": (X - X.mean(0)) / X.std(0),
        "C": np.cov(X.T),
        "R": np.corrcoef(X.T),
    }
    check(bench, source, {"X": X, "Y": Y, "A": A}, wanted, 1e-10)


@case
def stats_at_edges(bench):
    """Samples that are NaN, or lie where two parts of a histogram meet."""
    X, N = np.arange(101) / 100, normal(7, 3)
    N[4, 1] = np.nan
    source = """\
import stats
input X : f64[101]
input N : f32[7, 3]
H = stats.histogram(X, 0, 1, 10)
G = stats.histogram(X, 0.1, 0.9, 7)
M = stats.median(N)
Q = stats.quantile(N, 0.3)
"""
    wanted = {
        "H": np.histogram(X, 10, (0, 1))[0],
        "G": np.histogram(X, 7, (0.1, 0.9))[0],
        "M": np.median(N, 0),
        "Q": np.quantile(N, 0.3, axis=0),
    }
    check(bench, source, {"X": X, "N": N}, wanted)


@case
def linalg_expm(bench):
    """Of small and large norms, of nilpotent and of zero matrices."""
    random = np.random.default_rng(5)
    A = random.standard_normal((7, 7))
    skew = 20 * (A - A.T)
    stiff = -100 * A @ A.T
    upper = np.triu(A, 1)
    inputs = {"A": A, "B": skew, "C": stiff, "D": upper, "E": 0 * A, "F": 1e-9 * A}

    def source(names, type):
        return "import linalg\n" + "".join(
            f"input {name} : {type}[7, 7]\nY{name} = linalg.expm({name})\n" for name in names
        )

    wanted = {f"Y{name}": dense.expm(value) for name, value in inputs.items()}
    check(bench, source(inputs, "f64"), inputs, wanted, 1e-10)
    single = {"A": A.astype(np.float32)}
    check(bench, source(single, "f32"), single, {"YA": wanted["YA"]}, 1e-4)


@case
def linalg_loops(bench):
    """Conjugate gradients, power iteration and powers by squaring, each until it is done."""
    random = np.random.default_rng(7)
    A = random.standard_normal((11, 11))
    spd = A @ A.T + np.eye(11)
    B = random.standard_normal(11)
    values, vectors = np.linalg.eigh(-spd)
    top = np.argmax(np.abs(values))
    source = """\
import linalg
input A : f64[11, 11]
input S : f64[11, 11]
input B : f64[11]
input Zero : f64[11]
input n : i32
input N : i64[3, 3]
Minus = -S
X = linalg.cg(S, B, 1e-12)
X0 = linalg.cg(S, Zero)
X3 = linalg.cg(S, B, 0, 3)
L, V = linalg.power(Minus, 1e-11)
Side = sign(V[0]) * V
L0, V0 = linalg.power(0 * A)
Size = linalg.norm(V0)
P0 = linalg.matpower(A, 0)
P1 = linalg.matpower(A, 1)
P13 = linalg.matpower(A, 13)
Pn = linalg.matpower(A, n)
N6 = linalg.matpower(N, 6)
"""
    whole = random.integers(-4, 5, (3, 3))
    # What three passes give is the best in the span of B, S B, S S B.
    span = np.stack([B, spd @ B, spd @ spd @ B], 1)
    best = span @ dense.solve(span.T @ spd @ span, span.T @ B)
    exact = {f"P{n}": np.linalg.matrix_power(A, n) for n in (0, 1, 13)}
    wanted = {
        "X": dense.solve(spd, B),
        "X0": np.zeros(11),
        "X3": best,
        "L": values[top],
        "Side": vectors[:, top] * np.sign(vectors[0, top]),
        "L0": np.float64(0),
        "Size": np.float64(1),
        **exact,
        "Pn": np.linalg.matrix_power(A, 6),
        "N6": np.linalg.matrix_power(whole, 6),
    }
    inputs = {"A": A, "S": spd, "B": B, "Zero": 0 * B, "n": np.int32(6), "N": whole}
    check(bench, source, inputs, wanted, 1e-8)
    single = {"A": spd.astype(np.float32), "B": B.astype(np.float32)}
    source = "import linalg\ninput A : f32[11, 11]\ninput B : f32[11]\nX = linalg.cg(A, B)\n"
    check(bench, source, single, {"X": wanted["X"]}, 1e-3)


MODES = {"": "constant", "_periodic": "wrap", "_edge": "nearest"}


@case
def stencils_of_laplace(bench):
    tensors = {"A": normal(3, 17), "B": normal(2, 11, 7), "C": normal(2, 5, 7, 6)}
    source, wanted = "import stencils\n", {}
    for rank, (name, value) in enumerate(tensors.items(), 1):
        source += f"input {name} : f32[{', '.join(map(str, value.shape))}]\n"
        for variant, mode in MODES.items():
            source += f"Y{name}{variant} = stencils.laplace{rank}d{variant}({name}, 0.5)\n"
            wanted[f"Y{name}{variant}"] = 4 * np.stack(
                [ndimage.laplace(part, mode=mode) for part in value]
            )
    check(bench, source, tensors, wanted, 1e-4)


@case
def stencils_of_first_differences(bench):
    U, V, C = normal(2, 11, 7), normal(2, 7, 11).transpose(0, 2, 1).copy(), normal(2, 11, 7)[::-1]
    C = C.copy()
    source = """\
import stencils
input U : f32[2, 11, 7]
input V : f32[2, 11, 7]
input C : f32[2, 11, 7]
Dy, Dx = stencils.gradient2d(U, 0.5)
Py, Px = stencils.gradient2d_periodic(U)
D = stencils.divergence2d(V, U)
DP = stencils.divergence2d_periodic(V, U, 0.5)
A = stencils.advect2d(C, V, U, 0.1)
AP = stencils.advect2d_periodic(C, V, U, 0.1, 2)
"""

    def central(X, axis):
        return (np.roll(X, -1, axis) - np.roll(X, 1, axis)) / 2

    def step(mode, scale):
        P = np.pad(C, ((0, 0), (1, 1), (1, 1)), mode)
        change = 0
        for speed, before, after in (
            (V, P[:, :-2, 1:-1], P[:, 2:, 1:-1]),
            (U, P[:, 1:-1, :-2], P[:, 1:-1, 2:]),
        ):
            change += np.where(speed > 0, speed * (C - before), speed * (after - C))
        return C - scale * change

    gradient = np.gradient(U, 0.5, axis=(1, 2))
    wanted = {
        "Dy": gradient[0],
        "Dx": gradient[1],
        "Py": central(U, 1),
        "Px": central(U, 2),
        "D": np.gradient(V, axis=1) + np.gradient(U, axis=2),
        "DP": 2 * (central(V, 1) + central(U, 2)),
        "A": step("edge", 0.1),
        "AP": step("wrap", 0.05),
    }
    check(bench, source, {"U": U, "V": V, "C": C}, wanted)


@case
def stencils_filter(bench):
    X = normal(23, 17)
    source = """\
import stencils
input X : f32[23, 17]
Y, Z = stencils.sobel(X)
B = stencils.blur(X)
B4 = stencils.blur(X, 4)
G = stencils.gauss(X)
G2 = stencils.gauss(X, 1.7, 6)
"""
    wanted = {
        "Y": ndimage.sobel(X, 0),
        "Z": ndimage.sobel(X, 1),
        "B": ndimage.uniform_filter(X, 3),
        "B4": ndimage.uniform_filter(X, 4),
        "G": ndimage.gaussian_filter(X, 1, radius=4),
        "G2": ndimage.gaussian_filter(X, 1.7, radius=6),
    }
    check(bench, source, {"X": X}, wanted)


MODULE = """\
def inner(X[i], f) -> Y[i] {
  Y[i] = X[i] * f
}
def scaled(X[i], f = 2) -> Y[i] {
  Y = inner(X, f)
}
"""


@case
def a_file_goes_before_the_library(bench):
    X = normal(9)
    bench.write("nn.ein", MODULE)
    source = "import nn\nimport nn\ninput X : f32[9]\nY = nn.scaled(X)\nZ = nn.inner(X, 3)\n"
    check(bench, source, {"X": X}, {"Y": 2 * X, "Z": 3 * X})
    # Beside the program, not where the command runs.
    (bench.folder / "sub").mkdir()
    (bench.folder / "p.ein").rename(bench.folder / "sub" / "p.ein")
    finished = bench.tapestry("plan", "sub/p.ein")
    bench.expect_error(finished, 1, "sub/p.ein:4:5: .*named 'nn.scaled'", outputs_intact=False)


@case
def monoids_of_a_module(bench):
    X = normal(9, 5)
    bench.write(
        "my.ein",
        "monoid far(a, b) = hypot(a, b) identity 0\n"
        "def lengths(X[n, c]) -> L[n] { L[n] = far[c] X[n, c] }\n",
    )
    # The program's own of that name is another.
    source = (
        "import my\ninput X : f32[9, 5]\nmonoid far(a, b) = max(a, b) identity -inf\n"
        "Y = my.lengths(X)\nZ[n] = far[c] X[n, c]\n"
    )
    check(bench, source, {"X": X}, {"Y": np.hypot.reduce(X, 1), "Z": X.max(1)})


@case
def what_is_wrong_with_modules(bench):
    def refused(source, *patterns):
        bench.write("p.ein", source)
        bench.expect_error(bench.tapestry("plan", "p.ein"), 1, *patterns)

    refused("import nm\n", "p.ein:1:8: error: there is no module 'nm'.* library has linalg, nn, stats, stencils")
    X = "input X : f32[9, 2]\n"
    refused("import nn\n" + X + "Y = nn.gleu(X)\noutput Y\n", "named 'nn.gleu'", "'nn.gelu'")
    refused("import nn\n" + X + "Y = gelu(X)\noutput Y\n", "named 'gelu'")
    refused(X + "Y = nn.gelu(X)\noutput Y\n", "p.ein:2:7: error: unexpected '.'")
    refused("import nn\n" + X + "nn.Y = 2 * X\noutput X\n", "'nn.Y' is of an imported module")
    refused("import nn\n" + X + "Y = nn.gelu(X, X)\noutput Y\n", "takes 1 argument, got 2")
    bench.write("my.ein", MODULE + "param n = 3\n")
    refused("import my\n" + X + "output X\n", "my.ein:7:7: error: a module holds only macros and monoids")
    # What `...` stands for.
    refused(
        "import nn\n" + X + "input S : f32\nY = nn.rmsnorm(S, S)\noutput Y\n",
        "p.ein:4:16: error: argument 'S' has 0 dimensions, but parameter 'X\\[..., c\\]'",
    )  # fmt: skip
    refused(
        "import nn\n" + X + "input Z : f32[9]\nY = nn.sgd(X, Z)\noutput Y\n",
        "p.ein:4:15: error: argument 'Z' has 1 dimension, but parameter 'Gradient\\[...\\]'",
    )  # fmt: skip
    refused(
        X + "def f(X[i]) -> Y[i] {\n  Y[i] = sum[...] X[i, ...]\n}\nY = f(X)\noutput Y\n",
        "p.ein:3:14: error: '...' stands for labels of a macro whose header has it",
    )  # fmt: skip
    # An error in a body names its file and the use.
    bench.write("my.ein", MODULE.replace("* f", "* i32(f)"))
    refused(
        "import my\ninput X : f32[3]\nY = my.scaled(X)\noutput Y\n",
        "my.ein:2:1[0-9]: error: operands of", "p.ein:3:5: note: in this use of macro 'scaled'",
    )  # fmt: skip


if __name__ == "__main__":
    case.main(__doc__)
