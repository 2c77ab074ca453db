#!/usr/bin/python3
"""Objects of earlier compilations: used where all is the same, and only there.

    check_cache.py [CASE ...]
"""

import json
import os
import pathlib
import subprocess

import numpy as np

from harness import driver
from harness.cases import Group, given_plan
from harness.driver import CheckFailed

case = Group()
INCLUDE = pathlib.Path(__file__).resolve().parents[2] / "runtime" / "include"
FOUND = "tapestry: it is one of an earlier compilation\n"
MADE = "tapestry: generating code took "


def environment(bench):
    return {"XDG_CACHE_HOME": str(bench.folder / "sub")}


def entries(bench):
    folder = bench.folder / "sub" / "tapestry"
    return sorted(path for path in folder.glob("llvmcache-*") if "timestamp" not in path.name)


def cached(bench, *words):
    return bench.tapestry(*words, "-v", env=environment(bench))


def expect(finished, found):
    """Whether the object was that of an earlier compilation."""
    finished.expect_status(0)
    if (FOUND in finished.stderr, MADE in finished.stderr) != (found, not found):
        raise CheckFailed(f"found is not {found}\n{finished.describe()}")


def run(bench, *words, found):
    finished = bench.run(*words, "-v", env=environment(bench))
    expect(finished, found)
    bench.expect_results(finished)
    for name in ("C", "D"):
        (bench.folder / f"{name}.npy").unlink()


@case
def the_second_run_is_as_the_first(bench):
    traces, reports = [], []
    for found in (False, True, True):
        run(bench, "--devices=3", "--report=r.json", "--trace=t.json", found=found)
        report = json.loads((bench.folder / "r.json").read_text())
        for times in ("seconds", "compile_seconds", "read_seconds", "write_seconds"):
            report.pop(times)
        for vertex in report["vertices"]:
            vertex.pop("seconds")
        for collective in report["collectives"]:
            collective.pop("seconds", None)
        reports.append({k: v for k, v in report.items() if not k.endswith("seconds")})
        spans = json.loads((bench.folder / "t.json").read_text())["traceEvents"]
        traces.append(sorted((str(s.get("tid")), str(s.get("name"))) for s in spans))
    if reports[1:] != reports[:1] * 2 or traces[1:] != traces[:1] * 2:
        raise CheckFailed(f"{reports}\n{traces}")
    if len(entries(bench)) != 1:
        raise CheckFailed(f"{entries(bench)}")


@case
def what_makes_another_object_has_another_entry(bench):
    (bench.folder / "plan.json").write_text(json.dumps(given_plan()))
    variants = [
        [], ["--devices=2"], ["--devices=5"], ["--cpu=x86-64-v2"], ["--cpu=x86-64-v3"],
        ["--devices=2", "--plan=plan.json"], ["--grid=a=2,b=2"],
    ]  # fmt: skip
    for found in (False, True):
        for words in variants:
            run(bench, *words, found=found)
    # A plan is what it says.
    plan = given_plan()
    plan["vertices"][0] = {"name": "C", "parts": {"i": 1, "j": 1, "k": 2}, "axes": {"k": ["d.0"]}}
    (bench.folder / "plan.json").write_text(json.dumps(plan))
    run(bench, "--devices=2", "--plan=plan.json", found=False)
    # So is a program, but for its words to people.
    text = (bench.folder / "small.ein").read_text()
    bench.write("small.ein", "# A product.\n\n" + text)
    run(bench, found=True)
    bench.write("small.ein", text.replace("* B[j, k]", "* B[j, k] + A[i, j] * 0"))
    run(bench, found=False)


@case
def params_shapes_and_graphs(bench):
    bench.write("p.ein", "param n\nparam s = 2\ninput X : f32[n]\nY[i] = X[i] * s\noutput Y\n")
    known = set()
    for extent, factor in ((5, 2), (7, 2), (5, 3), (5, 2), (7, 2)):
        np.save(bench.folder / "X.npy", np.arange(extent, dtype=np.float32))
        done = cached(bench, "run", "p.ein", "-D", f"s={factor}", "-i", "X=X.npy", "-o", "Y=Y.npy")
        expect(done, (extent, factor) in known)
        known.add((extent, factor))
        if (np.load(bench.folder / "Y.npy") != np.arange(extent) * factor).any():
            raise CheckFailed(done.describe())
    form = """\
tapestry.graph @{name} {{
  %X = tapestry.source "X" : tensor<5xf32>
  %Y = tapestry.einsum "Y" [i = 5] (%X[i]) -> [i] {{
  ^bb0(%x: f32):
    %y = arith.{op} %x, %x : f32
    tapestry.yield %y : f32
  }} : (tensor<5xf32>) -> tensor<5xf32>
  tapestry.sink "Y", %Y : tensor<5xf32>
}}
"""
    two = form.format(name="one", op="addf") + form.format(name="two", op="mulf")
    bench.write("g.mlir", two)
    np.save(bench.folder / "X.npy", np.arange(5, dtype=np.float32))
    for found in (False, True):
        for graph, wanted in (("one", np.arange(5) * 2), ("two", np.arange(5) ** 2)):
            words = ["g.mlir", f"--graph={graph}", "-i", "X=X.npy", "-o", "Y=Y.npy"]
            expect(cached(bench, "run", *words), found)
            if (np.load(bench.folder / "Y.npy") != wanted).any():
                raise CheckFailed(f"{graph}: {np.load(bench.folder / 'Y.npy')}")


