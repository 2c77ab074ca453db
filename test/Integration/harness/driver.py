"""Runs the `tapestry` tools as a user would: in processes, on files.

Nothing here knows what a program means. Every command has a time limit, so that
a hang is a failure that names its command line.
"""

import contextlib
import dataclasses
import json
import os
import pathlib
import shlex
import shutil
import subprocess
import sys
import tempfile

import numpy as np

# A rank that waits for a lost peer gives up long before this.
TIME_LIMIT = 60


class CheckFailed(Exception):
    """A test's expectation does not hold; the text is the whole report."""


@dataclasses.dataclass
class Finished:
    """A command that ended: what it was and all that it left behind."""

    command: list
    status: int
    stdout: str
    stderr: str
    cwd: str

    def describe(self):
        lines = [f"  command: {command_line(self.command)}", f"  status: {self.status}"]
        for name, text in (("stdout", self.stdout), ("stderr", self.stderr)):
            if text.strip():
                lines.append(f"  {name}: {shorten(text.strip())}")
        return "\n".join(lines)

    def expect_status(self, status):
        if self.status != status:
            raise CheckFailed(f"exit status {self.status}, expected {status}\n{self.describe()}")
        return self


def shorten(text, limit=1200):
    """The beginning of a long text, without the frames of a stack dump."""
    lines = [line for line in text.splitlines() if not line.lstrip().startswith("#")]
    text = "\n".join(lines)
    return text if len(text) <= limit else text[:limit] + " ..."


def command_line(command):
    return " ".join(shlex.quote(str(word)) for word in command)


def tapestry_path():
    """The driver under test: $TAPESTRY, or the one on PATH."""
    path = os.environ.get("TAPESTRY") or shutil.which("tapestry")
    if not path:
        raise CheckFailed("no 'tapestry' on PATH; set TAPESTRY to the tool under test")
    return path


def build_folder():
    """Where the tools under test have bin/ and lib/."""
    return pathlib.Path(tapestry_path()).resolve().parent.parent


def on_stub(with_nccl=False):
    """The options that have code for the tests' driver, which is found from now on, as
    their NCCL may be."""
    folders = [build_folder() / "lib" / name for name in ("stub", "stub-nccl")]
    os.environ["LD_LIBRARY_PATH"] = os.pathsep.join(map(str, folders[: 1 + with_nccl]))
    return ["--target=cuda", "--gpu-arch=stub"]


# The tests' driver reports races, and who is beside a tensor, each of which is an
# allocation of its own.
CHECKED = {"TAPESTRY_STUB_CHECK": "1", "TAPESTRY_DEVICE_SLAB": "0"}


def execute(command, cwd, env=None, limit=TIME_LIMIT):
    """Runs a command to its end and returns it, whatever its status."""
    command = [str(word) for word in command]
    try:
        done = subprocess.run(
            command,
            cwd=cwd,
            env={**os.environ, **(env or {})},
            capture_output=True,
            text=True,
            errors="replace",
            timeout=limit,
            stdin=subprocess.DEVNULL,
        )
    except subprocess.TimeoutExpired as expired:
        raise CheckFailed(
            f"no end after {limit} s\n  command: {command_line(command)}\n"
            f"  stderr: {(expired.stderr or b'')[-2000:]}"
        ) from None
    return Finished(command, done.returncode, done.stdout, done.stderr, str(cwd))


def tapestry(*words, cwd, env=None, limit=TIME_LIMIT):
    return execute([tapestry_path(), *words], cwd, env, limit)


# What Open MPI takes on one machine anyway; by itself it tries every network first,
# which takes longer than all that a test then does.
ONE_MACHINE = {
    "OMPI_MCA_pml": "ob1",
    "OMPI_MCA_btl": "self,vader",
    "PMIX_MCA_gds": "hash",
    "HWLOC_COMPONENTS": "-gl",
    # Containers forbid the system call that this mechanism needs.
    "OMPI_MCA_btl_vader_single_copy_mechanism": "none",
    "OMPI_MCA_rmaps_base_oversubscribe": "1",
}


def mpirun(ranks, *words, cwd, env=None, limit=TIME_LIMIT):
    """Runs a standalone program on MPI processes of this machine."""
    launcher = shutil.which("mpirun")
    if not launcher:
        raise CheckFailed("no 'mpirun' on PATH")
    command = [launcher, "--oversubscribe", "-n", str(ranks)]
    if os.geteuid() == 0:
        command.insert(1, "--allow-run-as-root")
    settings = {
        **ONE_MACHINE,
        # More ranks than cores: waiting must not burn the others' time.
        "OMPI_MCA_mpi_yield_when_idle": "1",
    }
    # Launchers that begin and end together stumble over their common folder.
    with tempfile.TemporaryDirectory(prefix="ompi-") as own:
        settings["OMPI_MCA_orte_tmpdir_base"] = own
        return execute([*command, *words], cwd, {**settings, **(env or {})}, limit)


def run_planned(program, devices, files, backend, cwd):
    """Runs a program by plan.json, on threads or as processes; leaves report.json."""
    words = [program, "--plan=plan.json"]
    if backend == "local":
        done = tapestry("run", *words, *files, "--report=report.json", cwd=cwd)
    else:
        tapestry("compile", *words, "-o", "prog", cwd=cwd).expect_status(0)
        done = mpirun(devices, "./prog", "--backend", "mpi", *files, "--report=report.json", cwd=cwd)
    return done.expect_status(0)


@contextlib.contextmanager
def workspace():
    """An empty folder that goes away, unless TAPESTRY_KEEP is set."""
    folder = pathlib.Path(tempfile.mkdtemp(prefix="tapestry-test-"))
    try:
        yield folder
    finally:
        if os.environ.get("TAPESTRY_KEEP"):
            print(f"kept: {folder}", file=sys.stderr)
        else:
            shutil.rmtree(folder, ignore_errors=True)


def save_inputs(folder, arrays):
    """Writes NAME.npy for every input; returns their command-line options."""
    options = []
    for name, array in arrays.items():
        # Not np.ascontiguousarray: it makes scalars one-dimensional.
        np.save(folder / f"{name}.npy", np.asarray(array, order="C"))
        options += ["-i", f"{name}={name}.npy"]
    return options


def output_options(names, suffix=""):
    options = []
    for name in names:
        options += ["-o", f"{name}={name}{suffix}.npy"]
    return options


def load_outputs(folder, names, suffix=""):
    arrays = {}
    for name in names:
        path = folder / f"{name}{suffix}.npy"
        if not path.exists():
            raise CheckFailed(f"output file {path.name} was not written")
        arrays[name] = np.load(path)
    return arrays


def load_json(path):
    try:
        return json.loads(pathlib.Path(path).read_text())
    except FileNotFoundError:
        raise CheckFailed(f"{path} was not written") from None
    except json.JSONDecodeError as error:
        raise CheckFailed(f"{path} is no JSON: {error}") from None


def parse_numbers(text):
    """'1-3,7' -> [1, 2, 3, 7]"""
    numbers = []
    for piece in text.split(","):
        first, _, last = piece.partition("-")
        numbers += range(int(first), int(last or first) + 1)
    return numbers
