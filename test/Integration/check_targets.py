#!/usr/bin/python3
"""Files that programs name themselves, and generators: read and written by every executor.

    check_targets.py [CASE ...]
"""

import os
import subprocess
import time

import numpy as np

from harness import contract, driver
from harness.cases import Group
from harness.driver import CheckFailed

case = Group()

DEVICES = (1, 2, 3, 5, 7, 8)

# The folder of the program is not that of the run.
PROGRAM = """\
param n
input A : f32[n, 13] from "a.npy" @ {0: 1}
input B : f32[13, 7] from "sub/b.npy"
input s : f32
C[i, k] = sum[j] A[i, j] * B[j, k]
output C to "c.npy"
output D[i, k] to "sub/d#1.npy" = s * C[i, k] + 1
output T = sum(C)
"""


def numbers(shape, seed=3, type=np.float32):
    return np.random.default_rng(seed).standard_normal(shape).astype(type)


class Files:
    """A program in a folder of its own, and what its files hold."""

    def __init__(self, bench, rows=17, text=PROGRAM):
        self.bench = bench
        (bench.folder / "sub").mkdir(exist_ok=True)
        bench.write("sub/p.ein", text)
        self.A, self.B = numbers((rows, 13)), numbers((13, 7), 4)
        self.s = np.float32(3)
        self.write()

    def write(self):
        np.save(self.bench.folder / "a.npy", self.A)
        np.save(self.bench.folder / "sub" / "b.npy", self.B)
        np.save(self.bench.folder / "s.npy", self.s)

    def expect(self, finished, C="c.npy", D="sub/d#1.npy", A=None):
        """The outputs, which are then removed, and the number on standard output."""
        finished.expect_status(0)
        product = (self.A if A is None else A).astype(float) @ self.B
        for name, want in ((C, product), (D, 3 * product + 1)):
            path = self.bench.folder / name
            if not path.exists():
                raise CheckFailed(f"{name} was not written\n{finished.describe()}")
            got = np.load(path)
            if got.shape != want.shape or not np.allclose(got, want, atol=1e-4):
                raise CheckFailed(f"{name} is wrong\n{finished.describe()}")
            path.unlink()
        return finished

    def expect_nothing(self):
        for name in ("c.npy", "sub/d#1.npy"):
            if (self.bench.folder / name).exists():
                raise CheckFailed(f"{name} was written")
        left = [p.name for p in self.bench.folder.rglob("*") if p.name.startswith(".")]
        if left:
            raise CheckFailed(f"left behind: {left}")


def expect_bytes(bench):
    for entry in driver.load_json(bench.folder / "r.json")["collectives"]:
        if entry["predicted_bytes"] != entry["counted_bytes"]:
            raise CheckFailed(f"{entry}")


@case
def files_are_read_and_written_unasked(bench):
    files = Files(bench)
    s = ("-i", "s=s.npy")
    done = files.expect(bench.tapestry("reference", "sub/p.ein", *s))
    if not done.stdout.startswith("T = ") or "C" in done.stdout + done.stderr:
        raise CheckFailed(done.describe())
    for devices in DEVICES:
        done = files.expect(
            bench.tapestry("run", "sub/p.ein", *s, f"--devices={devices}", "--report=r.json")
        )
        if not done.stdout.startswith("T = ") or done.stderr:
            raise CheckFailed(done.describe())
        expect_bytes(bench)
    # A number has a file only where one is asked for; others are written all the same.
    done = files.expect(bench.tapestry("run", "sub/p.ein", *s, "-o", "T=t.npy", "--devices=3"))
    if done.stdout or not np.allclose(np.load(bench.folder / "t.npy"), (files.A @ files.B).sum(), atol=1e-3):
        raise CheckFailed(done.describe())


@case
def the_command_line_wins(bench):
    files = Files(bench)
    other = numbers((5, 13), 9)
    np.save(bench.folder / "other.npy", other)
    words = ("-i", "s=s.npy", "-i", "A=other.npy", "-o", "D=d.npy")
    for command in (["reference"], ["run", "--devices=3"], ["run", "--executor=greedy"]):
        files.expect(bench.tapestry(*command, "sub/p.ein", *words), D="d.npy", A=other)
        files.expect_nothing()
    # Nothing of the file that is not read matters.
    (bench.folder / "a.npy").unlink()
    files.expect(bench.tapestry("run", "sub/p.ein", *words), D="d.npy", A=other)
    bench.tapestry("run", "sub/p.ein", *words, "-o", "C=/dev/null").expect_status(0)
    files.expect_nothing()


