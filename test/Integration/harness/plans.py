"""Random plans: any cut of any label over any axes, good or not."""

import json
import math

import numpy as np

from . import driver


def prime_factors(number):
    factors, divisor = [], 2
    while number > 1:
        while number % divisor == 0:
            factors.append(divisor)
            number //= divisor
        divisor += 1
    return factors


def random_grid(rng, devices):
    """The grid as the user names it, and its axes: [(name, size)]."""
    primes = prime_factors(devices)
    if len(primes) < 2 or rng.random() < 0.6:
        grid = {"d": devices}
    else:
        split = int(rng.integers(1, len(primes)))
        order = [primes[i] for i in rng.permutation(len(primes))]
        grid = {"node": math.prod(order[:split]), "gpu": math.prod(order[split:])}
    axes = []
    for name, size in grid.items():
        axes += [(f"{name}.{i}", factor) for i, factor in enumerate(prime_factors(size))]
    return grid, axes


def random_axes(rng, labels, axes):
    """Every axis cuts one label that is long enough, or none: replicas."""
    parts = {name: 1 for name, _ in labels}
    chosen = {}
    idle = rng.choice([0.0, 0.1, 0.4])
    for index in rng.permutation(len(axes)):
        axis, size = axes[index]
        fitting = [name for name, extent in labels if parts[name] * size <= extent]
        if not fitting or rng.random() < idle:
            continue
        name = fitting[rng.integers(len(fitting))]
        parts[name] *= size
        chosen.setdefault(name, []).append(axis)
    return parts, chosen


def random_plan(seed, vertices, devices):
    """plan.json for the vertices of a generated program."""
    rng = np.random.default_rng([seed, devices, 0x9147])
    grid, axes = random_grid(rng, devices)
    entries = []
    for vertex in vertices:
        if vertex.is_input and rng.random() < 0.5:
            continue
        parts, chosen = random_axes(rng, vertex.labels, axes)
        entry = {"name": vertex.name, "parts": parts}
        # Without axes, where the plan leaves them to the planner.
        if chosen and rng.random() < 0.9:
            entry["axes"] = chosen
        entries.append(entry)
    return {"tapestry_plan": 1, "devices": devices, "grid": grid, "vertices": entries}


def write_random_plan(folder, program, seed, vertices, devices):
    """given.json, cuts of what is computed: vertices from which no output follows, as T
    in T - T, have no plan, nor have labels that are summed before the vertex is. Returns the plan."""
    words = ["plan", program, "--devices=1", "--json=computed.json"]
    driver.tapestry(*words, cwd=folder).expect_status(0)
    computed = driver.load_json(folder / "computed.json")
    labels = {vertex["name"]: vertex["parts"].keys() for vertex in computed["vertices"]}
    plan = random_plan(seed, vertices, devices)
    plan["vertices"] = [vertex for vertex in plan["vertices"] if vertex["name"] in labels]
    for vertex in plan["vertices"]:
        for cut in ("parts", "axes"):
            if cut in vertex:
                vertex[cut] = {label: how for label, how in vertex[cut].items()
                               if label in labels[vertex["name"]]}  # fmt: skip
    plan["rewrites"] = computed.get("rewrites", [])
    (folder / "given.json").write_text(json.dumps(plan))
    return plan


def cuts_of_rank_3(backend):
    """Cuts of a tensor of three dimensions, each with its number of devices: parts by
    dimension, some along several, some with replicas."""
    if backend == "mpi":
        return [({2: 3}, 3), ({0: 2, 1: 2}, 4)]
    return [({2: 2}, 2), ({2: 3, 0: 2}, 6), ({0: 4}, 4), ({1: 5}, 5), ({2: 8}, 8), ({1: 2}, 4)]
