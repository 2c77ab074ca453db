"""Plans programs whose results are read again much later: long_skips.py [OPTION...]

Residuals over 50 statements that overlap, nested ones, and blocks in which every
statement reads all before it. Elimination alone would take tables over dozens of
tensors; the plans are proved optimal all the same, in little memory.
"""

import pathlib
import resource
import subprocess
import sys
import tempfile

MOST_KIB = 300 * 1024


def product(k):
    return f"T{k}[i, k] = sum[j] T{k - 1}[i, j] * W[j, k]"


def overlapping(statements, span=50):
    for k in range(statements):
        isSum = k >= span and k % 2 == 0
        yield f"T{k}[i, j] = T{k - 1}[i, j] + T{k - span}[i, j]" if isSum else product(k)


def nested(statements, depth=25):
    for k in range(statements):
        place = k % (2 * depth)
        twin = k - 2 * (place - depth) - 1
        yield product(k) if place < depth else f"T{k}[i, j] = T{k - 1}[i, j] + T{twin}[i, j]"


def dense(statements, block=16):
    for k in range(statements):
        first = k - k % block - 1
        yield f"T{k}[i, j] = " + " + ".join(f"T{n}[i, j]" for n in range(first, k))


with tempfile.TemporaryDirectory() as folder:
    for kind, statements in ((overlapping, 2000), (nested, 2000), (dense, 500)):
        source = pathlib.Path(folder, f"{kind.__name__}.ein")
        lines = ["input X : f32[16, 16]", "input W : f32[16, 16]", *kind(statements)]
        text = "\n".join([*lines, f"output T{statements - 1}", ""])
        source.write_text(text.replace("T-1[", "X["))
        words = ["tapestry", "plan", source, "--devices", "4", *sys.argv[1:]]
        done = subprocess.run(words, check=True, capture_output=True, text=True)
        if "proved optimal" not in done.stdout:
            sys.exit(f"{kind.__name__}: {done.stdout[:300]}")
        kib = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
        if kib > MOST_KIB:
            sys.exit(f"{kind.__name__}: {kib} KiB, at most {MOST_KIB} are meant")
