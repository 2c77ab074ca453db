"""Scripts of sessions: two programs one after the other, changed or not."""

import re

import numpy as np

from harness.blocks import object_options
from harness.generator import generate

from .mutators import TEXTS, noise
from .oracles import fail

VERBS = ["load", "apply", "export", "checkpoint", "restore", "drop", "list"]
# What a line's words may be instead.
WORDS = [
    *("X0", "T0", "X0.npy", "T0.npy", "first.ein", "second.ein", "none.ein", "saved", "none", ".", "''", "X0=T0"),
    *("-D", "-Dn=4", "--report", "--graph=x", "X9=T0", "T0=X0", "=", "commands", "\\", '"', "f32", "u8", "#"),
]


def draw_script(rng, halves, inputs):
    """Lines that do what the program does, on one number of devices."""
    lines = [f"load {name} {name}.npy" for name in inputs]
    lines += ["apply first.ein"]
    if rng.random() < 0.5:
        lines += ["checkpoint saved", "restore saved"]
    lines += ["list", *(f"drop {name}" for name in inputs if rng.random() < 0.1), "apply second.ein"]
    outputs = re.findall(r"^output (\w+)", halves[1], re.MULTILINE)
    return lines + [f"export {name} {name}.out.npy" for name in outputs]


def change(rng, lines):
    lines = list(lines)
    place, other = rng.randrange(len(lines)), rng.randrange(len(lines))
    choice = rng.randrange(6)
    if choice == 0:
        del lines[place]
    elif choice == 1:
        lines.insert(place, lines[other])
    elif choice == 2:
        lines[place], lines[other] = lines[other], lines[place]
    else:
        words = lines[place].split(" ")
        at = rng.randrange(len(words) + 1)
        new = rng.choice(VERBS if at == 0 else [*WORDS, *WORDS, *TEXTS])
        words[at : at + (rng.random() < 0.7)] = [new]
        lines[place] = " ".join(words)
    return lines or ["list"]


def named_files(text):
    """What the lines may ask to be written."""
    words = re.findall(r"[^\s'\"#=\\]+", text)
    return {word for word in words if len(word) < 200 and word not in (".", "..")}


def check_script(bench, text, seed, devices):
    program = generate(seed)
    halves = program.halves(np.random.default_rng([seed, 0x5E5])) or (program.source,) * 2
    for name, source in zip(("first", "second"), halves):
        bench.write(f"{name}.ein", source)
    for name, array in program.inputs.items():
        np.save(bench.folder / f"{name}.npy", np.asarray(array, order="C"))
    bench.write("commands", text)
    kept = {path.name: path.read_bytes() for path in bench.folder.glob("*.ein")}
    words = ["session", "commands", f"--devices={devices}", *object_options(program.source, bench.folder)]
    finished = bench.run("tapestry", *words, quiet=False, may_write=named_files(text))
    for name, contents in kept.items():
        if (bench.folder / name).read_bytes() != contents:
            fail("session: overwrites a program", finished)
    # A line that is wrong is named.
    if finished.status and not re.search(r"^(commands:\d+|\w+\.ein:\d+:\d+): ", finished.stderr, re.MULTILINE):
        fail("session: no place", finished)
    if finished.stderr.count("error: ") > 1 and ".ein:" not in finished.stderr:
        fail("session: more than one message", finished)
    return finished.status == 0


def draw(rng, tools):
    seed, devices = rng.randrange(10**6), rng.choice([1, 2, 3, 5, 8])
    program = generate(seed)
    halves = program.halves(np.random.default_rng([seed, 0x5E5])) or (program.source,) * 2
    lines = draw_script(rng, halves, program.inputs)
    for _ in range(rng.choice([0, 1, 1, 2, 3])):
        lines = change(rng, lines)
    text = "".join(f"{line}\n" for line in lines)
    if rng.random() < 0.05:
        text = noise(rng, text)
    return text, lambda bench, text: check_script(bench, text, seed, devices)
