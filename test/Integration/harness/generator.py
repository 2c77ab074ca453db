"""Random .ein programs, each with its expected values.

A program is a random graph of statements; every statement is evaluated while it
is drawn, and drawn again where its values leave the range in which results can
be compared. The same seed gives the same program.
"""

import math

import numpy as np

from .bounded import FLOATS, INTEGERS, NUMPY_TYPES, Bounded
from .calls import draw_block, draw_product
from .expressions import Expression, ExpressionWriter, Impossible
from .ordering import draw_loop
from .parts import (
    Definition,
    Label,
    RandomProgram,
    Rejected,
    Tensor,
    Vertex,
    draw_leaf,
    draw_view,
    reject_unfit,
)

TYPES = ["f32"] * 9 + ["f64"] * 2 + ["f16", "bf16"] + ["i32"] * 3 + ["i64", "i16", "i8"] + ["bool"] * 3
EXTENTS = [1, 2, 3, 4, 5, 6, 7, 8, 11, 12, 13]
MONOIDS = {
    "float": ["sum"] * 5 + ["max", "max", "min", "prod"],
    "integer": ["sum"] * 3 + ["max", "min", "prod", "xor"],
    "bool": ["any", "all", "xor"],
}
SCANS = {"sum": "cumsum", "prod": "cumprod", "max": "cummax", "min": "cummin"}
# The same as a program may define them; what they begin with follows.
OWN = {
    "sum": "a + b", "prod": "b * a", "max": "select(a > b, a, b)", "min": "select(b < a, b, a)",
    "xor": "a ^ b", "any": "a || b", "all": "a && b",
}  # fmt: skip
BEGINS = {"sum": "0", "prod": "1", "xor": "0", "any": "false", "all": "true"}
MAX_POINTS = 6000
MAX_LABELS = 5
FOLDS = ["edge", "wrap", "reflect", "symmetric"]
LABEL_NAMES = "ijklmnpqrstuvw"


