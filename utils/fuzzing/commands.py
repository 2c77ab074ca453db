"""Command lines of the driver and of a standalone program."""

import functools
import os
import pathlib
import re
import shutil
import subprocess
import tempfile

import numpy as np

from .corpus import pick
from .mutators import NUMBERS, TEXTS
from .oracles import fail

PROGRAM = """param n = 6
input A : f32[n, 5]
input B : f32[5, 7]
C[i, k] = sum[j] A[i, j] * B[j, k]
D[i] = max[k] C[i, k]
output C
output D
"""
SCRIPT = """load A A.npy
load B B.npy
apply p.ein
export C C.npy
list
"""
# The last is what `compile` makes.
COMMANDS = ["run", "plan", "plan", "compile", "reference", "session", "./prog", "./prog"]
# Values by option; what is not here gets any.
VALUES = {
    "-D": ["n=6", "n=7", "m=1", "n", "n=", "=6", "n=x", "n=6.5", "n=-1", "n=99999999999999999999"],
    "--cost": ["paper", "spmd", "Paper"],
    "--cpu": ["native", "x86-64-v2", "x86-64-v3", "sparc"],
    "--devices": ["1", "2", "3", "4", "6", "8", "0", "-1", "1000000", "4294967297"],
    "--diff": ["plan.json"],
    "--evaluations": ["1", "20", "0"],
    "--executor": ["spmd", "greedy", "mpi"],
    "--explain": ["", "C", "C,D", "E"],
    "--feed": ["C=A", "A=C", "D=D", "C"],
    "--grid": ["d=2", "node=2,gpu=2", "node=2:bw=1GB/s,gpu=3:lat=1us", "d=0", "d"],
    "--graph": ["p", "small", "x"],
    "--load-plugin": ["none.so", "p.ein"],
    "--machine": ["cpu", "h100x8", "h100x256", "m.json", "tpu"],
    "--max-bytes": ["0", "1000", "1GB"],
    "--max-seconds": ["0", "1", "1us"],
    "--memory": ["16GiB", "1", "500", "1000", "0", "-1", "1.5KiB"],
    "--order": ["none", "flops", "peak", "planned"],
    "--pick": ["fastest", "0", "1", "99", "balanced", "best"],
    "--plan": ["plan.json", "none.json", "p.ein", "."],
    "--repeat": ["1", "2", "0"],
    "--search-price": ["0.5", "0", "-1"],
    "--seed": ["0", "1", "-1"],
    "--solver": ["exact", "bounded", "eindecomp"],
    "--spill": ["none", ".", "none.d"],
    "--stop-after": ["graph", "plan", "relation", "program", "code", "lunch"],
    "--target": ["cpu", "gpu"],
    "--threads": ["1", "2", "0", "4294967297"],
    "--search-threads": ["1", "2", "0", "4294967297"],
    "--time-limit": ["0.1", "0", "-1"],
    "--backend": ["local", "mpi", "nccl"],
    "--collectives": ["ring", "mpi", "x"],
}
INPUTS = [["-i", "A=A.npy"], ["-i", "B=B.npy"]]
FILES = [
    "out.json",
    "C.npy",
    "D.npy",
    "/dev/null",
    "none/x",
    ".",
    "",
    "A.npy",
    "p.ein",
    "-",
    "prog2",
]


@functools.lru_cache
def program_folder(tools):
    """A folder with the program, compiled for three devices."""
    folder = tempfile.TemporaryDirectory(prefix="tapestry-fuzz-")
    path = pathlib.Path(folder.name)
    (path / "p.ein").write_text(PROGRAM)
    words = [tools / "tapestry", "compile", "p.ein", "--devices=3", "-o", "prog"]
    subprocess.run(words, cwd=path, check=True)
    return folder


