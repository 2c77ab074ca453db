#!/usr/bin/python3
"""Outputs that cannot be written, and what is left of them.

    check_outputs.py [CASE ...]
"""

import fcntl
import os
import resource
import shutil
import signal
import subprocess
import sys
import time

import numpy as np

from harness import driver
from harness.cases import Group
from harness.driver import CheckFailed

case = Group()

# Of a run that is killed, in the form that the next one knows.
STALE = ".C.npy.0123456789abcdef.tmp"


ODD_NAMES = r"""
tapestry.graph @g {
  %a = tapestry.source "\1BA" : tensor<f32>
  tapestry.sink "\1BZ", %a : tensor<f32>
}
"""


def limited(bench, *words, limit=0, tool=""):
    """Files may not grow beyond so many bytes, as on a full disk."""
    done = subprocess.run(
        [driver.tapestry_path() + tool, *words],
        cwd=bench.folder,
        capture_output=True,
        text=True,
        timeout=driver.TIME_LIMIT,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit)),
    )
    return driver.Finished(list(words), done.returncode, done.stdout, done.stderr, bench.folder)


def to_stdout(bench, place, *words, tool=""):
    """Runs with standard output at `place`; None: closed."""
    shell = f'exec "$0" "$@" > {place}' if place else 'exec "$0" "$@" >&-'
    tool = driver.tapestry_path() + tool
    return driver.execute(["sh", "-c", shell, tool, *words], bench.folder)


def expect_only(bench, *names):
    """Nothing else than these is new in the folder."""
    strange = {p.name for p in bench.folder.iterdir()} - {"small.ein", "A.npy", "B.npy", *names}
    if strange:
        raise CheckFailed(f"left behind: {sorted(strange)}")


@case
def full_file(bench):
    """What was there stays, whoever writes; the reason is the real one."""
    writers = {
        "p.json": ["plan", "small.ein", "--json"],
        "page.json": ["plan", "small.ein", "--html"],
        "prog": ["compile", "small.ein", "-o"],
    }
    for name, words in writers.items():
        bench.write(name, "old")
        finished = limited(bench, *words, name)
        bench.expect_error(finished, 3, "error: cannot write: File too large")
        if (bench.folder / name).read_text() != "old":
            raise CheckFailed(f"{name} was replaced\n{finished.describe()}")
    expect_only(bench, *writers)


@case
def full_tensor_and_report(bench):
    bench.keep_outputs()
    words = ["run", "small.ein", *bench.inputs, *bench.outputs]
    finished = limited(bench, *words, limit=100)
    bench.expect_error(finished, 3, r"[CD]\.npy: error: cannot write: File too large")
    bench.write("r.json", "old")
    # The outputs are no larger than this, the report is.
    finished = limited(bench, *words, "--report=r.json", limit=400)
    bench.expect_error(
        finished, 3, r"r\.json: error: cannot write: File too large", outputs_intact=False
    )
    if (bench.folder / "r.json").read_text() != "old":
        raise CheckFailed(f"the report was replaced\n{finished.describe()}")
    expect_only(bench, "C.npy", "D.npy", "r.json")


@case
def full_disk(bench):
    """The same on a file system that is full, where one may be mounted."""
    mounted = ["unshare", "--map-root-user", "--mount", "sh", "-c"]
    if driver.execute([*mounted, "mount -t tmpfs -o size=64k none ."], bench.folder).status:
        return
    script = (
        "mkdir small && mount -t tmpfs -o size=64k none small && echo old > small/p.json && "
        "(cat /dev/zero > small/fill 2> /dev/null; true) && "
        '"$0" plan small.ein --json small/p.json; echo $? > status; cp small/p.json left; '
        "ls -A small > names"
    )
    finished = driver.execute([*mounted, script, driver.tapestry_path()], bench.folder)
    found = {name: (bench.folder / name).read_text() for name in ("status", "left", "names")}
    if found != {"status": "3\n", "left": "old\n", "names": "fill\np.json\n"}:
        raise CheckFailed(f"{found}\n{finished.describe()}")
    bench.expect_error(finished, 0, r"small/p\.json: error: cannot write: No space left on device",
                       outputs_intact=False)