class _Statement:
    """One statement while it is drawn."""

    def __init__(self, rng, name, tensors):
        self.rng = rng
        self.name = name
        self.tensors = tensors
        self.integers = [t for t in tensors if t.type in INTEGERS]  # may name places
        self.labels = []
        self.reads = []  # (tensor, subscripts)

    # Labels and subscripts ------------------------------------------------

    def points(self):
        return math.prod(label.extent for label in self.labels)

    def new_label(self, extent):
        if len(self.labels) >= MAX_LABELS or self.points() * extent > MAX_POINTS:
            raise Rejected
        free = [n for n in LABEL_NAMES if all(label.name != n for label in self.labels)]
        label = Label(str(self.rng.choice(free)), extent)
        self.labels.append(label)
        return label

    def label_for(self, extent):
        """A label of this extent: one of the statement's, or a new one."""
        same = [label for label in self.labels if label.extent == extent]
        if same and (self.rng.random() < 0.75 or len(self.labels) >= MAX_LABELS):
            return same[self.rng.integers(len(same))]
        return self.new_label(extent)

    def terms_of_subscript(self, extent, padded):
        """(coefficient, label) pairs and a constant for one dimension."""
        rng = self.rng
        choice = rng.random()
        if choice < 0.78 and not padded:
            return [(1, self.label_for(extent))], 0
        if choice < 0.82:
            return [], int(rng.integers(extent))
        if choice < 0.86:
            return [(-1, self.label_for(extent))], extent - 1
        # A window: one or two labels with steps, within what is left.
        room, terms = extent - 1, []
        for _ in range(rng.integers(1, 3)):
            step = int(rng.choice([1, 1, 2, 3]))
            largest = room // step + 1
            existing = [label for label in self.labels if label.extent <= largest]
            if existing and rng.random() < 0.4:
                label = existing[rng.integers(len(existing))]
            else:
                label = self.new_label(int(rng.integers(1, min(largest, 6) + 1)))
            if any(label is other for _, other in terms):
                continue
            terms.append((step, label))
            room -= step * (label.extent - 1)
        shift = int(rng.integers(-2, 3)) if padded else int(rng.integers(room + 1))
        if shift == 0 and not padded and [step for step, _ in terms] == [1]:
            # A subscript that is just a label stands for the whole dimension.
            if terms[0][1].extent != extent:
                raise Rejected
        return terms, shift

    def turning_subscript(self, extent, padded):
        """A form that is divided and wrapped around; bounds take care of themselves."""
        rng = self.rng
        terms = []
        for _ in range(rng.integers(1, 3)):
            label = self.label_for(int(rng.choice([extent, 2, 3, 5])))
            if all(label is not other for _, other in terms):
                terms.append((int(rng.choice([1, 1, 1, -1, 2, -3])), label))
        divisor = int(rng.choice([1, 1, 2, 3]))
        modulus = 0 if padded and rng.random() < 0.5 else extent
        if modulus > 1 and rng.random() < 0.2:
            modulus = int(rng.integers(1, extent))
        if divisor == 1 and modulus == 0:
            divisor = 2
        return terms, int(rng.integers(-extent, extent + 1)), divisor, modulus

    def read(self, tensor):
        """An access to `tensor`: its text, and its values per index point."""
        rng = self.rng
        behind = [tensor]
        if tensor.shape and rng.random() < 0.12:
            tensor, behind = draw_view(rng, tensor, self.tensors)
        padded = bool(tensor.shape) and rng.random() < 0.12
        fold = str(rng.choice(["", "", *FOLDS])) if padded else ""
        texts, forms = [], []
        for extent in tensor.shape:
            turns = any(not isinstance(form, Expression) and form[2:] != (1, 0) for form in forms)
            if padded and not fold and self.integers and not turns and rng.random() < 0.3:
                # The place is what another tensor holds.
                index = self.read(self.integers[rng.integers(len(self.integers))])
                texts.append(index.text)
                forms.append(index)
                continue
            by_data = any(isinstance(form, Expression) for form in forms)
            if not by_data and rng.random() < 0.06:
                form = self.turning_subscript(extent, padded)
                texts.append(_turning_text(rng, *form))
                forms.append(form)
                continue
            terms, constant = self.terms_of_subscript(extent, padded)
            texts.append(_subscript_text(rng, terms, constant))
            forms.append((terms, constant, 1, 0))
            if len(terms) == 1 and terms[0][0] == 1 and constant == 0 and not padded:
                terms[0][1].is_plain = True
        base, pad = tensor.name, None
        if fold:
            base = f"{fold}({tensor.name})"
        elif padded:
            pad = _pad_value(rng, tensor.type)
            base = f"pad({tensor.name}, {pad[0]})"
        brackets = f"[{', '.join(texts)}]" if texts or rng.random() < 0.3 else ""
        key = (base, tuple(texts))
        self.reads += [(whole, key) for whole in behind]

        def evaluate(grid):
            return _gather(tensor.value, forms, grid, None if pad is None else pad[1], fold)

        return Expression(base + brackets, tensor.type, evaluate, atomic=True)

    # The whole statement ---------------------------------------------------

    def grid(self):
        """label name -> its indices, shaped to broadcast over all labels."""
        count = len(self.labels)
        return {
            label.name: np.arange(label.extent).reshape(
                [-1 if position == own else 1 for position in range(count)]
            )
            for own, label in enumerate(self.labels)
        }

    def finish(self, expression, result_rank):
        """Chooses the output's labels; returns (text, value, output labels)."""
        rng = self.rng
        order = [self.labels[i] for i in rng.permutation(len(self.labels))]
        kept = order[: min(result_rank, len(order))]
        reduced = order[len(kept) :]
        left_only = []
        if rng.random() < 0.1 and len(self.labels) < MAX_LABELS:
            left_only = [self.new_label(int(rng.choice([1, 2, 3, 5])))]
            kept.insert(rng.integers(len(kept) + 1), left_only[0])
        kind = (
            "float" if expression.type in FLOATS
            else "integer" if expression.type in INTEGERS else "bool"
        )
        monoid = str(rng.choice(MONOIDS[kind])) if reduced else ""
        used = [label for label in kept if label not in left_only]
        scanned = None
        if not reduced and used and rng.random() < 0.15:
            monoid, scanned = str(rng.choice(MONOIDS[kind])), used[rng.integers(len(used))]
        is_own = monoid != "" and rng.random() < 0.2

        grid = self.grid()
        shape = [label.extent for label in self.labels]
        value = expression.evaluate(grid)
        value = Bounded(
            value.type, np.broadcast_to(value.value, shape), np.broadcast_to(value.error, shape)
        )
        axes = tuple(i for i, label in enumerate(self.labels) if label in reduced)
        value = value.reduce(monoid, axes)
        if scanned:
            value = value.scan(monoid, self.labels.index(scanned))
        rest = [label for label in self.labels if label not in reduced]
        permutation = [rest.index(label) for label in kept]
        value = Bounded(
            value.type, value.value.transpose(permutation), value.error.transpose(permutation)
        ).stored()
        reject_unfit(value)

        def spell(label):
            known = label.is_plain and rng.random() < 0.85
            return label.name if known else f"{label.name}:{label.extent}"

        brackets = f"[{', '.join(map(spell, kept))}]" if kept else ""
        word = f"own{self.name}" if is_own else monoid
        reduction = f"{word}[{', '.join(map(spell, reduced))}] " if reduced else ""
        if scanned:
            short = not is_own and monoid in SCANS
            reduction = f"{SCANS[monoid] if short else 'scan ' + word}[{scanned.name}] "
        text = f"{self.name}{brackets} = {reduction}{expression.text}"
        if is_own:
            begins = _begin_of(monoid, expression.type)
            text = f"monoid {word}(a, b) = {OWN[monoid]} identity {begins}\n{text}"
        return text, value, kept + reduced, len(kept)


