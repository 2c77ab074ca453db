#!/usr/bin/python3
"""Collectives that go on beside computation: values, bytes, memory, lanes and failures.

    check_overlap.py [CASE ...]

Everything is started that can be (--overlap 0) and compared with NumPy, and bit for bit with
what runs one after another (--overlap none).
"""

import json

import numpy as np
from harness import driver
from harness.cases import Group
from harness.driver import CheckFailed

case = Group()

# Each product needs a whole B; what it leaves is summed over the devices.
PRODUCTS = """\
input A : f32[24, 20] @ {0: DEVICES}
"""
for number in range(5):
    PRODUCTS += f"""\
input B{number} : f32[20, 28] @ {{0: DEVICES}}
C{number}[i, k] @ {{i: DEVICES}} = sum[j] A[i, j] * B{number}[j, k]
S{number}[k] @ {{i: DEVICES}} = sum[i] C{number}[i, k]
output C{number}, S{number}
"""

# A step of training: gradients of each layer are summed over the batch.
TRAINING = """\
param lr = 0.125
input X : f32[32, 12] @ {0: DEVICES}
input Y : f32[32, 5] @ {0: DEVICES}
input U0 : f32[12, 9]
input V0 : f32[9, 7]
input W0 : f32[7, 5]
repeat t:6 (U = U0, V = V0, W = W0) {
  G[b, i] @ {b: DEVICES} = sum[a] X[b, a] * U[a, i]
  H[b, j] @ {b: DEVICES} = sum[i] max(G[b, i], 0) * V[i, j]
  P[b, c] @ {b: DEVICES} = sum[j] max(H[b, j], 0) * W[j, c]
  E[b, c] @ {b: DEVICES} = P[b, c] - Y[b, c]
  dW[j, c] @ {b: DEVICES} = sum[b] max(H[b, j], 0) * E[b, c]
  F[b, j] @ {b: DEVICES} = select(H[b, j] > 0, sum[c](E[b, c] * W[j, c]), 0)
  dV[i, j] @ {b: DEVICES} = sum[b] max(G[b, i], 0) * F[b, j]
  K[b, i] @ {b: DEVICES} = select(G[b, i] > 0, sum[j](F[b, j] * V[i, j]), 0)
  dU[a, i] @ {b: DEVICES} = sum[b] X[b, a] * K[b, i]
  next U[a, i] = U[a, i] - lr / 32 * dU[a, i]
  next V[i, j] = V[i, j] - lr / 32 * dV[i, j]
  next W[j, c] = W[j, c] - lr / 32 * dW[j, c]
}
output U, V, W
"""


def trained(arrays):
    x, y, u, v, w = (arrays[name].astype(np.float64) for name in ("X", "Y", "U0", "V0", "W0"))
    for _ in range(6):
        g = x @ u
        h = np.maximum(g, 0) @ v
        e = np.maximum(h, 0) @ w - y
        f = np.where(h > 0, e @ w.T, 0)
        k = np.where(g > 0, f @ v.T, 0)
        du, dv, dw = x.T @ k, np.maximum(g, 0).T @ f, np.maximum(h, 0).T @ e
        u, v, w = u - 0.125 / 32 * du, v - 0.125 / 32 * dv, w - 0.125 / 32 * dw
    return {"U": u, "V": v, "W": w}


def random_arrays(seed, shapes):
    rng = np.random.default_rng(seed)
    return {name: rng.standard_normal(shape).astype(np.float32) for name, shape in shapes.items()}


def products():
    shapes = {"A": (24, 20)} | {f"B{number}": (20, 28) for number in range(5)}
    arrays = random_arrays(3, shapes)
    want = {}
    for number in range(5):
        want[f"C{number}"] = arrays["A"].astype(np.float64) @ arrays[f"B{number}"]
        want[f"S{number}"] = want[f"C{number}"].sum(0)
    return arrays, want


def training():
    shapes = {"X": (32, 12), "Y": (32, 5), "U0": (12, 9), "V0": (9, 7), "W0": (7, 5)}
    arrays = random_arrays(4, shapes)
    return arrays, trained(arrays)


