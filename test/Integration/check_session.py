#!/usr/bin/python3
"""`tapestry session`: programs on tensors that stay distributed.

    check_session.py [CASE ...]
"""

import numpy as np

from harness import compare, driver
from harness.cases import Group
from harness.driver import CheckFailed
from harness.steps import STEP
from harness.windows import DILATED

case = Group()

PRODUCT = """\
param n
param m
param k
input A : f32[n, k]
input B : f32[k, m]
C[i, j] = sum[l] A[i, l] * B[l, j]
output C
"""

DEVICES = (1, 2, 3, 5, 6, 8)


def session(bench, text, *words):
    bench.write("commands", text)
    return bench.tapestry("session", "commands", *words)


def save(bench, **arrays):
    for name, array in arrays.items():
        np.save(bench.folder / f"{name}.npy", array)


def load(bench, name):
    return np.load(bench.folder / f"{name}.npy")


def expect_close(what, got, want, tolerance=1e-4):
    if got.shape != want.shape or not np.allclose(got, want, rtol=tolerance, atol=tolerance):
        raise CheckFailed(f"{what}: {got}\nwanted {want}")


def expect_contract(bench, *reports):
    """What was predicted of bytes and memory is what was counted."""
    for name in reports:
        report = driver.load_json(bench.folder / name)
        for entry in report["collectives"]:
            if entry["predicted_bytes"] != entry["counted_bytes"]:
                raise CheckFailed(f"{name}: {entry}")
        if not max(report["peak_bytes"]) <= report["process_peak_bytes"] <= sum(report["peak_bytes"]):
            raise CheckFailed(f"{name}: {report['process_peak_bytes']} bytes together of {report['peak_bytes']}")
        if report["peak_bytes"] != report["predicted_peak_bytes"]:
            raise CheckFailed(f"{name}: {report['peak_bytes']} {report['predicted_peak_bytes']}")
        if len(report["held_bytes"]) != report["devices"]:
            raise CheckFailed(f"{name}: {report['held_bytes']}")


def numbers(shape, seed=3, type=np.float32):
    return np.random.default_rng(seed).standard_normal(shape).astype(type)


@case
def training_steps_are_those_of_repeat(bench):
    bench.write("step.ein", STEP)
    save(bench, W=numbers((13, 9)), X=numbers((21, 13), 4))
    W, X = load(bench, "W").astype(float), load(bench, "X").astype(float)
    for _ in range(5):
        W = W - 0.01 * X.T @ np.tanh(X @ W)
    for devices in DEVICES:
        for words in ([], ["--cost=spmd"]):
            steps = "".join(f"apply step.ein Wn=W --report r{i}.json\n" for i in range(5))
            session(
                bench,
                f"load W W.npy\nload X X.npy\n{steps}export W Wn.npy\nexport Norm Norm.npy\n",
                f"--devices={devices}",
                *words,
            ).expect_status(0)
            bench.tapestry(
                "run", "step.ein", "-i", "W=W.npy", "-i", "X=X.npy", "--repeat=5", "--feed=Wn=W",
                "-o", "Wn=fed.npy", f"--devices={devices}", *words,
            ).expect_status(0)
            what = f"{devices} devices {words}"
            expect_close(what, load(bench, "Wn"), W)
            expect_close(what, load(bench, "fed"), load(bench, "Wn"))
            expect_close(what, load(bench, "Norm"), (W**2).sum(), 1e-3)
            expect_contract(bench, *(f"r{i}.json" for i in range(5)))


