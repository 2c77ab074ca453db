#!/usr/bin/python3
"""Command lines and programs, right and wrong.

    check_options.py [CASE ...]
"""

import json
import re

import numpy as np

from harness import driver
from harness.cases import PROGRAM, Group
from harness.driver import CheckFailed

case = Group()


@case
def help_of_all_commands(bench):
    for words in (["--help"], *([c, "--help"] for c in ("run", "plan", "compile", "reference"))):
        finished = bench.tapestry(*words).expect_status(0)
        if "tapestry" not in finished.stdout.lower():
            raise CheckFailed(finished.describe())


@case
def no_command(bench):
    bench.expect_error(bench.tapestry(), 2, "command")


@case
def unknown_command(bench):
    bench.expect_error(bench.tapestry("rum", "small.ein"), 2, "no command 'rum'; .* 'run'\\?")
    bench.expect_error(bench.tapestry("frobnicate"), 2, "there are: cache, calibrate, compile,")


@case
def unknown_option(bench):
    bench.expect_error(bench.run("--frobnicate"), 2, "option '--frobnicate'; .*run --help")
    bench.expect_error(bench.run("--devises=4"), 2, "'--devises=4'; did you mean '--devices'\\?$")
    finished = bench.tapestry("plan", "small.ein", *bench.inputs)
    bench.expect_error(finished, 2, "plan takes no -i, but reference and run do$")
    # Its first letter is an option.
    for word in ("--input", "--output=X=f", "-input"):
        bench.expect_error(bench.run(word, "X=f"), 2, f"^tapestry: error: unknown option '{word}'")
    # One that lacks its value.
    finished = bench.tapestry("calibrate", "small.ein")
    bench.expect_error(finished, 2, "calibrate takes no program, and 'small.ein' is no option")
    for word in ("--devices", "-D", "--report"):
        finished = bench.run(word)
        bench.expect_error(finished, 2, f"^tapestry: error: {word} needs a value$")


@case
def executors(bench):
    bench.expect_error(bench.run("--executor=gready"), 2, "spmd or greedy, not 'gready'$")
    bench.expect_error(
        bench.run("--executor=spmd", "--spill=none"), 2, "--spill is for --executor greedy$"
    )
    bench.expect_error(bench.run("--spill=."), 2, "--spill is for what does not fit into --memory$")
    finished = bench.run("--executor=greedy", "--repeat=2", "--feed=Y=X")
    bench.expect_error(finished, 2, "--executor greedy begins every .* --executor spmd, or .*OUTPUT$")
    finished = bench.tapestry("compile", "small.ein", "-o", "small", "--executor=greedy")
    bench.expect_error(finished, 2, "compile takes no --executor, but plan and run do$")
    finished = bench.tapestry("plan", "small.ein", "--executor=greedy", "--json=plan.json")
    bench.expect_error(finished, 2, "has no plan of devices: it takes no --json$")


@case
def options_without_effect(bench):
    # LLVM's own: those of its tools, those that every command gets, and a name
    # that another command knows.
    bench.expect_error(bench.run("--print-after-all"), 2, "unknown option '--print-after-all'")
    bench.expect_error(bench.run("--stats"), 2, "unknown option '--stats'")
    bench.expect_error(bench.run("--search-threads=2"), 2, "run takes no --search-threads, but plan does$")
    bench.tapestry("plan", "small.ein", "--json=a.json").expect_status(0)
    diff = ["--diff", "a.json", "a.json"]
    for words in (
        ["--devices=2"],
        ["--solver=exact"],
        ["--plan=a.json"],
        ["--stop-after=plan"],
        ["--cpu=x86-64-v3"],
        ["--order=none"],
        ["--graph=g"],
        ["-D", "n=6"],
        ["--like", "A=A.npy"],
    ):
        option = words[0].split("=")[0]
        finished = bench.tapestry("plan", *diff, *words)
        bench.expect_error(finished, 2, f"^tapestry: error: --diff .*: it takes no {option}$")
    bench.tapestry("plan", "small.ein", *diff, "--order=none", "--graph=small").expect_status(0)
    for words in (["--solver=bounded"], ["--cost=magic"], ["--plan=a.json"]):
        option = words[0].split("=")[0]
        finished = bench.tapestry("plan", "small.ein", "--pick=fastest", *words)
        bench.expect_error(finished, 2, f"^tapestry: error: a Pareto .*: it takes no {option}$")