@case
def standard_output_that_takes_nothing(bench):
    for words in (["plan", "small.ein"], ["--help"], ["plan", "small.ein", "--stop-after=graph"]):
        bench.expect_error(
            to_stdout(bench, "/dev/full", *words),
            3,
            "^tapestry: error: cannot write to standard output: No space left on device$",
        )
        bench.expect_error(
            to_stdout(bench, None, *words),
            3,
            "^tapestry: error: cannot write to standard output: Bad file descriptor$",
        )
    # The runtime writes through a stream of its own.
    bench.write("sum.ein", "input A : f32[6, 5]\nS = sum[i, j] A[i, j]\noutput S\n")
    for command in ("run", "reference"):
        finished = to_stdout(bench, "/dev/full", command, "sum.ein", "-i", "A=A.npy")
        bench.expect_error(finished, 3, "^tapestry: error: cannot write to standard output: No sp")
    # A file that gets too large.
    shell = 'ulimit -f 1; exec "$0" plan small.ein --stop-after=program > program'
    finished = driver.execute(["sh", "-c", shell, driver.tapestry_path()], bench.folder)
    (bench.folder / "program").unlink()
    bench.expect_error(
        finished, 3, "^tapestry: error: cannot write to standard output: File too large$"
    )
    # Nothing was to be written.
    to_stdout(bench, None, "run", "small.ein", *bench.inputs, *bench.outputs).expect_status(0)


@case
def tools_of_mlir(bench):
    """tapestry-opt and tapestry-translate write as the driver does."""
    translate = ["--ein-to-mlir", "small.ein"]
    tools = {"-translate": translate, "-opt": ["graph.mlir"]}

    def execute(tool, *words):
        return driver.execute([driver.tapestry_path() + tool, *words], bench.folder)

    for name in ("graph.mlir", "same.mlir"):
        execute("-translate", *translate, "-o", name).expect_status(0)
    bench.write("old.mlir", "old")
    for tool, words in tools.items():
        name = f"tapestry{tool}"
        for place, reason in (("/dev/full", "No space left on device"), (None, "Bad file descr")):
            finished = to_stdout(bench, place, *words, tool=tool)
            bench.expect_error(
                finished, 3, f"^{name}: error: cannot write to standard output: {reason}"
            )
        finished = execute(tool, *words, "-o", "/dev/full")
        bench.expect_error(finished, 3, "^/dev/full: error: cannot write: No space left on device$")
        finished = execute(tool, *words, "-o", "none/x.mlir")
        bench.expect_error(finished, 1, "^none/x.mlir: error: cannot write: No such file")
        finished = limited(bench, *words, "-o", "old.mlir", tool=tool)
        bench.expect_error(finished, 3, "^old.mlir: error: cannot write: File too large$")
        finished = execute(tool, *words, f"-o={words[-1]}")
        bench.expect_error(finished, 2, f"^{name}: error: the input and -o are the same file")
        for output in ("-o=new.mlir", "--o=new.mlir"):
            execute(tool, *words, output).expect_status(0)
            got = (bench.folder / "new.mlir").read_text()
            (bench.folder / "new.mlir").unlink()
            if got.rstrip() != (bench.folder / "same.mlir").read_text().rstrip():
                raise CheckFailed(f"{name} writes {got}")
        execute(tool, *words, "-o", "/dev/null").expect_status(0)
    bench.write("wrong.ein", "wrong")
    finished = execute("-translate", "--ein-to-mlir", "wrong.ein", "-o", "old.mlir")
    bench.expect_error(finished, 1, r"wrong\.ein:1:6: error: ")
    if (bench.folder / "old.mlir").read_text() != "old":
        raise CheckFailed("old.mlir was replaced")
    expect_only(bench, "graph.mlir", "same.mlir", "old.mlir", "wrong.ein")


