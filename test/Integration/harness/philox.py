"""The random numbers of .ein by their definition, in NumPy."""

import hashlib

import numpy as np

LOW = np.uint64(0xFFFFFFFF)
HALF = np.uint64(32)


def philox(counter, key):
    """Philox 4x32-10: four words of the counter, two of the key."""
    c = [np.asarray(word, np.uint64) for word in counter]
    key = [int(word) for word in key]
    for _ in range(10):
        first, second = c[0] * np.uint64(0xD2511F53), c[2] * np.uint64(0xCD9E8D57)
        c = [
            (second >> HALF) ^ c[1] ^ np.uint64(key[0]), second & LOW,
            (first >> HALF) ^ c[3] ^ np.uint64(key[1]), first & LOW,
        ]  # fmt: skip
        key = [(key[0] + 0x9E3779B9) & 0xFFFFFFFF, (key[1] + 0xBB67AE85) & 0xFFFFFFFF]
    return c


def words(shape, seed, place):
    """Of all points of an index space; `place` is "W#0", the first call in W."""
    stream = int.from_bytes(hashlib.md5(place.encode()).digest()[:8], "little")
    points = np.arange(int(np.prod(shape)), dtype=np.uint64).reshape(shape)
    seed = int(seed) & 0xFFFFFFFFFFFFFFFF
    return philox(
        (points & LOW, points >> HALF, stream & 0xFFFFFFFF, stream >> 32),
        (seed & 0xFFFFFFFF, seed >> 32),
    )


def bits(shape, seed, place, type=np.int32):
    w = words(shape, seed, place)
    return (w[1] << HALF | w[0]).astype(type)


def uniform(shape, seed, place, type="f32"):
    w = words(shape, seed, place)
    if type == "f64":
        return ((w[1] << HALF | w[0]) >> np.uint64(11)) * 2.0**-53
    count = {"f32": 24, "f16": 11, "bf16": 8}[type]
    return (w[0] >> np.uint64(32 - count)) * 2.0**-count


def normal(shape, seed, place, type="f32"):
    w = words(shape, seed, place)
    if type == "f64":
        u = (w[1] << HALF | w[0] | np.uint64(1)).astype(np.float64) * 2.0**-64
        t = (w[3] << HALF | w[2]).astype(np.int64).astype(np.float64) * 2.0**-64
    else:
        u = (w[0] | np.uint64(1)).astype(np.float32).astype(np.float64) * 2.0**-32
        t = w[1].astype(np.uint32).view(np.int32).astype(np.float32) * np.float64(2.0**-32)
    return np.sqrt(-2 * np.log(u)) * np.sin(np.pi * t)


def bernoulli(shape, seed, place, p):
    return uniform(shape, seed, place, "f64") < p