PROGRAMS = {"products": (PRODUCTS, products), "training": (TRAINING, training)}


def run(bench, text, arrays, names, devices, *words, backend="local"):
    """Values and report of a run, whose memory and bytes are as predicted."""
    bench.write("overlap.ein", text.replace("DEVICES", str(devices)))
    files = [*driver.save_inputs(bench.folder, arrays), *driver.output_options(names)]
    files.append("--report=report.json")
    program = ["overlap.ein", f"--devices={devices}", "--threads=1"]
    if backend == "local":
        # However many processors there are.
        if not any(word.startswith("--slow-link") for word in words):
            words = [*words, "--slow-link=1TB"]
        done = bench.tapestry("run", *program, *files, *words)
    else:
        bench.tapestry("compile", *program, *words, "-o", "prog").expect_status(0)
        done = driver.mpirun(devices, "./prog", "--backend", "mpi", *files, cwd=bench.folder)
    done.expect_status(0)
    if done.stderr:
        raise CheckFailed(done.describe())
    report = driver.load_json(bench.folder / "report.json")
    for entry in report["collectives"]:
        if entry["predicted_bytes"] != entry["counted_bytes"]:
            raise CheckFailed(f"bytes: {entry}")
    if backend == "local" and report["peak_bytes"] != report["predicted_peak_bytes"]:
        raise CheckFailed(f"peaks of {report['peak_bytes']}: {report['predicted_peak_bytes']}")
    return driver.load_outputs(bench.folder, names), report


def beside(report):
    return sum("waited_seconds" in entry for entry in report["collectives"])


def check_program(bench, name, devices, backend):
    text, make = PROGRAMS[name]
    arrays, want = make()
    where = f"{name} on {devices} devices, {backend}"
    plain, report = run(bench, text, arrays, want, devices, "--overlap=none", backend=backend)
    if beside(report):
        raise CheckFailed(f"{where}: --overlap none starts {beside(report)}")
    got, report = run(bench, text, arrays, want, devices, "--overlap=0", backend=backend)
    if beside(report) < 3:
        raise CheckFailed(f"{where}: {beside(report)} collectives go on beside the program")
    for output in want:
        if got[output].tobytes() != plain[output].tobytes():
            raise CheckFailed(f"{where}: {output} has other bits")
        if not np.allclose(got[output], want[output], atol=1e-4):
            raise CheckFailed(f"{where}: {output} is wrong")


@case
def values_on_threads(bench):
    for name in PROGRAMS:
        for devices in (2, 3, 4, 6):
            check_program(bench, name, devices, "local")


@case
def values_under_mpi(bench):
    for name in PROGRAMS:
        for devices in (2, 3):
            check_program(bench, name, devices, "mpi")


# One product, and one of many batches, whose results are reduced: whole, and in parts.
PARTS = """\
input A : f32[48, 20] @ {1: DEVICES}
input B : f32[20, 28] @ {0: DEVICES}
input P : f32[8, 5, 20] @ {2: DEVICES}
input Q : f32[8, 20, 13] @ {1: DEVICES}
C[i, k] @ {j: DEVICES} = sum[j] A[i, j] * B[j, k]
D[b, i, k] @ {j: DEVICES} = sum[j] P[b, i, j] * Q[b, j, k]
E[i, k] @ {j: DEVICES} = max[j] A[i, j] + B[j, k]
CC[i, k] @ {*: 1} = C[i, k] + 1
DD[b, i, k] @ {*: 1} = D[b, i, k] + 1
EE[i, k] @ {k: DEVICES} = 2 * E[i, k]
F[i, k] @ {j: DEVICES} = sum[j] A[i, j] * A[k, j]
FF[i, k] @ {*: 1} = F[i, k] + 1
output CC, DD, EE, FF
"""


