#!/usr/bin/python3
"""A chain of products that does not fit into memory, beside moving the same bytes.

    outofcore.py [--n 16384] [--memory 512MiB] [--devices CORES] [--folder FOLDER]

Three n x n matrices of f32 lie in .npy files; `tapestry run --executor greedy` computes (A B) C from them
with --memory bytes for all workers together. Rows of the result are compared with NumPy's in float64. At the end
the figures are printed as JSON: `resident_bytes` is the most that the process had (VmHWM), `computing` what its
workers computed in kernels, divided by their number, `moving` one write past the page cache of as many bytes as it wrote (spilled,
and the result) and one such read of as many as it read (inputs, and what was spilled), and `ratio` the seconds of the run
divided by the larger of both. Exits with 1 where the result is wrong, where what was counted is not what was
predicted, or where more was resident than the memory and 256 MiB.
"""

import argparse
import json
import mmap
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time

import numpy as np

PROGRAM = """param n
input A : f32[n, n]
input B : f32[n, n]
input C : f32[n, n]
D[i, j] = sum[k] A[i, k] * B[k, j]
F[i, j] = sum[k] D[i, k] * C[k, j]
output F
"""
PIECE = 8 << 20
BESIDE = 256 << 20
MOVED = ("spilled", "reloaded", "input")


def parse_bytes(text):
    units = {"KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30}
    for unit, factor in units.items():
        if text.endswith(unit):
            return int(text.removesuffix(unit)) * factor
    return int(text)


def write_matrix(path, n, seed):
    random = np.random.default_rng(seed)
    matrix = np.lib.format.open_memmap(path, mode="w+", dtype=np.float32, shape=(n, n))
    for row in range(0, n, 256):
        rows = matrix[row : row + 256]
        rows[:] = random.standard_normal(rows.shape, dtype=np.float32)
    matrix.flush()


def forget(folder):
    """Drops the files' pages, all of which are on the disk."""
    os.sync()
    for path in folder.glob("*.npy"):
        fd = os.open(path, os.O_RDONLY)
        os.posix_fadvise(fd, 0, 0, os.POSIX_FADV_DONTNEED)
        os.close(fd)


def times(left, matrix, step=512):
    """A few rows in float64 by a matrix in a file."""
    return sum(
        left[:, row : row + step] @ matrix[row : row + step].astype(np.float64)
        for row in range(0, matrix.shape[0], step)
    )


def largest_error(folder, count=8):
    """Of a few rows, as multiple of what the numbers scatter by."""
    a, b, c, f = (np.load(folder / f"{name}.npy", mmap_mode="r") for name in "ABCF")
    rows = np.sort(np.random.default_rng(7).choice(a.shape[0], count, replace=False))
    expected = times(times(a[rows].astype(np.float64), b), c)
    return float(np.abs(f[rows] - expected).max() / expected.std())


def move(folder, written, read):
    """Seconds of one direct write and one direct read of so many bytes."""
    path, piece = folder / "moved", mmap.mmap(-1, PIECE)
    piece.write(os.urandom(PIECE))
    fd = os.open(path, os.O_RDWR | os.O_CREAT | os.O_DIRECT)
    os.unlink(path)
    begin = time.monotonic()
    for at in range(0, written, PIECE):
        os.pwrite(fd, piece, at)
    os.fsync(fd)
    middle = time.monotonic()
    # The file may have fewer: from its beginning again.
    size = max(written // PIECE, 1) * PIECE
    for at in range(0, read, PIECE):
        os.preadv(fd, [piece], at % size)
    end = time.monotonic()
    os.close(fd)
    return middle - begin, end - middle


def run(tapestry, folder, options):
    files = [word for name in "ABC" for word in ("-i", f"{name}={name}.npy")]
    process = subprocess.Popen(
        [tapestry, "run", "chain.ein", f"-Dn={options.n}", *files, "-o", "F=F.npy", "-q",
         "--executor=greedy", f"--devices={options.devices}", f"--spill={folder}",
         f"--memory={options.memory // options.devices}", "--report=report.json"],
        cwd=folder,
    )  # fmt: skip
    # What the system says at the end counts what this process had as it started the other.
    resident = 0
    while process.poll() is None:
        for line in pathlib.Path(f"/proc/{process.pid}/status").read_text().splitlines():
            if line.startswith("VmHWM:"):
                resident = int(line.split()[1]) * 1024
        time.sleep(0.05)
    if process.returncode:
        sys.exit(f"the run ended with status {process.returncode}")
    return json.loads((folder / "report.json").read_text()), resident


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--n", type=int, default=16384)
    parser.add_argument("--memory", type=parse_bytes, default=512 << 20)
    parser.add_argument("--devices", type=int, default=len(os.sched_getaffinity(0)))
    parser.add_argument("--folder")
    parser.add_argument("--tapestry", default=shutil.which("tapestry") or "build/bin/tapestry")
    options = parser.parse_args()
    tapestry = str(pathlib.Path(options.tapestry).resolve())
    with tempfile.TemporaryDirectory(dir=options.folder) as folder:
        folder = pathlib.Path(folder)
        (folder / "chain.ein").write_text(PROGRAM)
        for seed, name in enumerate("ABC"):
            write_matrix(folder / f"{name}.npy", options.n, seed)
        forget(folder)
        report, resident = run(tapestry, folder, options)
        counted = {name: report[f"counted_{name}_bytes"] for name in MOVED}
        predicted = {name: report[f"predicted_{name}_bytes"] for name in MOVED}
        written, read = move(
            folder,
            counted["spilled"] + 4 * options.n**2,
            counted["input"] + counted["reloaded"],
        )
        error = largest_error(folder)
    computing = sum(vertex["seconds"] for vertex in report["vertices"]) / report["workers"]
    print(json.dumps({
        "n": options.n, "memory_bytes": options.memory, "workers": report["workers"],
        "shards": report["shards"], "error": error, "resident_bytes": resident,
        "peak_bytes": report["peak_bytes_per_device"], "counted": counted, "predicted": predicted,
        "seconds": round(report["seconds"], 3), "compile": round(report["compile_seconds"], 3),
        "computing": round(computing, 3),
        "moving": {"write": round(written, 3), "read": round(read, 3)},
        "ratio": round(report["seconds"] / max(computing, written + read), 3),
    }))  # fmt: skip
    if error > 1e-4 or counted != predicted or resident > options.memory + BESIDE:
        sys.exit(1)


if __name__ == "__main__":
    main()
