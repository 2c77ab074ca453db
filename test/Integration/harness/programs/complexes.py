"""Complex numbers: arithmetic, functions, sums of products, reads of all kinds and loops."""

import numpy as np

from .registry import Input, integers, normal, program

OPERATIONS = """
input X : {t}[19, 7]
input Y : {t}[19, 7]
input R : {r}[19, 7]
input N : i32[19, 7]
K : {t}[2, 2] = [[1, 2i], [-1.5 - 0.5i, 1i * 1i / 4]]
Sum[i, j] = X[i, j] + Y[i, j] - 1
Minus[i, j] = 3i - -X[i, j]
Product[i, j] = 2 * X[i, j] * Y[i, j] * 0.5i
Quotient[i, j] = X[i, j] / Y[i, j] + 1 / X[i, j]
Square[i, j] = X[i, j] ** 2 + X[i, j] ** -3
Equal[i, j] = X[i, j] == Y[i, j] || X[i, j] != X[i, j]
Different[i, j] = X[i, j] != conj(X[i, j])
Real[i, j] = re(X[i, j]) * 2 + im(Y[i, j])
Conj[i, j] = conj(X[i, j]) * X[i, j]
Length[i, j] = abs(X[i, j] / 1e-30) / 1e30
Angle[i, j] = arg(X[i, j])
Exp[i, j] = exp(X[i, j]) - exp(1i * X[i, j])
Root[i, j] = sqrt(X[i, j]) + (-X[i, j]) ** 0
Whole[i, j] = complex(R[i, j], 1 - R[i, j])
FromReal[i, j] = {t}(R[i, j]) + 1i
FromWhole[i, j] = {t}(N[i, j]) * {t}(N[i, j] > 3)
Other[i, j] = {other}(X[i, j])
Chosen[i, j] = select(R[i, j] > 0, X[i, j], 1 + 2i)
Places[i, j] = X[i, j] * i + 0.5i * j - [i < j] * X[i, j]
Row[i] = sum[j] X[i, j]
Column[j] = sum[i] X[i, j]
Total = sum[i, j] X[i, j] * Y[i, j]
Mean[j] = mean[i] X[i, j]
Powers[i] = prod[j] X[i, j]
Matrix[i, k] = sum[j] conj(X[i, j]) * Y[k, j]
Gram = transpose(X) @ Y
Mixed[i] = sum[j] X[i, j] * {t}(R[i, j]) * exp(1i * {t}(N[i, j]))
Along[i, j] = cumsum[j] X[i, j]
Across[i, j] = cumsum[i] X[i, j] * Y[i, j]
Products[i, j] = cumprod[i] X[i, j] / 2
Line[j, i] = cumprod[j] conj(X[i, j])
Fallen[N[i, 1]:7, j] = sum[i] X[i, j]
Cells[N[i, 0]:7] = sum[i] X[i, 2] - 1i
Grown[N[i, j]:7] = prod[i, j] X[i, j]
Averages[N[i, 1]:8, j] = mean[i] X[i, j]
Picked[i, j] = X[N[i, 0], j] + pad(Y, 1i)[N[i, 0] - 3, N[i, 1]]
Padded[i:21, j:7] = pad(X, 0)[i - 1, j] + pad(Y, 2 - 1i)[i - 1, j]
Around[i:19, j] = X[(i + 1) % 19, j] - wrap(Y)[i - 2, j]
Back[j, i] = X[i, j]
Both = concat[0](flip[1](X), Y)
Scaled[i, j] = X[i, j] / {t}(sum[k](abs(X[i, k])))
Constant[i:2, j:2] = K[i, j] * Y[i, j]
Zero : {t}[3] = zeros
repeat t:9 (V[j:7] = {t}(1)) {{
  W[i] = sum[j] X[i, j] * V[j]
  collect Rows[t, i:19] = W[i]
  next V[j] = sum[i] conj(X[i, j]) * W[i] / 30
}}
Last[j] = V[j]
Passed[t, i] = Rows[t, i]
"""