@case
def several_programs_and_sizes_from_tensors(bench):
    bench.write("product.ein", PRODUCT)
    bench.write("rows.ein", "param n\ninput X : f32[n, n]\nY[i] = max[j] X[i, j]\noutput Y\n")
    arrays = {"A 1": numbers((17, 11)), "B": numbers((11, 7), 4), "D": numbers((7, 17), 5)}
    save(bench, **arrays)
    want = arrays["A 1"].astype(float) @ arrays["B"].astype(float)
    square = want @ arrays["D"].astype(float)
    for devices in DEVICES:
        finished = session(
            bench,
            "# Names with blanks are quoted.\n\n"
            "load 'A 1' \"A 1.npy\"\nload B B.npy # the second\nload D 'D'.npy\n"
            "apply product.ein A='A 1' --report r0.json\n"
            "drop 'A 1'\n"
            "apply product.ein A=C B=D C=S --report r1.json\n"
            "apply rows.ein X=S -D n=17 --report r2.json\n"
            "export C C.npy\nexport S S.npy\nexport Y Y.npy\nlist\n",
            f"--devices={devices}",
        ).expect_status(0)
        expect_close("C", load(bench, "C"), want)
        expect_close("S", load(bench, "S"), square, 1e-3)
        expect_close("Y", load(bench, "Y"), square.max(1), 1e-3)
        expect_contract(bench, "r0.json", "r1.json", "r2.json")
        rows = [line.split()[0] for line in finished.stdout.splitlines()]
        if rows != ["name", "B", "C", "D", "S", "Y"]:
            raise CheckFailed(finished.describe())


@case
def what_was_compiled_is_used_again(bench):
    """Other tensors that come and go change nothing; shapes, layouts and text do."""
    bench.write("twice.ein", "param n\ninput X : f32[n]\nY[i] = X[i] * 2\noutput Y\n")
    bench.write("half.ein", "input X : f32[12]\nZ[i] = X[i] / 2\noutput Z\n")
    save(bench, X=numbers((12,)), U=numbers((13,)))
    step = "apply twice.ein Y=X\n"
    for text, compiled in (
        (step * 5, 1),
        (f"{step}load U U.npy\n{step}apply half.ein\n{step}drop Z\napply half.ein\n{step}", 2),
        (f"{step}load X U.npy\n{step}load X X.npy\n{step}", 2),
        (f"{step}apply twice.ein Y=X -D n=12\n{step}", 2),
    ):
        finished = session(bench, "load X X.npy\n" + text + "export X Y.npy\n", "--devices=3", "-v")
        finished.expect_status(0)
        if finished.stderr.count("planning took") != compiled:
            raise CheckFailed(f"not compiled {compiled} times\n{finished.describe()}")
    if not np.array_equal(load(bench, "Y"), 8 * load(bench, "X")):
        raise CheckFailed("Y is wrong")


@case
def nothing_moves_that_lies_right(bench):
    """What a program leaves cut as the next one reads it stays where it is."""
    bench.write("double.ein", "input X : f32[23, 5]\nY[i, j] = X[i, j] + X[i, j]\noutput Y\n")
    save(bench, X=numbers((23, 5)))
    for devices in DEVICES:
        steps = "".join(f"apply double.ein X=Y --report r{i}.json\n" for i in range(4))
        session(bench, f"load Y X.npy\n{steps}export Y Y.npy\n", f"--devices={devices}")
        if not np.array_equal(load(bench, "Y"), 16 * load(bench, "X")):
            raise CheckFailed(f"{devices} devices: {load(bench, 'Y')}")
        for i in range(4):
            if driver.load_json(bench.folder / f"r{i}.json")["collectives"]:
                raise CheckFailed(f"{devices} devices: something moved in step {i}")


@case
def what_lies_elsewhere_moves_as_counted(bench):
    """A program that says how an input is stored is given it so."""
    bench.write(
        "pinned.ein",
        "input X : f32[30, 24] @ {0: 1, 1: 6}\nY[i, j] @ {i: 1, j: 6} = X[i, j] * 2\noutput Y\n",
    )
    save(bench, X=numbers((30, 24)))
    session(
        bench, "load X X.npy\napply pinned.ein --report r.json\nexport Y Y.npy\n", "--devices=6"
    ).expect_status(0)
    if not np.array_equal(load(bench, "Y"), 2 * load(bench, "X")):
        raise CheckFailed(f"{load(bench, 'Y')}")
    expect_contract(bench, "r.json")
    (move,) = driver.load_json(bench.folder / "r.json")["collectives"]
    # Of its 30 x 4 elements a device has 5 x 4.
    if move["kind"] != "move" or move["counted_bytes"] != 6 * 25 * 4 * 4:
        raise CheckFailed(f"{move}")


