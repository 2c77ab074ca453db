#!/usr/bin/python3
"""The harness of random inputs finds what is planted, and adding to what it starts from
moves few of its inputs.

    check_fuzz.py [CASE ...]
"""

import pathlib
import random
import re
import sys

from harness import driver
from harness.cases import Group
from harness.driver import CheckFailed

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "utils"))

from fuzzing import corpus  # noqa: E402

case = Group()


def plant(bench, tool, before="", after=""):
    """The real tools, but for a fault of one: shell before and after it, in the folder
    of the command."""
    real = pathlib.Path(driver.tapestry_path()).resolve().parent
    (bench.folder / "bin").mkdir()
    for name in ("tapestry", "tapestry-opt", "tapestry-translate"):
        lines = ["#!/bin/sh", f'{real / name} "$@"', "status=$?", "exit $status", ""]
        if name == tool:
            lines[3:3], lines[1:1] = [after], [before]
        bench.write(f"bin/{name}", "\n".join(lines)).chmod(0o755)


def expect_found(bench, kind, seeds, signature, *words):
    """`seeds` are few that reach the fault."""
    words = [sys.executable, ROOT / "utils" / "fuzz.py", f"--build={bench.folder}", "--jobs=1",
             f"--kinds={kind}", f"--first={seeds[0]}", f"--count={len(seeds)}", *words]  # fmt: skip
    done = driver.execute(words, bench.folder).expect_status(1)
    if not re.search(rf"^{signature}$", done.stdout, re.MULTILINE):
        raise CheckFailed(f"no /{signature}/ is found\n{done.describe()}")


@case
def a_crash_made_small(bench):
    plant(bench, "tapestry", before="grep -qs 'max *\\[' p.ein && kill -SEGV $$")
    expect_found(bench, "programs", range(8), "tapestry: SIGSEGV", "--save=saved")
    text = (bench.folder / "saved/programs-tapestry-SIGSEGV/p.ein").read_text()
    if not re.fullmatch(r"max *\[", text.strip()):
        raise CheckFailed(f"this is not the smallest program that fails: {text!r}")


@case
def a_wrong_value(bench):
    flip = """for f in run-*.npy; do
printf '\\157' | dd of=$f bs=1 seek=$(($(stat -c %s $f) - 1)) conv=notrunc 2>/dev/null
done"""
    plant(bench, "tapestry", after=f'[ "$1" = run ] && {flip}')
    expect_found(bench, "programs", range(4), "run: wrong value")


@case
def a_plan_that_cannot_be_followed(bench):
    refuse = 'case "$*" in *--plan=plan.json*) echo "p: error: no" >&2; exit 1;; esac'
    plant(bench, "tapestry", before=refuse)
    expect_found(bench, "plans", range(3), "plan: refuses its own file")


@case
def a_file_left_behind(bench):
    plant(bench, "tapestry", after='[ $status -ne 0 ] && [ "$1" = plan ] && : > left')
    expect_found(bench, "machines", range(6), "tapestry: left files")


@case
def a_status_of_no_meaning(bench):
    plant(bench, "tapestry-opt", after="[ -e m.mlirbc ] && [ $status -eq 1 ] && status=9")
    expect_found(bench, "bytecode", range(4), "tapestry-opt: status 9")


@case
def a_control_character(bench):
    plant(bench, "tapestry", after='[ $status -ne 0 ] && printf "\\033" >&2')
    expect_found(bench, "commands", range(12), "tapestry: control character")


@case
def a_program_overwritten(bench):
    plant(bench, "tapestry", after='[ "$1" = plan ] && echo >> p.ein')
    expect_found(bench, "commands", range(16), "tapestry: overwrites the program")


@case
def a_reader_of_its_own(bench):
    refuse = '[ "$1" = reference ] && { echo "A.npy: error: no" >&2; exit 1; }'
    plant(bench, "tapestry", before=refuse)
    expect_found(bench, "arrays", range(12, 24), "npy: run and reference disagree")


@case
def invalid_ir_of_a_pass(bench):
    plant(bench, "tapestry-opt", after='[ "$1" = m.mlir ] && [ -s out.mlir ] && echo x >> out.mlir')
    expect_found(bench, "modules", range(12), r"[\w-]+(=.*)?: round trip")


@case
def few_inputs_move(_):
    pool = [f"test {index}" for index in range(101)]
    before, after = (
        [corpus.pick(random.Random(seed), names) for seed in range(2003)]
        for names in (pool, ["new", *pool])
    )
    moved = {new for old, new in zip(before, after) if old != new}
    count = after.count("new")
    if moved != {"new"} or count > 40 or len(set(before)) < 95:
        raise CheckFailed(f"{count} of 2003 draws are the new one; others moved: {moved}")


if __name__ == "__main__":
    case.main(__doc__)
