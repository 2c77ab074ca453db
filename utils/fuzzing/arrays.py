""".npy files: headers and contents."""

import io

import numpy as np

from .mutators import NUMBERS, flip_bytes
from .oracles import Failure

TYPES = {
    "f64": "<f8", "f32": "<f4", "f16": "<f2", "bf16": "<V2", "i8": "|i1", "i16": "<i2",
    "i32": "<i4", "i64": "<i8", "bool": "|b1", "u8": "|u1", "u16": "<u2", "u32": "<u4", "u64": "<u8",
    "c64": "<c8", "c128": "<c16",
}  # fmt: skip
HEADERS = [
    ("'descr'", "'Descr'"), ("<", ">"), ("False", "True"), ("False", "0"), ("(", "["), (",)", ")"),
    ("}", "} "), ("}", "}}"), ("}", ", 'x': 1}"), ("{", "{'shape': (1,), "), (", ", ","),
    ("'", '"'), ("(", "(-"), ("(", "(0, "), ("(", "(1, "), ("'<", "'"), ("f4", "f4\x00"),
    ("descr", "d\x1bescr"), ("\n", "x\n"), ("\n", ""), (" ", ""), ("f", "\xff"),
]  # fmt: skip


def program_of(type, shape):
    labels = "ijkl"[: len(shape)]
    read = f"A[{', '.join(labels)}]" if labels else "A"
    lines = [f"input A : {type}[{', '.join(map(str, shape))}]", "output A"]
    if labels:
        lines += [
            f"B = sum[{', '.join(labels)}] {'i32' if type == 'bool' else type}({read})",
            "output B",
        ]
    return "\n".join(lines) + "\n"


def draw_file(rng, type, shape):
    """A file that may be right."""
    values = np.random.default_rng(rng.randrange(2**31)).integers(0, 2, shape)
    if type == "bf16":
        values = (values.astype(np.float32).view(np.uint32) >> 16).astype(np.uint16).view("V2")
    else:
        values = values.astype(TYPES[type])
    buffer = io.BytesIO()
    order = rng.choice(["C", "C", "F"])
    version = rng.choice([(1, 0), (1, 0), (2, 0), (3, 0)])
    np.lib.format.write_array(buffer, np.asarray(values, order=order), version)
    data = buffer.getvalue()
    choice = rng.random()
    if choice < 0.45:
        end = data.index(b"\n") + 1
        head = data[:end].decode("latin1")
        for _ in range(rng.choice([1, 1, 2])):
            old, new = rng.choice(HEADERS)
            head = head.replace(old, new, rng.choice([1, 99]))
        if rng.random() < 0.3:
            head = head.replace(str(rng.choice(shape or [4])), str(rng.choice(NUMBERS)))
        data = head.encode("latin1") + data[end:]
        if rng.random() < 0.7:  # the length is right again
            size = data.index(b"\n") + 1 if b"\n" in data else len(data)
            begin = 10 if data[6] == 1 else 12
            data = data[:8] + (size - begin).to_bytes(begin - 8, "little") + data[begin:]
    elif choice < 0.75:
        end = min(len(data), 140) if rng.random() < 0.8 else len(data)
        data = flip_bytes(rng, data[:end]) + data[end:]
    elif choice < 0.85:
        data = (
            data[: rng.randrange(len(data))]
            if rng.random() < 0.5
            else data + b"\x00" * rng.randrange(9)
        )
    return data


def as_numpy(data):
    """What NumPy reads, or None."""
    try:
        with np.errstate(all="ignore"):
            return np.load(io.BytesIO(data))
    except Exception:  # whatever NumPy thinks of it
        return None


def check_file(bench, data, program, devices):
    bench.write("p.ein", program)
    bench.write("A.npy", data)
    names = ["A", "B"] if "output B" in program else ["A"]
    files = [w for name in names for w in ("-o", f"{name}={name}.out.npy")]
    written = [f"{name}.out.npy" for name in names]
    ran = bench.run("tapestry", "run", "p.ein", f"--devices={devices}", "-i", "A=A.npy", *files,
                    writes=written)  # fmt: skip
    referred = bench.run("tapestry", "reference", "p.ein", "-i", "A=A.npy", *files, writes=written)
    if (ran.status == 0) != (referred.status == 0):
        raise Failure("npy: run and reference disagree", f"{ran.describe()}\n{referred.describe()}")
    if ran.status:
        return False
    want, got = as_numpy(data), np.load(bench.folder / "A.out.npy")
    if want is None:
        raise Failure("npy: accepted, NumPy refuses it", ran.describe())
    if (
        want.shape != got.shape
        or want.astype(want.dtype.newbyteorder("=")).tobytes() != got.tobytes()
    ):
        raise Failure("npy: wrong value", f"{want!r} was read as {got!r}\n{ran.describe()}")
    return True


def draw(rng, tools):
    type = rng.choice(list(TYPES))
    shape = [rng.choice([1, 2, 3, 5, 7, 30]) for _ in range(rng.choice([0, 1, 2, 2, 3]))]
    devices = rng.choice([1, 2, 3, 4])
    program = program_of(type, shape)
    return draw_file(rng, type, shape), lambda bench, data: check_file(
        bench, data, program, devices
    )