@case
def the_greedy_executor_does_as_others(bench):
    files = Files(bench)
    for words in ([], ["--devices=4"], ["--memory=4096"]):
        files.expect(
            bench.tapestry("run", "sub/p.ein", "-i", "s=s.npy", "--executor=greedy", *words)
        )


@case
def executables_read_and_write_where_they_run(bench):
    files = Files(bench)
    bench.tapestry("compile", "sub/p.ein", "--devices=3", "-o", "prog").expect_status(0)
    run = lambda *words: driver.execute(["./prog", "-i", "s=s.npy", *words], bench.folder)
    files.expect(run())
    done = driver.execute(["./prog", "--help"], bench.folder).expect_status(0)
    for line in ("  -i A=FILE   f32[17, 13] (a.npy)\n", "  -o D=FILE   f32[17, 7] (sub/d#1.npy)\n"):
        if line not in done.stdout:
            raise CheckFailed(done.describe())
    # Another shape than that of the file when it was compiled.
    np.save(bench.folder / "a.npy", numbers((16, 13)))
    bench.expect_error(run(), 1, r"^a.npy: error: .*\[16, 13\].*\[17, 13\]", outputs_intact=False)
    files.expect_nothing()


@case
def mpi_does_as_threads_do(bench):
    files = Files(bench)
    bench.tapestry("compile", "sub/p.ein", "--devices=3", "-o", "prog").expect_status(0)
    words = ("./prog", "--backend", "mpi", "-i", "s=s.npy")
    files.expect(driver.mpirun(3, *words, cwd=bench.folder))
    (bench.folder / "sub" / "b.npy").unlink()
    done = driver.mpirun(3, *words, cwd=bench.folder)
    if "sub/b.npy: error: " not in done.stderr or done.status != 1:
        raise CheckFailed(done.describe())
    files.expect_nothing()


def session(bench, text, devices=3):
    bench.write("commands", text)
    return bench.tapestry("session", "commands", f"--devices={devices}")


@case
def sessions_have_what_files_give(bench):
    files = Files(bench)
    text = "load s s.npy\napply sub/p.ein --report r.json\nexport C got.npy\n"
    for devices in DEVICES:
        files.expect(session(bench, text, devices))
        if not np.allclose(np.load(bench.folder / "got.npy"), files.A @ files.B, atol=1e-4):
            raise CheckFailed("C is wrong in the session")
        report = driver.load_json(bench.folder / "r.json")
        if report["peak_bytes"] != report["predicted_peak_bytes"]:
            raise CheckFailed(f"{report['peak_bytes']} {report['predicted_peak_bytes']}")
        expect_bytes(bench)
    # A tensor of the session by that name, or one that is bound to it, is what is read.
    other = numbers((5, 13), 9)
    np.save(bench.folder / "other.npy", other)
    for text in ("load A other.npy\nload s s.npy\napply sub/p.ein\n",
                 "load X other.npy\nload s s.npy\napply sub/p.ein A=X\n"):  # fmt: skip
        files.expect(session(bench, text), A=other)
    done = session(bench, "load s s.npy\napply sub/p.ein A=Q\n")
    bench.expect_error(done, 1, r"^commands:2: error: there is no tensor 'Q'", outputs_intact=False)
    files.expect_nothing()


@case
def sessions_look_at_files_again(bench):
    files = Files(bench)
    shell = subprocess.Popen(
        [driver.tapestry_path(), "session", "--devices=2", "-q"],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, cwd=bench.folder,
    )  # fmt: skip
    shell.stdin.write("load s s.npy\napply sub/p.ein\nexport C one.npy\n")
    shell.stdin.flush()
    # What is exported has been computed.
    until = time.monotonic() + driver.TIME_LIMIT
    while not (bench.folder / "one.npy").exists():
        if shell.poll() is not None or time.monotonic() > until:
            shell.kill()
            raise CheckFailed(f"no result: {shell.communicate()[0]}")
        time.sleep(0.01)
    files.A = numbers((9, 13), 21)
    files.write()
    out, _ = shell.communicate("apply sub/p.ein\nexport C two.npy\n", timeout=driver.TIME_LIMIT)
    if shell.returncode != 0 or not np.allclose(
        np.load(bench.folder / "two.npy"), files.A @ files.B, atol=1e-4
    ):
        raise CheckFailed(f"{shell.returncode}: {out}")


