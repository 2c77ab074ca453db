#!/usr/bin/python3
"""Gathers: every cut that there is, forced by pins, and indices that lie outside.

    check_gather.py [--backend local|mpi]

Values are NumPy's bit for bit, -0.0, NaN and infinities included, and the bytes
that a cut sends are those that its formula says.
"""

import argparse

import numpy as np
from harness import compare, contract, driver
from harness.driver import CheckFailed

ROWS, COLUMNS, SHAPE = 19, 7, (3, 11)
TYPES = {
    "f64": "float64", "f32": "float32", "f16": "float16", "bf16": "V2", "i8": "int8",
    "i16": "int16", "i32": "int32", "i64": "int64", "bool": "bool",
}  # fmt: skip
PROGRAM = """\
input Table : {type}[19, 7] @ {table}
input Tok : {index}[3, 11] @ {tok}
Y[b, s, a] @ {cut} = Table[Tok[b, s], a]
output Y
"""
WHOLE = "{*: 1}"


def pin(label, parts):
    return f"{{{label}: {parts}, *: 1}}"


def cuts(parts, bytes_of):
    """(pins of Y, Table and Tok, what is sent of each): the formulas."""
    table, result = bytes_of["Table"], bytes_of["Y"]
    reduced = {"all_reduce": 2 * (parts - 1) * result, "reduce_scatter": (parts - 1) * result}
    # A part of ceil(extent / parts) rows and columns lies where both blocks meet.
    blocks = [
        [min((d + 1) * -(-extent // parts), extent) - min(d * -(-extent // parts), extent)
         for d in range(parts)]
        for extent in (ROWS, COLUMNS)
    ]  # fmt: skip
    meet = sum(rows * columns for rows, columns in zip(*blocks))
    element = table // (ROWS * COLUMNS)
    yield pin("Tok", parts), pin("0", parts), WHOLE, {"Y": reduced}
    yield pin("a", parts), pin("1", parts), WHOLE, {}
    yield pin("s", parts), WHOLE, pin("1", parts), {}
    yield pin("b", min(parts, SHAPE[0])), WHOLE, pin("0", min(parts, SHAPE[0])), {}
    moved = {"all_to_all": (ROWS * COLUMNS - meet) * element}
    yield pin("Tok", parts), pin("1", parts), WHOLE, {"Y": reduced, "Table": moved}
    yield pin("a", parts), pin("0", parts), WHOLE, {"Table": moved}
    gathered = {"all_gather": (parts - 1) * table}
    yield pin("s", parts), pin("0", parts), WHOLE, {"Table": gathered}


def draw(random, type):
    if type == "bool":
        return random.random((ROWS, COLUMNS)) < 0.5
    values = 50 * random.standard_normal((ROWS, COLUMNS))
    if type[0] in "fb":
        values[3, 2], values[4, 1], values[5, 0], values[5, 3] = -0.0, np.nan, np.inf, 1e-40
    if type == "bf16":
        return compare.bf16_bits(values).view("V2").reshape(values.shape)
    return values.astype(TYPES[type])


def execute(folder, name, devices, words, backend):
    if backend == "local":
        return driver.tapestry("run", name, f"--devices={devices}", *words, cwd=folder)
    options = [word for word in words if word.startswith("--json")]
    rest = [word for word in words if word not in options]
    driver.tapestry(
        "compile", name, f"--devices={devices}", *options, "-o", "prog", cwd=folder
    ).expect_status(0)
    return driver.mpirun(devices, "./prog", "--backend", "mpi", *rest, cwd=folder)


def check_sent(plan, wanted):
    for vertex in ("Y", "Table", "Tok"):
        sent = [entry for entry in plan["collectives"] if entry["vertex"] == vertex]
        expected = wanted.get(vertex, {})
        total = sum(entry["bytes"] for entry in sent)
        if total != (expected[sent[0]["kind"]] if sent else 0) or bool(expected) != bool(sent):
            raise CheckFailed(f"{vertex}: {sent} is sent, expected {expected}")


def check_cuts(folder, backend, type, index):
    random = np.random.default_rng(len(type))
    table = draw(random, type)
    tok = random.integers(0, ROWS, SHAPE).astype(TYPES[index])
    tok[0, :4] = [3, 4, 5, ROWS - 1]
    files = driver.save_inputs(folder, {"Table": table, "Tok": tok})
    files += driver.output_options(["Y"])
    wanted = table[tok]
    sizes = {"Table": table.nbytes, "Y": wanted.nbytes}
    count = 0
    for parts in (2, 3, 4) if type == "f32" else (3,):
        for cut, table_pin, tok_pin, sent in cuts(parts, sizes):
            devices = int(cut.split(":")[1].split(",")[0])
            text = PROGRAM.format(type=type, index=index, cut=cut, table=table_pin, tok=tok_pin)
            (folder / "gather.ein").write_text(text)
            driver.tapestry(
                "plan", "gather.ein", f"--devices={devices}", "--json=plan.json", cwd=folder
            ).expect_status(0)
            plan = driver.load_json(folder / "plan.json")
            check_sent(plan, sent)
            words = [*files, "--report=r.json"]
            execute(folder, "gather.ein", devices, words, backend).expect_status(0)
            report = driver.load_json(folder / "r.json")
            contract.check_contract(plan, report, devices, backend)
            got = driver.load_outputs(folder, ["Y"])["Y"]
            if got.dtype.itemsize != table.dtype.itemsize:
                raise CheckFailed(f"{type}: the result has type {got.dtype}")
            if got.tobytes() != wanted.tobytes():
                raise CheckFailed(f"{type} by {index}, cut {cut}: other bits than NumPy's")
            count += 1
    driver.tapestry("reference", "gather.ein", *files, cwd=folder).expect_status(0)
    if driver.load_outputs(folder, ["Y"])["Y"].tobytes() != wanted.tobytes():
        raise CheckFailed(f"{type} by {index}: the reference has other bits than NumPy's")
    return count


OUTSIDE = """\
input A : f32[9, 200]
input I : i32[3, 5]
input J : i8[5]
input K : i64
Y[b, s] = A[I[b, s], J[s]]
Z[s] = 2 * A[I[0, s], K]
output Y, Z
"""
GOOD = {
    "A": np.random.default_rng(3).standard_normal((9, 200)).astype(np.float32),
    "I": np.arange(15, dtype=np.int32).reshape(3, 5) % 9,
    "J": np.arange(5, dtype=np.int8),
    "K": np.array(199),
}
# What is changed, and what the message says.
FAULTS = [
    ([("I", (1, 3), 9), ("I", (2, 0), -1)],
     "outside.ein:5:1: error: index I[1, 3] is 9, but dimension 0 of 'A' has only the indices 0 to 8"),
    ([("I", (2, 4), -(2**31)), ("J", 3, -128)],
     "outside.ein:5:1: error: index I[2, 4] is -2147483648, but dimension 0 of 'A' has only the "
     "indices 0 to 8"),
    ([("J", 3, -128)],
     "outside.ein:5:1: error: index J[3] is -128, but dimension 1 of 'A' has only the indices 0 to 199"),
    ([("K", (), 200)],
     "outside.ein:6:1: error: index K is 200, but dimension 1 of 'A' has only the indices 0 to 199"),
    ([("K", (), -(2**63))],
     "outside.ein:6:1: error: index K is -9223372036854775808, but dimension 1 of 'A' has only the "
     "indices 0 to 199"),
]  # fmt: skip

# What the program names, however the language has it read.
COMPUTED = """\
input A : f32[300, 9]
input U : u8[5, 3]
input W : u64[7]
input V : i32[7]
Y[s, t] = A[U[t, s], 2]
Z[s] = A[W[s], 0] + A[V[s] + 1, 1] + A[sum[k:2](V[k]), 2]
repeat t:7 (c = f32(0)) {
  repeat r:5 (d = f32(0)) {
    next d = d + A[V[t], U[r, 1]] + A[W[t], 8]
  }
  next c = c + d + A[3 * V[t], 0]
}
output Y, Z, c
"""
SOUND = {
    "A": np.random.default_rng(7).standard_normal((300, 9)).astype(np.float32),
    "U": np.arange(15, dtype=np.uint8).reshape(5, 3) % 3,
    "W": np.arange(7, dtype=np.uint64),
    "V": np.arange(7, dtype=np.int32),
}
FAR = "but dimension 0 of 'A' has only the indices 0 to 299"
NAMED = [
    ([("W", 3, 300), ("W", 4, 301)], f"outside.ein:6:1: error: index W[3] is 300, {FAR}"),
    ([("W", 2, 2**63 + 5)], f"outside.ein:6:1: error: index W[2] is 9223372036854775813, {FAR}"),
    ([("V", 4, 299)], f"outside.ein:6:1: error: index 'V[s] + 1' at [4] is 300, {FAR}"),
    ([("V", 0, 200), ("V", 1, 101)],
     f"outside.ein:6:1: error: index 'sum[k:2](V[k])' is 301, {FAR}"),
    ([("V", 5, 100)], f"outside.ein:11:8: error: index '3 * V[t]' is 300, {FAR}"),
    ([("U", (3, 1), 200)],
     "outside.ein:9:10: error: index 'U[r, 1]' is 200, but dimension 1 of 'A' has only the indices 0 to 8"),
]  # fmt: skip


def check_outside(folder, backend, source, arrays, faults):
    """`faults` on top of good `arrays` end every run with their message alone, and
    leave no output; on all device counts and in the reference."""
    (folder / "outside.ein").write_text(source)
    outputs = driver.output_options(["Y", "Z"])

    def files(changes):
        changed = {name: array.copy() for name, array in arrays.items()}
        for name, at, value in changes:
            changed[name][at] = value
        return [*driver.save_inputs(folder, changed), *outputs]

    words = files([])
    for devices in (1, 2, 3, 4):
        execute(folder, "outside.ein", devices, words, backend).expect_status(0)
    for path in (folder / "Y.npy", folder / "Z.npy"):
        path.unlink()
    for changes, message in faults:
        words = files(changes)
        runs = [execute(folder, "outside.ein", n, words, backend) for n in (1, 2, 3, 4)]
        runs.append(driver.tapestry("reference", "outside.ein", *words, cwd=folder))
        for run in runs:
            run.expect_status(1)
            if run.stderr.count(message) != 1 or run.stderr.count("error:") != 1:
                raise CheckFailed(f"expected once: {message}\n{run.describe()}")
            if (folder / "Y.npy").exists() or (folder / "Z.npy").exists():
                raise CheckFailed(f"an output is there\n{run.describe()}")


LARGE = """\
input Table : f32[{rows}, {columns}]
input I : i32[{points}]
Y[n, a] = Table[I[n], a]
Z[n, a] = 2 * Table[I[n], a] - Y[n, a]
output Y, Z
"""


def check_large(folder):
    """Rows that are fetched before they are read, the table's first and last ones
    among the last."""
    random = np.random.default_rng(11)
    outputs = driver.output_options(["Y", "Z"])
    for rows, columns, points in ((16411, 67, 1009), (1031, 1021, 101), (65537, 32, 131)):
        table = random.standard_normal((rows, columns)).astype(np.float32)
        at = random.integers(0, rows, points).astype(np.int32)
        at[-3:] = [rows - 1, 0, rows - 1]
        text = LARGE.format(rows=rows, columns=columns, points=points)
        (folder / "large.ein").write_text(text)
        files = driver.save_inputs(folder, {"Table": table, "I": at})
        for words in ([], ["--devices=3"], ["--cpu=x86-64-v2"]):
            driver.tapestry("run", "large.ein", *words, *files, *outputs, cwd=folder).expect_status(0)
            for name, got in driver.load_outputs(folder, ["Y", "Z"]).items():
                if got.tobytes() != table[at].tobytes():
                    raise CheckFailed(f"{rows} x {columns} {words}: {name} has other bits than NumPy's")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--backend", choices=["local", "mpi"], default="local")
    backend = parser.parse_args().backend
    count = 0
    with driver.workspace() as folder:
        check_outside(folder, backend, OUTSIDE, GOOD, FAULTS)
        if backend == "local":
            check_large(folder)
        check_outside(folder, backend, COMPUTED, SOUND, NAMED)
        types = TYPES if backend == "local" else ["f16", "i32"]
        for number, type in enumerate(types):
            count += check_cuts(folder, backend, type, ["i32", "i64", "i8", "i16"][number % 4])
    print(f"{count} cuts of gathers have NumPy's bits, {len(FAULTS) + len(NAMED)} faults their message")


if __name__ == "__main__":
    main()
