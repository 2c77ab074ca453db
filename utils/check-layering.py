#!/usr/bin/env python3
"""Checks that every room includes only rooms that it may know.

Reads the #include lines of include/, lib/, tools/ and runtime/ and compares each
with the table below. A room is named by the longest folder prefix that the table
lists, so a new folder without a rule is an error.
"""

import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent

INDEX = "Dialect/Index/IR"
EVALUATE = "Dialect/Index/Evaluate"
DIALECTS = [INDEX, "Dialect/Tapestry/IR", "Dialect/TRA/IR", "Dialect/Comm/IR"]
BASE = ["Support", "Interfaces"]


def planner_rooms():
    """The planner's rooms from low to high with what each may include."""
    below = {
        "Model": [],
        "Machine": ["Model"],
        "Optimize": [],
        "Layout": ["Model"],
        "Cost": ["Model", "Machine", "Optimize", "Layout"],
        "Contraction": ["Model"],
    }
    below["Cost/Elements"] = ["Cost"] + below["Cost"]
    below["Cost/Seconds"] = ["Cost"] + below["Cost"]
    # Above them nothing knows a cost model but by its object; a search for
    # the fastest plans knows seconds.
    below["Plan"] = ["Cost"] + below["Cost"]
    below["Explain"] = ["Plan"] + below["Plan"]
    below["Pareto"] = ["Plan", "Cost/Seconds"] + below["Plan"]
    below["Report"] = ["Explain", "Pareto"] + below["Explain"]
    return {
        f"Planner/{room}": ["Support"] + [f"Planner/{name}" for name in names]
        for room, names in below.items()
    }


PLANNER = planner_rooms()


def runtime_rooms():
    """The runtime's rooms from low to high with what each may include."""
    below = {
        "include": [],
        "Core": ["include"],
        "Memory": ["Core", "include"],
        "Collectives": ["Core", "Memory", "include"],
        "IO": ["Core", "include"],
        "Local": ["include"],
        "MPI": ["Core", "include"],
        "CUDA": ["include"],
        "NCCL": ["Core", "include"],
        "Run": ["Core", "Memory", "Collectives", "IO", "Local", "include"],
        "Session": ["Core", "Memory", "Collectives", "IO", "Local", "Run", "include"],
        "Tasks": ["Core", "Memory", "IO", "Local", "Run", "include"],
        "Main": [],
    }
    return {
        f"runtime/{room}": ["ABI"] + [f"runtime/{name}" for name in names]
        for room, names in below.items()
    }


RUNTIME = runtime_rooms()

# Room -> the rooms besides itself that it may include. "ABI" is what
# compiler and runtime share: the C header, exit statuses and words of messages.
RULES = {
    "Support": ["ABI"],
    "Plugin": ["Support"],
    **PLANNER,
    "Interfaces": ["Support"],
    INDEX: BASE,
    "Dialect/Index/Transforms": BASE + [INDEX],
    # What scalars are, in host memory.
    EVALUATE: BASE + [INDEX],
    "Dialect/Tapestry/IR": BASE + [INDEX, EVALUATE, "ABI"],
    "Dialect/TRA/IR": BASE + [INDEX],
    "Dialect/TRA/Transforms": BASE + [INDEX, "Dialect/TRA/IR"],
    "Dialect/Comm/IR": BASE + [INDEX],
    "Dialect/Tapestry/Macros": BASE + [INDEX, "Dialect/Tapestry/IR"],
    "Analysis": BASE + DIALECTS + [*PLANNER],
    "Dialect/Tapestry/Transforms": BASE
    + [INDEX, "Dialect/Tapestry/IR", "Dialect/Tapestry/Macros", "Analysis", *PLANNER]
    # What it reads shards on chunks into.
    + ["ABI", "runtime/include"],
    "Conversion": BASE
    + DIALECTS
    + ["Analysis", "ABI", "Codegen", "Codegen/Common", "Dialect/Index/Transforms"],
    # Common knows no target, and only InitTargets and tools know CPU.
    "Codegen/Common": ["Support", INDEX],
    "Codegen": ["Support", "Codegen/Common", "Plugin"],
    "Codegen/CPU": ["Support", INDEX, "Codegen", "Codegen/Common", "Object", "ABI"],
    # The host's part of a program for GPUs is that of a CPU.
    "Codegen/GPU": [
        "Support",
        "Codegen",
        "Codegen/Common",
        "Codegen/CPU",
        "Object",
        "ABI",
    ],
    "Import/Ein": BASE + [INDEX, "Dialect/Tapestry/IR", "Dialect/Tapestry/Macros"],
    "Export": BASE + [INDEX, "Dialect/Tapestry/IR"],
    "Reference": BASE + [EVALUATE, "Dialect/Tapestry/IR"],
    "Object": [],
    "Pipelines": BASE
    + DIALECTS
    + [
        "Analysis",
        *PLANNER,
        "Conversion",
        "Codegen",
        "Codegen/Common",
        "Dialect/Index/Transforms",
        "Dialect/Tapestry/Transforms",
        "Dialect/TRA/Transforms",
    ],
    "InitAll": ["*"],
    "InitTargets": ["*"],
    "Driver": BASE
    + [
        "Dialect/Tapestry/IR",
        "Dialect/Tapestry/Transforms",
        "Analysis",
        *PLANNER,
        "Conversion",
        "Codegen",
        "Object",
        "Import/Ein",
        "Pipelines",
        "InitAll",
        "Plugin",
        "ABI",
        "runtime/include",
    ],
    "tools": ["*"],
    **RUNTIME,
}

