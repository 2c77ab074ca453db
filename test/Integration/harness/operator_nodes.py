"""Operators that hold operators, for random graphs: a producer and what is made of it as
one, and shards, written by hand, of einsums and of such."""

import dataclasses
import itertools

import numpy as np

from .graphs import Rejected, exact
from .parts import Vertex


@dataclasses.dataclass
class Whole:
    """An operator on tensors: `text` says it of the names of what it makes and reads, and of
    a prefix of its labels; its last `reduced` labels are summed."""

    read: list  # numbers of tensors
    extents: list
    reduced: int
    slices: object  # of an index range the boxes that it reads
    text: object
    value: np.ndarray

    def labels(self, prefix):
        return [(f"{prefix}{number}", n) for number, n in enumerate(self.extents)]


def _einsum(made, name, labels, reads, result, types, body, reduce=""):
    """The text of an einsum whose elements are all of one type."""
    element = types[0].rpartition("x")[2][:-1].rpartition("<")[2]
    arguments = ", ".join(f"%a{number}: {element}" for number in range(len(reads)))
    return (
        f'{made} = tapestry.einsum "{name}" [{", ".join(f"{a} = {n}" for a, n in labels)}] '
        f"({', '.join(reads)}) -> [{', '.join(result)}] {reduce}{{\n    ^bb0({arguments}):\n"
        f"{body}    }} : ({', '.join(types[:-1])}) -> {types[-1]}"
    )


def _yield(element, op="", operands=("%a0", "%a1")):
    """The body that yields its argument, or what an operation makes of two."""
    if not op:
        return f"      tapestry.yield %a0 : {element}\n"
    kind = "f" if element[0] == "f" else "i"
    return f"      %s = arith.{op}{kind} {', '.join(operands)} : {element}\n      tapestry.yield %s : {element}\n"


def _box(ranges):
    return f"{[lo for lo, _ in ranges]} => {[hi for _, hi in ranges]}"


