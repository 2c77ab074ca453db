#!/usr/bin/python3
"""Runs a program of docs/examples, made small by -D, against NumPy.

    check_examples.py --example attention --devices 1,4
"""

import argparse
import sys

from check_values import check
from harness import driver
from harness.examples import EXAMPLES, FOLDER


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--example", help="name without .ein, or 'all'")
    parser.add_argument("--devices", default="1,3,4", help="e.g. 1-3,7")
    parser.add_argument("--backend", choices=["local", "mpi"], default="local")
    options = parser.parse_args()
    files = {path.stem for path in FOLDER.glob("*.ein")}
    if files != EXAMPLES.keys():
        sys.exit(f"docs/examples and its checks differ: {sorted(files ^ EXAMPLES.keys())}")
    failed = False
    for name in sorted(EXAMPLES) if options.example == "all" else [options.example]:
        for devices in driver.parse_numbers(options.devices):
            try:
                check(EXAMPLES[name], devices, options.backend, [])
            except driver.CheckFailed as failure:
                print(f"FAILED: {name}.ein on {devices} devices\n{failure}")
                failed = True
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
