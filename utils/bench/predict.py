#!/usr/bin/python3
"""Seconds that the cost model spmd predicts beside those that a run takes.

    predict.py [--build build] [--devices 2] [--machine machine.json] [--repeat 5]

Without --machine the machine is calibrated first. Plans are those of
`--solver exact --cost spmd`; the measured time is the fastest run's.
"""

import argparse
import math
import pathlib
import tempfile

from plans import ROOT, Bench, calibrated, chain, classifier, llama_layer

PROGRAMS = [
    chain(256),
    chain(1024),
    classifier(batch=64, features=512, hidden=256, classes=256),
    classifier(batch=256, features=4096, hidden=1024, classes=1024),
    llama_layer(batch=2, sequence=64, width=128, heads=4, head=32, hidden=344),
    llama_layer(batch=4, sequence=256, width=512, heads=8, head=64, hidden=1376),
]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--build", default=ROOT / "build")
    parser.add_argument("--devices", type=int, default=2)
    parser.add_argument("--machine")
    parser.add_argument("--repeat", type=int, default=5)
    options = parser.parse_args()
    tapestry = pathlib.Path(options.build).resolve() / "bin" / "tapestry"
    with tempfile.TemporaryDirectory() as root:
        machine = options.machine or calibrated(tapestry, root, options.devices)
        machine = pathlib.Path(machine).resolve()
        words = [f"--devices={options.devices}", "--cost=spmd", f"--machine={machine}"]
        ratios = []
        print(f"{'program':32}{'predicted':>12}{'measured':>12}{'ratio':>8}")
        for number, program in enumerate(PROGRAMS):
            folder = pathlib.Path(root) / str(number)
            folder.mkdir()
            bench = Bench(tapestry, folder, program)
            plan = bench.plan(*words)
            report, _ = bench.run(*words, repeat=options.repeat)
            measured = report["run_seconds"]["min"]
            sizes = "x".join(str(size) for size in program.params.values())
            ratios.append(plan["cost"] / measured)
            print(
                f"{program.name + ' ' + sizes:32}{plan['cost'] * 1e3:9.3f} ms"
                f"{measured * 1e3:9.3f} ms{ratios[-1]:8.2f}"
            )
        mean = math.exp(sum(map(math.log, ratios)) / len(ratios))
        print(f"geometric mean of predicted / measured: {mean:.2f}")


if __name__ == "__main__":
    main()
