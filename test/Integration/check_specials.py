#!/usr/bin/python3
"""What numbers mean where C leaves it open: zeros, infinities and NaN in extremes,
integers at their ends, powers, casts; on every device count and processor.

    check_specials.py [CASE ...]
"""

import ctypes
import math

import numpy as np

from harness import driver
from harness.bounded import FLOATS, INTEGERS, NUMPY_TYPES
from harness.cases import Group
from harness.compare import bf16_bits
from harness.driver import CheckFailed
from harness.units import FORMATS, units, widened

case = Group()

PROCESSORS = ("x86-64-v2", "x86-64-v3", "x86-64-v4", "native")
TYPES = (*FLOATS, *INTEGERS)


def narrow(type, exact):
    """Numbers (f64 or wider) as the nearest of a type, ties to even, in one step."""
    bits, least = FORMATS[type]
    with np.errstate(invalid="ignore"):
        exact = np.asarray(exact, np.longdouble)
    with np.errstate(all="ignore"):
        unit = np.maximum(np.frexp(exact)[1] - bits, least - bits + 1)
        rounded = np.ldexp(np.rint(np.ldexp(exact, -unit)), unit)
        end = np.ldexp(np.longdouble(1), 1 - least)
        rounded = np.where(np.abs(rounded) >= end * 2, np.copysign(np.inf, exact), rounded)
        rounded = np.where(np.isfinite(exact), rounded, np.where(np.isnan(exact), np.nan, exact))
        return stored(type, rounded)


def stored(type, values):
    """Numbers that the type has, as .npy files hold them."""
    with np.errstate(invalid="ignore"):
        return bf16_bits(values).view("V2") if type == "bf16" else values.astype(NUMPY_TYPES[type])


def numbers(type, array):
    """What is in an array of a float type."""
    return widened(np.ascontiguousarray(array).reshape(-1), type).reshape(array.shape)


def expect(what, type, got, want):
    """Equal bits, or both NaN."""
    if type == "bool" or type in INTEGERS:
        bad = got != want
    else:
        a, b = numbers(type, got), numbers(type, want)
        bad = (a != b) | (np.signbit(a) != np.signbit(b))
        bad &= ~(np.isnan(a) & np.isnan(b))
        got, want = a, b
    if bad.any():
        at = tuple(np.argwhere(bad)[0]) if bad.ndim else ()
        raise CheckFailed(
            f"{what} ({type}): {bad.sum()} of {bad.size} differ, at {[int(i) for i in at]} "
            f"{got[at]!r} instead of {want[at]!r}"
        )


class Program:
    """Statements with what they should give."""

    def __init__(self):
        self.lines, self.inputs, self.outputs = ["param n = 1"], {}, {}

    def input(self, name, type, array):
        self.lines.append(f"input {name} : {type}{list(array.shape)}")
        self.inputs[name] = array

    def output(self, statement, type, want, check=None):
        """`statement` with @ for the name of the result."""
        name = f"Y{len(self.outputs)}"
        self.lines.append(statement.replace("@", name, 1))
        self.outputs[name] = (statement, type, want, check or expect)

    def check(self, bench, devices):
        bench.write("p.ein", "\n".join([*self.lines, "output " + ", ".join(self.outputs), ""]))
        files = driver.save_inputs(bench.folder, self.inputs)
        files += driver.output_options(self.outputs)
        ways = [["reference"]]
        ways += [["run", f"--devices={count}", f"-Dn={count}"] for count in devices]
        ways += [["run", f"--cpu={cpu}", "--devices=3"] for cpu in PROCESSORS]
        for way in ways:
            result = bench.tapestry(way[0], "p.ein", *way[1:], *files)
            if result.status == 3 and "which this one lacks" in result.stderr:
                continue
            result.expect_status(0)
            got = driver.load_outputs(bench.folder, self.outputs)
            for name, (statement, type, want, check) in self.outputs.items():
                check(f"{' '.join(way)}: {statement}", type, got[name], want)


def counts_in_turn(types, type):
    """Numbers of devices: odd ones for every other type, even ones for those between."""
    return range(1 + types.index(type) % 2, 9, 2)


