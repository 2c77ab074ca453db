"""What speed.py measures: programs, their data, and the same for NumPy, torch and JAX.

`TABLE` are products, attention, distances, rows, a convolution, a stencil and a
training step; `EVERYDAY` is what users meet besides. Those of language.py follow.
"""

import dataclasses
from typing import Callable

import numpy as np


@dataclasses.dataclass
class Workload:
    """`source` has {n} for each of the `sizes`; with --quick they are those of `quick`.
    `numpy`, `torch` and `jax` take the library (JAX's is jax.numpy) and the inputs by
    name and give the result; a tuple has several forms, the fastest of which counts.
    NumPy's first one on 64-bit inputs is what all results are compared with.

    `flops` counts operations at the rate of an FMA loop of `type`, an FMA being two;
    `moved` the bytes that must be read and written where that is not all inputs and
    the result, once each."""

    name: str
    source: str
    sizes: dict
    quick: dict
    draw: Callable | None
    output: str
    numpy: Callable | tuple | None = None
    torch: Callable | tuple | None = None
    jax: Callable | tuple | None = None
    flops: Callable | None = None
    moved: Callable | None = None
    type: str = "f32"
    compared: bool = True


def everywhere(function):
    """One function for all three."""
    return {"numpy": function, "torch": function, "jax": function}


def normals(rng, *shape, type=np.float32):
    return rng.standard_normal(shape, np.float32).astype(type)


def inputs(names, type):
    return "".join(f"input {name} : {type}\n" for name in names)


TABLE, EVERYDAY = [], []


# Einsums of two tensors, by NumPy's notation.

DRAWN = {
    "f32": normals,
    "f64": lambda rng, *shape: rng.standard_normal(shape),
    "f16": lambda rng, *shape: normals(rng, *shape, type=np.float16),
    # Of the upper halves of f32.
    "bf16": lambda rng, *shape: (normals(rng, *shape).view(np.uint32) & 0xFFFF0000).view(np.float32),
    "i8": lambda rng, *shape: rng.integers(-128, 128, shape, np.int8),
}  # fmt: skip


def widened(tensor):
    """Products of i8 are added in i32."""
    if str(tensor.dtype) == "torch.int8":
        return tensor.int()
    return tensor.astype(np.int32) if tensor.dtype == np.int8 else tensor


def einsum(name, spec, sizes, type="f32", torch=(), jax=None):
    """`sizes` by label; small ones are odd and differ."""
    operands, result = spec.split("->")
    operands = operands.split(",")
    names = "ABCDE"[: len(operands)]
    source = "".join(
        inputs([tensor], type + "[" + ", ".join(f"{{{label}}}" for label in labels) + "]")
        for tensor, labels in zip(names, operands)
    )
    reduced = sorted(set("".join(operands)) - set(result))
    wide = "i32({})" if type == "i8" else "{}"
    product = " * ".join(
        wide.format(f"{tensor}[{', '.join(labels)}]") for tensor, labels in zip(names, operands)
    )
    left = ", ".join(result)
    source += f"output Z[{left}] = sum[{', '.join(reduced)}] {product}\n"
    points = lambda **n: 2.0 * np.prod([float(size) for size in n.values()])  # noqa: E731

    def draw(rng, **n):
        shapes = ([n[label] for label in labels] for labels in operands)
        return {tensor: DRAWN[type](rng, *shape) for tensor, shape in zip(names, shapes)}

    def plain(lib, **tensors):
        return lib.einsum(spec, *map(widened, tensors.values()))

    def numpy(lib, **tensors):
        return lib.einsum(spec, *map(widened, tensors.values()), optimize=True)

    return Workload(
        name, source, sizes, dict(zip(sizes, (5, 19, 7, 37, 3, 2))), draw, "Z",
        numpy=numpy, torch=(plain, *torch), jax=jax or plain, flops=points, type=type,
    )  # fmt: skip


def product(name, m, n, k, spec="ij,jk->ik", **rest):
    return einsum(name, spec, {"i": m, "k": n, "j": k}, **rest)


TABLE += [
    product("product 1024^3", 1024, 1024, 1024),
    product("product 2048^3", 2048, 2048, 2048),
    product("64 x 4096, K=4096", 64, 4096, 4096),
    Workload(
        "(A B) + C (D E), 1024", inputs("ABCDE", "f32[{n}, {n}]") + """
        P[i, k] = sum[j] A[i, j] * B[j, k]
        Q[i, k] = sum[j] D[i, j] * E[j, k]
        R[i, k] = sum[j] C[i, j] * Q[j, k]
        output Z[i, k] = P[i, k] + R[i, k]
        """,
        {"n": 1024}, {"n": 37},
        lambda rng, n: {name: normals(rng, n, n) for name in "ABCDE"}, "Z",
        **everywhere(lambda lib, A, B, C, D, E: A @ B + C @ (D @ E)),
        flops=lambda n: 6.0 * n**3,
    ),
    einsum("A[i,j,b] B[b,j,k]", "ijb,bjk->ik", {"i": 64, "j": 96, "b": 32, "k": 256}),
]  # fmt: skip