INCLUDE = re.compile(r'^\s*#\s*include\s*[<"]([^">]+)[">]')


def room_of(path):
    """The room of a path relative to include/tapestry, lib, or runtime/'s parent."""
    best = None
    for room in RULES:
        if path == room or path.startswith(room + "/") or path.startswith(room + "."):
            if best is None or len(room) > len(best):
                best = room
    return best


def included_room(name):
    if name.removeprefix("tapestry-rt/") in ("ABI.h", "Block.h", "ExitStatus.h", "Counted.h", "Signs.h"):
        return "ABI"
    if name.startswith("tapestry-rt/"):
        return "runtime/include"
    if name.startswith("tapestry/"):
        return room_of(name[len("tapestry/") :])
    # The runtime's own sources name each other by room.
    return room_of("runtime/" + name) or "outside"


def room_of_source(base, relative):
    if base == "runtime":
        return room_of("runtime/" + relative.removeprefix("lib/"))
    return base if base == "tools" else room_of(relative)


def main():
    errors = []
    for base in ("include/tapestry", "lib", "tools", "runtime"):
        for path in sorted((ROOT / base).rglob("*")):
            if path.suffix not in (".h", ".cpp", ".td"):
                continue
            relative = path.relative_to(ROOT / base).as_posix()
            room = room_of_source(base, relative)
            if room is None:
                errors.append(f"{path.relative_to(ROOT)}: in no room that has a rule")
                continue
            for number, line in enumerate(path.read_text().splitlines(), 1):
                match = INCLUDE.match(line) or re.match(
                    r'^\s*include\s+"([^"]+)"', line
                )
                if not match:
                    continue
                if match.group(1).startswith("../"):
                    errors.append(
                        f"{path.relative_to(ROOT)}:{number}: name the room, "
                        "not the way to it"
                    )
                    continue
                target = included_room(match.group(1))
                if target == "outside" or target == room:
                    continue
                allowed = RULES[room]
                if "*" not in allowed and target not in allowed:
                    errors.append(
                        f"{path.relative_to(ROOT)}:{number}: {room} includes "
                        f"{match.group(1)} of {target}, which it may not know"
                    )
    for heavy in ("mpi.h", "cuda.h", "cuda_runtime.h", "nccl.h"):
        home = "runtime/lib/MPI" if heavy == "mpi.h" else "runtime/lib/CUDA"
        for base in ("include", "lib", "tools", "runtime"):
            for path in (ROOT / base).rglob("*"):
                if path.suffix in (".h", ".cpp") and f"<{heavy}>" in path.read_text():
                    if not path.relative_to(ROOT).as_posix().startswith(home):
                        errors.append(
                            f"{path.relative_to(ROOT)}: only {home} may include {heavy}"
                        )
    print("\n".join(errors) if errors else "layering holds")
    return bool(errors)


if __name__ == "__main__":
    sys.exit(main())
