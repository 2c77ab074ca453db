#!/usr/bin/python3
"""Runs random programs on random device counts with random plans, against
`tapestry reference` and against NumPy; some with points and with files that they name, some also rewritten at random, and some in two
halves in a session that is restored on other devices between them.

    check_random.py --seeds 0-24
    check_random.py --seeds 0-24 --backend mpi --collectives mpi
    check_random.py --seeds 0-24 --target cuda

The second runs on MPI ranks, once with the runtime's own collectives and once with
MPI's; the third on up to eight devices of the tests' driver (test/lib/CUDAStub), which
watches what threads touch.
"""

import argparse
import json
import random
import re
import sys

import numpy as np

from harness import compare, contract, driver
from harness.blocks import object_options
from harness.generator import generate
from harness.ordering import ordered
from harness.plans import write_random_plan
from harness.rewriting import import_program, random_walk


def devices_of(seed):
    rng = np.random.default_rng([seed, 0xDE7])
    return int(rng.choice([1, 2, 2, 3, 3, 4, 4, 5, 6, 6, 7, 8, 8, 8, 12]))


def uses_random_plan(seed):
    return seed % 5 >= 2


# A device so slow that cutting always pays, so that plans in seconds move data.
SLOW_MACHINE = {
    "tapestry_machine": 1,
    "name": "slow",
    "flops": "1MFLOP/s",
    "memory_bandwidth": "4MB/s",
    "link": {"bandwidth": "20MB/s", "latency": "1us"},
}


def spmd_options(seed, devices, folder):
    """`--cost spmd` on a grid of one or two axes with links of their own."""
    (folder / "slow.json").write_text(json.dumps(SLOW_MACHINE))
    rng = np.random.default_rng([seed, 0x59D])
    cuts = [n for n in range(2, devices) if devices % n == 0]
    if not cuts:
        return ["--cost=spmd", "--machine=slow.json", f"--grid=d={devices}"]
    node = int(rng.choice(cuts))
    return [
        "--cost=spmd",
        "--machine=slow.json",
        f"--grid=node={node}:bw={rng.integers(1, 9)}MB/s:lat=2us,"
        f"gpu={devices // node}:bw={rng.integers(9, 99)}MB/s:lat=100ns",
    ]


