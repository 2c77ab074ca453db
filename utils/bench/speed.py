#!/usr/bin/python3
"""Times workloads beside NumPy, torch and JAX, in turns.

    speed.py [--build build] [--peers numpy,torch,jax] [--threads 1|2] [--ranks] [--cpu NAME]
             [--sets table,everyday,language] [--turns 15] [--write FILE] [PART ...]

Of every workload whose name has one of the PARTs, all contestants' results are first
compared with NumPy's on 64-bit numbers. Then they take turns; in each a contestant runs
some passes, the least of which counts, and ours is put beside the best of that turn. A
row shows the median of these ratios over all turns: above 1 ours is faster. Peers that
take more than twice the time of the best are not in the turns (~). Ours are
report.json's seconds, without compilation and files.

`limit` is the time that the workload's operations take at the speed of an FMA loop or
its bytes (inputs and result once each) at that of a copy, whichever is more, as a share
of ours; both are measured in each turn by `ninja tapestry-bench-kernels`.

--threads 2 puts one device of two threads, with --ranks two devices of one, beside peers
with two threads. --cpu x86-64-v3 holds the
peers to AVX2, too. Of rows below 1, program, plan and command are printed. --write puts
the table into a file between `<!-- speed.py ... -->` and `<!-- end -->`. Run it on an
idle machine.
"""

import argparse
import dataclasses
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile

import peers

ROOT = pathlib.Path(__file__).resolve().parents[2]

# Seconds that the passes of one turn should take.
TURN_SECONDS = 0.1
# Of the largest number, by what the result is rounded to.
TOLERANCES = {"f64": 1e-10, "f32": 1e-4, "f16": 2e-3, "bf16": 1e-2, "i8": 0}


@dataclasses.dataclass
class Row:
    name: str
    ours: float
    # Per peer its time over ours, and whether it was in the turns.
    ratios: dict
    best: float | None
    limit: str
    share: float | None


class Limits:
    """Seconds that nothing on as many cores can go below."""

    def __init__(self, build, threads, cpu):
        self.tool = build / "bin" / "tapestry-bench-kernels"
        self.threads = threads
        self.words = ["--limits", f"--cpu={cpu}"]
        flags = peers.processor_flags()
        wide = cpu == "native"
        # Times that an operation takes, of one on f32.
        self.cost = {
            "f64": 2,
            "bf16": 0.5 if wide and "avx512_bf16" in flags else 1,
            "i8": 0.25 if wide and flags & {"avx512_vnni", "avx_vnni"} else 0.5,
        }
        if not self.tool.exists():
            self.tool = None
            print("no shares of limits: ninja tapestry-bench-kernels", file=sys.stderr)

    def measure(self):
        """Operations on f32 and copied bytes per second, of all cores together."""
        started = [
            subprocess.Popen([self.tool, *self.words], stdout=subprocess.PIPE)
            for _ in range(self.threads)
        ]
        found = [json.loads(process.communicate()[0]) for process in started]
        return [sum(one[key] for one in found) for key in ("flops", "copied")]

    def seconds(self, flops, moved, kind):
        """Which of the two bounds, and its seconds."""
        rate, copied = self.measure()
        compute = flops * self.cost.get(kind, 1) / rate
        return max((compute, "peak"), (moved / copied, "copy"))


class Ours:
    def __init__(self, tapestry, folder, threads, ranks, cpu):
        self.tapestry = tapestry
        self.folder = pathlib.Path(folder)
        self.words = [f"--devices={threads if ranks else 1}", f"--threads={1 if ranks else threads}"]
        self.words += [f"--cpu={cpu}"] if cpu != "native" else []

    def write(self, work, arrays, sizes):
        for name, array in arrays.items():
            if work.type == "bf16":
                # The upper halves, written with a type of which NumPy knows the size.
                array = (array.view("u4") >> 16).astype("u2").view("V2")
            self.np.save(self.folder / f"{name}.npy", array)
        lines = work.source.format(**sizes).strip().splitlines()
        self.source = "\n".join(line.strip() for line in lines) + "\n"
        (self.folder / "w.ein").write_text(self.source)
        self.inputs = [word for name in arrays for word in ("-i", f"{name}={name}.npy")]

    def call(self, work, *words):
        done = subprocess.run(
            [self.tapestry, *words], cwd=self.folder, capture_output=True, text=True
        )
        if done.returncode:
            sys.exit(f"{work.name}: {' '.join(words)}: status {done.returncode}\n{done.stderr}")
        return done.stdout

    def result(self, work):
        words = ["-q", *self.words, *self.inputs, "-o", f"{work.output}=out.npy"]
        self.call(work, "run", "w.ein", *words)
        found = self.np.load(self.folder / "out.npy")
        if found.dtype.kind == "V":
            return (found.view("u2").astype("u4") << 16).view("f4")
        return found

    def seconds(self, work, passes):
        """Of the fastest of as many passes."""
        words = ["-q", *self.words, f"--repeat={passes}", "--report=r.json", *self.inputs]
        self.call(work, "run", "w.ein", *words)
        return json.loads((self.folder / "r.json").read_text())["run_seconds"]["min"]

    def reproduce(self, work):
        """What a loss is looked into with."""
        plan = self.call(work, "plan", "w.ein", self.words[0])
        words = " ".join(["tapestry run w.ein", *self.words, "--repeat=15", *self.inputs])
        return "\n".join(f"    {line}" for line in f"{self.source}{plan}{words}".splitlines())


