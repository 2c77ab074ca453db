"""Fills the folder of ../gpu.sh: executables, files, expected values, and a list."""

import argparse
import os
import pathlib
import shutil
import sys

import numpy as np

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "test" / "Integration"))

from harness import compare, driver  # noqa: E402
from harness.programs import PROGRAMS  # noqa: E402
from harness.programs.registry import NUMPY_TYPES  # noqa: E402

# Programs of the value suite, and on how many ranks, which share the GPU.
VALUES = {
    name: [1]
    for name in (
        "brain_matmul", "causal_attention", "complex_c64", "concatenations", "constants", "convolution_network",
        "embedding", "functions_f16", "functions_f32", "game_of_life", "half_matmul", "integers_i8", "integers_i32",
        "long_rows", "max_plus", "multi_head_attention", "norms", "operators", "own_monoids", "reshapes", "running",
        "scattered_in_pieces", "segments", "softmax_directions", "streamed_attention", "unsigned_u64", "wide_folds",
    )
} | {"jacobi": [1, 2], "llama_block": [1, 2], "tiled_matmul": [1, 3]}  # fmt: skip
# Those that are there without cuBLASLt, too.
GENERATED = ("brain_matmul", "half_matmul", "tiled_matmul")
FEW = ("functions_f32", "tiled_matmul", "complex_c64")

# What is timed: the source by extents, and what a run is compared with (run.sh).
TIMED = {
    "matmul": "input A : f32[{n}, {n}]\ninput B : f32[{n}, {n}]\n"
    "C[i, k] = sum[j] A[i, j] * B[j, k]\noutput C\n",
    "maxplus": "input S : f32[{h}, {h}]\ninput T : f32[{h}, {h}]\n"
    "C[i, k] = max[j] S[i, j] + T[j, k]\noutput C\n",
    "l2": "input S : f32[{h}, {h}]\ninput T : f32[{h}, {h}]\n"
    "C[i, k] = sum[j] (S[i, j] - T[j, k]) ** 2\noutput C\n",
    "softmax": "input A : f32[{n}, {n}]\nP[i, k] = softmax[k] A[i, k]\noutput P\n",
    "rmsnorm": "input A : f32[{n}, {n}]\nP[i, k] = rmsnorm[k](A[i, k], 0.001)\noutput P\n",
    "scale": "input A : f32[{n}, {n}]\nP[i, k] = 2 * A[i, k]\noutput P\n",
    "launches": "input W : f32[8, 8]\ninput X0 : f32[8]\n"
    "repeat t:{passes} (X = X0) {{\n  next X[i] = sum[j] W[i, j] * X[j]\n}}\noutput X\n",
}


def files_source(extents):
    lines = []
    for seed, (name, rows, columns) in enumerate(
        (("A", "n", "n"), ("B", "n", "n"), ("S", "h", "h"), ("T", "h", "h"), ("W", "8", "8"))
    ):
        rows, columns = extents.get(rows, 8), extents.get(columns, 8)
        draw = f"random.uniform({seed * 10**10} + i * {columns} + j)"
        lines.append(f"{name}[i:{rows}, j:{columns}] = f32({draw} - 0.5)\noutput {name}")
    return "\n".join(lines) + "\nX0[i:8] = f32(i)\noutput X0\n"


class Folder:
    def __init__(self, path, words):
        self.path, self.words = path, ["--target=cuda", *words]

    def compile(self, where, source, devices=1, options=()):
        """The executable `where`, without what only debuggers read."""
        program = self.path / f"{where}.ein"
        program.parent.mkdir(parents=True, exist_ok=True)
        program.write_text(source)
        driver.tapestry(
            "compile", program, f"--devices={devices}", *options, *self.words, "-o", self.path / where, cwd=self.path
        ).expect_status(0)
        driver.execute(["strip", self.path / where], self.path).expect_status(0)

    def add_values(self, name, devices, kind="", options=()):
        """`list` has a line per output: its file, that of the expected value, tolerance, type."""
        program = PROGRAMS[name]
        where = self.path / "values" / f"{name}-{devices}{kind}"
        where.mkdir(parents=True)
        self.compile(f"values/{where.name}/run", program.source, devices, [*program.options(), *options])
        arrays = program.arrays()
        inputs = driver.save_inputs(where, arrays)
        lines = []
        for output, value in program.expected(arrays).items():
            dtype = program.stored_type(output)
            if dtype.kind in "fcV":
                value = compare.widened(value)
            else:
                value = np.asarray(value).astype(dtype)
            save(where / f"{output}.want.npy", value)
            tolerance = program.tolerance_of(output)
            lines.append(f"{output}.npy {output}.want.npy {tolerance:g} {dtype.kind}{dtype.itemsize}")
        (where / "list").write_text("\n".join(lines) + "\n")
        words = [*inputs, *driver.output_options(program.outputs)]
        (where / "words").write_text("\n".join(words) + "\n")


def save(path, values):
    """Row by row, as the tool reads them."""
    np.save(path, np.asarray(values, order="C"))


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--tiny", action="store_true", help="small extents, for the tests' driver")
    parser.add_argument("--gpu-arch", default="sm_90")
    options = parser.parse_args()
    folder = Folder(options.folder.resolve(), [f"--gpu-arch={options.gpu_arch}"])
    names = FEW if options.tiny else sorted(VALUES)
    for name in names:
        for devices in VALUES.get(name, [1]):
            folder.add_values(name, devices)
        if name in GENERATED and not options.tiny:
            folder.add_values(name, 1, "-generated", ["--gpu-products=generated"])
    extents = {"n": 8192, "h": 4096, "passes": 2000}
    if options.tiny:
        extents = {"n": 40, "h": 40, "passes": 20}
    for name, source in TIMED.items():
        folder.compile(f"timed/{name}", source.format(**extents))
    product = TIMED["matmul"].format(**extents)
    folder.compile("timed/generated", product, options=["--gpu-products=generated"])
    folder.compile("timed/files", files_source(extents))
    (folder.path / "extents").write_text("".join(f"{k}={v}\n" for k, v in extents.items()))
    (folder.path / "lib").mkdir(exist_ok=True)
    for plugin in ("cuda", "nccl"):
        shutil.copy(driver.build_folder() / "lib" / f"libtapestry-rt-{plugin}.so", folder.path / "lib")


if __name__ == "__main__":
    os.umask(0o022)
    main()