TYPES = {
    "f64": np.float64, "f32": np.float32, "f16": np.float16, "i8": np.int8, "i16": np.int16,
    "i32": np.int32, "i64": np.int64, "u8": np.uint8, "u16": np.uint16, "u32": np.uint32,
    "u64": np.uint64, "bool": np.bool_, "c64": np.complex64, "c128": np.complex128,
    "bf16": np.dtype("V2"),
}  # fmt: skip


@case
def what_a_session_has_is_not_put_in_phases(bench):
    """It lies where it is, and is read there; without a session the plan puts all three in phases."""

    def layer(x, f):
        padded = np.pad(x.astype(np.float64), ((0, 0), (4096, 4096)))
        return sum(f[:, :, r].astype(np.float64) @ padded[:, 4096 * r : 4096 * r + x.shape[1]] for r in range(3))

    A, F = numbers((8, 32768)), numbers((8, 8, 3), seed=4)
    save(bench, A=A, F=F)
    bench.write("dilated.ein", DILATED)
    words = ["--devices=8", "--cost=spmd"]
    files = ["-i", "A=A.npy", "-i", "F=F.npy", "-o", "Z=Zrun.npy"]
    bench.tapestry("run", "dilated.ein", *words, *files, "--report=run.json").expect_status(0)
    session(
        bench,
        "load A A.npy\nload F F.npy\napply dilated.ein --report held.json\nexport Z Z.npy\nexport A A2.npy\n",
        *words,
    ).expect_status(0)
    want = layer(layer(layer(A, F), F), F)
    expect_close("Z of run", load(bench, "Zrun"), want, 1e-3)
    expect_close("Z", load(bench, "Z"), want, 1e-3)
    expect_close("A", load(bench, "A2"), A, 0)
    expect_contract(bench, "held.json")
    vertices = {}
    for name in ("run", "held"):
        report = driver.load_json(bench.folder / f"{name}.json")
        vertices[name] = {entry["vertex"] for entry in report["collectives"]}
    # Views and einsums in phases have numbers behind the names.
    if not any("." in vertex for vertex in vertices["run"]):
        raise CheckFailed(f"a run is not in phases: {vertices}")
    if not vertices["held"] or any("." in vertex for vertex in vertices["held"]):
        raise CheckFailed(f"a session is in phases: {vertices}")


def values_of(type, shape):
    rng = np.random.default_rng(7)
    if type == "bf16":
        return compare.bf16_bits(rng.standard_normal(shape)).view("V2")
    if type == "bool":
        return rng.integers(0, 2, shape).astype(bool)
    if type.startswith("c"):
        return (rng.standard_normal(shape) + 1j * rng.standard_normal(shape)).astype(TYPES[type])
    return (rng.standard_normal(shape) * 50).astype(TYPES[type])


@case
def all_types_shapes_and_orders(bench):
    for devices in (1, 3, 5):
        for type in TYPES:
            lines, files = [], {}
            for number, shape in enumerate([(), (1,), (7,), (5, 3), (2, 1, 11), (64, 2)]):
                array = values_of(type, shape)
                files[f"X{number}"] = array
                np.save(bench.folder / f"X{number}.npy", np.asarray(array, order="F"))
                extents = ", ".join(map(str, shape))
                letters = ", ".join("abc"[: len(shape)])
                left, read = (f"Y[{letters}]", f"X[{letters}]") if shape else ("Y", "X")
                bench.write(
                    f"copy{number}.ein",
                    f"input X : {type}{f'[{extents}]' if shape else ''}\n"
                    f"{left} = {read}\noutput Y\n",
                )
                lines += [
                    f"load X X{number}.npy",
                    f"apply copy{number}.ein Y=Z",
                    f"export X X{number}x.npy",
                    f"export Z X{number}z.npy",
                ]
            session(bench, "\n".join(lines), f"--devices={devices}").expect_status(0)
            for name, array in files.items():
                for end in "xz":
                    got = load(bench, name + end)
                    if got.dtype != array.dtype or got.tobytes() != array.tobytes():
                        raise CheckFailed(f"{type} {array.shape} {devices}: {got} {array}")


