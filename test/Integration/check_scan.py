#!/usr/bin/python3
"""Running values, cut along every label by pins.

    check_scan.py [--backend local|mpi]

Integers, maxima, minima and what monoids of the program pick are NumPy's on any
number of devices, and so are infinities and NaN; sums of floats are the same bits in every run on as many; the bytes of the totals that devices
exchange are those of the formula.
"""

import argparse

import numpy as np
from harness import contract, driver
from harness.driver import CheckFailed
from harness.plans import cuts_of_rank_3



def last_known(lines):
    """The last one but 0 so far, along the first dimension."""
    lines = lines.copy()
    for before, line in zip(lines, lines[1:]):
        line[...] = np.where(line == 0, before, line)
    return lines


TYPES = {
    "f64": "float64", "f32": "float32", "f16": "float16", "i8": "int8", "i64": "int64",
    "c64": "complex64", "c128": "complex128",
}  # fmt: skip
TOTAL_BYTES = {"f64": 8, "f32": 4, "f16": 4, "i8": 1, "i64": 8, "c64": 8, "c128": 16}
SCANS = {
    "cumsum": np.add, "cumprod": np.multiply, "cummax": np.maximum, "cummin": np.minimum,
}  # fmt: skip
# They pick a value; the second does not commute.
OWN = {
    "scan absmax": ("max(abs(a), abs(b))", lambda lines: np.maximum.accumulate(np.abs(lines))),
    "scan last": ("select(b == 0, a, b)", last_known),
}  # fmt: skip
PROGRAM = """\
{monoid}
input X : {type}[{shape}] @ {{{home}, *: 1}}
Y[a, b, c] @ {{{cut}, *: 1}} = {scan}[{along}] X[a, b, c]
output Y @ {{{home}, *: 1}}
"""
# Blocks that are uneven, or empty.
SHAPE = (9, 7, 21)


def draw(random, type, scan):
    values = random.standard_normal(SHAPE)
    if type[0] == "c":
        values = values + 1j * random.standard_normal(SHAPE)
    if type[0] == "i":
        values = random.integers(-100, 100, SHAPE)
    if scan == "cumprod" and type[0] != "i":
        values = 1 + values / 16
    elif scan != "cumsum" and type[0] != "i":
        values[3, 2, 5], values[4, 1, 0], values[5, 6, 20] = np.nan, np.inf, -np.inf
    if scan == "scan last":
        values[random.random(SHAPE) < 0.8] = 0
    return values.astype(TYPES[type])


