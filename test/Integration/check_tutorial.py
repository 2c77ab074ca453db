#!/usr/bin/python3
"""Runs the commands of a page of docs/ and compares what they print.

    check_tutorial.py [--rewrite] [PAGE]        PAGE is Tutorial.md if left out

A block that starts with ```console is a session: `$ command`, then its output on
stdout and stderr. It starts in a folder with docs/examples, this source tree as `tapestry` and its
build folder as `build`. `...` in the output stands for anything, on a line or for lines.
A block that starts with ```ein NAME, ```json NAME or ```mlir NAME is the file NAME.
--rewrite prints the page with the output as it is now.
"""

import argparse
import os
import pathlib
import re
import shutil
import subprocess
import sys

from harness import driver

ROOT = pathlib.Path(__file__).resolve().parents[2]


def sessions(lines):
    """(kind, name, first line number, lines) of every block that matters."""
    block = None
    for number, line in enumerate(lines):
        if block is None:
            match = re.fullmatch(r"```(console|ein|json|mlir)( \S+)?", line)
            if match:
                block = (match[1], (match[2] or "").strip(), number + 1, [])
        elif line == "```":
            yield block
            block = None
        else:
            block[3].append(line)


def commands(lines):
    """(command, expected output lines) of a session."""
    result = []
    for line in lines:
        if line.startswith("$ "):
            result.append((line[2:], []))
        elif line.startswith("> "):
            command, output = result.pop()
            result.append((command + "\n" + line[2:], output))
        else:
            result[-1][1].append(line)
    return result


def pattern(expected):
    pieces = []
    for line in expected:
        if line.strip() == "...":
            pieces.append(r"(?:.*\n)*?")
        else:
            pieces.append(".*?".join(re.escape(part) for part in line.split("...")) + r"[ ]*\n")
    return "".join(pieces)


def run(command, folder, environment):
    done = subprocess.run(
        ["bash", "-c", command], cwd=folder, env=environment, stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT, text=True, timeout=10 * driver.TIME_LIMIT, stdin=subprocess.DEVNULL,
    )
    return done.stdout, done.returncode


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rewrite", action="store_true", help="print the page as it would be")
    parser.add_argument("page", nargs="?", default="Tutorial.md")
    options = parser.parse_args()
    lines = (ROOT / "docs" / options.page).read_text().splitlines()
    environment = {
        **os.environ,
        "OMPI_ALLOW_RUN_AS_ROOT": "1",
        "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
        **driver.ONE_MACHINE,
    }
    failures, checked, replacements = [], 0, []
    with driver.workspace() as folder:
        (folder / "examples").symlink_to(ROOT / "docs" / "examples")
        (folder / "tapestry").symlink_to(ROOT)
        (folder / "build").symlink_to(pathlib.Path(shutil.which("tapestry")).parents[1])
        for kind, name, start, block in sessions(lines):
            if kind != "console":
                (folder / name).write_text("\n".join(block) + "\n")
                continue
            fresh = []
            for command, expected in commands(block):
                output, status = run(command, folder, environment)
                checked += 1
                fresh += ["$ " + command.replace("\n", "\n> ")] + output.splitlines()
                if not re.fullmatch(pattern(expected), output):
                    failures.append(
                        f"{options.page}:{start + 1}: $ {command}\n  status {status}, printed:\n"
                        f"{output}\n  the page says:\n" + "\n".join(expected)
                    )
            replacements.append((start, start + len(block), fresh))
    if options.rewrite:
        for start, end, fresh in reversed(replacements):
            lines[start:end] = fresh
        print("\n".join(lines))
        return
    for failure in failures:
        print(failure + "\n")
    print(f"{checked - len(failures)} of {checked} commands print what the page says")
    sys.exit(1 if failures or not checked else 0)


if __name__ == "__main__":
    main()