def specials(type):
    bits, least = FORMATS[type]
    tiny = 2.0 ** (least - bits + 1) if type != "f64" else 5e-324
    big = np.ldexp(2 - np.ldexp(2.0, -bits), -least + 1)
    values = [0, tiny, 3 * tiny, 2.0**least, 0.5, 1, 1.5, 2, 3, 4.5, 7, big, np.inf]
    return np.array([*values, *np.negative(values), np.nan])


# ---------------------------------------------------------------------------
# Extremes
# ---------------------------------------------------------------------------


def extreme(pick, values, axis=None):
    """By IEEE 754-2019: NaN wins, -0 is below +0."""
    keys = values.view(np.int64)
    keys = np.where(keys < 0, keys ^ np.int64(2**63 - 1), keys)
    best = getattr(keys, pick)(axis)
    best = np.where(best < 0, best ^ np.int64(2**63 - 1), best)
    return np.where(np.isnan(values).any(axis), np.nan, best.view(np.float64))


def signed_zeros(rng, shape):
    """Lines of zeros of both signs, of one sign, beside what is larger or smaller, with NaN."""
    kinds = [[0.0], [-0.0], [0.0, -0.0], [-0.0, -0.0, -0.0, -0.0, -0.0, 0.0],
             [0.0, -0.0, -1.0, -2.0], [0.0, -0.0, 1.0, np.inf], [-0.0, -1.0, -np.inf],
             [0.0, 2.0], [1.5, -3.0, 0.0, -0.0], [np.inf, -np.inf, 1.0]]
    lines = [rng.choice(kinds[k], shape[1]) for k in rng.integers(len(kinds), size=shape[0])]
    array = np.array(lines)
    array[rng.integers(shape[0], size=3), rng.integers(shape[1], size=3)] = np.nan
    return array


@case
def extremes(bench):
    rng = np.random.default_rng(21)
    rows, columns = 67, 131
    for type in FLOATS:
        program = Program()
        a, b = signed_zeros(rng, (rows, columns)), signed_zeros(rng, (columns, rows)).T.copy()
        c = signed_zeros(rng, (columns, 43))
        for name, array in (("A", a), ("B", b), ("C", c)):
            program.input(name, type, stored(type, array))
        program.input("J", "i32", np.arange(columns, dtype=np.int32) % 2)
        with np.errstate(invalid="ignore"):
            products = a[:, :, None] * c[None]
        windows = np.stack([a[:, k : columns - 4 + k] for k in range(5)])
        for pick in ("max", "min"):
            def add(text, values, axis):
                program.output(text, type, narrow(type, extreme(pick, values, axis)))

            add(f"@[i, j] = {pick}(A[i, j], B[i, j])", np.stack([a, b]), 0)
            add(f"@[i, j] = {pick}(B[i, j], A[i, j])", np.stack([a, b]), 0)
            for zero in (0.0, -0.0):
                add(f"@[i, j] = {pick}(A[i, j], {zero})", np.stack([a, np.full(a.shape, zero)]), 0)
            # As the planner cuts them, and with the reduced label over all devices.
            for pin in ("", " @ {j: n}"):
                add(f"@[i]{pin} = {pick}[j] A[i, j]", a, 1)
                add(f"@{pin} = {pick}[i, j] A[i, j]", a, None)
                add(f"@[i, k]{pin} = {pick}[j] A[i, j] * C[j, k]", products, 1)
            for pin in ("", " @ {i: n}"):
                add(f"@[j]{pin} = {pick}[i] A[i, j]", a, 0)
            add(f"@[i, j] = {pick}[r:5] A[i, j + r]", windows, 0)
            running = [extreme(pick, a[:, : k + 1], 1) for k in range(columns)]
            for pin in ("", " @ {j: n}"):
                text = f"@[i, j]{pin} = cum{pick}[j] A[i, j]"
                program.output(text, type, narrow(type, np.stack(running, 1)))
            halves = [extreme(pick, a[:, k::2], 1) for k in range(2)]
            program.output(f"@[i, J[j]:2] = {pick}[j] A[i, j]", type, narrow(type, np.stack(halves, 1)))
        program.check(bench, counts_in_turn(FLOATS, type))


# ---------------------------------------------------------------------------
# Integers
# ---------------------------------------------------------------------------


