"""Plan files and machine files."""

import json
import random
import tempfile

from . import corpus
from .accepted import check_plan_file
from .mutators import json_text, mutate_json
from .oracles import Bench
from .programs import draw_planning
from harness.driver import load_json
from harness.generator import generate
from harness.plans import random_plan


def small_program(rng):
    """A program, a plan by hand for it, and its devices."""
    seed = rng.randrange(10**6)
    program = generate(seed)
    devices = rng.choice([1, 2, 3, 4, 6, 8, 12])
    return program.source, random_plan(seed, program.vertices, devices)


def full_plan(rng, tools, program, tree):
    """The plan with all that follows from it, or one of a solver."""
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(tools, folder)
        bench.write("p.ein", program)
        bench.write("given.json", json.dumps(tree))
        words = ["--plan=given.json"] if rng.random() < 0.5 else draw_planning(rng)
        words = ["plan", "p.ein", *words, "--json=f.json"]
        if bench.run("tapestry", *words, writes=["f.json"]).status:
            return tree
        return load_json(bench.folder / "f.json")


def drop_decisions(rng, tree):
    """Leaves the rest to the planner."""
    tree = {"tapestry_plan": 1, **{k: v for k, v in tree.items() if rng.random() < 0.7}}
    for vertex in tree.setdefault("vertices", []):
        for key in ["parts", "axes", "home", "home_route", "operand_routes"]:
            if rng.random() < 0.4:
                vertex.pop(key, None)
            elif isinstance(vertex.get(key), dict) and rng.random() < 0.5:
                vertex[key] = {k: v for k, v in vertex[key].items() if rng.random() < 0.7}
    tree["vertices"] = [vertex for vertex in tree["vertices"] if rng.random() < 0.8]
    return tree


def check_plan(bench, tree, program, options, text_of):
    bench.write("p.ein", program)
    bench.write("given.json", text_of(tree))
    planning = ["--plan=given.json", *options]
    words = ["plan", "p.ein", *planning, "--json=plan.json"]
    planned = bench.run("tapestry", *words, writes=["plan.json"])
    if planned.status == 0:
        check_plan_file(bench, planned, "p.ein", planning, 1)
        bench.run("tapestry", "plan", "--diff", "given.json", "plan.json")
    return planned.status == 0


def writer(rng):
    """How a tree is written: with the same noise, whatever is left out of it."""
    seed = rng.random()
    return lambda tree: json_text(random.Random(seed), tree)


def draw_plan(rng, tools):
    program, tree = small_program(rng)
    if rng.random() < 0.7:
        tree = full_plan(rng, tools, program, tree)
    if rng.random() < 0.5:
        tree = drop_decisions(rng, tree)
    if rng.random() < 0.7:
        tree = mutate_json(rng, tree)
    options = draw_planning(rng)[1:] if rng.random() < 0.2 else []
    text_of = writer(rng)
    return tree, lambda bench, t: check_plan(bench, t, program, options, text_of)


def check_machine(bench, tree, program, options, text_of):
    bench.write("p.ein", program)
    bench.write("m.json", text_of(tree))
    words = ["plan", "p.ein", "--cost=spmd", "--machine=m.json", *options]
    written = ["plan.json", "f.json"]
    if bench.run("tapestry", *words, "--json=plan.json", writes=written).status:
        return False
    words = ["plan", "p.ein", "--plan=plan.json", "--explain"]
    bench.expect("plan: refuses its own file", "tapestry", *words)
    return True


def draw_machine(rng, tools):
    program, _ = small_program(rng)
    options = rng.choice([[], ["--devices=4"], ["--devices=12"], ["--grid=host=2,card=3"]])
    if rng.random() < 0.1:
        options = [*options, "--pareto=f.json", "--evaluations=40"]
    text_of = writer(rng)
    tree = mutate_json(rng, corpus.pick(rng, corpus.json_files("tapestry_machine")))
    return tree, lambda bench, t: check_machine(bench, t, program, options, text_of)
