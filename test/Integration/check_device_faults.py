#!/usr/bin/python3
"""GPUs that refuse launches or fail, and ranks with one that die: one message that
names the vertex, and nothing left behind.

    check_device_faults.py [CASE ...]

The tests' driver (test/lib/CUDAStub) fails as TAPESTRY_STUB_FAULT says.
"""

import json

from harness import driver
from harness.cases import Group, given_plan
from harness.driver import CheckFailed

case = Group()

# C is computed within the kernel of R.
CHAIN = """\
input A : f32[6, 5]
input B : f32[5, 7]
P[i, k] = sum[j] A[i, j] * B[j, k]
Q[i, l] = sum[k] P[i, k] * B[l, k]
R[i, k] = sum[l] Q[i, l] * B[l, k]
C[i, k] = R[i, k] + P[i, k]
D[i] = max[k] C[i, k]
output C
output D
"""
LAUNCH_FAILED = r"CUDA_ERROR_LAUNCH_FAILED"


def fault(mode, launch=0, device=0, **more):
    return {
        "TAPESTRY_STUB_FAULT": f"device={device},launch={launch},mode={mode}",
        "TAPESTRY_TIMEOUT": "2",
        **more,
    }


def compile_program(bench, *words):
    words = ["compile", "small.ein", *driver.on_stub(), *words, "-o", "prog"]
    bench.tapestry(*words).expect_status(0)
    bench.keep_outputs()


def run_chain(bench, env):
    bench.write("small.ein", CHAIN)
    compile_program(bench, "--devices=1", "--order=none")
    return driver.execute(["./prog", *bench.inputs, *bench.outputs], bench.folder, env)


def expect_one_message(bench, finished, *patterns):
    bench.expect_error(finished, 4, *patterns)
    if len(finished.stderr.strip().splitlines()) != 1:
        raise CheckFailed(f"not one message\n{finished.describe()}")


@case
def a_refused_launch_names_its_vertex(bench):
    for launch, vertex in enumerate("PQRD"):
        finished = run_chain(bench, fault("refuse", launch))
        words = rf"vertex '{vertex}': kernel tapestry_kernel\w*: CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES"
        expect_one_message(bench, finished, words)


@case
def a_fault_names_what_was_in_flight(bench):
    finished = run_chain(bench, fault("fault", 0))
    expect_one_message(
        bench, finished, r"before any vertex has ended, with 'P', 'Q', 'R' and 'D' in flight"
    )
    for mode in ("fault", "told"):
        # It comes out where the program waits, or with the next launch.
        finished = run_chain(bench, fault(mode, 1))
        flying = "'Q', 'R' and 'D'" if mode == "fault" else "'Q'"
        expect_one_message(
            bench, finished, rf"behind vertex 'P', with {flying} in flight", LAUNCH_FAILED
        )


@case
def a_fault_that_is_waited_for_names_its_vertex(bench):
    finished = run_chain(bench, fault("fault", 2, TAPESTRY_SYNC="1"))
    expect_one_message(bench, finished, r"vertex 'R': kernel tapestry_kernel\w*: " + LAUNCH_FAILED)


@case
def one_fault_of_several_ranks_ends_all(bench):
    bench.write("given.json", json.dumps(given_plan()))
    compile_program(bench, "--plan=given.json", "--devices=2")
    for mode in ("refuse", "fault"):
        for launch in (0, 1):
            finished = driver.execute(
                ["./prog", *bench.inputs, *bench.outputs], bench.folder, fault(mode, launch, 1)
            )
            expect_one_message(bench, finished, "rank 1: ", "'[CD]'")


@case
def a_fault_on_a_shared_device_ends_all(bench):
    bench.write("given.json", json.dumps(given_plan()))
    compile_program(bench, "--plan=given.json", "--devices=2")
    finished = driver.execute(
        ["./prog", "--share-devices", *bench.inputs, *bench.outputs],
        bench.folder,
        fault("fault", 1, TAPESTRY_STUB_DEVICES="1"),
    )
    expect_one_message(bench, finished, "rank [01]: ", LAUNCH_FAILED)


@case
def a_lost_rank_among_threads(bench):
    bench.write("given.json", json.dumps(given_plan()))
    compile_program(bench, "--plan=given.json", "--devices=2")
    for mode in ("fail", "kill"):
        env = {"TAPESTRY_FAULT": f"rank=1,collective=0,mode={mode}", "TAPESTRY_TIMEOUT": "2"}
        finished = driver.execute(["./prog", *bench.inputs, *bench.outputs], bench.folder, env)
        expect_one_message(bench, finished, "rank 1")


@case
def processes_that_fail_or_die(bench):
    """At a collective, or while a kernel is launched."""
    bench.write("given.json", json.dumps(given_plan()))
    compile_program(bench, "--plan=given.json", "--devices=2")
    words = ["./prog", "--backend", "mpi", *bench.inputs, *bench.outputs]
    dying = {"TAPESTRY_FAULT": "rank=1,collective=0,mode=kill", "TAPESTRY_TIMEOUT": "2"}
    for env in (fault("fault", 0, 1), fault("kill", 0, 1), dying):
        finished = driver.mpirun(2, *words, cwd=bench.folder, env=env)
        finished.stdout = ""  # mpirun's own words
        if finished.status == 0:
            raise CheckFailed(f"a dead rank, and all is well\n{finished.describe()}")
        # Who notices first that one has died, mpirun or the other rank, is a race.
        status = 4 if env.get("TAPESTRY_STUB_FAULT", "").endswith("fault") else finished.status
        bench.expect_error(finished, status, r"rank 1|rank=1|\[1\]")
        bench.expect_no_processes(finished)


if __name__ == "__main__":
    case.main(__doc__)