def wrapped(type, values):
    """Python integers (an array of objects) in the bits of the type."""
    bits = np.iinfo(NUMPY_TYPES[type]).bits
    rest = (np.asarray(values, object) + 2 ** (bits - 1)) % 2**bits - 2 ** (bits - 1)
    return np.asarray(rest).astype(NUMPY_TYPES[type])


def truncated(a, b):
    """C's a / b, 0 for b = 0."""
    quotient = abs(a) // max(abs(b), 1) * (1 if (a < 0) == (b < 0) else -1)
    return quotient if b else 0


@case
def integers(bench):
    rng = np.random.default_rng(22)
    for type in INTEGERS:
        info = np.iinfo(NUMPY_TYPES[type])
        ends = np.array([info.min, info.min + 1, -2, -1, 0, 1, 2, 3, info.max - 1, info.max])
        a, b = (rng.choice(ends, (23, 61)) for _ in "AB")
        random = rng.integers(info.min, info.max, (23, 61), endpoint=True)
        a = np.where(rng.random(a.shape) < 0.3, random, a)
        program = Program()
        program.input("A", type, a.astype(info.dtype))
        program.input("B", type, b.astype(info.dtype))
        a, b = a.astype(object), b.astype(object)

        def add(text, values):
            program.output(text, type, wrapped(type, values))

        for symbol, values in (("+", a + b), ("-", a - b), ("*", a * b)):
            add(f"@[i, j] = A[i, j] {symbol} B[i, j]", values)
        add("@[i, j] = A[i, j] / B[i, j]", np.vectorize(truncated, otypes=[object])(a, b))
        for constant in (-1, 1, 2, 3, -7, info.min, info.max):
            quotient = np.vectorize(lambda x: truncated(x, int(constant)), otypes=[object])(a)
            add(f"@[i, j] = A[i, j] / {constant}", quotient)
        add("@[i, j] = -A[i, j]", -a)
        add("@[i, j] = abs(A[i, j])", abs(a))
        add("@[i, j] = max(A[i, j], B[i, j])", np.maximum(a, b))
        add("@[i, j] = min(A[i, j], B[i, j])", np.minimum(a, b))
        for power in (0, 1, 2, 3, 7, 64, 65):
            add(f"@[i, j] = A[i, j] ** {power}", a**power)
        odd = a * 2 + 1
        for axis, labels in ((1, "[i] @ {{j: n}} = {}[j]"), (0, "[j] = {}[i]"), (None, " = {}[i, j]")):
            def reduction(name, text):
                return f"@{labels.format(name)} {text}"

            add(reduction("sum", "A[i, j]"), a.sum(axis))
            add(reduction("prod", "A[i, j] * 2 + 1"), odd.prod(axis))
            add(reduction("max", "A[i, j]"), a.max(axis))
            add(reduction("min", "A[i, j]"), a.min(axis))
            narrow_a = a.astype(info.dtype)
            whole = narrow_a.reshape(-1) if axis is None else narrow_a
            xor = np.bitwise_xor.reduce(whole, axis=axis or 0)
            program.output(reduction("xor", "A[i, j]"), type, xor)
        add("@[i, k] @ {j: n} = sum[j] A[i, j] * B[k, j]", a.dot(b.T))
        program.check(bench, counts_in_turn(INTEGERS, type))


# ---------------------------------------------------------------------------
# Powers
# ---------------------------------------------------------------------------

libm = ctypes.CDLL("libm.so.6")
libm.powl.restype = ctypes.c_longdouble
libm.powl.argtypes = [ctypes.c_longdouble] * 2
power_of = np.vectorize(lambda x, y: np.longdouble(libm.powl(float(x), float(y))), otypes=[np.longdouble])


def within_a_unit(what, type, got, want):
    """Of long doubles; what is 0, infinite or NaN is equal."""
    limit = 1.0 if type in ("f32", "f64") else 0.501
    error = units(numbers(type, got).astype(np.longdouble), want, type)
    # Half a unit beyond the largest number is infinity's.
    if not (error <= limit).all():
        at = tuple(np.argwhere(~(error <= limit))[0])
        raise CheckFailed(f"{what} ({type}): at {[int(i) for i in at]} {numbers(type, got)[at]!r} "
                          f"instead of {want[at]!r}")


