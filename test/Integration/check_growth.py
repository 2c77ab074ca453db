#!/usr/bin/python3
"""Programs of 1,000 statements: values, memory and how much code they share.

    check_growth.py [CASE ...]
"""

import numpy as np

from harness import driver
from harness.cases import Group
from harness.driver import CheckFailed

case = Group()
STATEMENTS = 1000


def chain(kind):
    """Statements of one kind, one after the other, and what they compute."""
    rng = np.random.default_rng(13)
    arrays = {
        "X": rng.uniform(-1, 1, (13, 11)).astype(np.float32),
        "W": rng.uniform(-0.05, 0.05, (11, 11)).astype(np.float32),
    }
    value, weights = (arrays[name].astype(np.float64) for name in ("X", "W"))
    weights += np.eye(11)
    arrays["W"] = weights.astype(np.float32)
    lines, last = ["input X : f32[13,11]", "input W : f32[11,11]"], "X"
    for k in range(STATEMENTS):
        step = k % 4 if kind == "mixed" else kind
        if step in ("products", 0):
            lines.append(f"T{k}[i,k] = sum[j] {last}[i,j] * W[j,k]")
            value = value @ weights
        elif step in ("elementwise", 3):
            lines.append(f"T{k}[i,j] = {last}[i,j] * 0.5 + 0.25")
            value = value * 0.5 + 0.25
        elif step == 1:
            lines.append(f"T{k}[i] = max[j] {last}[i,j]")
            before, value = value, value.max(axis=1)
        else:
            lines.append(f"T{k}[i,j] = exp(T{k - 2}[i,j] - {last}[i])")
            value = np.exp(before - value[:, None])
        last = f"T{k}"
    return "\n".join([*lines, f"output {last}", ""]), arrays, last, value


def run_chain(bench, kind, devices):
    source, arrays, last, want = chain(kind)
    bench.write("chain.ein", source)
    read = {name: array for name, array in arrays.items() if name == "X" or kind != "elementwise"}
    files = driver.save_inputs(bench.folder, read) + driver.output_options([last])
    bench.tapestry(
        "run", "chain.ein", f"--devices={devices}", *files, "--report=report.json"
    ).expect_status(0)
    got = driver.load_outputs(bench.folder, [last])[last]
    # Errors of products grow with their number.
    np.testing.assert_allclose(got, want, rtol=2e-3 if kind == "products" else 1e-5)
    report = driver.load_json(bench.folder / "report.json")
    if report["peak_bytes"] != report["predicted_peak_bytes"]:
        raise CheckFailed(f"{report['peak_bytes']} bytes, not {report['predicted_peak_bytes']}")


@case
def values_and_peaks_of_long_programs(bench):
    for kind in ("elementwise", "products", "mixed"):
        for devices in (1, 4):
            run_chain(bench, kind, devices)


@case
def equal_statements_share_their_code(bench):
    """Of equal products, however many, there is one kernel; the program is cut
    into parts of equal length."""
    counts = []
    for devices in (1, 4):
        source, _, _, _ = chain("products")
        bench.write("chain.ein", source)
        done = bench.tapestry("compile", "chain.ein", f"--devices={devices}", "--stop-after=code")
        done.expect_status(0)
        defined = [line for line in done.stdout.splitlines() if line.startswith("  llvm.func")]
        for what, most in (("@tapestry_kernel", 8), ("@collective.", 8), (".part", 100)):
            found = sum(what in line for line in defined)
            if found > most:
                raise CheckFailed(f"{devices} devices: {found} functions of {what}")
            counts.append(found)
    if counts[0] != 1 or counts[2] < 10:
        raise CheckFailed(f"one device: {counts[0]} kernels and {counts[2]} parts")


if __name__ == "__main__":
    case.main(__doc__)