@case
def a_type_can_be_asked_for(bench):
    bits = compare.bf16_bits(numbers((4, 3)))
    np.save(bench.folder / "X.npy", bits)
    finished = session(bench, "load X X.npy bf16\nload U X.npy\nlist\n", "--devices=2")
    words = [line.split()[:2] for line in finished.expect_status(0).stdout.splitlines()[1:]]
    if words != [["U", "u16"], ["X", "bf16"]]:
        raise CheckFailed(finished.describe())


@case
def commands_come_from_standard_input(bench):
    import subprocess

    save(bench, X=numbers((6, 2)))
    for words in ([], ["-"]):
        done = subprocess.run(
            [driver.tapestry_path(), "session", "--devices=3", *words],
            input="load X X.npy\nexport X Y.npy\n\ndrop Q\nlist\n",
            capture_output=True, text=True, cwd=bench.folder, timeout=driver.TIME_LIMIT,
        )  # fmt: skip
        want = "<stdin>:4: error: there is no tensor 'Q' in the session; there are: X\n"
        if (done.returncode, done.stdout, done.stderr) != (1, "", want):
            raise CheckFailed(f"{done}")
        if not np.array_equal(load(bench, "X"), load(bench, "Y")):
            raise CheckFailed("Y.npy differs")


@case
def checkpoints_of_other_numbers_of_devices(bench):
    """Of all types, with results that lie as plans leave them."""
    bench.write("step.ein", STEP)
    save(bench, W=numbers((13, 9)), X=numbers((21, 13), 4))
    arrays = {}
    for type in TYPES:
        for number, shape in enumerate([(), (5, 7), (31,)]):
            name = f"{type}.{number}"
            arrays[name] = values_of(type, shape)
            np.save(bench.folder / f"{name}.npy", arrays[name])
    loads = "".join(f"load {name} {name}.npy\n" for name in arrays)
    want = None
    for devices in (5, 3, 8, 1):
        session(
            bench,
            f"load W W.npy\nload X X.npy\n{loads}apply step.ein Wn=W\napply step.ein Wn=W\n"
            "checkpoint saved\n",
            f"--devices={devices}",
        ).expect_status(0)
        if sorted(p.name for p in bench.folder.iterdir() if p.name.startswith(".")):
            raise CheckFailed("something is left aside")
        for restored in (3, 5, 7):
            exports = "".join(f"export {name} {name}.back.npy\n" for name in arrays)
            session(
                bench,
                f"restore saved\n{exports}apply step.ein Wn=W --report r.json\nexport W Wn.npy\n",
                f"--devices={restored}",
            ).expect_status(0)
            for name, array in arrays.items():
                got = load(bench, f"{name}.back")
                if got.dtype != array.dtype or got.tobytes() != array.tobytes():
                    raise CheckFailed(f"{name}: {got} {array}")
                if np.load(bench.folder / "saved" / f"{name}.npy").tobytes() != array.tobytes():
                    raise CheckFailed(f"saved {name} differs")
            expect_contract(bench, "r.json")
            want = load(bench, "Wn") if want is None else want
            expect_close(f"{devices} to {restored}", load(bench, "Wn"), want)


@case
def checkpoints_of_parts_in_short_and_long_stretches(bench):
    """Megabytes, so that they are written and read in several pieces."""
    for shape, cut in (
        ((3, 700, 257), "{i: 1, j: 1, k: 3}"),
        ((3, 700, 257), "{i: 3, j: 1, k: 1}"),
        ((2, 3, 90000), "{i: 1, j: 3, k: 1}"),
        ((1, 2, 150001), "{i: 1, j: 1, k: 3}"),
        ((1, 300000, 3), "{i: 1, j: 1, k: 3}"),
    ):
        bench.write(
            "cut.ein",
            f"input X : f32[{', '.join(map(str, shape))}]\n"
            f"Y[i, j, k] @ {cut} = X[i, j, k] * 2\noutput Y\n",
        )
        array = numbers(shape)
        save(bench, X=array)
        session(
            bench, "load X X.npy\napply cut.ein\ndrop X\ncheckpoint saved\n", "--devices=3"
        ).expect_status(0)
        if not np.array_equal(load(bench, "saved/Y"), 2 * array):
            raise CheckFailed(f"saved: {shape} {cut}")
        for devices in (2, 3, 5):
            session(
                bench, "restore saved\nexport Y Y.npy\n", f"--devices={devices}"
            ).expect_status(0)
            if not np.array_equal(load(bench, "Y"), 2 * array):
                raise CheckFailed(f"{devices} devices: {shape} {cut}")


