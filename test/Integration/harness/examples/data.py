"""Examples that go by data: histograms, neighbours, images, random numbers."""

import numpy as np
from scipy import special

from .registry import example


# Random numbers have no values in NumPy: the exact price is what theirs is near.
@example({"N": 200_003}, {}, "Price:f64", tolerance={"Price": 0.01})
def monte_carlo():
    d = (np.log(100 / 110) + (0.02 + 0.045) * 2) / (0.3 * np.sqrt(2))
    discounted = 110 * np.exp(-0.04)
    return 100 * special.ndtr(d) - discounted * special.ndtr(d - 0.3 * np.sqrt(2))
