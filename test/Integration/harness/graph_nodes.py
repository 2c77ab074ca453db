"""What graphs may hold beside selectors: blocks whose functions a C file has, operators
that rules expand, einsums, and loops over some of them."""

import pathlib

import numpy as np

from . import driver
from .generator import Vertex
from .graphs import Graph

INCLUDE = pathlib.Path(__file__).resolve().parents[3] / "runtime" / "include"
C_TYPES = {"f32": "float", "f64": "double", "i32": "int32_t", "i8": "int8_t"}
# Signatures, to be completed by the element type.
KERNELS = {
    "smooth": "[b, x] (X : {t}[b, x : 3] params more : i64) -> (Y : {t}[b, x]) cost {{point.flops = 4}}",
    "strided": "[i, k] (X : {t}[3 * i : 3 step 2, k]) -> (Y : {t}[i, k])",
    "stats": "[n, k] (X : {t}[n, k]) -> (S : {t}[n] add, M : {t}[k] max)",
    "turned": "[] (X : {t}[*, *]) -> (Y : {t}[*, *])",
    "tiles": "[t, c] (X : {t}[t, c]) -> (Y : {t}[4 * t : 4, c])",
    "ramp": "[i] (params step : i64) -> (Y : {t}[i])",
}
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
    for (int64_t i = 0; i < n; ++i)                                           \\
      for (int64_t j = 0; j < m; ++j)                                         \\
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
  }