# Attention.


def attention(lib, Q, K, V, causal):
    S = lib.einsum("hsd,htd->hst", Q, K) / Q.shape[-1] ** 0.5
    if causal:
        allowed = lib.tril(lib.ones(S.shape[1:], dtype=bool))
        S = lib.where(allowed, S, -lib.inf)
    E = lib.exp(S - (lib.amax(S, 2)[..., None]))
    return lib.einsum("hst,hte->hse", E / E.sum(2)[..., None], V)


def attention_row(name, sizes, quick, causal=False):
    def numpy(lib, Q, K, V):
        # Head by head, so that long ones fit.
        heads = [attention(lib, Q[h : h + 1], K[h : h + 1], V[h : h + 1], causal) for h in range(len(Q))]
        return lib.concatenate(heads)

    def torch(lib, Q, K, V):
        attend = lib.nn.functional.scaled_dot_product_attention
        return attend(Q[None], K[None], V[None], is_causal=causal)[0]

    def jax(lib, Q, K, V):
        from jax.nn import dot_product_attention

        arranged = (lib.swapaxes(X, 0, 1)[None] for X in (Q, K, V))
        return lib.swapaxes(dot_product_attention(*arranged, is_causal=causal)[0], 0, 1)

    macro = "causal_attention" if causal else "attention"
    return Workload(
        name, "import nn\n" + inputs("QKV", "f32[{h}, {s}, {d}]") + f"""
        O = nn.{macro}(Q, K, V)
        output O
        """,
        sizes, quick, lambda rng, h, s, d: {name: normals(rng, h, s, d) for name in "QKV"}, "O",
        numpy=numpy, torch=torch,
        jax=(lambda lib, Q, K, V: attention(lib, Q, K, V, causal), jax),
        flops=lambda h, s, d: 4.0 * h * s * s * d / (2 if causal else 1),
    )  # fmt: skip


SHORT = {"h": 3, "s": 37, "d": 5}
TABLE.append(attention_row("attention 16 x 1024 x 64", {"h": 16, "s": 1024, "d": 64}, SHORT))
EVERYDAY += [
    attention_row("causal attention 16 x 1024 x 64", {"h": 16, "s": 1024, "d": 64}, SHORT, causal=True),
    attention_row("attention 4 x 4096 x 64", {"h": 4, "s": 4096, "d": 64}, SHORT),
]


# Distances and other semirings.


def by_rows(row):
    """NumPy's form without an array of all points: `row` of one of A's rows."""
    return lambda lib, A, B: lib.stack([row(lib, a, B) for a in A])


def distances(name, expression, sizes, reduction, operations, row, torch, jax):
    transposed = "l" in sizes
    return Workload(
        name, f"""
        input A : f32[{{i}}, {{k}}]
        input B : f32[{'{j}, {k}' if transposed else '{k}, {j}'}]
        output D[i, j] = {reduction}[k] {expression}
        """,
        {key: size for key, size in sizes.items() if key != "l"}, {"i": 19, "j": 37, "k": 7},
        lambda rng, i, j, k: {
            "A": normals(rng, i, k),
            "B": normals(rng, *((j, k) if transposed else (k, j))),
        }, "D",
        numpy=by_rows(row), torch=torch, jax=jax, flops=lambda i, j, k: float(operations) * i * j * k,
    )  # fmt: skip


def expanded(lib, A, B):
    squares = (A * A).sum(1)[:, None] + (B * B).sum(1)[None]
    return lib.clip(squares - 2 * (A @ B.T), 0)


