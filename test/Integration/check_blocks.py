#!/usr/bin/python3
"""Blocks whose functions an object file brings.

    check_blocks.py values|tools|bodies|errors|wrong [--backend local|mpi]

values: NumPy's on any number of devices, also where labels are cut by pins, in the
reference, in an executable and out of a shared library. tools: sharded graphs, the
greedy executor, searches, pictures and sessions know blocks. bodies: what regions of IR compute, by all of these.
errors: what --object
names. wrong: functions that break their signatures are found by the reference.
"""

import argparse
import json
import pathlib
import re

import check_shards
import numpy as np
from harness import compare, contract, driver
from harness.driver import CheckFailed

HERE = pathlib.Path(__file__).resolve().parent
INCLUDE = HERE.parents[1] / "runtime" / "include"
PROGRAM = """\
param add = 5
input X : f32[13, 64]
input W : f32[3]
input I : i32[50]
input D : f64[11, 9]
input A : c64[7, 5]
input B : c64[5, 6]
input U : u8[10]
input T : i64[5, 3]
extern block smooth[b, x](X[b, x:x + 3] : f32, W[:] : f32,
                          scale : f32 = 0.5) -> Y[b, x] : f32 idempotent cost flops = 6, ram = 8, flops[b] = 2
extern block strided[i](X[3*i:3*i + 5:2] : i32, more : i32) -> Y[i] : i32
extern block stats[n, k](X[n, k] : f64) -> sum S[n] : f64, max M[k] : f64
extern block product[i, k, j](A[i, j] : c64, B[j, k] : c64) -> sum C[i, k] : c64
monoid absmax(a, b) = max(abs(a), abs(b)) identity 0
monoid grow(a, b) = a + b + a * b identity 0
extern block blur[b, x](pad(X, -2)[b - 1:b + 1, x - 1:x + 2] : f32) -> Y[b, x] : f32
extern block sparse[i:20](pad(X, 9)[3*i - 4:3*i + 1:2] : i32) -> Y[i] : i32
extern block reach[n, k](X[n, k] : f64) -> absmax F[k] : f64, grow G[n] : f64
extern block brightest[i](U[i] : u8) -> max M[] : u8
extern block turned(X[:n] : u8) -> Y[:n] : u8, even[] : bool
extern block tiles[t, c](X[t, c] : i64) -> Y[4*t:4*t + 4, c] : i64 idempotent
extern block ramp[i:23](step : i64) -> Y[i] : f32
Y = smooth(X, W)
Z = smooth(2 * transpose(Y), W, 2)
I2 = strided(I, add)
Blur = blur(X)
P = sparse(I)
F, G = reach(D)
Most = brightest(U)
S, M = stats(D)
C = product(A, B)
R, Even = turned(U)
L = tiles(T)
Ramp = ramp(3)
Half[i] = Ramp[i] / 2
output Y, Z, I2, S, M, C, R, Even, L, Half, Blur, P, F, G, Most
"""
OUTPUTS = ["Y", "Z", "I2", "S", "M", "C", "R", "Even", "L", "Half", "Blur", "P", "F", "G", "Most"]
# Cuts of vertices by number of devices: windows, reduced labels, both results.
PINS = [
    (2, {"Blur": {"b": 1, "x": 2}, "F": {"n": 2, "k": 1}, "Y": {"b": 1, "x": 2}, "S": {"n": 1, "k": 2}, "C": {"i": 1, "k": 1, "j": 2}}),
    (3, {"Blur": {"b": 3, "x": 1}, "P": {"i": 3}, "Most": {"i": 3}, "Y": {"b": 3, "x": 1}, "S": {"n": 3, "k": 1}, "I2": {"i": 3}, "Ramp": {"i": 3}}),
    (5, {"F": {"n": 1, "k": 5}, "P": {"i": 5}, "Y": {"b": 1, "x": 5}, "Z": {"b": 5, "x": 1}, "C": {"i": 1, "k": 1, "j": 5}}),
    (8, {"Blur": {"b": 4, "x": 2}, "F": {"n": 4, "k": 2}, "P": {"i": 8}, "Y": {"b": 4, "x": 2}, "S": {"n": 2, "k": 4}, "L": {"t": 1, "c": 1}, "I2": {"i": 8}}),
]


