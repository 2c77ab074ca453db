"""What the repository has to start from: programs, IR, plan and machine files."""

import collections
import functools
import hashlib
import json
import pathlib
import re
import subprocess

ROOT = pathlib.Path(__file__).resolve().parents[2]

# Programs whose IR of every phase is taken, small ones of every kind of vertex.
PHASE_PROGRAMS = [
    """input X : f32[97, 5]
S = sum[i, j] X[i, j] * X[i, j]
output S
""",
    """input A : f32[8, 6]
input B : f32[6, 10]
input M : bool[8]
C[i, k] = sum[j] A[i, j] * B[j, k]
P[i, k] = softmax[k] C[i, k] * 0.5
D[i, k] = select(M[i], exp(P[i, k]), -inf)
E[k] = max[i] D[i, k]
output E
output P
""",
    """input X : f16[2, 9, 7]
input W : f16[3, 3]
Y[n, y:9, x:7] = sum[r, q] pad(X, 0)[n, y + r - 1, x + q - 1] * W[r, q]
Z[n, i:4, x] = Y[n, 2*i + 1, 6 - x]
K[n] = sum[i, x] i32(Z[n, i, x] > 0.5)
L[n] = K[n] / 3 + K[n] ** 2
output Z
output L
""",
    """input X0 : f32[7, 5]
input S : i32[4, 5]
repeat t:4 (X = X0, n = i64(1)) {
  Y[i:7, j] = wrap(X)[i + 1, j] * 0.5 + f32(S[t, j])
  repeat u:2 (V = X) {
    next V[i, j] = V[6 - i, j] + Y[i, j]
    collect W[u, j] = max[i] V[i, j]
  }
  next X[i, j] = V[i, j]
  next n = 2 * n
  collect H[t, u, j] = W[u, j] - f32(n)
} until max[i, j](X[i, j]) > 9
Z = t.count
output X, H, Z
""",
]
DEVICES = (1, 2, 6)


def pick(rng, pool):
    """One of a pool: of a dict by its keys, of texts by the texts. What comes to the
    pool takes its share of the draws and leaves the others what they were."""
    key = rng.getrandbits(64).to_bytes(8, "big")

    def rank(name):
        return hashlib.blake2b(name.encode(), key=key).digest()

    first = min(pool, key=rank)
    return pool[first] if isinstance(pool, dict) else first


@functools.cache
def programs():
    """The .ein programs of the repository that make sense alone."""
    texts = []
    for path in sorted(ROOT.glob("docs/examples/*.ein")) + sorted(ROOT.glob("test/**/*.ein")):
        if "invalid" not in path.parts:
            texts.append(path.read_text())
    for path in [ROOT / "docs/Ein.md", ROOT / "docs/Tutorial.md", ROOT / "docs/PlanFile.md"]:
        texts += re.findall(r"```ein[^\n]*\n(.*?)```", path.read_text(), re.DOTALL)
    return [text for text in texts if "output" in text]


@functools.cache
def invalid_programs():
    paths = sorted(ROOT.glob("test/Import/Ein/invalid/*.ein"))
    return [piece for path in paths for piece in path.read_text().split("// -----")]


@functools.cache
def json_files(marker):
    """The trees of files, tests and pages that hold this key, by their texts."""
    trees = {}
    for path in sorted(
        [
            *ROOT.glob("docs/*.md"),
            *ROOT.glob("test/**/*.json"),
            *ROOT.glob("unittests/Fuzz/**/*.json"),
        ]
    ):
        text = path.read_text()
        pieces = [text]
        if path.suffix == ".md":
            pieces = re.findall(r"```json[^\n]*\n(.*?)```", text, re.DOTALL)
        for piece in pieces:
            if f'"{marker}"' in piece:
                trees[piece] = json.loads(piece)
    return trees


@functools.cache
def test_modules(valid=True):
    """The pieces of the .mlir files of the tests, those that expect errors apart."""
    modules = []
    for path in sorted(ROOT.glob("test/**/*.mlir")):
        for piece in re.split(r"^// -----.*$", path.read_text(), flags=re.MULTILINE):
            lines = [line for line in piece.splitlines() if not line.lstrip().startswith("//")]
            if any(lines) and ("expected-error" not in piece) == valid:
                modules.append("\n".join(lines) + "\n")
    return modules


def _after_passes(tools, words, text):
    """The pass and the module after it, as --mlir-print-ir-after-all tells."""
    done = subprocess.run(
        [tools / "tapestry-opt", *words, "--mlir-print-ir-after-all",
         "--mlir-print-ir-module-scope", "--mlir-disable-threading", "-o", "/dev/null"],
        input=text, capture_output=True, text=True, check=True,
    )  # fmt: skip
    pieces = re.split(r"^// -----// IR Dump After (\S+).*$", done.stderr, flags=re.MULTILINE)
    return zip(pieces[1::2], pieces[2::2])


@functools.lru_cache
def phase_modules(tools):
    """IR from the graph to the LLVM dialect, by where it is from; of a small vector
    width so that it is short and the same on every processor."""
    names = {}  # most passes change nothing, of most functions
    for index, program in enumerate(PHASE_PROGRAMS):
        graph = subprocess.run(
            [tools / "tapestry-translate", "--ein-to-mlir"],
            input=program, capture_output=True, text=True, check=True,
        ).stdout  # fmt: skip
        names[graph] = f"{index}"
        for devices in DEVICES:
            words = [
                f"--tapestry-plan-pipeline=devices={devices}",
                "--tapestry-to-llvm=cpu=x86-64-v2 vector-bits=128",
            ]
            times = collections.Counter()
            for name, module in _after_passes(tools, words, graph):
                times[name] += 1
                if len(module) < 60000:
                    names.setdefault(module, f"{index} {devices} {name} {times[name]}")
    return {name: module for module, name in names.items()}


@functools.cache
def generic_form(tools, text):
    """A valid module in MLIR's generic form, which no parser of ours sees."""
    done = subprocess.run(
        [tools / "tapestry-opt", "--mlir-print-op-generic"],
        input=text, capture_output=True, text=True,
    )  # fmt: skip
    return text if done.returncode else done.stdout
