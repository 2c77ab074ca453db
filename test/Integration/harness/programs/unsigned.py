"""Unsigned integers: arithmetic, casts and files of every width, and an image."""

import numpy as np

from .registry import Input, integers, program

OPERATIONS = """
input X : {t}[19, 7]
input Y : {t}[19, 7]
input S : i16[19, 7]
input R : f64[19, 7]
Sum[i, j] = X[i, j] + Y[i, j] - 3
Minus[i, j] = -X[i, j]
Product[i, j] = X[i, j] * Y[i, j] ** 2
Quotient[i, j] = X[i, j] / Y[i, j]
Floor[i, j] = X[i, j] // (Y[i, j] % 8)
Rest[i, j] = X[i, j] % (Y[i, j] >> 1)
Seventh[i, j] = X[i, j] // 7 + X[i, j] % 7
Shifted[i, j] = X[i, j] >> (Y[i, j] % 80)
Left[i, j] = X[i, j] << (Y[i, j] % 80)
Bits[i, j] = (X[i, j] & Y[i, j] | 1) ^ {top}
Larger[i, j] = max(X[i, j], Y[i, j])
Smaller[i, j] = min(clamp(X[i, j], 3, 100), Y[i, j])
Less[i, j] = X[i, j] < Y[i, j] || X[i, j] >= {top}
Sign[i, j] = sign(X[i, j]) + abs(Y[i, j])
Row[i] = sum[j] X[i, j]
Whole = prod[i, j] X[i, j] | 1
Most[j] = max[i] X[i, j]
Least = min[i, j] X[i, j]
Parity = xor[i, j] X[i, j]
RunMost[i, j] = cummax[i] X[i, j]
RunLeast[i, j] = cummin[j] X[i, j]
Cell[i] = i64(X[i, 0] % 5)
CellMost[Cell[i]:6, j] = max[i] X[i, j]
CellLeast[Cell[i]:6, j] = min[i] X[i, j]
Wide[i, j] = i64(X[i, j])
Narrow[i, j] = i8(X[i, j])
FromSigned[i, j] = {t}(S[i, j])
Real[i, j] = f64(X[i, j])
Half[i, j] = f32(f16(X[i, j]))
FromReal[i, j] = {t}(R[i, j])
Truth[i, j] = bool(X[i, j] & 1)
Places[i, j] = X[i, j] * {t}(i) + j
Picked[i] = R[X[i, 0] % 19, 2]
Back[j, i] = X[i, j]
"""