@functools.lru_cache
def options_of(tools, command):
    """The options that --help names."""
    words = [tools / "tapestry", command, "--help"]
    if command == "./prog":
        words = [pathlib.Path(program_folder(tools).name) / "prog", "--help"]
    text = subprocess.run(words, capture_output=True, text=True).stdout
    found = re.findall(r"^ +(--?[a-zA-Z][\w-]*)", text, re.MULTILINE)
    return [option for option in dict.fromkeys(found) if "help" not in option]


def draw_value(rng, option):
    if rng.random() < 0.1 and option != "--repeat":  # which runs as often as it is told
        return rng.choice([*TEXTS, *map(str, NUMBERS), f"--{option}", "é=ü"])
    if option == "-i":
        return rng.choice(
            ["A=A.npy", "B=B.npy", "A=B.npy", "Z=A.npy", "A", "A=", "=A.npy", "A=none.npy"]
        )
    if option == "-o":
        return f"{rng.choice(['C=', 'D=', 'C=', 'D=', 'E=', ''])}{rng.choice(FILES)}"
    return rng.choice(VALUES.get(option) or FILES)


def draw_words(rng, command, tools):
    options = options_of(tools, command)
    words = []
    if command in ("run", "reference", "./prog"):
        words += [w for pair in INPUTS if rng.random() < 0.95 for w in pair]
        words += [w for name in "CD" if rng.random() < 0.7 for w in ("-o", f"{name}={name}.npy")]
    if command == "compile" and rng.random() < 0.7:
        words += ["-o", "prog"]
    for _ in range(rng.choice([0, 1, 1, 2, 2, 3, 4])):
        option = pick(rng, options)
        value = draw_value(rng, option).replace("\x00", "").encode("utf-8", "surrogateescape")
        value = value.decode("utf-8", "surrogateescape")
        if option.startswith("--"):
            words += rng.choice(
                [[f"{option}={value}"]] * 4 + [[option, value], [option], [option[1:]]]
            )
        else:
            words += rng.choice([[option, value]] * 4 + [[f"{option}{value}"], [option]])
    if command != "./prog":
        file = "script" if command == "session" else "p.ein"
        words = [command, *([] if rng.random() < 0.03 else [file]), *words]
    if rng.random() < 0.05:
        rng.shuffle(words)
    if rng.random() < 0.05:
        words.insert(
            rng.randrange(len(words) + 1), rng.choice(["--", "-", "p.ein", "--nope", "-x", "@file"])
        )
    return words


def check_words(bench, tool, words):
    bench.write("p.ein", PROGRAM)
    bench.write("script", SCRIPT)
    rng = np.random.default_rng(3)
    np.save(bench.folder / "A.npy", rng.uniform(-1, 1, (6, 5)).astype(np.float32))
    np.save(bench.folder / "B.npy", rng.uniform(-1, 1, (5, 7)).astype(np.float32))
    if tool == "./prog":
        shutil.copy(pathlib.Path(program_folder(bench.tools).name) / "prog", bench.folder)
    finished = bench.run(tool, *words, writes=[*named_files(bench, words), *(["C.npy"] if "session" in words else [])])
    if tool == "tapestry" and (bench.folder / "p.ein").read_text() != PROGRAM:
        fail(f"{tool}: overwrites the program", finished)
    return finished.status == 0


def named_files(bench, words):
    """What the words may ask to be written: all that they name."""
    return [
        path.relative_to(bench.folder)
        for word in words
        for name in (word, word.partition("=")[2], word[2:])
        if name and "\x00" not in name and len(name) < 200
        for path in [bench.folder / name]
        if bench.folder in path.parents
    ]


def draw(rng, tools):
    # A sanitizer's own libraries are more than `compile` links.
    linked = {"compile", "./prog"} if "ASAN_OPTIONS" in os.environ else ()
    command = rng.choice([command for command in COMMANDS if command not in linked])
    tool = command if command == "./prog" else "tapestry"
    words = draw_words(rng, command, tools)
    return words, lambda bench, words: check_words(bench, tool, words)
