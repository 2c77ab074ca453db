#!/usr/bin/python3
"""Operators of integers and bools, and those that round down, as NumPy has them;
on every device count and processor, in the reference and among constants.

    check_operators.py [CASE ...]
"""

import numpy as np

from check_specials import Program, narrow, numbers, specials, stored, within_a_unit
from harness.bounded import FLOATS, INTEGERS, NUMPY_TYPES
from harness.cases import Group

case = Group()

FLOORED = {"//": np.floor_divide, "%": np.remainder}
BITS = {"&": np.bitwise_and, "|": np.bitwise_or, "^": np.bitwise_xor}
SHIFTS = {"<<": np.left_shift, ">>": np.right_shift}


def with_ends(rng, type, shape):
    """Small integers, the ends of the type, what is around its width, and any."""
    info = np.iinfo(NUMPY_TYPES[type])
    ends = [info.min, info.min + 1, -info.bits, -2, -1, 0, 1, 2, 3, 7]
    ends += [info.bits - 1, info.bits, info.bits + 1, info.max - 1, info.max]
    random = rng.integers(info.min, info.max, shape, info.dtype, endpoint=True)
    small = rng.integers(-9, 10, shape).astype(info.dtype)
    return np.choose(rng.integers(0, 3, shape), [rng.choice(np.array(ends, info.dtype), shape), random, small])


@case
def integers(bench):
    rng = np.random.default_rng(31)
    for type in INTEGERS:
        info = np.iinfo(NUMPY_TYPES[type])
        a, b = with_ends(rng, type, (23, 61)), with_ends(rng, type, (23, 61))
        program = Program()
        program.input("A", type, a)
        program.input("B", type, b)
        with np.errstate(all="ignore"):
            for symbol, apply in (FLOORED | BITS | SHIFTS).items():
                program.output(f"@[i, j] = A[i, j] {symbol} B[i, j]", type, apply(a, b))
                others = rng.choice([1, 2, 3, -7, 8, info.bits - 1, info.bits, info.max], 2, False)
                for number in (0, -1, info.min, *others):
                    constant = info.dtype.type(number)
                    program.output(f"@[i, j] = A[i, j] {symbol} {number}", type, apply(a, constant))
                program.output(f"@[i, j] = {number} {symbol} B[i, j]", type, apply(constant, b))
            # A quotient under a sum, cut along what is summed; brackets are 0 and 1.
            total = (a // b ^ b % np.int8(5)).sum(1, dtype=info.dtype)
        program.output("@[i] @ {j: n} = sum[j] A[i, j] // B[i, j] ^ B[i, j] % 5", type, total)
        bracket = np.arange(23)[:, None] <= np.arange(61)
        program.output("@[i, j] = A[i, j] & [i <= j]", type, a & bracket.astype(info.dtype))
        program.check(bench, (1, 2, 3, 4))


@case
def bools(bench):
    rng = np.random.default_rng(32)
    a, b = rng.random((2, 17, 29)) < 0.5
    bracket = np.arange(17)[:, None] <= np.arange(29)
    program = Program()
    program.input("A", "bool", a)
    program.input("B", "bool", b)
    for symbol, apply in BITS.items():
        program.output(f"@[i, j] = A[i, j] {symbol} B[i, j]", "bool", apply(a, b))
        program.output(f"@[i, j] = A[i, j] {symbol} [i <= j]", "bool", apply(a, bracket))
        program.output(f"@[i:17, j:29] = [i <= j] {symbol} [i == 3]", "bool",
                       apply(bracket, np.arange(17)[:, None] == 3))
        program.output(f"@[i, j] = A[i, j] {symbol} true", "bool", apply(a, True))
        program.output(f"@[i] @ {{j: n}} = any[j] A[i, j] {symbol} !B[i, j]", "bool", apply(a, ~b).any(1))
    program.check(bench, (1, 2, 3, 4))


@case
def floats(bench):
    rng = np.random.default_rng(33)
    for type in FLOATS:
        values = numbers(type, narrow(type, np.concatenate([specials(type), [0.1, -0.3, 1e3, -37.5]])))
        random = rng.standard_normal((2, 1500)) * 2.0 ** rng.integers(-9, 9, (2, 1500))
        random[0, :500] *= 2.0 ** rng.integers(-4, 5, 500) * random[1, :500] / random[0, :500]
        a, b = (numbers(type, narrow(type, x)) for x in random)
        a, b = np.append(np.repeat(values, values.size), a), np.append(np.tile(values, values.size), b)
        program = Program()
        program.input("A", type, stored(type, a))
        program.input("B", type, stored(type, b))
        kind = np.float64 if type == "f64" else np.float32
        a, b = a.astype(kind), b.astype(kind)
        with np.errstate(all="ignore"):
            program.output("@[i] = A[i] % B[i]", type, narrow(type, np.remainder(a, b)))
            for divisor in (3, -0.5, 0.0):
                want = narrow(type, np.remainder(a, kind(divisor)))
                program.output(f"@[i] = A[i] % ({divisor})", type, want)
            # Large quotients are rounded more than once.
            want = np.floor_divide(a, b).astype(np.longdouble)
            program.output("@[i] = A[i] // B[i]", type, want, within_a_unit)
            want = np.floor_divide(a, kind(-0.5)).astype(np.longdouble)
            program.output("@[i] = A[i] // -0.5", type, want, within_a_unit)
        program.check(bench, (1, 2, 3, 4))


@case
def constants(bench):
    """What is known at compile time, and the same at run time."""
    rng = np.random.default_rng(34)
    program = Program()
    for _ in range(60):
        x, y, z = (int(rng.choice([-9, -8, -3, -2, -1, 0, 1, 2, 3, 5, 7, 31])) for _ in range(3))
        one, two = rng.choice(["//", "%", "&", "|", "^", "<<", ">>", "+", "*"], 2)
        text = f"{x} {one} {y} {two} {z}"
        with np.errstate(all="ignore"):
            # Python refuses to divide by 0 and to shift by less.
            refused = (one + two).strip("&|^+*") and min(y, z) <= 0
            want = None if refused else eval(text)
        name = f"X{len(program.outputs)}"
        program.input(name, "i64", np.array([x, y, z]))
        at_run_time = f"{name}[0] {one} {name}[1] {two} {name}[2]"
        program.output(f"@ = ({at_run_time}) - ({text})", "i64", np.int64(0))
        if want is not None:
            program.output(f"@ = i64({text})", "i64", np.int64(want))
    for text in ("7.5 // 2", "-7.5 // 2", "7.5 % -2", "-7.5 % 2", "1 // 3.0", "6 // 4"):
        program.output(f"@ = f64({text})", "f64", np.float64(eval(text)))
    program.lines.append("param halves = (13 >> 1) | 1 << 4")
    program.output("@[i:halves] = i32(1)", "i32", np.ones(22, np.int32))
    program.check(bench, (1, 3))


if __name__ == "__main__":
    case.main(__doc__)