@case
def temporaries_that_are_nowhere(bench):
    words = ["run", "small.ein", *bench.inputs, "-o", "C=/dev/stdout"]
    finished = bench.tapestry(*words, env={"TMPDIR": "/none"})
    bench.expect_error(finished, 3, "no temporary file for it in /none: No such file")


@case
def closed_streams_reach_no_file(bench):
    """No file gets the number of a stream that is closed, and then messages."""
    shell = 'exec "$0" "$@" <&- >&- 2>&-'
    words = ["run", "small.ein", *bench.inputs, *bench.outputs, "-v", "--report=r.json"]
    finished = driver.execute(["sh", "-c", shell, driver.tapestry_path(), *words], bench.folder)
    bench.expect_results(finished)
    driver.load_json(bench.folder / "r.json")


@case
def two_outputs_of_one_name(bench):
    bench.write("old.npy", "old")
    os.link(bench.folder / "old.npy", bench.folder / "hard.npy")
    os.symlink("small.ein", bench.folder / "sub")
    usual = ["run", "small.ein", *bench.inputs]
    for words, pattern in (
        ([*usual, "-o", "C=C.npy", "-o", "D=C.npy"], "output 'C' and output 'D' go to"),
        ([*usual, "-o", "C=C.npy", "-o", "D=./C.npy"], "output 'C' and output 'D' go to"),
        ([*usual, "-o", "C=old.npy", "-o", "D=hard.npy"], "output 'C' and output 'D' go to"),
        ([*usual, "-o", "C=C.npy", "--trace=C.npy"], "--trace and output 'C' go to"),
        ([*usual, "-o", "C=small.ein"], "the program and output 'C' are"),
        ([*usual, "--report=A.npy"], "input 'A' and --report are"),
        (["plan", "small.ein", "--json=x", "--html=x"], "--html and --json go to"),
        (["compile", "small.ein", "-o", "small.ein"], "the program and -o are"),
        (["compile", "sub", "-o", "small.ein"], "PROG.ein"),
        (["compile", "small.ein", "-o", "sub"], "the program and -o are"),
    ):
        finished = bench.tapestry(*words)
        bench.expect_error(finished, 2, pattern + " the same file" * ("PROG" not in pattern))
    expect_only(bench, "old.npy", "hard.npy", "sub")


@case
def standalone_outputs_of_one_name(bench):
    bench.tapestry("compile", "small.ein", "-o", "prog").expect_status(0)
    words = ["-o", "C=C.npy", "-o", "D=C.npy"]
    finished = driver.execute(["./prog", *bench.inputs, *words], bench.folder)
    bench.expect_error(finished, 2, "output 'C' and output 'D' go to the same file C.npy")
    finished = driver.execute(["./prog", *bench.inputs, "-o", "C=./prog"], bench.folder)
    bench.expect_error(finished, 2, "the program and output 'C' are the same file ./prog")
    driver.execute(["./prog", *bench.inputs, *bench.outputs], bench.folder).expect_status(0)


@case
def an_output_may_replace_an_input(bench):
    bench.write("scale.ein", "input X : f32[6, 5]\nY[i, j] = X[i, j] * 2\noutput Y\n")
    for devices in (1, 3):
        old = np.load(bench.folder / "A.npy")
        bench.tapestry(
            "run", "scale.ein", f"--devices={devices}", "-i", "X=A.npy", "-o", "Y=A.npy"
        ).expect_status(0)
        assert (np.load(bench.folder / "A.npy") == 2 * old).all()