class OperatorNodes:
    """Draws for `graph_nodes.NodeGraph`."""

    def whole_sum(self):
        """Of two tensors of one shape."""
        k = self.pick()
        x = self.values[k]
        other = int(self.rng.choice([n for n, y in enumerate(self.values) if y.shape == x.shape and y.dtype == x.dtype]))
        type, element = self.type_of(x), self.element_of(x)

        def text(made, name, reads, prefix):
            labels = [f"{prefix}{d}" for d in range(x.ndim)]
            at = [f"{read}[{', '.join(labels)}]" for read in reads]
            return _einsum(made, name, zip(labels, x.shape), at, labels, [type] * 3, _yield(element, "add"))

        return Whole([k, other], x.shape, 0, lambda box: [box, box], text, x + self.values[other])

    def whole_shifted(self):
        """The tensor as it lies one further along a dimension, beside it the constant."""
        k = self.pick()
        x = self.values[k]
        dim, step = int(self.rng.integers(x.ndim)), int(self.rng.choice([-1, 1]))
        word, constant = self.constant(x)
        type, element = self.type_of(x), self.element_of(x)
        widths = [(1, 1) if d == dim else (0, 0) for d in range(x.ndim)]
        at = tuple(slice(1 + step, 1 + step + n) if d == dim else slice(None) for d, n in enumerate(x.shape))

        def slices(box):
            read = list(box)
            read[dim] = tuple(min(max(end + step, 0), x.shape[dim]) for end in box[dim])
            if read[dim][0] == read[dim][1]:
                raise Rejected
            return [read]

        def text(made, name, reads, prefix):
            labels = [f"{prefix}{d}" for d in range(x.ndim)]
            places = ", ".join(f"{a} + {step}" if d == dim else a for d, a in enumerate(labels))
            return _einsum(
                made, name, zip(labels, x.shape), [f"{reads[0]}[{places}] pad {word}"], labels, [type] * 2,
                _yield(element),
            )  # fmt: skip

        return Whole([k], x.shape, 0, slices, text, np.pad(x, widths, constant_values=constant)[at])

    def whole_reduce(self):
        """The sums along a dimension."""
        k = self.pick((2, 3))
        x = self.values[k]
        dim = int(self.rng.integers(x.ndim))
        kept = [d for d in range(x.ndim) if d != dim]
        value = np.asarray(exact(x.sum(axis=dim, dtype=x.dtype), np.abs(x).sum(axis=dim, dtype=x.dtype)))
        types, element = [self.type_of(x), self.type_of(value)], self.element_of(x)
        extents = [*(x.shape[d] for d in kept), x.shape[dim]]
        place = {d: number for number, d in enumerate([*kept, dim])}

        def text(made, name, reads, prefix):
            labels = [f"{prefix}{number}" for number in range(x.ndim)]
            at = f"{reads[0]}[{', '.join(labels[place[d]] for d in range(x.ndim))}]"
            return _einsum(
                made, name, zip(labels, extents), [at], labels[:-1], types, _yield(element), "reduce add "
            )

        return Whole([k], extents, 1, lambda box: [[box[place[d]] for d in range(x.ndim)]], text, value)

    def whole_fused(self):
        """What a sum along a dimension or of a tensor with itself gives, turned, minus a row."""
        k = self.pick((2, 3))
        x = self.values[k]
        dim = int(self.rng.integers(x.ndim)) if self.rng.random() < 0.6 else None
        kept = [d for d in range(x.ndim) if d != dim]
        if dim is None:
            made = exact(x + x)
        else:
            made = exact(x.sum(axis=dim, dtype=x.dtype), np.abs(x).sum(axis=dim, dtype=x.dtype))
        order = [int(d) for d in self.rng.permutation(made.ndim)]
        result = made.transpose(order)
        row = len(self.values)
        self.leaf([result.shape[-1]], self.element_of(x))
        value = result - self.values[row]
        types = [self.type_of(each) for each in (x, made, self.values[row], value)]
        element = self.element_of(x)

        def slices(box):
            own = {kept[d]: box[number] for number, d in enumerate(order)}
            return [[own.get(d, (0, n)) for d, n in enumerate(x.shape)], [box[-1]]]

        def text(result_name, name, reads, prefix):
            inner = [f"{prefix}p{d}" for d in range(x.ndim)]
            outer = [f"{prefix}{d}" for d in range(value.ndim)]
            at = f"%x[{', '.join(inner)}]"
            producer = _einsum(
                "%p", f"{name}_p", [(inner[d], x.shape[d]) for d in [*kept, *([] if dim is None else [dim])]],
                [at], [inner[d] for d in kept], types[:2],
                _yield(element, "" if dim is not None else "add", ("%a0", "%a0")),
                "" if dim is None else "reduce add ",
            )  # fmt: skip
            places = ", ".join(outer[order.index(d)] for d in range(value.ndim))
            consumer = _einsum(
                "%c", f"{name}_c", zip(outer, value.shape), [f"%p[{places}]", f"%row[{outer[-1]}]"], outer,
                [types[1], types[2], types[3]], _yield(element, "sub"),
            )  # fmt: skip
            return (
                f'{result_name} = tapestry.fused "{name}" ({", ".join(reads)}) {{\n'
                f"  ^bb0(%x: {types[0]}, %row: {types[2]}):\n    {producer}\n    {consumer}\n"
                f"    tapestry.fused_yield %c : {types[3]}\n  }} : ({types[0]}, {types[2]}) -> {types[3]}"
            )

        return Whole([k, row], value.shape, 0, slices, text, value)

    def draw_fused(self):
        whole = self.whole_fused()
        name = f"T{len(self.values)}"
        self.lines.append("  " + whole.text(f"%{name}", name, [f"%T{n}" for n in whole.read], "l"))
        self.vertices.append(Vertex(name, whole.labels("l")))
        self.values.append(whole.value)

    def draw_shards(self):
        """All shards of an operator, or those of some cells, put together."""
        kind = str(self.rng.choice(["sum", "shifted", "reduce", "fused"]))
        whole = getattr(self, f"whole_{kind}")()
        cuts = []
        for n in whole.extents:
            ends = sorted({0, n, *(int(end) for end in self.rng.integers(0, n + 1, self.rng.integers(0, 3)))})
            cuts.append(list(zip(ends, ends[1:])))
        if any(not blocks for blocks in cuts):
            raise Rejected
        value, cells = whole.value, len(whole.extents) - whole.reduced
        if self.rng.random() < 0.2:
            for d in range(cells):
                cuts[d] = [cuts[d][int(self.rng.integers(len(cuts[d])))]]
            value = value[tuple(slice(*blocks[0]) for blocks in cuts[:cells])]
        writer = ShardWriter(self, whole, f"T{len(self.values)}")
        boxes = list(itertools.product(*cuts))
        for number in self.rng.permutation(len(boxes)):
            writer.shard(boxes[int(number)])
        writer.join(cuts[:cells], cuts[cells:])
        self.values.append(np.asarray(value))