def _begin_of(monoid, type):
    """What changes no other value of a type."""
    if monoid in BEGINS:
        return "false" if monoid == "xor" and type == "bool" else BEGINS[monoid]
    if type in FLOATS:
        return "-inf" if monoid == "max" else "inf"
    info = np.iinfo(NUMPY_TYPES[type])
    return info.min if monoid == "max" else info.max


def _subscript_text(rng, terms, constant):
    pieces = []
    for step, label in terms:
        if step == 1:
            pieces.append(("+", label.name))
        elif step == -1:
            pieces.append(("-", label.name))
        else:
            pieces.append(("+", f"{step}*{label.name}"))
    if constant or not pieces:
        pieces.append(("-" if constant < 0 else "+", str(abs(constant))))
    if len(pieces) > 1 and pieces[0][0] == "-":
        pieces.reverse()
    (sign, text), *rest = pieces
    return ("-" if sign == "-" else "") + text + "".join(f" {s} {t}" for s, t in rest)


def _turning_text(rng, terms, constant, divisor, modulus):
    text = _subscript_text(rng, terms, constant)
    if " " in text or text.startswith("-") or "*" in text:
        text = f"({text})"
    if divisor != 1:
        text += f" // {divisor}"
    return text + (f" % {modulus}" if modulus else "")


def _pad_value(rng, type):
    """(text, value) of what a padded read gives outside."""
    if type == "bool":
        value = bool(rng.random() < 0.5)
        return str(value).lower(), value
    if type in INTEGERS:
        value = int(rng.integers(-3, 4))
        return str(value), value
    value = float(rng.choice([0.0, 0.0, 1.0, -1.5, 0.25]))
    return repr(value), value


def _folded(index, extent, fold):
    """The index inside the tensor that a read outside goes to."""
    if fold == "edge":
        return np.clip(index, 0, extent - 1)
    if fold == "wrap":
        return index % extent
    turn = 2 * extent if fold == "symmetric" else max(2 * extent - 2, 1)
    index = index % turn
    return np.minimum(index, turn - (fold == "symmetric") - index)


def _gather(tensor, forms, grid, pad, fold=""):
    """The tensor at every index point of the statement."""
    if not forms:
        return tensor
    indices, inside = [], True
    for form, extent in zip(forms, tensor.value.shape):
        if isinstance(form, Expression):
            index = form.evaluate(grid).value.astype(np.int64)
        else:
            terms, constant, divisor, modulus = form
            index = np.asarray(constant)
            for step, label in terms:
                index = index + step * grid[label.name]
            index = index // divisor
            index = index % modulus if modulus else index
            index = _folded(index, extent, fold) if fold else index
        inside = inside & (index >= 0) & (index < extent)
        indices.append(np.clip(index, 0, extent - 1))
    place = tuple(np.broadcast_arrays(*indices))
    value, error = tensor.value[place], tensor.error[place]
    if pad is None:
        assert np.all(inside), "the generator wrote an access out of bounds"
        return Bounded(tensor.type, value, error)
    filler = np.asarray(pad).astype(tensor.value.dtype)
    return Bounded(tensor.type, np.where(inside, value, filler), np.where(inside, error, 0.0))


def _draw_shape(rng, pool):
    rank = int(rng.choice([0, 1, 2, 2, 2, 3, 3, 4]))
    shape = tuple(int(rng.choice(pool)) for _ in range(rank))
    return shape if math.prod(shape) <= 1500 else shape[:2]


