#!/usr/bin/python3
"""plan.json written by hand, right and wrong.

    check_plans.py [CASE ...]
"""

import json
from harness import contract, driver
from harness.cases import Group, given_plan
from harness.driver import CheckFailed

case = Group()


def run_with(bench, plan, *words):
    text = plan if isinstance(plan, str) else json.dumps(plan)
    bench.write("given.json", text)
    return bench.run("--plan=given.json", "--devices=2", *words)


def refuse(bench, plan, *patterns):
    """Both commands that read plans refuse this one with the same words."""
    bench.keep_outputs()
    place = r"given\.json:(\d+:\d+:)? "
    bench.expect_error(run_with(bench, plan), 1, place, *patterns)
    finished = bench.tapestry("plan", "small.ein", "--plan=given.json", "--json=out.json")
    bench.expect_error(finished, 1, place, *patterns)
    if (bench.folder / "out.json").exists():
        raise CheckFailed(f"out.json was written\n{finished.describe()}")


@case
def a_good_plan(bench):
    bench.expect_results(run_with(bench, given_plan(), "--report=r.json"))
    report = driver.load_json(bench.folder / "r.json")
    # 42 partial sums of 4 bytes; in a ring of two, each rank sends all of them
    # in halves: once to add, once to spread; or one step of it, where the
    # reader wants halves.
    kinds = {(c["vertex"], c["kind"]): c["counted_bytes"] for c in report["collectives"]}
    if not kinds or any(vertex != "C" for vertex, _ in kinds):
        raise CheckFailed(f"collectives: {kinds}")


ORDERED = """\
input A : f32[6, 5]
input B : f32[5, 7]
input C : f32[7, 3]
D[i, l] = sum[j, k] A[i, j] * B[j, k] * C[k, l]
output D
"""


@case
def another_order_than_the_plans(bench):
    bench.write("small.ein", ORDERED)
    made = bench.tapestry("plan", "small.ein", "--devices=2", "--json=made.json")
    made.expect_status(0)
    plan = driver.load_json(bench.folder / "made.json")
    words = ("plan", "small.ein", "--plan=made.json")
    bench.tapestry(*words, "--order=flops").expect_status(0)
    plan["rewrites"][0]["arguments"].reverse()
    bench.write("made.json", json.dumps(plan))
    bench.expect_error(bench.tapestry(*words, "--order=flops"), 2, r"made\.json: ", "--order")


@case
def plan_without_axes(bench):
    plan = given_plan()
    for vertex in plan["vertices"]:
        del vertex["axes"]
    bench.expect_results(run_with(bench, plan))


@case
def plan_without_parts(bench):
    plan = given_plan()
    for vertex in plan["vertices"]:
        del vertex["parts"]
    bench.expect_results(run_with(bench, plan))


@case
def replicated_everywhere(bench):
    plan = given_plan()
    for vertex in plan["vertices"]:
        vertex["axes"] = {}
        vertex["parts"] = {label: 1 for label in vertex["parts"]}
    bench.expect_results(run_with(bench, plan, "--report=r.json"))
    report = driver.load_json(bench.folder / "r.json")
    if report["collectives"]:
        raise CheckFailed(f"replicas talk to each other: {report['collectives']}")


@case
def written_plans_read_back(bench):
    for devices in (1, 2, 6, 8):
        for solver in ("exact", "eindecomp"):
            options = [f"--devices={devices}", f"--solver={solver}"]
            bench.tapestry("plan", "small.ein", *options, "--json=first.json").expect_status(0)
            bench.tapestry(
                "plan", "small.ein", "--plan=first.json", "--json=second.json"
            ).expect_status(0)
            first = driver.load_json(bench.folder / "first.json")
            second = driver.load_json(bench.folder / "second.json")
            if first != second:
                raise CheckFailed(f"{devices} devices, {solver}:\n{first}\n{second}")
            bench.expect_results(bench.run("--plan=first.json", "--report=r.json"))
            report = driver.load_json(bench.folder / "r.json")
            contract.check_contract(first, report, devices, "local")


@case
def plans_are_deterministic(bench):
    def plan(name):
        bench.tapestry("plan", "small.ein", "--devices=8", f"--json={name}").expect_status(0)
        contents = driver.load_json(bench.folder / name)
        del contents["plan_seconds"]
        return json.dumps(contents)

    if plan("first.json") != plan("second.json"):
        raise CheckFailed("two plans of the same program differ")

    def code():
        return bench.tapestry("compile", "small.ein", "--devices=8", "--stop-after=program").stdout

    first = code()
    if not first or first != code():
        raise CheckFailed("the IR of the same program differs, or there is none")