@case
def outputs_that_are_no_files(bench):
    bench.run("--devices=2", outputs=["-o", "C=/dev/null", "-o", "D=/dev/null"]).expect_status(0)
    expect_only(bench)
    for program in ("tapestry", "prog"):
        words = [*bench.inputs, "-o", "C=/dev/stdout"]
        if program == "prog":
            bench.tapestry("compile", "small.ein", "--devices=3", "-o", "prog").expect_status(0)
            words = ["./prog", *words]
        else:
            words = [driver.tapestry_path(), "run", "small.ein", "--devices=3", *words]
        # To a pipe, and to a file that is open under another name.
        for shell in ('"$0" "$@" | cat > D.npy', '"$0" "$@" > D.npy'):
            driver.execute(["sh", "-c", shell, *words], bench.folder).expect_status(0)
            got = np.load(bench.folder / "D.npy")
            if not np.allclose(got, bench.A.astype(np.float64) @ bench.B, atol=1e-5):
                raise CheckFailed(f"{shell}: C is wrong")
        # What is printed before and after stays; >> goes on at the end.
        for arrow in (">", ">>"):
            (bench.folder / "D.npy").write_bytes(b"")
            shell = f'(echo before; "$0" "$@"; echo after) {arrow} D.npy'
            driver.execute(["sh", "-c", shell, *words], bench.folder).expect_status(0)
            got = (bench.folder / "D.npy").read_bytes()
            if not got.startswith(b"before\n\x93NUMPY") or not got.endswith(b"after\n"):
                raise CheckFailed(f"{program} {arrow} gives {got}")
        # Each writes a whole file, and two in one are none.
        for other in ("/dev/stdout", "/dev/fd/1", "/dev/stderr"):
            merged = ["sh", "-c", '"$0" "$@" 2>&1', *words, "-o", f"D={other}"]
            finished = driver.execute(merged, bench.folder)
            pattern = "output 'C' and output 'D' go to the same file /dev/"
            if finished.status != 2 or pattern not in finished.stdout:
                raise CheckFailed(finished.describe())
        (bench.folder / "D.npy").unlink()
        closed = driver.execute(["sh", "-c", '"$0" "$@" >&-', *words], bench.folder)
        bench.expect_error(closed, 3, "/dev/stdout: error: cannot write: Bad file descriptor")
    shell = '("$0" "$@"; echo after) > p.json'
    words = [driver.tapestry_path(), "plan", "small.ein", "--json=/dev/stdout"]
    driver.execute(["sh", "-c", shell, *words], bench.folder).expect_status(0)
    if not (bench.folder / "p.json").read_text().endswith("}\nafter\n"):
        raise CheckFailed((bench.folder / "p.json").read_text())
    (bench.folder / "p.json").unlink()
    finished = bench.tapestry("plan", "small.ein", "--json=/dev/stdout", "--dot=/dev/stdout")
    bench.expect_error(finished, 2, "--dot and --json go to the same file /dev/stdout")
    # "-" is standard output, of the tool and of what it makes.
    for option, start in (("--json", "{"), ("--dot", "digraph"), ("--html", "<!DOCTYPE html>")):
        finished = bench.tapestry("plan", "small.ein", option, "-")
        if finished.status != 0 or not finished.stdout.startswith(start):
            raise CheckFailed(finished.describe())
    for words in (["--report=-"], ["--report", "r.json", "--trace", "-"]):
        finished = bench.run(outputs=words)
        if finished.status != 0 or '{"' not in finished.stdout:
            raise CheckFailed(finished.describe())
    (bench.folder / "r.json").unlink()
    # A file system that takes none, and does not tell how much it takes.
    for words in (["-o", "C=/proc/C.npy"], ["--report=/proc/C.npy"]):
        finished = bench.run(outputs=words)
        pattern = "^/proc/C.npy: error: cannot write: (the file system of /proc takes no|Permission)"
        bench.expect_error(finished, 1, pattern)
    finished = bench.run(outputs=["-o", "C=/dev/full"])
    bench.expect_error(finished, 3, "/dev/full: error: cannot write: No space left on device")