def _draw_statement(rng, tensors, name):
    statement = _Statement(rng, name, tensors)
    count = int(rng.choice([1, 1, 2, 2, 2, 3]))
    # Later tensors are likelier, so that graphs grow deep.
    weights = np.arange(1, len(tensors) + 1) ** 1.5
    chosen = rng.choice(len(tensors), size=count, p=weights / weights.sum())
    leaves = []
    for index in chosen:
        leaves.append(statement.read(tensors[index]))
        if rng.random() < 0.15:
            leaves.append(statement.read(tensors[index]))
    result_type = leaves[0].type if rng.random() < 0.7 else str(rng.choice(TYPES))
    expression = ExpressionWriter(rng, statement.labels).write(leaves, result_type)
    result_rank = int(rng.choice([0, 1, 1, 2, 2, 2, 3, 4]))
    text, value, labels, kept = statement.finish(expression, result_rank)
    if value.value.size > 3000:
        raise Rejected
    for tensor, key in statement.reads:
        tensor.reads.add((name, key))
    shape = tuple(label.extent for label in labels[:kept])
    vertex = Vertex(name, [(label.name, label.extent) for label in labels])
    return [Definition(text, [Tensor(name, expression.type, shape, value)], [vertex])]


def _draw_sort(rng, tensors, name):
    """Sorted values of a tensor along a dimension, or its few largest."""
    fitting = [t for t in tensors if t.shape and t.type != "bool"]
    if not fitting:
        raise Rejected
    tensor = fitting[rng.integers(len(fitting))]
    axis = int(rng.integers(len(tensor.shape)))
    extent = tensor.shape[axis]
    names = [str(n) for n in rng.choice(list(LABEL_NAMES), len(tensor.shape) + 1, replace=False)]
    *names, rank = names
    kept = int(rng.integers(1, extent + 1)) if rng.random() < 0.5 else 0
    heads = [*names[:axis], f"{rank}:{kept}" if kept else rank, *names[axis + 1 :]]
    text = (
        f"{name}[{', '.join(heads)}] = {'topk' if kept else 'sort'}[{names[axis]}] "
        f"{tensor.name}[{', '.join(names)}]"
    )
    value = np.sort(tensor.value.value, axis)
    if kept:
        value = np.flip(value, axis).take(range(kept), axis)
    # What takes a place is off by no more than what is off most.
    error = np.broadcast_to(tensor.value.error.max(axis, keepdims=True), value.shape)
    tensor.reads.add((name, ()))
    vertex = Vertex(name, list(zip(names, tensor.shape)))
    made = Tensor(name, tensor.type, value.shape, Bounded(tensor.type, value, error))
    return [Definition(text, [made], [vertex])]


DRAWS = [_draw_statement] * 20 + [_draw_sort] + [draw_block] * 2 + [draw_product] * 2


def _declares_twice(definitions):
    """Whether a block is declared in two ways, such as with two extents."""
    lines = {line for definition in definitions for line in definition.head}
    return len({line.partition("[")[0] for line in lines}) < len(lines)


def _draw_statements(rng, definitions, names, draws=DRAWS):
    """Adds to the definitions statements of these names, or fewer where none fits."""
    for name in names:
        for _ in range(200):
            draw = draws[rng.integers(len(draws))]
            tensors = [tensor for definition in definitions for tensor in definition.tensors]
            try:
                with np.errstate(all="ignore"):
                    made = draw(rng, tensors, name)
            except (Rejected, Impossible):
                continue
            if _declares_twice([*definitions, *made]):
                continue
            definitions += made
            break
        else:
            return


def generate(seed):
    """The random program of this seed."""
    rng = np.random.default_rng([seed, 0x7E57])
    # Few extents, so that operands fit together.
    pool = [int(e) for e in rng.choice(EXTENTS, size=int(rng.integers(2, 5)), replace=False)]
    type_pool = [str(t) for t in rng.choice(TYPES, size=3)]
    definitions = [
        draw_leaf(rng, f"X{number}", str(rng.choice(type_pool)), _draw_shape(rng, pool))
        for number in range(int(rng.integers(1, 5)))
    ]
    leaves = len(definitions)
    _draw_statements(rng, definitions, [f"T{n}" for n in range(int(rng.integers(1, 8)))])
    if len(definitions) == leaves:
        return generate(seed + 1_000_000_007)
    # Some have a loop, and what reads it.
    loops = np.random.default_rng([seed, 0x100B])
    if loops.random() < 0.4:
        _draw_statements(loops, definitions, ["L0"], [draw_loop])
        _draw_statements(loops, definitions, [f"U{n}" for n in range(int(loops.integers(3)))])
    # An input that nobody reads is allowed, but teaches little.
    definitions = [
        d for d in definitions if not d.is_leaf or d.is_read or rng.random() < 0.1
    ]
    outputs = {
        tensor.name: tensor.value
        for definition in definitions
        if not definition.is_leaf
        for tensor in definition.tensors
        if not tensor.reads or rng.random() < 0.3
    }
    return RandomProgram(definitions, outputs)