PAIRS = {"i": 1024, "j": 1024, "k": 256, "l": True}
TABLE += [
    distances(
        "squared L2 1024 x 1024 x 256", "(A[i, k] - B[j, k]) ** 2", PAIRS, "sum", 3,
        lambda lib, a, B: ((B - a) ** 2).sum(1),
        torch=(lambda lib, A, B: lib.cdist(A, B) ** 2, expanded,
               lambda lib, A, B: ((A[:, None] - B[None]) ** 2).sum(2)),
        jax=(lambda lib, A, B: ((A[:, None] - B[None]) ** 2).sum(2), expanded),
    ),
    distances(
        "L-infinity 1024 x 1024 x 256", "abs(A[i, k] - B[j, k])", PAIRS, "max", 6,
        lambda lib, a, B: abs(B - a).max(1),
        torch=(lambda lib, A, B: lib.cdist(A, B, p=float("inf")),
               lambda lib, A, B: (A[:, None] - B[None]).abs().amax(2)),
        jax=lambda lib, A, B: lib.abs(A[:, None] - B[None]).max(2),
    ),
    distances(
        "max-plus 512^3", "(A[i, k] + B[k, j])", {"i": 512, "j": 512, "k": 512}, "max", 4,
        lambda lib, a, B: (a[:, None] + B).max(0),
        torch=(lambda lib, A, B: (A[:, :, None] + B[None]).amax(1),
               lambda lib, A, B: (A[:, None] + B.T.contiguous()[None]).amax(2)),
        jax=(lambda lib, A, B: (A[:, :, None] + B[None]).max(1),
             lambda lib, A, B: (A[:, None] + B.T[None]).max(2)),
    ),
]  # fmt: skip


# Rows and elements.


def matrix(name, source, numpy, torch=None, rows=4096, columns=4096):
    return Workload(
        name, "import nn\ninput X : f32[{n}, {c}]\n" + source, {"n": rows, "c": columns},
        {"n": 19, "c": 37}, lambda rng, n, c: {"X": normals(rng, n, c)}, "Y",
        numpy=numpy, torch=torch or numpy, jax=numpy,
    )  # fmt: skip


def stable_softmax(lib, X):
    E = lib.exp(X - lib.amax(X, 1)[:, None])
    return E / E.sum(1)[:, None]


def log_softmax(lib, X):
    shifted = X - X.max(1)[:, None]
    return shifted - lib.log(lib.exp(shifted).sum(1))[:, None]


def error_function(x):
    from scipy.special import erf

    return erf(x)


def gelu_numpy(x):
    return 0.5 * x * (1 + error_function(x / 2**0.5))


def gelu_jax(x):
    from jax.nn import gelu

    return gelu(x, approximate=False)


def biased_gelu():
    return Workload(
        "bias + gelu 4096^2", """
        import nn
        input X : f32[{n}, {n}]
        input B : f32[{n}]
        S[i, j] = X[i, j] + B[j]
        Y = nn.gelu(S)
        output Y
        """,
        {"n": 4096}, {"n": 37}, lambda rng, n: {"X": normals(rng, n, n), "B": normals(rng, n)}, "Y",
        numpy=lambda lib, X, B: gelu_numpy(X + B),
        torch=lambda lib, X, B: lib.nn.functional.gelu(X + B),
        jax=lambda lib, X, B: gelu_jax(X + B),
    )  # fmt: skip


def neighbours(lib, X):
    return 0.25 * (X[1:-1, :-2] + X[1:-1, 2:] + X[:-2, 1:-1] + X[2:, 1:-1])


TABLE += [
    matrix(
        "softmax 4096^2", "output Y[i, j] = softmax[j] X[i, j]", stable_softmax,
        torch=(lambda lib, X: lib.softmax(X, 1),),
    ),
    biased_gelu(),
    matrix(
        "rmsnorm 4096^2", "output Y[i, j] = rmsnorm[j](X[i, j], 1e-6)",
        lambda lib, X: X / lib.sqrt((X * X).mean(1)[:, None] + 1e-6),
        torch=(lambda lib, X: X * lib.rsqrt((X * X).mean(1, True) + 1e-6),
               lambda lib, X: lib.nn.functional.rms_norm(X, X.shape[1:], eps=1e-6)),
    ),
    matrix(
        "5-point stencil 4096^2",
        "output Y[i:{n} - 2, j:{c} - 2] ="
        " 0.25 * (X[i + 1, j] + X[i + 1, j + 2] + X[i, j + 1] + X[i + 2, j + 1])",
        neighbours,
    ),
]  # fmt: skip


def convolution_numpy(lib, X, W):
    padded = lib.pad(X, ((0, 0), (0, 0), (1, 1), (1, 1)))
    height, width = X.shape[2:]
    return sum(
        lib.einsum("bcyx,fc->bfyx", padded[:, :, r : r + height, s : s + width], W[:, :, r, s], optimize=True)
        for r in range(3)
        for s in range(3)
    )


def convolution_jax(lib, X, W):
    from jax.lax import conv_general_dilated

    return conv_general_dilated(X, W, (1, 1), "SAME")