class Bench:
    def __init__(self, ours, limits, modules, options):
        self.ours = ours
        self.limits = limits
        self.modules = modules
        self.turns = options.turns
        self.quick = options.quick
        import numpy

        self.np = ours.np = numpy

    def widened(self, array):
        kinds = {"f": "f8", "c": "c16", "i": "f8" if array.itemsize == 1 else "i8"}
        return array.astype(kinds.get(array.dtype.kind, array.dtype))

    def wrong(self, work, who, got, wanted):
        """What is wrong with a result; empty where nothing is."""
        if got.shape != wanted.shape:
            return f"{work.name}: {who} has shape {got.shape}, not {wanted.shape}"
        wide = self.np.result_type(wanted, "f8")
        error = self.np.abs(got.astype(wide) - wanted).max() / (self.np.abs(wanted).max() + 1e-30)
        if not error <= TOLERANCES[work.type]:
            return f"{work.name}: {who} is off by {error:.1e} of the largest"
        return ""

    def measure(self, work):
        sizes = work.quick if self.quick else work.sizes
        arrays = work.draw(self.np.random.default_rng(5), **sizes) if work.draw else {}
        self.ours.write(work, arrays, sizes)
        result = self.ours.result(work)
        contest = peers.Contestants(self.modules, work, arrays, sizes)
        warm, results = contest.warm()
        if work.compared:
            reference = peers.forms_of(work.numpy)[0]
            wide = {name: self.widened(array) for name, array in arrays.items()}
            wanted = peers.as_array(reference(self.np, **wide))
            if message := self.wrong(work, "ours", result, wanted):
                sys.exit(message)
            for name, found in results.items():
                if message := self.wrong(work, name, peers.as_array(found), wanted):
                    print(f"  left out: {message}", file=sys.stderr)
                    del warm[name]
        del results
        moved = sum(array.nbytes for array in arrays.values()) + result.nbytes
        moved = moved // 2 if work.type == "bf16" else moved
        flops = work.flops(**sizes) if work.flops else 0
        moved = work.moved(**sizes) if work.moved else moved
        return self.contest(work, contest.runs, warm, flops, moved)

    def contest(self, work, runs, warm, flops, moved):
        near = [name for name, taken in warm.items() if taken < 2 * min(warm.values())]
        once = self.ours.seconds(work, 2)

        def passes(seconds):
            return max(2, min(50, int(TURN_SECONDS / seconds)))

        times = {name: [] for name in ["ours", *near]}
        limits = []
        for _ in range(self.turns):
            times["ours"].append(self.ours.seconds(work, passes(once)))
            for name in near:
                times[name].append(peers.least(runs[name], passes(warm[name])))
            if self.limits.tool:
                limits.append(self.limits.seconds(flops, moved, work.type))
        ours = times.pop("ours")

        def over(seconds):
            return statistics.median(a / b for a, b in zip(seconds, ours))

        ratios = {name: (over(times[name]), True) for name in near}
        for name in warm.keys() - ratios.keys():
            ratios[name] = (warm[name] / statistics.median(ours), False)
        best = over([min(turn) for turn in zip(*times.values())]) if near else None
        share = over([seconds for seconds, _ in limits]) if limits else None
        limit = statistics.mode(which for _, which in limits) if limits else "-"
        return Row(work.name, statistics.median(ours), ratios, best, limit, share)


def form(seconds):
    return f"{seconds * 1e3:.2f} ms" if seconds < 0.1 else f"{seconds * 1e3:.0f} ms"


