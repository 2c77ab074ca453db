#!/usr/bin/python3
"""Collectives of ranks with a GPU each by NCCL: values, bytes, and how it fails.

    check_nccl.py [CASE ...]

The tests' driver runs what a GPU would, and their NCCL (test/lib/NCCLStub) goes between.
"""

import collections
import ctypes.util
import json
import re

import check_overlap
import numpy as np

from harness import driver
from harness.cases import Group, given_plan
from harness.driver import CheckFailed

case = Group()

NCCL = ["--collectives", "nccl"]
# So little is packed at a time that everything goes in several parts.
IN_PARTS = {"TAPESTRY_NCCL_PACKED": "96"}


class Run:
    """A program's values, what its collectives were done by, and which calls that took."""

    def __init__(self, bench, source, inputs, outputs, devices, env=None, *planning):
        bench.write("p.ein", source)
        log = bench.folder / "calls.npy"
        log.unlink(missing_ok=True)
        files = driver.save_inputs(bench.folder, inputs) + driver.output_options(outputs)
        words = [f"--devices={devices}", *planning, *driver.on_stub(with_nccl=True), *NCCL, *files]
        driver.tapestry(
            *("run", "p.ein", *words, "--report=r.json"),
            cwd=bench.folder,
            env={"TAPESTRY_STUB_NCCL_LOG": str(log), **(env or {})},
        ).expect_status(0)
        self.values = driver.load_outputs(bench.folder, outputs)
        self.report = driver.load_json(bench.folder / "r.json")
        calls = log.read_text().splitlines() if log.exists() else []
        self.calls = collections.Counter(line.split()[0] for line in calls)
        if self.report["peak_bytes"] != self.report["predicted_peak_bytes"]:
            raise CheckFailed(f"{source}\npeaks: {self.report}")
        for entry in self.report["collectives"]:
            self.check_bytes(entry)

    def check_bytes(self, entry):
        """Of messages, and of what goes through the host's memory, they are the plan's."""
        if "counted_bytes" in entry and entry["counted_bytes"] != entry["predicted_bytes"]:
            raise CheckFailed(f"bytes: {entry}")
        if "counted_bytes" not in entry and entry.get("by") != "nccl":
            raise CheckFailed(f"not counted: {entry}")

    def expect_by(self, by, *kinds):
        """What NCCL does, or does not, is of these kinds and some of each."""
        found = {e["kind"] for e in self.report["collectives"] if e.get("by") == by}
        if found != set(kinds):
            raise CheckFailed(f"by {by}: {found}, not {kinds}: {self.report['collectives']}")

    def expect_calls(self, **counts):
        if self.calls != collections.Counter(counts):
            raise CheckFailed(f"calls: {self.calls}, expected {counts}")

    def expect_near(self, name, want, rtol=1e-5):
        got = self.values[name]
        if got.shape != want.shape or not np.allclose(got, want, rtol=rtol, atol=rtol, equal_nan=True):
            raise CheckFailed(f"{name} is wrong by {np.abs(got - want).max()}")

    def expect_equal(self, name, want):
        got = self.values[name]
        if got.shape != want.shape or not np.array_equal(got, want, equal_nan=got.dtype.kind == "f"):
            raise CheckFailed(f"{name} is {got}, not {want}")


def numbers(seed, shape, type):
    generator = np.random.default_rng(seed)
    if np.dtype(type).kind in "iu":
        return generator.integers(-60, 60, shape).astype(type)
    values = generator.standard_normal(shape)
    if np.dtype(type).kind == "c":
        values = values + 1j * generator.standard_normal(shape)
    return values.astype(type)


@case
def sums_and_products_of_all_types(bench):
    types = {"f32": "f4", "f64": "f8", "i8": "i1", "i32": "i4", "i64": "i8", "c64": "c8"}
    for devices in (2, 3):
        cut = f"@ {{j: {devices}, *: 1}}"
        source, inputs, outputs = "", {}, []
        for number, (name, code) in enumerate(types.items()):
            source += f"input X{name} : {name}[5, 12]\n"
            inputs[f"X{name}"] = numbers(number, (5, 12), code)
            reductions = ["sum", "prod"] if code[0] != "c" else ["sum"]
            if code[0] == "i":
                reductions += ["max", "min"]
            for reduction in reductions:
                outputs.append(f"{reduction}_{name}")
                source += f"{outputs[-1]}[i] {cut} = {reduction}[j] X{name}[i, j]\noutput {outputs[-1]}\n"
        run = Run(bench, source, inputs, outputs, devices)
        run.expect_by("nccl", "all_reduce")
        run.expect_by(None)
        for output in outputs:
            reduction, name = output.split("_")
            x = inputs[f"X{name}"]
            with np.errstate(over="ignore"):
                if x.dtype.kind == "i":
                    want = getattr(np, reduction)(x, axis=1, **({"dtype": x.dtype} if reduction in ("sum", "prod") else {}))
                    run.expect_equal(output, want)
                else:
                    run.expect_near(output, getattr(np, reduction)(x.astype("c16" if x.dtype.kind == "c" else "f8"), axis=1))


