#!/usr/bin/python3
"""Stencils on cut grids: values, and that each device is sent what it lacks once.

    check_halos.py [--backend local|mpi] [--boundary NAME | --copies | --rims]

Of the cells that a device reads, whatever folds them back, those that it does not
hold are counted here one by one. That is what plan and run have to send.
"""

import argparse
import json

import numpy as np
from check_gather import execute
from harness import contract, driver
from harness.driver import CheckFailed

ROWS, COLUMNS = 29, 23
GRIDS = ((2, 1), (1, 3), (2, 2), (5, 1), (3, 2), (1, 7), (4, 2))


def box(reach):
    sides = range(-reach, reach + 1)
    return [(a, b) for a in sides for b in sides]


def star(reach):
    sides = [k for k in range(-reach, reach + 1) if k]
    return [(k, 0) for k in sides] + [(0, k) for k in sides]


STENCILS = {
    "five points": [(0, 0), *star(1)],
    "nine points": box(1),
    "eight neighbours": [shift for shift in box(1) if shift != (0, 0)],
    "differences": star(1),
    "box": box(2),
    "star": [(0, 0), *star(2)],
}

# What an index outside reads: np.pad's names.
BOUNDARIES = {"pad": "constant", "edge": "edge", "reflect": "reflect", "wrap": "wrap"}
# Where bytes take all the time.
WIRE = {
    "tapestry_machine": 1,
    "name": "wire",
    "flops": "1TFLOP/s",
    "memory_bandwidth": "1TB/s",
    "link": {"bandwidth": "1kB/s", "latency": "1ns"},
}
# Stencils that read nothing outside.
INTERIOR = "interior"


def place(label, shift):
    return f"{label} {'+' if shift > 0 else '-'} {abs(shift)}" if shift else label


def margin(stencil, boundary):
    """Of the rows and columns beside each edge, how many have no result."""
    return max(abs(k) for shift in stencil for k in shift) if boundary == INTERIOR else 0


def read(boundary, shift, less):
    i, j = place("i", shift[0] + less), place("j", shift[1] + less)
    if boundary == INTERIOR:
        return f"U[{i}, {j}]"
    if boundary == "wrap":
        return f"U[({i}) % {ROWS}, ({j}) % {COLUMNS}]"
    return f"pad(U, 2)[{i}, {j}]" if boundary == "pad" else f"{boundary}(U)[{i}, {j}]"


def weight(number):
    return 1 + number * 5 % 7


def program(stencil, boundary, parts):
    """One statement that reads a computed tensor at all places."""
    less = margin(stencil, boundary)
    terms = [f"{weight(k)} * {read(boundary, shift, less)}" for k, shift in enumerate(stencil)]
    cut = f"{{i: {parts[0]}, j: {parts[1]}}}"
    return (
        f"input X : f32[{ROWS}, {COLUMNS}] @ {{0: {parts[0]}, 1: {parts[1]}}}\n"
        f"U[i:{ROWS}, j:{COLUMNS}] @ {cut} = X[i, j] + 1\n"
        f"S[i:{ROWS - 2 * less}, j:{COLUMNS - 2 * less}] @ {cut} = {' + '.join(terms)}\n"
        "output S\n"
    )


def around(values, boundary):
    """With three more on each side."""
    if boundary in ("pad", INTERIOR):
        return np.pad(values, 3, constant_values=2)
    return np.pad(values, 3, BOUNDARIES[boundary])


def expected(X, stencil, boundary):
    wide = around(X.astype(np.float64) + 1, boundary)
    all_points = sum(
        weight(k) * wide[3 + a : 3 + a + ROWS, 3 + b : 3 + b + COLUMNS]
        for k, (a, b) in enumerate(stencil)
    )
    less = margin(stencil, boundary)
    return all_points[less : ROWS - less, less : COLUMNS - less]


