#!/usr/bin/python3
"""Programs and plan files with pins: the values stay right, the plan shows them.

    check_pins.py [CASE ...]
"""

import json

import numpy as np
from harness import contract, driver
from harness.cases import Group
from harness.driver import CheckFailed

case = Group()

PINNED = """\
param n = 1
input A : f32[24, 20] @ {0: n}
input B : f32[20, 28]
C[i, k] @ {k: n} = sum[j] A[i, j] * B[j, k]
D[i] @ {k: n, *: 1} = sum[k] C[i, k]
E[i] @ {i: 1} = D[i] * 2.0
F[i, k] @ group g = C[i, k] + E[i]
G[i, k] @ group g = F[i, k] * C[i, k]
output C, D, F
output G @ {0: n}
"""


def write_pinned(bench, text=PINNED):
    rng = np.random.default_rng(5)
    A = rng.standard_normal((24, 20)).astype(np.float32)
    B = rng.standard_normal((20, 28)).astype(np.float32)
    bench.write("pinned.ein", text)
    np.save(bench.folder / "PA.npy", A)
    np.save(bench.folder / "PB.npy", B)
    C = A.astype(np.float64) @ B
    F = C + 2 * C.sum(1, keepdims=True)
    return {"C": C, "D": C.sum(1), "F": F, "G": F * C}


def run_pinned(bench, wanted, *words):
    outputs = [word for name in wanted for word in ("-o", f"{name}={name}.npy")]
    finished = bench.tapestry(
        "run", "pinned.ein", "-i", "A=PA.npy", "-i", "B=PB.npy", *outputs, *words
    )
    finished.expect_status(0)
    for name, values in driver.load_outputs(bench.folder, list(wanted)).items():
        if not np.allclose(values, wanted[name], rtol=1e-4, atol=1e-3):
            raise CheckFailed(f"{name} is wrong\n{finished.describe()}")


def plan_of(bench, *words):
    bench.tapestry("plan", "pinned.ein", *words, "--json=p.json").expect_status(0)
    plan = driver.load_json(bench.folder / "p.json")
    return plan, {vertex["name"]: vertex for vertex in plan["vertices"]}


def expect(what, got, wanted):
    if got != wanted:
        raise CheckFailed(f"{what}: {got}, expected {wanted}")


def check_devices(bench, devices, cost):
    wanted = write_pinned(bench)
    options = [f"--devices={devices}", f"-Dn={devices}", f"--cost={cost}"]
    if cost == "spmd":
        # Otherwise devices are left alone, and the pins are for all of them.
        options += [f"--grid=d={devices}"]
    plan, vertices = plan_of(bench, *options)
    expect("devices", plan["devices"], devices)
    expect("parts of A", vertices["A"]["parts"]["0"], devices)
    expect("parts of C", vertices["C"]["parts"]["k"], devices)
    expect("parts of D", vertices["D"]["parts"], {"i": 1, "k": devices})
    expect("parts of E", vertices["E"]["parts"], {"i": 1})
    expect("homes of the group", vertices["F"]["home"], vertices["G"]["home"])
    axes = [len(dim) for dim in vertices["G"]["home"]]
    if devices > 1 and axes[0] == 0:
        raise CheckFailed(f"home of G: {vertices['G']['home']}")
    expect("groups", plan["groups"], [{"name": "g", "vertices": ["F", "G"]}])
    run_pinned(bench, wanted, "--plan=p.json", f"-Dn={devices}", "--report=r.json")
    report = driver.load_json(bench.folder / "r.json")
    contract.check_contract(plan, report, devices, "local")


@case
def one_to_eight_devices_paper(bench):
    for devices in range(1, 9):
        check_devices(bench, devices, "paper")


@case
def one_to_eight_devices_spmd(bench):
    for devices in range(1, 9):
        check_devices(bench, devices, "spmd")