def windows(X, W, scale):
    count = X.shape[1] - 2
    return scale * sum(X[:, r : r + count].astype(np.float64) * W[r] for r in range(3))


def draw():
    random = np.random.default_rng(12)
    part = lambda *shape: random.standard_normal(shape).astype(np.float32)
    return {
        "X": part(13, 64), "W": part(3), "I": random.integers(-99, 99, 50).astype(np.int32),
        "D": random.standard_normal((11, 9)), "A": part(7, 5) + 1j * part(7, 5),
        "B": part(5, 6) + 1j * part(5, 6), "U": random.integers(0, 255, 10).astype(np.uint8),
        "T": random.integers(-9, 9, (5, 3)),
    }  # fmt: skip


def expected(given):
    Y = windows(given["X"], given["W"], 0.5)
    I, T = given["I"], given["T"]
    X = np.pad(given["X"].astype(np.float64), 1, constant_values=-2)
    wide = np.pad(I, (4, 20), constant_values=9)
    return {
        "Y": Y, "Z": windows((2 * Y).T, given["W"], 2),
        "I2": np.max([I[0:46:3], I[2:48:3], I[4:50:3]], axis=0) + 5,
        "S": (given["D"] ** 2).sum(axis=1), "M": given["D"].max(axis=0),
        "C": given["A"].astype(np.complex128) @ given["B"],
        "Blur": X[1:-1, :-2] + X[1:-1, 1:-1] + X[1:-1, 2:] - X[:-2, 1:-1],
        "P": np.array([wide[3 * i : 3 * i + 5 : 2].sum() for i in range(20)]),
        "F": np.abs(given["D"]).max(axis=0),
        "G": np.prod(1 + np.abs(given["D"]), axis=1) - 1, "Most": given["U"].max(),
        "R": given["U"][::-1], "Even": np.bool_(True),
        "L": (10 * T[:, None, :] + np.arange(4)[None, :, None]).reshape(20, 3),
        "Half": 3 * np.arange(23) / 23 / 2,
    }  # fmt: skip


def check(got, wanted):
    for name in got:
        if got[name].dtype.kind in "iub":
            compare.check_equal(name, got[name], wanted[name].astype(got[name].dtype))
        elif np.abs(got[name] - wanted[name]).max() > 2e-5 * np.abs(wanted[name]).max():
            raise CheckFailed(f"{name} is {got[name]}, expected {wanted[name]}")


def build(folder, source, target, *options):
    driver.execute(
        ["cc", "-O2", "-Wall", "-Werror", *options, f"-I{INCLUDE}", source, "-o", target, "-lm"],
        folder,
    ).expect_status(0)


def run(folder, words, devices, backend):
    """Returns how it ended; its report stands in r.json."""
    if backend == "local":
        return driver.tapestry(
            "run", "p.ein", f"--devices={devices}", "--object=b.o", *words, "--report=r.json",
            cwd=folder,
        )  # fmt: skip
    options = [word for word in words if word.startswith("--plan")]
    driver.tapestry(
        "compile", "p.ein", f"--devices={devices}", "--object=b.o", *options, "-o", "prog", cwd=folder
    ).expect_status(0)
    files = [word for word in words if word not in options]
    return driver.mpirun(
        devices, "./prog", "--backend", "mpi", *files, "--report=r.json", cwd=folder
    )


