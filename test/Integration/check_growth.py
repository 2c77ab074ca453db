#!/usr/bin/python3
"""Programs of 1,000 statements: values, memory and how much code they share.

    check_growth.py [CASE ...]
"""

import re

import numpy as np

from harness import driver, philox
from harness.cases import Group
from harness.driver import CheckFailed

case = Group()
STATEMENTS = 1000


def chain(kind, statements=STATEMENTS):
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
    for k in range(statements):
        step = k % 4 if kind == "mixed" else kind
        if step in ("products", 0):
            lines.append(f"T{k}[i,k] = sum[j] {last}[i,j] * W[j,k]")
            value = value @ weights
        elif step in ("elementwise", 3):
            lines.append(f"T{k}[i,j] = {last}[i,j] * 0.5 + 0.25")
            value = value * 0.5 + 0.25
        elif step == "stencils":
            lines.append(
                f"T{k}[i:13,j:11] = 0.25 * edge({last})[i + 1,j] + 0.5 * reflect({last})[i,j - 2]"
                f" + 0.125 * {last}[i,(j + 3) % 11] + 0.125"
            )
            rim = np.pad(value, ((0, 1), (0, 0)), "edge")[1:]
            mirrored = np.pad(value, ((0, 0), (2, 0)), "reflect")[:, :11]
            value = 0.25 * rim + 0.5 * mirrored + 0.125 * np.roll(value, -3, axis=1) + 0.125
        elif step == "random":
            lines.append(f"T{k}[i,j] = {last}[i,j] + random.normal({k})")
            value = value + philox.normal(value.shape, k, f"T{k}#0")
        elif step == 1:
            lines.append(f"T{k}[i] = max[j] {last}[i,j]")
            before, value = value, value.max(axis=1)
        else:
            lines.append(f"T{k}[i,j] = exp(T{k - 2}[i,j] - {last}[i])")
            value = np.exp(before - value[:, None])
        last = f"T{k}"
    return "\n".join([*lines, f"output {last}", ""]), arrays, last, value


def run_chain(bench, kind, devices, statements=STATEMENTS):
    source, arrays, last, want = chain(kind, statements)
    bench.write("chain.ein", source)
    read = {name: array for name, array in arrays.items() if name == "X" or "W[" in source}
    files = driver.save_inputs(bench.folder, read) + driver.output_options([last])
    bench.tapestry(
        "run", "chain.ein", f"--devices={devices}", *files, "--report=report.json"
    ).expect_status(0)
    got = driver.load_outputs(bench.folder, [last])[last]
    # Errors of products grow with their number.
    np.testing.assert_allclose(
        got, want, rtol=2e-3 if kind == "products" else 1e-5, atol=1e-4 if kind == "random" else 0
    )
    report = driver.load_json(bench.folder / "report.json")
    if report["peak_bytes"] != report["predicted_peak_bytes"]:
        raise CheckFailed(f"{report['peak_bytes']} bytes, not {report['predicted_peak_bytes']}")


