#!/usr/bin/python3
"""Input and output files, right and wrong.

    check_files.py [CASE ...]
"""

import numpy as np
from numpy.lib import format as npy

from harness.cases import Group

case = Group()


def with_input(bench, name="bad.npy"):
    """The usual run, but A comes from another file."""
    return bench.run(inputs=["-i", f"A={name}", "-i", "B=B.npy"])


@case
def the_usual_run_works(bench):
    bench.expect_results(bench.run("--devices=3"))


@case
def fortran_order(bench):
    np.save(bench.folder / "A.npy", np.asfortranarray(bench.A))
    np.save(bench.folder / "B.npy", np.asfortranarray(bench.B))
    for devices in (1, 4):
        bench.expect_results(bench.run(f"--devices={devices}"))


@case
def all_format_versions(bench):
    for version in ((1, 0), (2, 0), (3, 0)):
        with open(bench.folder / "A.npy", "wb") as file:
            npy.write_array(file, bench.A, version=version)
        bench.expect_results(bench.run("--devices=2"))


@case
def outputs_are_plain_npy(bench):
    bench.expect_results(bench.run("--devices=4"))
    with open(bench.folder / "C.npy", "rb") as file:
        assert npy.read_magic(file) == (1, 0)
        shape, fortran, dtype = npy.read_array_header_1_0(file)
        assert (shape, fortran, dtype) == ((6, 7), False, np.dtype("<f4"))
        assert file.tell() % 64 == 0


@case
def outputs_replace_files(bench):
    bench.write("C.npy", b"something longer than the result" * 1000)
    bench.expect_results(bench.run("--devices=2"))


@case
def one_output_of_two(bench):
    bench.run("--devices=2", outputs=["-o", "D=D.npy"]).expect_status(0)
    assert (bench.folder / "D.npy").exists() and not (bench.folder / "C.npy").exists()


@case
def missing_input_option(bench):
    bench.keep_outputs()
    bench.expect_error(bench.run(inputs=["-i", "A=A.npy"]), 2, r"\bB\b", "input")


@case
def unknown_input_name(bench):
    bench.expect_error(bench.run("-i", "Q=A.npy"), 2, r"'Q'")


@case
def unknown_output_name(bench):
    bench.expect_error(bench.run("-o", "Q=Q.npy"), 2, r"'Q'")


@case
def input_given_twice(bench):
    bench.expect_error(bench.run("-i", "A=B.npy"), 2, r"\bA\b", "twice")


@case
def missing_file(bench):
    bench.keep_outputs()
    bench.expect_error(with_input(bench, "none.npy"), 1, r"^none\.npy: error: .*No such file")


@case
def folder_instead_of_file(bench):
    (bench.folder / "sub").mkdir()
    bench.expect_error(with_input(bench, "sub"), 1, "^sub: error: ")


@case
def empty_file(bench):
    bench.write("bad.npy", b"")
    bench.expect_error(with_input(bench), 1, r"^bad\.npy: error: ")


@case
def no_npy_file(bench):
    bench.write("bad.npy", b"PK\x03\x04" + bytes(500))
    bench.expect_error(with_input(bench), 1, r"^bad\.npy: error: ", "npy")


@case
def unknown_format_version(bench):
    contents = bytearray((bench.folder / "A.npy").read_bytes())
    contents[6] = 9
    bench.write("bad.npy", bytes(contents))
    bench.expect_error(with_input(bench), 1, r"^bad\.npy: error: ", r"\b9\b")


@case
def truncated_in_data(bench):
    contents = (bench.folder / "A.npy").read_bytes()
    bench.write("bad.npy", contents[:-7])
    # Both numbers: 120 bytes of values are needed, 113 are there.
    finished = with_input(bench)
    bench.expect_error(finished, 1, r"^bad\.npy: error: ", rf"113|{len(contents) - 7}")
    bench.expect_error(finished, 1, rf"120|{len(contents)}")


@case
def truncated_in_header(bench):
    bench.write("bad.npy", (bench.folder / "A.npy").read_bytes()[:40])
    bench.expect_error(with_input(bench), 1, r"^bad\.npy: error: ", "header")


