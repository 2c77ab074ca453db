"""Statements of random programs that call what others wrote: blocks that an object file
brings, products of whole tensors and layers of the library."""

import math

import numpy as np

from . import blocks
from .bounded import Bounded
from .parts import Definition, Rejected, Tensor, Vertex, draw_leaf, draw_view, reject_unfit


def _pick(rng, tensors, fits):
    """A tensor that fits, rather a late one."""
    fitting = [tensor for tensor in tensors if fits(tensor)]
    if not fitting:
        raise Rejected
    return fitting[-1 - int(min(rng.integers(4), len(fitting) - 1))]


def _matrix(rng, tensors):
    """A view of two dimensions, mostly a tensor itself, and the tensors behind it."""
    tensor = _pick(rng, tensors, lambda t: t.shape and t.type in blocks.C_TYPES)
    view, behind = tensor, [tensor]
    if rng.random() < 0.3:
        view, behind = draw_view(rng, tensor, tensors)
    if len(view.shape) != 2:
        last = view.shape[-1] if view.shape else 1
        shape = (math.prod(view.shape) // last, last)
        value = view.value.seen(lambda a: a.reshape(shape))
        view = Tensor(f"reshape[{shape[0]}, {shape[1]}]({view.name})", view.type, shape, value)
    return view, behind


def draw_block(rng, tensors, name):
    """A call of a function of harness/blocks.py."""
    kernel = str(rng.choice(list(blocks.DECLARATIONS)))
    behind, arguments = [], []
    if kernel == "ramp":
        type = str(rng.choice(list(blocks.C_TYPES)))
        call = blocks.call_ramp(rng, type)
    else:
        view, behind = _matrix(rng, tensors)
        text, type, value = view.name, view.type, view.value
        if rng.random() < 0.15:  # computed before
            text, value = f"-{text}", value.negate()
        call = blocks.draw_call(rng, kernel, value)
        arguments.append(text)
    if call is None:
        raise Rejected
    for parameter, value in call.params.items():
        arguments.append(f"{parameter} = {value}" if rng.random() < 0.5 else f"{value}")
    names = [name, f"{name}b"][: len(call.results)]
    results = [value.stored() for value in call.results]
    for value in results:
        if value.value.size > 3000:
            raise Rejected
        reject_unfit(value)
    # A ramp's declaration says how long it is.
    function = f"{kernel}_{type}"
    extents = dict(call.labels)
    declaration = blocks.DECLARATIONS[kernel].format(t=type, n=extents.get("i"))
    head = (blocks.MONOIDS[kernel],) if kernel in blocks.MONOIDS else ()
    for tensor in behind:
        tensor.reads.add((name, function))
    return [
        Definition(
            f"{', '.join(names)} = {function}({', '.join(arguments)})",
            [Tensor(n, type, v.value.shape, v) for n, v in zip(names, results)],
            [Vertex(name, call.cut_labels)],
            (*head, f"extern block {function}{declaration}"),
        )
    ]


def _multiply(x, w):
    """x @ w, of x with any dimensions in front."""
    terms = x.seen(lambda a: a[..., :, None]).multiply(w)
    return terms.reduce("sum", (terms.value.ndim - 2,))


def draw_product(rng, tensors, name):
    """X @ W, or a layer nn.linear(X, W, B), which may be rectified."""
    is_layer = rng.random() < 0.6
    ranks = (1, 2, 3, 4) if is_layer else (1, 2)
    x = _pick(rng, tensors, lambda t: len(t.shape) in ranks and t.type != "bool")
    out = int(rng.integers(1, 7))
    leaves = [draw_leaf(rng, f"W{name}", x.type, (x.shape[-1], out), 0.4)]
    text = f"{x.name} @ W{name}"
    value = _multiply(x.value, leaves[0].tensors[0].value)
    if is_layer:
        leaves.append(draw_leaf(rng, f"B{name}", x.type, (out,), 0.4))
        text = f"nn.linear({x.name}, W{name}, B{name})"
        value = value.add(leaves[1].tensors[0].value)
        if rng.random() < 0.3:
            text = f"nn.relu({text})"
            value = value.stored().extreme(Bounded(x.type, 0), np.maximum)
    value = value.stored()
    if value.value.size > 3000:
        raise Rejected
    reject_unfit(value)
    for tensor in (x, *(leaf.tensors[0] for leaf in leaves)):
        tensor.reads.add((name, "product"))
    made = Tensor(name, x.type, value.value.shape, value)
    head = ("import nn",) if is_layer else ()
    return [*leaves, Definition(f"{name} = {text}", [made], [], head)]
