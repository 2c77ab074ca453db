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


# Around the numbers of rows of a register tile, and where copying begins to pay.
FEW = (1, 3, 5, 7, 12, 16, 17, 23, 33, 64, 65)


@case
def few_rows(bench):
    rng = np.random.default_rng(4)
    # Columns and points that no tile or block divides, and some that they do.
    for columns, points in ((517, 531), (1040, 40), (300, 2100)):
        for type, c in (("f32", np.float32), ("f64", np.float64)):
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
            for cpu in PROCESSORS:
                got = run(bench, "\n".join(lines) + "\n", {"A": a, "B": b}, names, f"--cpu={cpu}")
                for m in FEW if got else ():
                    where = f"{m} x {columns}, {points} points of {type} on {cpu}"
                    compare(where, got[f"C{m}"], sums[:m])
                    compare(f"max-plus {where}", got[f"M{m}"], most[:m])


if __name__ == "__main__":
    case.main(__doc__)