@case
def generated_sources_are_the_numbers_of_the_language(bench):
    bench.write("r.ein", "W : f32[37, 5] = random.normal(-7)\nB : i16[11] = random.bits(3)\n"
                "U : f64[3, 2, 5] = random.uniform(3)\nH : f16[9] = random.normal(4)\n"
                "I : i32[6, 4] = 4 * i32(0)\noutput W, B, U, H\n".replace("I : i32[6, 4] = 4 * i32(0)\n", ""))  # fmt: skip
    kinds = {"W": ("normal seed -7", "37x5xf32"), "B": ("bits seed 3", "11xi16"),
             "U": ("uniform seed 3", "3x2x5xf64"), "H": ("normal seed 4", "9xf16"),
             "I": ("iota", "6x4xf32"), "J": ("iota", "100xi8"), "Z": ("uniform seed 1", "f32")}  # fmt: skip
    body = ""
    for name, (kind, type) in kinds.items():
        body += f'  %{name} = tapestry.source "{name}" from generator<{kind}> : tensor<{type}>\n'
        body += f'  tapestry.sink "{name}", %{name} : tensor<{type}>\n'
    bench.write("g.mlir", "tapestry.graph @g {\n" + body + "}\n")
    wanted = driver.output_options("WBUH", ".ein")
    bench.tapestry("run", "r.ein", *wanted).expect_status(0)
    want = driver.load_outputs(bench.folder, "WBUH", ".ein")
    want["I"] = np.arange(24, dtype=np.float32).reshape(6, 4)
    want["J"] = np.arange(100, dtype=np.int8)
    commands = [["reference"], ["run", "--executor=greedy"]]
    commands += [["run", f"--devices={devices}", "--report=r.json"] for devices in DEVICES]
    for command in commands:
        bench.tapestry(*command, "g.mlir", *driver.output_options(kinds)).expect_status(0)
        got = driver.load_outputs(bench.folder, kinds)
        for name in want:
            # The reference computes normal numbers by their definition.
            if command == ["reference"] and name in "WH":
                if not np.allclose(got[name], want[name], rtol=1e-6 if name == "W" else 4e-3):
                    raise CheckFailed(f"{name} is {got[name]}, not {want[name]}")
            elif got[name].tobytes() != want[name].tobytes() or got[name].dtype != want[name].dtype:
                raise CheckFailed(f"{command}: {name} is {got[name]}, not {want[name]}")
        if command[0] == "run" and "--report=r.json" in command:
            sent = [e for e in driver.load_json(bench.folder / "r.json")["collectives"] if e["counted_bytes"]]
            if sent:
                raise CheckFailed(f"{command}: {sent}")


# Devices ---------------------------------------------------------------------

ON_DEVICES = """\
param a = 0
param c = 0
input A : f32[17, 13] on device a from "a.npy" @ {0: 1}
input B : f32[13, 7] from "sub/b.npy" on device c
input X : f64[7, 3, 5] on device a
C[i, k] = sum[j] A[i, j] * B[j, k]
output C to "c.npy" on device c
output D[i, k] on device a to "sub/d#1.npy" = 3 * C[i, k] + 1
R[q] = max[s, t] X[q, s, t]
repeat t:3 (S = R) {
  next S[q] = S[q] + X[q, 0, 1]
}
output S on device c
output X on device c
output R
"""


class OnDevices(Files):
    """The program of which all but R is on devices."""

    def __init__(self, bench):
        super().__init__(bench, text=ON_DEVICES)
        self.X = numbers((7, 3, 5), 8, np.float64)
        np.save(bench.folder / "X.npy", self.X)

    def words(self, devices, first, last):
        return ["-i", "X=X.npy", *driver.output_options("SXR", ".got"), f"-Da={first % devices}", f"-Dc={last % devices}"]

    def expect(self, finished, **names):
        super().expect(finished, **names)
        R = self.X.max(axis=(1, 2))
        want = {"R": R, "S": R + 3 * self.X[:, 0, 1], "X": self.X}
        for name, got in driver.load_outputs(self.bench.folder, want, ".got").items():
            if got.shape != want[name].shape or not np.allclose(got, want[name], rtol=1e-12):
                raise CheckFailed(f"{name} is wrong\n{finished.describe()}")
        return finished


