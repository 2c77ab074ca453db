#!/usr/bin/python3
"""Products and contractions of many shapes, by code for every processor, against
NumPy on 64-bit numbers.

    check_products.py [CASE ...]
"""

import numpy as np

from harness.cases import Group
from harness.driver import CheckFailed
from harness.levels import PROCESSORS, run

case = Group()


def compare(what, got, want):
    """Of sums of products of normal numbers."""
    unit = {"f4": 1e-5, "f8": 1e-13, "i4": 0}[got.dtype.str[1:]]
    error = np.abs(got.astype(np.float64) - want).max() / max(np.abs(want).max(), 1)
    if got.shape != want.shape or not error <= unit:
        raise CheckFailed(f"{what}: off by {error:.1e} of the largest")


FLOATS = (("f32", np.float32), ("f64", np.float64))


def processors_of(type, at):
    """This one has code of all types for every shape, the others of one or the other,
    and of both for some shape."""
    turn = at + (type == "f64")
    return [cpu for k, cpu in enumerate(PROCESSORS) if cpu == "native" or (turn + k) % 2]


# Around the numbers of rows of a register tile, and where copying begins to pay.
FEW = (1, 3, 5, 7, 12, 16, 17, 23, 33, 64, 65)


@case
def few_rows(bench):
    rng = np.random.default_rng(4)
    # Columns and points that no tile or block divides, and some that they do.
    for at, (columns, points) in enumerate(((517, 531), (1040, 40), (300, 2100))):
        for type, c in FLOATS:
            a = rng.standard_normal((FEW[-1], points)).astype(c)
            b = rng.standard_normal((points, columns)).astype(c)
            lines = [f"input A : {type}[{FEW[-1]}, {points}]", f"input B : {type}[{points}, {columns}]"]
            for m in FEW:
                lines.append(f"C{m}[i:{m}, j] = sum[k] A[i, k] * B[k, j]")
                lines.append(f"M{m}[i:{m}, j] = max[k] (A[i, k] + B[k, j])")
            names = [f"{kind}{m}" for m in FEW for kind in "CM"]
            lines.append("output " + ", ".join(names))
            sums = a.astype(np.float64) @ b.astype(np.float64)
            most = np.array([(row[:, None] + b).max(0) for row in a])
            for cpu in processors_of(type, at):
                got = run(bench, "\n".join(lines) + "\n", {"A": a, "B": b}, names, f"--cpu={cpu}")
                for m in FEW if got else ():
                    where = f"{m} x {columns}, {points} points of {type} on {cpu}"
                    compare(where, got[f"C{m}"], sums[:m])
                    compare(f"max-plus {where}", got[f"M{m}"], most[:m])


# Around the numbers of columns of a tile, of which all are computed at once, and
# of which none are.
NARROW = (2, 3, 5, 8, 13, 24, 33)


@case
def few_columns(bench):
    rng = np.random.default_rng(6)
    # Sums of some vectors, and of blocks that are whole ones and are not.
    for at, (rows, points) in enumerate(((67, 531), (70, 2048), (83, 4100))):
        for type, c in FLOATS:
            a = rng.standard_normal((rows, points)).astype(c)
            b = rng.standard_normal((points, NARROW[-1])).astype(c)
            inputs = {"A": a, "B": b, "T": b.T.copy()}
            lines = [f"input {name} : {type}{list(array.shape)}" for name, array in inputs.items()]
            for n in NARROW:
                lines.append(f"C{n}[i, j:{n}] = sum[k] A[i, k] * B[k, j]")
                lines.append(f"D{n}[j:{n}, i] = sum[k] T[j, k] * A[i, k]")
                lines.append(f"M{n}[i, j:{n}] = max[k] (A[i, k] + T[j, k])")
            names = [f"{kind}{n}" for n in NARROW for kind in "CDM"]
            lines.append("output " + ", ".join(names))
            sums = a.astype(np.float64) @ b.astype(np.float64)
            most = np.array([(row[:, None] + b).max(0) for row in a])
            for cpu in processors_of(type, at):
                got = run(bench, "\n".join(lines) + "\n", inputs, names, f"--cpu={cpu}")
                for n in NARROW if got else ():
                    where = f"{rows} x {n}, {points} points of {type} on {cpu}"
                    compare(where, got[f"C{n}"], sums[:, :n])
                    compare(f"transposed {where}", got[f"D{n}"], sums[:, :n].T)
                    compare(f"max-plus {where}", got[f"M{n}"], most[:, :n])


