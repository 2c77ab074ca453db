"""Programs run by code for several processors, of which this one may lack some."""

import numpy as np

from harness import driver

PROCESSORS = ("x86-64-v2", "x86-64-v3", "x86-64-v4", "native")


def run(bench, program, inputs, outputs, *words):
    """The outputs, or None where this machine cannot run the code."""
    bench.write("p.ein", program)
    files = []
    for name, array in inputs.items():
        np.save(bench.folder / f"{name}.npy", array)
        files += ["-i", f"{name}={name}.npy"]
    files += driver.output_options(outputs)
    result = bench.tapestry("run", "p.ein", *files, *words)
    if result.status == 3 and "which this one lacks" in result.stderr:
        return None
    result.expect_status(0)
    return driver.load_outputs(bench.folder, outputs)
