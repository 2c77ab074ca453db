"""bufferize.py LIBRARY: calls the functions of bufferize.mlir and compares with NumPy."""
import ctypes
import sys

import numpy as np

library = ctypes.CDLL(sys.argv[1])


def descriptor(rank):
    fields = [("base", ctypes.c_void_p), ("data", ctypes.c_void_p), ("offset", ctypes.c_int64)]
    if rank:
        fields += [("shape", ctypes.c_int64 * rank), ("strides", ctypes.c_int64 * rank)]
    return type(f"Descriptor{rank}", (ctypes.Structure,), {"_fields_": fields})


def call(name, inputs, results):
    """The results, given as (type, rank), of a function; a wrapper fills a struct of them."""
    arguments = []
    for array in inputs:
        kind = descriptor(array.ndim)
        strides = [stride // array.itemsize for stride in array.strides]
        data = array.ctypes.data
        arguments.append(
            kind(data, data, 0, (ctypes.c_int64 * array.ndim)(*array.shape),
                 (ctypes.c_int64 * array.ndim)(*strides)))
    fields = [(f"r{i}", descriptor(rank)) for i, (_, rank) in enumerate(results)]
    out = type("Results", (ctypes.Structure,), {"_fields_": fields})()
    getattr(library, "_mlir_ciface_" + name)(
        ctypes.byref(out), *[ctypes.byref(argument) for argument in arguments])
    arrays = []
    for i, (dtype, rank) in enumerate(results):
        r = getattr(out, f"r{i}")
        shape = tuple(r.shape) if rank else ()
        size = int(np.prod(shape)) * np.dtype(dtype).itemsize
        bytes_ = (ctypes.c_char * size).from_address(r.data + r.offset * np.dtype(dtype).itemsize)
        strides = tuple(s * np.dtype(dtype).itemsize for s in r.strides) if rank else ()
        arrays.append(np.ndarray(shape, dtype, bytes_, strides=strides))
    return arrays


random = np.random.default_rng(1)

a = random.integers(-9, 9, 7).astype(np.float32)
kept = a.copy()
four, changed = call("called", [a], [(np.float32, 1), (np.float32, 1)])
assert np.array_equal(a, kept) and np.array_equal(four, 4 * a)
assert changed[0] == 100 and np.array_equal(changed[1:], 2 * a[1:])

x = random.integers(-9, 9, (3, 10)).astype(np.float32).T  # strided
(y,) = call("window", [x], [(np.float32, 2)])
at = 2 * np.arange(5)[:, None] - 3 * np.arange(4) + 4
want = np.where(((at >= 0) & (at < 10))[..., None], x[at.clip(0, 9)], -1).sum(1)
assert ((at < 0) | (at >= 10)).any() and np.array_equal(y, want)

(f,) = call("folded", [x], [(np.float32, 2)])
i, j = np.arange(9)[:, None], np.arange(8)
near, mirrored, beside = (np.pad(x, 30, mode) for mode in ("edge", "reflect", "symmetric"))
want = near[2 * i + 25, 31] + mirrored[i + 10, 34 - j]
assert np.array_equal(f, want * beside[3 * i + 30, (j + 1) % 3 + 30])

(w,) = call("wide", [np.full((2, 4096), 0.5, np.float16)], [(np.float16, 1)])
assert np.array_equal(w, np.array([2048] * 2, np.float16))

m = random.integers(-99, 99, (6, 6)).astype(np.int32)
z = random.integers(-99, 99, (4, 5)).astype(np.int32)
y, t, n = call("monoid", [m, z], [(np.int32, 0), (np.int64, 2), (np.bool_, 1)])
d = m.diagonal()
assert y == d[np.abs(d).argmax()]
assert np.array_equal(t, (10 * z.astype(np.int64) + np.arange(4)[:, None]).T)
assert n.all()
print("ok")
