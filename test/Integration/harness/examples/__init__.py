"""The checks of docs/examples."""

from . import data, iterations, products  # noqa: F401
from .registry import EXAMPLES, FOLDER  # noqa: F401