@case
def powers(bench):
    exponents = ("0", "1", "-1", "2", "-2", "3", "-3", "32", "-32", "33", "-33", "0.5", "-0.5", "1.5",
                 "inf", "-inf", "nan", "2047", "-32768", "1000.5")
    for type in FLOATS:
        values = numbers(type, narrow(type, specials(type)))
        program = Program()
        program.input("X", type, stored(type, values))
        program.input("Y", type, stored(type, values[::-1].copy()))
        every = power_of(values[:, None], values[None, ::-1])
        program.output("@[i, j] = X[i] ** Y[j]", type, every, within_a_unit)
        for text in exponents:
            exponent = numbers(type, narrow(type, np.array([float(text)])))[0]
            want = power_of(values, exponent)
            if text == "0.5":
                with np.errstate(invalid="ignore"):
                    want = np.sqrt(values.astype(np.longdouble))
            program.output(f"@[i] = X[i] ** {text}", type, want, within_a_unit)
        for base in (0.0, -0.0, 1.0, -1.0, 2.0, 10.0, 0.5, -2.0):
            want = power_of(base, values)
            program.output(f"@[i] = ({base!r}) ** X[i]", type, want, within_a_unit)
        program.check(bench, (1, 5))


# ---------------------------------------------------------------------------
# Casts
# ---------------------------------------------------------------------------


def saturated(type, values):
    """Toward zero, the nearest that there is, 0 of NaN."""
    info = np.iinfo(NUMPY_TYPES[type])
    whole = [0 if np.isnan(x) else info.max if x >= 2.0 ** (info.bits - 1) else
             info.min if x < info.min else int(x) for x in values.tolist()]
    return np.array(whole, info.dtype)


def ties(wide, type):
    """Numbers of a float type at, and just beside, the middle between two of another."""
    bits, least = FORMATS[type]
    rng = np.random.default_rng(23)
    exponents = rng.integers(least - bits - 2, 3 - least, 3000)
    exponents[:1000] = rng.integers(-3, 64, 1000)
    fractions = 2 ** (bits - 1) + rng.integers(0, 2 ** (bits - 1), exponents.size)
    with np.errstate(all="ignore"):
        middle = np.ldexp((fractions + 0.5).astype(np.longdouble), exponents - bits)
        # Where they are subnormal, the middle is at another bit.
        subnormal = rng.integers(0, 2 ** (bits - 1), 300) + 0.5
        low = np.ldexp(subnormal.astype(np.longdouble), least - bits + 1)
        middle = np.concatenate([middle, low])
        middle = middle * rng.choice([-1, 1], middle.size)
        here = numbers(wide, narrow(wide, middle))
        if wide == "bf16":
            return here
        kind = NUMPY_TYPES[wide]
        up, down = (np.nextafter(here.astype(kind), kind(to)) for to in (np.inf, -np.inf))
        return np.concatenate([here, up.astype(np.float64), down.astype(np.float64)])


def integer_ties(type, to):
    """Integers at and beside the middles of a float type, and all their ends."""
    info = np.iinfo(NUMPY_TYPES[type])
    bits, _ = FORMATS[to]
    rng = np.random.default_rng(24)
    values = [info.min, info.min + 1, -1, 0, 1, info.max - 1, info.max]
    for _ in range(2000):
        shift = int(rng.integers(0, 64))
        middle = (2 * int(rng.integers(2 ** (bits - 1), 2**bits)) + 1) << shift
        values += [middle + k for k in (-1, 0, 1)] + [1 - middle, -middle, -middle - 1]
    kept = [x for x in values if info.min <= x <= info.max]
    return np.array(kept, info.dtype)