class ShardWriter:
    """Shards of an operator and what puts them together."""

    def __init__(self, graph, whole, name):
        self.graph = graph
        self.whole = whole
        self.name = name
        self.made = {}  # by their boxes
        self.count = 0

    def fresh(self):
        self.count += 1
        return f"{self.name}_{self.count}"

    def type_of(self, shape):
        value = self.whole.value
        return self.graph.type_of(np.empty(shape, value.dtype))

    def slice(self, number, box):
        tensor = self.graph.values[number]
        if all(each == (0, n) for each, n in zip(box, tensor.shape)):
            return f"%T{number}"
        name = self.fresh()
        shape = [hi - lo for lo, hi in box]
        self.graph.lines.append(
            f'  %{name} = tapestry.slice "{name}" %T{number} {_box(box)} : '
            f"({self.graph.type_of(tensor)}) -> {self.type_of(shape)}"
        )
        return f"%{name}"

    def shard(self, box):
        graph, whole = self.graph, self.whole
        read = whole.slices(box)
        inputs = [self.slice(number, each) for number, each in zip(whole.read, read)]
        name, prefix = self.fresh(), str(graph.rng.choice(["l", "l", "m", "k"]))
        cells = len(box) - whole.reduced
        shape = [hi - lo for lo, hi in box[:cells]]
        arguments = [f"%t{number}" for number in range(len(read))]
        types = [graph.type_of(graph.values[number]) for number in whole.read]
        given = [self.type_of([hi - lo for lo, hi in each]) for each in read]
        what = whole.text("%w", "W", arguments, prefix)
        graph.lines.append(
            f'  %{name} = tapestry.shard "{name}" {_box(box)} ({", ".join(inputs)}) {{\n'
            f"  ^bb0({', '.join(f'{a}: {t}' for a, t in zip(arguments, types))}):\n    {what}\n"
            f"    tapestry.part_of %w : {graph.type_of(whole.value)}\n"
            f"  }} : ({', '.join(given)}) -> {self.type_of(shape)}"
        )
        sizes = [hi - lo for lo, hi in box]
        graph.vertices.append(Vertex(name, [(a, n) for (a, _), n in zip(whole.labels(prefix), sizes)]))
        self.made[tuple(box)] = f"%{name}", shape

    def sum(self, first, second, name):
        (a, shape), (b, _) = first, second
        graph = self.graph
        labels = [f"l{d}" for d in range(len(shape))]
        type, at = self.type_of(shape), ", ".join(labels)
        body = _yield(graph.element_of(self.whole.value), "add")
        graph.lines.append(
            "  " + _einsum(f"%{name}", name, zip(labels, shape), [f"{a}[{at}]", f"{b}[{at}]"], labels, [type] * 3, body)
        )
        graph.vertices.append(Vertex(name, list(zip(labels, shape))))
        return f"%{name}", shape

    def concat(self, parts, dim):
        if len(parts) == 1:
            return parts[0]
        name = self.fresh()
        shape = list(parts[0][1])
        shape[dim] = sum(each[dim] for _, each in parts)
        types = ", ".join(self.type_of(each) for _, each in parts)
        self.graph.lines.append(
            f'  %{name} = tapestry.concat "{name}" {", ".join(each for each, _ in parts)} along {dim} : '
            f"({types}) -> {self.type_of(shape)}"
        )
        return f"%{name}", shape

    def cells(self, chosen, cuts, reduced):
        """What the blocks of the other labels give at these cells."""
        if cuts:
            parts = [self.cells([*chosen, block], cuts[1:], reduced) for block in cuts[0]]
            return self.concat(parts, len(chosen))
        partial = [self.made[(*chosen, *rest)] for rest in itertools.product(*reduced)]
        while len(partial) > 1:
            number = int(self.graph.rng.integers(len(partial) - 1))
            partial[number : number + 2] = [self.sum(*partial[number : number + 2], self.fresh())]
        return partial[0]

    def join(self, cuts, reduced):
        """The operator's result, under the name of the whole."""
        result, shape = self.cells([], cuts, reduced)
        lines = self.graph.lines
        type = self.type_of(shape)
        lines.append(f'  %{self.name} = tapestry.copy "{self.name}" {result} : ({type}) -> {type}')
