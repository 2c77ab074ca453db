#!/usr/bin/python3
"""Fits the polynomials of lib/Codegen/CPU/ElementaryFunctions.cpp and prints them.

    fit-functions.py

Each is the minimax polynomial of a function under a weight, with coefficients rounded to the format one after the other, from the lowest
power on, the rest fitted anew each time. Needs python3-mpmath.
"""

import mpmath
from mpmath import mpf

mpmath.mp.prec = 160
BITS = {"f32": 24, "f64": 53}


def rounded(value, bits):
    """To nearest, of so many significant bits."""
    if value == 0:
        return mpf(0)
    scale = mpf(2) ** (bits - 1 - int(mpmath.floor(mpmath.log(abs(value), 2))))
    return mpmath.nint(value * scale) / scale


def chebyshev(low, high, count):
    return [
        (low + high) / 2 - (high - low) / 2 * mpmath.cos(mpmath.pi * i / (count - 1))
        for i in range(count)
    ]


def minimax(values, powers):
    """The coefficients of these powers that fit (x, function, weight) best in
    that weight: least squares, where the largest errors gain weight each time
    (C. L. Lawson, 1961)."""
    emphasis = [mpf(1)] * len(values)
    best = None
    for _ in range(12):
        count = len(powers)
        normal, right = mpmath.matrix(count, count), mpmath.matrix(count, 1)
        for (x, f, w), e in zip(values, emphasis):
            row = [x**power for power in powers]
            for i in range(count):
                right[i] += e * w * w * f * row[i]
                for j in range(i, count):
                    normal[i, j] += e * w * w * row[i] * row[j]
        for i in range(count):
            for j in range(i):
                normal[i, j] = normal[j, i]
        coefficients = list(mpmath.lu_solve(normal, right))
        errors = [
            abs(w * (f - sum(c * x**p for c, p in zip(coefficients, powers))))
            for x, f, w in values
        ]
        if best is None or max(errors) < best[0]:
            best = (max(errors), coefficients)
        total = sum(e * error for e, error in zip(emphasis, errors))
        emphasis = [len(values) * e * error / total for e, error in zip(emphasis, errors)]
    return best[1]


def fit(name, type, function, weight, low, high, degree):
    """Prints the polynomial of this degree with coefficients of the type."""
    grid = chebyshev(mpf(low), mpf(high), 12 * (degree + 2))
    values = [(x, function(x), weight(x)) for x in grid]
    left, fixed = values, []
    for first in range(degree + 1):
        coefficients = minimax(left, list(range(first, degree + 1)))
        fixed.append(rounded(coefficients[0], BITS[type]))
        left = [(x, f - fixed[-1] * x**first, w) for x, f, w in left]
    error = max(
        weight(x) * abs(function(x) - mpmath.polyval(fixed[::-1], x))
        for x in chebyshev(mpf(low), mpf(high), 1000)
    )
    print(f"// {name}, {type}: weighted error 2^{mpmath.nstr(mpmath.log(error, 2), 4)}")
    print("{" + ", ".join(hexadecimal(c, type) for c in fixed) + "}", flush=True)


def hexadecimal(value, type):
    text = float(value).hex()
    mantissa, exponent = text.split("p")
    if "." in mantissa:
        mantissa = mantissa.rstrip("0").rstrip(".")
    return f"{mantissa}p{exponent}"


def exp_tail(r):
    """q of exp(r) = 1 + r + r^2 q(r)."""
    if abs(r) < mpf("1e-12"):
        return mpf(1) / 2 + r / 6
    return (mpmath.expm1(r) - r) / r**2


def log_tail(f):
    """p of log(1 + f) = f - f^2 / 2 + f^3 p(f)."""
    if abs(f) < mpf("1e-10"):
        return mpf(1) / 3 - f / 4
    return (mpmath.log1p(f) - f + f**2 / 2) / f**3


def erf_tail(z):
    """c of erf(x) = x + x c(x^2)."""
    if z < mpf("1e-20"):
        return 2 / mpmath.sqrt(mpmath.pi) - 1
    x = mpmath.sqrt(z)
    return mpmath.erf(x) / x - 1


def erfc_root(t):
    """erfc(t)^(1/4)."""
    return mpmath.sqrt(mpmath.sqrt(mpmath.erfc(t)))


