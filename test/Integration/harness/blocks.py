"""Blocks for random graphs and programs: functions of C, what both languages say of
them, and the values that they make."""

import dataclasses
import functools
import pathlib
import re
import shutil
import tempfile

import numpy as np

from . import driver
from .bounded import Bounded

INCLUDE = pathlib.Path(__file__).resolve().parents[3] / "runtime" / "include"
C_TYPES = {"f32": "float", "f64": "double", "i32": "int32_t", "i8": "int8_t"}
# Signatures in IR, to be completed by the element type.
KERNELS = {
    "smooth": "[b, x] (X : {t}[b, x : 3] params more : i64) -> (Y : {t}[b, x]) cost {{point.flops = 4}}",
    "strided": "[i, k] (X : {t}[3 * i : 3 step 2, k]) -> (Y : {t}[i, k])",
    "stats": "[n, k] (X : {t}[n, k]) -> (S : {t}[n] add, M : {t}[k] max)",
    "turned": "[] (X : {t}[*, *]) -> (Y : {t}[*, *])",
    "tiles": "[t, c] (X : {t}[t, c]) -> (Y : {t}[4 * t : 4, c])",
    "ramp": "[i] (params step : i64) -> (Y : {t}[i])",
    "shifted": "[b, x] (X : {t}[b - 1 : 2, x]) -> (Y : {t}[b, x])",
    "reach": "[n, k] (X : {t}[n, k]) -> (F : {t}[k] custom)",
}
# Of some the same as regions of IR, to be completed by the element type and what
# operations on it are called: what computes a point, and how results are combined.
BODIES = {
    "stats": "^bb0(%x: {t}, %n: index, %k: index):\n    tapestry.block_yield %x, %x : {t}, {t}",
    "shifted": """\
^bb0(%x: tensor<2x{t}>, %b: index, %i: index):
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %u = tensor.extract %x[%c0] : tensor<2x{t}>
    %v = tensor.extract %x[%c1] : tensor<2x{t}>
    %y = arith.sub{f} %u, %v : {t}
    tapestry.block_yield %y : {t}""",
    "reach": """\
^bb0(%x: {t}, %n: index, %k: index):
    %y = math.abs{f} %x : {t}
    tapestry.block_yield %y : {t}""",
}
COMBINERS = {
    "reach": """\
^bb0(%a: {t}, %b: {t}):
    %x = math.abs{f} %a : {t}
    %y = math.abs{f} %b : {t}
    %m = arith.max{max} %x, %y : {t}
    tapestry.block_yield %m : {t}
  }} identity {zero} : {t}""",
}
# What lies outside of the first operand.
PADS = {"shifted": 7}
# The same in .ein; `n` is the extent of a label that nothing decides.
DECLARATIONS = {
    "smooth": "[b, x](X[b, x:x + 3] : {t}, more : i64) -> Y[b, x] : {t} idempotent cost flops = 4",
    "strided": "[i, k](X[3*i:3*i + 5:2, k] : {t}) -> Y[i, k] : {t}",
    "stats": "[n, k](X[n, k] : {t}) -> sum S[n] : {t}, max M[k] : {t}",
    "turned": "(X[:n, :m] : {t}) -> Y[:n, :m] : {t} idempotent",
    "tiles": "[t, c](X[t, c] : {t}) -> Y[4*t:4*t + 4, c] : {t}",
    "ramp": "[i:{n}](step : i64) -> Y[i] : {t}",
    "shifted": "[b, x](pad(X, 7)[b - 1:b + 1, x] : {t}) -> Y[b, x] : {t}",
    "reach": "[n, k](X[n, k] : {t}) -> absmax F[k] : {t}",
}
# What declarations need in front of them.
MONOIDS = {"reach": "monoid absmax(a, b) = max(abs(a), abs(b)) identity 0"}
FUNCTIONS = """\
#include "tapestry-rt/Block.h"
#define AT1(type, tensor, i) (*(type *)tapestry_block_at1(tensor, i))
#define AT2(type, tensor, i, j) (*(type *)tapestry_block_at2(tensor, i, j))
#define EACH(i, label) for (int64_t i = call->lo[label]; i < call->hi[label]; ++i)
#define X (&call->inputs[0])
#define Y (&call->outputs[0])
#define FUNCTIONS(T, C)                                                       \\
  TAPESTRY_BLOCK(smooth_##T) {                                                \\
    EACH(b, 0) EACH(x, 1)                                                     \\
      AT2(C, Y, b, x) = (C)(AT2(C, X, b, x) - 2 * AT2(C, X, b, x + 1) +       \\
        AT2(C, X, b, x + 2) + (C)call->params[0].integer);                    \\
    return 0;                                                                 \\
  }                                                                           \\
  TAPESTRY_BLOCK(strided_##T) {                                               \\
    EACH(i, 0) EACH(k, 1)                                                     \\
      AT2(C, Y, i, k) = (C)(AT2(C, X, 3 * i, k) - AT2(C, X, 3 * i + 4, k));   \\
    return 0;                                                                 \\
  }                                                                           \\
  TAPESTRY_BLOCK(stats_##T) {                                                 \\
    EACH(n, 0) EACH(k, 1) {                                                   \\
      C x = AT2(C, X, n, k), *most = &AT1(C, &call->outputs[1], k);           \\
      AT1(C, Y, n) = (C)(AT1(C, Y, n) + x);                                   \\
      *most = x > *most ? x : *most;                                          \\
    }                                                                         \\
    return 0;                                                                 \\
  }                                                                           \\
  TAPESTRY_BLOCK(turned_##T) {                                                \\
    int64_t n = X->extents[0], m = X->extents[1];                             \\
    for (int64_t i = 0; i < n && i < Y->extents[0]; ++i)                      \\
      for (int64_t j = 0; j < m && j < Y->extents[1]; ++j)                    \\
        AT2(C, Y, i, j) = AT2(C, X, n - 1 - i, m - 1 - j);                    \\
    return 0;                                                                 \\
  }                                                                           \\
  TAPESTRY_BLOCK(tiles_##T) {                                                 \\
    EACH(t, 0) EACH(c, 1) for (int64_t r = 0; r < 4; ++r)                     \\
      AT2(C, Y, 4 * t + r, c) = (C)(AT2(C, X, t, c) + (C)r);                  \\
    return 0;                                                                 \\
  }                                                                           \\
  TAPESTRY_BLOCK(ramp_##T) {                                                  \\
    EACH(i, 0) AT1(C, Y, i) = (C)(i * call->params[0].integer);               \\
    return 0;                                                                 \\
  }                                                                           \\
  TAPESTRY_BLOCK(shifted_##T) {                                               \\
    EACH(b, 0) EACH(x, 1)                                                     \\
      AT2(C, Y, b, x) = (C)(AT2(C, X, b - 1, x) - AT2(C, X, b, x));           \\
    return 0;                                                                 \\
  }                                                                           \\
  TAPESTRY_BLOCK(reach_##T) {                                                 \\
    EACH(n, 0) EACH(k, 1) {                                                   \\
      C x = AT2(C, X, n, k), *most = &AT1(C, Y, k);                           \\
      x = (C)(x < 0 ? -x : x);                                                \\
      *most = x > *most ? x : *most;                                          \\
    }                                                                         \\
    return 0;                                                                 \\
  }
"""


