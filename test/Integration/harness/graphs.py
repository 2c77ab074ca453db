"""Random graphs in text, each node with its value: leaves, and what selectors make of
tensors. Floats are whole numbers, so that every value is exact."""

import numpy as np

from .parts import Vertex

TYPES = {"f32": "float32", "f64": "float64", "i32": "int32", "i8": "int8", "i1": "bool"}
CHOICES = ["where", "max", "min"]
PAD_MODES = {"edge": "edge", "reflect": "reflect", "symmetric": "symmetric"}


class Rejected(Exception):
    """The node at hand is no good; another one is drawn."""


def exact(value, terms=None):
    """The value; rejected where its terms, of floats, may have been rounded."""
    bound = np.abs(value if terms is None else terms).max(initial=0) if value.dtype.kind == "f" else 0
    if value.size > 3000 or bound >= 2**22:
        raise Rejected
    return value


class Graph:
    """A graph in text, with the values of its tensors."""

    def __init__(self, rng, leaves):
        self.rng = rng
        self.leaves = leaves
        self.type = str(rng.choice(list(TYPES)))
        self.aliases = []
        self.lines = []
        self.values = []
        self.sources = []
        self.points = []
        self.sinks = []
        self.file_sinks = set()  # of these, those that name a file
        self.vertices = []  # what a plan may cut, with its labels

    @staticmethod
    def element_of(array):
        return next(name for name, dtype in TYPES.items() if array.dtype == dtype)

    def type_of(self, array):
        return f"tensor<{''.join(f'{n}x' for n in array.shape)}{self.element_of(array)}>"

    def add(self, kind, operands, words, value):
        name = f"T{len(self.values)}"
        types = ", ".join(self.type_of(self.values[k]) for k in operands)
        read = ", ".join(f"%T{k}" for k in operands)
        what = f'tapestry.{kind} "{name}" {read} {words}'
        if kind in CHOICES:
            what = f'tapestry.operator "{name}" "{kind}"({read}) {words}'
        self.lines.append(f"  %{name} = {what} : ({types}) -> {self.type_of(value)}")
        self.values.append(value)
        if kind not in CHOICES:
            self.vertices.append(Vertex(name, [(f"d{d}", n) for d, n in enumerate(value.shape)]))

    def leaf(self, shape=None, element=None):
        """A source or a constant."""
        if shape is None:
            shape = self.rng.integers(1, 8, self.rng.integers(1, 4))
        element = element or self.type
        if element == "i1":
            value = self.rng.random(shape) < 0.5
        else:
            value = self.rng.integers(-50, 50, shape).astype(TYPES[element])
        name = f"T{len(self.values)}"
        if self.leaves.random() < 0.3:
            elements = str(value.tolist()).lower()
            leaf = f'constant "{name}" dense<{elements}>'
        else:
            leaf = f'source "{name}"'
            self.sources.append(name)
        self.lines.append(f"  %{name} = tapestry.{leaf} : {self.type_of(value)}")
        self.values.append(value)

    def constant(self, x):
        element = self.element_of(x)
        if element == "i1":
            return "true", True
        if element[0] == "f":
            return f"7.5 : {element}", 7.5
        return f"7 : {element}", 7

    def select(self):
        rng = self.rng
        k = int(rng.integers(max(0, len(self.values) - 3), len(self.values)))
        x = self.values[k]
        rank = x.ndim
        dim = int(rng.integers(rank)) if rank else 0
        kind = str(rng.choice(
            ["slice", "concat", "unsqueeze", "squeeze", "permute", "reverse", "broadcast",
             "repeat", "pad", "copy", "interleave", "interleave", "view", *CHOICES]))  # fmt: skip
        if kind == "slice":
            lo = [int(rng.integers(n)) for n in x.shape]
            hi = [int(rng.integers(a + 1, n + 1)) for a, n in zip(lo, x.shape)]
            step = [int(rng.integers(1, 4)) for _ in lo]
            cut = tuple(slice(a, b, s) for a, b, s in zip(lo, hi, step))
            self.add(kind, [k], f"{lo} => {hi} by {step}", x[cut])
        elif kind == "concat" and rank:
            same = [n for n, y in enumerate(self.values)
                    if y.dtype == x.dtype and y.ndim == rank and y.shape[:dim] == x.shape[:dim]
                    and y.shape[dim + 1 :] == x.shape[dim + 1 :]]  # fmt: skip
            parts = [int(rng.choice(same)) for _ in range(rng.integers(1, 4))]
            value = np.concatenate([self.values[n] for n in parts], dim)
            self.add(kind, parts, f"along {dim}", value)
        elif kind in CHOICES:
            self.choose(kind, k)
        elif kind == "interleave" and rank:
            self.interleave(k, dim)
        elif kind == "view" and 0 not in x.shape:
            self.view(k)
        elif kind == "unsqueeze" and rank < 4:
            at = int(rng.integers(rank + 1))
            self.add(kind, [k], f"at {at}", np.expand_dims(x, at))
        elif kind == "squeeze" and 1 in x.shape:
            at = int(rng.choice([d for d, n in enumerate(x.shape) if n == 1]))
            self.add(kind, [k], f"at {at}", x.squeeze(at))
        elif kind == "permute":
            order = [int(d) for d in rng.permutation(rank)]
            self.add(kind, [k], f"to {order}", x.transpose(order))
        elif kind == "reverse":
            dims = [d for d in range(rank) if rng.random() < 0.5]
            self.add(kind, [k], f"along {dims}", np.flip(x, dims))
        elif kind == "broadcast":
            shape = [int(rng.integers(1, 5)) if n == 1 else n for n in x.shape]
            self.add(kind, [k], f"to {shape}", np.broadcast_to(x, shape))
        elif kind == "repeat" and rank:
            times = int(rng.integers(1, 4))
            reps = [times if d == dim else 1 for d in range(rank)]
            self.add(kind, [k], f"along {dim} times {times}", np.tile(x, reps))
        elif kind == "pad" and rank:
            low = [int(rng.integers(0, 3)) for _ in x.shape]
            high = [int(rng.integers(0, 3)) for _ in x.shape]
            word, value = self.constant(x)
            how = str(rng.choice(["constant", *PAD_MODES]))
            widths = list(zip(low, high))
            if how == "constant":
                padded = np.pad(x, widths, constant_values=value)
            else:
                word, padded = f'"{how}"', np.pad(x, widths, mode=how)
            self.add(kind, [k], f"by {word} low {low} high {high}", padded)
        elif kind == "copy":
            self.add(kind, [k], "", x)

    def order(self):
        """A tensor behind a point that waits for another, and for the last point."""
        k, other = (int(self.leaves.integers(len(self.values))) for _ in range(2))
        awaited = {f"%T{other}": self.type_of(self.values[other])}
        if self.points:
            awaited[self.points[-1]] = "!tapestry.point"
        point = f"%p{len(self.points)}"
        name = f"T{len(self.values)}"
        self.lines.append(
            f"  {point} = tapestry.sequence_point {', '.join(awaited)} : {', '.join(awaited.values())}"
        )
        self.lines.append(
            f'  %{name} = tapestry.await "{name}" %T{k} after {point} : {self.type_of(self.values[k])}'
        )
        self.points.append(point)
        self.values.append(self.values[k])

    def choose(self, kind, k):
        """Cell by cell one of the tensor and others of its shape."""
        x = self.values[k]
        fits = [n for n, y in enumerate(self.values) if y.dtype == x.dtype and y.shape == x.shape]
        parts = [k, *(int(n) for n in self.rng.choice(fits, self.rng.integers(1, 3)))]
        if kind != "where":
            reduce = {"max": np.maximum, "min": np.minimum}[kind].reduce
            self.add(kind, parts, "", reduce([self.values[n] for n in parts]))
            return
        read, value = [parts[-1]], self.values[parts[-1]]
        for n in parts[:-1]:
            self.leaf(x.shape, "i1")
            read = [len(self.values) - 1, n, *read]
            value = np.where(self.values[-1], self.values[n], value)
        self.add(kind, read, "", value)

    def interleave(self, k, dim):
        """The tensor and others that are as long, or one shorter from some on."""
        rng = self.rng
        x = self.values[k]

        def shape(n):
            return [*x.shape[:dim], n, *x.shape[dim + 1 :]]

        parts = [k]
        for _ in range(rng.integers(0, 3)):
            last = self.values[parts[-1]].shape[dim]
            wanted = [shape(last)] + ([shape(last - 1)] if last == x.shape[dim] and last > 1 else [])
            fits = [n for n, y in enumerate(self.values)
                    if y.dtype == x.dtype and list(y.shape) in wanted]  # fmt: skip
            parts.append(int(rng.choice(fits)))
            if self.rng.random() < 0.4 and shape(last - 1) in wanted:
                # What is one shorter is made.
                cut = tuple(slice(0, n) for n in shape(last - 1))
                words = f"{[0] * x.ndim} => {shape(last - 1)}"
                parts[-1] = len(self.values)
                self.add("slice", [k], words, self.values[k][cut])
        value = np.zeros(shape(sum(self.values[n].shape[dim] for n in parts)), x.dtype)
        for turn, n in enumerate(parts):
            at = [slice(None)] * x.ndim
            at[dim] = slice(turn, None, len(parts))
            value[tuple(at)] = self.values[n]
        self.add("interleave", parts, f"along {dim}", value)

    def view(self, k):
        """Each dimension by one of the result's, or by none: shifted, in steps, back."""
        rng = self.rng
        x = self.values[k]
        rank = int(rng.integers(0, 4))
        shape, forms, at = [int(rng.integers(1, 6)) for _ in range(rank)], [], []
        for n in x.shape:
            label = int(rng.integers(-1, rank)) if rank else -1
            if label < 0:
                place = int(rng.integers(n))
                forms.append(f"{place}")
                at.append(np.full(shape, place))
                continue
            reach = shape[label] - 1
            step = int(rng.integers(-(n - 1) // reach, (n - 1) // reach + 1)) if reach else 1
            step = max(-((n - 1) // reach), step) if reach else 1
            first = int(rng.integers(max(0, -step * reach), n - max(0, step * reach)))
            forms.append(f"{step} * d{label} + {first}")
            at.append(first + step * np.arange(shape[label]).reshape(
                [-1 if d == label else 1 for d in range(rank)]) + np.zeros(shape, int))  # fmt: skip
        words = f"by <({', '.join(f'd{d}' for d in range(rank))}) -> ({', '.join(forms)})>"
        self.add("view", [k], words, x[tuple(at)] if at else np.broadcast_to(x, shape))

    def join(self):
        """Parts of tensors of one shape, one behind the other, and an einsum that reads them."""
        rng = self.leaves
        k = int(rng.choice([n for n, x in enumerate(self.values) if x.ndim and x.size] or [-1]))
        if k < 0:
            return
        x = self.values[k]
        dim = int(rng.integers(x.ndim))
        fits = [n for n, y in enumerate(self.values) if y.dtype == x.dtype and y.shape == x.shape]
        parts = []
        for n in [k, *rng.choice(fits, rng.integers(1, 3))]:
            lo, hi = [0] * x.ndim, list(x.shape)
            lo[dim] = int(rng.integers(x.shape[dim]))
            hi[dim] = int(rng.integers(lo[dim], x.shape[dim])) + 1
            parts.append(len(self.values))
            cut = tuple(slice(a, b) for a, b in zip(lo, hi))
            self.add("slice", [int(n)], f"{lo} => {hi}", self.values[n][cut])
        value = np.concatenate([self.values[n] for n in parts], dim)
        self.add("concat", parts, f"along {dim}", value)
        self.read(len(self.values) - 1, is_shifted=False)

    def read(self, k, is_shifted=True):
        """An einsum that reads the tensor; shifted, beside it the constant."""
        x = self.values[k]
        element = self.element_of(x)
        word, value = self.constant(x)
        labels = [f"l{d}" for d in range(x.ndim)]
        shift = [int(self.rng.integers(-1, 2)) if is_shifted else 0 for _ in labels]
        pad = f" pad {word}" if is_shifted else ""
        name = f"T{len(self.values)}"
        at = ", ".join(f"{label} + {s}" for label, s in zip(labels, shift))
        extents = ", ".join(f"{label} = {n}" for label, n in zip(labels, x.shape))
        self.lines.append(
            f'  %{name} = tapestry.einsum "{name}" [{extents}] (%T{k}[{at}]{pad}) -> '
            f"[{', '.join(labels)}] {{\n  ^bb0(%x: {element}):\n    tapestry.yield %x : {element}\n"
            f"  }} : ({self.type_of(x)}) -> {self.type_of(x)}"
        )
        padded = np.pad(x, 1, constant_values=value) if x.ndim else x
        cut = tuple(slice(1 + s, 1 + s + n) for s, n in zip(shift, x.shape))
        self.values.append(padded[cut])
        self.vertices.append(Vertex(name, list(zip(labels, x.shape))))

    @property
    def text(self):
        lines = []
        for k in self.sinks:
            target = f' to file<"O{k}.npy">' if k in self.file_sinks else ""
            lines.append(f'  tapestry.sink "O{k}", %T{k}{target} : {self.type_of(self.values[k])}')
        return "\n".join([*self.aliases, "tapestry.graph @views {", *self.lines, *lines, "}", ""])