def declare(type):
    dtype = np.dtype(f"uint{type[1:]}")
    bits = dtype.itemsize * 8
    top = 2**bits - 1

    def formula(X, Y, S, R):
        one = dtype.type(1)
        with np.errstate(all="ignore"):
            safe = lambda y: np.where(y == 0, one, y)  # noqa: E731
            over = lambda x, y: np.where(y == 0, 0, x // safe(y)).astype(dtype)  # noqa: E731
            count = Y % dtype.type(80)
            inside = count < bits
            shift = np.where(inside, count, 0).astype(dtype)
            clipped = np.clip(np.nan_to_num(R, nan=0.0), 0, float(top))
            exact = np.array([min(int(v), top) for v in clipped.ravel()], dtype).reshape(R.shape)
            half = np.minimum(X, dtype.type(min(top, 70000))).astype(np.float32)
            half = half.astype(np.float16)
        cell = (X[:, 0] % dtype.type(5)).astype(np.int64)
        return {
            "Sum": X + Y - dtype.type(3),
            "Minus": (0 - X.astype(np.int64)).astype(dtype) if bits < 64 else ~X + one,
            "Product": X * Y * Y,
            "Quotient": over(X, Y),
            "Floor": over(X, Y % dtype.type(8)),
            "Rest": X % safe(Y >> one),
            "Seventh": X // dtype.type(7) + X % dtype.type(7),
            "Shifted": np.where(inside, X >> shift, 0).astype(dtype),
            "Left": np.where(inside, X << shift, 0).astype(dtype),
            "Bits": (X & Y | one) ^ dtype.type(top),
            "Larger": np.maximum(X, Y),
            "Smaller": np.minimum(np.clip(X, dtype.type(3), dtype.type(100)), Y),
            "Less": (X < Y) | (X >= dtype.type(top)),
            "Sign": (X > 0).astype(dtype) + Y,
            "Row": X.sum(1, dtype=dtype),
            "Whole": (X | one).prod(dtype=dtype),
            "Most": X.max(0),
            "Least": X.min(),
            "Parity": np.bitwise_xor.reduce(X, axis=None),
            "RunMost": np.maximum.accumulate(X, 0),
            "RunLeast": np.minimum.accumulate(X, 1),
            "Cell": cell,
            "CellMost": np.array([X[cell == c].max(0, initial=dtype.type(0)) for c in range(6)]),
            "CellLeast": np.array([X[cell == c].min(0, initial=dtype.type(top)) for c in range(6)]),
            "Wide": X.astype(np.int64),
            "Narrow": X.astype(np.int8),
            "FromSigned": S.astype(dtype),
            "Real": X.astype(np.float64),
            "Half": half,
            "FromReal": exact,
            "Truth": (X & one).astype(bool),
            "Places": X * np.arange(19, dtype=dtype)[:, None] + np.arange(7, dtype=dtype),
            "Picked": R[(X[:, 0] % dtype.type(19)).astype(np.int64), 2],
            "Back": X.T,
        }  # fmt: skip

    def draw(rng):
        values = rng.integers(0, top, (19, 7), dtype, endpoint=True)
        # Around zero, the sign bit of as many bits, and the largest.
        edges = [0, 1, 2, 2 ** (bits - 1) - 1, 2 ** (bits - 1), top - 1, top]
        values[2] = edges
        values[3, :3] = 0
        return values

    signed = {"Wide": "i64", "Narrow": "i8", "Real": "f64", "Half": "f32", "Less": "bool",
              "Truth": "bool", "Picked": "f64", "Cell": "i64"}  # fmt: skip
    names = [line.split()[0].split("[")[0] for line in OPERATIONS.split("\n") if " = " in line]
    formula.__name__ = f"unsigned_{type}"
    program(
        OPERATIONS.format(t=type, top=top),
        {
            "X": Input(type, draw), "Y": Input(type, draw),
            "S": integers(-300, 300, 19, 7, type="i16"),
            "R": Input("f64", lambda rng: reals(rng, bits)),
        },
        {name: signed.get(name, type) for name in names},
        exact={"Real", "Half", "Picked"},
    )(formula)  # fmt: skip


def reals(rng, bits):
    """In range, beyond both ends, and no numbers."""
    values = rng.uniform(-0.2, 1.2, (19, 7)) * 2.0**bits
    values[0] = [-0.5, -0.0, 0.99, 2.0**bits, np.inf, -np.inf, np.nan]
    return values


for width in (8, 16, 32, 64):
    declare(f"u{width}")


@program(
    """
    param n = 41
    input Image : u8[n, 53]
    K : i32[3, 3] = [[-1, -2, -1], [0, 0, 0], [1, 2, 1]]
    H[y:n - 2, x:51] = sum[r:3, q:3] K[q, r] * i32(Image[y + r, x + q])
    V[y:n - 2, x:51] = sum[r:3, q:3] K[r, q] * i32(Image[y + r, x + q])
    Edges[y, x] = u8(sqrt(f32(H[y, x] ** 2 + V[y, x] ** 2)))
    Bright[y, x] = u8(clamp(i16(Image[y, x]) + 40, 0, 255))
    Histogram[Image[y, x]:256] = sum[y, x] 1
    Grey[y:20, x:26] = u8((sum[r:2, q:2](u32(Image[2*y + r, 2*x + q]))) / 4)
    """,
    {"Image": integers(0, 255, 41, 53, type="u8")},
    "Edges:u8 Bright:u8 Grey:u8 Histogram:i64",
)  # fmt: skip
def sobel(Image):
    I = Image.astype(np.int64)  # noqa: E741
    across = I[:, 2:] - I[:, :-2]
    down = I[2:] - I[:-2]
    h = across[:-2] + 2 * across[1:-1] + across[2:]
    v = down[:, :-2] + 2 * down[:, 1:-1] + down[:, 2:]
    return {
        "Edges": np.minimum(np.sqrt((h**2 + v**2).astype(np.float32)), 255).astype(np.uint8),
        "Bright": np.minimum(I + 40, 255).astype(np.uint8),
        "Histogram": np.bincount(Image.ravel(), minlength=256),
        "Grey": (I[:40, :52].reshape(20, 2, 26, 2).sum((1, 3)) // 4).astype(np.uint8),
    }