@case
def what_nccl_combines_otherwise_goes_through_the_host(bench):
    """Its maximum of floats loses NaNs, it has no bits and no integers of 16 of them, and
    knows no monoid of a user's."""
    x = numbers(1, (6, 12), "f4")
    x[1, 3] = x[4, 11] = np.nan
    n, b = numbers(2, (6, 12), "i4"), numbers(3, (6, 12), "i4") > 20
    s = numbers(4, (6, 12), "i2")
    cut = "@ {j: 3, *: 1}"
    source = (
        "input X : f32[6, 12]\ninput N : i32[6, 12]\ninput B : bool[6, 12]\ninput S : i16[6, 12]\n"
        "monoid logaddexp(a, b) = max(a, b) + log1p(exp(-abs(a - b))) identity -inf\n"
        f"M[i] {cut} = max[j] X[i, j]\nO[i] {cut} = xor[j] N[i, j]\n"
        f"T[i] {cut} = sum[j] S[i, j]\nL[i] {cut} = logaddexp[j] X[i, j]\n"
        f"A[i] {cut} = any[j] B[i, j]\nE[i] {cut} = all[j] B[i, j]\n"
        + "".join(f"output {name}\n" for name in "MOTLAE")
    )
    run = Run(bench, source, {"X": x, "N": n, "B": b, "S": s}, "MOTLAE", 3)
    by = {entry["vertex"]: entry.get("by") for entry in run.report["collectives"]}
    if by != {"M": None, "O": None, "T": None, "L": None, "A": None, "E": None}:
        raise CheckFailed(f"{by}")
    run.expect_equal("M", x.max(1))
    run.expect_equal("O", np.bitwise_xor.reduce(n, 1))
    run.expect_equal("T", s.sum(1, dtype="i2"))
    with np.errstate(invalid="ignore"):
        run.expect_near("L", np.logaddexp.reduce(x.astype(float), 1))
    run.expect_equal("A", b.any(1))
    run.expect_equal("E", b.all(1))


@case
def parts_of_sums_are_scattered(bench):
    """Rows and columns, parts that are alike and that are not, whole and in parts."""
    for cut, rows, columns, calls in (
        ("0", 12, 5, {"reduce_scatter": 1}),
        ("1", 5, 12, {"reduce_scatter": 1}),
        ("0", 10, 5, {"reduce": 3}),
        ("1", 5, 10, {"reduce": 3}),
        ("0", 4, 6, {"reduce": 2}),
    ):
        for env in ({}, IN_PARTS):
            a, b = numbers(rows, (rows, 9), "f8"), numbers(columns, (9, columns), "f8")
            source = (
                f"input A : f64[{rows}, 9]\ninput B : f64[9, {columns}]\n"
                "C[i, k] @ {j: 3, *: 1} = sum[j] A[i, j] * B[j, k]\n"
                f"D[i, k] @ {{{'ik'[int(cut)]}: 3, *: 1}} = C[i, k] * 2\n"
                f"output D @ {{{cut}: 3, *: 1}}\n"
            )
            run = Run(bench, source, {"A": a, "B": b}, "D", 3, env)
            run.expect_by("nccl", "reduce_scatter")
            if not env:
                run.expect_calls(**calls)
            run.expect_near("D", 2 * a @ b)


def moved(bench, source, inputs, outputs, devices, kinds, calls=None):
    """Both ways of packing."""
    for env in ({}, IN_PARTS):
        run = Run(bench, source, inputs, outputs, devices, env)
        run.expect_by("nccl", *kinds)
        run.expect_by(None)
        if not env and calls:
            run.expect_calls(**calls)
    return run


@case
def parts_are_gathered(bench):
    for dim, shape, calls in (
        (0, (12, 5), {"all_gather": 1}),
        (0, (10, 5), {"message": 4}),
        (1, (5, 12), {"message": 4}),
        (1, (5, 11), {"message": 4}),
    ):
        x, w = numbers(dim, shape, "f4"), numbers(9, (6, shape[0]), "f4")
        label = "ij"[dim]
        source = (
            f"input X : f32[{shape[0]}, {shape[1]}] @ {{{dim}: 3, *: 1}}\ninput W : f32[6, {shape[0]}]\n"
            f"T[i, j] @ {{{label}: 3, *: 1}} = X[i, j] + 1\n"
            "Y[r, j] @ {r: 3, *: 1} = sum[i] W[r, i] * T[i, j]\noutput Y\n"
        )
        run = moved(bench, source, {"X": x, "W": w}, "Y", 3, ["all_gather"], calls)
        run.expect_near("Y", w.astype(float) @ (x + 1))