def check_parts(bench, backend, counts):
    arrays = random_arrays(5, {"A": (48, 20), "B": (20, 28), "P": (8, 5, 20), "Q": (8, 20, 13)})
    a, b, p, q = (arrays[name].astype(np.float64) for name in "ABPQ")
    want = {"CC": a @ b + 1, "DD": p @ q + 1, "EE": 2 * (a[:, :, None] + b[None]).max(1), "FF": a @ a.T + 1}
    # In parts that are no longer small enough for a tree.
    scale = 8
    for name, dim in (("A", 0), ("B", 1), ("P", 1), ("Q", 2)):
        arrays[name] = np.concatenate([arrays[name]] * scale, dim)
    want = {name: np.concatenate([value] * scale, -1) for name, value in want.items()}
    want = {name: np.concatenate([value] * scale, -2) for name, value in want.items()}
    text = PARTS.replace("48,", "384,").replace("28]", "224]").replace(", 5,", ", 40,").replace("13]", "104]")
    for devices in counts:
        plain, report = run(bench, text, arrays, want, devices, "--overlap=none", backend=backend)
        least = beside(report)
        got, report = run(
            bench, text, arrays, want, devices, "--overlap=0", "--cut-products=0", backend=backend
        )
        if least or beside(report) < 4:
            raise CheckFailed(f"{least} and {beside(report)} collectives beside the program")
        for name in want:
            # Two devices add in one order.
            if devices == 2 and plain[name].tobytes() != got[name].tobytes():
                raise CheckFailed(f"{name} has other bits")
            if not np.allclose(got[name], want[name], atol=1e-4):
                raise CheckFailed(f"{name} is wrong on {devices} devices, {backend}")


@case
def parts_on_threads(bench):
    check_parts(bench, "local", (2, 4, 5))


@case
def parts_under_mpi(bench):
    check_parts(bench, "mpi", (2, 4))


@case
def parts_of_a_machine(bench):
    """A machine says that products are cut: plans reckon with that, and programs do it."""
    arrays = random_arrays(6, {"A": (384, 640), "B": (640, 224)})
    a, b = (arrays[name].astype(np.float64) for name in "AB")
    text = """\
input A : f32[384, 640] @ {1: DEVICES}
input B : f32[640, 224] @ {0: DEVICES}
C[i, k] @ {j: DEVICES} = sum[j] A[i, j] * B[j, k]
D[i, k] @ {*: 1} = C[i, k] + 1
output D
"""
    machine = {
        "tapestry_machine": 1, "name": "lab", "flops": "1GFLOP/s", "memory_bandwidth": "10GB/s",
        "link": {"bandwidth": "20MB/s", "latency": "1us"},
    }
    costs = {}
    for name, more in (("plain", {}), ("cutting", {"cut_products": "64KiB"})):
        (bench.folder / f"{name}.json").write_text(json.dumps({**machine, **more}))
        words = ["--cost=spmd", f"--machine={name}.json"]
        got, report = run(bench, text, arrays, {"D": a @ b + 1}, 2, "--overlap=0", *words)
        if beside(report) != (name == "cutting"):
            raise CheckFailed(f"{name}: {beside(report)} collectives beside the program")
        if not np.allclose(got["D"], a @ b + 1, atol=1e-3):
            raise CheckFailed(f"{name}: D is wrong")
        bench.tapestry("plan", "overlap.ein", "--devices=2", *words, f"--json={name}.plan.json")
        costs[name] = driver.load_json(bench.folder / f"{name}.plan.json")["cost"]
    # Of 17 ms of reduction beside 55 ms of work one part of four is left.
    saved = costs["plain"] - costs["cutting"]
    if not 0.0125 < saved < 0.0135:
        raise CheckFailed(f"cutting saves {saved} s of {costs['plain']}")