@case
def axis_on_two_labels(bench):
    # Each device would compute a diagonal block: cells are missing.
    plan = given_plan()
    plan["vertices"][0]["parts"] = {"i": 2, "j": 2, "k": 1}
    plan["vertices"][0]["axes"] = {"i": ["d.0"], "j": ["d.0"]}
    refuse(bench, plan, "'C'", r"d\.0|parts")
    plan["devices"], plan["grid"] = 4, {"d": 4}
    refuse_on_four = given_plan() | {"devices": 4, "grid": {"d": 4}}
    refuse_on_four["vertices"][0] = plan["vertices"][0]
    bench.write("given.json", json.dumps(refuse_on_four))
    bench.expect_error(
        bench.run("--plan=given.json"), 1, r"given\.json: ", r"d\.0", "'C'", "'i'", "'j'"
    )


@case
def axis_twice_on_one_label(bench):
    plan = given_plan()
    plan["vertices"][0]["axes"] = {"j": ["d.0", "d.0"]}
    refuse(bench, plan, r"d\.0")


@case
def parts_that_axes_do_not_make(bench):
    plan = given_plan()
    plan["vertices"][0]["parts"] = {"i": 1, "j": 1, "k": 1}
    refuse(bench, plan, "'C'", "'j'", r"\b1\b", r"\b2\b")


@case
def more_parts_than_devices(bench):
    plan = given_plan()
    del plan["vertices"][0]["axes"]
    plan["vertices"][0]["parts"] = {"i": 2, "j": 2, "k": 1}
    refuse(bench, plan, "'C'", r"\b4\b", r"\b2\b")


@case
def parts_that_no_axes_make(bench):
    plan = given_plan() | {"devices": 4, "grid": {"d": 4}}
    del plan["vertices"][0]["axes"]
    plan["vertices"][0]["parts"] = {"i": 3, "j": 1, "k": 1}
    bench.write("given.json", json.dumps(plan))
    bench.expect_error(bench.run("--plan=given.json"), 1, r"given\.json: ", "'C'", r"\b3\b")


@case
def parts_beyond_the_extent(bench):
    plan = given_plan() | {"devices": 8, "grid": {"d": 8}}
    plan["vertices"][0]["parts"] = {"i": 1, "j": 8, "k": 1}
    plan["vertices"][0]["axes"] = {"j": ["d.0", "d.1", "d.2"]}
    bench.write("given.json", json.dumps(plan))
    bench.expect_error(
        bench.run("--plan=given.json"), 1, r"given\.json: ", "'C'", "'j'", r"\b8\b", r"\b5\b"
    )


@case
def parts_that_are_no_count(bench):
    for parts in (0, -2, 2.5, "two", None):
        plan = given_plan()
        plan["vertices"][0]["parts"]["j"] = parts
        refuse(bench, plan, r"vertices\[0\]|'C'")


@case
def unknown_vertex(bench):
    plan = given_plan()
    plan["vertices"].append({"name": "Q", "parts": {}})
    refuse(bench, plan, "'Q'")


@case
def vertex_twice(bench):
    plan = given_plan()
    plan["vertices"].append(plan["vertices"][0])
    refuse(bench, plan, "'C'", "twice")


@case
def missing_vertex(bench):
    plan = given_plan()
    del plan["vertices"][1]
    bench.expect_results(run_with(bench, plan))


@case
def unknown_label(bench):
    plan = given_plan()
    plan["vertices"][0]["parts"]["z"] = 1
    refuse(bench, plan, "'z'", "'C'")


@case
def unknown_axis(bench):
    plan = given_plan()
    plan["vertices"][0]["axes"] = {"j": ["e.0"]}
    refuse(bench, plan, r"'e\.0'", r"'d\.0'")


@case
def unknown_key(bench):
    refuse(bench, given_plan() | {"vertexes": []}, "vertexes")