@case
def one_is_no_plural(bench):
    bench.write("m.ein", "input x : bool[1]\ns = any[i] x[i]\noutput s\n")
    np.save(bench.folder / "x.npy", np.ones(1, bool))
    bench.tapestry("compile", "m.ein", "-o", "prog").expect_status(0)
    texts = [
        bench.tapestry("plan", "m.ein"),
        bench.tapestry("plan", "m.ein", "--explain"),
        bench.tapestry("plan", "m.ein", "--pareto=f.json", "--evaluations=1", "-v"),
        bench.tapestry("plan", "m.ein", "--dot=plan.dot"),
        driver.execute(["./prog", "--help"], bench.folder),
        driver.execute(["./prog", "-i", "x=x.npy", "-v"], bench.folder),
    ]
    text = "".join(each.expect_status(0).stdout + each.stderr for each in texts)
    text += (bench.folder / "plan.dot").read_text()
    for words in ("1 device ", "1 byte ", "1 plan ", "1 time "):
        if words not in text:
            raise CheckFailed(f"no '{words}' in: {text}")
    if wrong := re.search(r"(?<![\w.,-])1 (device|byte|plan|time|rank|vertice|part|run)s\b", text):
        raise CheckFailed(f"'{wrong[0]}' in: {text}")


@case
def no_program(bench):
    bench.expect_error(bench.tapestry("run"), 2, "program")


@case
def two_programs(bench):
    bench.expect_error(bench.run("small.ein"), 2, r"one program")


@case
def program_that_is_not_there(bench):
    bench.expect_error(bench.tapestry("run", "none.ein"), 1, r"none\.ein", "No such file")


@case
def program_with_unknown_ending(bench):
    bench.write("small.npy", PROGRAM)
    bench.expect_error(bench.tapestry("plan", "small.npy"), (1, 2), r"small\.npy")


@case
def devices_that_are_no_number(bench):
    for text in ("0", "-1", "abc", "4x", "1e3", "2.5", "", "99999999999999999999"):
        bench.expect_error(bench.run(f"--devices={text}"), 2, "devices")


@case
def numbers_out_of_range(bench):
    beyond = "4294967297"
    for command, words in (
        ("plan", ["small.ein"]),
        ("run", ["small.ein"]),
        ("compile", ["small.ein", "-o", "prog"]),
        ("calibrate", []),
    ):
        finished = bench.tapestry(command, *words, "--devices", beyond)
        bench.expect_error(finished, 2, f"--devices has to be at most 1048576, not {beyond}$")
    search = ["plan", "small.ein", "--pick=fastest"]
    bench.expect_error(bench.tapestry(*search, "--search-threads", beyond), 2, f"1024, not {beyond}$")
    bench.expect_error(bench.tapestry("plan", "small.ein", "--grid=a=" + beyond), 2, beyond)
    beyond = "99999999999999999999"
    for option in ("--search-threads", "--evaluations", "--seed", "--memory"):
        bench.expect_error(bench.tapestry(*search, option, beyond), 2, f"{option}.*{beyond}")
    for option in ("--repeat", "-D", "--memory"):
        value = ("n=" if option == "-D" else "") + beyond
        bench.expect_error(bench.run(option, value), 2, f"{option}.*{beyond}")


@case
def ten_thousand_devices(bench):
    finished = bench.run("--devices=10000")
    if finished.status == 0:
        bench.expect_results(finished)
    else:
        bench.expect_error(finished, 3, "10,?000")
    finished = bench.tapestry("plan", "small.ein", "--devices=10000", "--json=p.json")
    finished.expect_status(0)
    plan = driver.load_json(bench.folder / "p.json")
    if plan["devices"] != 10000 or [v["name"] for v in plan["vertices"]][-2:] != ["C", "D"]:
        raise CheckFailed(f"plan.json: {plan}")


