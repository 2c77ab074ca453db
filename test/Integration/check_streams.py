#!/usr/bin/python3
"""Peaks of programs with contractions that nobody reads as a whole are less than what
these would take.

    check_streams.py [CASE ...]
"""

import numpy as np

from harness import driver
from harness.cases import Group
from harness.driver import CheckFailed

case = Group()


def check(bench, source, inputs, output, scores):
    """`scores`: bytes of the tensor that must not be there, on all devices together."""
    rng = np.random.default_rng(scores)
    bench.write("p.ein", source)
    arrays = {name: rng.standard_normal(shape).astype(np.float32) for name, shape in inputs.items()}
    files = driver.save_inputs(bench.folder, arrays) + driver.output_options([output])
    for devices in (1, 3):
        bench.tapestry(
            "run", "p.ein", f"--devices={devices}", *files, "--report=report.json"
        ).expect_status(0)
        report = driver.load_json(bench.folder / "report.json")
        predicted, counted = report["predicted_peak_bytes"], report["peak_bytes"]
        if predicted != counted:
            raise CheckFailed(f"ranks peaked at {counted} bytes, predicted were {predicted}")
        if max(counted) >= scores // devices:
            raise CheckFailed(f"{devices} devices peaked at {max(counted)} bytes")


@case
def attention(bench):
    for name in ("attention", "causal_attention"):
        source = f"""
            import nn
            input Q : f32[3, 1511, 8]
            input K : f32[3, 1511, 8]
            input V : f32[3, 1511, 8]
            O = nn.{name}(Q, K, V)
            output O
            """
        check(bench, source, {name: (3, 1511, 8) for name in "QKV"}, "O", 4 * 3 * 1511**2)


@case
def nearest(bench):
    source = """
        input X : f32[2503, 8]
        input C : f32[2477, 8]
        D[i, c] = sum[f] (X[i, f] - C[c, f]) ** 2
        output M[i] = min[c] D[i, c]
        """
    check(bench, source, {"X": (2503, 8), "C": (2477, 8)}, "M", 4 * 2503 * 2477)


if __name__ == "__main__":
    case.main(__doc__)
