#!/usr/bin/python3
"""Compares what two builds decide and do, bit for bit.

    compare-builds.py BUILD_A BUILD_B FOLDER... [--random 47]

Every .ein program of the folders, and as many random ones (those of
test/Integration/check_random.py by seed), is planned by both builds for every
device count under every cost model. plan.json and the text of --explain must be
equal; so must report.json and every byte of the outputs of the programs that are
small enough to be run here on random inputs. Times do not count. Kinds of
collectives that are told apart since are listed in RENAMED.
"""

import argparse
import concurrent.futures
import hashlib
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

import numpy as np

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "test" / "Integration"))

from harness.blocks import object_options  # noqa: E402
from harness.generator import generate  # noqa: E402

# Kinds that builds tell apart -> the kind that an older build has for all of them.
RENAMED = {"collective_permute": "all_to_all", "halo_exchange": "all_to_all"}
# Programs with larger tensors or index spaces are planned, not run.
MOST_ELEMENTS = 1 << 18
MOST_POINTS = 1 << 24
TYPES = {
    "f64": np.float64, "f32": np.float32, "f16": np.float16, "i64": np.int64,
    "i32": np.int32, "i16": np.int16, "i8": np.int8, "i1": np.bool_, "bf16": np.uint16,
}  # fmt: skip


def execute(words, folder):
    done = subprocess.run(
        [str(word) for word in words],
        cwd=folder,
        env={**os.environ, "XDG_CACHE_HOME": "/dev/null"},  # all is compiled
        capture_output=True,
        text=True,
        stdin=subprocess.DEVNULL,
        timeout=600,
    )
    return done.returncode, done.stdout, done.stderr


def without_times(value):
    if isinstance(value, dict):
        return {k: without_times(v) for k, v in value.items() if "seconds" not in k}
    if isinstance(value, list):
        return [without_times(v) for v in value]
    return value


def rename(text):
    for kind, older in RENAMED.items():
        text = re.sub(rf"\b{kind}\b", older, text)
    if text.startswith(("{", "[")):
        return text
    # A table's columns are as wide as its words, and its rows of one kind are one.
    lines = []
    for line in text.splitlines():
        line = " ".join(line.split())
        row = re.fullmatch(r"(\w+) (\d+) (\d+) [\d.]+ %", line)
        if row and row[1] in RENAMED.values():
            last = lines[-1].split()
            counts = [int(row[2]), int(row[3])]
            if last[0] == row[1]:
                counts = [a + int(b) for a, b in zip(counts, last[1:])]
                lines.pop()
            line = " ".join([row[1], *map(str, counts)])
        lines.append(line)
    return "\n".join(lines)


def json_text(path):
    return json.dumps(without_times(json.loads(path.read_text())), indent=1) if path.exists() else ""