@case
def more_devices_than_ranks(bench):
    for words in ("--devices=1000000",), ("--grid=a=1000,b=1000",):
        bench.expect_error(bench.run(*words), 3, r"\b1000000\b", r"\b1024\b")
    calibrated = bench.tapestry("calibrate", "--devices=1000000", "-o", "m.json")
    bench.expect_error(calibrated, 3, r"\b1000000\b", r"\b1024\b")


@case
def values_that_are_options(bench):
    for words in (
        ("--pareto", "--time-limit=10"),
        ("--pareto=--time-limit",),
        ("--json", "--devices", "2"),
        ("--explain=--json",),
        ("--cost", "--devices=2"),
        ("--diff", "a.json", "--json"),
    ):
        finished = bench.tapestry("plan", "small.ein", *words)
        bench.expect_error(finished, 2, "needs a value", "begins like an option")
    bench.expect_error(bench.run("--report", "--devices=2"), 2, "--report needs a value")
    # A variable of a shell that is not set.
    for words in (["--json="], ["--json", ""], ["--grid="], ["-D", ""]):
        finished = bench.tapestry("plan", "small.ein", *words)
        bench.expect_error(finished, 2, f"{words[0].rstrip('=')} needs a value$")
    bench.tapestry("compile", "small.ein", "-o", "prog").expect_status(0)
    for words in (["--report", "--trace"], ["--trace=--report"], ["--report="], ["--report", ""]):
        finished = driver.execute(["./prog", *bench.inputs, *bench.outputs, *words], bench.folder)
        bench.expect_error(finished, 2, f"{words[0].split('=')[0]} needs a value")


@case
def names_are_known_before_anything_is_written(bench):
    search = ["--pareto=p.json", "--evaluations=20"]
    for words in (["--json=x.json"], ["--dot=x.json"], ["--html=x.json"], search):
        finished = bench.tapestry("plan", "small.ein", *words, "--explain=C,NOBODY")
        bench.expect_error(finished, 2, "--explain: there is no vertex 'NOBODY'$")
        if list(bench.folder.glob("[xp].json")):
            raise CheckFailed(finished.describe())
    for words in (["--json=x.json", "--html=none/x.html"], ["--dot=x.json", "--svg=none/x.svg"]):
        finished = bench.tapestry("plan", "small.ein", *words)
        bench.expect_error(finished, 1, r"^none/x\.[a-z]+: error: cannot write: No such file")
        if (bench.folder / "x.json").exists():
            raise CheckFailed(finished.describe())


@case
def what_only_prints_writes_no_file(bench):
    for words in (["--json=x.json"], ["--explain"], ["--html=x.json"]):
        finished = bench.tapestry("plan", "small.ein", "--stop-after=graph", *words)
        bench.expect_error(finished, 2, f"--stop-after .* takes no {words[0].split('=')[0]}$")
    finished = bench.tapestry("compile", "small.ein", "--stop-after=graph", "-o", "prog")
    bench.expect_error(finished, 2, "--stop-after .* takes no -o$")
    for words in (["--devices=3"], ["--solver=bounded"], ["--order=peak", "--cost=spmd"], ["--cpu=x86-64-v2"]):
        finished = bench.tapestry("plan", "small.ein", "--stop-after=graph", *words)
        bench.expect_error(finished, 2, f"--stop-after=graph .* takes no {words[-1].split('=')[0]}$")
    words = ["--stop-after=graph", "--order=planned", "--devices=3", "--cost=spmd"]
    bench.tapestry("plan", "small.ein", *words).expect_status(0)
    bench.tapestry("plan", "small.ein", "--json=a.json").expect_status(0)
    finished = bench.tapestry("plan", "--diff", "a.json", "a.json", "--json=x.json")
    bench.expect_error(finished, 2, "--diff .* takes no --json$")


@case
def unknown_solver(bench):
    bench.expect_error(bench.run("--solver=magic"), 2, "magic", "exact")