class Attempt:
    """One random program in a folder of its own."""

    def __init__(self, seed, devices, folder, backend, collectives, target="cpu"):
        self.target = [] if target == "cpu" else driver.on_stub(with_nccl=collectives == "nccl")
        self.env = {} if target == "cpu" else driver.CHECKED
        self.backend = backend
        self.collectives = collectives
        self.program = generate(seed)
        self.devices = devices
        self.folder = folder
        self.planning = [f"--devices={devices}"]
        self.plan = None
        if uses_random_plan(seed):
            self.planning.append("--plan=given.json")
        elif seed % 10 == 1 and "repeat " not in self.program.source:
            # It may find no plan in which what a loop carries has one layout.
            self.planning.append("--solver=eindecomp")
        elif seed % 10 in (0, 6):
            self.planning += spmd_options(seed, devices, folder)
        self.planning += self.target
        self.seed = seed
        self.source, from_files, self.to_files = self.program.source, [], []
        if seed % 2:
            rng = np.random.default_rng([seed, 0x0DE])
            self.source, from_files, self.to_files = ordered(rng, self.program)
        (folder / "program.ein").write_text(self.source)
        inputs = dict(self.program.inputs)
        driver.save_inputs(folder, {name: inputs.pop(name) for name in from_files})
        self.files = driver.save_inputs(folder, inputs)
        self.objects = object_options(self.program.source, folder)

    def outputs(self, suffix):
        named = [name for name in self.program.outputs if suffix or name not in self.to_files]
        return driver.output_options(named, suffix)

    def check(self, what, suffix):
        try:
            self.program.check(driver.load_outputs(self.folder, self.program.outputs, suffix))
        except driver.CheckFailed as failure:
            raise driver.CheckFailed(f"{what}: {failure}") from None

    def pinned(self, source, devices):
        """Some inputs and outputs of every third program on a device."""
        rng = np.random.default_rng([self.seed, devices, 0xD1])
        ranks = {name: array.ndim for name, array in self.program.inputs.items()}
        outputs = driver.load_outputs(self.folder, self.program.outputs, ".reference")
        lines = []
        for line in source.splitlines():
            word, name = re.match(r"(?:(input|output) (\w+))?", line).groups()
            rank = {"input": ranks.get(name, 0), "output": np.ndim(outputs.get(name, 0))}.get(word, 0)
            if rank and self.seed % 3 == 0 and rng.random() < 0.6:
                words = f" on device {rng.integers(devices)}"
                line = re.sub("( after .*)?$", lambda m: words + (m[1] or ""), line, count=1)
            lines.append(line)
        return "\n".join([*lines, ""])

    def tapestry(self, *words):
        driver.tapestry(*words, cwd=self.folder, env=self.env).expect_status(0)

    def run(self, skip_reference=False):
        tapestry = self.tapestry
        if uses_random_plan(self.seed):
            self.plan = write_random_plan(
                self.folder, "program.ein", self.seed, self.program.vertices, self.devices
            )
        if not skip_reference:
            files = [*self.files, *self.outputs(".reference")]
            tapestry("reference", "program.ein", *self.objects, *files)
            self.check("the reference", ".reference")
            self.source = self.pinned(self.source, self.devices)
            (self.folder / "program.ein").write_text(self.source)
        tapestry("plan", "program.ein", *self.planning, "--json=plan.json")
        files = [*self.files, *self.outputs(""), "--report=report.json"]
        if self.backend == "local":
            tapestry("run", "program.ein", *self.planning, *self.objects, *files)
        else:
            tapestry("compile", "program.ein", *self.planning, *self.objects, "-o", "prog")
            driver.mpirun(
                self.devices, "./prog", "--backend=mpi", *files, cwd=self.folder
            ).expect_status(0)
        self.check("the run", "")
        contract.check_contract(
            driver.load_json(self.folder / "plan.json"),
            driver.load_json(self.folder / "report.json"),
            self.devices,
            self.backend,
        )
        if self.collectives == "mpi":
            self.run_with_mpi_collectives()
        if self.collectives == "nccl":
            self.run_with_nccl()
        if self.backend == "local" and self.seed % 4 == 1:
            self.run_rewritten()
        # Sessions are on processors.
        if self.backend == "local" and self.seed % 4 == 3 and not (skip_reference or self.target):
            self.run_session()

    def run_rewritten(self):
        """After some rewrites, of which windows in phases are most, by the plan that
        carries them."""
        import_program(self.folder)
        choose = random.Random(f"rewrites {self.seed}")
        walk = random_walk(choose, self.folder, 3, "phase")
        words = ["rewritten.mlir", "--order=none", f"--devices={self.devices}", *self.target]
        self.tapestry("plan", *words, "--json=rewritten.json")
        words = ["program.ein", "--plan=rewritten.json", *self.target, *self.objects, *self.files]
        self.tapestry("run", *words, *self.outputs(".rewritten"), "--report=rewritten.report.json")
        self.check(f"the run after {walk}", ".rewritten")
        contract.check_contract(
            driver.load_json(self.folder / "rewritten.json"),
            driver.load_json(self.folder / "rewritten.report.json"),
            self.devices,
            "local",
        )

    def run_session(self):
        """One half, and the other one after a restart."""
        rng = np.random.default_rng([self.seed, 0x5E5])
        halves = self.program.halves(rng)
        if not halves:
            return
        devices = (self.devices, int(rng.integers(1, 9)))
        for number, source in enumerate(halves):
            source = self.pinned(source, devices[number])
            (self.folder / f"half{number}.ein").write_text(source)
        load = "".join(f"load {name} {name}.npy\n" for name in self.program.inputs)
        export = "".join(f"export {name} {name}.session.npy\n" for name in self.program.outputs)
        (self.folder / "first").write_text(f"{load}apply half0.ein\ncheckpoint saved\n")
        (self.folder / "second").write_text(f"restore saved\napply half1.ein\n{export}")
        for commands, number in zip(("first", "second"), devices):
            self.tapestry("session", commands, f"--devices={number}", *self.objects)
        self.check("the session", ".session")

    def run_with_mpi_collectives(self):
        """Within rounding of the first run; integers bit-equal to it."""
        driver.mpirun(
            self.devices + 1,  # one stays idle
            *("./prog", "--backend=mpi", "--collectives=mpi", "--report=mpi.json"),
            *self.files,
            *self.outputs(".mpi"),
            cwd=self.folder,
        ).expect_status(0)
        self.check("the run by MPI's collectives", ".mpi")
        ours = driver.load_outputs(self.folder, self.program.outputs, "")
        theirs = driver.load_outputs(self.folder, self.program.outputs, ".mpi")
        for name, array in ours.items():
            if array.dtype.kind in "iub":
                compare.check_equal(name, theirs[name], array)
        contract.check_payloads(
            driver.load_json(self.folder / "plan.json"), driver.load_json(self.folder / "mpi.json")
        )

    def run_with_nccl(self):
        """Within rounding of the first run; integers bit-equal to it. Of every second
        program little is packed at a time."""
        env = {**self.env, **({"TAPESTRY_NCCL_PACKED": "200"} if self.seed % 2 else {})}
        words = ["run", "program.ein", *self.planning, *self.objects, *self.files, *self.outputs(".nccl")]
        driver.tapestry(
            *words, "--collectives=nccl", "--report=nccl.json", cwd=self.folder, env=env
        ).expect_status(0)
        self.check("the run by NCCL", ".nccl")
        ours = driver.load_outputs(self.folder, self.program.outputs, "")
        theirs = driver.load_outputs(self.folder, self.program.outputs, ".nccl")
        for name, array in ours.items():
            if array.dtype.kind in "iub":
                compare.check_equal(name, theirs[name], array)
        plan, report = (driver.load_json(self.folder / name) for name in ("plan.json", "nccl.json"))
        contract.check_contract(plan, report, self.devices, "local")

    def describe(self):
        lines = ["program.ein:", self.source]
        if self.plan:
            lines += ["given.json:", json.dumps(self.plan)]
        lines += [
            "command line:",
            driver.command_line(
                ["tapestry", "run", "program.ein", *self.planning, *self.objects, *self.files, *self.outputs("")]
            ),
        ]
        return "\n".join(lines)


