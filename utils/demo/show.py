#!/usr/bin/python3
"""Small looks into .npy files and report.json for utils/demo.sh.

    show.py value FILE.npy            the number in it
    show.py compare A.npy B.npy       largest difference; status 1 above rounding
    show.py bytes REPORT.json         bytes per collective; status 1 if any differ
"""

import json
import sys

import numpy as np


def show_value(path):
    print(f"{float(np.load(path)):.4f}")
    return 0


def show_comparison(first, second):
    a, b = np.load(first), np.load(second)
    difference, scale = np.abs(a - b).max(), np.abs(a).max()
    words = "bit-equal" if np.array_equal(a, b) else f"differ by at most {difference:.1e}"
    print(f"  {first} and {second}: {words}")
    return 0 if difference <= 1e-5 * scale else 1


def show_bytes(path):
    with open(path) as file:
        report = json.load(file)
    print(f"  {'tensor':<10} {'collective':<15} {'predicted':>10} {'counted':>10}")
    wrong = 0
    for entry in report["collectives"]:
        predicted, counted = entry["predicted_bytes"], entry["counted_bytes"]
        wrong += predicted != counted
        mark = "" if predicted == counted else "  differs"
        print(f"  {entry['vertex']:<10} {entry['kind']:<15} {predicted:>10} {counted:>10}{mark}")
    total = sum(entry["counted_bytes"] for entry in report["collectives"])
    print(f"  {len(report['collectives'])} collectives, {total} bytes, {wrong} differ")
    return 1 if wrong else 0


if __name__ == "__main__":
    commands = {"value": show_value, "compare": show_comparison, "bytes": show_bytes}
    sys.exit(commands[sys.argv[1]](*sys.argv[2:]))
