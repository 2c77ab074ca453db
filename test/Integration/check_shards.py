#!/usr/bin/python3
"""Random programs with random plans, written shard by shard: they have the values of
the program, by the reference and run on other numbers of devices than they were cut for.

    check_shards.py --seeds 0-24
    check_shards.py --programs collected,embedding --devices 3
"""

import argparse
import re
import sys

import numpy as np

from harness import compare, driver
from harness.blocks import object_options
from harness.generator import generate
from harness.plans import write_random_plan
from harness.programs import PROGRAMS


SHARD = re.compile(r"tapestry\.shard ")


def opt(*words, folder):
    driver.execute(["tapestry-opt", *words], cwd=folder).expect_status(0)


def graph_of(folder, name, new):
    """The graph of a file under a new name, with the aliases of the file's own."""
    text = (folder / name).read_text()
    text = re.sub(r"^module (attributes {.*} )?{\n|^}\n", "", text, flags=re.M)
    text = re.sub(r"#(\w+)(?= = |[^\w_.])", lambda m: f"#{new}_{m[1]}" if f"#{m[1]} = " in text else m[0], text)
    return re.sub(r"tapestry\.graph @(\w+|\"[^\"]*\")", f"tapestry.graph @{new}", text, count=1)


def prove(folder, *pairs):
    """That the graph of the second file is a sharding of the first's, of each pair."""
    both = (
        graph_of(folder, whole, "whole") + graph_of(folder, sharded, "sharded")
        for whole, sharded in pairs
    )
    (folder / "both.mlir").write_text("// -----\n".join(both))
    words = ["both.mlir", "--split-input-file", "--tapestry-verify-sharding", "-o", "proved.mlir"]
    opt(*words, folder=folder)


def shard(folder, nodes=False):
    """From planned.mlir to sharded.mlir, with `nodes` sources and sinks, too; how many shards
    there are."""
    how = "--tapestry-shard=nodes" if nodes else "--tapestry-shard"
    opt("planned.mlir", how, "-o", "sharded.mlir", folder=folder)
    prove(folder, ("planned.mlir", "sharded.mlir"))
    return len(SHARD.findall((folder / "sharded.mlir").read_text()))


def relabel(text):
    """The graph with other labels in the einsums of each shard."""
    lines, is_shard, count, names = [], False, 0, {}
    for line in text.splitlines():
        is_shard = is_shard or bool(SHARD.search(line))
        labels = re.search(r'tapestry\.einsum "[^"]*" \[([^\]]*)\]', line)
        if is_shard and labels:
            count += 1
            names = {label: f"{label}_{count}" for label in re.findall(r"(\w+) = ", labels[1])}
            start, end = labels.span(1)[0], line.rindex("{")
            renamed = re.sub(r"(?<![%\w.])\w+", lambda m: names.get(m[0], m[0]), line[start:end])
            line = line[:start] + renamed + line[end:]
        elif is_shard:
            line = re.sub(r'(tapestry\.label )"(\w+)"', lambda m: f'{m[1]}"{names[m[2]]}"', line)
        is_shard = is_shard and "tapestry.part_of" not in line
        lines.append(line)
    return "\n".join(lines) + "\n"


def unshard(folder):
    """Shards without the names of what they are of, and with other labels each, are put
    together to a graph of which they are a sharding, and which is one of the planned graph."""
    text = relabel((folder / "sharded.mlir").read_text())
    numbers = {}

    def rename(match):
        return f'{match[1]}"v{numbers.setdefault(match[2], len(numbers))}"'

    kinds = "einsum|fused|shard|slice|concat|unsqueeze"
    text = re.sub(f'(tapestry\\.(?:{kinds}) )"([^"]*)"', rename, text)
    (folder / "nameless.mlir").write_text(text)
    opt("nameless.mlir", "--tapestry-unshard", "-o", "recovered.mlir", folder=folder)
    recovered = (folder / "recovered.mlir").read_text()
    if SHARD.search(recovered) or "tapestry.concat" in recovered:
        raise driver.CheckFailed(f"not all shards were put together:\n{recovered}")
    prove(
        folder,
        ("recovered.mlir", "sharded.mlir"),
        ("planned.mlir", "nameless.mlir"),
        ("planned.mlir", "recovered.mlir"),
        ("recovered.mlir", "planned.mlir"),
    )
    count = [(folder / name).read_text().count("tapestry.einsum")
             for name in ("planned.mlir", "recovered.mlir")]  # fmt: skip
    if count[0] != count[1]:
        raise driver.CheckFailed(f"{count[0]} einsums became {count[1]}")