class Program:
    """A program in a folder, with inputs where it is small enough to run."""

    def __init__(self, name, source, builds, folder):
        self.name = name
        self.folder = folder
        folder.mkdir()
        (folder / "program.ein").write_text(source)
        translate = builds[0] / "bin/tapestry-translate"
        _, ir, _ = execute([translate, "--ein-to-mlir", "program.ein"], folder)
        self.inputs = []
        self.outputs = []
        self.objects = object_options(source, folder)
        if self.is_small(ir):
            self.make_inputs(ir)

    @staticmethod
    def is_small(ir):
        shapes = re.findall(r"tensor<([0-9x]*)x?(?:f|bf|i)[0-9]+>", ir)
        elements = [np.prod([float(n) for n in s.split("x") if n]) for s in shapes]
        spaces = re.findall(r"tapestry\.einsum \S+ \[([^]]*)\]", ir)
        points = [np.prod([float(n) for n in re.findall(r"= (\d+)", s)]) for s in spaces]
        return bool(points) and max(elements) <= MOST_ELEMENTS and max(points) <= MOST_POINTS

    def make_inputs(self, ir):
        rng = np.random.default_rng(7)
        source = r'tapestry\.source "([^"]+)".*tensor<([0-9x]*?)x?((?:f|bf|i)[0-9]+)>'
        for name, shape, element in re.findall(source, ir):
            shape = [int(n) for n in shape.split("x") if n]
            dtype = TYPES[element]
            if element == "bf16":
                values = (rng.uniform(0.5, 2, shape).astype(np.float32).view(np.uint32) >> 16)
            elif np.issubdtype(dtype, np.floating):
                values = rng.uniform(0.5, 2, shape)
            else:
                values = rng.integers(0, 2 if element == "i1" else 5, shape)
            np.save(self.folder / f"{name}.npy", np.asarray(values).astype(dtype))
            self.inputs += ["-i", f"{name}={name}.npy"]
        self.outputs = re.findall(r'tapestry\.sink "([^"]+)"', ir)

    def results(self, build, side, devices, model):
        """What a build says of this program: a text per kind of result."""
        folder = self.folder / f"{side}-{devices}-{model}"
        folder.mkdir()
        tool = build / "bin/tapestry"
        planning = [f"--devices={devices}", f"--cost={model}"]
        status, out, err = execute(
            [tool, "plan", "program.ein", *planning, "--explain",
             f"--json={folder.name}/plan.json"], self.folder)  # fmt: skip
        texts = {
            "explain": f"status {status}\n{out}{err}",
            "plan.json": json_text(folder / "plan.json"),
        }
        if self.inputs:
            outputs = []
            for name in self.outputs:
                outputs += ["-o", f"{name}={folder.name}/{name}.npy"]
            status, out, err = execute(
                [tool, "run", "program.ein", *planning, *self.objects, *self.inputs, *outputs,
                 f"--report={folder.name}/report.json"], self.folder)  # fmt: skip
            if status != 0:
                raise SystemExit(f"{self.name}, {devices} devices, {build}: {err}")
            texts["run"] = out
            texts["report.json"] = json_text(folder / "report.json")
            for path in sorted(folder.glob("*.npy")):
                texts[path.name] = hashlib.sha256(path.read_bytes()).hexdigest()
        for path in folder.iterdir():
            path.unlink()
        return texts

    def compare(self, builds, devices, model):
        old, new = (self.results(b, s, devices, model) for b, s in zip(builds, "ab"))
        different = [kind for kind in old if rename(old[kind]) != rename(new.get(kind, ""))]
        for kind in different[:1]:
            lines = zip(rename(old[kind]).splitlines(), rename(new.get(kind, "")).splitlines())
            first = next(((a, b) for a, b in lines if a != b), ("", "(lengths differ)"))
            print(f"{self.name}, {devices} devices, {model}: {', '.join(different)} differ")
            print(f"  < {first[0]}\n  > {first[1]}", flush=True)
        return not different, len(self.inputs) > 0


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("build_a", type=pathlib.Path)
    parser.add_argument("build_b", type=pathlib.Path)
    parser.add_argument("folders", nargs="+", type=pathlib.Path)
    parser.add_argument("--random", type=int, default=47, help="how many random programs")
    parser.add_argument("--devices", default="1,2,3,4,6,8,12,64")
    parser.add_argument("--models", default="paper,spmd")
    parser.add_argument("--jobs", type=int, default=len(os.sched_getaffinity(0)))
    options = parser.parse_args()
    builds = [options.build_a.resolve(), options.build_b.resolve()]
    paths = [p for folder in options.folders for p in sorted(folder.glob("*.ein"))]
    sources = [(str(path), path.read_text()) for path in paths]
    sources += [(f"random {seed}", generate(seed).source) for seed in range(options.random)]
    with tempfile.TemporaryDirectory() as temporary:
        programs = [
            Program(name, source, builds, pathlib.Path(temporary) / str(number))
            for number, (name, source) in enumerate(sources)
        ]
        cases = [
            (program, int(devices), model)
            for program in programs
            for devices in options.devices.split(",")
            for model in options.models.split(",")
        ]
        with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
            results = list(pool.map(lambda case: case[0].compare(builds, *case[1:]), cases))
    equal = sum(is_equal for is_equal, _ in results)
    runs = sum(ran for _, ran in results)
    print(f"{len(programs)} programs, {len(cases)} plans ({runs} of them run): "
          f"{equal} equal, {len(cases) - equal} different")  # fmt: skip
    sys.exit(0 if equal == len(cases) else 1)


if __name__ == "__main__":
    main()