@case
def unknown_cost_model(bench):
    bench.expect_error(bench.run("--cost=magic"), 2, "magic", "paper")


@case
def orders_of_products(bench):
    bench.expect_error(bench.run("--order=magic"), 2, "magic", "flops", "planned")
    for order in ("none", "flops", "peak", "planned"):
        bench.expect_results(bench.run(f"--order={order}", "--devices=3"))


@case
def bad_grids(bench):
    for grid in ("node", "node=", "=2", "node=0", "node=x", "node=2,node=2", "a=2,,b=2"):
        bench.expect_error(bench.run(f"--grid={grid}"), 2, "grid")


@case
def grids_with_links(bench):
    links = "node=2:bw=25GB/s:lat=5us,gpu=3:bw=450 GB/s"
    for link in ("bw=0GB/s", "bw=-1GB/s", "bw=25", "lat=nans", "lat=1us:lat=2us", "width=3"):
        bench.expect_error(bench.run(f"--grid=node=2:{link}"), 2, "grid: axis 'node'")
    bench.expect_error(bench.run(f"--grid={links}"), 2, "links of --grid", "--cost spmd")
    bench.expect_results(bench.run(f"--grid={links}", "--cost=spmd"))


@case
def bad_machines(bench):
    bench.expect_error(bench.run("--machine=abacus"), 2, "'abacus'", "'h100x8'")
    bench.expect_error(bench.run("--machine=./no.json"), 1, r"\./no\.json: error: ")
    bench.write("m.json", '{"tapestry_machine": 1, "name": "m", "flops": "5GB/s"}')
    bench.expect_error(bench.run("--machine=m.json"), 1, r"m\.json: error: flops: ", "'5GB/s'")
    bench.expect_error(
        bench.run("--machine=h100x256", "--grid=gpu=16"), 2, "'gpu'", r"\b16\b", r"\b8\b"
    )


@case
def machine_without_its_cost_model(bench):
    bench.expect_error(bench.run("--machine=h100x8"), 2, "--machine", "--cost spmd", "'paper'")
    finished = bench.tapestry(
        "plan", "small.ein", "--machine=h100x8", "--cost=spmd", "--devices=16"
    )
    bench.expect_error(finished, 2, "16 devices, machine 'h100x8' has 8$")
    bench.expect_results(bench.run("--machine=h100x8", "--cost=spmd"))


@case
def grid_and_devices_disagree(bench):
    bench.expect_error(bench.run("--grid=a=2,b=3", "--devices=4"), (1, 2), r"\b6\b", r"\b4\b")


@case
def named_grid(bench):
    bench.expect_results(bench.run("--grid=node=2,gpu=3"))


@case
def bindings_without_a_file(bench):
    for word in ("A", "A=", "=A.npy"):
        bench.expect_error(bench.run("-i", word), 2, "NAME=")


@case
def inputs_that_nothing_reads(bench):
    bench.write("small.ein", "input U : f32[3]\nV[i] = U[i] * 2\n" + PROGRAM)
    words = [*bench.inputs, "-i", "U=U.npy", *bench.outputs]
    bench.tapestry("compile", "small.ein", "--devices=2", "-o", "prog").expect_status(0)
    commands = {
        "run": lambda *more: bench.tapestry("run", "small.ein", "--devices=2", *words, *more),
        "reference": lambda *more: bench.tapestry("reference", "small.ein", *words, *more),
        "prog": lambda *more: driver.execute(["./prog", *words, *more], bench.folder),
    }
    for execute in commands.values():
        bench.expect_results(execute())
        said = execute("-v").expect_status(0).stderr
        if "input 'U' is not read: no output depends on it" not in said:
            raise CheckFailed(said)
        for name in ("C.npy", "D.npy"):
            (bench.folder / name).unlink()
        bench.expect_error(execute("-i", "V=V.npy"), 2, "no input 'V'", "-i A=FILE")
    for name in ("run", "prog"):
        commands[name]("--repeat=2", "--feed=C=U").expect_status(0)


