#!/usr/bin/python3
"""What launchers of several processes tell, and what follows from it.

    check_launchers.py [CASE ...]
"""

import os

import numpy as np

from harness import driver
from harness.cases import Group
from harness.driver import CheckFailed

case = Group()

# As they tell the second of four processes, and the only one of one.
LAUNCHERS = {
    "Open MPI": ("OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"),
    "MPICH, srun --mpi=pmi2, PALS": ("PMI_RANK", "PMI_SIZE"),
    "PALS": ("PALS_RANKID", "PALS_SIZE"),
    "srun": ("SLURM_PROCID", "SLURM_STEP_NUM_TASKS"),
}
ENDS = "tapestry: error: this is the work of one process, and 4 were started: .*compile.*\\./prog"


def launched(names, rank, size):
    return {names[0]: str(rank), names[1]: str(size)}


@case
def the_driver_is_one_process(bench):
    """The first says so; all end with the same status and write nothing."""
    for launcher, names in LAUNCHERS.items():
        for command in ("run", "reference"):
            words = [command, "small.ein", *bench.inputs, *bench.outputs]
            bench.expect_error(bench.tapestry(*words, env=launched(names, 0, 4)), 2, ENDS)
            finished = bench.tapestry(*words, env=launched(names, 1, 4))
            bench.expect_error(finished, 2)
            if finished.stderr:
                raise CheckFailed(f"{launcher}: the second speaks\n{finished.describe()}")
    env = launched(LAUNCHERS["srun"], 0, 4)
    for words in (["plan"], ["compile", "-o", "prog"]):
        bench.expect_error(bench.tapestry(*words, "small.ein", env=env), 2, ENDS)
    bench.expect_error(bench.tapestry("calibrate", env=env), 2, "4 were started: --backend mpi")
    finished = bench.tapestry("session", "none", env=env)
    bench.expect_error(finished, 2, "4 were started: the devices of a session are threads; start it by itself$")


@case
def pmix_tells_no_number(bench):
    """srun --mpi=pmix: Slurm does. Others: there may be several."""
    words = ["run", "small.ein", *bench.inputs, *bench.outputs]
    slurm = launched(LAUNCHERS["srun"], 0, 4)
    bench.expect_error(bench.tapestry(*words, env={"PMIX_RANK": "0", **slurm}), 2, ENDS)
    finished = bench.tapestry(*words, env={"PMIX_RANK": "0"})
    bench.expect_error(finished, 2, "one process, and several were started")
    one = launched(LAUNCHERS["srun"], 0, 1)
    bench.expect_results(bench.tapestry(*words, env={"PMIX_RANK": "0", **one}))


@case
def one_process_is_as_usual(bench):
    bench.tapestry("compile", "small.ein", "--devices=2", "-o", "prog").expect_status(0)
    words = [*bench.inputs, *bench.outputs]
    # A shell of salloc or sbatch: an allocation of four tasks, and no step.
    shell = {"SLURM_JOB_ID": "7", "SLURM_NTASKS": "4", "SLURM_NPROCS": "4", "SLURM_PROCID": "0"}
    for env in (shell, *(launched(names, 0, 1) for names in LAUNCHERS.values())):
        bench.expect_results(bench.run("--devices=2", env=env))
        bench.expect_results(driver.execute(["./prog", *words], bench.folder, env=env))


@case
def executables_choose_mpi(bench):
    """MPI's collectives are for that back end alone: where another one is chosen,
    that is the first complaint."""
    bench.tapestry("compile", "small.ein", "--devices=2", "-o", "prog").expect_status(0)
    words = ["./prog", *bench.inputs, "-o", "Q=Q.npy", "--collectives", "mpi"]
    for names in [*LAUNCHERS.values(), ("PMIX_RANK", "NOTHING")]:
        finished = driver.execute(words, bench.folder, env=launched(names, 0, 4))
        bench.expect_error(finished, 2, "no output 'Q'")
    finished = driver.execute(words, bench.folder)
    bench.expect_error(finished, 2, "--collectives mpi: .* the back end here is local")


@case
def mpi_ranks_have_one_output(bench):
    """Each process has a standard output of its own; the first one's is meant."""
    bench.tapestry("compile", "small.ein", "--devices=4", "-o", "prog").expect_status(0)
    scratch = bench.folder / "sub"
    scratch.mkdir()
    options = [*bench.inputs, "--backend", "mpi", "-o", "C=/dev/stdout"]
    for end in (">", "| cat >"):
        words = ["sh", "-c", f'./prog "$@" {end} rank$OMPI_COMM_WORLD_RANK', "sh", *options]
        finished = driver.mpirun(4, *words, cwd=bench.folder, env={"TMPDIR": str(scratch)})
        finished.expect_status(0)
        got = [bench.folder / f"rank{rank}" for rank in range(4)]
        if any(path.stat().st_size for path in got[1:]):
            raise CheckFailed("another rank than the first writes")
        if not np.allclose(np.load(got[0]), bench.A.astype(np.float64) @ bench.B, atol=1e-5):
            raise CheckFailed("C is wrong")
    if left := [p.name for p in scratch.glob("*.tmp")]:
        raise CheckFailed(f"left behind: {left}")


@case
def mpi_under_mpirun(bench):
    finished = driver.mpirun(
        4, driver.tapestry_path(), "run", "small.ein", *bench.inputs, *bench.outputs, cwd=bench.folder
    )
    finished.stdout = ""  # mpirun's own words
    bench.expect_error(finished, 2, ENDS)
    if finished.stderr.count("tapestry: error: ") != 1:
        raise CheckFailed(f"not one message\n{finished.describe()}")
    finished = driver.mpirun(
        1, driver.tapestry_path(), "run", "small.ein", *bench.inputs, *bench.outputs, cwd=bench.folder
    )
    bench.expect_results(finished)


if __name__ == "__main__":
    for name in [name for names in LAUNCHERS.values() for name in names] + ["PMIX_RANK"]:
        os.environ.pop(name, None)
    case.main(__doc__)