@case
def nothing_moves_behind_a_restore(bench):
    """On as many devices all lies as it did."""
    bench.write(
        "columns.ein",
        "input X : f32[24, 30]\nY[i, j] @ {i: 2, j: 3} = X[i, j] * 2\noutput Y\n",
    )
    save(bench, X=numbers((24, 30)))
    session(
        bench, "load X X.npy\napply columns.ein Y=X\ncheckpoint saved\nlist\n", "--devices=6"
    ).expect_status(0)
    session(
        bench,
        "restore saved\napply columns.ein --report r.json\nexport Y Y.npy\n",
        "--devices=6",
    ).expect_status(0)
    if driver.load_json(bench.folder / "r.json")["collectives"]:
        raise CheckFailed("something moved")
    if not np.array_equal(load(bench, "Y"), 4 * load(bench, "X")):
        raise CheckFailed("Y is wrong")


# ---- What is wrong ----------------------------------------------------------


def refuse(bench, text, status, message, *words):
    """The last command of the text fails with this message; others have been
    carried out."""
    finished = session(bench, text, *(words or ["--devices=3"]))
    number = len(text.splitlines())
    bench.expect_error(finished, status, outputs_intact=False)
    if finished.stderr != f"commands:{number}: {message}\n":
        raise CheckFailed(f"wanted: commands:{number}: {message}\n{finished.describe()}")


@case
def wrong_commands(bench):
    save(bench, X=numbers((4, 3)))
    known = "load, apply, export, checkpoint, restore, drop, list"
    for line, message in {
        "frobnicate": f"error: there is no command 'frobnicate'; there are: {known}",
        "laod X X.npy": "error: there is no command 'laod'; did you mean 'load'?",
        "load X": "error: load takes 2 or 3 words, not 1: load NAME FILE.npy [TYPE]",
        "export X": "error: export takes 2 words, not 1: export NAME FILE.npy",
        "drop": "error: drop takes 1 word, not 0: drop NAME",
        "list X": "error: list takes 0 words, not 1: list",
        "load 'X X.npy": "error: nothing ends the ' before column 7",
        "load X X.npy\\": "error: a backslash ends the line",
        "load X=Y X.npy": "error: 'X=Y' cannot be a tensor's name: it has '='",
        "load '' X.npy": "error: a tensor's name is empty",
        "load X X.npy f31": "error: there is no element type 'f31'",
        "load X X.npy i32": "X.npy: error: holds f32 ('<f4'), but i32 is asked for",
        "load X no.npy": "no.npy: error: cannot open: No such file or directory",
        "export Q Q.npy": "error: there is no tensor 'Q' in the session, it is empty",
        "drop Q": "error: there is no tensor 'Q' in the session, it is empty",
    }.items():
        refuse(bench, f"# first\n{line}\n", 1, message)
    refuse(
        bench, "load X X.npy\nexport X no/X.npy\n", 1,
        "no/X.npy: error: cannot write: No such file or directory",
    )  # fmt: skip
    for words, status, *patterns in (
        (["none"], 1, "none: error: cannot open"),
        (["."], 1, "^.:1: error: cannot read"),
        (["commands", "--devices=2000"], 3, "2000 devices", "1024"),
        (["a", "b"], 2, "from one file"),
        (["--devices=0"], 2, "devices"),
        (["--plan=x.json"], 2, "session takes no --plan"),
    ):
        finished = bench.tapestry("session", *words)
        bench.expect_error(finished, status, *patterns, outputs_intact=False)


@case
def wrong_files(bench):
    array = numbers((4, 3))
    save(bench, X=array)
    whole = (bench.folder / "X.npy").read_bytes()
    bench.write("short.npy", whole[:-5])
    refuse(
        bench, "load X short.npy\n", 1,
        "short.npy: error: truncated: has 43 bytes of data, its shape needs 48",
    )  # fmt: skip
    bench.write("long.npy", whole + b"12")
    refuse(
        bench, "load X long.npy\n", 1,
        "long.npy: error: too long: has 50 bytes of data, its shape needs 48",
    )  # fmt: skip
    np.save(bench.folder / "text.npy", np.array(["a", "b"]))
    refuse(
        bench, "load X text.npy\n", 1, "text.npy: error: holds '<U1', which is no type of tensors"
    )