@case
def repeat_that_is_no_number(bench):
    for text in ("0", "-3", "often"):
        bench.expect_error(bench.run(f"--repeat={text}"), 2, "repeat")


@case
def params(bench):
    bench.write("small.ein", "param n = 9\n" + PROGRAM.replace("6", "n"))
    bench.expect_error(bench.run("--devices=2"), 1, r"A\.npy: error: ", "9, 5|9x5", "6, 5|6x5")
    bench.expect_results(bench.run("-Dn=6", "--devices=2"))
    bench.expect_results(bench.run("-D", "n=6", "--devices=2"))


@case
def bad_params(bench):
    bench.write("small.ein", "param n = 6\n" + PROGRAM.replace("6", "n"))
    bench.expect_error(bench.run("-Dm=6"), 2, "^tapestry: error: -D m=6: .*'m'; its params are n$")
    bench.write("small.ein", "param size = 6\n" + PROGRAM.replace("6", "size"))
    bench.expect_error(bench.run("-Dsise=6"), 2, "'sise'; .*; did you mean 'size'\\?$")
    bench.write("small.ein", "param n = 6\n" + PROGRAM.replace("6", "n"))
    bench.expect_error(bench.run("-Dn=six"), 2, "six")
    bench.expect_error(bench.run("-Dn"), 2, r"\bn\b")
    bench.expect_error(bench.run("-Dn=0"), 1, r"small\.ein:\d+:\d+: error: ")


@case
def program_errors_name_the_place(bench):
    wrong = {
        "C[i, k] = sum[j] A[i, j] * B[j, k": r"small\.ein:\d+:\d+: error: ",
        "C[i, k] = sum[j] A[i, j] * B[k, j]": r"small\.ein:3:\d+: error: .*'[jk]'.*\d.*\d",
        "C[i, k] = A[i, j] * B[j, k]": r"small\.ein:3:\d+: error: .*'j'",
        "C[i, k] = sum[j] A[i, j] * Bee[j, k]": r"small\.ein:3:\d+: error: .*'Bee'",
        "C[i, k] = sum[j] A[i + 1, j] * B[j, k] * A[i, j]": r"small\.ein:3:\d+: error: ",
        "C[i, k] = avg[j] A[i, j] * B[j, k]": r"small\.ein:3:\d+: error: ",
    }
    right = "C[i, k] = sum[j] A[i, j] * B[j, k]"
    assert right in PROGRAM
    for text, pattern in wrong.items():
        bench.write("small.ein", PROGRAM.replace(right, text))
        for command in ("run", "plan", "reference"):
            words = [] if command == "plan" else [*bench.inputs, *bench.outputs]
            bench.expect_error(bench.tapestry(command, "small.ein", *words), 1, pattern)


@case
def empty_program(bench):
    bench.write("small.ein", "# nothing\n")
    bench.expect_error(bench.tapestry("run", "small.ein"), 1, r"small\.ein")


@case
def mlir_programs(bench):
    translate = driver.tapestry_path().removesuffix("tapestry") + "tapestry-translate"
    driver.execute(
        [translate, "--ein-to-mlir", "small.ein", "-o", "small.mlir"], bench.folder
    ).expect_status(0)
    finished = bench.tapestry("run", "small.mlir", *bench.inputs, *bench.outputs, "--devices=3")
    bench.expect_results(finished)
    bench.write("small.mlir", "module { oops }")
    for name in ("C.npy", "D.npy"):
        (bench.folder / name).unlink()
    bench.expect_error(
        bench.tapestry("run", "small.mlir", *bench.inputs), 1, r"small\.mlir:1:\d+: error: "
    )


FOREIGN = """\
tapestry.graph @g {
  %A = tapestry.source "A" : tensor<6x5xf32>
  %B = arith.negf %A : tensor<6x5xf32>
  tapestry.sink "B", %B : tensor<6x5xf32>
}
"""


