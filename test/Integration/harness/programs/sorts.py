"""Values in order, their indices, and the first few of them."""

import numpy as np

from .registry import Input, integers, normal, program, uniform


def _hostile(rng):
    """Many equal values, zeros of both signs, infinities and NaN."""
    values = rng.integers(-3, 4, (7, 61, 3)).astype(np.float64)
    values[2, ::2, 1], values[2, 1::2, 1] = -0.0, 0.0
    values[3, ::5], values[3, 1::5] = -np.inf, np.inf
    values[4, 3::7], values[5, 60], values[6] = np.nan, np.nan, np.nan
    return values


def _ranks(values, axis, count=None, descending=False):
    """A stable argsort of which NaN is the largest value."""
    order = np.argsort(values, axis, kind="stable")
    if descending:
        flipped = np.flip(np.argsort(np.flip(values, axis), axis, kind="stable"), axis)
        order = values.shape[axis] - 1 - flipped
    return np.take(order, np.arange(count or order.shape[axis]), axis)


@program(
    """
    input X : f32[7, 61, 3]
    input V : f64[1009]
    input W : f32[13, 40]
    Rows[n, r, j] = sort[k] X[n, k, j]
    Places[n, r, j] = argsort[k] X[n, k, j]
    First[r, j, k] = sort[n] X[n, k, j]
    Best[n, j, r:5], At[n, j, r] = topk[k] X[n, k, j]
    Least[n, r:2] = topk[k] -X[n, k, 0]
    Line[r] = sort[i] V[i]
    Order[r] = argsort[i] V[1008 - i]
    Most[r:100], Where[r] = topk[i] V[i]
    Half[r:700], There[r] = topk[i] V[i]
    Scores[n, r:1], Guess[n, r] = topk[c] W[n, c] - mean[k](W[n, k])
    """,
    {"X": Input("f32", _hostile), "V": normal(1009, type="f64"), "W": normal(13, 40)},
    "Rows:f32 Places:i64 First:f32 Best:f32 At:i64 Least:f32 Line:f64 Order:i64 "
    "Most:f64 Where:i64 Half:f64 There:i64 Scores:f32 Guess:i64",
    exact=("Rows", "First", "Best", "Least", "Line", "Most", "Half"),
)
def sorted_values(X, V, W):
    places = _ranks(X, 1)
    best = _ranks(X, 1, 5, descending=True).transpose(0, 2, 1)
    falling = _ranks(V, 0, descending=True)
    scores = W - W.mean(1, keepdims=True)
    return {
        "Rows": np.take_along_axis(X, places, 1),
        "Places": places,
        "First": np.take_along_axis(X, _ranks(X, 0), 0).transpose(0, 2, 1),
        "Best": np.take_along_axis(X.transpose(0, 2, 1), best, 2),
        "At": best,
        "Least": np.take_along_axis(-X[..., 0], _ranks(-X[..., 0], 1, 2, descending=True), 1),
        "Line": np.sort(V),
        "Order": np.argsort(V[::-1], kind="stable"),
        "Most": V[falling[:100]],
        "Where": falling[:100],
        "Half": V[falling[:700]],
        "There": falling[:700],
        "Scores": scores.max(1, keepdims=True),
        "Guess": scores.argmax(1)[:, None],
    }


@program(
    """
    input A : i8[5, 300]
    input B : i16[300, 5]
    input C : i32[211]
    input D : i64[3, 53]
    input E : u8[5, 47]
    input F : u32[5, 47]
    input G : f16[5, 59]
    input H : bf16[5, 59]
    SA[n, r] = sort[c] A[n, c]
    PA[n, r] = argsort[c] A[n, c]
    SB[r, n] = sort[c] B[c, n]
    PB[n, r:9] = topk[c] B[c, n]
    SC[r] = sort[c] C[c]
    PC[r] = argsort[c] C[c]
    SD[n, r] = sort[c] D[n, c]
    VD[n, r:3], PD[n, r] = topk[c] D[n, c]
    SE[n, r] = sort[c] E[n, c]
    VE[n, r:3], PE[n, r] = topk[c] E[n, c]
    SF[n, r] = sort[c] F[n, c]
    PF[n, r] = argsort[c] u64(F[n, c]) << 31
    SG[n, r] = sort[c] G[n, c]
    VG[n, r:3], PG[n, r] = topk[c] G[n, c]
    SH[n, r] = sort[c] H[n, c]
    PH[n, r] = argsort[c] H[n, c]
    """,
    {
        "A": integers(-128, 127, 5, 300, type="i8"),
        "B": integers(-300, 300, 300, 5, type="i16"),
        "C": integers(-(2**31), 2**31 - 1, 211, type="i32"),
        "D": integers(-(10**15), 10**15, 3, 53, type="i64"),
        "E": integers(0, 255, 5, 47, type="u8"),
        "F": integers(0, 2**32 - 1, 5, 47, type="u32"),
        "G": uniform(-2, 2, 5, 59, type="f16"),
        "H": uniform(-2, 2, 5, 59, type="bf16"),
    },
    "SA:i8 PA:i64 SB:i16 PB:i16 SC:i32 PC:i64 SD:i64 VD:i64 PD:i64 SE:u8 VE:u8 PE:i64 SF:u32 "
    "PF:i64 SG:f16 VG:f16 PG:i64 SH:bf16 PH:i64",
    exact=("SG", "VG", "SH"),
)
def sorted_types(A, B, C, D, E, F, G, H):
    top = {name: _ranks(x, 1, 3, descending=True) for name, x in (("D", D), ("E", E), ("G", G))}
    return {
        "SA": np.sort(A, 1),
        "PA": _ranks(A, 1),
        "SB": np.sort(B, 0),
        "PB": np.flip(np.sort(B.T, 1), 1)[:, :9],
        "SC": np.sort(C),
        "PC": _ranks(C, 0),
        "SD": np.sort(D, 1),
        "VD": np.take_along_axis(D, top["D"], 1),
        "PD": top["D"],
        "SE": np.sort(E, 1),
        "VE": np.take_along_axis(E, top["E"], 1),
        "PE": top["E"],
        "SF": np.sort(F, 1),
        "PF": _ranks(F, 1),
        "SG": np.sort(G, 1),
        "VG": np.take_along_axis(G, top["G"], 1),
        "PG": top["G"],
        "SH": np.sort(H, 1),
        "PH": _ranks(H, 1),
    }