def build_object(folder):
    """b.o with all functions."""
    lines = [FUNCTIONS, *(f"FUNCTIONS({name}, {kind})" for name, kind in C_TYPES.items())]
    (folder / "b.c").write_text("\n".join(lines) + "\n")
    words = ["cc", "-O1", "-fwrapv", "-Wall", "-Werror", "-c", f"-I{INCLUDE}", "b.c", "-o", "b.o"]
    driver.execute(words, folder).expect_status(0)


@functools.cache
def _objects():
    folder = tempfile.TemporaryDirectory(prefix="tapestry-test-")
    build_object(pathlib.Path(folder.name))
    return folder


def are_known(ir):
    """Whether the blocks of a graph are these, unchanged: functions trust their signatures."""
    known = {
        f'<"{name}_{type}" {KERNELS[name].format(t=type)}>' for name in KERNELS for type in C_TYPES
    }
    return set(re.findall(r'#tapestry\.kernel(<".*?[)}]>)', ir)) <= known


def object_options(text, folder):
    """What a program or graph in a folder is given that may use blocks."""
    if not re.search(r"extern block|tapestry\.kernel<", text):
        return []
    shutil.copy(pathlib.Path(_objects().name) / "b.o", folder)
    return ["--object=b.o"]


@dataclasses.dataclass
class Call:
    """A use of a function: `labels` with their extents, params by name, and the results."""

    kernel: str
    labels: list
    params: dict
    results: list

    @property
    def cut_labels(self):
        """But for those of tiles, which are never cut."""
        return [label for label in self.labels if label[0] != "t"]