@case
def wrong_costs_and_bytes(bench):
    bench.tapestry("plan", "small.ein", "--devices=2", "--json=right.json").expect_status(0)
    right = driver.load_json(bench.folder / "right.json")
    wrong = json.loads(json.dumps(right))
    wrong["cost"] = right["cost"] + 1
    refuse(bench, wrong, "cost")
    bench.expect_results(run_with(bench, given_plan()))
    bench.tapestry("plan", "small.ein", "--plan=given.json", "--json=right.json").expect_status(0)
    wrong = driver.load_json(bench.folder / "right.json")
    wrong["collectives"][0]["bytes"] += 4
    bytes_given = wrong["collectives"][0]["bytes"]
    refuse(bench, wrong, rf"\b{bytes_given}\b", rf"\b{bytes_given - 4}\b")


@case
def devices_disagree(bench):
    bench.write("given.json", json.dumps(given_plan()))
    finished = bench.run("--plan=given.json", "--devices=3")
    bench.expect_error(finished, 2, r"\b2\b", r"\b3\b")
    refuse(bench, given_plan() | {"devices": 3}, r"\b2\b", r"\b3\b")


@case
def options_that_contradict_the_plan(bench):
    def follow(*words):
        return bench.tapestry("plan", "small.ein", "--plan=p.json", *words)

    def refuse(option, *patterns):
        finished = follow(*option.split())
        bench.expect_error(finished, 2, rf"^p\.json: error: {patterns[0]}", *patterns[1:])

    def write(*words):
        bench.tapestry("plan", "small.ein", "--json=p.json", *words).expect_status(0)

    write("--grid=node=2,gpu=2")
    follow("--cost=paper", "--solver=exact", "--grid=node=2,gpu=2").expect_status(0)
    refuse("--cost=spmd", "cost_model: .*'paper'.*--cost.*'spmd'")
    refuse("--solver=bounded", "solver: .*'exact'.*--solver bounded")
    refuse("--grid=a=4", "grid: .*node=2,gpu=2.*--grid.*a=4")
    refuse("--machine=cpu", "cost_model: .*'paper'.*--machine cpu")
    write("--devices=4", "--cost=spmd", "--machine=h100x8")
    follow("--cost=spmd", "--machine=h100x8").expect_status(0)
    refuse("--machine=cpu", "machine: .*'h100x8'.*--machine cpu")
    write("--cost=spmd", "--grid=d=4:bw=5GB/s")
    follow("--grid=d=4:bw=5GB/s").expect_status(0)
    refuse("--grid=d=4:bw=6GB/s", "machine: .*'cpu'.*--grid d=4:bw=6GB/s")
    # What a file leaves open is decided as asked.
    bench.write("p.json", '{"tapestry_plan": 1, "devices": 4, "vertices": []}')
    asked = ["--cost=spmd", "--solver=bounded", "--machine=h100x8", "--grid=node=2,gpu=2"]
    follow(*asked, "--json=out.json").expect_status(0)
    plan = driver.load_json(bench.folder / "out.json")
    got = plan["cost_model"], plan["solver"], plan["machine"]["name"], plan["grid"]
    if got != ("spmd", "bounded", "h100x8", {"node": 2, "gpu": 2}):
        raise CheckFailed(f"planned by {got}")
    refuse("--grid=a=2", "grid: .*'d=4'.*--grid.*a=2")


@case
def malformed_json(bench):
    refuse(bench, json.dumps(given_plan())[:-9], "given")
    refuse(bench, "", "given")
    refuse(bench, "[]", "object")
    refuse(bench, "{}", "tapestry_plan|vertices")
    refuse(bench, "[" * 100_000, "given")
    # The place as everywhere, from every reader.
    text = '{"tapestry_plan": 1,\n "devices": }'
    bench.expect_error(run_with(bench, text), 1, r"^given\.json:2:13: error: Invalid JSON value")
    bench.expect_error(run_with(bench, ""), 1, r"^given\.json:1:1: error: Unexpected EOF")
    bench.write("given.json", text)
    diff = bench.tapestry("plan", "--diff", "given.json", "given.json")
    bench.expect_error(diff, 1, r"^given\.json:2:13: error: Invalid JSON value")
    finished = bench.run("--cost=spmd", "--machine=./given.json")
    bench.expect_error(finished, 1, r"^\./given\.json:2:13: error: Invalid JSON value")


@case
def other_version(bench):
    refuse(bench, given_plan() | {"tapestry_plan": 2}, r"\b2\b", r"\b1\b")


@case
def missing_plan_file(bench):
    bench.expect_error(bench.run("--plan=none.json"), 1, r"none\.json", "No such file")


if __name__ == "__main__":
    case.main(__doc__)
