"""What every accepted program owes: its plan can be followed again, its graph prints
and parses back, and it runs with the values of the reference and the planned bytes."""

import math
import re

import numpy as np

from harness import blocks, contract
from harness.compare import BF16_TOLERANCE, TOLERANCE, bf16_values, widened
from harness.driver import CheckFailed, load_json

from .oracles import Failure

# What is run and not only planned.
MOST_ELEMENTS = 1 << 14
MOST_POINTS = 1 << 18
NUMPY_TYPES = {
    "f64": np.float64, "f32": np.float32, "f16": np.float16, "i64": np.int64,
    "i32": np.int32, "i16": np.int16, "i8": np.int8, "i1": np.bool_,
    "u8": np.uint8, "u16": np.uint16, "u32": np.uint32, "u64": np.uint64,
    "complex<f32": np.complex64, "complex<f64": np.complex128,
}  # fmt: skip
ELEMENT = "(?:complex<f|f|bf|i)[0-9]+"


def tensors_of(ir):
    """name, shape and element type of the inputs, as the graph says them."""
    source = rf'tapestry\.source "([^"]+)"(.*?)tensor<([0-9x]*?)x?({ELEMENT})>'
    return [
        (
            name,
            [int(n) for n in shape.split("x") if n],
            element.replace("i", "u") if "tapestry.unsigned" in words else element,
        )
        for name, words, shape, element in re.findall(source, ir)
    ]


def can_run(ir):
    """Whether it is small, and its files can be named on a command line."""
    names = re.findall(r'tapestry\.(?:source|sink) "([^"]*)"', ir)
    # Nobody has the functions of other blocks.
    return blocks.are_known(ir) and is_small(ir) and all(re.fullmatch(r"[\w.]+", n) for n in names)


def is_small(ir):
    shapes = re.findall(rf"tensor<([0-9x]*)x?{ELEMENT}>", ir)
    spaces = re.findall(r"tapestry\.einsum \S+ \[([^]]*)\]", ir)
    elements = [math.prod(int(n) for n in s.split("x") if n) for s in shapes]
    points = [math.prod(int(n) for n in re.findall(r"= (\d+)", s)) for s in spaces]
    return max(elements, default=0) <= MOST_ELEMENTS and max(points, default=0) <= MOST_POINTS


def draw_inputs(bench, ir, seed):
    """Writes the inputs; and again with every float a little other, from which is
    seen how far rounding carries."""
    rng = np.random.default_rng(seed)
    words = [[], []]
    for name, shape, element in tensors_of(ir):
        if element.startswith(("f", "bf", "complex")):
            values = rng.choice([rng.uniform(-2, 2, shape), rng.integers(-4, 5, shape) / 4.0])
            if element.startswith("complex"):
                values = values + 1j * rng.uniform(-2, 2, shape)
            nudged = values * (1 + 2.0**-19 * rng.choice([-1, 1], shape))
            pair = [np.asarray(v) for v in (values, nudged)]
            if element == "bf16":
                pair = [
                    (v.astype(np.float32).view(np.uint32) >> 16).astype(np.uint16) for v in pair
                ]
            else:
                pair = [v.astype(NUMPY_TYPES[element]) for v in pair]
        else:
            high = 2 if element == "i1" else int(rng.choice([4, 100]))
            pair = [
                rng.integers(0 if high == 2 else -high, high, shape).astype(NUMPY_TYPES[element])
            ] * 2
        for suffix, values, options in zip(("", ".nudged"), pair, words):
            np.save(bench.folder / f"{name}{suffix}.npy", values)
            options += ["-i", f"{name}={name}{suffix}.npy"]
    return words


def load(bench, name, element):
    values = np.load(bench.folder / f"{name}.npy")
    return bf16_values(values) if element == "bf16" else values


def coarsest(ir):
    """The tolerance of the program's type with the fewest digits."""
    found = [TOLERANCE[np.dtype(NUMPY_TYPES[t])] for t in ("f64", "f32", "f16") if f"{t}>" in ir]
    return max([*found, BF16_TOLERANCE if "bf16>" in ir else 0, 1e-12])


def compare_outputs(bench, outputs, usual, finished, who="run"):
    """A run against the reference: integers to the last bit, floats within rounding,
    which is judged by what the reference makes of inputs that were nudged."""
    for name, element in outputs:
        got, want, nudged = (load(bench, f"{s}-{name}", element) for s in (who, "ref", "nudged"))
        if got.shape != want.shape or got.dtype != want.dtype:
            raise Failure(f"{who}: shape", f"{name}: {got.shape} {got.dtype}\n{finished.describe()}")
        if want.dtype.kind not in "fc":
            # Where nudging the floats changes integers, so may rounding.
            bad = (got != want) & bool(np.all(nudged == want))
        else:
            with np.errstate(all="ignore"):
                got, want, nudged = (widened(v) for v in (got, want, nudged))
                moved = np.abs(nudged - want)
                limit = usual * (np.abs(want) + np.max(np.abs(want), initial=0.0))
                # A nudge is 16 times what f32 rounds; sums hide and share errors.
                limit = limit + 50 * (moved + np.max(moved, initial=0.0))
                bad = (got != want) & ~(np.abs(got - want) <= limit)
                # Products and sums in another order may overflow elsewhere.
                bad &= bool(np.all(np.isfinite(want)) and np.all(np.isfinite(nudged)))
        if np.any(bad):
            place = tuple(int(i) for i in np.argwhere(bad)[0]) if bad.ndim else ()
            raise Failure(
                f"{who}: wrong value",
                f"{name}{list(place)}: got {got[place]!r}, expected {want[place]!r}; "
                f"{int(np.sum(bad))} of {bad.size} differ\n{finished.describe()}",
            )


