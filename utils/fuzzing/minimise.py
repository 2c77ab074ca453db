"""Makes a failing input small: what can be left out without another outcome is.

An input is text or bytes, whose lines and then words are left out, or a list or
dict, whose elements are, at every depth.
"""

import re


def shrink_sequence(items, fails):
    """Leaves out halves, quarters, ..., single items while `fails` holds."""
    size = (len(items) + 1) // 2
    while items and size:
        begin = 0
        while begin < len(items):
            fewer = items[:begin] + items[begin + size :]
            if fails(fewer):
                items = fewer
            else:
                begin += size
        size //= 2
    return items


def shrink_tree(tree, fails):
    """Leaves out elements of a list or dict, then of what they hold."""
    if isinstance(tree, list):
        tree = shrink_sequence(tree, fails)
        places = range(len(tree))
    elif isinstance(tree, dict):
        tree = dict(shrink_sequence(list(tree.items()), lambda items: fails(dict(items))))
        places = list(tree)
    else:
        return tree
    for place in places:

        def fails_with(child):
            copy = list(tree) if isinstance(tree, list) else dict(tree)
            copy[place] = child
            return fails(copy)

        smaller = shrink_tree(tree[place], fails_with)
        tree = list(tree) if isinstance(tree, list) else dict(tree)
        tree[place] = smaller
    return tree


def minimise(subject, fails, most=400):
    """The smallest subject found that still `fails`, in at most so many attempts."""
    left = most

    def attempt(candidate):
        nonlocal left
        left -= 1
        return left >= 0 and fails(candidate)

    if isinstance(subject, (list, dict)):
        return shrink_tree(subject, attempt)
    is_text = isinstance(subject, str)
    empty = "" if is_text else b""
    units = [r"[^\n]*\n|[^\n]+", r"\w+|\s+|[^\w\s]+"] if is_text else [b"(?s)."]
    for unit in units:
        pieces = re.findall(unit, subject)
        if empty.join(pieces) != subject:
            continue
        subject = empty.join(shrink_sequence(pieces, lambda p: attempt(empty.join(p))))
    return subject
