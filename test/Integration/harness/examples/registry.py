"""How an example's check is declared: its size, random inputs, NumPy formula."""

import pathlib

from ..programs import Program

FOLDER = pathlib.Path(__file__).resolve().parents[4] / "docs" / "examples"
EXAMPLES = {}


def example(params, inputs, outputs, exact=(), tolerance=None):
    """Declares the check of the example that the function is named after."""

    def declare(formula):
        name = formula.__name__.replace("_", "-")
        source = (FOLDER / f"{name}.ein").read_text()
        types = dict(word.split(":") for word in outputs.split())
        EXAMPLES[name] = Program(
            name, source, inputs, types, formula, set(exact), tolerance or {}, params
        )
        return formula

    return declare
