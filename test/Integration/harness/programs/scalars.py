"""Every scalar function, comparison and operator, against NumPy."""

import math

import numpy as np

from .registry import normal, program, uniform

ERF = np.vectorize(math.erf)

FUNCTIONS = """
    Abs[i] = abs(X[i])
    Exp[i] = exp(X[i])
    Log[i] = log(P[i])
    Sqrt[i] = sqrt(P[i])
    Rsqrt[i] = rsqrt(P[i])
    Sin[i] = sin(X[i])
    Cos[i] = cos(X[i])
    Tanh[i] = tanh(X[i])
    Erf[i] = erf(X[i])
    Sigmoid[i] = sigmoid(X[i])
    Floor[i] = floor(X[i])
    Ceil[i] = ceil(X[i])
"""
NAMES = [line.split("[")[0].strip() for line in FUNCTIONS.strip().splitlines()]
FORMULAS = [
    lambda x, p: np.abs(x),
    lambda x, p: np.exp(x),
    lambda x, p: np.log(p),
    lambda x, p: np.sqrt(p),
    lambda x, p: 1 / np.sqrt(p),
    lambda x, p: np.sin(x),
    lambda x, p: np.cos(x),
    lambda x, p: np.tanh(x),
    lambda x, p: ERF(x),
    lambda x, p: 1 / (1 + np.exp(-x)),
    lambda x, p: np.floor(x),
    lambda x, p: np.ceil(x),
]


def _functions(X, P):
    return {name: f(X, P) for name, f in zip(NAMES, FORMULAS)}


def _declare(type):
    def formula(X, P):
        return _functions(X, P)

    formula.__name__ = f"functions_{type}"
    program(
        f"input X : {type}[53]\ninput P : {type}[53]\n{FUNCTIONS}",
        {"X": uniform(-6, 6, 53, type=type), "P": uniform(0.01, 20, 53, type=type)},
        {name: type for name in NAMES},
        exact={"Abs", "Floor", "Ceil"},
    )(formula)


_declare("f32")
_declare("f64")
_declare("f16")


@program(
    """
    input X : f32[41]
    input Y : f32[41]
    Add[i] = X[i] + Y[i]
    Sub[i] = X[i] - Y[i]
    Mul[i] = X[i] * Y[i]
    Div[i] = X[i] / Y[i]
    Neg[i] = -X[i]
    Pow[i] = X[i] ** 3
    Power[i] = abs(X[i]) ** Y[i]
    Inverse[i] = Y[i] ** -2
    Max[i] = max(X[i], Y[i])
    Min[i] = min(X[i], Y[i])
    Order[i] = 2.0 + 3.0 * X[i] - Y[i] / 4.0 - -X[i] ** 2
    """,
    {"X": normal(41), "Y": uniform(0.5, 2.0, 41)},
    {
        name: "f32"
        for name in (
            "Add Sub Mul Div Neg Pow Power Inverse Max Min Order".split()
        )
    },
    exact={"Neg", "Max", "Min"},
)
def operators(X, Y):
    return {
        "Add": X + Y,
        "Sub": X - Y,
        "Mul": X * Y,
        "Div": X / Y,
        "Neg": -X,
        "Pow": X**3,
        "Power": np.abs(X) ** Y,
        "Inverse": Y**-2.0,
        "Max": np.maximum(X, Y),
        "Min": np.minimum(X, Y),
        "Order": 2 + 3 * X - Y / 4 + X**2,
    }


@program(
    """
    input X : f32[37]
    input Y : f32[37]
    Lt[i] = X[i] < Y[i]
    Le[i] = X[i] <= Y[i]
    Gt[i] = X[i] > Y[i]
    Ge[i] = X[i] >= 0.0
    Eq[i] = floor(X[i]) == floor(Y[i])
    Ne[i] = floor(X[i]) != floor(Y[i])
    Sel[i] = select(X[i] < 0.0 && !(Y[i] < 0.0), X[i], select(Lt[i], Y[i], 0.5))
    """,
    {"X": normal(37), "Y": normal(37)},
    "Lt:bool Le:bool Gt:bool Ge:bool Eq:bool Ne:bool Sel:f32",
    exact={"Sel"},
)
def comparisons(X, Y):
    same = np.floor(X) == np.floor(Y)
    return {
        "Lt": X < Y,
        "Le": X <= Y,
        "Gt": X > Y,
        "Ge": X >= 0,
        "Eq": same,
        "Ne": ~same,
        "Sel": np.where((X < 0) & (Y >= 0), X, np.where(X < Y, Y, 0.5)),
    }


@program(
    """
    input X : f32[24]
    Hi = max[i] X[i]
    Lo = min[i] X[i]
    All = sum[i] X[i]
    Cap[i] = min(X[i], 3.0)
    """,
    {
        "X": uniform(-2, 2, 24),
    },
    "Hi:f32 Lo:f32 All:f32 Cap:f32",
    exact={"Hi", "Lo", "Cap"},
)
def negative_and_positive(X):
    return {"Hi": X.max(), "Lo": X.min(), "All": X.sum(), "Cap": np.minimum(X, 3)}


@program(
    """
    input X : f32[9]
    input Y : f32[9]
    Hi = max[i] X[i]
    Lo = min[i] Y[i]
    """,
    {"X": uniform(-9, -1, 9), "Y": uniform(1, 9, 9)},
    "Hi:f32 Lo:f32",
    exact={"Hi", "Lo"},
)
def extremes_of_one_sign(X, Y):
    # A monoid that starts from 0 instead of its identity shows here, and so
    # does a device without a part that joins in with zeros.
    return {"Hi": X.max(), "Lo": Y.min()}
