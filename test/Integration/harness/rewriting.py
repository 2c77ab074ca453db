"""Rewrites of a program by name, as `tapestry-rewrite` lists and applies them."""

import shutil

from . import driver


def tool(name, *words, cwd):
    path = shutil.which(name)
    if not path:
        raise driver.CheckFailed(f"no '{name}' on PATH")
    return driver.execute([path, *words], cwd).expect_status(0)


def import_program(folder, *sizes):
    """program.ein as program.mlir."""
    tool("tapestry-translate", "--ein-to-mlir", *sizes, "program.ein", "-o", "program.mlir", cwd=folder)


def rewrite(folder, rewrites):
    """Writes rewritten.mlir; returns the rewrites that apply to it."""
    option = f"tapestry-rewrite{{apply={{{';'.join(rewrites)}}}}}"
    passes = f"builtin.module(tapestry-prune,tapestry.graph({option}"
    tool("tapestry-opt", "program.mlir", f"--pass-pipeline={passes}))", "-o", "rewritten.mlir", cwd=folder)
    passes += ",tapestry-rewrite{list=true}"
    done = tool("tapestry-opt", "program.mlir", f"--pass-pipeline={passes}))", "-o", "listed.mlir", cwd=folder)
    return done.stdout.split("\n")[:-1]


def kind_of(rewrite):
    """Of rules their names; what splits a fused operator is of another kind than what takes a
    factor out of a product."""
    kind, _, *arguments = rewrite.split(":")
    if kind == "rule":
        return arguments[0]
    return "split" if kind == "unfuse" and not arguments else kind


def random_walk(choose, folder, most, prefer=""):
    """Up to so many rewrites one after the other, mostly of a kind; leaves rewritten.mlir."""
    walk = []
    while len(walk) < most:
        offered = rewrite(folder, walk)
        preferred = [each for each in offered if kind_of(each) == prefer]
        if preferred and choose.random() < 0.8:
            offered = preferred
        if not offered:
            return walk
        walk.append(choose.choice(offered))
    rewrite(folder, walk)
    return walk
