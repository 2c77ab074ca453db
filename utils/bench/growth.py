#!/usr/bin/python3
"""How long `tapestry run` takes for programs of more and more statements.

    growth.py BUILD [--statements 100,1000,10000] [--devices 1,4] [--kinds ...] [--again]

Chains on 16 x 16 of elementwise operations, of products, of both with softmax and
max, of layers, of stencils that fold or wrap around what leaves their operand, and
(if asked for) of products and of random numbers no two of which have the same kernel,
and of products by numbers that one statement adds up, and concatenations of slices:
a table of seconds of the whole
command, and of the milliseconds that each statement between the last two counts
costs. With --again the runs are the second ones, which find what the first compiled.
utils/bench/llama.py prints layers of a real model.
"""

import argparse
import os
import pathlib
import subprocess
import tempfile
import time

import numpy as np

KINDS = {
    "elementwise": ["{t}[i,j] = {last}[i,j] * 0.5 + 1.0"],
    "products": ["{t}[i,k] = sum[j] {last}[i,j] * W[j,k]"],
    "mixed": [
        "{t}[i,k] = sum[j] {last}[i,j] * W[j,k]",
        "{t}[i,j] = softmax[j] {last}[i,j]",
        "{t}[i] = max[j] {last}[i,j]",
        "{t}[i,j] = X[i,j] - {last}[i]",
    ],
    "layers": [
        "{t}[i,k] = sum[j] {last}[i,j] * W[j,k]",
        "{t}[i,k] = softmax[k] {last}[i,k]",
        "{t}[i,j] = sum[k] {last}[i,k] * W[k,j]",
        "{t}[i,j] = X[i,j] + {last}[i,j]",
    ],
    "stencils": [
        "{t}[i:16,j:16] = sum[r:3, q:3] edge({last})[i + r - 1,j + q - 1] / 9",
        "{t}[i:16,j:16] = 0.5 * {last}[(i - 1) % 16,j] + 0.5 * {last}[(i + 1) % 16,j]",
    ],
    "distinct": ["{t}[i,k] = sum[j] {last}[i,j] * W[j,k] * {factor}"],
    "random": ["{t}[i,j] = {last}[i,j] + random.normal({k})"],
    "sum": ["{t}[i,j] = X[i,j] * {factor}"],
    "pieces": None,
}


def pieces(count):
    """A graph that concatenates slices of its tensor, the last first."""
    row, whole = "tensor<1x16xf32>", f"tensor<{count}x16xf32>"
    names, types = (", ".join(all) for all in ([f"%s{k}" for k in range(count)], [row] * count))
    slices = [
        f'%s{k} = tapestry.slice "s{k}" %X [{count - 1 - k}, 0] => [{count - k}, 16]'
        f" : ({whole}) -> {row}"
        for k in range(count)
    ]
    return "\n".join([
        "tapestry.graph @pieces {",
        f'%X = tapestry.source "X" : {whole}',
        *slices,
        f'%c = tapestry.concat "c" {names} along 0 : ({types}) -> {whole}',
        f'tapestry.sink "Y", %c : {whole}',
        "}",
        "",
    ])  # fmt: skip


def program(kind, statements):
    lines, last = ["input X : f32[16,16]"], "X"
    if any("W[" in form for form in KINDS[kind]):
        lines.append("input W : f32[16,16]")
    # Whole rounds, so that the result is a matrix.
    rounds = max(1, statements // len(KINDS[kind]))
    for k, form in enumerate(KINDS[kind] * rounds):
        lines.append(form.format(t=f"T{k}", last=last, k=k, factor=1 + 1e-6 * k))
        last = f"T{k}"
    if kind == "sum":
        lines.append("S[i,j] = " + " + ".join(f"T{k}[i,j]" for k in range(rounds)))
        last = "S"
    return "\n".join([*lines, f"output {last}", ""]), last


def seconds(tool, kind, statements, devices, folder, again):
    if kind == "pieces":
        name, source, last, data = "pieces.mlir", pieces(statements), "Y", "rows.npy"
        np.save(folder / data, np.ones((statements, 16), np.float32))
    else:
        name, (source, last), data = "chain.ein", program(kind, statements), "X.npy"
    (folder / name).write_text(source)
    files = ["-i", f"X={data}"] + (["-i", "W=W.npy"] if "W[" in source else [])
    command = [tool, "run", name, f"--devices={devices}", *files, "-o", f"{last}=out.npy"]
    # Others' compilations are not found.
    env = {**os.environ, "XDG_CACHE_HOME": str(folder / "cache") if again else "/dev/null"}
    for _ in range(2 if again else 1):
        start = time.monotonic()
        subprocess.run(command, cwd=folder, env=env, check=True, stdout=subprocess.DEVNULL)
    return time.monotonic() - start


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--statements", default="100,1000,10000")
    parser.add_argument("--devices", default="1,4")
    parser.add_argument("--kinds", default="elementwise,products,mixed,layers,stencils")
    parser.add_argument("--again", action="store_true")
    options = parser.parse_args()
    tool = options.build.resolve() / "bin/tapestry"
    counts = sorted(int(word) for word in options.statements.split(","))
    print("kind         devices " + "".join(f"{n:>9}" for n in counts) + "   ms each")
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(temporary)
        rng = np.random.default_rng(3)
        for name in ("X", "W"):
            np.save(folder / f"{name}.npy", rng.uniform(-0.2, 0.2, (16, 16)).astype(np.float32))
        for kind in options.kinds.split(","):
            for devices in options.devices.split(","):
                times = [
                    seconds(tool, kind, n, devices, folder, options.again) for n in counts
                ]
                each = 1e3 * times[-1] / counts[-1]
                if len(counts) > 1:
                    each = 1e3 * (times[-1] - times[-2]) / (counts[-1] - counts[-2])
                row = "".join(f"{t:9.2f}" for t in times)
                print(f"{kind:12} {devices:>7} {row} {each:9.2f}", flush=True)


if __name__ == "__main__":
    main()