class Table:
    """Markdown, a row at a time."""

    def __init__(self, columns):
        self.columns = columns
        self.rows = []
        names = "".join(f" {name} |" for name in columns)
        self.lines = [
            f"| workload | ours | best peer |{names} limit |",
            "|---|---|---|" + "---|" * len(columns) + "---|",
        ]
        print("\n".join(self.lines))

    def cell(self, row, peer):
        """The fastest form's."""
        found = [ratio for name, ratio in row.ratios.items() if name.rsplit(" ", 1)[0] == peer]
        if not found:
            return "-"
        ratio, timed = min(found)
        return f"{'' if timed else '~'}{ratio:.2f}"

    def add(self, row):
        self.rows.append(row)
        best = "-" if row.best is None else f"{row.best:.2f}"
        limit = "-" if row.share is None else f"{100 * row.share:.0f} % of {row.limit}"
        cells = [row.name, form(row.ours), best, *(self.cell(row, peer) for peer in self.columns)]
        self.lines.append("| " + " | ".join([*cells, limit]) + " |")
        print(self.lines[-1], flush=True)

    def summary(self):
        ratios = [row.best for row in self.rows if row.best]
        if not ratios:
            return "No peers."
        behind = sum(ratio < 1 for ratio in ratios)
        return (
            f"Geometric mean {statistics.geometric_mean(ratios):.2f}, least {min(ratios):.2f}, "
            f"{behind} of {len(ratios)} below 1."
        )


def put(path, key, text):
    """Replaces what stands between the marks with this key."""
    mark = f"<!-- speed.py {key} -->\n"
    whole = path.read_text()
    if mark not in whole:
        sys.exit(f"{path} has no line {mark.strip()}")
    before, rest = whole.split(mark)
    _, after = rest.split("<!-- end -->", 1)
    path.write_text(f"{before}{mark}{text}\n<!-- end -->{after}")


def parse():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", default=os.environ.get("TAPESTRY_BUILD", ROOT / "build"))
    parser.add_argument("--tapestry", help="the tool, where it is not that of --build")
    parser.add_argument("--peers", default=",".join(peers.NAMES), help="of numpy,torch,jax, or none")
    parser.add_argument("--threads", type=int, choices=(1, 2), default=1)
    parser.add_argument("--ranks", action="store_true")
    parser.add_argument("--cpu", choices=peers.LEVELS, default="native")
    parser.add_argument("--sets", default="table,everyday", help="of table, everyday, language")
    parser.add_argument("--turns", type=int, default=15)
    parser.add_argument("--quick", action="store_true", help="small sizes: does it work at all")
    parser.add_argument("--write", type=pathlib.Path, metavar="FILE")
    parser.add_argument("parts", nargs="*", metavar="PART")
    options = parser.parse_args()
    options.peers = [name for name in options.peers.split(",") if name != "none"]
    unknown = set(options.peers) - set(peers.NAMES)
    if unknown or options.turns < 1:
        parser.error(f"no peer {sorted(unknown)}" if unknown else "at least one turn")
    options.build = pathlib.Path(options.build).resolve()
    options.tapestry = options.tapestry or options.build / "bin" / "tapestry"
    return options


def chosen(options):
    """The workloads; imports NumPy, whose threads must be set before."""
    from language_workloads import LANGUAGE
    from workloads import EVERYDAY, TABLE

    sets = {"table": TABLE, "everyday": EVERYDAY, "language": LANGUAGE}
    unknown = set(options.sets.split(",")) - sets.keys()
    if unknown:
        sys.exit(f"no set {sorted(unknown)}; there are {', '.join(sets)}")
    works = [work for name in options.sets.split(",") for work in sets[name]]
    parts = options.parts
    works = [work for work in works if not parts or any(part in work.name for part in parts)]
    if not works:
        sys.exit(f"no workload's name has one of {parts}")
    return works


def main():
    options = parse()
    machine = peers.machine()
    peers.prepare(options.threads, options.cpu)
    works = chosen(options)
    modules = peers.load(options.peers, options.threads, options.cpu)
    held = "" if options.cpu == "native" else f", all held to {options.cpu}"
    about = (
        f"{machine}{held}; {options.threads} in use; medians of {options.turns} turns; "
        f"{peers.versions(modules) or 'no peers'}."
    )
    print(about, end="\n\n")
    columns = [name for peer in modules for name in ([peer, "torch.compile"] if peer == "torch" else [peer])]
    table = Table(columns)
    losses = []
    with tempfile.TemporaryDirectory() as folder:
        ours = Ours(options.tapestry, folder, options.threads, options.ranks, options.cpu)
        limits = Limits(options.build, options.threads, options.cpu)
        bench = Bench(ours, limits, modules, options)
        for work in works:
            row = bench.measure(work)
            table.add(row)
            if row.best and row.best < 1:
                losses.append(f"{work.name}: {row.best:.2f}\n{ours.reproduce(work)}")
    print(f"\n{table.summary()}")
    for loss in losses:
        print(f"\n{loss}")
    if options.write:
        ranks = " --ranks" if options.ranks else ""
        key = f"--sets={options.sets} --threads={options.threads}{ranks} --cpu={options.cpu}"
        text = "\n".join([about, "", *table.lines, "", table.summary()])
        put(options.write, key, text)


if __name__ == "__main__":
    main()