TABLE.append(
    Workload(
        "conv 3 x 3, 4 x 64 x 56^2, 64", """
        input X : f32[{b}, {c}, {y}, {y}]
        input W : f32[{f}, {c}, 3, 3]
        output Z[b, f, y:{y}, x:{y}] = sum[c, r, s] pad(X, 0)[b, c, y + r - 1, x + s - 1] * W[f, c, r, s]
        """,
        {"b": 4, "c": 64, "y": 56, "f": 64}, {"b": 2, "c": 3, "y": 19, "f": 5},
        lambda rng, b, c, y, f: {"X": normals(rng, b, c, y, y), "W": normals(rng, f, c, 3, 3)}, "Z",
        numpy=convolution_numpy,
        torch=lambda lib, X, W: lib.nn.functional.conv2d(X, W, padding=1),
        jax=convolution_jax,
        flops=lambda b, c, y, f: 18.0 * b * c * y * y * f,
    )
)  # fmt: skip


# Layers.


def classifier_step(lib, X, W1, W2, Y):
    hidden = X @ W1
    active = lib.where(hidden > 0, hidden, hidden * 0)
    logits = active @ W2
    shifted = lib.exp(logits - lib.amax(logits, 1)[:, None])
    slope = (shifted / shifted.sum(1)[:, None] - Y) / X.shape[0]
    back = lib.where(hidden > 0, slope @ W2.T, hidden * 0)
    return W1 - 0.01 * (X.T @ back), W2 - 0.01 * (active.T @ slope)


TABLE.append(
    Workload(
        "classifier step 512, 784-512-10", """
        input X : f32[{b}, {f}]
        input W1 : f32[{f}, {h}]
        input W2 : f32[{h}, {o}]
        input Y : f32[{b}, {o}]
        Hd[b, h] = sum[f] X[b, f] * W1[f, h]
        Ac[b, h] = max(Hd[b, h], 0)
        Lo[b, o] = sum[h] Ac[b, h] * W2[h, o]
        Pr[b, o] = softmax[o] Lo[b, o]
        dO[b, o] = (Pr[b, o] - Y[b, o]) / {b}
        dW2[h, o] = sum[b] Ac[b, h] * dO[b, o]
        dA[b, h] = sum[o] dO[b, o] * W2[h, o]
        dH[b, h] = select(Hd[b, h] > 0, dA[b, h], 0)
        dW1[f, h] = sum[b] X[b, f] * dH[b, h]
        output W1n[f, h] = W1[f, h] - 0.01 * dW1[f, h]
        output W2n[h, o] = W2[h, o] - 0.01 * dW2[h, o]
        """,
        {"b": 512, "f": 784, "h": 512, "o": 10}, {"b": 19, "f": 37, "h": 7, "o": 5},
        lambda rng, b, f, h, o: {
            "X": normals(rng, b, f), "W1": normals(rng, f, h) / 28, "W2": normals(rng, h, o) / 23,
            "Y": np.eye(o, dtype=np.float32)[rng.integers(0, o, b)],
        }, "W1n", **everywhere(classifier_step), flops=lambda b, f, h, o: 4.0 * b * f * h + 6.0 * b * h * o,
    )
)  # fmt: skip


def relu(lib, x):
    return lib.maximum(x, x * 0)


def two_layers(name, sizes, function, numpy, torch, jax):
    """function(X W1 + B1) W2 + B2."""

    def layers(between):
        return lambda lib, X, W1, B1, W2, B2: between(lib, X @ W1 + B1) @ W2 + B2

    return Workload(
        name, f"""
        import nn
        input X : f32[{{b}}, {{f}}]
        input W1 : f32[{{f}}, {{h}}]
        input B1 : f32[{{h}}]
        input W2 : f32[{{h}}, {{o}}]
        input B2 : f32[{{o}}]
        H[b, h] = (sum[f] (X[b, f] * W1[f, h])) + B1[h]
        A[b, h] = {function}(H[b, h])
        output Y[b, o] = (sum[h] (A[b, h] * W2[h, o])) + B2[o]
        """,
        sizes, {"b": 7, "f": 19, "h": 37, "o": 5},
        lambda rng, b, f, h, o: {
            "X": normals(rng, b, f), "W1": normals(rng, f, h) / f**0.5, "B1": normals(rng, h),
            "W2": normals(rng, h, o) / h**0.5, "B2": normals(rng, o),
        }, "Y", numpy=layers(numpy), torch=layers(torch), jax=layers(jax),
        flops=lambda b, f, h, o: 2.0 * b * h * (f + o),
    )  # fmt: skip