@case
def outputs_behind_links(bench):
    """A link stays, and what it points to is written, there or not."""
    for name, target in (("C.npy", "there.npy"), ("D.npy", "sub/none.npy")):
        os.symlink(target, bench.folder / name)
    (bench.folder / "sub").mkdir()
    bench.write("there.npy", "old")
    bench.expect_results(bench.run())
    for name, target in (("C.npy", "there.npy"), ("D.npy", "sub/none.npy")):
        if os.readlink(bench.folder / name) != target or not (bench.folder / target).stat().st_size:
            raise CheckFailed(f"{name} does not lead to {target}")
    os.symlink("round.npy", bench.folder / "round.npy")
    finished = bench.run(outputs=["-o", "C=round.npy"])
    bench.expect_error(
        finished, 1, "^round.npy: error: cannot write: Too many levels", outputs_intact=False
    )
    if not (bench.folder / "round.npy").is_symlink():
        raise CheckFailed("the link was replaced")


@case
def stale_files_go(bench):
    """What a killed run left goes when its name is written again, and nothing else."""
    for name in (STALE, ".C.npy.0123.tmp", ".D.npy.notes.tmp"):
        bench.write(name, "left")
    bench.run().expect_status(0)
    expect_only(bench, "C.npy", "D.npy", ".C.npy.0123.tmp", ".D.npy.notes.tmp")
    bench.write(".p.json.0123456789abcdef.tmp", "left")
    bench.tapestry("plan", "small.ein", "--json=p.json").expect_status(0)
    if (bench.folder / ".p.json.0123456789abcdef.tmp").exists():
        raise CheckFailed("the plan's stale file is there")


@case
def files_of_living_runs_stay(bench):
    path = bench.write(STALE, "under way")
    with open(path, "r+", encoding="utf-8") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        bench.run().expect_status(0)
    if not path.exists():
        raise CheckFailed("the file of another run was removed")


def interrupted(bench, numbers, marker, command, env):
    """Sends signals once `marker` exists; all that was made must be gone."""
    scratch = bench.folder / "sub"
    scratch.mkdir()
    with subprocess.Popen(
        [driver.tapestry_path(), *command],
        cwd=bench.folder,
        env={**os.environ, **env, "TMPDIR": str(scratch)},
        stderr=subprocess.PIPE,
        stdout=subprocess.PIPE,
        # A background job ignores some, and what it starts does.
        preexec_fn=lambda: (
            [signal.signal(number, signal.SIG_DFL) for number in numbers],
            resource.setrlimit(resource.RLIMIT_CORE, (0, 0)),
        ),
    ) as process:
        deadline = time.monotonic() + driver.TIME_LIMIT
        while not list(scratch.glob(marker)) and time.monotonic() < deadline:
            time.sleep(0.01)
        for number in numbers:
            process.send_signal(number)
        _, said = process.communicate(timeout=driver.TIME_LIMIT)
    if -process.returncode not in numbers:
        raise CheckFailed(f"status {process.returncode}, sent were {numbers}")
    if b"error" in said:
        raise CheckFailed(f"said: {said}")
    # What the linker would write late is written by now, or never.
    time.sleep(0.3)
    left = [str(p.relative_to(scratch)) for p in scratch.rglob("*") if p.name != "linking"]
    if left:
        raise CheckFailed(f"left behind: {left}")


@case
def interrupted_while_linking(bench):
    """A linker that takes long, and writes what it was told to when it is done."""
    folder = bench.folder / "sub.json"
    folder.mkdir()
    linker = folder / "c++"
    linker.write_text(
        "#!/bin/sh\n"
        'while [ "$1" != -o ]; do shift; done\n'
        'touch "$TMPDIR/linking"; sleep 0.2 & wait; sleep 20 & wait\n'
        'touch "$2"\n'
    )
    linker.chmod(0o755)
    env = {"PATH": f"{folder}:{os.environ['PATH']}"}
    polite = linker.read_text()
    # One that does not listen is killed.
    deaf = polite.replace("#!/bin/sh\n", "#!/bin/sh\ntrap '' TERM\n")
    # One that takes it for its end: nothing may look for what it has not made.
    content = polite.replace("#!/bin/sh\n", "#!/bin/sh\ntrap 'exit 0' TERM\n")
    both = (signal.SIGTERM, signal.SIGINT)
    for numbers, text in (
        (both[:1], polite),
        (both[1:], polite),
        (both[:1], deaf.replace("sleep 20", f"sleep {2 * driver.TIME_LIMIT}")),
        *[(numbers, content) for numbers in (both, both[::-1], both[:1] * 2)] * 3,
    ):
        linker.write_text(text)
        interrupted(bench, numbers, "linking", ["compile", "small.ein", "-o", "prog"], env)
        expect_only(bench, "sub", "sub.json")
        shutil.rmtree(bench.folder / "sub")


