"""What graphs may hold beside selectors: sources and sinks that name files, generators,
sequence points and what follows them, blocks with bodies or functions that a C file has,
operators that rules expand, einsums, operators that are one with what they read, shards,
and loops over some of them."""

import numpy as np

from . import philox
from .blocks import BODIES, C_TYPES, KERNELS, PADS, call_ramp, draw_call, regions
from .bounded import Bounded
from .parts import Vertex
from .graphs import TYPES, Graph, Rejected, exact
from .operator_nodes import OperatorNodes


class NodeGraph(OperatorNodes, Graph):
    """A graph of all kinds of nodes."""

    def __init__(self, rng, leaves):
        super().__init__(rng, leaves)
        self.files = []  # sources that name a file

    KINDS = [*["selector"] * 4, *["block"] * 3, *["operator", "shards", "await"] * 2,
             "sum", "reduce", "loop", "fused"]  # fmt: skip

    def draw(self):
        kind = str(self.rng.choice(self.KINDS))
        lists = self.values, self.lines, self.sources, self.files, self.vertices, self.aliases, self.points
        before = [len(kept) for kept in lists]
        try:
            getattr(self, f"draw_{kind}")()
            for value in self.values[before[0] :]:
                exact(value)
        except Rejected:
            for kept, count in zip(lists, before):
                del kept[count:]

    def leaf(self, shape=None, element=None):
        """A source, also out of a file or generator that it names, or a constant."""
        super().leaf(shape, element)
        name, value = f"T{len(self.values) - 1}", self.values[-1]
        if f'tapestry.source "{name}"' not in self.lines[-1] or self.leaves.random() < 0.5:
            return
        makers = ["file"]
        if value.dtype not in (bool, np.int8) or (value.dtype == np.int8 and value.size <= 128):
            makers.append("iota")
        if value.dtype.kind == "i":
            makers.append("bits")
        target = str(self.leaves.choice(makers))
        if target == "file":
            self.files.append(name)
            target = f'file<"{name}.npy">'
            if self.points and self.leaves.random() < 0.5:
                target += f" after {self.points[int(self.leaves.integers(len(self.points)))]}"
        else:
            self.sources.remove(name)
            made = np.arange(value.size).reshape(value.shape)
            if target == "bits":
                seed = int(self.leaves.integers(-9, 9))
                made = philox.bits(value.shape, seed, f"{name}#0", value.dtype)
                target = f"bits seed {seed}"
            self.values[-1] = made.astype(value.dtype)
            target = f"generator<{target}>"
        self.lines[-1] = self.lines[-1].replace(f'"{name}" :', f'"{name}" from {target} :')

    def draw_selector(self):
        self.select()

    def draw_await(self):
        self.order()

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

    def draw_block(self):
        """Of a tensor or, a ramp, of none."""
        kernel = str(self.rng.choice(list(KERNELS)))
        read, element = [], self.type if self.type in C_TYPES else "i32"
        if kernel == "ramp":
            call = call_ramp(self.rng, element)
        else:
            read = [self.pick([2])]
            element = self.element_of(self.values[read[0]])
            call = draw_call(self.rng, kernel, Bounded(element, self.values[read[0]]))
        if call is None:
            return
        if kernel == "stats":
            x = np.abs(self.values[read[0]])
            exact(x, x.sum(axis=1, dtype=x.dtype))
        results = [value.value.astype(TYPES[element]) for value in call.results]
        names = [f"T{len(self.values) + number}" for number in range(len(results))]
        extents = ", ".join(f"{label} = {n}" for label, n in call.labels)
        element_pad = f"{PADS.get(kernel)}{'.0' if element[0] == 'f' else ''} : {element}"
        pads = f" pads [{element_pad}]" if kernel in PADS else ""
        more = regions(kernel, element, kernel in BODIES and self.rng.random() < 0.5)
        if self.rng.random() < 0.4:
            more = " idempotent" + more
        params = ", ".join(f"{name} = {value} : i64" for name, value in call.params.items())
        types = ", ".join(map(self.type_of, results))
        types = types if len(results) == 1 else f"({types})"
        self.lines.append(
            f'  {", ".join(f"%{n}" for n in names)} = tapestry.block "{names[0]}" '
            f"{self.alias(kernel, element)} [{extents}] ({', '.join(f'%T{n}' for n in read)}){pads} "
            f"{{{params}}}{more} : ({', '.join(self.type_of(self.values[n]) for n in read)}) -> {types}"
        )
        self.values += results
        self.vertices.append(Vertex(names[0], call.cut_labels))

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


    @property
    def text(self):
        """With what sinks follow, of points and of sinks before them."""
        rng = np.random.default_rng([len(self.lines), 0x0D])
        lines, done = [], 0
        for k in self.sinks:
            target = f' to file<"O{k}.npy">' if k in self.file_sinks else ""
            points = [*self.points, *([f"%after{done}"] if done else [])]
            after = f" after {rng.choice(points)}" if points and rng.random() < 0.5 else ""
            sink = f'tapestry.sink "O{k}", %T{k}{target}{after} : {self.type_of(self.values[k])}'
            if rng.random() < 0.3:
                done += 1
                lines.append(f"  %done{done} = {sink} -> !tapestry.point")
                lines.append(f"  %after{done} = tapestry.sequence_point %done{done} : !tapestry.point")
            else:
                lines.append(f"  {sink}")
        return "\n".join([*self.aliases, "tapestry.graph @nodes {", *self.lines, *lines, "}", ""])


def random_graph(seed):
    """The random graph of this seed, with its text."""
    rng = np.random.default_rng([seed, 0x67A])
    graph = NodeGraph(rng, np.random.default_rng([seed, 0xC05]))
    for _ in range(rng.integers(1, 3)):
        graph.leaf()
    for _ in range(9):
        graph.draw()
    last = len(graph.values) - 1
    graph.sinks = sorted({last, *(int(k) for k in rng.integers(len(graph.values), size=2))})
    graph.file_sinks = {k for k in graph.sinks if rng.random() < 0.3}
    return graph
