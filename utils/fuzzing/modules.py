"""IR of every phase, in our forms, the generic form and bytecode."""

import re
import subprocess

from harness.graph_nodes import random_graph

from . import corpus
from .accepted import check_plan_file
from .mutators import NUMBERS, flip_bytes, noise, replace_number
from .oracles import Failure, fail
from .programs import draw_planning

ELEMENTS = [
    *("f32", "f64", "f16", "bf16", "i1", "i8", "i16", "i32", "i64", "i4", "ui8", "si32", "index"),
    *("complex<f32>", "f8E4M3FN", "i128", "none", "vector<4xf32>", "!tra.relation<[4] / [1], f32>"),
]
PASSES = [
    "canonicalize", "cse", "loop-invariant-code-motion", "inline", "symbol-dce", "sccp",
    "tapestry-apply-rules", "tapestry-apply-rules=rules=fuse-producer", "tapestry-bufferize-programs", "tapestry-compute-in-place",
    "tapestry-convert-comm-to-runtime", "tapestry-convert-to-tra",
    "tapestry-convert-tra-to-comm", "tapestry-cse",
    "tapestry-emit-program-description=cpu=x86-64-v3", "tapestry-expand-math",
    "tapestry-form-row-kernels", "tapestry-form-row-kernels=block-bytes=64",
    "tapestry-free-buffers", "tapestry-fuse-elementwise", "tapestry-inline-calls",
    "tapestry-lower-index", "tapestry-lower-to-llvm=cpu=x86-64-v3", "tapestry-mark-vertices",
    "tapestry-order-contractions", "tapestry-order-contractions=objective=peak",
    "tapestry-outline-kernels", "tapestry-partition=devices=2",
    "tapestry-partition=devices=6 cost=spmd", "tapestry-partition=devices=4 solver=eindecomp",
    "tapestry-predict-memory=cpu=x86-64-v3", "tapestry-prune", "tapestry-rewrite=list",
    "tapestry-vectorize-kernels=cpu=x86-64-v3", "tapestry-vectorize-kernels=vector-bits=512",
    "tapestry-verify-shards", "tapestry-codegen-pipeline=cpu=x86-64-v3",
    "tapestry-plan-pipeline=devices=3", "tapestry-to-llvm=cpu=x86-64-v3", "tapestry-to-program",
    "eliminate-empty-tensors", "remove-dead-values", "one-shot-bufferize",
]  # fmt: skip


# Changes ---------------------------------------------------------------------


def _pick(rng, pattern, text):
    found = list(re.finditer(pattern, text))
    return rng.choice(found) if found else None


def _replace(text, match, new):
    return text[: match.start()] + new + text[match.end() :]


def change_element(rng, text, other):
    """An element type, here or everywhere."""
    match = _pick(rng, r"(?<=[x<:, ])(?:bf16|[fi]\d+|index)\b", text)
    if not match:
        return text
    new = rng.choice(ELEMENTS)
    if rng.random() < 0.6:
        return re.sub(rf"(?<=[x<:, ]){match.group()}\b", new.replace("\\", ""), text)
    return _replace(text, match, new)


def change_shape(rng, text, other):
    """A dimension, or a whole shaped type."""
    if rng.random() < 0.5:
        match = _pick(rng, r"(?<=[<x])(?:\d+|\?)(?=x)", text)
        if not match:
            return text
        new = rng.choice(["?", "0", "1", "7", str(rng.choice(NUMBERS)), ""])
        if rng.random() < 0.5:
            return re.sub(rf"(?<=[<x]){re.escape(match.group())}(?=x)", new, text)
        return _replace(text, match, new)
    match = _pick(rng, r"(?:tensor|memref|vector)<[^<>]*>", text)
    if not match:
        return text
    new = rng.choice(
        ["tensor<f32>", "tensor<4xf32>", "tensor<?x?xf32>", "tensor<*xf32>", "memref<*xf32>",
         "memref<4xf32, strided<[2], offset: 3>>", "memref<4xf32, 1>", "vector<4xf32>", "f32",
         "tensor<4xf32, #sparse>", "memref<?xf32>", "tensor<0xf32>", "index"]
    )  # fmt: skip
    if rng.random() < 0.5:
        return text.replace(match.group(), new)
    return _replace(text, match, new)