@case
def ignored_signals_stay_ignored(bench):
    """As under nohup: neither the command nor its temporaries end."""
    folder = bench.folder / "sub.json"
    folder.mkdir()
    linker = folder / "c++"
    linker.write_text('#!/bin/sh\nkill -HUP $PPID\nsleep 0.2\nexec /usr/bin/c++ "$@"\n')
    linker.chmod(0o755)
    finished = subprocess.run(
        [driver.tapestry_path(), "compile", "small.ein", "-o", "prog"],
        cwd=bench.folder,
        env={**os.environ, "PATH": f"{folder}:{os.environ['PATH']}"},
        capture_output=True,
        text=True,
        timeout=driver.TIME_LIMIT,
        preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN),
    )
    if finished.returncode != 0:
        raise CheckFailed(f"status {finished.returncode}: {finished.stderr}")


@case
def interrupted_while_calibrating(bench):
    interrupted(bench, [signal.SIGTERM], "*/*.npy", ["calibrate", "--devices=2"], {})


@case
def interrupted_shard_by_shard(bench):
    """An output is written beside its place while a loop runs, and spilled is some."""
    bench.write(
        "loop.ein",
        "input A : f32[200, 200]\noutput Y = A * 2\n"
        "repeat t:1000000000 (X = A) {\nnext X[i, j] = sum[k] X[i, k] * A[k, j]\n}\noutput X\n",
    )
    np.save(bench.folder / "L.npy", np.ones((200, 200), np.float32))
    command = ["run", "loop.ein", "--executor=greedy", "--memory=2MiB", "--spill=sub", "-q"]
    files = ["-i", "A=L.npy", "-o", "Y=sub/Y.npy", "-o", "X=sub/X.npy"]
    for number in (signal.SIGINT, signal.SIGQUIT, signal.SIGTERM):
        interrupted(bench, [number], ".Y.npy.*", [*command, *files], {})
        shutil.rmtree(bench.folder / "sub")


@case
def spilled_where_no_file_can_be_made(bench):
    bench.write(
        "chain.ein",
        "input A : f32[64, 64]\nB[i, k] = sum[j] A[i, j] * A[j, k]\n"
        "C[i, k] = sum[j] B[i, j] * B[k, j]\nD[i, k] = sum[j] C[i, j] * B[j, k]\n"
        "E[i, k] = sum[j] D[i, j] * C[j, k]\noutput E\n",
    )
    np.save(bench.folder / "A.npy", np.ones((64, 64), np.float32))
    words = ["run", "chain.ein", "--executor=greedy", "--memory=40KiB", "-i", "A=A.npy", "-o", "E=E.npy"]
    for folder, why in {
        "/proc": "no files can be made in this folder; --spill takes another",
        "away": "No such file or directory",
        "chain.ein": "Not a directory",
    }.items():
        # Before anything else is looked at, whatever would come to be spilled.
        for program in ("chain.ein", "none.ein"):
            words[1] = program
            finished = bench.tapestry(*words, f"--spill={folder}")
            bench.expect_error(finished, 3, f"^{folder}: error: cannot spill: {why}$")
        if (bench.folder / "E.npy").exists():
            raise CheckFailed(f"--spill={folder} leaves an output")