@case
def values_and_peaks_of_long_programs(bench):
    for devices in (1, 4):
        for kind in ("elementwise", "products", "mixed"):
            run_chain(bench, kind, devices)
        # Three windows each.
        run_chain(bench, "stencils", devices, STATEMENTS // 4)
        run_chain(bench, "random", devices, STATEMENTS // 4)


def functions_of(bench, name, devices):
    """How many kernels, calls of collectives and parts a program becomes."""
    done = bench.tapestry("compile", name, f"--devices={devices}", "--stop-after=code")
    done.expect_status(0)
    defined = [line for line in done.stdout.splitlines() if line.startswith("  llvm.func")]
    kinds = ("@tapestry_kernel", "@collective.", ".part")
    return [sum(kind in line for line in defined) for kind in kinds]


@case
def many_tensors_meet_in_one_statement(bench):
    """What parts of a program and kernels are handed is an address for each buffer."""
    count = 400
    lines = ["input X : f32[13,11]"]
    lines += [f"T{k}[i,j] = X[i,j] * {k + 1}" for k in range(count)]
    lines.append("output S = sum[i,j] " + " + ".join(f"T{k}[i,j]" for k in range(count)))
    bench.write("fan.ein", "\n".join([*lines, ""]))
    done = bench.tapestry("compile", "fan.ein", "--stop-after=code")
    done.expect_status(0)
    kernels = re.findall(r"llvm\.func \w+ @tapestry_kernel\w*\((.*?)\) attr", done.stdout)
    words = [arguments.count("%arg") for arguments in kernels]
    if not 0.9 * count < max(words) < 1.1 * count:
        raise CheckFailed(f"a kernel of {count} buffers takes {max(words)} words")
    (part,) = re.findall(r"llvm\.func @[\w.]*\.part\(.*-> (!llvm\.struct<.*?>) attr", done.stdout)
    if not re.fullmatch(r"!llvm\.struct<\((ptr(, )?)+\)>", part) or part.count("ptr") < count // 2:
        raise CheckFailed(f"the first part hands over {part[:200]}")
    array = np.random.default_rng(37).uniform(-1, 1, (13, 11)).astype(np.float32)
    files = driver.save_inputs(bench.folder, {"X": array}) + driver.output_options(["S"])
    bench.tapestry("run", "fan.ein", *files).expect_status(0)
    got = driver.load_outputs(bench.folder, ["S"])["S"]
    want = array.sum(dtype=np.float64) * count * (count + 1) / 2
    np.testing.assert_allclose(got, want, rtol=1e-4)


@case
def equal_statements_share_their_code(bench):
    """Of equal products, however many, there is one kernel, and one part of the
    program between those at its ends."""
    for devices in (1, 4):
        source, _, _, _ = chain("products")
        bench.write("chain.ein", source)
        counts = functions_of(bench, "chain.ein", devices)
        kernels, collectives, parts = counts
        if kernels > 8 or collectives > 8 or not 1 < parts <= 6:
            raise CheckFailed(f"{devices} devices: {counts} kernels, collectives and parts")
        if devices == 1 and kernels != 1:
            raise CheckFailed(f"one device: {kernels} kernels")


@case
def draws_share_their_code(bench):
    """Each statement draws other numbers, by the same kernel but at both ends, and
    so do those that draw only."""
    alone = "\n".join(f"output U{k}[i:13] = random.normal[f32]({k})" for k in range(90))
    for devices in (1, 4):
        for source, most in ((chain("random")[0], 3), (alone, 1)):
            bench.write("draws.ein", source + "\n")
            counts = functions_of(bench, "draws.ein", devices)
            if not 1 <= counts[0] <= most:
                raise CheckFailed(f"{devices} devices: {counts} kernels, collectives and parts")


def layers(count):
    """Layers of a softmax between two products, each with its own weights."""
    rng = np.random.default_rng(29)
    lines = ["input X0 : f32[13,11]"]
    arrays = {"X0": rng.uniform(-1, 1, (13, 11)).astype(np.float32)}
    value = arrays["X0"].astype(np.float64)
    for n in range(count):
        arrays[f"W{n}"] = rng.uniform(-1, 1, (11, 7)).astype(np.float32)
        arrays[f"V{n}"] = rng.uniform(-1, 1, (7, 11)).astype(np.float32)
        lines += [
            f"input W{n} : f32[11,7]",
            f"input V{n} : f32[7,11]",
            f"H{n}[i,k] = sum[j] X{n}[i,j] * W{n}[j,k]",
            f"P{n}[i,k] = softmax[k] H{n}[i,k]",
            f"D{n}[i,j] = sum[k] P{n}[i,k] * V{n}[k,j]",
            f"X{n + 1}[i,j] = X{n}[i,j] + D{n}[i,j]",
        ]
        powers = np.exp(value @ arrays[f"W{n}"])
        value = value + powers / powers.sum(axis=1, keepdims=True) @ arrays[f"V{n}"]
    return "\n".join([*lines, f"output X{count}", ""]), arrays, value


@case
def layers_share_their_code(bench):
    """More layers are more calls of the functions that fewer have."""
    for devices in (1, 3):
        counts = []
        for count in (40, 120):
            bench.write("layers.ein", layers(count)[0])
            counts.append(functions_of(bench, "layers.ein", devices))
        if counts[0] != counts[1] or counts[0][2] < 3:
            raise CheckFailed(f"{devices} devices: 40 and 120 layers have {counts}")


@case
def shared_code_is_told_apart(bench):
    """Time and traces belong to the statement that runs, in whichever layer."""
    count = 41
    source, arrays, want = layers(count)
    bench.write("layers.ein", source)
    last = f"X{count}"
    files = driver.save_inputs(bench.folder, arrays) + driver.output_options([last])
    for devices in (1, 3):
        bench.tapestry(
            "run", "layers.ein", f"--devices={devices}", *files,
            "--report=report.json", "--trace=trace.json",
        ).expect_status(0)
        got = driver.load_outputs(bench.folder, [last])[last]
        np.testing.assert_allclose(got, want, rtol=1e-4, atol=1e-4)
        report = driver.load_json(bench.folder / "report.json")
        if report["peak_bytes"] != report["predicted_peak_bytes"]:
            raise CheckFailed(f"{report['peak_bytes']} bytes, not {report['predicted_peak_bytes']}")
        events = driver.load_json(bench.folder / "trace.json")["traceEvents"]
        events = [e for e in events if e.get("cat") == "vertex" and e["tid"] == 0]
        ran = [e["name"] for e in sorted(events, key=lambda e: e["ts"])]
        # The sum goes into the product, or the next layer's.
        named = [name for name in ran if name[0] in "HD"]
        expected = [f"{kind}{n}" for n in range(count) for kind in "HD"]
        if [name for name in expected if name in named] != named or len(named) < count:
            raise CheckFailed(f"{devices} devices: statements ran as {ran}")


@case
def distinct_statements_have_kernels_each(bench):
    """Products of one width each: nothing to share, and no more parts than calls
    ask for."""
    widths = [2 + k for k in range(90)]
    rng = np.random.default_rng(31)
    lines, last = ["input T0 : f32[5,2]"], "T0"
    arrays = {"T0": rng.uniform(-1, 1, (5, 2)).astype(np.float32)}
    value = arrays["T0"].astype(np.float64)
    for k, (width, following) in enumerate(zip(widths, widths[1:])):
        name = f"W{k}"
        arrays[name] = rng.uniform(-1, 1, (width, following)).astype(np.float32) / width**0.5
        lines.append(f"input {name} : f32[{width},{following}]")
        lines.append(f"T{k + 1}[i,n] = sum[m] {last}[i,m] * {name}[m,n]")
        last = f"T{k + 1}"
        value = value @ arrays[name]
    bench.write("distinct.ein", "\n".join([*lines, f"output {last}", ""]))
    kernels, _, parts = functions_of(bench, "distinct.ein", 1)
    if kernels != len(widths) - 1 or not 1 < parts <= 4:
        raise CheckFailed(f"{kernels} kernels and {parts} parts")
    files = driver.save_inputs(bench.folder, arrays) + driver.output_options([last])
    bench.tapestry("run", "distinct.ein", *files).expect_status(0)
    got = driver.load_outputs(bench.folder, [last])[last]
    np.testing.assert_allclose(got, value, rtol=1e-3, atol=1e-5)


def pieces(count, computed):
    """A graph that concatenates slices of a tensor in reverse, or what is computed
    of them."""
    lines = [f'  %X = tapestry.source "X" : tensor<{count}x11xf32>']
    row, whole = "tensor<1x11xf32>", f"tensor<{count}x11xf32>"
    for k in range(count):
        last = count - 1 - k
        if computed:
            lines += [
                f'  %s{k} = tapestry.einsum "s{k}" [i = 1, j = 11] (%X[i + {last}, j]) -> [i, j] {{',
                "  ^bb0(%x: f32):",
                "    %y = arith.negf %x : f32",
                "    tapestry.yield %y : f32",
                f"  }} : ({whole}) -> {row}",
            ]
        else:
            lines.append(
                f'  %s{k} = tapestry.slice "s{k}" %X [{last}, 0] => [{last + 1}, 11] : ({whole}) -> {row}'
            )
    names, types = (", ".join(all) for all in ([f"%s{k}" for k in range(count)], [row] * count))
    lines.append(f'  %c = tapestry.concat "c" {names} along 0 : ({types}) -> {whole}')
    lines.append(f'  tapestry.sink "Y", %c : {whole}')
    return "\n".join(["tapestry.graph @pieces {", *lines, "}", ""])


@case
def a_thousand_pieces_of_one_tensor(bench):
    """One statement writes them all: a second, where a chain of insertions takes an hour."""
    array = np.random.default_rng(41).uniform(-1, 1, (STATEMENTS, 11)).astype(np.float32)
    files = driver.save_inputs(bench.folder, {"X": array}) + driver.output_options(["Y"])
    for devices, computed in ((1, True), (1, False), (3, True), (4, False)):
        bench.write("pieces.mlir", pieces(STATEMENTS, computed))
        bench.tapestry(
            "run", "pieces.mlir", f"--devices={devices}", *files, "--report=report.json"
        ).expect_status(0)
        got = driver.load_outputs(bench.folder, ["Y"])["Y"]
        np.testing.assert_array_equal(got, -array[::-1] if computed else array[::-1])
        report = driver.load_json(bench.folder / "report.json")
        if report["peak_bytes"] != report["predicted_peak_bytes"]:
            raise CheckFailed(f"{report['peak_bytes']} bytes, not {report['predicted_peak_bytes']}")


if __name__ == "__main__":
    case.main(__doc__)