@case
def header_that_claims_too_much(bench):
    contents = bytearray((bench.folder / "A.npy").read_bytes())
    contents[8:10] = b"\xff\xff"
    bench.write("bad.npy", bytes(contents))
    bench.expect_error(with_input(bench), 1, r"^bad\.npy: error: ", "header")


@case
def header_with_text_behind(bench):
    contents = bytearray((bench.folder / "A.npy").read_bytes())
    end = contents.index(b"}") + 1
    contents[end + 1 : end + 4] = b"= 7"
    bench.write("bad.npy", bytes(contents))
    bench.expect_error(with_input(bench), 1, r"^bad\.npy: error: malformed header")


@case
def header_without_shape(bench):
    contents = (bench.folder / "A.npy").read_bytes().replace(b"shape", b"shade")
    bench.write("bad.npy", contents)
    bench.expect_error(with_input(bench), 1, r"^bad\.npy: error: ")


@case
def wrong_type(bench):
    np.save(bench.folder / "bad.npy", bench.A.astype(np.float64))
    bench.expect_error(with_input(bench), 1, r"^bad\.npy: error: ", "f64", "f32")


@case
def type_that_is_none_of_ours(bench):
    np.save(bench.folder / "bad.npy", bench.A.astype(np.clongdouble))
    bench.expect_error(with_input(bench), 1, r"^bad\.npy: error: ", "c32", "f32")


@case
def wrong_extent(bench):
    np.save(bench.folder / "bad.npy", bench.A[:, :4])
    bench.expect_error(with_input(bench), 1, r"^bad\.npy: error: ", r"6, 4|6x4", r"6, 5|6x5")


@case
def wrong_rank(bench):
    np.save(bench.folder / "bad.npy", bench.A.reshape(30))
    bench.expect_error(with_input(bench), 1, r"^bad\.npy: error: ", r"30", r"6, 5|6x5")


@case
def big_endian(bench):
    np.save(bench.folder / "bad.npy", bench.A.astype(">f4"))
    bench.expect_error(with_input(bench), 1, r"^bad\.npy: error: ", "big.endian|>f4")


@case
def output_in_missing_folder(bench):
    outputs = ["-o", "C=C.npy", "-o", "D=none/D.npy"]
    bench.expect_error(bench.run(outputs=outputs), 1, r"^none/D\.npy: error: ", "No such file")


@case
def output_is_a_folder(bench):
    (bench.folder / "sub").mkdir()
    outputs = ["-o", "C=C.npy", "-o", "D=sub"]
    bench.expect_error(bench.run(outputs=outputs), 1, "^sub: error: ")


@case
def output_on_a_full_device(bench):
    # Nothing can be written there, but it can be opened.
    outputs = ["-o", "C=/dev/full"]
    bench.expect_error(bench.run(outputs=outputs), 3, "/dev/full: error: cannot write: No space")


@case
def bad_input_leaves_old_outputs(bench):
    bench.keep_outputs()
    np.save(bench.folder / "bad.npy", bench.A[:3])
    bench.expect_error(with_input(bench), 1, r"^bad\.npy: error: ")


@case
def report_in_missing_folder(bench):
    finished = bench.run("--report=none/r.json")
    bench.expect_error(finished, 1, r"none/r\.json", outputs_intact=False)


@case
def standalone_program_checks_files_too(bench):
    bench.tapestry("compile", "small.ein", "--devices=2", "-o", "prog").expect_status(0)
    from harness import driver

    def prog(*words):
        return driver.execute(["./prog", *words], bench.folder)

    bench.keep_outputs()
    bench.expect_error(prog("-i", "A=none.npy", "-i", "B=B.npy", *bench.outputs), 1, r"^none\.npy: ")
    bench.expect_error(prog("-i", "A=A.npy", *bench.outputs), 2, r"\bB\b")
    bench.expect_error(prog(*bench.inputs, *bench.outputs, "--frobnicate"), 2, "frobnicate")
    bench.expect_results(prog(*bench.inputs, *bench.outputs))


if __name__ == "__main__":
    case.main(__doc__)