@case
def names_that_a_terminal_obeys(bench):
    """Control characters and bytes that are no UTF-8 are shown, not sent."""
    name = "bad\x1b[31m\udcff.npy"
    for finished in (
        bench.run(inputs=["-i", f"A={name}", "-i", "B=B.npy"]),
        bench.run(outputs=["-o", f"C=none/{name}"]),
        bench.tapestry("plan", "small.ein", f"--json=none/{name}"),
    ):
        bench.expect_error(finished, 1, r"bad\\x1b\[31m\\xff\.npy: error: ")
    bench.expect_error(bench.run(f"--solver=a\x1b[2J{'x' * 5000}"), 2, r"a\\x1b\[2Jxxx")
    bench.expect_error(bench.tapestry("plan", "small.ein", "--\x1b[2J"), 2, r"\\x1b")
    finished = bench.tapestry("plan", "small.ein", "-v=\x1b[2J")
    bench.expect_error(finished, 2, "-v takes no value$")
    # Tables, and names of executables and of what they print.
    (bench.folder / "sub").mkdir()
    odd = "sub/p\x1b[2J"
    bench.write(odd + ".mlir", ODD_NAMES)
    shown = [bench.tapestry("plan", odd + ".mlir", "--grid=\x1b[2J=2").stdout]
    bench.tapestry("compile", odd + ".mlir", "-o", odd).expect_status(0)
    np.save(bench.folder / "S.npy", np.float32(1.5))
    shown.append(driver.execute([f"./{odd}", "-i", "\x1bA=S.npy"], bench.folder).stdout)
    shown.append(driver.execute([f"./{odd}", "-i", "S.npy"], bench.folder).stderr)
    for text, name in zip(shown, ("p\\x1b[2J.mlir for 2", "\\x1bZ = 1.5", "p\\x1b[2J: error: -i")):
        if "\x1b" in text or name not in text:
            raise CheckFailed(f"{text!r}")
    bench.write("small.ein", b"input A : f32[4]\nB[i] = A[i] + \x1b[31mq\xff\noutput B\n")
    finished = bench.tapestry("plan", "small.ein")
    bench.expect_error(finished, 1, r"small\.ein:2:15: error: .*\n.*\\x1b\[31mq\\xff\n {14}\^")
    if "\x1b" in finished.stderr:
        raise CheckFailed(f"{finished.stderr!r}")


@case
def long_lines_are_cut(bench):
    total = " + ".join(["A[i]"] * 400)
    bench.write("small.ein", f"input A : f32[4]\nB[i] = {total} + q[i]\noutput B\n")
    finished = bench.tapestry("plan", "small.ein")
    bench.expect_error(finished, 1, r"small\.ein:2:2808: error: .*'q'")
    lines = finished.stderr.splitlines()
    if max(map(len, lines)) > 200 or lines[1][lines[2].index("^")] != "q":
        raise CheckFailed(finished.stderr)


@case
def one_error_is_short(bench):
    """Forty macros in one another are no reason for forty notes."""
    text = ["def m0(X[i]) -> Y[i] {", "  Y[i] = nothing[i] + X[i]", "}"]
    for level in range(1, 40):
        text += [f"def m{level}(X[i]) -> Y[i] {{", f"  Y[i] = m{level - 1}(X[i])", "}"]
    text += ["input A : f32[4]", "B[i] = m39(A[i])", "output B"]
    bench.write("small.ein", "\n".join(text) + "\n")
    finished = bench.tapestry("plan", "small.ein")
    bench.expect_error(finished, 1, "'nothing'", "and 36 uses of macros between")
    if len(finished.stderr.splitlines()) > 20:
        raise CheckFailed(finished.stderr)


@case
def places_that_are_in_no_file(bench):
    text = (
        'tapestry.graph @g {\n  %a = tapestry.source "A" : tensor<0xf32> loc("here")\n'
        '  tapestry.sink "A", %a : tensor<0xf32> loc(unknown)\n} loc(unknown)\n'
    )
    bench.write("small.mlir", text)
    finished = bench.tapestry("plan", "small.mlir")
    bench.expect_error(finished, 1, r"^small\.mlir:?.*: error: ")
    if "loc(" in finished.stderr:
        raise CheckFailed(finished.stderr)


if __name__ == "__main__":
    sys.exit(case.main(__doc__))