def change_value(rng, text, other):
    """A use of a value for one of another, also where it does not dominate."""
    match = _pick(rng, r"%[\w$.#:]+", text)
    new = _pick(rng, r"%[\w$.#]+", text)
    return _replace(text, match, new.group()) if match else text


def change_lines(rng, text, other):
    lines = text.splitlines(keepends=True)
    place, target = rng.randrange(len(lines)), rng.randrange(len(lines))
    choice = rng.randrange(4)
    if choice == 0:
        del lines[place]
    elif choice == 1:
        lines[place], lines[target] = lines[target], lines[place]
    elif choice == 2:
        lines.insert(target, lines[place])
    else:
        lines.insert(place, rng.choice(other.splitlines(keepends=True)))
    return "".join(lines)


def change_attribute(rng, text, other):
    """An attribute for one of another module, or it is dropped."""
    pattern = r"#[a-z_]+\.?\w*<[^<>]*(?:<[^<>]*>[^<>]*)*>|\[[^\[\]]*\]|\"[^\"]*\"|\{[^{}\n]*\}"
    match = _pick(rng, pattern, text)
    if not match:
        return text
    opening = match.group()[0]
    choices = [m.group() for m in re.finditer(pattern, text + other) if m.group()[0] == opening]
    new = rng.choice([*choices, "", "unit", "[]", "{}", '""', "0", "[[], []]", "dense<0>"])
    return _replace(text, match, new)


def drop_word(rng, text, other):
    match = _pick(rng, r"(?<=\s)[\w.]+\s|, [^,\n]+(?=[,)\]}])| \w+ = [^,}\n]+,?", text)
    return _replace(text, match, "") if match else text


def change_operation(rng, text, other):
    """An operation's name for another's."""
    dialects = "tapestry|tra|comm|tapestry_index|arith|math|linalg|memref|scf|tensor"
    pattern = rf"(?<![\w#!\"])(?:{dialects})\.\w+"
    match = _pick(rng, pattern, text)
    if not match:
        return text
    room = match.group().split(".")[0]
    names = [m.group() for m in re.finditer(pattern, text + other)]
    same = [name for name in names if name.startswith(room + ".")]
    return _replace(text, match, rng.choice(same if rng.random() < 0.8 else names))


def wrap_in_region(rng, text, other):
    """Lines of a body under a branch or loop."""
    lines = text.splitlines(keepends=True)
    begin = rng.randrange(len(lines))
    end = min(len(lines), begin + rng.choice([1, 1, 2, 4]))
    head = rng.choice(
        ["%fz_c = arith.constant true\nscf.if %fz_c {\n",
         "%fz_c0 = arith.constant 0 : index\n%fz_c1 = arith.constant 1 : index\n"
         "scf.for %fz_i = %fz_c0 to %fz_c1 step %fz_c1 {\n",
         "builtin.module {\n", "func.func @fz() {\n", "scf.execute_region {\n"]
    )  # fmt: skip
    tail = "scf.yield\n}\n" if "execute" in head else "return\n}\n" if "func" in head else "}\n"
    return "".join([*lines[:begin], head, *lines[begin:end], tail, *lines[end:]])


def join_modules(rng, text, other):
    return f"module {{\n{text}}}\nmodule {{\n{other}}}\n" if "#" not in text + other else text


def change_number(rng, text, other):
    return replace_number(rng, text, small=rng.random() < 0.6)


def make_noise(rng, text, other):
    return noise(rng, text)


CHANGES = [
    *(change_element, change_shape, change_value, change_lines, change_attribute, drop_word),
    *(change_operation, wrap_in_region, change_number, change_number, change_number, join_modules),
    make_noise,
]


def random_graphs(rng):
    """Two graphs of blocks, selectors, operators, constants and loops."""
    return [random_graph(rng.randrange(10**6)).text for _ in range(2)]


def draw_module(rng, tools):
    choice = rng.random()
    pool = (
        random_graphs(rng) if choice < 0.1
        else corpus.test_modules(rng.random() < 0.8) if choice < 0.5
        else corpus.test_modules() if choice < 0.6
        else corpus.phase_modules(tools)
    )  # fmt: skip
    text, other = corpus.pick(rng, pool), corpus.pick(rng, pool)
    if 0.5 <= choice < 0.65:
        text, other = (corpus.generic_form(tools, module) for module in (text, other))
    for _ in range(rng.choice([0, 1, 1, 1, 2, 3])):
        text = rng.choice(CHANGES)(rng, text, other)
        if not text:
            text = other
    return text


