#!/usr/bin/python3
"""Random programs in which producers and what alone reads them are one operator: they have
the values of the program, whole, shard by shard, and apart again.

    check_fused.py --seeds 0-24

Not every program has a producer that can be; together they must have some.
"""

import argparse
import re
import sys

from check_shards import check_graph, check_outputs, opt
from harness import driver
from harness.blocks import object_options
from harness.generator import generate
from harness.rewriting import import_program, rewrite

FUSED = re.compile(r"^    (?:  )*%[^ ]+ = tapestry\.fused \"([^\"]*)\"", re.M)


def fuse(folder):
    """From program.mlir to fused.mlir; the names of operators that are fused, outer ones first."""
    passes = "tapestry-prune,tapestry-inline-calls,tapestry.graph(tapestry-apply-rules{rules=fuse-producer})"
    opt("program.mlir", f"--pass-pipeline=builtin.module({passes})", "-o", "fused.mlir", folder=folder)
    return FUSED.findall((folder / "fused.mlir").read_text())


def check_apart(program, names, inputs, folder, expected):
    """Outer operators come apart first, so that the inner ones are vertices."""
    (folder / "program.mlir").write_text((folder / "fused.mlir").read_text())
    for _ in names:
        offered = [each for each in rewrite(folder, []) if re.fullmatch("unfuse:[^:]*", each)]
        rewrite(folder, offered)
        (folder / "program.mlir").write_text((folder / "rewritten.mlir").read_text())
    if FUSED.search((folder / "rewritten.mlir").read_text()):
        raise driver.CheckFailed(f"not all of {names} came apart")
    outputs = driver.output_options(program.outputs, ".apart")
    driver.tapestry("reference", "rewritten.mlir", *inputs, *outputs, cwd=folder).expect_status(0)
    check_outputs(program, folder, "what came apart", ".apart", expected)


def check(seed, folder):
    program = generate(seed)
    (folder / "program.ein").write_text(program.source)
    import_program(folder)
    names = fuse(folder)
    if not names:
        return 0
    inputs = driver.save_inputs(folder, program.inputs) + object_options(program.source, folder)

    def evaluate(what, suffix, *words):
        outputs = driver.output_options(program.outputs, suffix)
        driver.tapestry(*words, *inputs, *outputs, cwd=folder).expect_status(0)
        if suffix != ".written":
            check_outputs(program, folder, what, suffix, expected)

    evaluate("the program", ".written", "reference", "program.ein")
    expected = driver.load_outputs(folder, program.outputs, ".written")
    evaluate("the reference", ".reference", "reference", "fused.mlir")
    for devices in sorted({1, 1 + seed % 8}):
        evaluate(f"the run on {devices}", ".fused", "run", "fused.mlir", f"--devices={devices}")
    evaluate("the greedy run", ".greedy", "run", "fused.mlir", "--devices=3", "--executor=greedy")
    check_graph(seed, program, "fused.mlir", inputs, folder)
    check_apart(program, names, inputs, folder, expected)
    return len(names)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seeds", default="0-24", help="e.g. 0-24,117")
    options = parser.parse_args()
    failures = fused = 0
    for seed in driver.parse_numbers(options.seeds):
        with driver.workspace() as folder:
            try:
                fused += check(seed, folder)
            except driver.CheckFailed as failure:
                print(f"FAILED: seed {seed}\n{failure}\n{generate(seed).source}")
                failures += 1
    if fused == 0:
        print("FAILED: nothing was fused")
    sys.exit(1 if failures or fused == 0 else 0)


if __name__ == "__main__":
    main()