@case
def places_that_objects_name(bench):
    program = "input T : f32[9]\ninput I : i64[3]\nY[i] = T[I[i]]\noutput Y\n"
    np.save(bench.folder / "T.npy", np.arange(9, dtype=np.float32))
    np.save(bench.folder / "I.npy", np.array([4, 70, 2]))
    words = ["run", "p.ein", "--devices=2", "-i", "T=T.npy", "-i", "I=I.npy", "-o", "Y=Y.npy"]
    for lines, known in ((0, False), (4, False), (4, True), (0, True)):
        bench.write("p.ein", "# A line.\n" * lines + program)
        failed = cached(bench, *words)
        place = f"p.ein:{3 + lines}:1: error: index I[1] is 70, but"
        if (failed.status, place in failed.stderr, FOUND in failed.stderr) != (1, True, known):
            raise CheckFailed(f"{place}\n{failed.describe()}")


@case
def functions_of_blocks_are_those_of_the_file(bench):
    bench.write(
        "p.ein",
        "input X : f32[6]\nextern block scaled[i](X[i] : f32) -> Y[i] : f32\n"
        "Z = scaled(X)\noutput Z\n",
    )
    np.save(bench.folder / "X.npy", np.ones(6, np.float32))
    for factor, found in ((2, False), (3, True), (3, True)):
        bench.write(
            "b.c",
            "#include <tapestry-rt/Block.h>\n"
            "TAPESTRY_BLOCK(scaled) {\n"
            "  const TapestryBlockTensor *x = &call->inputs[0], *y = &call->outputs[0];\n"
            "  for (int64_t i = call->lo[0]; i < call->hi[0]; ++i)\n"
            f"    *(float *)tapestry_block_at1(y, i) = {factor} * *(float *)tapestry_block_at1(x, i);\n"
            "  return 0;\n}\n",
        )
        build = ["cc", "-O2", f"-I{INCLUDE}", "-c", "b.c", "-o", "b.o"]
        driver.execute(build, bench.folder).expect_status(0)
        done = cached(bench, "run", "p.ein", "--object=b.o", "-i", "X=X.npy", "-o", "Z=Z.npy")
        expect(done, found)
        if (np.load(bench.folder / "Z.npy") != factor).any():
            raise CheckFailed(f"{factor}: {np.load(bench.folder / 'Z.npy')}")


@case
def what_is_not_as_it_was_written_is_made_anew(bench):
    run(bench, found=False)
    (entry,) = entries(bench)
    whole = entry.read_bytes()
    middle = len(whole) // 2
    for wrong in (
        b"", whole[:64], whole[:-1], whole[:middle] + bytes([whole[middle] ^ 4]) + whole[middle + 1 :],
        b"no object", whole + b"\0",
    ):  # fmt: skip
        entry.write_bytes(wrong)
        run(bench, found=False)
        if entry.read_bytes() != whole:
            raise CheckFailed("the entry is another")
        run(bench, found=True)


@case
def a_folder_in_the_place_of_an_entry(bench):
    run(bench, found=False)
    (entry,) = entries(bench)
    entry.unlink()
    entry.mkdir()
    run(bench, found=False)


@case
def where_nothing_can_be_kept_all_is_made_anew(bench):
    for place in ("/dev/null", "/proc/none", str(bench.folder / "small.ein")):
        for _ in range(2):
            finished = bench.run("-v", env={"XDG_CACHE_HOME": place})
            bench.expect_results(finished)
            if "looking for the object" in finished.stderr:
                raise CheckFailed(finished.describe())
    # No file may get as large as an entry; outputs may.
    words = " ".join([driver.tapestry_path(), "run small.ein -v", *bench.inputs, *bench.outputs])
    for _ in range(2):
        finished = driver.execute(
            ["sh", "-c", f"ulimit -f 2; exec {words}"], bench.folder, environment(bench)
        )
        bench.expect_results(finished)
        expect(finished, False)
    if entries(bench):
        raise CheckFailed(f"kept: {entries(bench)}")


@case
def many_processes_at_a_time(bench):
    command = [driver.tapestry_path(), "run", "small.ein", *bench.inputs, "--devices=2"]
    environ = {**os.environ, **environment(bench)}
    for _ in range(3):
        started = [
            subprocess.Popen(
                [*command, "-o", f"C=C{i}.npy", "-o", "D=/dev/null"], cwd=bench.folder, env=environ
            )
            for i in range(4)
        ]
        if any(process.wait(driver.TIME_LIMIT) for process in started):
            raise CheckFailed("one failed")
        for i in range(4):
            if not np.allclose(np.load(bench.folder / f"C{i}.npy"), bench.A @ bench.B, atol=1e-5):
                raise CheckFailed(f"C{i}")
        if len(entries(bench)) != 1:
            raise CheckFailed(f"{entries(bench)}")


@case
def all_commands_that_compile(bench):
    run(bench, "--devices=2", found=False)
    # The same object becomes an executable.
    expect(cached(bench, "compile", "small.ein", "--devices=2", "-o", "prog"), True)
    done = driver.execute(["./prog", *bench.inputs, *bench.outputs], bench.folder)
    bench.expect_results(done)
    # What a session has decides how a program is planned.
    lines = "load A A.npy\nload B B.npy\napply small.ein\nexport C C.npy\nexport D D.npy\n"
    bench.write("s.json", lines)
    for found in (False, True):
        done = cached(bench, "session", "s.json", "--devices=3")
        expect(done, found)
        bench.expect_results(done)
    for found in (False, True):
        run(bench, "--executor=greedy", "--devices=3", found=found)


if __name__ == "__main__":
    case.main(__doc__)
