"""Reads that leave a tensor and are folded back into it, as by the modes of np.pad."""

import numpy as np

from .registry import integers, program


@program(
    """
    param n = 23
    param m = 14
    input U : f32[n, m]
    N[i, j] = edge(U)[i - 1, j] + edge(U)[i + 1, j]
    W[i, j:m] = edge(U)[i, j - 1] + edge(U)[i, j + 1]
    V[i, j] = U[i, j] + 0.125 * (N[i, j] + W[i, j] - 4 * U[i, j])
    """,
    {"U": integers(-64, 64, 23, 14, type="f32")},
    "V:f32",
    exact={"V"},
)
def neumann_heat(U):
    wide = np.pad(U, 1, "edge")
    around = wide[:-2, 1:-1] + wide[2:, 1:-1] + wide[1:-1, :-2] + wide[1:-1, 2:]
    return U + 0.125 * (around - 4 * U)


@program(
    """
    param n = 19
    param m = 11
    input X : f32[n, m]
    input K : f32[3, 5]
    E[i:n, j:m] = sum[r, q] edge(X)[i + r - 1, j - q + 2] * K[r, q]
    R[i:n, j:m] = sum[r, q] reflect(X)[i + r - 1, j - q + 2] * K[r, q]
    S[i:n, j:m] = sum[r, q] symmetric(X)[i + r - 1, j - q + 2] * K[r, q]
    W[i:n, j:m] = sum[r, q] wrap(X)[i + r - 1, j - q + 2] * K[r, q]
    """,
    {"X": integers(-9, 9, 19, 11, type="f32"), "K": integers(-9, 9, 3, 5, type="f32")},
    "E:f32 R:f32 S:f32 W:f32",
    exact={"E", "R", "S", "W"},
)
def folded_windows(X, K):
    def filtered(mode):
        wide = np.pad(X, ((1, 1), (2, 2)), mode)
        return sum(
            K[r, q] * wide[r : r + 19, 4 - q : 15 - q] for r in range(3) for q in range(5)
        )

    return {"E": filtered("edge"), "R": filtered("reflect"), "S": filtered("symmetric"),
            "W": filtered("wrap")}  # fmt: skip


@program(
    """
    input U : f32[9, 40]
    input V : f32[40, 9]
    A[i:9, j:40] = edge(U)[i + 1, j] - symmetric(U)[i + 2, j - 1] * reflect(U)[i, j + 1]
    B[i:40, j:9] = edge(V)[i, j + 1] - symmetric(V)[i - 1, j + 2] * reflect(V)[i + 1, j]
    """,
    {
        "U": integers(-9, 9, 9, 40, type="f32"),
        "V": integers(-9, 9, 40, 9, type="f32"),
    },
    "A:f32 B:f32",
    exact={"A", "B"},
)
def folded_corners(U, V):
    """Points that read over an edge of the tensor along one dimension and over one of a
    device's part along the other."""

    def at(X, mode, rows, columns):
        wide = np.pad(X, 3, mode)[3 + rows :, 3 + columns :]
        return wide[: X.shape[0], : X.shape[1]]

    return {
        "A": at(U, "edge", 1, 0) - at(U, "symmetric", 2, -1) * at(U, "reflect", 0, 1),
        "B": at(V, "edge", 0, 1) - at(V, "symmetric", -1, 2) * at(V, "reflect", 1, 0),
    }


@program(
    """
    input X : f32[7, 5]
    input T : i32[6]
    E[i:31, j] = edge(X)[i - 12, j]
    R[i:31, j:16] = reflect(X)[i - 12, j - 6]
    S[i:31, j:16] = symmetric(X)[18 - i, j - 6]
    W[i:31, j:16] = wrap(X)[i - 12, j - 6]
    C[i:9, j:5] = edge(X)[i - 1, (j + 2) % 5] - reflect(X)[(3*i + 1) % 7, j - 1]
    D[i:6, j:5] = max[r:4] symmetric(X)[2*i - r, j // 2] + edge(X)[i // 3 - 1, 7 - 2*j]
    O[i:20] = edge(T)[i - 30] * 10 + reflect(T)[i + 40]
    B[i:7] = symmetric(X)[i + 1, 4]
    """,
    {"X": integers(-9, 9, 7, 5, type="f32"), "T": integers(-9, 9, 6)},
    "E:f32 R:f32 S:f32 W:f32 C:f32 D:f32 O:i32 B:f32",
    exact={"E", "R", "S", "W", "C", "D", "B"},
)
def wide_folds(X, T):
    wide = {mode: np.pad(X, ((12, 12), (6, 5)), mode) for mode in
            ("edge", "reflect", "symmetric", "wrap")}  # fmt: skip
    i, j = np.arange(9)[:, None], np.arange(5)
    strided = np.max(
        [wide["symmetric"][2 * np.arange(6)[:, None] - r + 12, j // 2 + 6] for r in range(4)], axis=0
    ) + wide["edge"][np.arange(6)[:, None] // 3 - 1 + 12, 7 - 2 * j + 6]
    return {
        "E": wide["edge"][:, 6:11],
        "R": wide["reflect"],
        "S": wide["symmetric"][30::-1],
        "W": wide["wrap"],
        "C": wide["edge"][i + 11, (j + 2) % 5 + 6] - wide["reflect"][(3 * i + 1) % 7 + 12, j + 5],
        "D": strided,
        "O": 10 * T[0] + np.pad(T, (0, 60), "reflect")[np.arange(20) + 40],
        "B": wide["symmetric"][13:20, 10],
    }


@program(
    """
    input X : f32[7, 5]
    input A : i32[30]
    input B : i8[30]
    E[t, j] = edge(X)[A[t], j]
    W[t, j] = wrap(X)[A[t] + 1, j]
    R[t] = reflect(X)[A[t], B[t]]
    S[t] = symmetric(X)[A[t], B[t]]
    """,
    {
        "X": integers(-9, 9, 7, 5, type="f32"),
        "A": integers(-29, 29, 30),
        "B": integers(-29, 29, 30, type="i8"),
    },
    "E:f32 W:f32 R:f32 S:f32",
    exact={"E", "W", "R", "S"},
)
def folded_gathers(X, A, B):
    wide = {mode: np.pad(X, 40, mode) for mode in ("edge", "reflect", "symmetric", "wrap")}
    rows, columns = A.astype(int) + 40, B.astype(int) + 40
    return {
        "E": wide["edge"][rows][:, 40:45],
        "W": wide["wrap"][rows + 1][:, 40:45],
        "R": wide["reflect"][rows, columns],
        "S": wide["symmetric"][rows, columns],
    }