def check_seed(
    seed, devices=None, skip_reference=False, backend="local", collectives="ring", target="cpu"
):
    """Returns None, or the report of a failure."""
    devices = devices or devices_of(seed)
    if target == "cuda":
        devices = min(devices, 8)
    with driver.workspace() as folder:
        attempt = Attempt(seed, devices, folder, backend, collectives, target)
        try:
            attempt.run(skip_reference)
            return None
        except driver.CheckFailed as failure:
            return f"FAILED: seed {seed} on {devices} devices\n{failure}\n{attempt.describe()}\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seeds", required=True, help="e.g. 0-24,117")
    parser.add_argument("--devices", type=int, help="instead of what the seed says")
    parser.add_argument("--backend", choices=["local", "mpi"], default="local")
    parser.add_argument(
        "--collectives",
        choices=["ring", "mpi", "nccl"],
        default="ring",
        help="mpi, nccl: both, on MPI ranks or the tests' GPUs",
    )
    parser.add_argument("--target", choices=["cpu", "cuda"], default="cpu")
    parser.add_argument("--print", action="store_true", help="print the programs, run nothing")
    parser.add_argument("--skip-reference", action="store_true", help="compare with NumPy only")
    options = parser.parse_args()
    if options.collectives == "mpi" and options.backend != "mpi":
        parser.error("--collectives mpi needs --backend mpi")
    if options.collectives == "nccl" and (options.target, options.backend) != ("cuda", "local"):
        parser.error("--collectives nccl needs --target cuda, and no other back end")
    failures = 0
    for seed in driver.parse_numbers(options.seeds):
        if options.print:
            print(f"# seed {seed} on {devices_of(seed)} devices\n{generate(seed).source}")
            continue
        report = check_seed(
            seed,
            options.devices,
            options.skip_reference,
            options.backend,
            options.collectives,
            options.target,
        )
        if report:
            print(report)
            failures += 1
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
