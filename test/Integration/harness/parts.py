"""What random programs are made of: tensors with their values, views of them, and the
vertices that a plan may cut."""

import dataclasses
import math

import numpy as np

from . import compare
from .bounded import FLOATS, INTEGERS, NUMPY_TYPES, Bounded, round_to


@dataclasses.dataclass
class Tensor:
    name: str
    type: str
    shape: tuple
    value: Bounded
    reads: set = dataclasses.field(default_factory=set)  # (reader, subscripts)


@dataclasses.dataclass
class Label:
    name: str
    extent: int
    is_plain: bool = False  # a subscript without padding is just this label


@dataclasses.dataclass
class Vertex:
    """What a plan may cut: a statement, or an input that is read twice."""

    name: str
    labels: list  # (name, extent)
    is_input: bool = False


@dataclasses.dataclass
class Definition:
    """What defines tensors of a program: an input, a constant or a statement."""

    text: str
    tensors: list
    vertices: list = dataclasses.field(default_factory=list)
    head: tuple = ()  # lines that the program begins with
    file: np.ndarray | None = None  # what the file of an input holds
    is_leaf: bool = False

    @property
    def is_read(self):
        return any(tensor.reads for tensor in self.tensors)

    def reads_of(self, other):
        """The tensors of another definition that this one reads."""
        names = {tensor.name for tensor in self.tensors}
        return [t for t in other.tensors if any(reader in names for reader, _ in t.reads)]


def source_of(definitions, outputs):
    heads = dict.fromkeys(line for definition in definitions for line in definition.head)
    texts = [definition.text for definition in definitions]
    return "\n".join([*heads, *texts, *(f"output {name}" for name in outputs)]) + "\n"


def input_text(tensor):
    return f"input {tensor.name} : {tensor.type}[{', '.join(map(str, tensor.shape))}]"


class RandomProgram:
    """A program, and what it makes of its inputs."""

    def __init__(self, definitions, outputs):
        self.definitions = definitions
        self.outputs = outputs  # name -> Bounded
        self.source = source_of(definitions, outputs)
        files = [d for d in definitions if d.file is not None]
        self.inputs = {d.tensors[0].name: d.file for d in files}
        shared = [d.tensors[0] for d in files if len(d.tensors[0].reads) > 1]
        self.vertices = [
            *(Vertex(t.name, [(str(d), e) for d, e in enumerate(t.shape)], True) for t in shared),
            *(vertex for definition in definitions for vertex in definition.vertices),
        ]

    def halves(self, rng):
        """Two programs that make the same one after the other; what the second needs of
        the first is an output of that. Nothing where a half would have no output."""
        places = [n for n, d in enumerate(self.definitions) if not d.is_leaf][1:]
        if not places:
            return None
        place = int(rng.choice(places))
        first, second = self.definitions[:place], self.definitions[place:]
        leaves, handed, needed = [], [], []
        for definition in first:
            read = [t for other in second for t in other.reads_of(definition)]
            if definition.is_leaf:
                leaves += [definition] if read else []
                continue
            needed += [t for t in definition.tensors if t in read]
            handed += [t.name for t in definition.tensors if t in read or t.name in self.outputs]
        made = [t.name for d in second for t in d.tensors if t.name in self.outputs]
        if not handed or not made:
            return None
        inputs = [Definition(input_text(tensor), [tensor]) for tensor in needed]
        return source_of(first, handed), source_of([*leaves, *inputs, *second], made)

    def check(self, got):
        for name, expected in self.outputs.items():
            array = got[name]
            if expected.type == "bf16":
                array = compare.bf16_values(array)
            else:
                compare.check_shape(
                    name, array, expected.value.shape, np.dtype(NUMPY_TYPES[expected.type])
                )
            if not expected.is_float:
                compare.check_equal(name, array, expected.value)
            else:
                # Twice the bound: it is of first order.
                compare.check_within(name, array, expected.value, 2 * expected.error)


class Rejected(Exception):
    """The statement at hand is no good; another one is drawn."""


VIEWS = ["flip", "transpose", "concat", "stack", "interleave", "repeat", "tile", "reshape"]


def _slice_text(part):
    """A slice or an index as it is written."""
    if not isinstance(part, slice):
        return str(part)
    words = ["" if word is None else str(word) for word in (part.start, part.stop, part.step)]
    return ":".join(words if words[2] else words[:2])


def _draw_slice(rng, extent, may_drop):
    """A part of a dimension with an element at least: a slice or an index."""
    if may_drop and rng.random() < 0.2:
        return int(rng.integers(-extent, extent))
    for _ in range(9):
        start, stop = (int(b) if rng.random() < 0.6 else None for b in rng.integers(-extent, extent, 2))
        part = slice(start, stop, [None, None, 1, 2, 3, -1, -2][rng.integers(7)])
        if range(extent)[part]:
            return part
    return slice(None, None, None)


