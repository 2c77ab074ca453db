#!/usr/bin/python3
"""Every program in the folders of tests and documents, or of those that check_values.py
knows, planned, cut into shards, which are proved, and put together again to the graph that
was planned; also where partial results are summed one after another instead of in a stack.

    check_round_trip.py --devices 2,3,8
    check_round_trip.py --devices 6 --known
"""

import argparse
import collections
import pathlib
import re
import sys

from check_shards import graph_of
from harness import driver
from harness.programs import PROGRAMS

ROOT = pathlib.Path(__file__).resolve().parents[2]

# Of programs without values of their own.
PARAMETERS = {
    "test/WhitePaper/Inputs/convolution.ein": ["N=5", "S=10", "C=7", "B=1", "K=1", "R=1"],
    "test/WhitePaper/Inputs/linear.ein": ["N=10", "I=7", "O=6", "B=1", "J=1", "K=1"],
    "test/WhitePaper/Inputs/prod.ein": ["N=10", "I=5", "O=3", "B=1", "J=1"],
}
# Pinned to numbers of parts that only these devices make.
DEVICES = {
    "test/Import/Ein/blocks.ein": [5],
    "test/Import/Ein/scatter.ein": [6],
}
# What has no plan on these numbers of devices, and what is said of it.
UNPLANNED = {
    # Its axes are those of a machine that its own test brings.
    "test/Import/Ein/constraints.ein": {2: "is pinned to 8 parts", 3: "is pinned to 8 parts", 8: "is pinned to axis"},
    "test/Import/Ein/devices.ein": {2: "is on device 3, the plan has 2", 3: "is on device 3, the plan has 3"},
    "test/Import/Ein/files.ein": {3: "is pinned to 2 parts"},
    "test/Import/Ein/loops.ein": {8: "no viable partitions give"},
    "test/Import/Ein/macros.ein": {3: "is pinned to 2 parts"},
    "test/Pipelines/halos.ein": {2: "is pinned to 3 parts", 8: "is pinned to 3 parts"},
    "docs/pictures/linear.ein": {3: "is pinned to 2 parts"},
}

ACCUMULATE = "builtin.module(tapestry.graph(tapestry-accumulate-partials{stack-bytes=1}))"
PIECE = "// -----\n"
# Written once for several types, of which shards know nothing: one of each is enough.
OTHER_TYPES = re.compile(r"complex_c64|unsigned_u(16|32|64)|integers_i(16|32|64)|functions_f(16|64)")
BATCH = 1 << 20
proved = set()
VERTEX = re.compile(r"= (tapestry\.(?!slice|concat|unsqueeze)[\w.]+) (\"[^\"]*\")")


def programs():
    """Those that are correct, by their paths."""
    for folder in ("docs", "test"):
        for path in sorted((ROOT / folder).rglob("*.ein")):
            if "invalid" not in path.parts:
                yield path.relative_to(ROOT).as_posix()


def plan(name, devices, folder):
    """The planned graph; None where there is to be none."""
    values = [f"-D{value}" for value in PARAMETERS.get(name, [])]
    path = ROOT / name
    if program := PROGRAMS.get(name):
        values = program.options()
        path = folder / "program.ein"
        path.write_text(program.source)
    done = driver.tapestry(
        "compile", path, *values, f"--devices={devices}", "--stop-after=plan", cwd=folder
    )
    reason = UNPLANNED.get(name, {}).get(devices)
    if reason is None:
        return done.expect_status(0).stdout
    if done.status == 0 or reason not in done.stderr:
        raise driver.CheckFailed(f"{done.describe()}\n  expected: {reason}")
    return None


def batches(pieces):
    """Some pieces at a time: for each the parser looks through all of the file."""
    batch = []
    for piece in pieces:
        batch.append(piece)
        if sum(map(len, batch)) > BATCH:
            yield batch
            batch = []
    if batch:
        yield batch


def apply(option, pieces, folder):
    """What a pass makes of many modules, in few processes."""
    made = []
    for batch in batches(pieces):
        (folder / "in.mlir").write_text(PIECE.join(batch))
        done = driver.execute(["tapestry-opt", "in.mlir", "--split-input-file", option], folder)
        made += done.stdout.split(PIECE)
        if done.status != 0 or len(made) > len(pieces):
            raise driver.CheckFailed(f"{option}: {driver.shorten(done.stderr)}")
    if len(made) != len(pieces):
        raise driver.CheckFailed(f"{option}: {len(pieces)} modules became {len(made)}")
    return made


def prove(wholes, sharded, folder):
    """Each of these graphs by the other; a pair that was proved before is not again."""
    pairs = []
    for one, other in dict.fromkeys(zip(wholes, sharded)):
        if (one, other) in proved:
            continue
        proved.add((one, other))
        (folder / "one.mlir").write_text(one)
        (folder / "other.mlir").write_text(other)
        pairs.append(graph_of(folder, "one.mlir", "whole") + graph_of(folder, "other.mlir", "sharded"))
    apply("--tapestry-verify-sharding", pairs, folder)


def recover(planned, sharded, folder):
    """The graphs that were planned from what they were cut into."""
    recovered = apply("--tapestry-unshard", sharded, folder)
    prove(recovered, sharded, folder)
    prove(planned, recovered, folder)
    prove(recovered, planned, folder)
    for before, after in zip(planned, recovered):
        expected, got = (collections.Counter(VERTEX.findall(graph)) for graph in (before, after))
        if expected != got:
            raise driver.CheckFailed(
                f"lost {expected - got}, gained {got - expected}\n{before}\nbecame\n{after}"
            )


def check(names, devices, folder):
    """How many shards there were."""
    planned = [graph for name in names if (graph := plan(name, devices, folder)) is not None]
    sharded = apply("--tapestry-shard", planned, folder)
    prove(planned, sharded, folder)
    recover(planned, sharded, folder)
    chains = apply(f"--pass-pipeline={ACCUMULATE}", sharded, folder)
    prove(planned, chains, folder)
    recover(planned, chains, folder)
    # Sources and sinks, too, by which a file is read and written in parts.
    whole = apply("--tapestry-shard=nodes", planned, folder)
    prove(planned, whole, folder)
    recover(planned, whole, folder)
    prove(planned, apply("--tapestry-join-nodes", whole, folder), folder)
    return sum(graph.count("= tapestry.shard ") for graph in sharded)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--devices", default="2,3,8", help="e.g. 2-3,8")
    parser.add_argument("--known", action="store_true", help="those of check_values.py")
    parser.add_argument("--only", default="", help="programs with this in their paths")
    options = parser.parse_args()
    names = {}
    for name in PROGRAMS if options.known else programs():
        for devices in DEVICES.get(name, driver.parse_numbers(options.devices)):
            if options.only in name and (options.only or not OTHER_TYPES.fullmatch(name)):
                names.setdefault(devices, []).append(name)
    failed = False
    for devices, group in sorted(names.items()):
        with driver.workspace() as folder:
            try:
                shards = check(group, devices, folder)
                print(f"{devices} devices: {len(group)} programs, {shards} shards")
                failed |= shards == 0
            except driver.CheckFailed as failure:
                print(f"FAILED on {devices} devices\n{failure}")
                failed = True
    sys.exit(1 if failed or not names else 0)


if __name__ == "__main__":
    main()