@case
def slow_links(bench):
    """What a plan sends over a slow link takes so long, and the trace has both lanes."""
    arrays, want = products()
    got, report = run(
        bench, PRODUCTS, arrays, want, 2, "--overlap=0", "--slow-link=100kB", "--trace=trace.json"
    )
    if not all(np.allclose(got[name], want[name], atol=1e-4) for name in want):
        raise CheckFailed("wrong over a slow link")
    sent = sum(entry["counted_bytes"] for entry in report["collectives"]) / 2
    if report["seconds"] < sent / 100e3:
        raise CheckFailed(f"{sent} bytes at 100 kB/s in {report['seconds']} s")
    events = json.loads((bench.folder / "trace.json").read_text())["traceEvents"]
    names = {event["args"]["name"]: event["tid"] for event in events if event["name"] == "thread_name"}
    if sorted(names) != ["rank 0", "rank 0, beside", "rank 1", "rank 1, beside"]:
        raise CheckFailed(f"tracks: {names}")
    lane = [event["name"] for event in events if event["tid"] == names["rank 0, beside"] and "dur" in event]
    waits = [event["name"] for event in events if event["name"].startswith("wait for ")]
    if len(lane) != beside(report) or sorted(2 * lane) != sorted(wait[9:] for wait in waits):
        raise CheckFailed(f"beside: {lane}; {waits}")
    done = bench.tapestry("run", "overlap.ein", "--slow-link=fast")
    bench.expect_error(done, 2, "--slow-link: expected a number of bytes")
    done = bench.tapestry("run", "overlap.ein", "--overlap=some")
    bench.expect_error(done, 2, "--overlap: expected a number of bytes")


@case
def memory_limits(bench):
    """Where buffers that stay longer do not fit, collectives wait their turn."""
    arrays, want = products()
    _, report = run(bench, PRODUCTS, arrays, want, 2, "--overlap=none")
    least = max(report["peak_bytes"])
    _, report = run(bench, PRODUCTS, arrays, want, 2, "--overlap=0")
    most = max(report["peak_bytes"])
    if most <= least:
        raise CheckFailed(f"peaks of {least} and {most} bytes")
    for limit in (least, most - 1, most):
        _, report = run(bench, PRODUCTS, arrays, want, 2, "--overlap=0", f"--memory={limit}B")
        if max(report["peak_bytes"]) > limit or (beside(report) > 0) != (limit == most):
            raise CheckFailed(f"under {limit} bytes: {report['peak_bytes']}, {beside(report)} beside")
        words = ["overlap.ein", "--devices=2", "--overlap=0", f"--memory={limit}B"]
        bench.tapestry("plan", *words, "--json=plan.json").expect_status(0)
        plan = driver.load_json(bench.folder / "plan.json")
        if plan["peak_bytes_exact"] and plan["peak_bytes_per_device"] != max(report["peak_bytes"]):
            raise CheckFailed(f"under {limit} bytes: plan {plan['peak_bytes_per_device']}")


@case
def failures(bench):
    """A rank that fails ends those that wait for what has been started."""
    arrays, want = products()
    run(bench, PRODUCTS, arrays, want, 3, "--overlap=0")
    for name in want:
        (bench.folder / f"{name}.npy").unlink()
    files = [*driver.save_inputs(bench.folder, arrays), *driver.output_options(want)]
    for number in range(4):
        fault = {"TAPESTRY_FAULT": f"rank=2,collective={number},mode=fail"}
        words = ["--devices=3", "--overlap=0", "--slow-link=1TB"]
        done = bench.tapestry("run", "overlap.ein", *words, *files, env=fault)
        bench.expect_error(done, 4, "rank 2: failed on purpose", f"collective {number}")


@case
def sessions(bench):
    arrays, want = products()
    driver.save_inputs(bench.folder, arrays)
    bench.write("overlap.ein", PRODUCTS.replace("DEVICES", "2"))
    commands = [f"load {name} {name}.npy" for name in arrays]
    commands += ["apply overlap.ein", *(f"export {name} {name}.npy" for name in want)]
    bench.write("commands", "\n".join(commands) + "\n")
    bench.tapestry("session", "commands", "--devices=2", "--overlap=0").expect_status(0)
    got = driver.load_outputs(bench.folder, want)
    if not all(np.allclose(got[name], want[name], atol=1e-4) for name in want):
        raise CheckFailed("wrong in a session")


if __name__ == "__main__":
    case.main(__doc__)