@case
def ops_without_an_index_space(bench):
    bench.write("foreign.mlir", FOREIGN)
    for command in (["plan"], ["plan", "--pick=fastest"], ["run", "-i", "A=A.npy"]):
        finished = bench.tapestry(command[0], "foreign.mlir", *command[1:])
        pattern = r"^foreign\.mlir:3:\d+: error: (the graph .*: )?'arith\.negf' has no index"
        bench.expect_error(finished, 1, pattern)


@case
def compile_into_missing_folder(bench):
    finished = bench.tapestry("compile", "small.ein", "--devices=2", "-o", "none/prog")
    bench.expect_error(finished, 1, "none/prog")


@case
def nothing_on_stdout(bench):
    finished = bench.run("--devices=2", "--report=r.json", "--trace=t.json", "-v")
    bench.expect_results(finished)
    if finished.stdout:
        raise CheckFailed(finished.describe())


SCALARS = """\
input A : f32[6, 5]
S = sum[i, j] A[i, j] * 0 + 0.1
H = f16(S)
B = bf16(S * 0 - 2.5)
N = sum[i, j] i64(A[i, j] == A[i, j])
T = S > 0
D = f64(S * 0) + 0.1
R[i] = sum[j] A[i, j]
output R
output S
output H
output B
output N
output T
output D
"""
# The sum of thirty times f32(0.1) rounds differently where it is cut.
SHOWN = r"S = 3(\.0\d*)?\nH = 3\nB = -2\.5\nN = 30\nT = true\nD = 0\.1\n"


@case
def without_outputs_numbers_are_shown(bench):
    bench.write("small.ein", SCALARS)
    bench.tapestry("compile", "small.ein", "--devices=3", "-o", "prog").expect_status(0)
    words = ["-i", "A=A.npy"]
    for finished in (
        bench.tapestry("run", "small.ein", "--devices=4", *words),
        bench.tapestry("reference", "small.ein", *words),
        driver.execute(["./prog", *words], bench.folder),
    ):
        finished.expect_status(0)
        if not re.fullmatch(SHOWN, finished.stdout):
            raise CheckFailed(finished.describe())
        if not re.fullmatch(r"\w+: not written \(-o NAME=FILE does\): R f32\[6\]\n", finished.stderr):
            raise CheckFailed(finished.describe())
    # Where outputs are asked for, nothing is shown; -q leaves the rest out.
    finished = bench.tapestry("run", "small.ein", *words, "-o", "S=S.npy").expect_status(0)
    quiet = bench.tapestry("run", "small.ein", *words, "-q").expect_status(0)
    if finished.stdout + finished.stderr + quiet.stderr or not quiet.stdout:
        raise CheckFailed(finished.describe() + quiet.describe())


@case
def reference_rounds_what_is_stored(bench):
    bench.write("small.ein", "input X : f32[2]\nY[i] = X[i] + 1 - X[i]\noutput Y\n")
    np.save(bench.folder / "X.npy", np.array([2**24, 2**40], np.float32))
    for command, expected in (("run", [0, 0]), ("reference", [1, 1])):
        bench.tapestry(command, "small.ein", "-i", "X=X.npy", "-o", "Y=Y.npy").expect_status(0)
        if (np.load(bench.folder / "Y.npy") != expected).any():
            raise CheckFailed(f"{command}: {np.load(bench.folder / 'Y.npy')}")


@case
def reference_repeats(bench):
    bench.write("small.ein", "input W : f32[3]\nWn[i] = W[i] * 2 + 1\noutput Wn\n")
    np.save(bench.folder / "W.npy", np.arange(3, dtype=np.float32))
    words = ["small.ein", "-i", "W=W.npy", "-o", "Wn=Wn.npy", "--repeat=5"]
    for command in ("run", "reference"):
        bench.tapestry(command, *words, "--feed=Wn=W").expect_status(0)
        got = np.load(bench.folder / "Wn.npy")
        if (got != np.arange(3) * 32 + 31).any():
            raise CheckFailed(f"{command}: {got}")
        bench.tapestry(command, *words).expect_status(0)
        if (np.load(bench.folder / "Wn.npy") != np.arange(3) * 2 + 1).any():
            raise CheckFailed(f"{command} without feeding")
    finished = bench.tapestry("reference", *words[:-1], "--feed=Wn=W")
    bench.expect_error(finished, 2, "--feed .* needs --repeat", outputs_intact=False)


