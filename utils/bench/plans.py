"""Plans a program, runs it under a plan, and reads both reports.

What predict.py and baselines.py share.
"""

import json
import pathlib
import subprocess
import sys

import numpy as np

from llama import llama

ROOT = pathlib.Path(__file__).resolve().parents[2]


class Refused(Exception):
    """The tool ended with a status other than 0; str() is what it said."""


class Program:
    """A program, its parameters and the shapes of its inputs."""

    def __init__(self, name, text, params, inputs, outputs):
        self.name = name
        self.text = text
        self.params = params
        self.inputs = inputs
        self.outputs = outputs

    def shape(self, labels):
        return tuple(self.params[label] for label in labels.split())


def example(name):
    return (ROOT / "docs" / "examples" / f"{name}.ein").read_text()


def chain(size):
    inputs = {tensor: "s s" for tensor in "ABCDE"}
    return Program("chain", example("chain"), {"s": size}, inputs, ["Z"])


def classifier(batch, features, hidden, classes):
    params = {"B": batch, "F": features, "H": hidden, "O": classes}
    inputs = {"X": "B F", "W1": "F H", "W2": "H O", "Y": "B O"}
    return Program("classifier", example("classifier"), params, inputs, ["W1n", "W2n"])


def llama_layer(batch, sequence, width, heads, head, hidden):
    params = {"B": batch, "S": sequence, "A": width, "H": heads, "D": head, "F": hidden}
    inputs = {"X0": "B S A", "Rope0": "S D", "Gate1_0": "A", "Gate2_0": "A"}
    inputs.update({f"W{which}0": "A H D" for which in "qkvo"})
    inputs.update({"Wg0": "A F", "Wu0": "A F", "Wd0": "F A"})
    return Program("llama layer", llama(layers=1), params, inputs, ["X1"])


class Bench:
    """A folder with one program's files, and the tool."""

    def __init__(self, tapestry, folder, program, seed=5):
        self.tapestry = pathlib.Path(tapestry).resolve()
        self.folder = pathlib.Path(folder)
        self.program = program
        (self.folder / "p.ein").write_text(program.text)
        rng = np.random.default_rng(seed)
        for name, labels in program.inputs.items():
            shape = program.shape(labels)
            # So that sums of products stay near 1.
            values = rng.standard_normal(shape) / np.sqrt(max(shape[-1:], default=1))
            np.save(self.folder / f"{name}.npy", values.astype(np.float32))

    def call(self, command, *words):
        params = [f"-D{name}={value}" for name, value in self.program.params.items()]
        words = [str(self.tapestry), command, "p.ein", *params, *map(str, words)]
        done = subprocess.run(words, cwd=self.folder, capture_output=True, text=True)
        if done.returncode:
            raise Refused(done.stderr.strip())
        return done

    def plan(self, *words):
        """The plan.json that `tapestry plan` writes."""
        self.call("plan", *words, "--json=out.json")
        return json.loads((self.folder / "out.json").read_text())

    def write_plan(self, name, plan):
        (self.folder / name).write_text(json.dumps(plan))
        return f"--plan={name}"

    def run(self, *words, repeat=5):
        """report.json and the outputs."""
        inputs = [f"-i={name}={name}.npy" for name in self.program.inputs]
        outputs = [f"-o={name}={name}.npy" for name in self.program.outputs]
        self.call("run", *words, *inputs, *outputs, f"--repeat={repeat}", "--report=r.json")
        report = json.loads((self.folder / "r.json").read_text())
        results = {name: np.load(self.folder / f"{name}.npy") for name in self.program.outputs}
        return report, results


def calibrated(tapestry, folder, devices):
    """A machine file of this machine."""
    path = pathlib.Path(folder) / "machine.json"
    subprocess.run(
        [tapestry, "calibrate", f"--devices={devices}", "-o", path],
        check=True,
        stdout=sys.stderr,
    )
    return path
