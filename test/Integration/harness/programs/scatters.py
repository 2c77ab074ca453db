"""Values that are combined at places of the result."""

import numpy as np

from .registry import booleans, complexes, integers, normal, program, specials, uniform


def combined(shape, operator, place, values, start=0.0):
    """What NumPy makes of all values at their places."""
    result = np.full(shape, start, dtype=np.asarray(values).dtype)
    operator.at(result, place, values)
    return result


@program(
    """
    input X : f32[101, 5]
    input A : i32[101]
    input W : f32[101]
    Sums[A[n]:13, d] = sum[n] X[n, d]
    Means[A[n]:13, d] = mean[n] X[n, d] * W[n]
    Histogram[A[n]:13] = sum[n] 1
    Positive[A[n]:13, d] = sum[n] X[n, d] > 0
    Largest[d, A[n]:14] = max[n] X[n, d]
    Least[A[n]:13] = min[n, d] 2 * X[n, d]
    Average[A[n]:13] = mean[d, n] X[n, d]
    """,
    {"X": normal(101, 5), "A": integers(0, 11, 101), "W": normal(101)},
    "Sums:f32 Means:f32 Histogram:i64 Positive:i64 Largest:f32 Least:f32 Average:f32",
    exact=("Histogram", "Positive", "Largest"),
)
def segments(X, A, W):
    count = np.bincount(A, minlength=13)
    sums = combined((13, 5), np.add, A, X)
    with np.errstate(invalid="ignore"):
        return {
            "Sums": sums,
            "Means": combined((13, 5), np.add, A, X * W[:, None]) / count[:, None],
            "Histogram": count,
            "Positive": combined((13, 5), np.add, A, (X > 0).astype(np.int64)),
            "Largest": combined((14, 5), np.maximum, A, X, -np.inf).T,
            "Least": combined(13, np.minimum, A, 2 * X.min(1), np.inf),
            "Average": sums.sum(1) / (5 * count),
        }


@program(
    """
    input X : f64[3, 29]
    input A : i64[3, 29]
    input B : i8[29]
    input K : i32
    def fold(V[q, k], P[q, k], n) -> F[q, c] {
      C[P[q, k]:n, q] = sum[k] V[q, k] * V[q, k]
      F[q, c] = C[c, q]
    }
    Batched[b, A[b, n]:7] = sum[n] X[b, n]
    Joint[A[b, n]:7, B[n]:5] = sum[b, n] X[b, n]
    Crossed[A[i, n]:7, B[m]:5] = max[i, n, m] X[i, n] * X[0, m]
    Moved[b, (A[b, n] + n) % 4:4] = sum[n] pad(X, 1)[b, n + 3]
    Single[i64(K):9, n] = sum[b] X[b, n]
    Chosen[n, A[0, B[n]]:8, B[n]:6] = prod[b] X[b, n]
    Spread[A[0, n]:7, d:3] = sum[n] X[1, n] * d
    Folded = fold(X, A, 11)
    """,
    {
        "X": normal(3, 29, type="f64"),
        "A": integers(0, 6, 3, 29, type="i64"),
        "B": integers(0, 4, 29, type="i8"),
        "K": integers(8, 8),
    },
    "Batched:f64 Joint:f64 Crossed:f64 Moved:f64 Single:f64 Chosen:f64 Spread:f64 Folded:f64",
)
def places(X, A, B, K):
    b, n = np.indices((3, 29))
    wide = np.ones((3, 32))
    wide[:, :29] = X
    crossed = np.full((7, 5), -np.inf)
    for m in range(29):
        np.maximum.at(crossed, (A, np.full_like(A, B[m])), X * X[0, m])
    chosen = np.ones((29, 8, 6))
    chosen[n[0], A[0, B], B] = X.prod(0)
    return {
        "Batched": combined((3, 7), np.add, (b, A), X),
        "Joint": combined((7, 5), np.add, (A, B[n]), X),
        "Crossed": crossed,
        "Moved": combined((3, 4), np.add, (b, (A + n) % 4), wide[:, 3:]),
        "Single": combined((9, 29), np.add, K, X.sum(0)),
        "Chosen": chosen,
        "Spread": combined((7, 3), np.add, A[0], X[1][:, None] * np.arange(3.0)),
        "Folded": combined((3, 11), np.add, (b, A), X * X),
    }


