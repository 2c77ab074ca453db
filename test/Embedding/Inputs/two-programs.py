"""two-programs.py EXECUTABLE FILE.npy: runs both of its programs and compares with NumPy."""
import subprocess
import sys

import numpy as np

executable, base = sys.argv[1:]
a = np.random.default_rng(1).integers(-9, 9, (97, 41)).astype(np.float32)
np.save(base, a)
for name, axis in ("rows", 1), ("columns", 0):
    outputs = []
    for output in name, "most":
        outputs += ["-o", f"{output}={base}.{output}.npy"]
    subprocess.run([executable, name, "-i", f"A={base}", *outputs], check=True)
    sums = a.sum(axis)
    assert np.array_equal(np.load(f"{base}.{name}.npy"), sums), name
    assert np.load(f"{base}.most.npy") == sums.max(), name