@case
def memory_is_limited(bench):
    """What a session holds counts, not what programs take alone."""
    save(bench, A=numbers((64, 64)), B=numbers((64, 64), 4))
    session(bench, "load A A.npy\nload B B.npy\nlist", "--devices=2", "--memory=20000").expect_status(0)
    refuse(
        bench, "load A A.npy\nload B B.npy", 3,
        "out of memory: tensor 'B' takes 8192 bytes of rank 0, which may hold 10000 and has 8192",
        "--devices=2", "--memory=10000",
    )  # fmt: skip
    # Two of five rows, of four ranks: one has more than a quarter.
    save(bench, T=numbers((5, 5, 5)))
    session(bench, "load T T.npy", "--devices=4", "--memory=200").expect_status(0)
    refuse(
        bench, "load T T.npy", 3,
        "out of memory: tensor 'T' takes 200 bytes of rank 0, which may hold 199 and has 0",
        "--devices=4", "--memory=199",
    )  # fmt: skip
    session(bench, "load T T.npy\ncheckpoint saved", "--devices=5").expect_status(0)
    refuse(
        bench, "restore saved", 3,
        "out of memory: tensor 'T' takes 200 bytes of rank 0, which may hold 199 and has 0",
        "--devices=4", "--memory=199",
    )  # fmt: skip


@case
def wrong_checkpoints(bench):
    save(bench, X=numbers((4, 3)))
    session(bench, "load X X.npy\ncheckpoint saved\n", "--devices=3").expect_status(0)
    saved = bench.folder / "saved"
    whole = (saved / "X.npy").read_bytes()
    (saved / "X.npy").write_bytes(whole[:-4])
    refuse(
        bench, "restore saved\n", 1,
        "saved/X.npy: error: truncated: has 172 bytes, the checkpoint's manifest says 176",
    )  # fmt: skip
    (saved / "X.npy").unlink()
    missing = "saved/X.npy: error: cannot open: No such file or directory"
    refuse(bench, "restore saved\n", 1, missing)
    (saved / "X.npy").write_bytes(whole)
    refuse(
        bench, "restore none\n", 1,
        "none/manifest.json: error: cannot open: No such file or directory",
    )  # fmt: skip
    refuse(
        bench, "checkpoint .\n", 1,
        ".: error: not replaced: it has 'A.npy', which is no part of a checkpoint",
    )  # fmt: skip
    refuse(bench, "checkpoint X.npy\n", 1, "X.npy: error: cannot write: Not a directory")
    refuse(bench, "checkpoint no/c\n", 1, "no/c: error: cannot write: No such file or directory")
    refuse(bench, "restore\n", 1, "error: restore takes 1 word, not 0: restore FOLDER")
    # A disk that takes no more: what was there stays.
    bench.write("commands", "restore saved\ncheckpoint saved\n")
    finished = driver.execute(
        ["sh", "-c", f"ulimit -f 0; {driver.tapestry_path()} session commands"], bench.folder
    )
    bench.expect_error(
        finished, 3, r"^commands:2: .*X.npy: error: cannot write: File too large",
        outputs_intact=False,
    )  # fmt: skip
    if (saved / "X.npy").read_bytes() != whole or [
        p.name for p in bench.folder.iterdir() if p.name.startswith(".")
    ]:
        raise CheckFailed("the old checkpoint is not as it was")