def regions(kernel, element, has_body):
    """What stands behind the parameters of a block of IR."""
    is_float = element[0] == "f"
    fill = {"t": element, "f": "f" if is_float else "i", "max": "imumf" if is_float else "si",
            "zero": "0.0" if is_float else "0"}  # fmt: skip
    text = f" body {{\n  {BODIES[kernel].format(**fill)}\n  }}" if has_body else ""
    if kernel in COMBINERS:
        text += f" combine {{\n  {COMBINERS[kernel].format(**fill)}"
    return text


def call_ramp(rng, element):
    count, step = int(rng.integers(1, 9)), int(rng.integers(-3, 4))
    value = Bounded(element, np.arange(count) * step)
    return Call("ramp", [("i", count)], {"step": step}, [value])


def draw_call(rng, kernel, x):
    """A call of a function on a matrix, or None where that is too small for it."""
    rows, columns = x.value.shape
    if kernel == "smooth" and columns >= 3:
        more = int(rng.integers(-9, 9))
        last = x.seen(lambda a: a[:, 1:-1]).multiply(Bounded(x.type, 2))
        value = x.seen(lambda a: a[:, :-2]).subtract(last).add(x.seen(lambda a: a[:, 2:]))
        value = value.add(Bounded(x.type, more))
        return Call(kernel, [("b", rows), ("x", columns - 2)], {"more": more}, [value])
    if kernel == "strided" and rows >= 5:
        count = (rows - 5) // 3 + 1
        value = x.seen(lambda a: a[0 : 3 * count : 3])
        value = value.subtract(x.seen(lambda a: a[4 : 4 + 3 * count : 3]))
        return Call(kernel, [("i", count), ("k", columns)], {}, [value])
    if kernel == "stats":
        results = [x.reduce("sum", (1,)), x.reduce("max", (0,))]
        return Call(kernel, [("n", rows), ("k", columns)], {}, results)
    if kernel == "shifted":
        before = [np.pad(a, ((1, 0), (0, 0)), constant_values=c)[:-1] for a, c in ((x.value, 7), (x.error, 0))]
        return Call(kernel, [("b", rows), ("x", columns)], {}, [Bounded(x.type, *before).subtract(x)])
    # The least integer has no absolute value.
    if kernel == "reach" and (x.is_float or x.value.min(initial=0) > np.iinfo(x.value.dtype).min):
        largest = x.seen(lambda a: a)
        largest.value = np.abs(largest.value)
        return Call(kernel, [("n", rows), ("k", columns)], {}, [largest.reduce("max", (0,))])
    if kernel == "turned":
        return Call(kernel, [], {}, [x.seen(lambda a: a[::-1, ::-1])])
    if kernel == "tiles":
        tile = Bounded(x.type, np.tile(np.arange(4), rows)[:, None])
        value = x.seen(lambda a: np.repeat(a, 4, axis=0)).add(tile)
        return Call(kernel, [("t", rows), ("c", columns)], {}, [value])
    return None