def check_contract(bench, plan, devices):
    try:
        report = load_json(bench.folder / "report.json")
        contract.check_contract(plan, report, devices, "local")
    except CheckFailed as failure:
        raise Failure("run: contract", str(failure)) from None


def check_run(bench, program, ir, planning, plan, seed):
    """`run` gives what `reference` gives, and moves what the plan said."""
    outputs = [
        (name, element)
        for name, element in re.findall(
            rf'tapestry\.sink "([^"]+)".*?tensor<[0-9x]*?({ELEMENT})>', ir
        )
    ]
    words, nudged = draw_inputs(bench, ir, seed)
    objects = blocks.object_options(ir, bench.folder)
    words, nudged = words + objects, nudged + objects

    def files(prefix):
        return [w for name, _ in outputs for w in ("-o", f"{name}={prefix}-{name}.npy")]

    if "tapestry.require" in ir:
        # Indices that are drawn may lie outside: both say so, in the same words.
        # Outputs with files of their own would be written.
        unseen = [*words, *(w for name, _ in outputs for w in ("-o", f"{name}=/dev/null"))]
        referred = bench.run("tapestry", "reference", program, *unseen)
        if referred.status == 1 and "error: index " in referred.stderr:
            ran = bench.run("tapestry", "run", program, *planning, *unseen)
            if ran.status != 1 or ran.stderr != referred.stderr:
                raise Failure("run and reference disagree", f"{ran.describe()}\n{referred.describe()}")
            return
    for prefix, inputs in (("ref", words), ("nudged", nudged)):
        written = [f"{prefix}-{name}.npy" for name, _ in outputs]
        bench.expect("reference: refuses what plan accepts", "tapestry", "reference", program,
                     *inputs, *files(prefix), writes=written)  # fmt: skip
    written = [*(f"run-{name}.npy" for name, _ in outputs), "report.json"]
    finished = bench.expect(
        "run: refuses what plan accepts", "tapestry", "run", program, *planning, *words,
        *files("run"), "--report=report.json", writes=written,
    )  # fmt: skip
    compare_outputs(bench, outputs, coarsest(ir), finished)
    check_contract(bench, plan, plan["devices"])
    if seed % 3 == 0:
        check_greedy(bench, program, planning, words, outputs, coarsest(ir), seed)


def check_greedy(bench, program, planning, words, outputs, usual, seed):
    """Shard by shard, in less memory or with a refusal."""
    planning = [word for word in planning if not word.startswith(("--memory", "--devices"))]
    workers, limit = 2, [10**7, 3000, 300][seed // 3 % 3]
    files = [w for name, _ in outputs for w in ("-o", f"{name}=greedy-{name}.npy")]
    finished = bench.run(
        "tapestry", "run", program, "--executor=greedy", f"--devices={workers}", f"--memory={limit}",
        "--spill=tmp", *planning, *words, *files, "--report=tasks.json",
        writes=[*(f"greedy-{name}.npy" for name, _ in outputs), "tasks.json"],
    )  # fmt: skip
    if finished.status == 3:
        return
    if finished.status:
        raise Failure("greedy: refuses what plan accepts", finished.describe())
    compare_outputs(bench, outputs, usual, finished, "greedy")
    report = load_json(bench.folder / "tasks.json")
    try:
        contract.check_tasks(report, workers, workers * limit)
    except CheckFailed as failure:
        raise Failure("greedy: contract", str(failure)) from None


def check_plan_file(bench, planned, program, planning, seed):
    """After `plan --json=plan.json` of a program with these options."""
    plan = load_json(bench.folder / "plan.json")
    try:
        contract.check_solver_plan(plan)
    except CheckFailed as failure:
        raise Failure("plan: contract", f"{failure}\n{planned.describe()}") from None
    words = ["plan", program, "--plan=plan.json"]
    bench.expect("plan: refuses its own file", "tapestry", *words)
    if program.endswith(".ein"):
        words = ["--ein-to-mlir", program, "-o", "g.mlir"]
        what = "import: refuses what plan accepts"
        bench.expect(what, "tapestry-translate", *words, writes=["g.mlir"])
    else:
        words = ["plan", program, "--order=none", "--stop-after=graph"]
        bench.write("g.mlir", bench.expect("plan: no graph", "tapestry", *words).stdout)
    words = ["--verify-roundtrip", "g.mlir", "-o", "/dev/null"]
    bench.expect("graph: round trip", "tapestry-opt", *words)
    ir = (bench.folder / "g.mlir").read_text()
    if can_run(ir) and plan["devices"] <= 64:
        check_run(bench, program, ir, planning, plan, seed)