def check_values(folder, backend):
    given = draw()
    wanted = expected(given)
    files = driver.save_inputs(folder, given) + driver.output_options(OUTPUTS)
    build(folder, HERE / "Blocks" / "Inputs" / "blocks.c", "b.o", "-c")
    (folder / "p.ein").write_text(PROGRAM)
    if backend == "local":
        build(folder, HERE / "Blocks" / "Inputs" / "blocks.c", "b.so", "-shared", "-fPIC")
        for name in ("b.o", "b.so"):
            driver.tapestry(
                "reference", "p.ein", f"--object={name}", *files, cwd=folder
            ).expect_status(0)
            check(driver.load_outputs(folder, OUTPUTS), wanted)
        driver.tapestry("run", "p.ein", "--object=b.so", *files, cwd=folder).expect_status(0)
        check(driver.load_outputs(folder, OUTPUTS), wanted)
        for devices in (1, 2, 3, 5, 8):
            run(folder, files, devices, backend).expect_status(0)
            check(driver.load_outputs(folder, OUTPUTS), wanted)
        driver.tapestry(
            "compile", "p.ein", "--devices=3", "--object=b.o", "-o", "prog", cwd=folder
        ).expect_status(0)
        driver.execute(["./prog", *files], folder).expect_status(0)
        check(driver.load_outputs(folder, OUTPUTS), wanted)
        check_libraries(folder, files, wanted)
    for devices, pins in PINS:
        vertices = [{"name": name, "parts": parts} for name, parts in pins.items()]
        plan = {"tapestry_plan": 1, "devices": devices, "vertices": vertices}
        (folder / "pins.json").write_text(json.dumps(plan))
        driver.tapestry(
            "plan", "p.ein", f"--devices={devices}", "--plan=pins.json", "--json=plan.json", cwd=folder
        ).expect_status(0)
        plan = driver.load_json(folder / "plan.json")
        for vertex in plan["vertices"]:
            if vertex["name"] in pins and vertex["parts"] != pins[vertex["name"]]:
                raise CheckFailed(f"{vertex['name']} is cut into {vertex['parts']}")
        run(folder, ["--plan=plan.json", *files], devices, backend).expect_status(0)
        contract.check_contract(plan, driver.load_json(folder / "r.json"), devices, backend)
        check(driver.load_outputs(folder, OUTPUTS), wanted)
    print(f"{len(PINS)} cuts have the values of NumPy")


def check_session(folder, given, wanted):
    """What a program with blocks makes on some devices is restored on others."""
    load = "".join(f"load {name} {name}.npy\n" for name in given)
    export = "".join(f"export {name} {name}.npy\n" for name in OUTPUTS)
    (folder / "first").write_text(f"{load}apply p.ein\ncheckpoint saved\n")
    (folder / "second").write_text(f"restore saved\n{export}drop Z\napply p.ein\nexport Z Z.npy\n")
    for commands, devices in (("first", 5), ("second", 3)):
        driver.tapestry(
            "session", commands, f"--devices={devices}", "--object=b.o", cwd=folder
        ).expect_status(0)
    check(driver.load_outputs(folder, OUTPUTS), wanted)


def check_pieces(folder, files, wanted):
    """Blocks are cut by hand along windows, reduced labels and both results, and run in
    pieces: on less memory than any of them takes whole."""
    for devices, pins in PINS:
        vertices = [{"name": name, "parts": parts} for name, parts in pins.items()]
        plan = {"tapestry_plan": 1, "devices": devices, "vertices": vertices}
        (folder / "pins.json").write_text(json.dumps(plan))
        planned = driver.tapestry(
            "compile", "p.ein", f"--devices={devices}", "--object=b.o", "--plan=pins.json",
            "--stop-after=plan", cwd=folder,
        )  # fmt: skip
        (folder / "planned.mlir").write_text(planned.expect_status(0).stdout)
        check_shards.shard(folder)
        text = (folder / "sharded.mlir").read_text()
        for name, parts in pins.items():
            shards = len(re.findall(rf'tapestry\.shard "{name}\.\d+"', text))
            most = np.prod(list(parts.values()))
            if shards > most or (most > 1 and shards < 2):
                raise CheckFailed(f"{name} is {shards} shards of {parts}\n{text}")
        check_shards.unshard(folder)
        for words in (["reference", "sharded.mlir"], ["run", "sharded.mlir", "--devices=3"],
                      ["run", "p.ein", "--plan=pins.json", "--executor=greedy", "--report=r.json"]):  # fmt: skip
            driver.tapestry(*words, "--object=b.o", *files, cwd=folder).expect_status(0)
            check(driver.load_outputs(folder, OUTPUTS), wanted)
        report = driver.load_json(folder / "r.json")
        for what in ("spilled", "reloaded", "input", "copied"):
            if report[f"predicted_{what}_bytes"] != report[f"counted_{what}_bytes"]:
                raise CheckFailed(f"{what}: {report}")


