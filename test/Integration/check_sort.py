#!/usr/bin/python3
"""Sorts, cut along every label by pins.

    check_sort.py [--backend local|mpi]

Values and indices are NumPy's on any number of devices, bit by bit; the bytes of
what devices exchange of their blocks are those of the formula.
"""

import argparse

import numpy as np
from harness import contract, driver
from harness.driver import CheckFailed
from harness.plans import cuts_of_rank_3

TYPES = {
    "f64": "float64", "f32": "float32", "f16": "float16", "i8": "int8", "i64": "int64", "u16": "uint16",
}  # fmt: skip
PROGRAM = """\
input X : {type}[{shape}] @ {{{home}, *: 1}}
Y[a, b, c{given}] @ {{{cut}, *: 1}} = {sort}[k] X[{read}]
output Y @ {{{left}*: 1}}
"""
# Blocks that are uneven, or empty.
SHAPE = (9, 7, 21)


def draw(random, type):
    if type[0] != "f":
        return random.integers(0, 100, SHAPE).astype(TYPES[type])
    values = random.integers(-3, 4, SHAPE).astype(TYPES[type])
    values[3, 2, 5], values[4, 1, 0], values[5, 6, 20] = np.nan, np.inf, -np.inf
    values[6, ::2], values[6, 1::2] = 0.0, -0.0
    return values


def sent(parts, along, count, indices, devices, itemsize):
    """What every device gets of all other blocks: the best of each, or all of it."""
    extent = SHAPE[along]
    block = -(-extent // parts[along])
    blocks = -(-extent // block)
    lines = np.prod(SHAPE) // extent
    replicas = devices // np.prod(list(parts.values()))
    given = blocks * count if block > count else extent
    return int(replicas * lines * given * (parts[along] - 1) * (8 if indices else itemsize))


def execute(folder, devices, words, backend):
    if backend == "local":
        return driver.tapestry("run", "sort.ein", f"--devices={devices}", *words, cwd=folder)
    driver.tapestry(
        "compile", "sort.ein", f"--devices={devices}", "-o", "prog", cwd=folder
    ).expect_status(0)
    return driver.mpirun(devices, "./prog", "--backend", "mpi", *words, cwd=folder)


def expected(array, sort, along, count):
    """A stable sort, of which NaN is the largest; the largest of equals first come first."""
    if sort != "topk":
        order = np.argsort(array, along, kind="stable")
    else:
        back = np.argsort(np.flip(array, along), along, kind="stable")
        order = array.shape[along] - 1 - np.flip(back, along)
    order = np.take(order, np.arange(count), along)
    return order if sort == "argsort" else np.take_along_axis(array, order, along)


def check_cut(folder, backend, type, sort, along, count, parts, devices, array, files):
    labels = ["a", "b", "c"]
    pins = [labels[axis] + f": {number}" for axis, number in parts.items()]
    read = list(labels)
    read[along] = "k"
    left = list(labels)
    if count < SHAPE[along]:
        left[along] += f":{count}"
    home = ", ".join(f"{axis}: {number}" for axis, number in parts.items())
    # Fewer ranks than values are not cut.
    kept = "".join(
        f"{axis}: {number}, " for axis, number in parts.items() if axis != along or count == SHAPE[along]
    )
    text = PROGRAM.replace("Y[a, b, c{given}]", f"Y[{', '.join(left)}]").format(
        type=type, shape=", ".join(map(str, SHAPE)), sort=sort, read=", ".join(read),
        cut=", ".join(pins), home=home, left=kept,
    )  # fmt: skip
    where = f"{sort} of {count} of {type} along {labels[along]}, cut {parts} on {devices} devices"
    (folder / "sort.ein").write_text(text)
    options = [f"--devices={devices}", "--json=plan.json"]
    driver.tapestry("plan", "sort.ein", *options, cwd=folder).expect_status(0)
    plan = driver.load_json(folder / "plan.json")
    bytes_sent = [(entry["kind"], entry["bytes"]) for entry in plan["collectives"]]
    size = sent(parts, along, count, sort == "argsort", devices, array.itemsize) if along in parts else 0
    wanted = [("all_gather", size)] if size else []
    if bytes_sent != wanted:
        raise CheckFailed(f"{where}: {bytes_sent} is sent, expected {wanted}")
    execute(folder, devices, [*files, "--report=r.json"], backend).expect_status(0)
    contract.check_contract(plan, driver.load_json(folder / "r.json"), devices, backend)
    got = driver.load_outputs(folder, ["Y"])["Y"]
    if got.tobytes() != np.ascontiguousarray(expected(array, sort, along, count)).tobytes():
        raise CheckFailed(f"{where}: other results than NumPy's")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--backend", choices=["local", "mpi"], default="local")
    backend = parser.parse_args().backend
    cuts = cuts_of_rank_3(backend)
    number = 0
    with driver.workspace() as folder:
        for type in TYPES:
            array = draw(np.random.default_rng(number), type)
            files = driver.save_inputs(folder, {"X": array}) + driver.output_options(["Y"])
            for sort in ("sort", "argsort", "topk"):
                # Every cut with some type and some sort, along any label.
                parts, devices = cuts[number % len(cuts)]
                for along in {*parts, number % 3}:
                    if sort == "argsort" and array.itemsize > 4 and along in parts:
                        continue
                    few = (1, 2, 5)[number % 3]
                    for count in [SHAPE[along]] if sort != "topk" else [few, SHAPE[along] - 1]:
                        check_cut(folder, backend, type, sort, along, count, parts, devices, array, files)
                        number += 1
    print(f"{number} cuts of sorts have NumPy's results and send what they should")


if __name__ == "__main__":
    main()