def moved_by_one(rng, match):
    """A box `[a, b] => [c, d]` one further in one dimension."""
    starts, ends = ([int(n) for n in group.split(", ")] for group in match.groups())
    dim, step = int(rng.integers(len(starts))), int(rng.choice([-1, 1]))
    starts[dim] += step
    ends[dim] += step
    return f"{starts} => {ends}"


def spoil(rng, text):
    """One slice or range moved, two operands exchanged, or a number changed; it need not
    be a graph any longer."""
    lines = text.splitlines()
    changes = [
        ("(slice|shard) ", r"\[(\d[^\]]*)\] => \[([^\]]*)\]", moved_by_one),
        ("concat ", r"(%[\w.]+), (%[\w.]+)", lambda rng, match: f"{match[2]}, {match[1]}"),
        ("einsum ", r"(?<=\w [+-] )(\d+)(?=[,\]])", lambda rng, m: str(int(m[1]) + 1)),
        ("arith.constant ", r"(?<=constant )(\d+)", lambda rng, m: str(int(m[1]) + 1)),
    ]
    word, pattern, change = changes[int(rng.integers(len(changes)))]
    fitting = [n for n, line in enumerate(lines) if re.search(word, line)]
    if fitting:
        n = int(rng.choice(fitting))
        places = list(re.finditer(pattern, lines[n]))
        if places:
            m = places[int(rng.integers(len(places)))]
            lines[n] = lines[n][: m.start()] + change(rng, m) + lines[n][m.end() :]
    return "\n".join(lines) + "\n"


def check_spoiled(rng, program, folder, inputs, expected):
    """What is proved to be a sharding has the values of the whole, whatever it looks like."""
    text = (folder / "sharded.mlir").read_text()
    for _ in range(6):
        spoiled = spoil(rng, text)
        if spoiled == text:
            continue
        (folder / "spoiled.mlir").write_text(spoiled)
        both = graph_of(folder, "planned.mlir", "whole") + graph_of(folder, "spoiled.mlir", "sharded")
        (folder / "both.mlir").write_text(both)
        proved = driver.execute(
            ["tapestry-opt", "both.mlir", "--tapestry-verify-sharding", "-o", "proved.mlir"],
            cwd=folder,
        )
        if proved.status != 0:
            if proved.status != 1 or "error: " not in proved.stderr:
                raise driver.CheckFailed(f"{proved.describe()}\n{spoiled}")
            continue
        outputs = driver.output_options(program.outputs, ".spoiled")
        driver.tapestry("reference", "spoiled.mlir", *inputs, *outputs, cwd=folder).expect_status(0)
        check_outputs(program, folder, "what is wrongly proved", ".spoiled", expected)


def check_outputs(program, folder, what, suffix, expected):
    """Within rounding of NumPy's; integers as those of the whole program."""
    outputs = driver.load_outputs(folder, program.outputs, suffix)
    try:
        program.check(outputs)
        for name, array in expected.items():
            if array.dtype.kind in "iub":
                compare.check_equal(name, outputs[name], array)
    except driver.CheckFailed as failure:
        raise driver.CheckFailed(f"{what}: {failure}") from None


def check_seed(seed, folder):
    program = generate(seed)
    (folder / "program.ein").write_text(program.source)
    inputs = driver.save_inputs(folder, program.inputs) + object_options(program.source, folder)
    return check_graph(seed, program, "program.ein", inputs, folder)


