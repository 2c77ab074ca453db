"""How a test program is declared: source, random inputs, NumPy formula."""

import dataclasses
import zlib
from typing import Callable

import numpy as np

from .. import compare
from ..driver import CheckFailed

NUMPY_TYPES = {
    "f64": np.float64,
    "f32": np.float32,
    "f16": np.float16,
    "i8": np.int8,
    "i16": np.int16,
    "i32": np.int32,
    "i64": np.int64,
    "bool": np.bool_,
    "u8": np.uint8,
    "u16": np.uint16,
    "u32": np.uint32,
    "u64": np.uint64,
    "c64": np.complex64,
    "c128": np.complex128,
}

PROGRAMS = {}


@dataclasses.dataclass(frozen=True)
class Input:
    """A random array; `draw` maps a generator to values of the right shape."""

    type: str
    draw: Callable


def normal(*shape, type="f32", scale=1.0):
    return Input(type, lambda rng: scale * rng.standard_normal(shape))


def complexes(*shape, type="c64"):
    return Input(type, lambda rng: rng.standard_normal(shape) + 1j * rng.standard_normal(shape))


def uniform(low, high, *shape, type="f32"):
    return Input(type, lambda rng: rng.uniform(low, high, shape))


def integers(low, high, *shape, type="i32"):
    """Both ends included."""
    return Input(type, lambda rng: rng.integers(low, high, shape, endpoint=True))


def booleans(*shape, chance=0.5):
    return Input("bool", lambda rng: rng.random(shape) < chance)


def specials(*shape, type="f32", chance=0.04):
    """Some are infinite, or NaN."""

    def draw(rng):
        kind = rng.choice(4, shape, p=[1 - 3 * chance, chance, chance, chance])
        return np.choose(kind, [rng.standard_normal(shape), np.inf, -np.inf, np.nan])

    return Input(type, draw)


def one_hot(rows, classes, type="f32"):
    return Input(type, lambda rng: np.eye(classes)[rng.integers(0, classes, rows)])


@dataclasses.dataclass
class Program:
    name: str
    source: str
    inputs: dict
    outputs: dict  # name -> type
    formula: Callable
    exact: set  # float outputs that must be bit-equal
    tolerance: dict  # output -> tolerance, where the type's own is not meant
    params: dict

    def arrays(self):
        """The inputs as files hold them; the same at every call."""
        rng = np.random.default_rng(zlib.crc32(self.name.encode()))
        arrays = {}
        for name, spec in self.inputs.items():
            values = np.asarray(spec.draw(rng))
            if spec.type == "bf16":
                arrays[name] = compare.bf16_bits(values).view("V2").reshape(values.shape)
            else:
                arrays[name] = values.astype(NUMPY_TYPES[spec.type])
        return arrays

    def expected(self, arrays):
        """The formula on the stored inputs, floats in float64, complex numbers of them."""
        values = {}
        for name, array in arrays.items():
            if self.inputs[name].type == "bf16":
                array = compare.bf16_values(array)
            values[name] = compare.widened(array) if array.dtype.kind in "fc" else array
        results = self.formula(**values)
        if not isinstance(results, dict):
            (only,) = self.outputs
            results = {only: results}
        return results

    def stored_type(self, output):
        """NumPy's; of bf16 that of two bytes."""
        type = self.outputs[output]
        return np.dtype("V2") if type == "bf16" else np.dtype(NUMPY_TYPES[type])

    def tolerance_of(self, output):
        """Relative; 0 of what is exact."""
        dtype = self.stored_type(output)
        if dtype.kind == "V":
            return self.tolerance.get(output, compare.BF16_TOLERANCE)
        if dtype.kind not in "fc" or output in self.exact:
            return 0
        return self.tolerance.get(output, compare.TOLERANCE[dtype])

    def check(self, got, want):
        """Compares all outputs; `want` as from expected()."""
        for name in self.outputs:
            dtype, tolerance = self.stored_type(name), self.tolerance_of(name)
            if dtype.kind == "V":
                if got[name].dtype.itemsize != 2:
                    raise CheckFailed(f"output {name}: type {got[name].dtype}, expected 2 bytes")
                compare.check_close(name, compare.bf16_values(got[name]), want[name], tolerance)
            elif tolerance == 0:
                compare.check_equal(name, got[name], np.asarray(want[name]).astype(dtype))
            else:
                compare.check_shape(name, got[name], np.shape(want[name]), dtype)
                compare.check_close(name, got[name], want[name], tolerance)

    def options(self):
        return [f"-D{name}={value}" for name, value in self.params.items()]


def program(source, inputs, outputs, exact=(), tolerance=None, params=None):
    """Declares a program named after the function that computes its results.

    `outputs` maps names to types, or is "Z:f32 W:i32".
    """
    if isinstance(outputs, str):
        outputs = dict(word.split(":") for word in outputs.split())

    def declare(formula):
        name = formula.__name__
        assert name not in PROGRAMS, name
        lines = [line.strip() for line in source.strip().splitlines()]
        lines += [f"output {output}" for output in outputs]
        PROGRAMS[name] = Program(
            name,
            "\n".join(lines) + "\n",
            inputs,
            outputs,
            formula,
            set(exact),
            tolerance or {},
            params or {},
        )
        return formula

    return declare
