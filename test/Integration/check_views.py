#!/usr/bin/python3
"""Views, and reads that are folded back into their tensor: what devices send of them.

    check_views.py [--backend local|mpi] [--copies]

Each program is cut over its rows, those of the inputs as well. Values are NumPy's
bit for bit, and what is sent is what devices lack of the rows that they read,
counted here row by row. With --copies, what reads a concatenation reads it where it
lies, on 1 to 8 devices, by one cost model or both: nothing is sent, and nothing copied. Nor
do products put it together. Views in statements of their own are read through.
"""

import argparse

import numpy as np
from check_gather import execute
from harness import contract, driver
from harness.driver import CheckFailed

COLUMNS = 5


def blocks(extent, parts):
    size = -(-extent // parts)
    return [range(min(d * size, extent), min((d + 1) * size, extent)) for d in range(parts)]


def padded(mode):
    """Rows of a tensor of n rows as np.pad has them, from row -n on."""
    return lambda n: np.pad(np.arange(n), n, mode)


class Case:
    """A program of X (and Z) with rows of COLUMNS; `reads` gives per input the rows that
    row i of Y reads, and `value` the result."""

    def __init__(self, rows, result, body, reads, value, kind=None):
        self.rows, self.result, self.body = rows, result, body
        self.reads, self.value, self.kind = reads, value, kind

    def program(self, parts):
        inputs = [
            f"input {name} : f32[{rows}, {COLUMNS}] @ {{0: {parts}, *: 1}}"
            for name, rows in self.rows.items()
        ]
        head = f"Y[i:{self.result}, j:{COLUMNS}] @ {{i: {parts}, j: 1, *: 1}} = "
        return "\n".join([*inputs, head + self.body, "output Y", ""])

    def sent(self, name, parts):
        """Bytes of an input that devices lack."""
        held = blocks(self.rows[name], parts)
        count = 0
        for device, own in enumerate(blocks(self.result, parts)):
            wanted = {row for i in own for row in self.reads[name](i)}
            count += len(wanted - set(held[device]))
        return count * COLUMNS * 4


def stencil(mode, n):
    rows = padded(mode)(n)
    return Case(
        {"X": n},
        n,
        f"sum[r:4] {mode}(X)[i + r - 1, j] * (r + 1)",
        {"X": lambda i: set(rows[n + i - 1 : n + i + 3])},
        lambda X: sum((r + 1) * X[rows[n + r - 1 :][:n]] for r in range(4)),
        kind="halo_exchange" if mode != "wrap" else None,
    )


CASES = {
    **{mode: stencil(mode, 37) for mode in ("edge", "reflect", "symmetric", "wrap")},
    "reversed": Case(
        {"X": 23},
        23,
        "reflect(X)[23 - i, j]",
        {"X": lambda i: {padded("reflect")(23)[23 - i + 23]}},
        lambda X: X[padded("reflect")(23)[46:23:-1]],
    ),
    # A device whose rows lie in X fetches nothing of Z.
    "concat": Case(
        {"X": 19, "Z": 14},
        33,
        "concat[0](X, Z)[i, j]",
        {"X": lambda i: {i} & set(range(19)), "Z": lambda i: {i - 19} & set(range(14))},
        lambda X, Z: np.concatenate([X, Z]),
    ),
    "window of a concat": Case(
        {"X": 19, "Z": 14},
        31,
        "sum[r:3] concat[0](X, Z)[i + r, j] * (r + 1)",
        {
            "X": lambda i: {i, i + 1, i + 2} & set(range(19)),
            "Z": lambda i: {i - 19, i - 18, i - 17} & set(range(14)),
        },
        lambda X, Z: sum((r + 1) * np.concatenate([X, Z])[r : r + 31] for r in range(3)),
    ),
    # A part of a concat reads the part.
    "slice of a concat": Case(
        {"X": 19, "Z": 14},
        12,
        "concat[0](X, X, Z)[i + 39, j]",
        {"X": lambda i: set(), "Z": lambda i: {i + 1}},
        lambda X, Z: Z[1:13],
    ),
    "flip": Case(
        {"X": 23},
        23,
        "flip[0](X)[i, j]",
        {"X": lambda i: {22 - i}},
        lambda X: X[::-1],
    ),
    "reshape": Case(
        {"X": 24},
        24,
        "reshape[24, 5](reshape[8, 15](X))[i, j]",
        {"X": lambda i: {i}},
        lambda X: X,
    ),
    "tile": Case(
        {"X": 13},
        25,
        "tile[2, 1](X)[i, j]",
        {"X": lambda i: {i % 13}},
        lambda X: np.tile(X, (2, 1))[:25],
    ),
    "interleave": Case(
        {"X": 13, "Z": 13},
        26,
        "interleave[0](X, Z)[i, j]",
        {"X": lambda i: {i // 2}, "Z": lambda i: {i // 2}},
        lambda X, Z: np.stack([X, Z], 1).reshape(26, 5),
    ),
}


def check_case(folder, name, case, backend):
    random = np.random.default_rng(len(name))
    arrays = {
        tensor: random.integers(-99, 99, (rows, COLUMNS)).astype(np.float32)
        for tensor, rows in case.rows.items()
    }
    words = [*driver.save_inputs(folder, arrays), *driver.output_options(["Y"])]
    wanted = case.value(**arrays).astype(np.float32)
    for devices in (1, 2, 3, 5, 7, 8) if backend == "local" else (3, 8):
        (folder / "view.ein").write_text(case.program(devices))
        driver.tapestry(
            "plan", "view.ein", f"--devices={devices}", "--json=plan.json", cwd=folder
        ).expect_status(0)
        plan = driver.load_json(folder / "plan.json")
        for tensor in case.rows:
            entries = [e for e in plan["collectives"] if e["vertex"] == tensor]
            sent = sum(entry["bytes"] for entry in entries)
            # Of 8 devices the plan may give other parts to tensors of other extents.
            lacking = case.sent(tensor, devices)
            if sent > lacking if devices == 8 else sent != lacking:
                raise CheckFailed(
                    f"{name} on {devices}: {entries} for {lacking} bytes of {tensor}"
                )
            if case.kind and any(entry["kind"] != case.kind for entry in entries):
                raise CheckFailed(f"{name} on {devices}: {entries}, expected {case.kind}")
        execute(folder, "view.ein", devices, [*words, "--report=r.json"], backend).expect_status(0)
        contract.check_contract(plan, driver.load_json(folder / "r.json"), devices, backend)
        if driver.load_outputs(folder, ["Y"])["Y"].tobytes() != wanted.tobytes():
            raise CheckFailed(f"{name} on {devices}: other values than NumPy's")
    driver.tapestry("reference", "view.ein", *words, cwd=folder).expect_status(0)
    if driver.load_outputs(folder, ["Y"])["Y"].tobytes() != wanted.tobytes():
        raise CheckFailed(f"{name}: the reference has other values than NumPy's")


# What is read, per program, by its tensors' shapes and in the words of NumPy.
CONCATENATIONS = {
    "exp(concat[0](A[:37, :], A[37:, :]))": ({"A": (96, 40)}, lambda A: np.exp(A)),
    "exp(concat[1](A[:, :13], A[:, 13:]))": ({"A": (96, 40)}, lambda A: np.exp(A)),
    "exp(concat[0](A, B))": (
        {"A": (37, 40), "B": (59, 40)},
        lambda A, B: np.exp(np.concatenate([A, B])),
    ),
    "concat[1](A, B, C) * 2": (
        {"A": (40, 7), "B": (40, 30), "C": (40, 11)},
        lambda A, B, C: 2 * np.concatenate([A, B, C], 1),
    ),
    "concat[0](A, B) - concat[0](B, A)": (
        {"A": (37, 40), "B": (59, 40)},
        lambda A, B: np.concatenate([A, B]) - np.concatenate([B, A]),
    ),
    # Slices that go on in each other are what they are slices of.
    "exp(concat[0](A[:50, :, :], A[50:, :, :]))": ({"A": (100, 5, 10)}, lambda A: np.exp(A)),
    "exp(concat[0](A[:30, :], A[30:50, :], A[50:, :]))": ({"A": (100, 9)}, lambda A: np.exp(A)),
    "exp(concat[0](A[:25], A[25:50], A[50:75], A[75:]))": ({"A": (100,)}, lambda A: np.exp(A)),
    "concat[1](A[:, :6], concat[1](A[:, 6:7], A[:, 7:])) + B": (
        {"A": (40, 30), "B": (40, 30)},
        lambda A, B: A + B,
    ),
    "2 * concat[0](A[10:20, :], A[20:47, :])": ({"A": (60, 40)}, lambda A: 2 * A[10:47]),
    # In another order they are read where they lie.
    "exp(concat[0](A[48:, :], A[:48, :]))": ({"A": (96, 40)}, lambda A: np.exp(np.roll(A, 48, 0))),
    "exp(concat[0](A[60:, :], A[20:60, :], A[:20, :]))": (
        {"A": (96, 40)},
        lambda A: np.exp(np.concatenate([A[60:], A[20:60], A[:20]])),
    ),
    "concat[1](A[:, 24:40], A[:, 8:24], A[:, :8]) * B": (
        {"A": (96, 40), "B": (96, 40)},
        lambda A, B: B * np.concatenate([A[:, 24:], A[:, 8:24], A[:, :8]], 1),
    ),
    # Of a result that is a view there is its one write, which is no copy.
    "concat[0](A[:48, :], A[48:, :])": ({"A": (96, 40)}, lambda A: A),
    "concat[0](A[20:, :], B, A[:20, :])": (
        {"A": (96, 40), "B": (30, 40)},
        lambda A, B: np.concatenate([A[20:], B, A[:20]]),
    ),
    "concat[0](A[40:, :], B, A[:40, :]) + 1": (
        {"A": (96, 40), "B": (16, 40)},
        lambda A, B: 1 + np.concatenate([A[40:], B, A[:40]]),
    ),
}
# Strides and mirrored slices are read where they lie, too.
STEPS = {
    "2 * concat[0](A[::2, :], A[1::2, :])": (
        {"A": (97, 40)},
        lambda A: 2 * np.concatenate([A[::2], A[1::2]]),
    ),
    "concat[1](A[:, ::3], A[:, 1::3], A[:, 2::3])": (
        {"A": (40, 61)},
        lambda A: np.concatenate([A[:, ::3], A[:, 1::3], A[:, 2::3]], 1),
    ),
    "exp(concat[0](flip[0](A[:12, :]), A[12:, :]))": (
        {"A": (29, 120)},
        lambda A: np.exp(np.concatenate([A[11::-1], A[12:]])),
    ),
    "concat[1](A[:, 30:], A[:, 29::-1])": (
        {"A": (37, 53)},
        lambda A: np.concatenate([A[:, 30:], A[:, 29::-1]], 1),
    ),
    "concat[0](flip[0](A[:41, :]), B, flip[0](A[41:, :])) + 1": (
        {"A": (97, 40), "B": (13, 40)},
        lambda A, B: 1 + np.concatenate([A[40::-1], B, A[:40:-1]]),
    ),
    "exp(concat[0](A[60:, :], A[:60, :])[10:90:4, :])": (
        {"A": (97, 40)},
        lambda A: np.exp(np.roll(A, -60, 0)[10:90:4]),
    ),
    "C = concat[0](A[48:, :], A[:48, :]); D = C[7:89:2, :]; E = exp(D); Y = D + E": (
        {"A": (96, 40)},
        lambda A: np.roll(A, -48, 0)[7:89:2] + np.exp(np.roll(A, -48, 0)[7:89:2]),
    ),
    "B = A[::2, :]; C = A[1::2, :]; D = concat[0](B, C); E = exp(D); Y = flip[0](D) * E": (
        {"A": (96, 40)},
        lambda A: np.concatenate([A[::2], A[1::2]])[::-1]
        * np.exp(np.concatenate([A[::2], A[1::2]])),
    ),
    # As many as anyone likes.
    f"2 * concat[0]({', '.join(f'A[{7 * i % 37}:{7 * i % 37 + 2}, :]' for i in range(45))})": (
        {"A": (40, 840)},
        lambda A: 2 * np.concatenate([A[7 * i % 37 : 7 * i % 37 + 2] for i in range(45)]),
    ),
    "V = 3 * A; Y = concat[0](V[::2, :], V[1::2, :])": (
        {"A": (97, 40)},
        lambda A: 3 * np.concatenate([A[::2], A[1::2]]),
    ),
}
# Statements that are views alone are read through by what alone reads them.
STATEMENTS = {
    "B = A[0:48, :]; C = A[48:96, :]; Y = concat[0](B, C)": ({"A": (96, 40)}, lambda A: A),
    "B = 2 * A; C = B[0:30, :]; D = B[30:, :]; E = concat[0](C, D); Y = exp(E)": (
        {"A": (96, 40)},
        lambda A: np.exp(2 * A),
    ),
    "B = A[0:30, :]; C = A[30:, :]; D = concat[0](C, B); Y = exp(D)": (
        {"A": (96, 40)},
        lambda A: np.exp(np.roll(A, -30, 0)),
    ),
    "B = A[:, 7:]; C = A[:, 0:7]; Y = concat[1](B, C)": (
        {"A": (96, 40)},
        lambda A: np.roll(A, -7, 1),
    ),
    "B = A[:30, :]; C = A[30:, :]; Y = exp(concat[0](C, B)) + 1": (
        {"A": (96, 40)},
        lambda A: np.exp(np.roll(A, -30, 0)) + 1,
    ),
    "C = concat[0](A, B); D = C[20:150, :]; Y[i, j] = D[i, j] * 2": (
        {"A": (96, 40), "B": (64, 40)},
        lambda A, B: 2 * np.concatenate([A, B])[20:150],
    ),
    "T[j, i] = A[i, j]; U = T[:, 10:]; Y = exp(U)": (
        {"A": (96, 40)},
        lambda A: np.exp(A.T[:, 10:]),
    ),
    # Several readers of what comes of an input, each of which reads an element once.
    "C = concat[0](A[60:, :], A[:60, :]); D = 2 * C; E = exp(C); Y = D + E": (
        {"A": (96, 40)},
        lambda A: 2 * np.roll(A, -60, 0) + np.exp(np.roll(A, -60, 0)),
    ),
    "B = A[60:, :]; C = A[20:60, :]; D = A[:20, :]; E = concat[0](B, C, D); Y = exp(E)": (
        {"A": (96, 40)},
        lambda A: np.exp(np.concatenate([A[60:], A[20:60], A[:20]])),
    ),
}
# What is computed and handed on as a view is computed where it goes.
COMPUTED = {
    "V = 3 * A; Y = concat[0](V[60:, :], V[:60, :])": (
        {"A": (96, 40)},
        lambda A: 3 * np.roll(A, -60, 0),
    ),
    "V = A * A; B = V[:, 25:]; C = V[:, :25]; Y = concat[1](B, C)": (
        {"A": (96, 40)},
        lambda A: np.roll(A * A, -25, 1),
    ),
    "V = 3 * A; U = exp(B) + A; Y = concat[0](V[30:, :], U[:37, :])": (
        {"A": (97, 40), "B": (97, 40)},
        lambda A, B: np.concatenate([3 * A[30:], (np.exp(B) + A)[:37]]),
    ),
}
# Partial sums of each tensor add to each other where they are summed over.
PRODUCTS = {
    "concat[0](A, C) @ B": (
        {"A": (100, 64), "C": (60, 64), "B": (64, 48)},
        lambda A, C, B: np.concatenate([A, C]) @ B,
    ),
    "concat[0](A[60:, :], A[20:60, :], A[:20, :]) @ B": (
        {"A": (96, 64), "B": (64, 48)},
        lambda A, B: np.concatenate([A[60:], A[20:60], A[:20]]) @ B,
    ),
    "concat[1](A, C) @ B": (
        {"A": (96, 50), "C": (96, 14), "B": (64, 48)},
        lambda A, C, B: np.concatenate([A, C], 1) @ B,
    ),
    "A @ concat[0](B, C)": (
        {"A": (40, 96), "B": (60, 48), "C": (36, 48)},
        lambda A, B, C: A @ np.concatenate([B, C]),
    ),
    "C = A[0:30, :]; D = A[30:, :]; E = concat[0](D, C); Y = E @ B": (
        {"A": (100, 64), "B": (64, 48)},
        lambda A, B: np.roll(A, -30, 0) @ B,
    ),
    "C = A[0:30, :]; D = A[50:, :]; E = concat[0](C, D); Y = E @ B": (
        {"A": (100, 64), "B": (64, 48)},
        lambda A, B: np.concatenate([A[:30], A[50:]]) @ B,
    ),
}


def check_concatenation(folder, expression, shapes, value, devices, backend, cost):
    random = np.random.default_rng(devices)
    inputs = {
        name: random.standard_normal(shape).astype(np.float32) for name, shape in shapes.items()
    }
    lines = [
        f"input {name} : f32[{', '.join(map(str, shape))}]" for name, shape in shapes.items()
    ]
    statements = expression.split("; ") if " = " in expression else [f"Y = {expression}"]
    (folder / "c.ein").write_text("\n".join([*lines, *statements, "output Y", ""]))
    words = [*driver.save_inputs(folder, inputs), *driver.output_options(["Y"])]
    words += [f"--cost={cost}", "--report=r.json"]
    execute(folder, "c.ein", devices, words, backend).expect_status(0)
    report = driver.load_json(folder / "r.json")
    sent = sum(entry["counted_bytes"] for entry in report["collectives"])
    # By the paper's cost a product's tensors may move, and what is read at several places;
    # they are never put together.
    may_move = (expression in PRODUCTS or expression in STEPS) and cost == "paper"
    if report["copies"] or ((sent or report["copied_bytes"]) and not may_move):
        raise CheckFailed(
            f"'{expression}' on {devices} by {cost}: {sent} bytes are sent, "
            f"{report['copied_bytes']} copied"
        )
    want = value(**{name: tensor.astype(np.float64) for name, tensor in inputs.items()})
    # A product is rounded as often as it adds.
    close = 1e-4 if expression in PRODUCTS else 1e-6
    if not np.allclose(driver.load_outputs(folder, ["Y"])["Y"], want, rtol=1e-5, atol=close):
        raise CheckFailed(f"'{expression}' on {devices}: other values than NumPy's")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--backend", choices=["local", "mpi"], default="local")
    parser.add_argument("--copies", action="store_true", help="concatenations alone")
    options = parser.parse_args()
    backend = options.backend
    with driver.workspace() as folder:
        if options.copies:
            programs = {**CONCATENATIONS, **STATEMENTS, **COMPUTED, **PRODUCTS, **STEPS}
            for at, (expression, (shapes, value)) in enumerate(programs.items()):
                for devices in (1, 3, 4 + at % 4, 8) if expression in STEPS else range(1, 9):
                    # Both where most axes are cut; else one in turn.
                    both = ("paper", "spmd")
                    for cost in both if devices in (6, 8) else both[(at + devices) % 2 :][:1]:
                        check_concatenation(
                            folder, expression, shapes, value, devices, backend, cost
                        )
            return
        for name, case in CASES.items():
            check_case(folder, name, case, backend)
    print(f"{len(CASES)} programs send what their devices lack")


if __name__ == "__main__":
    main()