"""


def build_object(folder):
    """b.o with all functions."""
    lines = [FUNCTIONS, *(f"FUNCTIONS({name}, {kind})" for name, kind in C_TYPES.items())]
    (folder / "b.c").write_text("\n".join(lines) + "\n")
    words = ["cc", "-O1", "-fwrapv", "-Wall", "-Werror", "-c", f"-I{INCLUDE}", "b.c", "-o", "b.o"]
    driver.execute(words, folder).expect_status(0)


class Rejected(Exception):
    """The node at hand is no good; another one is drawn."""


def exact(value, terms=None):
    """The value; rejected where its terms, of floats, may have been rounded."""
    bound = np.abs(value if terms is None else terms).max(initial=0) if value.dtype.kind == "f" else 0
    if value.size > 3000 or bound >= 2**22:
        raise Rejected
    return value


class NodeGraph(Graph):
    """A graph of all kinds of nodes."""

    KINDS = ["selector"] * 4 + ["block"] * 3 + ["operator"] * 2 + ["sum", "reduce", "loop"]

    def draw(self):
        kind = str(self.rng.choice(self.KINDS))
        before = len(self.values), len(self.lines), len(self.sources), len(self.vertices), len(self.aliases)
        try:
            getattr(self, f"draw_{kind}")()
            for value in self.values[before[0] :]:
                exact(value)
        except Rejected:
            for kept, count in zip(
                (self.values, self.lines, self.sources, self.vertices, self.aliases), before
            ):
                del kept[count:]

    def draw_selector(self):
        self.select()

    def pick(self, ranks=(1, 2, 3, 4)):
        """A tensor of numbers, rather a late one."""
        fits = [k for k, x in enumerate(self.values)
                if x.ndim in ranks and x.size and x.dtype != bool and self.element_of(x) in C_TYPES]  # fmt: skip
        if not fits:
            raise Rejected
        return fits[-1 - int(min(self.rng.integers(4), len(fits) - 1))]

    def alias(self, kernel, element):
        name = f"{kernel}_{element}"
        text = f'#{name} = #tapestry.kernel<"{name}" {KERNELS[kernel].format(t=element)}>'
        if text not in self.aliases:
            self.aliases.append(text)
        return f"#{name}"

    def block(self, kernel, k, labels, results, params="", element=None, name=None):
        """A block of one tensor or none; `results` are its values."""
        element = element or self.element_of(self.values[k])
        names = [f"T{len(self.values) + number}" for number in range(len(results))]
        read = [] if k is None else [k]
        extents = ", ".join(f"{label} = {n}" for label, n in labels)
        types = ", ".join(map(self.type_of, results))
        types = types if len(results) == 1 else f"({types})"
        self.lines.append(
            f'  {", ".join(f"%{n}" for n in names)} = tapestry.block "{names[0]}" '
            f"{self.alias(kernel, element)} [{extents}] ({', '.join(f'%T{n}' for n in read)}) "
            f"{{{params}}} : ({', '.join(self.type_of(self.values[n]) for n in read)}) -> {types}"
        )
        self.values += results
        self.vertices.append(Vertex(names[0], [label for label in labels if label[0] != "t"]))

    def draw_block(self):
        rng = self.rng
        kernel = str(rng.choice(list(KERNELS)))
        if kernel == "ramp":
            count, step = int(rng.integers(1, 9)), int(rng.integers(-3, 4))
            element = self.type if self.type in C_TYPES else "i32"
            kind = dict(f32="f4", f64="f8", i32="i4", i8="i1")[element]
            made = (np.arange(count) * step).astype(kind)
            self.block(kernel, None, [("i", count)], [made], f"step = {step} : i64", element)
            return
        k = self.pick([2])
        x = self.values[k]
        rows, columns = x.shape
        if kernel == "smooth" and columns >= 3:
            more = int(rng.integers(-9, 9))
            value = x[:, :-2] - 2 * x[:, 1:-1] + x[:, 2:] + x.dtype.type(more)
            labels = [("b", rows), ("x", columns - 2)]
            self.block(kernel, k, labels, [value.astype(x.dtype)], f"more = {more} : i64")
        elif kernel == "strided" and rows >= 5:
            count = (rows - 5) // 3 + 1
            value = x[0 : 3 * count : 3] - x[4 : 4 + 3 * count : 3]
            self.block(kernel, k, [("i", count), ("k", columns)], [value])
        elif kernel == "stats":
            sums = exact(x.sum(axis=1, dtype=x.dtype), np.abs(x).sum(axis=1, dtype=x.dtype))
            self.block(kernel, k, [("n", rows), ("k", columns)], [sums, x.max(axis=0)])
        elif kernel == "turned":
            self.block(kernel, k, [], [x[::-1, ::-1]])
        elif kernel == "tiles":
            value = (x[:, None, :] + np.arange(4, dtype=x.dtype)[None, :, None]).reshape(4 * rows, columns)
            self.block(kernel, k, [("t", rows), ("c", columns)], [value])

    def draw_operator(self):
        """X W + b or X W."""
        k = self.pick([1, 2, 3])
        x = self.values[k]
        has_bias = self.rng.random() < 0.6
        out = int(self.rng.integers(1, 7))
        element = self.element_of(x)
        read = [k]
        for shape in ([x.shape[-1], out], [out])[: 1 + has_bias]:
            read.append(len(self.values))
            self.leaf(shape, element)
        values = [self.values[n] for n in read]
        made = exact(x @ values[1], np.abs(x) @ np.abs(values[1]))
        if has_bias:
            made = made + values[2]
        name = f"T{len(self.values)}"
        kind = "linear" if has_bias else "matmul"
        self.lines.append(
            f'  %{name} = tapestry.operator "{name}" "{kind}"({", ".join(f"%T{n}" for n in read)}) : '
            f"({', '.join(map(self.type_of, values))}) -> {self.type_of(made)}"
        )
        self.values.append(made.astype(x.dtype))

    def einsum(self, read, extents, maps, result, body, value, reduce=""):
        name = f"T{len(self.values)}"
        element = self.element_of(self.values[read[0]])
        reads = ", ".join(f"%T{n}[{at}]" for n, at in zip(read, maps))
        arguments = ", ".join(f"%a{number}: {element}" for number in range(len(read)))
        self.lines.append(
            f'  %{name} = tapestry.einsum "{name}" [{", ".join(f"{a} = {n}" for a, n in extents)}] '
            f"({reads}) -> [{result}] {reduce}{{\n  ^bb0({arguments}):\n{body}\n  }} : "
            f"({', '.join(self.type_of(self.values[n]) for n in read)}) -> {self.type_of(value)}"
        )
        self.values.append(value)
        self.vertices.append(Vertex(name, extents))

    def draw_sum(self):
        """Of two tensors of one shape."""
        k = self.pick()
        x = self.values[k]
        fits = [n for n, y in enumerate(self.values) if y.shape == x.shape and y.dtype == x.dtype]
        other = int(self.rng.choice(fits))
        element = self.element_of(x)
        labels = [(f"l{d}", n) for d, n in enumerate(x.shape)]
        at = ", ".join(label for label, _ in labels)
        add = "arith.addf" if element[0] == "f" else "arith.addi"
        body = f"    %s = {add} %a0, %a1 : {element}\n    tapestry.yield %s : {element}"
        self.einsum([k, other], labels, [at, at], at, body, x + self.values[other])

    def draw_reduce(self):
        """The sums along a dimension."""
        k = self.pick()
        x = self.values[k]
        dim = int(self.rng.integers(x.ndim))
        labels = [(f"l{d}", n) for d, n in enumerate(x.shape)]
        kept = ", ".join(label for d, (label, _) in enumerate(labels) if d != dim)
        element = self.element_of(x)
        value = exact(x.sum(axis=dim, dtype=x.dtype), np.abs(x).sum(axis=dim, dtype=x.dtype))
        labels.append(labels.pop(dim))
        at = ", ".join(f"l{d}" for d in range(x.ndim))
        body = f"    tapestry.yield %a0 : {element}"
        self.einsum([k], labels, [at], kept, body, np.asarray(value), "reduce add ")

    def draw_loop(self):
        """A tensor through blocks, selectors and sums, several times."""
        rng = self.rng
        k = self.pick([2])
        carried, passes = self.values[k], int(rng.integers(1, 4))
        type = self.type_of(carried)
        # Its memory becomes the loop's.
        name = f"T{len(self.values)}"
        start = f"%{name}_c"
        self.lines.append(f'  {start} = tapestry.copy "{name}_c" %T{k} : ({type}) -> {type}')
        element = self.element_of(carried)
        add = "arith.addf" if element[0] == "f" else "arith.addi"
        last, lines, steps = f"%{name}_0", [], []
        for number in range(1, 1 + int(rng.integers(1, 4))):
            step = str(rng.choice(["turned", "reverse", "sum", "max"]))
            made = f"{name}_{number}"
            if step == "turned":
                alias = self.alias("turned", element)
                lines.append(f'    %{made} = tapestry.block "{made}" {alias} [] ({last}) {{}} : ({type}) -> {type}')
                steps.append(lambda x: x[::-1, ::-1])
            elif step == "reverse":
                dim = int(rng.integers(2))
                lines.append(f'    %{made} = tapestry.reverse "{made}" {last} along [{dim}] : ({type}) -> {type}')
                steps.append(lambda x, dim=dim: np.flip(x, dim))
            elif step == "max":
                lines.append(f'    %{made} = tapestry.operator "{made}" "max"({last}, %T{k}) : ({type}, {type}) -> {type}')
                steps.append(lambda x: np.maximum(x, carried))
            else:
                rows, columns = carried.shape
                lines.append(
                    f'    %{made} = tapestry.einsum "{made}" [i = {rows}, j = {columns}] ({last}[i, j], %T{k}[i, j]) -> [i, j] {{\n'
                    f"    ^bb0(%a: {element}, %b: {element}):\n      %s = {add} %a, %b : {element}\n"
                    f"      tapestry.yield %s : {element}\n    }} : ({type}, {type}) -> {type}"
                )
                steps.append(lambda x: x + carried)
            last = f"%{made}"
        value = carried
        for _ in range(passes):
            for step in steps:
                value = step(value)
        self.lines += [
            f'  %{name} = tapestry.loop "{name}" {passes} from {start} : {type} {{',
            f"  ^bb0(%{name}_0: {type}):", *lines, f"    tapestry.next {last} : {type}", "  }",
        ]  # fmt: skip
        self.values.append(value)