def check_pictures(folder):
    for kind in ("plan", "graph", "shards"):
        driver.tapestry(
            "plan", "p.ein", "--devices=3", f"--draw={kind}", "--dot=p.dot", cwd=folder
        ).expect_status(0)
        text = (folder / "p.dot").read_text()
        blocks = text.count("<b>block</b>")
        if (kind == "graph" and blocks != 12) or (kind == "shards" and blocks <= 12):
            raise CheckFailed(f"not all blocks are in the picture of the {kind}")
        if "complex<" in text:
            raise CheckFailed(f"the picture of the {kind} has a type that is not markup")


def check_tools(folder, backend):
    given = draw()
    wanted = expected(given)
    files = driver.save_inputs(folder, given) + driver.output_options(OUTPUTS)
    build(folder, HERE / "Blocks" / "Inputs" / "blocks.c", "b.o", "-c")
    (folder / "p.ein").write_text(PROGRAM)

    def go(*words):
        driver.tapestry(*words, "--object=b.o", *files, cwd=folder).expect_status(0)
        check(driver.load_outputs(folder, OUTPUTS), wanted)

    for devices in (2, 5):
        planned = driver.tapestry(
            "compile", "p.ein", f"--devices={devices}", "--object=b.o", "--stop-after=plan", cwd=folder
        ).expect_status(0)
        (folder / "planned.mlir").write_text(planned.stdout)
        check_shards.shard(folder)
        check_shards.unshard(folder)
        go("reference", "sharded.mlir")
        go("run", "sharded.mlir", "--devices=3")
        go("run", "p.ein", f"--devices={devices}", "--executor=greedy")
    for member in ("fastest", "smallest"):
        driver.tapestry(
            "plan", "p.ein", "--devices=4", "--pareto=front.json", f"--pick={member}", "--json=plan.json",
            cwd=folder,
        ).expect_status(0)  # fmt: skip
        go("run", "p.ein", "--plan=plan.json")
    check_pieces(folder, files, wanted)
    check_pictures(folder)
    check_session(folder, given, wanted)


BODIES = ["Y", "E", "M", "S", "B", "V", "P", "C"]
BODY_PINS = [
    (2, {"Y": {"b": 2, "x": 1}, "V": {"i": 2}, "C": {"i": 1, "k": 1, "j": 2}}),
    (3, {"Y": {"b": 1, "x": 3}, "J": {"i": 3}}),
    (7, {"Y": {"b": 7, "x": 1}, "J": {"i": 7}, "V": {"i": 7}}),
    (8, {"Y": {"b": 2, "x": 4}, "J": {"i": 8}, "C": {"i": 2, "k": 1, "j": 4}}),
]


def draw_bodies():
    random = np.random.default_rng(7)
    part = lambda *shape: random.standard_normal(shape).astype(np.float32)
    whole = lambda size: random.integers(-99, 99, size).astype(np.int32)
    given = {
        "X": part(13, 64), "W": part(3), "I": whole(23), "Z": whole(40), "U": random.random(40) < 0.5,
        "A": part(7, 5) + 1j * part(7, 5), "D": part(5, 6) + 1j * part(5, 6),
    }  # fmt: skip
    X = np.pad(given["X"].astype(np.float64), ((0, 0), (1, 1)), constant_values=0.5)
    sums = 0.25 * sum(X[:, r : r + 64] * given["W"][r] for r in range(3))
    Y = sums + np.arange(13)[:, None]
    Z = np.pad(given["Z"], (3, 3), constant_values=5)
    first = 2 * np.arange(21)
    S = 10 * given["I"][22 - np.arange(21)] + Z[first] - Z[first + 3]
    U = given["U"]
    wanted = {
        "Y": Y, "E": (Y**2).sum(axis=1), "M": np.abs(sums).max(axis=0), "S": S, "B": np.any(S > 10),
        "V": U ^ np.concatenate([[True], U[:-1]]), "P": np.bool_(U.sum() % 2),
        "C": given["A"].astype(np.complex128) @ given["D"],
    }  # fmt: skip
    return given, wanted


