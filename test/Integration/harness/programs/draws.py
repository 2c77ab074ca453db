"""Generators: constants with a type, and random numbers."""

import numpy as np

from .. import philox
from .registry import normal, program


@program(
    """
    param seed = -3
    Z : f32[5, 7] = zeros
    O : i16[11] = ones
    F : bf16[3] = full(2.5)
    B : bool[6] = full(true)
    N[i:13, j:3] = i32(3*i + j) + full[i32](4)
    U64 : f64[17, 5] = random.uniform(seed)
    U32 : f32[17, 5] = random.uniform(seed)
    U16 : f16[83] = random.uniform(seed)
    UB : bf16[83] = random.uniform(seed)
    N64 : f64[101, 3] = random.normal(seed)
    N32 : f32[101, 3] = random.normal(seed)
    N16 : f16[83] = random.normal(seed)
    NB : bf16[83] = random.normal(seed)
    I8 : i8[97] = random.bits(seed)
    I16 : i16[97] = random.bits(seed)
    I32 : i32[97] = random.bits(seed)
    I64 : i64[97] = random.bits(seed)
    P[i:89] = random.bernoulli(seed, 0.3)
    """,
    {},
    "Z:f32 O:i16 F:bf16 B:bool N:i32 U64:f64 U32:f32 U16:f16 UB:bf16 N64:f64 N32:f32 N16:f16 "
    "NB:bf16 I8:i8 I16:i16 I32:i32 I64:i64 P:bool",
    exact={"Z", "U64", "U32", "U16"},
    tolerance={"N32": 3e-7, "N64": 1e-15, "UB": 0, "F": 0},
)
def generated():
    return {
        "Z": np.zeros((5, 7)),
        "O": np.ones(11),
        "F": np.full(3, 2.5),
        "B": np.full(6, True),
        "N": np.arange(39).reshape(13, 3) + 4,
        **{f"U{t}": philox.uniform((17, 5), -3, f"U{t}#0", f"f{t}") for t in (64, 32)},
        "U16": philox.uniform(83, -3, "U16#0", "f16"),
        "UB": philox.uniform(83, -3, "UB#0", "bf16"),
        **{f"N{t}": philox.normal((101, 3), -3, f"N{t}#0", f"f{t}") for t in (64, 32)},
        "N16": philox.normal(83, -3, "N16#0"),
        "NB": philox.normal(83, -3, "NB#0"),
        **{f"I{n}": philox.bits(97, -3, f"I{n}#0", f"i{n // 8}") for n in (8, 16, 32, 64)},
        "P": philox.bernoulli(89, -3, "P#0", 0.3),
    }


@program(
    """
    input X : f32[23, 14]
    input step : i64
    input p : f32
    def noisy(A[i, j], scale) -> B[i, j] {
      Noise[j, i] = random.normal[f32](4)
      B[i, j] = A[i, j] + scale * Noise[j, i]
    }
    D[i, j] = select(random.bernoulli(step, p), 0, X[i, j])
    W : f32[14, 9] = 0.25 * random.normal(11)
    C[i, k] = sum[j] X[i, j] * W[j, k]
    Once[j, k] = W[j, k] - W[j, k]
    E = noisy(X, 0.5)
    Two[i:40] = random.uniform[f64](2) - random.uniform[f64](2)
    S[i:6] = sum[j:11] random.uniform[f64](i)
    T[i:6] = 2 * sum[j:11](random.uniform[f64](3)) - 11
    R[i:30] = X[random.bits[i32](5) // 2 % 23, 3]
    Y = X * random.uniform(1)
    """,
    {"X": normal(23, 14), "step": normal(type="i64", scale=1e12), "p": normal()},
    "D:f32 W:f32 C:f32 Once:f32 E:f32 Two:f64 S:f64 T:f64 R:f32 Y:f32",
    exact={"D", "Once", "R"},
)
def drawn_inside(X, step, p):
    weights = 0.25 * philox.normal((14, 9), 11, "W#0")
    row = philox.bits(30, 5, "R#0").astype(np.int64)
    sums = np.stack([philox.uniform((6, 11), i, "S#0", "f64")[i].sum() for i in range(6)])
    return {
        "D": np.where(philox.bernoulli((23, 14), step, "D#0", p), 0, X),
        "W": weights,
        "C": X @ weights,
        "Once": np.zeros((14, 9)),
        "E": X + 0.5 * philox.normal((14, 23), 4, "E.Noise#0").T,
        "Two": philox.uniform(40, 2, "Two#0", "f64") - philox.uniform(40, 2, "Two#1", "f64"),
        "S": sums,
        "T": 2 * philox.uniform((6, 11), 3, "T#0", "f64").sum(1) - 11,
        "R": X[row // 2 % 23, 3],
        "Y": X * philox.uniform((23, 14), 1, "Y#0"),
    }