@case
def tensors_are_on_devices(bench):
    files = OnDevices(bench)
    files.expect(bench.tapestry("reference", "sub/p.ein", *files.words(1, 0, 0)))
    for devices in range(1, 9):
        for cost in ("paper", "spmd"):
            grid = [f"--grid=d={devices}"] if cost == "spmd" else [f"--devices={devices}"]
            words = [*files.words(devices, 3 * devices + 1, devices - 1), *grid, f"--cost={cost}"]
            bare = [word for word in words if word.startswith("-") and word not in ("-i", "-o")]
            bench.tapestry("plan", "sub/p.ein", *bare, "--json=p.json").expect_status(0)
            files.expect(bench.tapestry("run", "sub/p.ein", *words, "--report=r.json"))
            plan = driver.load_json(bench.folder / "p.json")
            contract.check_contract(plan, driver.load_json(bench.folder / "r.json"), devices, "local")
            if cost == "paper" or devices > 1:
                contract.check_solver_plan(plan)
            # What was planned is followed, and says what it costs.
            words = [w for w in words if not w.startswith("--")]
            files.expect(bench.tapestry("run", "sub/p.ein", *words, "--plan=p.json"))


@case
def plans_charge_what_is_on_devices(bench):
    """The ideal number of bytes: what all but one device lack."""
    for rows, devices in ((16, 4), (17, 3), (23, 5)):
        for clause, pin, sent in (
            ("on device 1", "@ {0: n, *: 1}", rows - -(-rows // devices)), ("on device 0", "@ {0: 1, *: 1}", rows * (devices - 1)),
        ):  # fmt: skip
            bench.write("p.ein", f"input A : f32[{rows}, 6] {clause} {pin}\nB[i, j] = 2 * A[i, j]\noutput B {pin}\n"
                        .replace("n,", f"{devices},"))  # fmt: skip
            bench.tapestry("plan", "p.ein", f"--devices={devices}", "--json=p.json").expect_status(0)
            moved = driver.load_json(bench.folder / "p.json")["collectives"]
            kind = [(m["vertex"], m["kind"], m["bytes"]) for m in moved]
            if kind != [("A", "collective_permute", 24 * sent)]:
                raise CheckFailed(f"{rows} rows on {devices} devices: {moved}, expected {24 * sent} bytes")


@case
def mpi_has_devices_as_threads_have(bench):
    files = OnDevices(bench)
    for devices, collectives in ((3, "ring"), (4, "ring"), (4, "mpi")):
        words = files.words(devices, 2, 1)
        numbers = [word for word in words if word.startswith("-D")]
        words = [word for word in words if word not in numbers]
        bench.tapestry("compile", "sub/p.ein", f"--devices={devices}", *numbers, "-o", "prog").expect_status(0)
        run = ("./prog", "--backend", "mpi", f"--collectives={collectives}", "--report=r.json", *words)
        files.expect(driver.mpirun(devices, *run, cwd=bench.folder))
        if collectives == "ring":
            expect_bytes(bench)


@case
def sessions_bring_tensors_to_devices(bench):
    """What a session holds goes to the device that the program is given it on, and comes
    back where it is handed out elsewhere."""
    files = OnDevices(bench)
    bench.write("one.ein", "input X : f64[7, 3, 5] @ {0: 1}\noutput Y[q, s, t] on device 1 = X[q, s, t] + 1\n")
    bench.write("two.ein", "input Y : f64[7, 3, 5] on device 0\noutput Z[q, s] on device 1 = sum[t] Y[q, s, t]\n")
    text = ("load X X.npy\napply one.ein --report one.json\napply two.ein --report two.json\n"
            "export Z Z.npy\ncheckpoint saved\n")  # fmt: skip
    for devices in (2, 3, 5, 8):
        session(bench, text, devices).expect_status(0)
        got = np.load(bench.folder / "Z.npy")
        if not np.allclose(got, (files.X + 1).sum(axis=2), rtol=1e-12):
            raise CheckFailed("Z is wrong")
        for report in ("one.json", "two.json"):
            report = driver.load_json(bench.folder / report)
            if report["peak_bytes"] != report["predicted_peak_bytes"]:
                raise CheckFailed(f"{report['peak_bytes']} {report['predicted_peak_bytes']}")
            for entry in report["collectives"] + report.get("moves", []):
                if entry["predicted_bytes"] != entry["counted_bytes"]:
                    raise CheckFailed(f"{entry}")
        session(bench, "restore saved\nexport Z W.npy\n", devices + 1).expect_status(0)
        if np.load(bench.folder / "W.npy").tobytes() != got.tobytes():
            raise CheckFailed("Z is not restored")


@case
def the_greedy_executor_has_one_memory(bench):
    files = OnDevices(bench)
    for words in (["--devices=2"], ["--devices=2", "--memory=16384"], ["--grid=d=4"]):
        files.expect(
            bench.tapestry("run", "sub/p.ein", *files.words(4, 3, 1), "--executor=greedy", *words)
        )
    done = bench.tapestry("run", "sub/p.ein", *files.words(4, 3, 1), "--executor=greedy", "--grid=d=3")
    bench.expect_error(done, 1, "input 'A' is on device 3, the plan has 3 devices", outputs_intact=False)


@case
def devices_that_are_not_there_are_refused(bench):
    files = OnDevices(bench)
    for command in (["run"], ["run", "--cost=spmd"], ["plan"], ["compile", "-o", "prog"]):
        inputs = files.words(8, 3, 1) if command[0] == "run" else files.words(8, 3, 1)[-2:]
        for devices, pattern in (
            (3, r"^sub/p.ein:3:7: error: input 'A' is on device 3, the plan has 3 devices, numbers 0 to 2"),
            (1, r"^sub/p.ein:3:7: error: input 'A' is on device 3, the plan has 1 device, number 0"),
        ):  # fmt: skip
            done = bench.tapestry(*command, "sub/p.ein", *inputs, f"--devices={devices}")
            bench.expect_error(done, 1, pattern, outputs_intact=False)
            if len(done.stderr.splitlines()) > 3:
                raise CheckFailed(f"more than one message\n{done.describe()}")
            files.expect_nothing()
    bench.tapestry("plan", "sub/p.ein", "-Da=3", "--devices=4", "--json=p.json").expect_status(0)
    done = bench.tapestry("run", "sub/p.ein", *files.words(8, 7, 1), "--plan=p.json")
    bench.expect_error(done, 1, "input 'A' is on device 7, the plan has 4 devices", outputs_intact=False)


def expect_refused(files, status, pattern, *words, program="sub/p.ein"):
    for command in (["reference"], ["run", "--devices=2"], ["run", "--executor=greedy"]):
        done = files.bench.tapestry(*command, program, "-i", "s=s.npy", *words)
        files.bench.expect_error(done, status, pattern, outputs_intact=False)
        if len(done.stderr.splitlines()) > 3:
            raise CheckFailed(f"more than one message\n{done.describe()}")
        files.expect_nothing()


@case
def wrong_files_end_in_one_message(bench):
    files = Files(bench)
    B = bench.folder / "sub" / "b.npy"
    B.unlink()
    expect_refused(files, 1, r"^sub/b.npy: error: cannot open")
    np.save(B, files.B.astype(np.float64))
    expect_refused(files, 1, r"^sub/b.npy: error: .*f64.*f32")
    np.save(B, files.B.T)
    expect_refused(files, 1, r"^sub/b.npy: error: .*\[7, 13\].*\[13, 7\]")
    files.write()
    (bench.folder / "a.npy").unlink()
    expect_refused(files, 1, r"^sub/p.ein:2:7: error: a.npy: cannot open")
    np.save(bench.folder / "a.npy", numbers((3,)))
    expect_refused(files, 1, r"^sub/p.ein:2:7: error: input 'A' has 2 dimensions, but what is given for it has 1")
    files.write()
    os.symlink("a.npy", bench.folder / "link.npy")
    # By other names, which only the file system knows.
    bench.write("sub/p.ein", PROGRAM.replace("c.npy", "link.npy"))
    expect_refused(files, 1, r"input 'A' and output 'C' are the same file link.npy")
    bench.write("sub/p.ein", PROGRAM.replace("sub/d#1.npy", "sub/p.ein"))
    expect_refused(files, 1, r"the program and output 'D' are the same file sub/p.ein")
    bench.write("sub/p.ein", PROGRAM.replace("c.npy", "nowhere/c.npy"))
    expect_refused(files, 1, r"^nowhere/c.npy: error: ")
    bench.write("sub/p.ein", PROGRAM)
    expect_refused(files, 2, r"go to the same file", "-o", "T=c.npy")


@case
def wrong_programs_are_refused(bench):
    files = Files(bench)
    for old, new, pattern in (
        ('"c.npy"', '"./sub/d#1.npy"',
         r"^p.ein:7:8: error: output 'D' is written to 'sub/d#1.npy', as output 'C' is"),
        ('"c.npy"', '"./a.npy"',
         r"^p.ein:6:8: error: output 'C' is written to 'a.npy', as input 'A' is read from it"),
    ):  # fmt: skip
        bench.write("p.ein", PROGRAM.replace(old, new))
        expect_refused(files, 1, pattern, program="p.ein")


if __name__ == "__main__":
    case.main(__doc__)