def check_bodies(folder, backend):
    given, wanted = draw_bodies()
    files = driver.save_inputs(folder, given) + driver.output_options(BODIES)
    (folder / "p.mlir").write_text((HERE / "Blocks" / "Inputs" / "bodies.mlir").read_text())

    def go(*words):
        driver.tapestry(*words, *files, cwd=folder).expect_status(0)
        check(driver.load_outputs(folder, BODIES), wanted)

    go("reference", "p.mlir")
    for devices in range(1, 9):
        go("run", "p.mlir", f"--devices={devices}")
    go("run", "p.mlir", "--devices=3", "--executor=greedy")
    driver.tapestry("compile", "p.mlir", "--devices=3", "-o", "prog", cwd=folder).expect_status(0)
    driver.execute(["./prog", *files], folder).expect_status(0)
    check(driver.load_outputs(folder, BODIES), wanted)
    for devices, pins in BODY_PINS:
        vertices = [{"name": name, "parts": parts} for name, parts in pins.items()]
        plan = {"tapestry_plan": 1, "devices": devices, "vertices": vertices}
        (folder / "pins.json").write_text(json.dumps(plan))
        driver.tapestry(
            "plan", "p.mlir", f"--devices={devices}", "--plan=pins.json", "--json=plan.json", cwd=folder
        ).expect_status(0)
        go("run", "p.mlir", "--plan=plan.json", "--report=r.json")
        plan = driver.load_json(folder / "plan.json")
        contract.check_contract(plan, driver.load_json(folder / "r.json"), devices, "local")
        planned = driver.tapestry(
            "compile", "p.mlir", "--plan=plan.json", "--stop-after=plan", cwd=folder
        ).expect_status(0)
        (folder / "planned.mlir").write_text(planned.stdout)
        check_shards.shard(folder)
        check_shards.unshard(folder)
        go("reference", "sharded.mlir")
    print(f"bodies have the values of NumPy on 1 to 8 devices and in {len(BODY_PINS)} cuts")


SMALL = """\
input X : f32[20]
monoid plus(a, b) = a + b identity 0
extern block {name}[i{extent}]({formal}[{read}] : f32) -> {result} : f32 {mark}
{left} = {name}(X)
output {left}
"""


def write_small(folder, name, read="i:i + 2", result="Y[i]", left="Y", extent="", mark="", formal="X"):
    (folder / "p.ein").write_text(
        SMALL.format(name=name, read=read, result=result, left=left, extent=extent, mark=mark, formal=formal)
    )


def expect(done, status, *texts):
    done.expect_status(status)
    for text in texts:
        if text not in done.stderr:
            raise CheckFailed(f"no '{text}' in the message\n{done.describe()}")
    lines = len(done.stderr.strip().splitlines())
    if lines != 1 if status == 4 else done.stderr.count("error:") != 1:
        raise CheckFailed(f"not one message\n{done.describe()}")