@case
def named_axes(bench):
    wanted = write_pinned(
        bench,
        PINNED.replace("@ {k: n} = sum[j]", "@ {k: [gpu.1, node], i: gpu.0} = sum[j]"),
    )
    for cost in ("paper", "spmd"):
        options = ["--grid=node=2,gpu=4", "-Dn=4", f"--cost={cost}"]
        _, vertices = plan_of(bench, *options)
        expect("axes of C", vertices["C"]["axes"], {"i": ["gpu.0"], "k": ["gpu.1", "node.0"]})
        run_pinned(bench, wanted, *options)


@case
def preferences(bench):
    strong = PINNED.replace("E[i] @ {i: 1}", "E[i] @? 1000 {i: 2, *: 1}")
    wanted = write_pinned(bench, strong)
    _, vertices = plan_of(bench, "--devices=4", "-Dn=4")
    expect("parts of E", vertices["E"]["parts"], {"i": 2})
    run_pinned(bench, wanted, "--devices=4", "-Dn=4")
    # What no plan can do is ignored.
    write_pinned(bench, PINNED.replace("E[i] @ {i: 1}", "E[i] @? 1000 {i: 3}"))
    plan_of(bench, "--devices=4", "-Dn=4")


@case
def conflicts(bench):
    write_pinned(bench)

    def refuse(*patterns, devices=8, parts=8, text=PINNED):
        bench.write("pinned.ein", text)
        for cost in ("paper", "spmd"):
            finished = bench.tapestry(
                "plan", "pinned.ein", f"--devices={devices}", f"-Dn={parts}", f"--cost={cost}"
            )
            bench.expect_error(finished, 1, *patterns, outputs_intact=False)

    refuse(r"pinned\.ein:2:7: error: input 'A'", r"\b3\b", r"\b8 devices", parts=3)
    refuse(
        r"pinned\.ein:5:1: error: vertex 'D'", r"'[ik]'", r"16 parts", r"8 devices",
        text=PINNED.replace("@ {k: n, *: 1}", "@ {k: n, i: 2}"),
    )
    refuse(r"'E'", "axis 'rack'", r"'d\.0'|'gpu", text=PINNED.replace("{i: 1}", "{i: rack}"))
    refuse(
        r"pinned\.ein:\d+:1: error: layout group 'g': ", r"\[24\]", r"\[24, 28\]",
        text=PINNED.replace("E[i] @ {i: 1}", "E[i] @ group g"),
    )
    refuse(
        r"pinned\.ein:\d+:\d+: error: layout group 'g': vertex", "'G'", "8 parts", "to 2", "'F'",
        text=PINNED.replace("output C, D, F", "output C, D\noutput F @ {i: 2}"),
    )


@case
def plan_files_with_open_entries(bench):
    wanted = write_pinned(bench, PINNED.replace("@ {0: n}", "", 1).replace(" @ {k: n, *: 1}", ""))
    for cost in ("paper", "spmd"):
        partial = {
            "tapestry_plan": 1,
            "devices": 4,
            "cost_model": cost,
            "vertices": [
                {"name": "A", "parts": {"0": 2, "1": "?"}},
                {"name": "D", "parts": {"*": 1}},
                {"name": "F", "home": [["d.1"], "?"]},
            ],
        }
        bench.write("partial.json", json.dumps(partial))
        plan, vertices = plan_of(bench, "--plan=partial.json", "-Dn=2")
        expect("parts of A", vertices["A"]["parts"]["0"], 2)
        expect("parts of D", vertices["D"]["parts"], {"i": 1, "k": 1})
        expect("home of F", vertices["F"]["home"][0], ["d.1"])
        expect("cost model", plan["cost_model"], cost)
        run_pinned(bench, wanted, "--plan=partial.json", "-Dn=2")
        # What was written is complete, and followed to the letter.
        run_pinned(bench, wanted, "--plan=p.json", "-Dn=2", "--report=r.json")
        report = driver.load_json(bench.folder / "r.json")
        contract.check_contract(plan, report, 4, "local")


if __name__ == "__main__":
    case.main(__doc__)
