#!/usr/bin/python3
"""Products of narrow numbers, several of which processors add at a time.

    check_dots.py [CASE ...]
"""

import numpy as np

from harness.cases import Group
from harness.compare import bf16_bits
from harness.driver import CheckFailed
from harness.levels import PROCESSORS, run
from harness.units import widened

case = Group()

CPUS = (*PROCESSORS, "alderlake", "icelake-server", "sapphirerapids", "znver4")

# Operands as they lie, transposed, batched, interleaved, windows; odd, long and
# short reductions; few rows and few columns. Labels i, k, j are of the results.
PRODUCTS = {
    "plain": ("ia,ak->ik", {"i": 61, "a": 97, "k": 131}),
    "even": ("ia,ak->ik", {"i": 64, "a": 96, "k": 128}),
    "left": ("ai,ak->ik", {"i": 45, "a": 67, "k": 70}),
    "right": ("ia,ka->ik", {"i": 61, "a": 203, "k": 131}),
    "words": ("ia,ka->ik", {"i": 33, "a": 512, "k": 70}),
    "both": ("ai,ka->ki", {"i": 40, "a": 35, "k": 67}),
    "mixed": ("iab,bak->ik", {"i": 40, "a": 19, "b": 21, "k": 67}),
    "inside": ("aib,bja->ij", {"a": 5, "b": 30, "i": 40, "j": 50}),
    "batched": ("jia,jak->jik", {"j": 3, "i": 40, "a": 35, "k": 67}),
    "blocks": ("ia,ak->ki", {"i": 61, "a": 2051, "k": 131}),
    "wide": ("ia,ak->ik", {"i": 37, "a": 1300, "k": 1030}),
    "short": ("ia,ak->ik", {"i": 19, "a": 7, "k": 300}),
    "one": ("ia,ak->ik", {"i": 1, "a": 70, "k": 90}),
    "few": ("ia,ak->ik", {"i": 90, "a": 70, "k": 5}),
}


def statement(name, spec, wide):
    operands, result = spec.split("->")
    left, right = operands.split(",")
    sums = ", ".join(label for label in dict.fromkeys(left + right) if label not in result)
    return (f"{name}[{', '.join(result)}] = sum[{sums}] "
            f"{wide}({name}x[{', '.join(left)}]) * {wide}({name}y[{', '.join(right)}])\n")


def check(bench, types, draw, wide, error, cpu, devices=1, names=tuple(PRODUCTS)):
    """Whether this machine runs the code. `error` is that of two arrays and of what the
    factors' sizes give."""
    program, inputs, exact, sizes = "", {}, {}, {}
    for name in names:
        spec, extents = PRODUCTS[name]
        arrays = []
        for side, labels, type in zip("xy", spec.split("->")[0].split(","), types):
            bits, values = draw(type, [extents[label] for label in labels])
            program += f"input {name}{side} : {type}[{', '.join(map(str, values.shape))}]\n"
            inputs[name + side] = bits
            arrays.append(values)
        program += statement(name, spec, wide)
        exact[name] = np.einsum(spec, *arrays)
        sizes[name] = np.einsum(spec, *(np.abs(array) for array in arrays))
    program += f"output {', '.join(names)}\n"
    got = run(bench, program, inputs, names, f"--cpu={cpu}", f"--devices={devices}")
    for name in names if got else ():
        off = error(got[name], exact[name], sizes[name])
        if off:
            raise CheckFailed(f"{name} of {types} for {cpu} on {devices}: {off}")
    return got is not None


def integers(rng):
    def draw(type, shape):
        kind = np.dtype(("int" if type[0] == "i" else "uint") + type[1:])
        limits = np.iinfo(kind)
        values = rng.integers(limits.min, limits.max, shape, np.int64, endpoint=True)
        # Where products and their sums are largest.
        values.reshape(-1)[::7] = limits.min
        values.reshape(-1)[1::11] = limits.max
        return values.astype(kind), values

    return draw


def wrong(got, exact, size):
    count = int((got != exact.astype(np.int32)).sum())
    return f"{count} of {got.size} differ" if count else ""


BYTES = [(x, y) for x in ("i8", "u8") for y in ("i8", "u8")]
PAIRS = [("i16", "i16"), ("i8", "i16"), ("u8", "i16"), ("u16", "i8")]


@case
def products_of_integers(bench):
    draw = integers(np.random.default_rng(21))
    ran = []
    for types in BYTES:
        # Pairs, quadruples and whatever is best here.
        for cpu in ("x86-64-v3", "icelake-server", "native"):
            ran.append(check(bench, types, draw, "i32", wrong, cpu))
    for types in PAIRS:
        ran.append(check(bench, types, draw, "i32", wrong, "native"))
    for cpu in CPUS:
        ran.append(check(bench, ("i8", "i8"), draw, "i32", wrong, cpu, names=("plain", "right")))
    assert any(ran)


@case
def products_of_integers_on_devices(bench):
    draw = integers(np.random.default_rng(22))
    for devices, types in ((2, BYTES[0]), (3, PAIRS[0]), (5, BYTES[1]), (7, BYTES[0])):
        check(bench, types, draw, "i32", wrong, "native", devices)


def brains(rng):
    def draw(type, shape):
        bits = bf16_bits(rng.standard_normal(shape, np.float32))
        return bits, widened(bits.reshape(-1), type).reshape(shape)

    return draw


def off(got, exact, size):
    """Sums are those of f32: a few units of the sizes that are added."""
    worst = float(np.max(np.abs(got - exact) / size)) * 2**24
    return f"error {worst:.3g} units" if not worst <= 8 else ""


@case
def products_of_bf16(bench):
    draw = brains(np.random.default_rng(23))
    ran = [check(bench, ("bf16", "bf16"), draw, "f32", off, cpu) for cpu in CPUS[2:]]
    assert any(ran)
    for devices in (3, 8):
        check(bench, ("bf16", "bf16"), draw, "f32", off, "native", devices)


@case
def infinite_and_missing_bf16(bench):
    """Neither padding nor what stands beside a word makes an infinity NaN."""
    x = np.ones((40, 35), np.float32)
    y = np.ones((35, 67), np.float32)
    x[3, 34], x[5, 2], y[34, 9] = np.inf, np.nan, -np.inf
    exact = x.astype(np.float64) @ y.astype(np.float64)
    program = """
        input X : bf16[40, 35]
        input Y : bf16[35, 67]
        C[i, k] = sum[j] X[i, j] * Y[j, k]
        output C
    """
    for cpu in CPUS:
        got = run(bench, program, {"X": bf16_bits(x), "Y": bf16_bits(y)}, ("C",), f"--cpu={cpu}")
        if got is None:
            continue
        values = widened(got["C"].reshape(-1), "bf16").reshape(exact.shape)
        if not np.array_equal(values, exact, equal_nan=True):
            raise CheckFailed(f"{cpu}: {np.argwhere(values != exact)[:5].tolist()}")


if __name__ == "__main__":
    case.main(__doc__)