def check_wrong(folder, backend):
    X = np.random.default_rng(3).random(20, dtype=np.float32)
    files = driver.save_inputs(folder, {"X": X})
    build(folder, HERE / "Blocks" / "Inputs" / "blocks.c", "b.o", "-c")
    cases = [
        ("reads_before", {}, ["reads outside of what its signature projects of 'X'", "index points i = ", "changes Y["]),
        ("reads_before", {"formal": "pad(X, 0)"}, ["reads outside of what its signature projects of 'X'", "index points i = ", "changes Y["]),
        ("writes_around", {}, ["writes outside of what its signature projects of 'Y'"]),
        ("writes_behind", {}, ["writes outside of what its signature projects of 'Y'", "it changes Y["]),
        ("leaves_out", {}, ["does not write Y["]),
        ("counts", {"mark": "idempotent"}, ["is idempotent, but makes other bits of the same: for ", "of Y["]),
        ("counts_half", {}, ["does not write Y["]),
        ("jitters", {"mark": "idempotent"}, ["is idempotent, but makes other bits of the same: for ", "of Y["]),
        ("jitters_before", {}, ["reads outside of what its signature projects of 'X'", "changes Y["]),
        ("counts_behind", {"read": "i"}, ["reads outside of what its signature projects of 'X'", "changes Y["]),
        ("largest_behind", {"read": "i"}, ["reads outside of what its signature projects of 'X'", "changes Y["]),
        ("uses_up", {}, ["writes to its input 'X': for all of its index points"]),
        ("uses_up_part", {}, ["writes to its input 'X': for the index points i = "]),
        ("takes_place", {}, ["makes another Y[", "than for all of them"]),
        ("fails", {}, ["block 'Y' failed: its function 'fails' returned 7"]),
        ("sums_all", {"read": "i", "result": "sum Y[]"}, ["makes another Y of the index points i = 0 to "]),
        ("sums_all", {"read": "i", "result": "plus Y[]"}, ["makes another Y of the index points i = 0 to "]),
    ]  # fmt: skip
    for name, options, texts in cases:
        write_small(folder, name, **options)
        done = driver.tapestry("reference", "p.ein", "--object=b.o", *files, "-o", "Y=Y.npy", cwd=folder)
        expect(done, 1, "p.ein:4:1: error: block 'Y' ", *texts)
        if (folder / "Y.npy").exists():
            raise CheckFailed(f"{name}: there is an output")
    check_points(folder)
    check_crashes(folder)
    driver.save_inputs(folder, {"X": X})
    # A result that is infinite somewhere is compared all the same.
    driver.save_inputs(folder, {"X": np.where(np.arange(20) == 2, np.float32(np.inf), X)})
    write_small(folder, "largest_behind", read="i")
    done = driver.tapestry("reference", "p.ein", "--object=b.o", *files, cwd=folder)
    expect(done, 1, "reads outside of what its signature projects of 'X'", "changes Y[")
    driver.save_inputs(folder, {"X": X})
    # Shards are tried as the whole is.
    for name, texts in [
        ("reads_before", ["block 'Y' reads outside of what its signature projects of 'X'"]),
        ("uses_up_part", ["block 'Y' writes to its input 'X'"]),
        ("takes_place", ["block 'Y' makes another Y["]),
    ]:
        write_small(folder, name)
        planned = driver.tapestry(
            "compile", "p.ein", "--devices=3", "--object=b.o", "--stop-after=plan", cwd=folder
        ).expect_status(0)
        (folder / "planned.mlir").write_text(planned.stdout)
        if check_shards.shard(folder) < 2:
            raise CheckFailed(f"{name} is not cut")
        done = driver.tapestry("reference", "sharded.mlir", "--object=b.o", *files, cwd=folder)
        expect(done, 1, *texts)
    # Without the mark a function may make something else each time.
    # Of one that does, the reference says that it tries less.
    warning = "p.ein:4:1: warning: block 'Y' makes other values of the same at each call: "
    for name in ("counts", "tosses", "alternates", "jitters"):
        write_small(folder, name)
        for words in (["reference"], ["run", "--devices=3"]):
            done = driver.tapestry(
                words[0], "p.ein", "--object=b.o", *words[1:], *files, "-o", "Y=Y.npy", cwd=folder
            ).expect_status(0)
            wanted = words[0] == "reference" and name != "jitters"
            if done.stderr.count(warning) != wanted or done.stderr.count("warning") != wanted:
                raise CheckFailed(f"{name}: not one warning\n{done.describe()}")
        Y = np.load(folder / "Y.npy")
        if name == "jitters" and np.abs(Y - X[:-1] - X[1:]).max() > 1e-6:
            raise CheckFailed(f"Y is {Y}")
    write_small(folder, "fails")
    for devices in (1, 3):
        done = driver.tapestry("run", "p.ein", f"--devices={devices}", "--object=b.o", *files, cwd=folder)
        expect(done, 4, "block 'Y' failed: its function returned 7")


ONE_POINT = """\
input X : {type}[{shape}]
extern block {name}[{labels}](X[{labels}] : {type}, more : i64) -> Y[{labels}] : {type}
Y = {name}(X, {more})
output Y
"""


