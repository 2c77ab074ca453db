"""The plan contract: a run moves exactly the bytes that its plan announced."""

from .driver import CheckFailed

# What the greedy executor predicts and counts.
MOVED = ("spilled", "reloaded", "input", "copied")


def _key(entry):
    return entry["vertex"], entry["kind"]


def _sorted(entries, byte_key):
    """By the bytes of one time: a plan has those, a run those of all passes."""
    return sorted((*_key(entry), entry[byte_key] / entry.get("times", 1)) for entry in entries)


def _memory_problems(plan, report):
    """The arena of every rank peaks where the compiler said it would, on threads
    and as processes."""
    used = report["peak_bytes"]
    expected = report.get("predicted_peak_bytes")
    if expected is None:
        return ["report.json: no peak was predicted"]
    if plan["peak_bytes_exact"] and plan["peak_bytes_per_device"] != max(expected):
        return [
            f"plan.json: peak of {plan['peak_bytes_per_device']} bytes, "
            f"predicted by the program {max(expected)}"
        ]
    together = report["process_peak_bytes"]
    if not max(used) <= together <= sum(used):
        return [f"a process holds {together} bytes of ranks that hold {used}"]
    if used != expected:
        return [f"ranks peaked at {used} bytes, predicted were {expected}"]
    return []


def _payloads(entry):
    """What all devices may hand to MPI for a collective of these predicted bytes:
    of a reduction all that they hold, of an exchange each part once where it goes
    to all, or else what each receiver lacks."""
    predicted, group = entry["predicted_bytes"], entry["group"]
    if entry["kind"] == "all_reduce":
        return [predicted * group / (2 * (group - 1))]
    if entry["kind"] == "reduce_scatter":
        return [predicted * group / (group - 1)]
    if entry["kind"] == "all_gather":
        return [predicted / (group - 1), predicted]
    return [predicted]


def check_payloads(plan, report):
    """Compares plan.json with report.json of a run by MPI's own collectives."""
    problems = _memory_problems(plan, report)
    for entry in report["collectives"]:
        if entry.get("by") != "mpi" or "counted_bytes" in entry:
            problems.append(f"not by MPI: {entry}")
        elif entry["payload_bytes"] not in _payloads(entry):
            problems.append(f"payload is none of {_payloads(entry)}: {entry}")
    if _sorted(plan["collectives"], "bytes") != _sorted(report["collectives"], "predicted_bytes"):
        problems.append("collectives of plan.json and report.json differ")
    if problems:
        raise CheckFailed("\n".join(problems))


def _copy_problems(report):
    """Where what local copies write is not predicted, or otherwise."""
    problems = []
    for entry in report["copies"]:
        if entry.get("predicted_bytes") != entry["counted_bytes"]:
            problems.append(f"copies: {entry}")
        if not entry["vertex"]:
            problems.append(f"copies that belong to nothing: {entry}")
    for entry in report["collectives"]:
        if "payload_bytes" in entry:
            continue
        if entry.get("predicted_copied_bytes") != entry["copied_bytes"]:
            problems.append(f"copied by collectives: {entry}")
    return problems


def check_contract(plan, report, devices, backend):
    """Compares plan.json with report.json of a run of the same plan."""
    problems = []
    for what, expected in (("tapestry_report", 1), ("devices", devices), ("backend", backend)):
        if report.get(what) != expected:
            problems.append(f"report.json: '{what}' is {report.get(what)!r}, expected {expected!r}")
    if plan.get("devices") != devices:
        problems.append(f"plan.json: 'devices' is {plan.get('devices')!r}, expected {devices}")
    for entry in report["collectives"]:
        # What a library counts otherwise than we do is what it was handed.
        if entry.get("by") and "payload_bytes" in entry:
            if entry["payload_bytes"] not in _payloads(entry):
                problems.append(f"payload is none of {_payloads(entry)}: {entry}")
        elif entry["predicted_bytes"] != entry["counted_bytes"]:
            problems.append(
                f"{entry['kind']} of {entry['vertex']}: predicted {entry['predicted_bytes']} "
                f"bytes, counted {entry['counted_bytes']}"
            )
    problems += _copy_problems(report)
    planned = _sorted(plan["collectives"], "bytes")
    counted = _sorted(report["collectives"], "predicted_bytes")
    if planned != counted:
        only_planned = [entry for entry in planned if entry not in counted]
        only_counted = [entry for entry in counted if entry not in planned]
        problems.append(
            f"collectives of plan.json and report.json differ: planned {len(planned)}, "
            f"counted {len(counted)}; only planned: {only_planned}; only counted: {only_counted}"
        )
    problems += _memory_problems(plan, report)
    for entry in plan["collectives"]:
        if devices == 1 or entry["bytes"] <= 0 or not 2 <= entry["group"] <= devices:
            problems.append(f"plan.json: impossible collective on {devices} devices: {entry}")
    if problems:
        raise CheckFailed("\n".join(problems))


def check_solver_plan(plan):
    """What a plan of the exact solver must say about itself."""
    cost, bound = plan["cost"], plan["lower_bound"]
    if plan["proved_optimal"] and abs(cost - bound) > 1e-9 * max(1.0, abs(cost)):
        raise CheckFailed(f"plan.json: proved optimal, but cost {cost} is not the bound {bound}")
    if bound > cost * (1 + 1e-9):
        raise CheckFailed(f"plan.json: lower bound {bound} above the cost {cost}")
    total = sum(v["join"] + v["aggregate"] + v["repartition"] for v in plan["vertices"])
    if abs(total - cost) > 1e-6 * max(1.0, abs(cost)):
        raise CheckFailed(f"plan.json: vertices cost {total} together, the plan {cost}")


def check_tasks(report, workers, limit):
    """report.json of a run of the greedy executor under a limit of bytes, or none."""
    problems = []
    # No more workers than ever have something to do.
    if report.get("executor") != "greedy" or not 1 <= report.get("workers") <= workers:
        problems.append(f"{report.get('executor')!r} by {report.get('workers')} workers")
    for what in MOVED:
        predicted, counted = report[f"predicted_{what}_bytes"], report[f"counted_{what}_bytes"]
        if predicted != counted:
            problems.append(f"{what}: predicted {predicted} bytes, counted {counted}")
    peak = report["peak_bytes_per_device"]
    predicted = report["predicted_peak_bytes_per_device"]
    if not 0 < peak <= predicted or (limit and not predicted <= limit):
        problems.append(f"a peak of {peak} bytes, predicted {predicted}, under a limit of {limit}")
    if problems:
        raise CheckFailed("report.json: " + "\n".join(problems))