@program(
    """
    input X : f32[10, 7]
    input W : f32[3, 4]
    input S : f32[23]
    Line[2*y + p] = sum[y, p] X[y, 0] * W[p, 0]
    Plane[c:2, 2*y + p, 3*x + q:30] = sum[y, x, p, q] X[y, x] * W[p, q] * c
    Full[i + j] = sum[i, j] S[i] * S[j]
    Pool[i // 4] = max[i] S[i]
    Wheel[(3*i + 1) % 5, j:2] = sum[i] S[i] + j
    Back[22 - i] = sum[i] S[i]
    Sparse[7*i + 2:200] = sum[i] S[i]
    """,
    {"X": normal(10, 7), "W": normal(3, 4), "S": normal(23)},
    "Line:f32 Plane:f32 Full:f32 Pool:f32 Wheel:f32 Back:f32 Sparse:f32",
    exact=("Pool", "Back", "Sparse"),
)
def affine_places(X, W, S):
    i, j = np.arange(23), np.arange(2)
    y, x, p, q = np.indices((10, 7, 3, 4))
    plane = combined((21, 30), np.add, (2 * y + p, 3 * x + q), X[y, x] * W[p, q])
    line = combined(21, np.add, 2 * y[:, 0, :, 0] + p[:, 0, :, 0], X[:, :1] * W[:, 0])
    wheel = combined(5, np.add, (3 * i + 1) % 5, S)
    sparse = np.zeros(200)
    sparse[7 * i + 2] = S
    return {
        "Line": line,
        "Plane": np.stack([0 * plane, plane]),
        "Full": np.convolve(S, S),
        "Pool": combined(6, np.maximum, i // 4, S, -np.inf),
        "Wheel": wheel[:, None] + j * np.bincount((3 * i + 1) % 5)[:, None],
        "Back": S[::-1],
        "Sparse": sparse,
    }


@program(
    """
    input I : i32[57]
    input H : f16[57]
    input G : bf16[57]
    input C : i8[57, 3]
    input L : i64[57]
    input B : bool[57]
    HS[I[n]:9] = sum[n] H[n]
    HM[I[n]:9] = mean[n] H[n]
    HX[I[n]:9] = max[n] H[n]
    GS[I[n]:9] = sum[n] G[n] * G[n]
    GN[I[n]:9] = min[n] G[n]
    CS[I[n]:9, k] = sum[n] C[n, k]
    CP[I[n]:9, k] = prod[n] C[n, k]
    CX[k, I[n]:9] = xor[n] C[n, k]
    LN[I[n]:9] = min[n] L[n]
    LX[I[n]:9] = max[n] L[n]
    BA[I[n]:9] = all[n] B[n]
    BO[I[n]:9] = any[n] B[n]
    BX[I[n]:9] = xor[n] B[n]
    BN[I[n]:9] = sum[n] B[n]
    """,
    {
        "I": integers(0, 7, 57),
        "H": uniform(-2, 2, 57, type="f16"),
        "G": uniform(-2, 2, 57, type="bf16"),
        "C": integers(-100, 100, 57, 3, type="i8"),
        "L": integers(-(2**40), 2**40, 57, type="i64"),
        "B": booleans(57),
    },
    "HS:f16 HM:f16 HX:f16 GS:bf16 GN:bf16 CS:i8 CP:i8 CX:i8 LN:i64 LX:i64 BA:bool BO:bool "
    "BX:bool BN:i64",
    exact=("HX", "GN"),
)
def scattered_types(I, H, G, C, L, B):
    count = np.bincount(I, minlength=9)
    most = np.iinfo(np.int64)
    with np.errstate(invalid="ignore"):
        return {
            "HS": combined(9, np.add, I, H.astype(np.float64)),
            "HM": combined(9, np.add, I, H.astype(np.float64)) / count,
            "HX": combined(9, np.maximum, I, H.astype(np.float64), -np.inf),
            "GS": combined(9, np.add, I, G.astype(np.float64) ** 2),
            "GN": combined(9, np.minimum, I, G.astype(np.float64), np.inf),
            "CS": combined((9, 3), np.add, I, C, 0),
            "CP": combined((9, 3), np.multiply, I, C, 1),
            "CX": combined((9, 3), np.bitwise_xor, I, C, 0).T,
            "LN": combined(9, np.minimum, I, L, most.max),
            "LX": combined(9, np.maximum, I, L, most.min),
            "BA": combined(9, np.logical_and, I, B, True),
            "BO": combined(9, np.logical_or, I, B, False),
            "BX": combined(9, np.logical_xor, I, B, False),
            "BN": combined(9, np.add, I, B.astype(np.int64), 0),
        }


@program(
    """
    input X : f32[101, 5]
    input A : i32[101]
    input V : f64[7, 29]
    input P : i8[7, 29]
    input K : i32[101]
    input U : u8[101]
    input B : bool[101]
    input H : f16[101]
    input G : bf16[101]
    input Z : c64[101]
    param top = 1000
    monoid absmax(a, b) = max(abs(a), abs(b)) identity 0
    monoid logaddexp(x, y) = select(x == y, x + log(2), max(x, y) + log1p(exp(-abs(x - y)))) identity -inf
    monoid saturate(a, b) = min(a + b, top) identity 0
    monoid common(a, b) = a & b identity -1
    monoid lowest(a, b) = min(a, b) identity 255
    monoid differs(a, b) = a != b identity false
    monoid far(a, b) = hypot(a, b) identity 0
    monoid turned(a, b) = a * b identity 1
    Largest[A[n]:13] = absmax[n] X[n, 0]
    Rows[A[n]:13, d] = absmax[n] 2 * X[n, d]
    Inner[A[n]:13] = absmax[n, d] X[n, d]
    Log[b, P[b, n]:6] = logaddexp[n] V[b, n]
    Pool[n // 10, d] = absmax[n] X[n, d]
    Sum[A[n]:13] = saturate[n] K[n] * K[n]
    Bits[A[n]:13] = common[n] K[n]
    Low[A[n]:13] = lowest[n] U[n]
    Top[A[n]:13] = max[n] U[n]
    Odd[A[n]:13] = differs[n] B[n]
    Half[A[n]:13] = far[n] H[n]
    Brain[A[n]:13] = far[n] G[n]
    Turn[A[n]:13] = turned[n] Z[n] / c64(abs(Z[n]))
    """,
    {
        "X": normal(101, 5),
        "A": integers(0, 11, 101),
        "V": normal(7, 29, type="f64", scale=9.0),
        "P": integers(0, 4, 7, 29, type="i8"),
        "K": integers(0, 20, 101),
        "U": integers(3, 255, 101, type="u8"),
        "B": booleans(101),
        "H": uniform(-2, 2, 101, type="f16"),
        "G": uniform(-2, 2, 101, type="bf16"),
        "Z": complexes(101),
    },
    "Largest:f32 Rows:f32 Inner:f32 Log:f64 Pool:f32 Sum:i32 Bits:i32 Low:u8 Top:u8 Odd:bool"
    " Half:f16 Brain:bf16 Turn:c64",
    exact=("Largest", "Rows", "Inner", "Pool"),
)
def own_places(X, A, V, P, K, U, B, H, G, Z):
    size = np.abs(X)
    return {
        "Largest": combined(13, np.maximum, A, size[:, 0]),
        "Rows": combined((13, 5), np.maximum, A, 2 * size),
        "Inner": combined(13, np.maximum, A, size.max(1)),
        "Log": combined((7, 6), np.logaddexp, (np.indices((7, 29))[0], P), V, -np.inf),
        "Pool": combined((11, 5), np.maximum, np.arange(101) // 10, size),
        "Sum": np.minimum(combined(13, np.add, A, K * K, 0), 1000),
        "Bits": combined(13, np.bitwise_and, A, K, -1),
        "Low": combined(13, np.minimum, A, U, 255),
        "Top": combined(13, np.maximum, A, U, 0),
        "Odd": combined(13, np.logical_xor, A, B, False),
        "Half": np.sqrt(combined(13, np.add, A, H.astype(np.float64) ** 2)),
        "Brain": np.sqrt(combined(13, np.add, A, G.astype(np.float64) ** 2)),
        "Turn": combined(13, np.multiply, A, Z / np.abs(Z), 1),
    }


def first_extreme(shape, place, values, least=False):
    """Where NumPy finds the extreme one of what lies at each place, -1 without any."""
    result = np.full(shape, -1, np.int64)
    flat = values.ravel()
    places = np.ravel_multi_index(np.broadcast_arrays(*place), shape).ravel()
    for cell in np.unique(places):
        own = np.flatnonzero(places == cell)
        result.flat[cell] = own[(np.argmin if least else np.argmax)(flat[own])]
    return result


@program(
    """
    input X : f32[101, 5]
    input A : i32[101]
    input S : f64[101]
    input P : i64[7, 29]
    input Q : i8[29]
    input V : f64[7, 29]
    input K : i32[101]
    input U : u8[101]
    input L : u64[101]
    input H : f16[101, 3]
    input G : bf16[101]
    Best[A[n]:13] = argmax[n] X[n, 0]
    Columns[d, A[n]:13] = argmin[n] X[n, d] * 2
    All[A[n]:13] = argmax[n, d] X[n, d]
    Back[A[n]:13] = argmax[d, n] X[n, d]
    Special[A[n]:13] = argmax[n] S[n]
    Lowest[A[n]:13] = argmin[n] S[n]
    Batched[b, P[b, n]:6] = argmax[n] V[b, n]
    Joint[P[b, n]:6, Q[n]:4] = argmin[b, n] V[b, n]
    Pool[n // 10, d] = argmax[n] X[n, d]
    Equal[A[n]:13] = argmax[n] K[n]
    Byte[A[n]:13] = argmax[n] U[n]
    Word[A[n]:13] = argmin[n] L[n]
    Half[A[n]:13, k] = argmax[n] H[n, k]
    Brain[A[n]:13] = argmin[n] G[n]
    Log[A[n]:13, d] = logsumexp[n] X[n, d]
    Whole[A[n]:13] = logsumexp[n, d] 9 * X[n, d]
    Infinite[A[n]:13] = logsumexp[n] S[n]
    Two[P[b, n]:6, Q[n]:4] = logsumexp[b, n] 100 * V[b, n]
    Narrow[A[n]:13] = logsumexp[n, k] H[n, k]
    Mixed[A[n]:13] = logsumexp[n] G[n]
    """,
    {
        "X": normal(101, 5),
        "A": integers(0, 11, 101),
        "S": specials(101, type="f64"),
        "P": integers(0, 4, 7, 29, type="i64"),
        "Q": integers(0, 2, 29, type="i8"),
        "V": normal(7, 29, type="f64"),
        "K": integers(0, 3, 101),
        "U": integers(100, 255, 101, type="u8"),
        "L": integers(-(2**62), 2**62, 101, type="u64"),
        "H": uniform(-2, 2, 101, 3, type="f16"),
        "G": uniform(-2, 2, 101, type="bf16"),
    },
    "Best:i64 Columns:i64 All:i64 Back:i64 Special:i64 Lowest:i64 Batched:i64 Joint:i64 Pool:i64"
    " Equal:i64 Byte:i64 Word:i64 Half:i64 Brain:i64 Log:f32 Whole:f32 Infinite:f64 Two:f64"
    " Narrow:f16 Mixed:bf16",
)
def extremes_at_places(X, A, S, P, Q, V, K, U, L, H, G):
    n = np.arange(101)
    b, m = np.indices((7, 29))
    per_column = [first_extreme((13,), (A,), X[:, d], least=True) for d in range(5)]
    both = first_extreme((13,), (np.broadcast_to(A, (5, 101)),), X.T)
    batched = [first_extreme((6,), (P[i],), V[i]) for i in range(7)]
    pooled = [first_extreme((11,), (n // 10,), X[:, d]) for d in range(5)]
    halves = [first_extreme((13,), (A,), H[:, k]) for k in range(3)]

    def log_sum(shape, place, values):
        with np.errstate(invalid="ignore"):
            places = np.broadcast_to(place, values.shape) if not isinstance(place, tuple) else place
            return combined(shape, np.logaddexp, places, values.astype(np.float64), -np.inf)

    return {
        "Best": first_extreme((13,), (A,), X[:, 0]),
        "Columns": np.stack(per_column),
        "All": first_extreme((13,), (np.broadcast_to(A[:, None], (101, 5)),), X),
        "Back": both,
        "Special": first_extreme((13,), (A,), S),
        "Lowest": first_extreme((13,), (A,), S, least=True),
        "Batched": np.stack(batched),
        "Joint": first_extreme((6, 4), (P, Q[m]), V, least=True),
        "Pool": np.stack(pooled, 1),
        "Equal": first_extreme((13,), (A,), K),
        "Byte": first_extreme((13,), (A,), U),
        "Word": first_extreme((13,), (A,), L, least=True),
        "Half": np.stack(halves, 1),
        "Brain": first_extreme((13,), (A,), G, least=True),
        "Log": log_sum((13, 5), (A[:, None], np.arange(5)), X),
        "Whole": log_sum(13, A[:, None], 9 * X),
        "Infinite": log_sum(13, A, S),
        "Two": log_sum((6, 4), (P, Q[m]), 100 * V),
        "Narrow": log_sum(13, A[:, None], H),
        "Mixed": log_sum(13, A, G),
    }