def check_points(folder):
    """Functions that err at one point of many, at an end, or by what data say."""
    random = np.random.default_rng(5)
    reads, omits = "reads outside of what its signature projects of 'X'", "does not write Y["
    writes = "writes outside of what its signature projects of 'Y'"
    cases = [("low_behind", (500,), 9, reads), ("high_behind", (500,), 2**31 - 2, reads)]
    for at in (0, *random.integers(1, 1000, 3), 1000):
        cases += [("reads_at", (1001,), at, reads), ("omits_at", (1001,), at, f"{omits}{at}]")]
        # Inside, the point before is tried first, and is not what it is in the whole.
        cases.append(("writes_at", (1001,), at, writes if at in (0, 1000) else f"makes another Y[{at - 1}]"))
    # At ends of each label, and where there are too many points to try each.
    for shape in ((9, 14), (150, 70)):
        cases += [("wraps", shape, -1, reads), ("wraps", shape, 1, reads)]
    at = random.integers(1, 99999)
    cases += [("reads_at", (100000,), at, reads), ("omits_at", (100000,), at, f"{omits}{at}]")]
    for name, shape, more, text in cases:
        element = "i32" if name == "high_behind" else "f32"
        X = random.random(shape, dtype=np.float32) if element == "f32" else random.integers(-99, 99, shape).astype(np.int32)
        files = driver.save_inputs(folder, {"X": X})
        (folder / "p.ein").write_text(
            ONE_POINT.format(name=name, type=element, shape=", ".join(map(str, shape)), labels="b, x" if len(shape) == 2 else "i", more=more)
        )
        done = driver.tapestry("reference", "p.ein", "--object=b.o", *files, cwd=folder)
        changed = [f"changes Y[{more}]"] if name == "reads_at" else []
        expect(done, 1, "p.ein:3:1: error: block 'Y' ", text, *changed)


def check_crashes(folder):
    files = driver.save_inputs(folder, {"X": np.zeros(20, dtype=np.float32)})
    for name, how in [("faults", "a segmentation fault"), ("aborts", "an abort"), ("deepens", "a segmentation fault")]:
        write_small(folder, name)
        done = driver.tapestry("reference", "p.ein", "--object=b.o", *files, "-o", "Y=Y.npy", cwd=folder)
        done.expect_status(1)
        if done.stderr != f"p.ein:4:1: error: block 'Y' failed: its function '{name}' was ended by {how}\n":
            raise CheckFailed(f"not one message\n{done.describe()}")
        driver.tapestry(
            "compile", "p.ein", "--devices=3", "--object=b.o", "-o", "prog", cwd=folder
        ).expect_status(0)
        run = ["run", "p.ein", "--object=b.o", *files, "-o", "Y=Y.npy"]
        for done in (driver.tapestry(*run, "--devices=1", cwd=folder), driver.tapestry(*run, "--devices=3", cwd=folder),
                     driver.tapestry(*run, "--devices=3", "--executor=greedy", cwd=folder),
                     driver.execute(["./prog", *files, "-o", "Y=Y.npy"], folder)):  # fmt: skip
            expect(done, 4, f"block 'Y' failed: its function was ended by {how}\n")
        # A session says at which of its lines.
        (folder / "commands").write_text("load X X.npy\n\napply p.ein\n")
        done = driver.tapestry("session", "commands", "--devices=2", "--object=b.o", cwd=folder)
        expect(done, 4, "commands:3: ", f"block 'Y' failed: its function was ended by {how}\n")
        if not done.stderr.startswith("commands:3: rank ") or done.stderr.count("\n") != 1:
            raise CheckFailed(f"not one message at a line\n{done.describe()}")
        if list(folder.glob("*Y.npy*")) or list(folder.glob(".*.tmp")):
            raise CheckFailed(f"{name}: there is an output")


