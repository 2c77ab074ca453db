"""Random scalar expressions over given leaves, with their values."""

import dataclasses
from typing import Callable

import numpy as np

from .bounded import FLOATS, INTEGERS, Bounded, erf


class Impossible(Exception):
    """These leaves make no expression whose value is certain."""


@dataclasses.dataclass
class Expression:
    text: str
    type: str
    evaluate: Callable  # grid -> Bounded
    atomic: bool = False

    @property
    def operand(self):
        """The text as it stands inside a larger expression."""
        return self.text if self.atomic else f"({self.text})"


def _constant(type, text, value):
    dtype = np.float64 if type in FLOATS else np.int64
    return Expression(text, type, lambda grid: Bounded(type, np.asarray(value, dtype)).cast(type), True)


def _binary(symbol, method, left, right):
    return Expression(
        f"{left.operand} {symbol} {right.operand}",
        left.type,
        lambda grid: getattr(left.evaluate(grid), method)(right.evaluate(grid)),
    )


def _extreme(name, left, right):
    pick = np.maximum if name == "max" else np.minimum
    return Expression(
        f"{name}({left.text}, {right.text})",
        left.type,
        lambda grid: left.evaluate(grid).extreme(right.evaluate(grid), pick),
        True,
    )


def _call(name, operand, function):
    return Expression(
        f"{name}({operand.text})", operand.type, lambda grid: function(operand.evaluate(grid)), True
    )


def _smooth(name, operand, function, steepness):
    return _call(name, operand, lambda x: x.smooth(function, steepness))


def _cast(type, operand):
    if operand.type == type:
        return operand
    return Expression(
        f"{type}({operand.text})", type, lambda grid: operand.evaluate(grid).cast(type), True
    )


def _bits(symbol, left, right):
    function = {"&": np.bitwise_and, "|": np.bitwise_or, "^": np.bitwise_xor}[symbol]
    return Expression(
        f"{left.operand} {symbol} {right.operand}",
        left.type,
        lambda grid: left.evaluate(grid).bitwise(right.evaluate(grid), function),
    )


def _negate(operand):
    return Expression(
        f"-{operand.operand}", operand.type, lambda grid: operand.evaluate(grid).negate()
    )


def _square(operand):
    def evaluate(grid):
        value = operand.evaluate(grid)
        return value.multiply(value)

    return Expression(f"{operand.operand} ** 2", operand.type, evaluate)


def _logical(symbol, left, right):
    function = np.logical_and if symbol == "&&" else np.logical_or
    return Expression(
        f"{left.operand} {symbol} {right.operand}",
        "bool",
        lambda grid: Bounded("bool", function(left.evaluate(grid).value, right.evaluate(grid).value)),
    )


COMPARISONS = {
    "<": np.less,
    "<=": np.less_equal,
    ">": np.greater,
    ">=": np.greater_equal,
    "==": np.equal,
    "!=": np.not_equal,
}


def _compare(symbol, left, right):
    def evaluate(grid):
        a, b = left.evaluate(grid), right.evaluate(grid)
        if not (a.is_exact and b.is_exact):
            raise Impossible
        return Bounded("bool", COMPARISONS[symbol](a.value, b.value))

    return Expression(f"{left.operand} {symbol} {right.operand}", "bool", evaluate)


def _choose(condition, then, other):
    return Expression(
        f"select({condition.text}, {then.text}, {other.text})",
        then.type,
        lambda grid: condition.evaluate(grid).choose(then.evaluate(grid), other.evaluate(grid)),
        True,
    )