def sent(parts, along, devices, type):
    """What the totals send: to every device those of all other blocks."""
    extent = SHAPE[along]
    blocks = -(-extent // -(-extent // parts[along]))
    lines = np.prod(SHAPE) // extent
    replicas = devices // np.prod(list(parts.values()))
    return int(replicas * lines * blocks * (parts[along] - 1) * TOTAL_BYTES[type])


def execute_twice(folder, devices, words, backend):
    """Runs it, compiled once under MPI; yields what is left by each run."""
    if backend == "mpi":
        driver.tapestry(
            "compile", "scan.ein", f"--devices={devices}", "-o", "prog", cwd=folder
        ).expect_status(0)
    for _ in range(2):
        if backend == "mpi":
            done = driver.mpirun(devices, "./prog", "--backend", "mpi", *words, cwd=folder)
        else:
            done = driver.tapestry("run", "scan.ein", f"--devices={devices}", *words, cwd=folder)
        done.expect_status(0)
        yield driver.load_json(folder / "r.json"), driver.load_outputs(folder, ["Y"])["Y"]


def check_values(got, array, scan, along, where):
    kind = array.dtype.kind
    dtype = {"f": np.float64, "c": np.complex128}.get(kind, array.dtype)
    with np.errstate(all="ignore"):
        if scan in OWN:
            wanted = np.moveaxis(OWN[scan][1](np.moveaxis(array, along, 0)), 0, along)
        else:
            wanted = SCANS[scan].accumulate(array, axis=along, dtype=dtype)
    if got.dtype != array.dtype:
        raise CheckFailed(f"{where}: the result has type {got.dtype}")
    if kind == "i" or scan in ("cummax", "cummin", *OWN):
        if not np.array_equal(got, wanted.astype(array.dtype), equal_nan=kind == "f"):
            raise CheckFailed(f"{where}: other values than NumPy's")
        return
    scale = SCANS[scan].accumulate(np.abs(array.astype(dtype)), axis=along)
    off = np.abs(got - wanted) / np.maximum(scale, 1e-3)
    # A few units of the type that is stored, and of the one that is combined in.
    part = array.real.itemsize
    bound = {8: 1e-14, 4: 2e-6, 2: 6e-4}[part]
    if not np.all(off <= bound):
        raise CheckFailed(f"{where}: off by {off.max()}, allowed is {bound}")


def check_cut(folder, backend, type, scan, along, parts, devices, array, files):
    pins = ["abc"[axis] + f": {count}" for axis, count in parts.items()]
    homes = [f"{axis}: {count}" for axis, count in parts.items()]
    text = PROGRAM.format(
        monoid=f"monoid {scan[5:]}(a, b) = {OWN[scan][0]} identity 0" if scan in OWN else "",
        type=type, shape=", ".join(map(str, SHAPE)), scan=scan, along="abc"[along],
        cut=", ".join(pins), home=", ".join(homes),
    )  # fmt: skip
    where = f"{scan} of {type} along {'abc'[along]}, cut {parts} on {devices} devices"
    (folder / "scan.ein").write_text(text)
    options = [f"--devices={devices}", "--json=plan.json"]
    driver.tapestry("plan", "scan.ein", *options, cwd=folder).expect_status(0)
    plan = driver.load_json(folder / "plan.json")
    bytes_sent = [(entry["kind"], entry["bytes"]) for entry in plan["collectives"]]
    wanted = [("all_gather", sent(parts, along, devices, type))] if parts.get(along, 1) > 1 else []
    if bytes_sent != wanted:
        raise CheckFailed(f"{where}: {bytes_sent} is sent, expected {wanted}")
    runs = []
    for report, got in execute_twice(folder, devices, [*files, "--report=r.json"], backend):
        contract.check_contract(plan, report, devices, backend)
        runs.append(got)
    if runs[0].tobytes() != runs[1].tobytes():
        raise CheckFailed(f"{where}: two runs differ")
    check_values(runs[0], array, scan, along, where)


def draw_specials(random, type):
    """Lines that are long, and infinite or NaN from some place on."""
    part = np.dtype(TYPES[type]).type().real.dtype
    lines = random.standard_normal((7, 211))
    lines[0, 1], lines[1, 70], lines[2, 100] = np.inf, -np.inf, np.nan
    lines[3, 1], lines[3, 150] = np.inf, -np.inf
    # They overflow, the second behind what is finite.
    huge = np.finfo(part).max / 7.5
    lines[4], lines[5, 50:] = huge, -huge
    values = np.empty(lines.shape, TYPES[type])
    values.real = lines
    if type[0] == "c":
        values.imag = lines[::-1]
    return values


def check_line_parts(got, lines, where):
    """Sums along the second dimension, of real numbers."""
    with np.errstate(all="ignore"):
        wanted = np.cumsum(lines, axis=1, dtype=np.float64).astype(lines.dtype)
        scale = np.cumsum(np.abs(lines), axis=1, dtype=np.float64)
        is_finite = np.isfinite(wanted)
        if not np.array_equal(got[~is_finite], wanted[~is_finite], equal_nan=True):
            raise CheckFailed(f"{where}: infinities and NaN are not NumPy's")
        off = (np.abs(got.astype(np.float64) - wanted) / scale)[is_finite]
    bound = {8: 1e-14, 4: 2e-6, 2: 6e-4}[lines.itemsize]
    if not np.all(off <= bound):
        raise CheckFailed(f"{where}: off by {off.max()}, allowed is {bound}")


def check_specials(folder, backend, type, devices):
    """Lanes along the line and across lines."""
    lines = draw_specials(np.random.default_rng(devices), type)
    (folder / "scan.ein").write_text(
        f"input X : {type}[7, 211] @ {{}}\ninput Z : {type}[211, 7] @ {{}}\n"
        f"Y[a, b] @ {{b: {devices}}} = cumsum[b] X[a, b]\n"
        f"V[b, a] @ {{b: {devices}}} = cumsum[b] Z[b, a]\n"
        "W[a, b] = V[b, a]\noutput Y, W\n"
    )
    words = driver.save_inputs(folder, {"X": lines, "Z": np.ascontiguousarray(lines.T)})
    words += driver.output_options(["Y", "W"])
    options = ["scan.ein", f"--devices={devices}"]
    if backend == "mpi":
        driver.tapestry("compile", *options, "-o", "prog", cwd=folder).expect_status(0)
        done = driver.mpirun(devices, "./prog", "--backend", "mpi", *words, cwd=folder)
    else:
        done = driver.tapestry("run", *options, *words, cwd=folder)
    done.expect_status(0)
    for name, got in driver.load_outputs(folder, ["Y", "W"]).items():
        where = f"{name}, specials of {type} on {devices} devices"
        for part in ("real", "imag") if type[0] == "c" else ("real",):
            check_line_parts(getattr(got, part), getattr(lines, part), where)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--backend", choices=["local", "mpi"], default="local")
    backend = parser.parse_args().backend
    cuts = cuts_of_rank_3(backend)
    count = 0
    with driver.workspace() as folder:
        # Under MPI with the types that totals are wider than and as wide as.
        types = list(TYPES) if backend == "local" else ["f16", "i64"]
        for number, type in enumerate(types):
            for scan in (*SCANS, *OWN):
                if scan in OWN and type not in ("f64", "f16", "i8", "i64"):
                    continue
                if type[0] == "c" and scan in ("cummax", "cummin"):
                    continue
                random = np.random.default_rng(count)
                array = draw(random, type, scan)
                files = driver.save_inputs(folder, {"X": array}) + driver.output_options(["Y"])
                # Every cut with some type and some monoid, along any label.
                parts, devices = cuts[count % len(cuts)]
                for along in {*parts, number % 3}:
                    check_cut(folder, backend, type, scan, along, parts, devices, array, files)
                    count += 1
        floats = ["f16", "f32", "f64", "c64", "c128"] if backend == "local" else ["f32"]
        for type in floats:
            for devices in (1, 2, 3, 5) if backend == "local" else (3,):
                check_specials(folder, backend, type, devices)
    print(f"{count} cuts of running values have NumPy's values and send what they should")


if __name__ == "__main__":
    main()