def erfcx_of(t):
    """exp(x^2) erfc(x) for t = 1 / (x + 2)."""
    x = 1 / t - 2
    return mpmath.exp(x**2) * mpmath.erfc(x)


def log_rest(z):
    """p of log(1 + f) = 2 s + s z p(z) with s = f / (2 + f) and z = s^2."""
    if z < mpf("1e-20"):
        return mpf(2) / 3 + 2 * z / 5
    s = mpmath.sqrt(z)
    return (2 * mpmath.atanh(s) - 2 * s) / (s * z)


def arc_tail(function, z):
    """p of f(x) = x + x z p(z) with z = x^2, where f is atan or asin."""
    x = mpmath.sqrt(z)
    return (function(x) - x) / (x * z)


def atan_tail(z):
    return -mpf(1) / 3 + z / 5 if z < mpf("1e-20") else arc_tail(mpmath.atan, z)


def asin_tail(z):
    return mpf(1) / 6 + 3 * z / 40 if z < mpf("1e-20") else arc_tail(mpmath.asin, z)


def sin_tail(z):
    """p of sin(r) = r + r z p(z) with z = r^2."""
    return -mpf(1) / 6 + z / 120 if z < mpf("1e-20") else arc_tail(mpmath.sin, z)


def cos_tail(z):
    """q of cos(r) = 1 - z / 2 + z^2 q(z)."""
    if z < mpf("1e-10"):
        return mpf(1) / 24 - z / 720
    return (mpmath.cos(mpmath.sqrt(z)) - 1 + z / 2) / z**2


def main():
    half = mpmath.log(2) / 2 * mpf("1.0001")
    for type, degree in (("f32", 4), ("f64", 10)):
        fit("exp", type, exp_tail, lambda r: r**2 / mpmath.exp(r), -half, half, degree)
    root = mpmath.sqrt(mpf(2))
    fit("log", "f32", log_tail, lambda f: abs(f**3 / mpmath.log1p(f)), 1 / root - 1, root - 1, 8)
    # Where the two of erf meet, the errors of both are small.
    meet = mpf("1.1")
    fit("erf", "f32", erf_tail, lambda z: 1 / (1 + erf_tail(z)), 0, meet**2, 6)
    fit("erfc^(1/4)", "f32", erfc_root, lambda t: 4 * erfc_root(t)**3 / mpmath.erf(t), meet, 4, 7)
    fit("erf", "f64", erf_tail, lambda z: 1 / (1 + erf_tail(z)), 0, mpf("1.0001"), 11)
    fit("erfcx", "f64", erfcx_of, lambda t: mpmath.exp(-((1 / t - 2) ** 2)), 1 / mpf("7.95"), 1 / mpf("2.999"), 12)
    # s = f / (2 + f) is largest at the root of 2, atan(x) goes to tan(pi / 8).
    largest = ((root - 1) / (root + 1)) ** 2 * mpf("1.0001")
    fit("log", "f64", log_rest, lambda z: z, 0, largest, 6)
    fit("atan", "f64", atan_tail, lambda z: z, 0, mpmath.tan(mpmath.pi / 8) ** 2 * mpf("1.0001"), 11)
    quarter = (mpmath.pi / 4) ** 2 * mpf("1.0001")
    fit("sin", "f64", sin_tail, lambda z: z, 0, quarter, 6)
    fit("cos", "f64", cos_tail, lambda z: z**2, 0, quarter, 6)
    fit("sin", "f32", sin_tail, lambda z: z, 0, quarter, 2)
    fit("cos", "f32", cos_tail, lambda z: z**2, 0, quarter, 2)
    fit("asin", "f64", asin_tail, lambda z: z, 0, mpf("0.25"), 12)
    for type, bits in (("f32", 15), ("f64", 40)):
        high = rounded(mpmath.log(2), bits)
        low = rounded(mpmath.log(2) - high, BITS[type])
        print(f"// log(2), {type}: {hexadecimal(high, 'f64')}, {hexadecimal(low, type)}")
    for type, bits in (("f32", 13), ("f64", 32)):
        parts, rest = [], mpmath.pi / 2
        for width in (bits, bits, bits, BITS[type]):
            parts.append(rounded(rest, width))
            rest -= parts[-1]
        print(f"// pi / 2, {type}: " + ", ".join(hexadecimal(part, "f64") for part in parts))


if __name__ == "__main__":
    main()