def normed_sum(lib, X, R):
    S = X + R
    S = S - S.mean(1)[:, None]
    return S / lib.sqrt((S * S).mean(1)[:, None] + 1e-5)


EVERYDAY += [
    *(product(f"{m} x 4096, K=4096", m, 4096, 4096) for m in (1, 4, 8, 16, 23, 32)),
    product("8 x 4096, K=4096, B transposed", 8, 4096, 4096, "ij,kj->ik"),
    product("4096 x 8, K=4096", 4096, 8, 4096),
    product("product 4096^3", 4096, 4096, 4096),
    product("product 1000 x 999, K=1001", 1000, 999, 1001),
    product("A^T B 1024^3", 1024, 1024, 1024, "ji,jk->ik"),
    product("A B^T 1024^3", 1024, 1024, 1024, "ij,kj->ik"),
    product("product 1024^3, f64", 1024, 1024, 1024, type="f64"),
    Workload(
        "A^T A 1024^3, f64", """
        input A : f64[{j}, {i}]
        output Z[i, k] = sum[j] A[j, i] * A[j, k]
        """,
        {"i": 1024, "j": 1024}, {"i": 37, "j": 19},
        lambda rng, i, j: {"A": DRAWN["f64"](rng, j, i)}, "Z",
        **everywhere(lambda lib, A: A.T @ A), flops=lambda i, j: 2.0 * i * i * j, type="f64",
    ),
    product("product 1024^3, bf16", 1024, 1024, 1024, type="bf16"),
    product("product 1024^3, f16", 1024, 1024, 1024, type="f16"),
    product(
        "product 1024^3, i8 to i32", 1024, 1024, 1024, type="i8",
        torch=(lambda lib, A, B: lib._int_mm(A, B),),
        jax=lambda lib, A, B: lib.matmul(A, B, preferred_element_type=np.int32),
    ),
    einsum("32 x (128 x 128, K=64)", "bij,bjk->bik", {"b": 32, "i": 128, "k": 128, "j": 64}),
    einsum("512 x (32 x 32, K=32)", "bij,bjk->bik", {"b": 512, "i": 32, "k": 32, "j": 32}),
    einsum("abcd = aebf dfce, 32", "aebf,dfce->abcd", dict.fromkeys("abcdef", 32)),
    einsum("A[i,b,j] B[j,b,k] to b,i,k", "ibj,jbk->bik", {"i": 128, "b": 32, "k": 128, "j": 128}),
    einsum("A[b,s,h,d] B[b,t,h,d] to b,h,s,t", "bshd,bthd->bhst", {"b": 4, "s": 256, "h": 8, "d": 64, "t": 256}),
    einsum("A[i,a,j,b] B[b,k,a] to k,i,j", "iajb,bka->kij", {"i": 64, "a": 24, "j": 48, "b": 24, "k": 100}),
    two_layers(
        "MLP 1024-4096-1024, relu, batch 8", {"b": 8, "f": 1024, "h": 4096, "o": 1024}, "nn.relu",
        relu, relu, relu,
    ),
    two_layers(
        "MLP 1024-4096-1024, gelu, batch 512", {"b": 512, "f": 1024, "h": 4096, "o": 1024}, "nn.gelu",
        lambda lib, x: gelu_numpy(x), lambda lib, x: lib.nn.functional.gelu(x), lambda lib, x: gelu_jax(x),
    ),
    Workload(
        "layer norm of a sum 4096 x 1024", inputs("XR", "f32[{n}, {c}]") + """
        output Y[i, j] = layernorm[j](X[i, j] + R[i, j], 1e-5)
        """,
        {"n": 4096, "c": 1024}, {"n": 19, "c": 37},
        lambda rng, n, c: {"X": normals(rng, n, c), "R": normals(rng, n, c)}, "Y",
        numpy=normed_sum,
        torch=(normed_sum, lambda lib, X, R: lib.nn.functional.layer_norm(X + R, X.shape[1:])),
        jax=normed_sum,
    ),
    matrix(
        "log softmax 1024 x 32000", "Y = nn.logsoftmax(X)\noutput Y", log_softmax,
        torch=lambda lib, X: lib.log_softmax(X, 1), rows=1024, columns=32000,
    ),
    Workload(
        "exp of 2^24, f64", """
        input X : f64[{n}]
        output Y[i] = exp(X[i])
        """,
        {"n": 1 << 24}, {"n": 1001}, lambda rng, n: {"X": DRAWN["f64"](rng, n)}, "Y",
        **everywhere(lambda lib, X: lib.exp(X)), type="f64",
    ),
]  # fmt: skip