def check_graph(seed, program, graph, inputs, folder):
    """Of a program, which `graph` is, too; how many shards there are."""
    rng = np.random.default_rng([seed, 0x5A4D])
    devices = int(rng.choice([2, 3, 4, 6, 7, 8]))
    write_random_plan(folder, graph, seed, program.vertices, devices)

    def tapestry(*words):
        driver.tapestry(*words, cwd=folder).expect_status(0)

    planning = [f"--devices={devices}", "--plan=given.json"]
    planned = driver.tapestry("compile", graph, *planning, "--stop-after=plan", cwd=folder)
    (folder / "planned.mlir").write_text(planned.expect_status(0).stdout)
    shards = shard(folder, nodes=seed % 2 == 1)
    unshard(folder)
    whole = driver.output_options(program.outputs, ".whole")
    tapestry("reference", "program.ein", *inputs, *whole)
    expected = driver.load_outputs(folder, program.outputs, ".whole")
    tapestry("reference", "sharded.mlir", *inputs, *driver.output_options(program.outputs, ".cut"))
    check_outputs(program, folder, "the reference of the shards", ".cut", expected)
    check_spoiled(rng, program, folder, inputs, expected)
    run = driver.output_options(program.outputs, ".run")
    again = f"--devices={int(rng.choice([1, 2, 3, 5]))}"
    solver = [] if "repeat " in program.source else ["--solver=eindecomp"]  # It may find no plan of a loop.
    tapestry("run", "sharded.mlir", again, *solver, *inputs, *run)
    check_outputs(program, folder, "the run of the shards", ".run", expected)
    opt("sharded.mlir", "--tapestry-compose-selectors", "-o", "composed.mlir", folder=folder)
    opt("composed.mlir", "--tapestry-unshard", "-o", "whole.mlir", folder=folder)
    tapestry("reference", "whole.mlir", *inputs, *driver.output_options(program.outputs, ".whole"))
    check_outputs(program, folder, "what is put together of what is composed", ".whole", expected)
    composed = driver.output_options(program.outputs, ".composed")
    # On one device: of a diagonal of a part, X[u + 3, u + 3], there are plans on several
    # whose layouts cut two labels over one axis.
    tapestry("run", "composed.mlir", "--devices=1", *inputs, *composed)
    check_outputs(program, folder, "the run of what is composed", ".composed", expected)
    return shards


def check_program(name, devices, folder):
    """A program of the other tests, as it is planned."""
    program = PROGRAMS[name]
    (folder / "program.ein").write_text(program.source)
    arrays = program.arrays()
    planned = driver.tapestry(
        "compile", "program.ein", *program.options(), f"--devices={devices}", "--stop-after=plan",
        cwd=folder,
    )  # fmt: skip
    (folder / "planned.mlir").write_text(planned.expect_status(0).stdout)
    shards = shard(folder)
    unshard(folder)
    files = driver.save_inputs(folder, arrays) + driver.output_options(program.outputs)
    driver.tapestry("reference", "sharded.mlir", *files, cwd=folder).expect_status(0)
    program.check(driver.load_outputs(folder, program.outputs), program.expected(arrays))
    return shards


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seeds", default="", help="e.g. 0-24,117")
    parser.add_argument("--programs", default="", help="of those that check_values.py knows")
    parser.add_argument("--devices", type=int, default=3)
    options = parser.parse_args()
    failures = shards = 0
    for name in filter(None, options.programs.split(",")):
        with driver.workspace() as folder:
            try:
                shards += check_program(name, options.devices, folder)
            except driver.CheckFailed as failure:
                print(f"FAILED: {name}\n{failure}")
                failures += 1
    for seed in driver.parse_numbers(options.seeds) if options.seeds else []:
        with driver.workspace() as folder:
            try:
                shards += check_seed(seed, folder)
            except driver.CheckFailed as failure:
                print(f"FAILED: seed {seed}\n{failure}\n{generate(seed).source}")
                failures += 1
    if shards == 0:
        print("FAILED: nothing was cut")
    sys.exit(1 if failures or shards == 0 else 0)


if __name__ == "__main__":
    main()