def float_inputs(type):
    """All numbers of the 16-bit types; specials, ties of the narrower and ends of the integers."""
    if type in ("f16", "bf16"):
        bits = np.arange(1 << 16, dtype=np.uint16)
        return bits.view(np.float16) if type == "f16" else bits.view("V2")
    ends = [s * 2.0**k + d for k in (0, 7, 8, 15, 16, 31, 32, 63, 64) for s in (1, -1)
            for d in (0, -1, 1, -0.5, 0.5, -1.5)]
    near = [np.nextafter(np.array(ends, NUMPY_TYPES[type]), NUMPY_TYPES[type](s)) for s in (np.inf, -np.inf)]
    narrower = [t for t in FLOATS if FORMATS[t][0] < FORMATS[type][0]]
    values = np.concatenate([specials(type), ends, *near, *[ties(type, t) for t in narrower]])
    return stored(type, numbers(type, narrow(type, values)))


@case
def casts_of_floats(bench):
    for type in FLOATS:
        array = float_inputs(type)
        values = numbers(type, array)
        program = Program()
        program.input("X", type, array)
        for to in FLOATS:
            program.output(f"@[i] = {to}(X[i])", to, narrow(to, values))
        for to in INTEGERS:
            program.output(f"@[i] = {to}(X[i])", to, saturated(to, values))
        program.output("@[i] = bool(X[i])", "bool", values != 0)
        program.check(bench, (1, 5))


@case
def casts_of_integers(bench):
    for type in INTEGERS:
        program = Program()
        for to in FLOATS:
            values = integer_ties(type, to)
            program.input(f"X_{to}", type, values)
            want = narrow(to, values.astype(np.longdouble))
            program.output(f"@[i] = {to}(X_{to}[i])", to, want)
            # Rounded before it is used, too.
            doubled = narrow(to, numbers(to, want) * 2)
            program.output(f"@[i] = {to}(X_{to}[i]) * 2", to, doubled)
        for to in INTEGERS:
            same = wrapped(to, integer_ties(type, "f16").astype(object))
            program.output(f"@[i] = {to}(X_f16[i])", to, same)
        program.output("@[i] = bool(X_f16[i])", "bool", integer_ties(type, "f16") != 0)
        program.check(bench, (1, 5))


@case
def casts_of_bools(bench):
    program = Program()
    array = np.array([False, True] * 30 + [True])
    program.input("X", "bool", array)
    for to in TYPES:
        want = narrow(to, array.astype(float)) if to in FLOATS else array.astype(NUMPY_TYPES[to])
        program.output(f"@[i] = {to}(X[i])", to, want)
    program.output("@ = sum[i] i32(X[i])", "i32", np.int32(array.sum()))
    program.output("@ = any[i] X[i]", "bool", np.bool_(True))
    program.output("@ = all[i] X[i]", "bool", np.bool_(False))
    program.check(bench, (1, 5))


# ---------------------------------------------------------------------------
# The reference
# ---------------------------------------------------------------------------


@case
def sums_of_the_reference(bench):
    """It is to be better than what it judges, in f64 too."""
    rng = np.random.default_rng(25)
    x = rng.standard_normal(300007) * 10.0 ** rng.integers(-8, 9, 300007)
    factors = rng.uniform(0.999, 1.001, 300007)
    bench.write("p.ein", """
        input X : f64[300007]
        input F : f64[300007]
        S = sum[i] X[i]
        P = prod[i] F[i]
        Z = prod[i] 0 * X[i]
        N = sum[i] F[i] * -1 / 0.0 * -1
        output S, P, Z, N
    """)
    files = driver.save_inputs(bench.folder, {"X": x, "F": factors})
    outputs = ("S", "P", "Z", "N")
    bench.tapestry(
        "reference", "p.ein", *files, *driver.output_options(outputs)
    ).expect_status(0)
    got = driver.load_outputs(bench.folder, outputs)
    exact = np.prod(factors.astype(np.longdouble))
    for name, want in (("S", math.fsum(x)), ("P", float(exact)), ("N", np.inf)):
        error = 0 if got[name] == want else abs(float(got[name]) - want) / np.spacing(abs(want))
        # The product of long doubles is rounded itself.
        if not error <= (2 if name == "P" else 0.5):
            raise CheckFailed(f"{name}: {float(got[name])!r}, expected {want!r}")
    negative = int((x < 0).sum()) % 2 == 1
    if got["Z"] != 0 or np.signbit(got["Z"]) != negative:
        raise CheckFailed(f"Z: {float(got['Z'])!r}, expected a zero, negative: {negative}")


if __name__ == "__main__":
    case.main(__doc__)