def draw_view(rng, tensor, others=()):
    """The tensor seen otherwise, also beside one of others: what Ein calls a view, as a
    tensor of that name, and the tensors behind it."""
    shape, axis = tensor.shape, int(rng.integers(len(tensor.shape)))
    choice = str(rng.choice([*VIEWS, "slice", "slice"]))
    same = [t for t in others if t.type == tensor.type and t.shape == shape]
    other = same[rng.integers(len(same))] if same else tensor
    read = [tensor]
    if choice == "flip":
        name, see = f"flip[{axis}]({tensor.name})", lambda a, b: np.flip(a, axis)
    elif choice == "transpose":
        order = [int(a) for a in rng.permutation(len(shape))]
        name = f"transpose[{', '.join(map(str, order))}]({tensor.name})"
        see = lambda a, b: a.transpose(order)  # noqa: E731
    elif choice in ("concat", "stack", "interleave") and 2 * math.prod(shape) <= 1500:
        axis += int(choice == "stack" and rng.random() < 0.5)
        name = f"{choice}[{axis}]({tensor.name}, {other.name})"
        read.append(other)
        see = {
            "concat": lambda a, b: np.concatenate([a, b], axis),
            "stack": lambda a, b: np.stack([a, b], axis),
            "interleave": lambda a, b: np.stack([a, b], axis + 1).reshape(
                [2 * n if d == axis else n for d, n in enumerate(shape)]
            ),
        }[choice]
    elif choice in ("repeat", "tile") and 3 * math.prod(shape) <= 1500:
        times = int(rng.integers(1, 4))
        counts = [times if d == axis else 1 for d in range(len(shape))]
        if choice == "repeat":
            name, see = f"repeat[{axis}, {times}]({tensor.name})", lambda a, b: np.repeat(a, times, axis)
        else:
            name = f"tile[{', '.join(map(str, counts))}]({tensor.name})"
            see = lambda a, b: np.tile(a, counts)  # noqa: E731
    elif choice == "reshape":
        rows = math.prod(shape[:axis])
        new = [rows, math.prod(shape) // rows] if axis else [math.prod(shape)]
        name = f"reshape[{', '.join(map(str, new))}]({tensor.name})"
        see = lambda a, b: a.reshape(new)  # noqa: E731
    else:
        parts = []
        for number, extent in enumerate(shape):
            left = sum(isinstance(part, slice) for part in parts) + len(shape) - number
            parts.append(_draw_slice(rng, extent, left > 1))
        name = f"{tensor.name}[{', '.join(map(_slice_text, parts))}]"
        see = lambda a, b: a[tuple(parts)]  # noqa: E731
    value = Bounded(
        tensor.type, see(tensor.value.value, other.value.value), see(tensor.value.error, other.value.error)
    )
    return Tensor(name, tensor.type, value.value.shape, value), read


def reject_unfit(value):
    """Values that cannot be compared well make no test."""
    if not value.is_float:
        return
    limit = {"f16": 1e3, "bf16": 1e6}.get(value.type, 1e6)
    if not np.all(np.isfinite(value.value)) or np.any(np.abs(value.value) > limit):
        raise Rejected
    scale = np.sqrt(np.mean(value.value**2))
    if not np.all(value.error <= 0.02 * (scale + np.abs(value.value))):
        raise Rejected


def draw_input(rng, type, shape):
    """(file contents, Bounded)"""
    if type == "bool":
        values = rng.random(shape) < 0.5
        return values, Bounded(type, values)
    if type in INTEGERS:
        high = {"i8": 100, "i16": 20000}.get(type, 10**6) if rng.random() < 0.3 else 5
        values = rng.integers(-high, high + 1, shape).astype(NUMPY_TYPES[type])
        return values, Bounded(type, values)
    # Quarters are exact in all types and make ties; others round.
    values = np.round(rng.uniform(-2, 2, shape) * 4) / 4 if rng.random() < 0.2 else rng.uniform(-2, 2, shape)
    values = round_to(type, values)
    stored = values.astype(NUMPY_TYPES[type])
    if type == "bf16":
        stored = compare.bf16_bits(values).view("V2").reshape(values.shape)
    return stored, Bounded(type, values)


def draw_leaf(rng, name, type, shape, constants=0.2):
    """An input or, where it is small, now and then a constant."""
    stored, value = draw_input(rng, type, shape)
    is_constant = bool(shape) and math.prod(shape) <= 24 and rng.random() < constants
    if is_constant and value.is_float:
        value = Bounded(type, np.round(value.value * 4) / 4)
    tensor = Tensor(name, type, tuple(shape), value)
    if is_constant:
        text = str(value.value.tolist()).lower()
        text = f"{name} : {type}[{', '.join(map(str, shape))}] = {text}"
        return Definition(text, [tensor], is_leaf=True)
    return Definition(input_text(tensor), [tensor], file=stored, is_leaf=True)