# Labels that interleave, are permuted or occur in all three.
CONTRACTIONS = {
    "ijb,bjk->ik": {"i": 37, "j": 19, "b": 33, "k": 261},
    "jib,kbj->ki": {"i": 261, "j": 19, "b": 33, "k": 37},
    "ibj,jbk->bik": {"i": 37, "b": 5, "k": 67, "j": 41},
    "bshd,bthd->bhst": {"b": 2, "s": 37, "h": 3, "d": 33, "t": 35},
    "iajb,bka->kij": {"i": 5, "a": 7, "j": 35, "b": 33, "k": 41},
    "aebf,dfce->abcd": {"a": 5, "e": 13, "b": 37, "f": 19, "d": 35, "c": 3},
    "ebaf,cfde->abcd": {"a": 3, "e": 37, "b": 41, "f": 43, "d": 35, "c": 2},
    "aibj,bcja->ic": {"a": 5, "i": 37, "b": 7, "j": 65, "c": 300},
    "ibj,jk->bik": {"i": 37, "b": 5, "j": 67, "k": 261},
    "ibj,jk->kbi": {"i": 37, "b": 5, "j": 4200, "k": 41},
    "ji,jk->ik": {"j": 131, "i": 77, "k": 133},
    "ji,kj->ik": {"j": 613, "i": 101, "k": 131},
}


@case
def contractions(bench):
    rng = np.random.default_rng(5)
    for type, c in (("f32", np.float32), ("f64", np.float64), ("i32", np.int32)):
        lines, inputs, wanted = [], {}, {}
        for at, (spec, sizes) in enumerate(CONTRACTIONS.items()):
            operands, result = spec.split("->")
            for name, labels in zip("AB", operands.split(",")):
                shape = [sizes[label] for label in labels]
                inputs[f"{name}{at}"] = (8 * rng.standard_normal(shape)).astype(c)
                lines.append(f"input {name}{at} : {type}{shape}")
            left, right = (", ".join(labels) for labels in operands.split(","))
            reduced = ", ".join(sorted(set(operands) - set(result) - {","}))
            lines.append(
                f"Z{at}[{', '.join(result)}] = sum[{reduced}] A{at}[{left}] * B{at}[{right}]"
            )
            wide = (inputs[f"{name}{at}"].astype(np.float64) for name in "AB")
            wanted[f"Z{at}"] = np.einsum(spec, *wide, optimize=True)
        lines.append("output " + ", ".join(wanted))
        for cpu in PROCESSORS:
            # How labels are cut has nothing to do with processors.
            for devices in (1, 3) if cpu == "native" else (1,):
                words = (f"--cpu={cpu}", f"--devices={devices}")
                got = run(bench, "\n".join(lines) + "\n", inputs, wanted, *words)
                for at, spec in enumerate(CONTRACTIONS if got else ()):
                    compare(f"{spec} of {type}, {words}", got[f"Z{at}"], wanted[f"Z{at}"])


# A tensor with itself, symmetric in two loops, and what is not: other values of
# one of both, steps between them, an index, or values before the first term.
SYMMETRIC = """
    param m = 331
    param n = 261
    input A : TYPE[m, n]
    input B : TYPE[m, n]
    T[i, k] = sum[j] A[j, i] * A[j, k]
    R[i, k] = sum[j] A[i, j] * A[k, j]
    X[i, k] = max[j] A[j, i] + A[j, k]
    P[b:3, i, k] = sum[j:110] A[3 * j + b, i] * A[3 * j + b, k]
    U[i, k] = sum[j] A[j, i] * B[j, k]
    S[i:260, k:260] = sum[j] A[j, i] * A[j, k + 1]
    I[i, k] = sum[j] A[j, i] * A[j, k] * (i + 2 * k)
    D[i, k] = sum[j] A[j, i] - A[j, k]
    output T, R, X, P, U, S, I, D
"""


@case
def products_with_itself(bench):
    rng = np.random.default_rng(7)
    for type, c in (("f32", np.float32), ("f64", np.float64), ("i32", np.int32)):
        inputs = {name: (8 * rng.standard_normal((331, 261))).astype(c) for name in "AB"}
        a, b = (inputs[name].astype(np.float64) for name in "AB")
        parts = a[:330].reshape(110, 3, 261)
        at = np.arange(261)
        wanted = {
            "T": a.T @ a,
            "R": a @ a.T,
            "X": np.array([(a + a[:, i : i + 1]).max(0) for i in at]),
            "P": np.einsum("jbi,jbk->bik", parts, parts),
            "U": a.T @ b,
            "S": a[:, :-1].T @ a[:, 1:],
            "I": (a.T @ a) * (at[:, None] + 2 * at),
            "D": a.sum(0)[:, None] - a.sum(0),
        }
        for cpu in PROCESSORS:
            for devices in (1, 2, 3) if cpu == "native" else (1,):
                words = (f"--cpu={cpu}", f"--devices={devices}")
                source = SYMMETRIC.replace("TYPE", type)
                got = run(bench, source, inputs, wanted, *words)
                for name in wanted if got else ():
                    compare(f"{name} of {type}, {words}", got[name], wanted[name])
                for name in "TRX" if got and devices == 1 else ():
                    if not np.array_equal(got[name], got[name].T):
                        raise CheckFailed(f"{name} of {type}, {words}: not symmetric")


if __name__ == "__main__":
    case.main(__doc__)