@case
def boxes_are_exchanged(bench):
    """From rows to columns, of three dimensions too, and from edge to edge."""
    x, u = numbers(1, (11, 7, 5), "f4"), numbers(2, (23, 9), "f8")
    source = (
        "input X : f32[11, 7, 5] @ {0: 3, *: 1}\n"
        "Y[i, j, k] @ {j: 3, *: 1} = X[i, j, k] * 2\noutput Y @ {1: 3, *: 1}\n"
    )
    moved(bench, source, {"X": x}, "Y", 3, ["all_to_all"]).expect_equal("Y", x * 2)
    source = (
        "input U : f64[23, 9] @ {0: 4, *: 1}\n"
        "H[i, j] @ {i: 4, *: 1} = pad(U, 0)[i - 1, j] + U[i, j] + pad(U, 0)[i + 1, j]\n"
        "R[i:23, j] @ {i: 4, *: 1} = U[(i + 6) % 23, j]\noutput H @ {0: 4, *: 1}\noutput R @ {0: 4, *: 1}\n"
    )
    padded = np.pad(u, ((1, 1), (0, 0)))
    run = Run(bench, source, {"U": u}, "HR", 4)
    run.expect_by(None)
    run.expect_near("H", padded[:-2] + u + padded[2:], 1e-14)
    run.expect_equal("R", np.roll(u, -6, 0))


@case
def corners_of_crosses_are_not_sent(bench):
    u = numbers(5, (17, 19), "f4")
    source = (
        "input X : f32[17, 19]\nU[i, j] @ {i: 2, j: 2} = X[i, j] * 1\n"
        "V[i:15, j:17] @ {i: 2, j: 2} = U[i + 1, j + 1] + U[i, j + 1] + U[i + 2, j + 1] + U[i + 1, j] + U[i + 1, j + 2]\n"
        "output V\n"
    )
    run = Run(bench, source, {"X": u}, "V", 4)
    run.expect_by(None)
    want = u[1:-1, 1:-1].astype(float) + u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:]
    run.expect_near("V", want)


@case
def collectives_go_on_beside_kernels(bench):
    """What is read before they are through, or written before they have begun, is wrong."""
    for text, make in check_overlap.PROGRAMS.values():
        arrays, want = make()
        source, slow = text.replace("DEVICES", "3"), {"TAPESTRY_STUB_NCCL_SLOW": "4"}
        run = Run(bench, source, arrays, list(want), 3, slow, "--overlap=0")
        run.expect_by(None)
        for output, value in want.items():
            run.expect_near(output, value, 1e-4)


# -- what goes wrong ----------------------------------------------------------


def compile_given(bench):
    bench.write("given.json", json.dumps(given_plan()))
    words = ["compile", "small.ein", "--plan=given.json", "--devices=2"]
    bench.tapestry(*words, *driver.on_stub(with_nccl=True), "-o", "prog").expect_status(0)


def run_given(bench, *words, env=None):
    command = ["./prog", *NCCL, *bench.inputs, *bench.outputs, *words]
    return driver.execute(command, bench.folder, {"TAPESTRY_TIMEOUT": "2", **(env or {})})


@case
def executables_run(bench):
    compile_given(bench)
    bench.expect_results(run_given(bench, "--repeat=2"))
    bench.expect_results(run_given(bench, env={"TAPESTRY_SYNC": "1"}))


@case
def processes_meet_over_their_transport(bench):
    compile_given(bench)
    words = ["./prog", "--backend", "mpi", *NCCL, *bench.inputs, *bench.outputs]
    bench.expect_results(driver.mpirun(2, *words, "--report", "r.json", cwd=bench.folder))
    by = [entry.get("by") for entry in driver.load_json(bench.folder / "r.json")["collectives"]]
    if by != ["nccl"]:
        raise CheckFailed(f"by {by}")
    bench.keep_outputs()
    for mode in ("refuse", "lost", "kill", "stop"):
        env = {"TAPESTRY_STUB_NCCL_FAULT": f"rank=1,call=0,mode={mode}", "TAPESTRY_TIMEOUT": "2"}
        # The tests' driver waits where kernels are launched behind.
        env["TAPESTRY_SYNC"] = "1"
        finished = driver.mpirun(2, *words, cwd=bench.folder, env=env)
        finished.stdout = ""  # mpirun's own words
        if finished.status == 0:
            raise CheckFailed(f"a fault, and all is well\n{finished.describe()}")
        # Who ends all, mpirun or a rank, is a race where one has died.
        status = finished.status if mode == "kill" else 4
        said = r"rank 1 \(process \d+\) is stopped" if mode == "stop" else r"rank [01]|\[1\]"
        bench.expect_error(finished, status, said)
        bench.expect_no_processes(finished)