# What must hold --------------------------------------------------------------


def is_valid(bench, name):
    """Whether a module is; a valid one is the same after printing and parsing."""
    if bench.run("tapestry-opt", "--verify-roundtrip", name, "-o", "/dev/null").status == 0:
        return True
    again = bench.run("tapestry-opt", name, "-o", "/dev/null")
    if again.status == 0:
        bench.expect("round trip", "tapestry-opt", "--verify-roundtrip", name, "-o", "/dev/null")
    return False


def check_pass(bench, name, words):
    """A pass makes valid IR of valid IR, or says why not."""
    options = [f"--{word}" for word in words]
    done = bench.run("tapestry-opt", name, *options, "-o", "out.mlir", writes=["out.mlir"])
    if done.status == 0:
        # Distinct attributes, which upstream's inliner makes, equal no others.
        is_distinct = "distinct[" in (bench.folder / "out.mlir").read_text()
        again = ["out.mlir", "-o", "/dev/null", *([] if is_distinct else ["--verify-roundtrip"])]
        bench.expect(f"{words[0]}: round trip", "tapestry-opt", *again)
        return
    unverified = bench.run(
        "tapestry-opt", name, *options, "--verify-each=0", "-o", "out.mlir", writes=["out.mlir"]
    )
    if unverified.status == 0 and bench.run("tapestry-opt", "out.mlir", "-o", "/dev/null").status:
        fail(f"{words[0].split('=')[0]}: invalid IR", done)


def check_module(bench, text, words, planning, seed):
    bench.write("m.mlir", text)
    if not is_valid(bench, "m.mlir"):
        return False
    # It takes all that names a private function for a call, and drops its results
    # that nothing reads; llvm/llvm-project#180416.
    if re.search(r"\b(?:tapestry|tra|comm)\.loop\b", text):
        words = [word for word in words if word != "remove-dead-values"]
    if words:
        check_pass(bench, "m.mlir", words)
    if "tapestry.graph" in text:
        check_graph(bench, planning, seed)
    if "llvm.func" in text:
        bench.run("tapestry-translate", "--mlir-to-object", "m.mlir", "-o", "m.o", writes=["m.o"])
    return True


def check_graph(bench, planning, seed):
    """A module of graphs is a program, too."""
    words = ["plan", "m.mlir", *planning, "--json=plan.json"]
    planned = bench.run("tapestry", *words, writes=["plan.json"])
    if planned.status == 0:
        check_plan_file(bench, planned, "m.mlir", planning, seed)


def draw(rng, tools):
    words = [corpus.pick(rng, PASSES) for _ in range(rng.choice([1, 1, 1, 2, 3]))]
    planning, seed = draw_planning(rng), rng.randrange(2**31)
    return draw_module(rng, tools), lambda bench, text: check_module(
        bench, text, words, planning, seed
    )


def check_bytecode(bench, data):
    bench.write("m.mlirbc", data)
    done = bench.run("tapestry-opt", "m.mlirbc", "-o", "out.mlir", writes=["out.mlir"])
    if done.status:
        return False
    done = bench.run("tapestry-opt", "--verify-roundtrip", "out.mlir", "-o", "/dev/null")
    # MLIR's own dictionaries may have a key twice in bytecode, but not in text.
    if done.status and "duplicate key" not in done.stderr:
        fail("bytecode: round trip", done)
    return done.status == 0


def draw_bytecode(rng, tools):
    for _ in range(20):
        pool = corpus.test_modules() if rng.random() < 0.5 else corpus.phase_modules(tools)
        done = subprocess.run(
            [tools / "tapestry-opt", "--emit-bytecode", "-o", "-"],
            input=corpus.pick(rng, pool).encode(), capture_output=True,
        )  # fmt: skip
        if done.returncode == 0:
            return flip_bytes(rng, done.stdout), check_bytecode
    raise Failure("bytecode: no base", "none of 20 modules of the tests is valid")
