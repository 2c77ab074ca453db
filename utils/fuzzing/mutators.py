"""Changes of text, JSON and bytes that know no language."""

import copy
import json
import re

# Numbers at which something may turn: signs, widths, powers of two.
NUMBERS = [
    *(0, 1, 2, 3, 4, 5, 7, 8, 13, 16, 17, 31, 64, 100, 1000, 65536),
    *(2**31 - 1, 2**31, 2**32, 2**53 + 1, 2**60, 2**62 - 1, 2**62, 2**63 - 1, 2**63, 2**64, 10**25),
]
TEXTS = [
    *("", " ", "?", "*", "a", "d.0", "d", "gpu.1", "0", "-1", "nan", "1e999", "é", "\x1b[31m"),
    *("\x00", "\udc80", "x" * 5000, "%s%n", "../x", "'", '"', "\\", "1GB/s", "1us", "1GiB"),
]
QUANTITIES = [
    "20TFLOP/s",
    "1MFLOP/s",
    "3.5GB/s",
    "400Gbit/s",
    "1Kib/s",
    "5us",
    "0.5ms",
    "2GiB",
    "1e3B",
]


def number_near(rng, number, small=False):
    """Another number: beside this one, or one at which something may turn."""
    if rng.random() < 0.5:
        return number + rng.choice([-1, 1, 2, number])
    return rng.choice(NUMBERS[: 11 if small else None])


def replace_number(rng, text, pattern=r"(?<![\w.%#])\d+(?![\w.])", small=False):
    """Changes one integer, or everywhere one value."""
    found = list(re.finditer(pattern, text))
    if not found:
        return text
    old = rng.choice(found)
    new = str(number_near(rng, int(old.group()), small))
    if rng.random() < 0.5:
        return re.sub(rf"(?<![\w.%#]){old.group()}(?![\w.])", new, text)
    return text[: old.start()] + new + text[old.end() :]


def noise(rng, text):
    """Anything but structure: characters, words and lines that move, come and go."""
    pieces = re.findall(r"\w+|\s|.", text, re.DOTALL) or [""]
    place = rng.randrange(len(pieces))
    other = rng.randrange(len(pieces))
    choice = rng.randrange(9)
    if choice == 0:
        pieces[place] = chr(rng.choice([0, 7, 9, 27, 127, 133, 0xDC80, 0x2028, 0x1F600, 200]))
    elif choice == 1:
        del pieces[place]
    elif choice == 2:
        pieces[place], pieces[other] = pieces[other], pieces[place]
    elif choice == 3:
        pieces.insert(place, pieces[other])
    elif choice == 4:
        pieces[place:] = []
    elif choice == 5:
        del pieces[min(place, other) : min(place, other) + rng.randrange(40)]
    elif choice == 6:
        pieces[place] *= rng.choice([2, 50, 3000])
    elif choice == 7:
        begin, end = rng.choice(["()", "[]", "{}"])
        depth = rng.choice([1, 3, 199, 201, 5000])
        pieces[place] = begin * depth + pieces[place] + end * depth
    else:
        lines = text.splitlines(keepends=True)
        rng.shuffle(lines)
        return "".join(lines)
    return "".join(pieces)


def flip_bytes(rng, data):
    """Changes, drops or repeats a few bytes."""
    data = bytearray(data)
    for _ in range(rng.choice([1, 1, 1, 2, 4])):
        if not data:
            break
        place = rng.randrange(len(data))
        choice = rng.randrange(5)
        if choice == 0:
            data[place] ^= 1 << rng.randrange(8)
        elif choice == 1:
            data[place] = rng.choice([0, 1, 0x7F, 0x80, 0xFF, rng.randrange(256)])
        elif choice == 2:
            del data[place : place + rng.choice([1, 1, 8, 64])]
        elif choice == 3:
            data[place:place] = data[place : place + rng.choice([1, 8, 64])]
        else:
            del data[place:]
    return bytes(data)


def _places(tree, path=()):
    yield path
    if isinstance(tree, (dict, list)):
        for key, child in tree.items() if isinstance(tree, dict) else enumerate(tree):
            yield from _places(child, (*path, key))


def _at(tree, path):
    for key in path:
        tree = tree[key]
    return tree


def _other_value(rng, value):
    """Of the same kind mostly."""
    if rng.random() < 0.2:
        return rng.choice([None, True, [], {}, "", 0, -1, 1.5, [[]], {"": 0}, "nan", 1e308])
    if isinstance(value, bool):
        return not value
    if isinstance(value, int):
        return rng.choice([-1, 1]) * number_near(rng, value, small=rng.random() < 0.7)
    if isinstance(value, float):
        return rng.choice([0.0, -value, value * 2, value + 1e-9, 1e308, 1e-308, 0.5])
    if isinstance(value, str) and rng.random() < 0.6:
        return rng.choice(QUANTITIES)
    if isinstance(value, str):
        return rng.choice([*TEXTS, value + value, value[:-1], value.upper(), value + ".0"])
    return []


def mutate_json(rng, tree):
    """Another tree: a value, a key or an element changed, moved, dropped or repeated."""
    tree = copy.deepcopy(tree)
    for _ in range(rng.choice([1, 1, 1, 2, 3])):
        paths = [path for path in _places(tree) if path]
        if not paths:
            return tree
        path = rng.choice(paths)
        parent, key = _at(tree, path[:-1]), path[-1]
        other = copy.deepcopy(_at(tree, rng.choice(paths)))
        choice = rng.random()
        if choice < 0.45:
            parent[key] = _other_value(rng, parent[key])
        elif choice < 0.6:
            del parent[key]
        elif choice < 0.75:
            parent[key] = other
        elif isinstance(parent, list):
            parent.insert(rng.randrange(len(parent) + 1), other)
        elif choice < 0.9:
            parent[rng.choice([*TEXTS, str(key).upper(), f"{key}s"])] = parent.pop(key)
        else:
            parent[rng.choice([p[-1] for p in paths if isinstance(p[-1], str)] or ["x"])] = other
    return tree


def json_text(rng, tree):
    """As a file may hold it: now and then with what JSON does not allow."""
    text = json.dumps(tree, indent=rng.choice([None, 1]), ensure_ascii=rng.random() < 0.5)
    if rng.random() < 0.1:
        text = noise(rng, text)
    if rng.random() < 0.03:
        text = rng.choice(["\ufeff" + text, text + text, "[" * 100000, text + "\x00", ""])
    return text
