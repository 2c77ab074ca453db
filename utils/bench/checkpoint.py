#!/usr/bin/python3
"""Checkpoint and restore of a session, beside plain writing and reading of the same bytes.

    checkpoint.py [--bytes 4GiB] [--devices 4] [--tensors 4] [--cut rows|columns] [--repeat 3]
                  [--folder FOLDER]

Both take turns, and the best of each counts. Plain writing is one process that has the bytes of a
tensor in memory and writes files of the checkpoint's sizes one after another in pieces of 4 MiB and
syncs each, beside those of the last turn, which go then; plain reading reads the checkpoint so into
memory that is new, as the session's is (`read`), or over the same 4 MiB (`read_piece`). Before each turn,
what the machine remembers of the files is dropped. At the end the figures are printed
as JSON; `ratio` is the plain seconds divided by the session's.
"""

import argparse
import json
import mmap
import os
import pathlib
import shutil
import subprocess
import tempfile
import time

PIECE = 4 << 20


def parse_bytes(text):
    units = {"KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30}
    for unit, factor in units.items():
        if text.endswith(unit):
            return int(text.removesuffix(unit)) * factor
    return int(text)


def write_plainly(folder, sizes, data):
    new = folder.with_suffix(".new")
    begin = time.monotonic()
    new.mkdir()
    for number, size in enumerate(sizes):
        with open(new / f"{number}.npy", "wb", buffering=0) as file:
            file.write(data[: size % PIECE])
            for begin_piece in range(size % PIECE, size, PIECE):
                file.write(data[begin_piece : begin_piece + PIECE])
            os.fsync(file.fileno())
    shutil.rmtree(folder, ignore_errors=True)
    new.rename(folder)
    return time.monotonic() - begin


def forget(folder):
    """Drops the files' pages, all of which are on the disk."""
    for path in folder.iterdir() if folder.exists() else ():
        fd = os.open(path, os.O_RDONLY)
        os.posix_fadvise(fd, 0, 0, os.POSIX_FADV_DONTNEED)
        os.close(fd)


def read_plainly(folder, keeps):
    piece = memoryview(bytearray(PIECE))
    begin = time.monotonic()
    for path in sorted(folder.iterdir()):
        size = path.stat().st_size
        memory = memoryview(mmap.mmap(-1, size)) if keeps else None
        with open(path, "rb", buffering=0) as file:
            for at in range(0, size, PIECE):
                file.readinto(memory[at : at + PIECE] if keeps else piece)
    return time.monotonic() - begin


class Session:
    def __init__(self, tapestry, devices, cwd):
        self.process = subprocess.Popen(
            [tapestry, "session", "-q", f"--devices={devices}"],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=cwd,
        )  # fmt: skip

    def do(self, *commands):
        """Seconds until the last one is done."""
        begin = time.monotonic()
        # A list of no tensors is a line, too.
        self.process.stdin.write("\n".join([*commands, "list"]) + "\n")
        self.process.stdin.flush()
        if not self.process.stdout.readline():
            raise SystemExit("the session has ended")
        seconds = time.monotonic() - begin
        return seconds

    def lines(self, count):
        for _ in range(count):
            self.process.stdout.readline()

    def end(self):
        self.process.stdin.close()
        self.process.wait()


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--bytes", type=parse_bytes, default=4 << 30)
    parser.add_argument("--devices", type=int, default=4)
    parser.add_argument("--tensors", type=int, default=4)
    parser.add_argument("--cut", choices=["rows", "columns"], default="rows")
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--folder")
    parser.add_argument("--tapestry", default=shutil.which("tapestry") or "build/bin/tapestry")
    options = parser.parse_args()
    columns = 4096
    rows = options.bytes // options.tensors // 4 // columns
    cut = {"rows": "{i: %d, j: 1}", "columns": "{i: 1, j: %d}"}[options.cut] % options.devices
    tapestry = str(pathlib.Path(options.tapestry).resolve())
    with tempfile.TemporaryDirectory(dir=options.folder) as folder:
        folder = pathlib.Path(folder)
        (folder / "make.ein").write_text(
            f"param s\nX[i:{rows}, j:{columns}] @ {cut} = f32((i * 31 + j * s) % 8191)\noutput X\n"
        )
        session = Session(tapestry, options.devices, folder)
        names = [f"X{number}" for number in range(options.tensors)]
        session.do(*(f"apply make.ein X={name} -D s={i + 7}" for i, name in enumerate(names)))
        session.lines(options.tensors)
        sizes = [rows * columns * 4 + 128] * options.tensors
        data = memoryview(os.urandom(PIECE) * (sizes[0] // PIECE + 1))
        seconds = {n: [] for n in ("checkpoint", "write", "restore", "read", "read_piece")}
        saved, plain = folder / "saved", folder / "plain"

        def prepare():
            forget(saved)
            forget(plain)

        for _ in range(options.repeat):
            prepare()
            seconds["checkpoint"].append(session.do("checkpoint saved"))
            session.lines(options.tensors)
            prepare()
            seconds["write"].append(write_plainly(plain, sizes, data))
        shutil.rmtree(plain)
        for _ in range(options.repeat):
            session.do(*(f"drop {name}" for name in names))
            prepare()
            seconds["restore"].append(session.do("restore saved"))
            session.lines(options.tensors)
            for name, keeps in (("read", True), ("read_piece", False)):
                prepare()
                seconds[name].append(read_plainly(saved, keeps))
        session.end()
    best = {name: round(min(values), 3) for name, values in seconds.items()}
    print(json.dumps({
        "bytes": options.bytes, "devices": options.devices, "tensors": options.tensors,
        "cut": options.cut, "seconds": best,
        "ratio": {
            "checkpoint": round(best["write"] / best["checkpoint"], 3),
            "restore": round(best["read"] / best["restore"], 3),
        },
        "all": {name: [round(v, 3) for v in values] for name, values in seconds.items()},
    }))  # fmt: skip


if __name__ == "__main__":
    main()