@case
def wrong_programs(bench):
    bench.write("product.ein", PRODUCT)
    save(bench, A=numbers((4, 3)), B=numbers((5, 6)), I=np.zeros((3, 2), np.int32))
    start = "load A A.npy\nload B B.npy\nload I I.npy\n"
    missing = "error: there is no tensor 'B' in the session; there are: A (for input 'B')"
    for line, message in {
        "apply": "error: apply takes 1 or more words, not 0: apply PROG.ein [-D n=4] "
        "[INPUT=NAME] [OUTPUT=NAME] [--graph NAME] [--report r.json]",
        "apply A=A": "error: apply takes PROG.ein or PROG.mlir, not ''",
        "apply a.ein b.ein": "error: apply takes one program, not 'a.ein' and 'b.ein'",
        "apply none.ein": "none.ein: error: No such file or directory",
        "apply product.ein -D": "error: -D needs a value",
        "apply product.ein -D n": "error: -D takes n=1024, not 'n'",
        "apply product.ein --fast": "error: apply takes no --fast: apply PROG.ein [-D n=4] "
        "[INPUT=NAME] [OUTPUT=NAME] [--graph NAME] [--report r.json]",
        "apply product.ein =A": "error: '=A' is not of the form A=X: the program's name, the "
        "session's",
        "apply product.ein B=I": "error: tensor 'I' is i32[3, 2], but input 'B' is f32[3, 2]",
        "apply product.ein B=I B=I": "error: 'B' of the program is bound 2 times",
    }.items():
        refuse(bench, start + line + "\n", 1, message)
    refuse(
        bench, start + "apply product.ein B=I Q=A\n", 2,
        "error: the program has no input or output 'Q'; its inputs are A, B, its outputs C",
    )  # fmt: skip
    # Who reads a program names its place.
    finished = session(bench, start + "apply product.ein\n", "--devices=3")
    bench.expect_error(finished, 1, "^commands:4: product.ein:", outputs_intact=False)
    # What would give a param its value is not there, under either name.
    for line, name in (("apply product.ein", "B"), ("apply product.ein B=V", "V")):
        finished = session(bench, f"load A A.npy\n{line}\n", "--devices=3")
        where = rf"^commands:2: product.ein:5:7: error: there is no tensor '{name}' in the session"
        bench.expect_error(finished, 1, rf"{where}; there are: A \(for input 'B'\)\n", outputs_intact=False)
    bench.write("sum.ein", "input A : f32[4, 3]\ninput B : f32[3]\nC = sum[i] B[i]\noutput A, C\n")
    refuse(bench, "load A A.npy\napply sum.ein\n", 1, missing)
    bench.write("two.ein", "input A : f32[4, 3]\nC = sum[i, j] A[i, j]\nD = C * 2\noutput C, D\n")
    refuse(
        bench, "load A A.npy\napply two.ein C=D\n", 1,
        "error: outputs 'C' and 'D' are both to be 'D'",
    )  # fmt: skip


@case
def wrong_runs_leave_all_as_it_was(bench):
    bench.write("take.ein", "input W : f32[6]\ninput I : i32[3]\nV[i] = W[I[i]]\noutput V\n")
    save(bench, W=numbers((6,)), I=np.array([0, 7, 2], np.int32))
    session(bench, "load W W.npy\nload I I.npy\napply take.ein V=W\n", "--devices=3")
    import subprocess

    # On a terminal a session goes on.
    text = "load W W.npy\nload I I.npy\napply take.ein V=W\nexport W W2.npy\nexport I I2.npy\n"
    bench.write("commands", text)
    done = subprocess.run(
        ["script", "-qec", f"{driver.tapestry_path()} session -q --devices=3", "/dev/null"],
        stdin=open(bench.folder / "commands"),
        capture_output=True, text=True, cwd=bench.folder, timeout=driver.TIME_LIMIT,
    )  # fmt: skip
    if "<stdin>:3: take.ein" not in done.stdout or "is 7, but" not in done.stdout:
        raise CheckFailed(f"{done}")
    for name in "WI":
        if not np.array_equal(load(bench, name), load(bench, name + "2")):
            raise CheckFailed(f"{name} has changed")
    refuse(
        bench, text.splitlines(keepends=True)[0] + "apply take.ein --report no/r.json\n", 1,
        "error: there is no tensor 'I' in the session; there are: W (for input 'I')",
    )  # fmt: skip
    finished = session(bench, text[: text.index("export")], "--devices=3")
    bench.expect_error(
        finished, 1, r"^commands:3: take.ein:3:1: error: index I\[1\] is 7, but", outputs_intact=False
    )


if __name__ == "__main__":
    case.main(__doc__)
