#!/usr/bin/python3
"""--cpu and --target: what runs where, and what is refused.

    check_processors.py [CASE ...]
"""

import re

from harness import driver
from harness.cases import Group

case = Group()

LEVELS = ("x86-64", "x86-64-v2", "x86-64-v3", "x86-64-v4")
# AMD's last of the Bulldozer line: no processor in use has its xop beside AVX2.
ELSEWHERE = "bdver4"
REFUSED = re.compile(
    r"\w+: error: the program was compiled for a processor with ([a-z0-9., ]+), "
    r"which this one lacks\n"
)
# What Linux calls otherwise than LLVM, dots and underscores aside.
LINUX_NAMES = {"sse3": "pni", "bmi": "bmi1", "lzcnt": "abm"}


def flags_here():
    with open("/proc/cpuinfo") as file:
        for line in file:
            if line.startswith("flags"):
                return set(line.replace("_", "").split(":")[1].split())
    return set()


def expect_refusal(result):
    """Status 3 and one message; every feature that it names is missing."""
    result.expect_status(3)
    match = REFUSED.fullmatch(result.stderr)
    assert match, result.describe()
    for name in match[1].split(", "):
        assert LINUX_NAMES.get(name, name).replace(".", "") not in flags_here(), name
    return match[1].split(", ")


def compile_for(bench, cpu):
    bench.tapestry(
        "compile", "small.ein", "--devices=3", f"--cpu={cpu}", "-o", "small"
    ).expect_status(0)


def run_program(bench):
    return driver.execute(["./small", *bench.inputs, *bench.outputs], bench.folder)


def expect_levels(bench, run):
    """Every level runs or is refused."""
    ran = 0
    for cpu in LEVELS:
        result = run(cpu)
        if result.status == 3:
            expect_refusal(result)
            continue
        bench.expect_results(result)
        ran += 1
    assert ran > 0


@case
def every_level_runs_or_is_refused(bench):
    expect_levels(bench, lambda cpu: bench.run("--devices=3", f"--cpu={cpu}"))


@case
def executables_run_or_refuse(bench):
    def run(cpu):
        compile_for(bench, cpu)
        return run_program(bench)

    expect_levels(bench, run)


@case
def native_is_the_default(bench):
    compile_for(bench, "native")
    bench.expect_results(run_program(bench))


@case
def compile_makes_what_run_refuses(bench):
    assert "xop" in expect_refusal(bench.run("--devices=3", f"--cpu={ELSEWHERE}"))
    compile_for(bench, ELSEWHERE)
    assert "xop" in expect_refusal(run_program(bench))
    assert not (bench.folder / "C.npy").exists()


@case
def unknown_processor(bench):
    for command in ("run", "plan", "compile"):
        output = {"run": ["-o", "C=C.npy"], "plan": [], "compile": ["-o", "small"]}[command]
        result = bench.tapestry(command, "small.ein", "--cpu=z80", *output).expect_status(2)
        assert re.fullmatch(
            r"tapestry: error: there is no processor 'z80'; there are: native, x86-64, "
            r"x86-64-v2, x86-64-v3, x86-64-v4, .*znver4.*\n",
            result.stderr,
        ), result.describe()


@case
def unknown_target(bench):
    result = bench.tapestry("plan", "small.ein", "--target=abacus").expect_status(2)
    assert result.stderr == "tapestry: error: there is no target 'abacus'; there are: cpu, cuda\n"


if __name__ == "__main__":
    case.main(__doc__)
