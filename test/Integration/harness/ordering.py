"""Loops, points and files for random .ein programs: what is carried, collected and ordered."""

import numpy as np

from .bounded import Bounded
from .parts import Definition, Rejected, Tensor, Vertex, reject_unfit

LABELS = "ijkl"


def _step(rng, type, shape, other):
    """What a pass makes of the carried tensor, at labels: its text, and of values."""
    at = ", ".join(LABELS[: len(shape)])
    choices = ["other", "turned", "shifted"] + (["sum"] if type != "bool" else [])
    choice = str(rng.choice(choices if shape else ["other"]))
    axis = int(rng.integers(len(shape))) if shape else 0
    combine = "^" if type == "bool" else "-"
    if choice == "other":
        text = f"{other.name}[{at}] {combine} {{0}}[{at}]"
        return text, lambda z: _minus(other.value, z)
    if choice == "turned":
        back = [f"{shape[axis] - 1} - {a}" if d == axis else a for d, a in enumerate(LABELS[: len(shape)])]
        return f"{{0}}[{', '.join(back)}]", lambda z: z.seen(lambda a: np.flip(a, axis))
    if choice == "shifted":
        back = [f"{a} - 1" if d == axis else a for d, a in enumerate(LABELS[: len(shape)])]
        zero = {"bool": "false"}.get(type, "0.0" if other.value.is_float else "0")

        def shift(a):
            front = np.zeros([1 if d == axis else n for d, n in enumerate(a.shape)], a.dtype)
            return np.concatenate([front, a.take(range(a.shape[axis] - 1), axis)], axis)

        return f"pad({{0}}, {zero})[{', '.join(back)}]", lambda z: z.seen(shift)
    summed = "m" if len(shape) < 4 else "n"
    inner = [summed if d == axis else a for d, a in enumerate(LABELS[: len(shape)])]
    text = f"{{0}}[{at}] - sum[{summed}]({{0}}[{', '.join(inner)}])"
    return text, lambda z: z.subtract(_kept(z.reduce("sum", (axis,)), axis))


def _minus(a, b):
    return Bounded("bool", a.value ^ b.value) if a.type == "bool" else a.subtract(b)


def _kept(value, axis):
    return value.seen(lambda a: np.expand_dims(a, axis))


def draw_loop(rng, tensors, name):
    """A tensor through one or two statements several times; some passes' rows are collected."""
    fitting = [t for t in tensors if len(t.shape) <= 4 and 0 < t.value.value.size <= 400]
    if not fitting:
        raise Rejected
    start = fitting[-1 - int(min(rng.integers(4), len(fitting) - 1))]
    same = [t for t in tensors if t.type == start.type and t.shape == start.shape]
    other = same[int(rng.integers(len(same)))]
    passes = int(rng.integers(1, 5))
    at = ", ".join(LABELS[: len(start.shape)])
    brackets = f"[{at}]" if at else ""
    first, make = _step(rng, start.type, start.shape, other)
    second, give = _step(rng, start.type, start.shape, other)
    counter, inner, rows = f"t{name}", f"{name}s", f"{name}h"
    carried, made_rows = start.value, []
    for _ in range(passes):
        between = make(carried).stored()
        carried = give(between).stored()
        made_rows.append(between)
        for value in (between, carried):
            reject_unfit(value)
    collected = Bounded(
        start.type, np.stack([row.value for row in made_rows]), np.stack([row.error for row in made_rows])
    )
    spelled = ", ".join(f"{a}:{n}" for a, n in zip(LABELS, start.shape))
    left = f"[{spelled}]" if spelled else ""
    lines = [
        f"repeat {counter}:{passes} ({name} = {start.name}) {{",
        f"  {inner}{left} = {first.format(name)}".replace("[]", ""),
        f"  next {name}{left} = {second.format(inner)}".replace("[]", ""),
    ]
    labels = list(zip(LABELS, start.shape))
    made = [Tensor(name, start.type, start.shape, carried)]
    # What is carried has one layout with what it begins with, whose cuts are few.
    vertices = [Vertex(f"{counter}.{inner}", labels)]
    if rng.random() < 0.6:
        head = ", ".join([counter, *(a for a, _ in labels)])
        lines.append(f"  collect {rows}[{head}] = {inner}{brackets}")
        made.append(Tensor(rows, start.type, (passes, *start.shape), collected))
        vertices.append(Vertex(f"{counter}.{rows}.row", labels))
    lines.append("}")
    for tensor in {start.name: start, other.name: other}.values():
        tensor.reads.add((name, counter))
    return [Definition("\n".join(lines), made, vertices)]


def ordered(rng, program):
    """A program with points after some statements and outputs, which others
    follow, and with the files that some inputs and outputs name; the inputs that are read
    from theirs, and the outputs that go to theirs."""
    heads = dict.fromkeys(line for definition in program.definitions for line in definition.head)
    lines, points, from_files, to_files = list(heads), [], [], []

    def point(after):
        points.append(f"p{len(points)}")
        lines.append(f"point {points[-1]} after {', '.join(after)}")

    def some_after():
        return f" after {rng.choice(points)}" if points and rng.random() < 0.5 else ""

    for definition in program.definitions:
        text, name = definition.text, definition.tensors[0].name
        if text.startswith("input "):
            if rng.random() < 0.3:
                from_files.append(name)
                text += f' from "{name}.npy"' + some_after()
        elif text.startswith("repeat "):
            head, _, body = text.partition(") {\n")
            text = f"{head}{some_after()}) {{\n{body}"
        elif not definition.is_leaf:
            text += some_after()
        lines.append(text)
        if not definition.is_leaf and rng.random() < 0.25:
            earlier = [str(rng.choice(points))] if points and rng.random() < 0.5 else []
            point([str(rng.choice([t.name for t in definition.tensors])), *earlier])
    for name in program.outputs:
        words = ""
        if rng.random() < 0.2:
            to_files.append(name)
            words = f' to "{name}.npy"'
        lines.append(f"output {name}{words}{some_after()}")
        if rng.random() < 0.3:
            point([f"output {name}"])
    return "\n".join([*lines, ""]), from_files, to_files