def blocks(extent, parts):
    size = -(-extent // parts)
    return [range(min(p * size, extent), min((p + 1) * size, extent)) for p in range(parts)]


def lacking(stencil, boundary, parts):
    """Bytes that all devices lack together."""
    cells = np.arange(ROWS * COLUMNS).reshape(ROWS, COLUMNS)
    is_cut = boundary in ("pad", INTERIOR)
    wide = np.pad(cells, 3, constant_values=-1) if is_cut else around(cells, boundary)
    less = margin(stencil, boundary)
    first = 3 + less
    count = 0
    # The results of a device and what it holds.
    for rows, own_rows in zip(blocks(ROWS - 2 * less, parts[0]), blocks(ROWS, parts[0])):
        for columns, own_columns in zip(
            blocks(COLUMNS - 2 * less, parts[1]), blocks(COLUMNS, parts[1])
        ):
            if not rows or not columns:
                continue
            wanted = set()
            for a, b in stencil:
                part = wide[
                    rows[0] + first + a : rows[-1] + 1 + first + a,
                    columns[0] + first + b : columns[-1] + 1 + first + b,
                ]
                wanted.update(part.ravel().tolist())
            held = cells[np.ix_(own_rows, own_columns)]
            count += len(wanted - {-1} - set(held.ravel().tolist()))
    return 4 * count


def twice(stencil, boundary, parts):
    """Bytes that are sent twice: what wraps around is fetched turn by turn, and where one
    dimension alone is cut the rows beside a block hold the corners of all turns."""
    if boundary != "wrap" or 1 not in parts:
        return 0
    reach = max((abs(a) for a, b in stencil if a and b), default=0)
    working = sum(bool(block) for block in blocks(ROWS, parts[0])) * sum(
        bool(block) for block in blocks(COLUMNS, parts[1])
    )
    return 4 * working * 4 * reach**2


def check(folder, backend, stencil, boundary, parts, cost="paper"):
    devices = parts[0] * parts[1]
    random = np.random.default_rng(devices)
    X = random.integers(-64, 64, (ROWS, COLUMNS)).astype(np.float32)
    (folder / "halos.ein").write_text(program(stencil, boundary, parts))
    (folder / "wire.json").write_text(json.dumps(WIRE))
    costs = [] if cost == "paper" else [f"--cost={cost}", "--machine=./wire.json"]
    driver.tapestry(
        "plan", "halos.ein", f"--devices={devices}", "--json=plan.json", *costs, cwd=folder
    ).expect_status(0)
    words = [*driver.save_inputs(folder, {"X": X}), *driver.output_options(["S"])]
    if backend == "local":
        words += ["--plan=plan.json"]
    execute(folder, "halos.ein", devices, [*words, "--report=r.json"], backend).expect_status(0)
    plan, report = (driver.load_json(folder / name) for name in ("plan.json", "r.json"))
    contract.check_contract(plan, report, devices, backend)
    if not np.array_equal(driver.load_outputs(folder, ["S"])["S"], expected(X, stencil, boundary)):
        raise CheckFailed("other values than NumPy's")
    sent = sum(entry["counted_bytes"] for entry in report["collectives"])
    wanted = lacking(stencil, boundary, parts) + twice(stencil, boundary, parts)
    if sent != wanted:
        raise CheckFailed(f"{sent} bytes are sent of {wanted} that devices lack")


def grids_of(devices):
    return [(rows, devices // rows) for rows in range(1, devices + 1) if devices % rows == 0]


def check_interior(folder, backend):
    """Five points on all cuts, the others on some, planned by both models in turns."""
    failed = 0
    grids = [parts for devices in range(1, 9) for parts in grids_of(devices)]
    for number, (name, stencil) in enumerate(STENCILS.items()):
        chosen = grids if name == "five points" else grids[3 + number % 5 :: 5]
        for parts in chosen if backend == "local" else [(1, 4), (2, 2), (3, 1)]:
            costs = ["paper", "spmd"] if name == "five points" else ["spmd"]
            for cost in costs if backend == "local" else ["paper"]:
                try:
                    check(folder, backend, stencil, INTERIOR, parts, cost)
                except CheckFailed as error:
                    failed += 1
                    print(f"FAILED: {name}, interior, on {parts} by {cost}: {error}")
    return failed


def interior(parts):
    """A 5-point stencil inside of its tensor."""
    cut = f"@ {{i: {parts[0]}, j: {parts[1]}}}"
    return (
        f"input X : f32[{ROWS}, {COLUMNS}] @ {{0: {parts[0]}, 1: {parts[1]}}}\n"
        f"U[i:{ROWS}, j:{COLUMNS}] {cut} = X[i, j] + 1\n"
        f"S[i:{ROWS - 2}, j:{COLUMNS - 2}] {cut} = U[i, j + 1] + U[i + 2, j + 1]"
        " + U[i + 1, j] + U[i + 1, j + 2] - 4 * U[i + 1, j + 1]\noutput S\n"
    )


def inner(X):
    U = X.astype(np.float64) + 1
    return U[:-2, 1:-1] + U[2:, 1:-1] + U[1:-1, :-2] + U[1:-1, 2:] - 4 * U[1:-1, 1:-1]


def jacobi(parts, passes):
    """The mean of four neighbours, again and again: no pass copies, nor what is around them."""
    terms = [f"pad(S, 2)[{place('i', a)}, {place('j', b)}]" for a, b in STENCILS["differences"]]
    return (
        f"input X : f32[{ROWS}, {COLUMNS}] @ {{0: {parts[0]}, 1: {parts[1]}}}\n"
        f"repeat t:{passes} (S = X) {{\n"
        f"  next S[i:{ROWS}, j:{COLUMNS}] @ {{i: {parts[0]}, j: {parts[1]}}} = "
        f"0.25 * ({' + '.join(terms)})\n}}\noutput S\n"
    )


def iterated(X, passes):
    # Few passes of small integers: floats have all the bits.
    for _ in range(passes):
        wide = np.pad(X.astype(np.float64), 1, constant_values=2)
        X = 0.25 * (wide[:-2, 1:-1] + wide[2:, 1:-1] + wide[1:-1, :-2] + wide[1:-1, 2:])
    return X


def check_copies(folder, backend, source, want, parts, copies=False):
    """Devices copy nothing of their own, into windows or from them, unless `copies`.
    Returns the bytes sent."""
    devices = parts[0] * parts[1]
    X = np.random.default_rng(devices).integers(-64, 64, (ROWS, COLUMNS)).astype(np.float32)
    (folder / "copies.ein").write_text(source)
    words = [*driver.save_inputs(folder, {"X": X}), *driver.output_options(["S"])]
    execute(folder, "copies.ein", devices, [*words, "--report=r.json"], backend).expect_status(0)
    if not np.array_equal(driver.load_outputs(folder, ["S"])["S"], want(X)):
        raise CheckFailed("other values than NumPy's")
    report = driver.load_json(folder / "r.json")
    if report["copied_bytes"] != 0 and not copies:
        raise CheckFailed(f"{report['copied_bytes']} bytes are copied: {report['copies']}")
    for entry in report["copies"]:
        if entry["predicted_bytes"] != entry["counted_bytes"]:
            raise CheckFailed(f"copies are not those predicted: {entry}")
    return sum(entry["counted_bytes"] for entry in report["collectives"])


def check_sent(sent, parts):
    ideal = lacking(STENCILS["five points"], INTERIOR, parts)
    if sent != ideal:
        raise CheckFailed(f"{sent} bytes are sent, {ideal} are lacking")


def check_all_copies(folder, backend):
    failed = 0
    five = STENCILS["five points"]
    for devices in range(1, 9):
        for number, parts in enumerate(grids_of(devices)):
            programs = {"interior": (interior(parts), inner)}
            for passes in (1, 4, 5)[devices % 2 :]:
                programs[f"{passes} passes"] = (
                    jacobi(parts, passes),
                    lambda X, passes=passes: iterated(X, passes),
                )
            for boundary in BOUNDARIES:
                programs[boundary] = (
                    program(five, boundary, parts),
                    lambda X, boundary=boundary: expected(X, five, boundary),
                )
            chosen = list(programs)[number % 2 :: 2] if devices > 2 else list(programs)
            if parts[1] == 1 and "interior" not in chosen:
                chosen.append("interior")
            for name in chosen:
                try:
                    sent = check_copies(folder, backend, *programs[name], parts)
                    if name == "interior":
                        check_sent(sent, parts)
                except CheckFailed as error:
                    failed += 1
                    print(f"FAILED: {name} on {parts}: {error}")
    if failed:
        raise SystemExit(1)


def check_rims(folder, backend):
    """Blocks of which rims are so small a part that these share a kernel."""
    global ROWS, COLUMNS
    ROWS, COLUMNS = 211, 173
    failed = 0
    uneven = [*STENCILS["nine points"], (-2, 0), (0, 2)]
    for parts in ((1, 1), (3, 1), (2, 2), (3, 2)):
        programs = {"interior": (interior(parts), inner)}
        programs["5 passes"] = (jacobi(parts, 5), lambda X: iterated(X, 5))
        for boundary in BOUNDARIES:
            for stencil in (STENCILS["five points"], STENCILS["differences"], uneven):
                programs[f"{boundary}, {len(stencil)} points"] = (
                    program(stencil, boundary, parts),
                    lambda X, stencil=stencil, boundary=boundary: expected(X, stencil, boundary),
                )
        for name, (source, want) in programs.items():
            try:
                # The last one would need too many regions.
                check_copies(folder, backend, source, want, parts, copies="11" in name)
            except CheckFailed as error:
                failed += 1
                print(f"FAILED: {name} on {parts}: {error}")
    if failed:
        raise SystemExit(1)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--backend", choices=["local", "mpi"], default="local")
    parser.add_argument("--boundary", choices=[*BOUNDARIES, INTERIOR])
    parser.add_argument("--copies", action="store_true", help="count what is copied, too")
    parser.add_argument("--rims", action="store_true", help="the same of larger tensors")
    options = parser.parse_args()
    failed = 0
    with driver.workspace() as folder:
        if options.rims:
            check_rims(folder, options.backend)
            return
        if options.copies:
            check_all_copies(folder, options.backend)
            return
        if options.boundary in (None, INTERIOR):
            failed += check_interior(folder, options.backend)
        for boundary in [options.boundary] if options.boundary else BOUNDARIES:
            if boundary == INTERIOR:
                continue
            for number, (name, stencil) in enumerate(STENCILS.items()):
                for parts in GRIDS[number % 2 :: 2] if options.backend == "local" else GRIDS[2:5:2]:
                    try:
                        check(folder, options.backend, stencil, boundary, parts)
                    except CheckFailed as error:
                        failed += 1
                        print(f"FAILED: {name}, {boundary}, on {parts}: {error}")
    if failed:
        raise SystemExit(1)
    print("devices are sent what they lack")


if __name__ == "__main__":
    main()