def check_libraries(folder, files, wanted):
    """An executable finds a library where that lay, with and without a name of its own."""
    (folder / "lib,s").mkdir()
    (folder / "elsewhere").mkdir()
    for name, options in [("plain.so", []), ("named.so", ["-Wl,-soname,libnamed.so.1"])]:
        build(folder, HERE / "Blocks" / "Inputs" / "blocks.c", f"lib,s/{name}", "-shared", "-fPIC", *options)
        if options:
            (folder / "lib,s" / "libnamed.so.1").symlink_to(name)
        driver.tapestry(
            "compile", "p.ein", "--devices=2", f"--object=lib,s/{name}", "-o", "prog", cwd=folder
        ).expect_status(0)
        words = [word.replace("=", "=../", 1) for word in files]
        driver.execute(["../prog", *words], folder / "elsewhere").expect_status(0)
        check(driver.load_outputs(folder, OUTPUTS), wanted)


def check_errors(folder, backend):
    X = np.zeros(20, dtype=np.float32)
    files = driver.save_inputs(folder, {"X": X})
    (folder / "a.c").write_text(
        '#include "tapestry-rt/Block.h"\n'
        "TAPESTRY_BLOCK(zero) {\n for (int64_t i = call->lo[0]; i < call->hi[0]; ++i)\n"
        "  *(float *)tapestry_block_at1(&call->outputs[0], i) = 0;\n return 0;\n}\n"
    )
    (folder / "old.c").write_text("int tapestry_block_v999_zero(void) { return 0; }\n")
    (folder / "needs.c").write_text(
        '#include "tapestry-rt/Block.h"\n'
        "int not_there(void);\nTAPESTRY_BLOCK(zero) { return not_there(); }\n"
    )
    (folder / "early.c").write_text(
        (folder / "a.c").read_text()
        + "static int ready;\n__attribute__((constructor)) static void start(void) { ready = 1; }\n"
        "TAPESTRY_BLOCK(is_ready) { return ready ? 0 : 3; }\n"
    )
    (folder / "there.c").write_text("int not_there(void) { return 0; }\n")
    for name in ("a", "old", "needs", "there", "early"):
        build(folder, f"{name}.c", f"{name}.o", "-c")
    build(folder, "needs.c", "needs.so", "-shared", "-fPIC")
    build(folder, "early.c", "early.so", "-shared", "-fPIC")
    (folder / "text.o").write_text("no object\n")
    write_small(folder, "zero", read="i")
    commands = [
        ["run", "p.ein", *files],
        ["reference", "p.ein", *files],
        ["compile", "p.ein", "-o", "prog"],
    ]
    for command in commands:
        go = lambda *objects: driver.tapestry(
            *command, *(f"--object={name}" for name in objects), cwd=folder
        )
        go("a.o").expect_status(0)
        expect(go(), 1, "p.ein:4:1: error: block 'Y' calls 'zero', which no --object defines")
        if command[0] == "compile":
            go("early.o").expect_status(0)
        else:
            expect(go("early.o"), 1, "early.o: error: has initialisers, which run before main", "shared library", "executable")
            go("early.so").expect_status(0)
        expect(go("text.o"), 1, "text.o: error: is no object file")
        expect(go("missing.o"), 1, "missing.o: error: No such file or directory")
        expect(go("old.o"), 3, "old.o: error: defines block 'zero' for version 999 of tapestry-rt/Block.h, but this is version 1")
        expect(go("a.o", "needs.o"), 1, "needs.o: error: defines block 'zero', which 'a.o' defines, too")
        lacks = "error: needs 'not_there', which neither a file of --object nor a library defines"
        if command[0] != "reference":
            go("needs.o", "there.o").expect_status(0)
        if command[0] != "compile":
            expect(go("needs.o"), 1, f"needs.o: {lacks}")
            expect(go("needs.so"), 1, f"needs.so: {lacks}")
        elif f"needs.o: {lacks}" not in go("needs.o").expect_status(1).stderr:  # the linker speaks, too
            raise CheckFailed(go("needs.o").describe())
    if (folder / "prog").exists():
        (folder / "prog").unlink()
    # What is planned needs no functions.
    driver.tapestry("plan", "p.ein", "--devices=2", cwd=folder).expect_status(0)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("what", choices=["values", "tools", "bodies", "errors", "wrong"])
    parser.add_argument("--backend", choices=["local", "mpi"], default="local")
    options = parser.parse_args()
    with driver.workspace() as folder:
        globals()[f"check_{options.what}"](folder, options.backend)


if __name__ == "__main__":
    main()
