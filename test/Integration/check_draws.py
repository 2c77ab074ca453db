#!/usr/bin/python3
"""Random numbers: published vectors, equal on any plan, and distributed as they say.

    check_draws.py [CASE ...]
"""

import numpy as np
from scipy import stats

from harness import compare, driver, philox
from harness.cases import Group
from harness.driver import CheckFailed

case = Group()

# Counter, key and words of philox4x32, 10 rounds: Random123's kat_vectors.
VECTORS = [
    ((0, 0, 0, 0), (0, 0), (0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8)),
    ((0xFFFFFFFF,) * 4, (0xFFFFFFFF,) * 2, (0x408F276D, 0x41C83B0E, 0xA20BC7C6, 0x6D5451FD)),
    ((0x243F6A88, 0x85A308D3, 0x13198A2E, 0x03707344), (0xA4093822, 0x299F31D0),
     (0xD16CFE09, 0x94FDCCEB, 0x5001E420, 0x24126EA1)),
]  # fmt: skip


def signed(low, high):
    return int(np.array(high << 32 | low, np.uint64).astype(np.int64))


@case
def published_vectors(bench):
    for counter, key, words in VECTORS:
        compare.check_equal("words", np.array(philox.philox(counter, key)), np.uint64(words))
        at, stream = signed(*counter[:2]), signed(*counter[2:])
        body = f"""
          %at = arith.constant {at} : i64
          %seed = arith.constant {signed(*key)} : i64
          %three = arith.constant 3 : i64
        """

        def vertex(name, kind, type):
            return f"""
            %{name} = tapestry.einsum "{name}" [] () -> [] {{ {body}
              %b = tapestry_index.random {kind} of %at seed %seed
                stream {stream - 3} plus %three : i64 : {type}
              tapestry.yield %b : {type}
            }} : () -> tensor<{type}>
            tapestry.sink "{name}", %{name} : tensor<{type}>
            """

        bench.write(
            "v.mlir",
            "tapestry.graph @v {"
            + vertex("B", "bits", "i64") + vertex("U", "uniform", "f64")
            + vertex("N", "normal", "f64") + "}",
        )  # fmt: skip
        wide = [np.uint64(words[n + 1] << 32 | words[n]) for n in (0, 2)]
        radius = np.sqrt(-2 * np.log(float(wide[0] | np.uint64(1)) * 2.0**-64))
        for command in ("run", "reference"):
            files = driver.output_options("BUN")
            bench.tapestry(command, "v.mlir", *files).expect_status(0)
            got = driver.load_outputs(bench.folder, "BUN")
            compare.check_equal("B", got["B"], wide[0].astype(np.int64))
            compare.check_equal("U", got["U"], np.float64(wide[0] >> np.uint64(11)) * 2.0**-53)
            turn = float(wide[1].astype(np.int64)) * 2.0**-64
            compare.check_within("N", got["N"], radius * np.sin(np.pi * turn), 1e-15)


TYPES = {"f64": "f64", "f32": "f32", "f16": "f16", "bf16": "V2"}
DRAWS = """\
U : {type}[23, 14] @ {cut} = random.uniform(5)
N : {type}[23, 14] @ {cut} = random.normal(5)
B : i32[23, 14] @ {cut} = random.bits(5)
P[i:23, j:14] @ {cut} = random.bernoulli(5, 0.25)
X = N + U
S = sum[i, j] i64(B[i, j])
"""


@case
def equal_on_any_plan(bench):
    """Both readers of a tensor see its numbers, whatever is fused or cut."""
    names = "UNBPXS"
    for type in TYPES:
        first = None
        cuts = [(1, "{*: 1}")]
        cuts += [(d, f"{{{label}: {d}, *: 1}}") for d in (2, 3, 5, 8) for label in (0, 1)]
        cuts += [(d, "{*: 1}") for d in (4, 7)]
        for devices, cut in cuts:
            text = DRAWS.format(type=type, cut=cut)
            for label, number in (("i", 0), ("j", 1)):
                line = f"P[i:23, j:14] @ {cut}"
                text = text.replace(line, line.replace(f"{{{number}:", f"{{{label}:"))
            # What else is written in a program changes nothing.
            if devices % 2 == 0:
                text = "A : f32[3] = random.normal(5)\n" + text + "output A\n"
            bench.write("d.ein", text + f"output {', '.join(names)}\n")
            files = driver.output_options(names)
            bench.tapestry("run", "d.ein", f"--devices={devices}", *files).expect_status(0)
            got = driver.load_outputs(bench.folder, names)
            raw = {name: array.tobytes() for name, array in got.items()}
            first = first or raw
            for name in names:
                if raw[name] != first[name]:
                    raise CheckFailed(f"{name} of {type} on {devices} devices by {cut} differs")
        if type in ("f64", "f32"):
            sum64 = got["N"].astype(np.float64) + got["U"]
            compare.check_close("X", got["X"], sum64, 1e-7)
        bench.tapestry("reference", "d.ein", *files).expect_status(0)
        want = driver.load_outputs(bench.folder, names)
        for name in "UBPS":
            compare.check_equal(name, got[name], want[name])


@case
def distributions(bench):
    """By fixed seeds, far from where a right generator would be refused."""
    count = 200_000
    bench.write(
        "m.ein",
        f"""
        param n = {count}
        param seed = 1
        U : f32[n] = random.uniform(seed)
        V : f64[n] = random.uniform(seed)
        N : f32[n] = random.normal(seed)
        M : f64[n] = random.normal(seed)
        B : i64[n] = random.bits(seed)
        P[i:n] = random.bernoulli(seed, 0.3)
        output U, V, N, M, B, P
        """,
    )
    for seed in (1, 2, -(2**40)):
        files = driver.output_options("UVNMBP")
        bench.tapestry("run", "m.ein", f"-Dseed={seed}", *files).expect_status(0)
        got = driver.load_outputs(bench.folder, "UVNMBP")
        deviation = 1 / np.sqrt(count)
        for name, law in (("U", "uniform"), ("V", "uniform"), ("N", "norm"), ("M", "norm")):
            values = got[name].astype(np.float64)
            if stats.kstest(values, law).pvalue < 1e-4:
                raise CheckFailed(f"{name} of seed {seed} is not {law}")
            centred = values - values.mean()
            # Neighbours, and tensors of one seed, are independent.
            for other in (centred[1:], got["P"][1:] - 0.3, got["B"][1:] / 2.0**63):
                if abs(np.corrcoef(centred[:-1], other)[0, 1]) > 5 * deviation:
                    raise CheckFailed(f"{name} of seed {seed} depends on its neighbour")
        for name in "NM":
            moments = [np.mean(got[name].astype(np.float64) ** k) for k in range(1, 5)]
            spread = np.sqrt([1, 2, 15, 96]) * 5 * deviation
            compare.check_within(name, moments, [0, 1, 0, 3], spread)
        compare.check_within("P", got["P"].mean(), 0.3, 5 * deviation)
        ones = [np.mean(got["B"] >> bit & 1) for bit in range(64)]
        compare.check_within("B", ones, np.full(64, 0.5), 5 * deviation)


@case
def normals_are_accurate(bench):
    """Within the units in the last place that the documents say."""
    bench.write("n.ein", "N : f32[1000000] = random.normal(3)\noutput N\n")
    bench.tapestry("run", "n.ein", "-o", "N=N.npy").expect_status(0)
    got = np.load(bench.folder / "N.npy")
    want = philox.normal(10**6, 3, "N#0")
    compare.check_within("N", got, want, 6 * np.spacing(np.abs(want).astype(np.float32)))


if __name__ == "__main__":
    case.main(__doc__)
