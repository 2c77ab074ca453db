"""Runs the examples of a Markdown file through tapestry-translate.

A block marked `ein` must be imported; one marked `ein-error` must be refused with
the error and the notes in its last lines.
"""

import re
import subprocess
import sys

BLOCK = re.compile(r"^```(ein|ein-error)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def run(source):
    return subprocess.run(
        ["tapestry-translate", "--ein-to-mlir", "-"],
        input=source,
        capture_output=True,
        text=True,
    )


def main(path):
    failures = 0
    count = {"ein": 0, "ein-error": 0}
    with open(path, encoding="utf-8") as file:
        text = file.read()
    for match in BLOCK.finditer(text):
        kind, source = match.groups()
        count[kind] += 1
        line = text[: match.start()].count("\n") + 1
        result = run(source)
        if kind == "ein":
            ok = result.returncode == 0 and "tapestry.graph" in result.stdout
        else:
            wanted = re.findall(r"^# ((?:error|note): .*)", source, re.MULTILINE)
            ok = result.returncode != 0 and all(line in result.stderr for line in ["error", *wanted])
        if not ok:
            failures += 1
            print(f"{path}:{line}: example failed\n{result.stderr}")
    print(f"{count['ein']} programs, {count['ein-error']} errors, {failures} failures")
    return 1 if failures or not all(count.values()) else 0


sys.exit(main(sys.argv[1]))
