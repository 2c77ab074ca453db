#!/usr/bin/python3
"""Scatters: every cut that there is, forced by pins, and places that lie outside.

    check_scatter.py [--backend local|mpi]

All sums are exact, so that values are NumPy's bit for bit on any cut, and the
bytes that a cut sends are those that its formula says. Sums that round have the
same bits in every run, and no more than the documented error.
"""

import argparse

import numpy as np
from check_gather import TYPES, WHOLE, check_outside, execute, pin
from harness import compare, contract, driver
from harness.driver import CheckFailed

ROWS, COLUMNS, POINTS = 13, 7, 19
PROGRAM = """\
monoid absmax(a, b) = max(abs(a), abs(b)) identity 0
input X : {type}[19, 7] @ {values}
input A : {index}[19] @ {places}
S[A[n]:13, d] @ {cut} = {monoid}[n] X[n, d]
output S
"""
ACCUMULATED = {"f16": 4, "bf16": 4}


def cuts(parts, bytes_of, partial):
    """(pins of S, X and A, what is sent of each): the formulas."""
    values = bytes_of["X"]
    reduced = {"all_reduce": 2 * (parts - 1) * partial, "reduce_scatter": (parts - 1) * partial}
    # A part of ceil(extent / parts) points and columns lies where both blocks meet.
    blocks = [
        [min((d + 1) * -(-extent // parts), extent) - min(d * -(-extent // parts), extent)
         for d in range(parts)]
        for extent in (POINTS, COLUMNS)
    ]  # fmt: skip
    meet = sum(points * columns for points, columns in zip(*blocks))
    moved = {"all_to_all": (POINTS * COLUMNS - meet) * values // (POINTS * COLUMNS)}
    gathered = {"all_gather": (parts - 1) * values}
    index = {"all_gather": (parts - 1) * bytes_of["A"]}
    yield pin("n", parts), pin("0", parts), pin("0", parts), {"S": reduced}
    yield pin("n", parts), WHOLE, WHOLE, {"S": reduced}
    yield pin("n", parts), pin("1", parts), pin("0", parts), {"S": reduced, "X": moved}
    yield pin("d", parts), pin("1", parts), WHOLE, {}
    yield pin("d", parts), pin("0", parts), pin("0", parts), {"X": moved, "A": index}
    yield pin("A", parts), WHOLE, WHOLE, {}
    yield pin("A", parts), pin("0", parts), pin("0", parts), {"X": gathered, "A": index}
    yield pin("A", parts), pin("1", parts), WHOLE, {"X": gathered}


def check_sent(plan, wanted):
    # Others ask for the places, too: the checks before the scatter.
    for vertex in ("S", "X"):
        sent = [entry for entry in plan["collectives"] if entry["vertex"] == vertex]
        expected = wanted.get(vertex, {})
        total = sum(entry["bytes"] for entry in sent)
        if total != (expected[sent[0]["kind"]] if sent else 0) or bool(expected) != bool(sent):
            raise CheckFailed(f"{vertex}: {sent} is sent, expected {expected}")


def draw(random, type):
    if type == "bool":
        return random.random((POINTS, COLUMNS)) < 0.5
    values = random.integers(-8, 8, (POINTS, COLUMNS))
    if type == "bf16":
        return compare.bf16_bits(values / 4).view("V2").reshape(values.shape)
    return (values / 4 if type[0] == "f" else values).astype(TYPES[type])


OPERATORS = {
    "sum": np.add,
    "prod": np.multiply,
    "max": np.maximum,
    "min": np.minimum,
    "any": np.logical_or,
    "all": np.logical_and,
    "absmax": np.maximum,
}


def identity(monoid, type):
    if monoid in ("max", "min"):
        info = np.iinfo(TYPES[type]) if TYPES[type].startswith("int") else None
        least, most = (info.min, info.max) if info else (-np.inf, np.inf)
        return least if monoid == "max" else most
    return monoid in ("prod", "all")


def expected(type, monoid, values, place):
    if type == "bf16":
        values = compare.bf16_values(values)
    wide = values.astype(np.float64) if type[0] in "fb" and type != "bool" else values
    if monoid == "absmax":
        wide = np.abs(wide)
    result = np.full((ROWS, COLUMNS), identity(monoid, type), dtype=wide.dtype)
    OPERATORS[monoid].at(result, place, wide)
    if type == "bf16":
        return compare.bf16_bits(result).view("V2").reshape(result.shape)
    return result.astype(TYPES[type])


def check_cuts(folder, backend, type, index, monoid):
    random = np.random.default_rng(len(type) + len(monoid))
    values = draw(random, type)
    place = random.integers(0, ROWS - 1, POINTS).astype(TYPES[index])
    files = driver.save_inputs(folder, {"X": values, "A": place})
    files += driver.output_options(["S"])
    wanted = expected(type, monoid, values, place)
    sizes = {"X": values.nbytes, "A": place.nbytes}
    compares = monoid in ("max", "min")
    element = wanted.itemsize if compares else ACCUMULATED.get(type, wanted.itemsize)
    count = 0
    whole = type == "f32" and monoid == "sum"
    for parts in (2, 4, 7) if whole else (3,):
        chosen = list(cuts(parts, sizes, element * wanted.size))
        for cut, values_pin, places_pin, sent in chosen if whole else chosen[::3]:
            text = PROGRAM.format(
                type=type, index=index, cut=cut, values=values_pin, places=places_pin, monoid=monoid
            )
            (folder / "scatter.ein").write_text(text)
            driver.tapestry(
                "plan", "scatter.ein", f"--devices={parts}", "--json=plan.json", cwd=folder
            ).expect_status(0)
            plan = driver.load_json(folder / "plan.json")
            check_sent(plan, sent)
            words = [*files, "--report=r.json"]
            execute(folder, "scatter.ein", parts, words, backend).expect_status(0)
            contract.check_contract(plan, driver.load_json(folder / "r.json"), parts, backend)
            got = driver.load_outputs(folder, ["S"])["S"]
            if got.tobytes() != wanted.tobytes():
                raise CheckFailed(f"{monoid} of {type}, cut {cut}: other bits than NumPy's")
            count += 1
    driver.tapestry("reference", "scatter.ein", *files, cwd=folder).expect_status(0)
    if driver.load_outputs(folder, ["S"])["S"].tobytes() != wanted.tobytes():
        raise CheckFailed(f"{monoid} of {type}: the reference has other bits than NumPy's")
    return count


LONG = """\
input X : {type}[1000003]
input A : i32[1000003]
S[A[n]:7] = sum[n] X[n]
output S
"""


def check_rounding(folder, type, unit):
    """Sums of many terms are as exact as the documents say, and the same twice."""
    random = np.random.default_rng(5)
    values = random.standard_normal(1000003).astype(TYPES[type])
    values[::5] = values[0]
    place = random.integers(0, 7, values.size).astype(np.int32)
    (folder / "long.ein").write_text(LONG.format(type=type))
    files = driver.save_inputs(folder, {"X": values, "A": place}) + driver.output_options(["S"])
    wide = values.astype(np.longdouble)
    exact = np.array([wide[place == row].sum() for row in range(7)])
    size = np.array([np.abs(wide[place == row]).sum() for row in range(7)])
    for devices in (1, 3):
        runs = []
        for _ in range(2):
            driver.tapestry(
                "run", "long.ein", f"--devices={devices}", *files, cwd=folder
            ).expect_status(0)
            runs.append(driver.load_outputs(folder, ["S"])["S"])
        if runs[0].tobytes() != runs[1].tobytes():
            raise CheckFailed(f"{type} on {devices} devices: two runs differ")
        worst = np.max(np.abs(runs[0].astype(np.longdouble) - exact) / size) / unit
        if worst > 2:
            raise CheckFailed(f"{type} on {devices} devices: an error of {worst} roundings")


OUTSIDE = """\
input X : f32[3, 5]
input A : i32[3, 5]
input J : i8[5]
Y[A[b, s]:9, J[s]:300] = sum[b, s] X[b, s]
Z[2 * J[s] + 1:9] = mean[s] X[0, s]
output Y, Z
"""
GOOD = {
    "X": np.random.default_rng(3).standard_normal((3, 5)).astype(np.float32),
    "A": np.arange(15, dtype=np.int32).reshape(3, 5) % 9,
    "J": np.arange(5, dtype=np.int8) % 4,
}
# What is changed, and what the message says.
FAULTS = [
    ([("A", (1, 3), 9), ("A", (2, 0), -1)],
     "outside.ein:4:1: error: index A[1, 3] is 9, but dimension 0 of 'Y' has only the indices 0 to 8"),
    ([("A", (2, 4), -(2**31)), ("J", 3, -128)],
     "outside.ein:4:1: error: index A[2, 4] is -2147483648, but dimension 0 of 'Y' has only the "
     "indices 0 to 8"),
    ([("J", 3, -1)],
     "outside.ein:4:1: error: index J[3] is -1, but dimension 1 of 'Y' has only the indices 0 to 299"),
    ([("J", 3, 4)],
     "outside.ein:5:1: error: index '2 * J[s] + 1' at [3] is 9, but dimension 0 of 'Z' has only the indices 0 to 8"),
]  # fmt: skip


CASES = [
    ("f32", "i32", "sum"), ("f64", "i64", "sum"), ("f16", "i8", "sum"), ("bf16", "i16", "sum"),
    ("i8", "i32", "sum"), ("i32", "i64", "max"), ("i64", "i8", "min"), ("f16", "i16", "max"),
    ("bool", "i32", "any"), ("bool", "i8", "all"), ("f32", "i64", "prod"),
    ("f64", "i8", "absmax"), ("i16", "i32", "absmax"), ("bf16", "i64", "absmax"),
]  # fmt: skip


MIXED = """#points = affine_map<(a, n) -> (n)>
tapestry.graph @mixed {{
  %X = tapestry.source "X" : tensor<1009x{given}>
  %A = tapestry.source "A" : tensor<1009xi32>
  %S = tapestry.scatter "S" ["A", "n"] = [13, 1009] {monoid} %X by %A into [0] at [#points, #points]
      {{tapestry.constraints = [#tapestry.constraint<pin cut {{n = {parts} : i64}}>]}}
      : (tensor<1009x{given}>, tensor<1009xi32>) -> tensor<13x{made}>
  tapestry.sink "S", %S : tensor<13x{made}>
}}
"""


def bits_of(type, values):
    return compare.bf16_bits(values).view("V2") if type == "bf16" else values.astype(TYPES[type])


def check_mixed(folder, given, made, monoid):
    """Extremes of one float type in another."""
    random = np.random.default_rng(6)
    values = bits_of(given, random.standard_normal(1009).astype(np.float32))
    place = random.integers(0, 12, 1009).astype(np.int32)
    files = driver.save_inputs(folder, {"X": values, "A": place}) + driver.output_options(["S"])
    wide = compare.bf16_values(values) if given == "bf16" else values.astype(np.float32)
    wanted = np.full(13, identity(monoid, "f32"), np.float32)
    OPERATORS[monoid].at(wanted, place, wide)
    for parts in (0, 1, 3):
        (folder / "mixed.mlir").write_text(
            MIXED.format(given=given, made=made, monoid=monoid, parts=max(parts, 1))
        )
        words = ["run", "mixed.mlir", f"--devices={parts}"] if parts else ["reference", "mixed.mlir"]
        driver.tapestry(*words, *files, cwd=folder).expect_status(0)
        if driver.load_outputs(folder, ["S"])["S"].tobytes() != bits_of(made, wanted).tobytes():
            raise CheckFailed(f"{monoid} of {given} in {made}, {words}: other bits than NumPy's")


MACROS = """\
input X : {type}[19, 7]
input A : {index}[19]
S[A[n]:13, d] @ {cut} = {macro}[n] X[n, d]
output S
"""
MACRO_CUTS = [
    ("{n: 3}", 3), ("{n: 7}", 7), ("{A: 3, n: 1}", 3), ("{A: 7, n: 1}", 7), ("{d: 2, n: 1}", 2),
    ("{n: 2, A: 3}", 6), ("{n: 2, A: 2, d: 2}", 8), ("{n: 1}", 1),
]  # fmt: skip


def macro_values(macro, values, place):
    """What NumPy makes of the values at each place, and of none."""
    result = np.full((ROWS, COLUMNS), -1 if macro.startswith("arg") else -np.inf)
    for row in range(ROWS):
        own = np.flatnonzero(place == row)
        if macro == "mean":
            with np.errstate(invalid="ignore", divide="ignore"):
                result[row] = values[own].sum(0) / own.size
        elif own.size and macro == "logsumexp":
            result[row] = np.logaddexp.reduce(values[own].astype(np.float64))
        elif own.size:
            result[row] = own[getattr(np, macro)(values[own], axis=0)]
    return result


def check_macros(folder, backend):
    """Places of extremes, means and logarithms of sums, every vertex cut by pins."""
    count = 0
    cases = [("argmax", "f32", "i32"), ("argmin", "f16", "i8"), ("argmax", "i16", "i64"),
             ("logsumexp", "f64", "i32"), ("mean", "f32", "i16")]  # fmt: skip
    for macro, type, index in cases if backend == "local" else cases[:1] + cases[3:4]:
        random = np.random.default_rng(len(macro) + len(type))
        values = random.integers(-4, 4, (POINTS, COLUMNS)).astype(TYPES[type])
        if type == "f32" and macro == "argmax":
            values[3, 2], values[4, 1], values[5, 0] = np.nan, np.inf, -np.inf
        place = random.integers(0, ROWS - 1, POINTS).astype(TYPES[index])
        files = driver.save_inputs(folder, {"X": values, "A": place})
        files += driver.output_options(["S"])
        wanted = macro_values(macro, values, place)
        for cut, devices in MACRO_CUTS if backend == "local" else MACRO_CUTS[::3]:
            (folder / "macro.ein").write_text(
                MACROS.format(type=type, index=index, cut=cut, macro=macro)
            )
            options = [f"--devices={devices}", "--json=plan.json"]
            driver.tapestry("plan", "macro.ein", *options, cwd=folder).expect_status(0)
            words = [*files, "--report=r.json"]
            execute(folder, "macro.ein", devices, words, backend).expect_status(0)
            contract.check_contract(
                driver.load_json(folder / "plan.json"),
                driver.load_json(folder / "r.json"), devices, backend,
            )  # fmt: skip
            got = driver.load_outputs(folder, ["S"])["S"]
            if not np.allclose(got, wanted, rtol=1e-5, atol=0, equal_nan=True):
                raise CheckFailed(f"{macro} of {type}, cut {cut}: other values than NumPy's")
            count += 1
    return count


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--backend", choices=["local", "mpi"], default="local")
    backend = parser.parse_args().backend
    count = 0
    with driver.workspace() as folder:
        check_outside(folder, backend, OUTSIDE, GOOD, FAULTS)
        if backend == "local":
            check_rounding(folder, "f32", 2.0**-24)
            check_rounding(folder, "f64", 2.0**-53)
            for given, made in (("bf16", "f16"), ("f16", "bf16"), ("f32", "f16"), ("f16", "f32")):
                for monoid in ("max", "min"):
                    check_mixed(folder, given, made, monoid)
        count += check_macros(folder, backend)
        for type, index, monoid in CASES if backend == "local" else [*CASES[2:4], CASES[-1]]:
            count += check_cuts(folder, backend, type, index, monoid)
    print(f"{count} cuts of scatters have NumPy's bits, {len(FAULTS)} faults their message")


if __name__ == "__main__":
    main()