@case
def verbose_tells_the_time_of_every_phase(bench):
    def phases(finished):
        finished.expect_status(0)
        return re.findall(r"^tapestry: ([a-z ]+) took \S+ s$", finished.stderr, re.MULTILINE)

    front = ["reading the program", "planning"]
    back = ["lowering", "generating code"]
    all_is_compiled = {"XDG_CACHE_HOME": "/dev/null"}
    if phases(bench.tapestry("plan", "small.ein", "-v")) != front:
        raise CheckFailed("plan")
    ran = bench.run("-v", env=all_is_compiled)
    if phases(ran) != [*front, *back, "loading"]:
        raise CheckFailed(ran.describe())
    for said in ("read .* in", "ran 1 time in", "wrote in"):
        if not re.search(f"^tapestry: .*{said} \\S+ s$", ran.stderr, re.MULTILINE):
            raise CheckFailed(ran.describe())
    made = bench.tapestry("compile", "small.ein", "-o", "prog", "-v", env=all_is_compiled)
    if phases(made) != [*front, *back, "linking"]:
        raise CheckFailed(made.describe())


@case
def a_trace_says_what_it_dropped(bench):
    bench.write("small.ein", "input X : f32\nY = X * 2\noutput Y\n")
    np.save(bench.folder / "X.npy", np.float32(1))
    words = ["run", "small.ein", "-i", "X=X.npy", "-o", "Y=/dev/null", "--trace=t.json"]
    if bench.tapestry(*words, "--repeat=100").expect_status(0).stderr:
        raise CheckFailed("a trace that fits complains")
    # One span per run, and one to read.
    said = bench.tapestry(*words, "--repeat=262200").expect_status(0).stderr
    pattern = r"tapestry: the last (\d+) spans of time are not in t\.json: it holds 262144 of each rank\n"
    match = re.search(pattern, said)
    if not match or int(match[1]) < 56:
        raise CheckFailed(said)


@case
def trace_is_a_chrome_trace(bench):
    bench.expect_results(bench.run("--devices=4", "--trace=t.json"))
    trace = driver.load_json(bench.folder / "t.json")
    events = trace["traceEvents"] if isinstance(trace, dict) else trace
    spans = [event for event in events if event.get("ph") == "X"]
    if not spans:
        raise CheckFailed(f"no spans in the trace: {json.dumps(events)[:500]}")
    for event in spans:
        if not {"name", "ts", "dur", "pid", "tid"} <= event.keys() or event["dur"] < 0:
            raise CheckFailed(f"not a span: {event}")
    if not {"C", "D"} <= {event["name"].split()[-1].split(":")[-1] for event in spans}:
        raise CheckFailed(f"the vertices are not in it: {sorted({e['name'] for e in spans})}")


@case
def report_has_what_is_promised(bench):
    bench.expect_results(bench.run("--devices=2", "--report=r.json"))
    report = driver.load_json(bench.folder / "r.json")
    wanted = {
        "tapestry_report", "devices", "backend", "seconds", "compile_seconds", "collectives",
        "peak_bytes_per_device", "vertices",
    }
    if not wanted <= report.keys():
        raise CheckFailed(f"report.json lacks {sorted(wanted - report.keys())}")
    flops = {vertex["name"]: vertex["flops"] for vertex in report["vertices"]}
    # 6 x 5 x 7 products and their sums; whether the first sum counts is open.
    if not 2 * 210 - 42 <= flops.get("C", 0) <= 2 * 210:
        raise CheckFailed(f"flops of C: {flops}")
    if not report["seconds"] > 0 or not report["compile_seconds"] > 0:
        raise CheckFailed(f"times of report.json: {report}")
    if not report["peak_bytes_per_device"] > 0:
        raise CheckFailed(f"peak_bytes_per_device: {report['peak_bytes_per_device']}")


if __name__ == "__main__":
    case.main(__doc__)