def declare(type):
    wide, real = {"c64": ("c128", "f32"), "c128": ("c64", "f64")}[type]

    def formula(X, Y, R, N):
        I, J = np.arange(19)[:, None], np.arange(7)  # noqa: E741
        K = np.array([[1, 2j], [-1.5 - 0.5j, -0.25]])
        rows = N[:, 0]
        outside = (rows < 3)[:, None]
        fallen, cells, scaled = np.zeros((7, 7), complex), np.zeros(7, complex), np.ones(7, complex)
        np.add.at(fallen, N[:, 1], X)
        np.add.at(cells, rows, X[:, 2] - 1j)
        np.multiply.at(scaled, N, X)
        counts = np.bincount(N[:, 1], minlength=8)[:, None]
        averages = np.zeros((8, 7), complex)
        np.add.at(averages, N[:, 1], X)
        with np.errstate(invalid="ignore"):
            averages = (averages.real / counts) + 1j * (averages.imag / counts)
        V, rows_of_passes = np.ones(7, complex), []
        for _ in range(9):
            rows_of_passes.append(X @ V)
            V = X.conj().T @ rows_of_passes[-1] / 30
        return {
            "Sum": X + Y - 1,
            "Minus": 3j + X,
            "Product": X * Y * 1j,
            "Quotient": X / Y + 1 / X,
            "Square": X**2 + X**-3.0,
            "Equal": X == Y,
            "Different": X.imag != 0,
            "Real": X.real * 2 + Y.imag,
            "Conj": X.conj() * X,
            "Length": np.abs(X),
            "Angle": np.angle(X),
            "Exp": np.exp(X) - np.exp(1j * X),
            "Root": np.sqrt(X) + 1,
            "Whole": R + 1j * (1 - R),
            "FromReal": R + 1j,
            "FromWhole": N * (N > 3) + 0j,
            "Other": X,
            "Chosen": np.where(R > 0, X, 1 + 2j),
            "Places": X * I + 0.5j * J - (I < J) * X,
            "Row": X.sum(1),
            "Column": X.sum(0),
            "Total": (X * Y).sum(),
            "Mean": X.mean(0),
            "Powers": X.prod(1),
            "Matrix": X.conj() @ Y.T,
            "Gram": X.T @ Y,
            "Mixed": (X * R * np.exp(1j * N)).sum(1),
            "Along": X.cumsum(1),
            "Across": (X * Y).cumsum(0),
            "Products": (X / 2).cumprod(0),
            "Line": X.conj().cumprod(1).T,
            "Fallen": fallen,
            "Cells": cells,
            "Grown": scaled,
            "Averages": averages,
            "Picked": X[rows] + np.where(outside, 1j, Y[np.maximum(rows - 3, 0), N[:, 1] % 7][:, None]),
            "Padded": np.pad(X, ((1, 1), (0, 0))) + np.pad(Y, ((1, 1), (0, 0)), constant_values=2 - 1j),
            "Around": np.roll(X, -1, 0) - np.roll(Y, 2, 0),
            "Back": X.T,
            "Both": np.concatenate([X[:, ::-1], Y]),
            "Scaled": X / np.abs(X).sum(1)[:, None],
            "Constant": K * Y[:2, :2],
            "Zero": np.zeros(3, complex),
            "Last": V,
            "Passed": np.array(rows_of_passes),
        }  # fmt: skip

    def draw(rng):
        values = rng.standard_normal((19, 7)) + 1j * rng.standard_normal((19, 7))
        values[0, :4] = [1, -1, 2j, -0.5j]
        return values

    others = {"Equal": "bool", "Different": "bool", "Real": real, "Length": real, "Angle": real,
              "Other": wide}  # fmt: skip
    names = [line.split()[0].split("[")[0] for line in OPERATIONS.split("\n") if " = " in line]
    names = [name for name in names if name[0].isupper() and name not in "KVW"]
    formula.__name__ = f"complex_{type}"
    program(
        OPERATIONS.format(t=type, r=real, other=wide),
        {
            "X": Input(type, draw), "Y": Input(type, draw),
            "R": normal(19, 7, type=real), "N": integers(0, 6, 19, 7),
        },
        {name: others.get(name, type) for name in names},
        tolerance={"Other": 1e-6},
    )(formula)  # fmt: skip


declare("c64")
declare("c128")
