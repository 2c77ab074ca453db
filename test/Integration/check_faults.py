#!/usr/bin/python3
"""Ranks that fail, die, stop or come late while they run, on both back ends.

    check_faults.py [CASE ...]
"""

import json
from harness import driver
from harness.cases import Group, given_plan
from harness.driver import CheckFailed

case = Group()

WAIT = {"TAPESTRY_TIMEOUT": "2"}


def fault(mode, rank=1, collective=0):
    text = f"rank={rank},collective={collective},mode={mode}"
    return {"TAPESTRY_FAULT": text, **WAIT}


def run_local(bench, env):
    bench.write("given.json", json.dumps(given_plan()))
    bench.keep_outputs()
    return bench.run("--plan=given.json", "--report=r.json", env=env)


def expect_lost(bench, finished, status, *patterns):
    bench.expect_error(finished, status, r"rank 1|rank=1|\[1\]", *patterns)
    bench.expect_no_processes(finished)
    if (bench.folder / "r.json").exists():
        raise CheckFailed(f"a report of a failed run\n{finished.describe()}")


@case
def local_fail(bench):
    expect_lost(bench, run_local(bench, fault("fail")), 4)


@case
def local_kill(bench):
    expect_lost(bench, run_local(bench, fault("kill")), 4)


@case
def local_late(bench):
    """A rank that lives is awaited, however short the time-out."""
    bench.write("given.json", json.dumps(given_plan()))
    env = {**fault("late"), "TAPESTRY_TIMEOUT": "0.05"}
    bench.expect_results(bench.run("--plan=given.json", env=env))


@case
def local_fail_while_writing(bench):
    expect_lost(bench, run_local(bench, fault("fail", collective="write")), 4)


@case
def local_last_of_eight(bench):
    """Seven wait in the collective for one that never comes."""
    plan = given_plan() | {"devices": 5, "grid": {"d": 5}}
    plan["vertices"][0] = {"name": "C", "parts": {"j": 5}, "axes": {"j": ["d.0"]}}
    plan["vertices"][1] = {"name": "D", "parts": {"i": 5}, "axes": {"i": ["d.0"]}}
    bench.write("given.json", json.dumps(plan))
    for mode in ("fail", "kill"):
        finished = bench.run("--plan=given.json", env=fault(mode, rank=4))
        bench.expect_error(finished, 4, "rank 4")


@case
def fault_that_never_strikes(bench):
    bench.write("given.json", json.dumps(given_plan()))
    bench.expect_results(bench.run("--plan=given.json", env=fault("kill", collective=99)))


@case
def malformed_fault(bench):
    for text in ("rank", "rank=x", "mode=explode", "rank=1;mode=kill"):
        bench.expect_error(bench.run(env={"TAPESTRY_FAULT": text}), 2, "TAPESTRY_FAULT")


def run_mpi(bench, env, *words):
    bench.write("given.json", json.dumps(given_plan()))
    bench.tapestry(
        "compile", "small.ein", "--plan=given.json", "--devices=2", "-o", "prog"
    ).expect_status(0)
    bench.keep_outputs()
    command = ["./prog", "--backend", "mpi", *bench.inputs, *bench.outputs, *words]
    return driver.mpirun(2, *command, cwd=bench.folder, env=env)


@case
def mpi_fail(bench):
    finished = run_mpi(bench, fault("fail"))
    finished.stdout = ""  # mpirun's own words
    expect_lost(bench, finished, 4)


@case
def mpi_kill(bench):
    finished = run_mpi(bench, fault("kill"))
    finished.stdout = ""
    if finished.status == 0:
        raise CheckFailed(f"a dead rank, and all is well\n{finished.describe()}")
    # Who notices first, mpirun or the other rank, is a race.
    expect_lost(bench, finished, finished.status)


@case
def mpi_late(bench):
    finished = run_mpi(bench, {**fault("late"), "TAPESTRY_TIMEOUT": "0.05"})
    bench.expect_results(finished)


@case
def mpi_stop(bench):
    finished = run_mpi(bench, fault("stop"))
    finished.stdout = ""
    given_up = r"rank 1 \(process \d+\) is stopped; gave it up after 2 seconds \(TAPESTRY_TIMEOUT\)"
    expect_lost(bench, finished, 4, given_up)


@case
def mpi_exit(bench):
    finished = run_mpi(bench, fault("exit"))
    finished.stdout = ""
    if finished.status == 0:
        raise CheckFailed(f"a rank has gone, and all is well\n{finished.describe()}")
    bench.expect_no_processes(finished)


@case
def mpi_fail_while_writing(bench):
    finished = run_mpi(bench, fault("fail", collective="write"))
    finished.stdout = ""
    expect_lost(bench, finished, 4)


@case
def mpi_bad_file(bench):
    """One message from all ranks together, and their status."""
    bench.tapestry("compile", "small.ein", "--devices=2", "-o", "prog").expect_status(0)
    bench.keep_outputs()
    words = ["-i", "A=none.npy", "-i", "B=B.npy", *bench.outputs]
    finished = driver.mpirun(2, "./prog", "--backend", "mpi", *words, cwd=bench.folder)
    finished.stdout = ""
    bench.expect_error(finished, 1, r"none\.npy: error: ")
    if finished.stderr.count("none.npy: error: ") != 1:
        raise CheckFailed(f"not one message\n{finished.describe()}")


@case
def mpi_wrong_number_of_ranks(bench):
    bench.tapestry("compile", "small.ein", "--devices=3", "-o", "prog").expect_status(0)
    words = [*bench.inputs, *bench.outputs]
    finished = driver.mpirun(2, "./prog", "--backend", "mpi", *words, cwd=bench.folder)
    finished.stdout = ""
    bench.expect_error(finished, (2, 3), r"\b2\b", r"\b3\b")


if __name__ == "__main__":
    case.main(__doc__)
