"""Integer and narrow types: results are bit-equal, whatever the plan."""

import numpy as np

from .registry import booleans, integers, normal, program


def _gram_program(type, high):
    """All monoids of one integer type in a program; products wrap around."""

    def formula(A, B):
        width = A.dtype
        with np.errstate(over="ignore"):
            products = A[:, :, None] * B[None]
            return {
                "S": products.sum(1, dtype=width),
                "M": (A[:, :, None] - B[None]).max(1),
                "N": np.minimum(A[:, :, None], B[None]).min(1),
                "X": np.bitwise_xor.reduce(A, axis=1),
                "P": np.multiply.reduce(A, axis=0, dtype=width),
                "W": np.negative(A) + A * A,
            }

    formula.__name__ = f"integers_{type}"
    return program(
        f"""
        input A : {type}[17, 13]
        input B : {type}[13, 11]
        S[i, k] = sum[j] A[i, j] * B[j, k]
        M[i, k] = max[j] A[i, j] - B[j, k]
        N[i, k] = min[j] min(A[i, j], B[j, k])
        X[i] = xor[j] A[i, j]
        P[j] = prod[i] A[i, j]
        W[i, j] = -A[i, j] + A[i, j] ** 2
        """,
        {
            "A": integers(-high, high, 17, 13, type=type),
            "B": integers(-high, high, 13, 11, type=type),
        },
        {name: type for name in "SMNXPW"},
    )(formula)


_gram_program("i8", 60)
_gram_program("i16", 15000)
_gram_program("i32", 2**30)
_gram_program("i64", 2**62 - 1)


@program(
    """
    input A : i8[29, 18]
    input B : i8[18, 14]
    C[i, k] = sum[j] i32(A[i, j]) * i32(B[j, k])
    D[i, k] = f32(C[i, k]) / 64.0
    E[i] = max[k] i64(C[i, k])
    """,
    {"A": integers(-128, 127, 29, 18, type="i8"), "B": integers(-128, 127, 18, 14, type="i8")},
    "C:i32 D:f32 E:i64",
    exact={"D"},
)
def quantised_matmul(A, B):
    C = A.astype(np.int64) @ B.astype(np.int64)
    return {"C": C, "D": C / 64.0, "E": C.max(1)}


@program(
    """
    input X : i32[33, 6]
    input M : bool[33, 6]
    Count[j] = sum[i] i32(M[i, j] && X[i, j] > 0)
    Total[j] = sum[i] select(M[i, j], X[i, j], 0)
    Some[j] = any[i] X[i, j] == 7
    Every[j] = all[i] X[i, j] != 7 || M[i, j]
    """,
    {"X": integers(-9, 9, 33, 6), "M": booleans(33, 6)},
    "Count:i32 Total:i32 Some:bool Every:bool",
)
def masked_counts(X, M):
    return {
        "Count": (M & (X > 0)).sum(0),
        "Total": np.where(M, X, 0).sum(0),
        "Some": (X == 7).any(0),
        "Every": ((X != 7) | M).all(0),
    }


@program(
    """
    input X : i32[26]
    input Y : i32[26]
    Q[i] = (X[i] + Y[i]) / 5
    A[i] = abs(X[i]) - max(X[i], Y[i])
    C[i] = select(X[i] < Y[i] && X[i] >= -3, i32(true), i32(X[i] != Y[i]) * 2)
    """,
    {"X": integers(0, 99, 26), "Y": integers(0, 99, 26)},
    "Q:i32 A:i32 C:i32",
)
def integer_elementwise(X, Y):
    return {
        "Q": (X + Y) // 5,
        "A": np.abs(X) - np.maximum(X, Y),
        "C": np.where((X < Y) & (X >= -3), 1, (X != Y) * 2),
    }


@program(
    """
    input A : f16[22, 16]
    input B : f16[16, 19]
    C[i, k] = sum[j] A[i, j] * B[j, k]
    D[i] = max[k] C[i, k]
    """,
    {"A": normal(22, 16, type="f16"), "B": normal(16, 19, type="f16")},
    "C:f16 D:f16",
)
def half_matmul(A, B):
    C = A @ B
    return {"C": C, "D": C.max(1)}


@program(
    """
    input A : f16[29, 7, 61]
    input B : f16[7, 61, 133]
    input I : i16[30, 75]
    input J : i16[75, 130]
    C[i, k] = sum[h, j] A[i, h, j] * B[h, j, k]
    D[j, k] = sum[i, h] A[i, h, j] * B[h, j, k]
    E[i, k] = max[j] i32(I[i, j]) * i32(J[j, k])
    """,
    {
        "A": normal(29, 7, 61, type="f16"),
        "B": normal(7, 61, 133, type="f16"),
        "I": integers(-99, 99, 30, 75, type="i16"),
        "J": integers(-99, 99, 75, 130, type="i16"),
    },
    "C:f16 D:f16 E:i32",
)
def rows_converted(A, B, I, J):  # noqa: E741
    return {
        "C": np.einsum("ihj,hjk->ik", A, B),
        "D": np.einsum("ihj,hjk->jk", A, B),
        "E": (I[:, :, None] * J[None]).max(1),
    }


@program(
    """
    input A : f16[3, 4096]
    S[i] = sum[j] A[i, j] * A[i, j]
    """,
    {"A": normal(3, 4096, type="f16")},
    "S:f16",
)
def half_accumulates_wide(A):
    # Sums of 4096 squares in f16 would stall at 2048 and lose percents.
    return (A * A).sum(1)


@program(
    """
    input A : bf16[22, 16]
    input B : bf16[16, 19]
    C[i, k] = sum[j] A[i, j] * B[j, k]
    D[k] = sum[i] f32(C[i, k])
    """,
    {"A": normal(22, 16, type="bf16"), "B": normal(16, 19, type="bf16")},
    "C:bf16 D:f32",
    tolerance={"D": 5e-3},
)
def brain_matmul(A, B):
    return {"C": A @ B, "D": (A @ B).sum(0)}


@program(
    """
    input A : bf16[2, 3000]
    S[i] = sum[j] A[i, j] * A[i, j]
    """,
    {"A": normal(2, 3000, type="bf16")},
    "S:bf16",
)
def brain_accumulates_wide(A):
    return (A * A).sum(1)


@program(
    """
    input A : f64[12, 10]
    B[i, j] = f32(A[i, j])
    C[i, j] = f64(B[i, j]) - A[i, j]
    D[i, j] = i32(A[i, j] * 100.0)
    E[i, j] = f16(B[i, j])
    F[i, j] = bool(D[i, j] / 50)
    """,
    {"A": normal(12, 10, type="f64")},
    "B:f32 C:f64 D:i32 E:f16 F:bool",
    exact={"B", "C", "E"},
)
def casts(A):
    B = A.astype(np.float32)
    D = np.trunc(A * 100.0).astype(np.int32)
    return {
        "B": B,
        "C": B.astype(np.float64) - A,
        "D": D,
        "E": B.astype(np.float16),
        "F": np.abs(D) >= 50,
    }