class ExpressionWriter:
    """Joins leaves by random operations of one type."""

    def __init__(self, rng, labels):
        self.rng = rng
        self.labels = labels

    def write(self, leaves, type):
        """An expression of `type` that uses every leaf."""
        parts = [self._convert(leaf, type) for leaf in leaves]
        while len(parts) > 1:
            left = parts.pop(self.rng.integers(len(parts)))
            right = parts.pop(self.rng.integers(len(parts)))
            parts.append(self._join(left, right))
        result = parts[0]
        for _ in range(self.rng.integers(0, 3)):
            result = self._decorate(result)
        return result

    def _pick(self, options):
        return options[self.rng.integers(len(options))]

    def _convert(self, leaf, type):
        if leaf.type == type:
            return leaf
        if type == "bool":
            if leaf.type in FLOATS:
                # Whether it holds must not depend on rounding.
                bound = _constant(leaf.type, "0.25", 0.25)
            else:
                bound = _constant(leaf.type, "1", 1)
            return _compare(self._pick(list(COMPARISONS)), leaf, bound)
        if type in INTEGERS and leaf.type in FLOATS:
            exact = _smaller_than(leaf, 100)
            return _cast(type, exact)
        return _cast(type, leaf)

    def _join(self, left, right):
        type = left.type
        if type == "bool":
            if self.rng.random() < 0.15:
                return _compare(self._pick(["==", "!="]), left, right)
            if self.rng.random() < 0.3:
                return _bits(self._pick(["&", "|", "^"]), left, right)
            return _logical(self._pick(["&&", "||"]), left, right)
        choice = self.rng.random()
        if choice < 0.45:
            return _binary("*", "multiply", left, right)
        if choice < 0.65:
            return _binary("+", "add", left, right)
        if choice < 0.8:
            return _binary("-", "subtract", left, right)
        if choice < 0.9:
            return _extreme(self._pick(["max", "min"]), left, right)
        if type in FLOATS:
            denominator = _binary(
                "+", "add", _call("abs", right, Bounded.absolute), _constant(type, "1.0", 1.0)
            )
            return _binary("/", "divide", left, denominator)
        if choice < 0.95:
            return _choose(_compare(self._pick(list(COMPARISONS)), left, right), left, right)
        if self.rng.random() < 0.5:
            return _bits(self._pick(["&", "|", "^"]), left, right)
        return _binary(*self._pick([("//", "floor_divide"), ("%", "modulo")]), left, right)

    def _decorate(self, x):
        if x.type == "bool":
            if self.rng.random() < 0.5:
                return Expression(
                    f"!{x.operand}", "bool",
                    lambda grid: Bounded("bool", ~x.evaluate(grid).value), True,
                )
            bracket = self._bracket()
            return x if bracket is None else _logical(self._pick(["&&", "||"]), x, bracket)
        bracket = self._bracket() if self.rng.random() < 0.2 else None
        if bracket is not None:
            return self._with_bracket(x, bracket)
        if x.type in INTEGERS:
            return self._decorate_integer(x)
        return self._decorate_float(x)

    def _with_bracket(self, x, bracket):
        if self.rng.random() < 0.5:
            return _choose(bracket, x, _negate(x))

        def evaluate(grid):
            zero_or_one = bracket.evaluate(grid).value
            factor = zero_or_one.astype(np.float64 if x.type in FLOATS else np.int64)
            return x.evaluate(grid).multiply(Bounded(x.type, factor).cast(x.type))

        return Expression(f"{x.operand} * {bracket.text}", x.type, evaluate)

    def _bracket(self):
        """[i <= j + 1] on labels of the statement, or None without labels."""
        if not self.labels:
            return None
        first, second = self._pick(self.labels), self._pick(self.labels)
        symbol = self._pick(list(COMPARISONS))
        step, shift = int(self.rng.integers(1, 3)), int(self.rng.integers(0, 4))
        left = first.name if step == 1 else f"{step}*{first.name}"
        if first is second:
            right, bound = str(shift), lambda grid: np.asarray(shift)
        else:
            right = second.name + (f" + {shift}" if shift else "")
            bound = lambda grid: grid[second.name] + shift

        def evaluate(grid):
            return Bounded("bool", COMPARISONS[symbol](step * grid[first.name], bound(grid)))

        return Expression(f"[{left} {symbol} {right}]", "bool", evaluate, True)

    def _decorate_integer(self, x):
        number = int(self.rng.integers(1, 6))
        constant = _constant(x.type, str(number), number)
        return self._pick(
            [
                lambda: _negate(x),
                lambda: _call("abs", x, Bounded.absolute),
                lambda: _square(x),
                lambda: _binary("+", "add", x, constant),
                lambda: _binary("*", "multiply", constant, x),
                lambda: _binary("/", "divide", x, constant),
                lambda: _binary("//", "floor_divide", x, constant),
                lambda: _binary("%", "modulo", x, constant),
                lambda: _binary("<<", "shift_left", x, constant),
                lambda: _binary(">>", "shift_right", x, constant),
                lambda: _bits(self._pick(["&", "|", "^"]), x, constant),
                lambda: _extreme("min", x, constant),
            ]
        )()

    def _decorate_float(self, x):
        number = float(self._pick([0.5, 1.5, -0.75, 2.0]))
        constant = _constant(x.type, repr(number), number)
        if number < 0:
            constant.atomic = False
        magnitude = _binary(
            "+", "add", _call("abs", x, Bounded.absolute), _constant(x.type, "0.5", 0.5)
        )
        return self._pick(
            [
                lambda: _negate(x),
                lambda: _call("abs", x, Bounded.absolute),
                lambda: _square(x),
                lambda: _binary("+", "add", x, constant),
                lambda: _binary("*", "multiply", constant, x),
                lambda: _extreme("max", x, constant),
                lambda: _smooth("tanh", x, np.tanh, 1),
                lambda: _smooth("sigmoid", x, lambda v: 1 / (1 + np.exp(-v)), 1),
                lambda: _smooth("sin", _smooth("tanh", x, np.tanh, 1), np.sin, 1),
                lambda: _smooth("cos", _smooth("tanh", x, np.tanh, 1), np.cos, 1),
                lambda: _smooth("erf", x, erf, 1.13),
                lambda: _smooth("atan", x, np.arctan, 1),
                lambda: _smooth("sinh", _smooth("tanh", x, np.tanh, 1), np.sinh, 1.55),
                lambda: _smooth("cosh", _smooth("tanh", x, np.tanh, 1), np.cosh, 1.18),
                lambda: _smooth("exp2", _smooth("tanh", x, np.tanh, 1), np.exp2, 1.39),
                lambda: _smooth("expm1", _smooth("tanh", x, np.tanh, 1), np.expm1, 2.72),
                lambda: _smooth("cbrt", magnitude, np.cbrt, 0.53),
                lambda: _smooth("log1p", magnitude, np.log1p, 0.67),
                lambda: _smooth("log2", magnitude, np.log2, 2.89),
                lambda: _smooth("log10", magnitude, np.log10, 0.87),
                lambda: _smooth("exp", _smooth("tanh", x, np.tanh, 1), np.exp, 2.72),
                lambda: _smooth("sqrt", magnitude, np.sqrt, 0.71),
                lambda: _smooth("rsqrt", magnitude, lambda v: 1 / np.sqrt(v), 1.42),
                lambda: _smooth("log", magnitude, np.log, 2),
            ]
        )()


def _smaller_than(leaf, bound):
    """The leaf, if its values are certain and small enough for any integer."""

    def evaluate(grid):
        value = leaf.evaluate(grid)
        if not value.is_exact or np.any(np.abs(value.value) >= bound):
            raise Impossible
        return value

    return Expression(leaf.text, leaf.type, evaluate, leaf.atomic)
