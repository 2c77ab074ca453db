"""Plans a program of very many statements: many_statements.py DEVICES [OPTION...]

The statements are a chain of products, reductions and elementwise operations that
all read one matrix, and products of three tensors, which are ordered first. Memory
grows with the statements, whoever reads how much.
"""

import json
import pathlib
import resource
import subprocess
import sys
import tempfile

STATEMENTS = 10_000
MOST_KIB = 300 * 1024


def program():
    lines = ["input X : f32[16, 16]", "input W : f32[16, 16]"]
    last = "X"
    for k in range(0, STATEMENTS, 4):
        lines += [
            f"A{k}[i, k] = sum[j] {last}[i, j] * W[j, k]",
            f"B{k}[i] = max[j] A{k}[i, j]",
            f"C{k}[i, j] = exp(A{k}[i, j] - B{k}[i])",
            f"D{k}[i, l] = sum[j, k] C{k}[i, j] * W[j, k] * W[k, l]",
        ]
        last = f"D{k}"
    return "\n".join(lines + [f"output {last}"]) + "\n"


with tempfile.TemporaryDirectory() as folder:
    source = pathlib.Path(folder, "many.ein")
    target = pathlib.Path(folder, "plan.json")
    source.write_text(program())
    words = ["tapestry", "plan", source, "--devices", sys.argv[1], "--json", target]
    subprocess.run(
        [*words, *sys.argv[2:]], check=True, stdout=subprocess.DEVNULL
    )
    kib = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
    if kib > MOST_KIB:
        sys.exit(f"{STATEMENTS} statements: {kib} KiB, at most {MOST_KIB} are meant")
    # Each product of three is two vertices.
    vertices = len(json.loads(target.read_text())["vertices"])
    if vertices != 2 + STATEMENTS + STATEMENTS // 4:
        sys.exit(f"{vertices} vertices")