@case
def processes_that_do_not_match_are_seen(bench):
    """By the tests' NCCL: one packs less at a time than the other."""
    bench.write(
        "p.ein",
        "input X : f32[11, 7] @ {0: 2, *: 1}\n"
        "Y[i, j] @ {j: 2, *: 1} = X[i, j] * 2\noutput Y @ {1: 2, *: 1}\n",
    )
    np.save(bench.folder / "X.npy", numbers(1, (11, 7), "f4"))
    words = ["compile", "p.ein", "--devices=2", *driver.on_stub(with_nccl=True), "-o", "prog"]
    bench.tapestry(*words).expect_status(0)
    script = "[ $OMPI_COMM_WORLD_RANK = 0 ] || export TAPESTRY_NCCL_PACKED=64; exec \"$@\""
    words = ["./prog", "--backend", "mpi", *NCCL, "-i", "X=X.npy"]
    finished = driver.mpirun(2, "sh", "-c", script, "sh", *words, cwd=bench.folder)
    finished.expect_status(4)
    seen = r"NCCL stub: rank . of 2: message of \d+ elements of type 1, but rank . has message of \d+ elements"
    if not re.search(seen, finished.stderr):
        raise CheckFailed(f"not seen\n{finished.describe()}")


@case
def a_machine_without_nccl_says_so(bench):
    compile_given(bench)
    bench.keep_outputs()
    if not ctypes.util.find_library("nccl"):
        driver.on_stub()
        finished = run_given(bench)
        bench.expect_error(finished, 3, r"libtapestry-rt-nccl\.so: no NCCL: libnccl\.so\.2")
    old = bench.folder / "sub"
    old.mkdir()
    (old / "libnccl.so.2").symlink_to(driver.build_folder() / "lib" / "stub" / "libcuda.so.1")
    stub = str(driver.build_folder() / "lib" / "stub")
    finished = run_given(bench, env={"LD_LIBRARY_PATH": f"{old}:{stub}"})
    bench.expect_error(finished, 3, r"the NCCL in libnccl\.so\.2 is too old: it lacks ncclGetUniqueId")


@case
def ranks_that_share_gpus_have_none(bench):
    compile_given(bench)
    bench.keep_outputs()
    finished = run_given(bench, "--share-devices", env={"TAPESTRY_STUB_DEVICES": "1"})
    bench.expect_error(
        finished, 3, r"--collectives nccl: NCCL needs a GPU for each rank, and 2 ranks of this machine share 1"
    )
    # That they may is no reason.
    bench.kept.clear()
    bench.expect_results(run_given(bench, "--share-devices"))


@case
def programs_for_processors_have_none(bench):
    finished = bench.run("--devices=2", *NCCL)
    bench.expect_error(finished, 2, "--collectives nccl is for targets that are GPUs")
    bench.tapestry("compile", "small.ein", "--devices=2", "-o", "prog").expect_status(0)
    bench.expect_error(run_given(bench), 2, "--collectives nccl: NCCL's are for tensors on GPUs")


@case
def faults_name_the_vertex(bench):
    compile_given(bench)
    bench.keep_outputs()

    def fault(mode, rank=1, **more):
        return {"TAPESTRY_STUB_NCCL_FAULT": f"rank={rank},call=0,mode={mode}", **more}

    for rank in (0, 1):
        finished = run_given(bench, env=fault("refuse", rank))
        bench.expect_error(
            finished,
            4,
            rf"rank {rank}: reduce_scatter of 'C' \(collective 0\): ncclReduceScatter: unhandled cuda error \(a fault on purpose\)",
        )
    finished = run_given(bench, env=fault("init"))
    bench.expect_error(finished, 4, r"rank 1: reduce_scatter of 'C' \(collective 0\): ncclCommInitRank: ")
    for more in ({}, {"TAPESTRY_SYNC": "1"}):
        finished = run_given(bench, env=fault("lost", **more))
        bench.expect_error(
            finished, 4, r"rank [01]: a fault between devices .*'C'.* in flight", "remote process exited"
        )


if __name__ == "__main__":
    case.main(__doc__)
