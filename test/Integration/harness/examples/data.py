"""Examples that go by data: histograms, neighbours, images, signals, random numbers."""

import numpy as np
from scipy import special

from ..programs.registry import complexes, integers, normal
from .registry import example


@example(
    {"N": 211, "S": 9, "F": 3, "bins": 16},
    {"X": normal(211, 3), "Segment": integers(0, 7, 211)},
    "Count:i64 Mean:f32",
)
def histogram(X, Segment):
    bins = np.clip(np.floor((X.astype(np.float32) + 4) * 2).astype(int), 0, 15)
    with np.errstate(invalid="ignore"):
        means = [X[Segment == s].sum(0) / (Segment == s).sum() for s in range(9)]
    return {"Count": np.bincount(bins.ravel(), minlength=16), "Mean": np.array(means)}


@example(
    {"N": 101, "Q": 13, "F": 4, "K": 5, "classes": 3},
    {"X": normal(101, 4), "Class": integers(0, 2, 101), "Query": normal(13, 4)},
    "Guess:i64 Who:i64",
)
def nearest(X, Class, Query):
    far = ((Query[:, None] - X) ** 2).sum(2)
    who = far.argsort(1, kind="stable")[:, :5]
    votes = (Class[who][:, :, None] == np.arange(3)).sum(1)
    return {"Guess": votes.argmax(1), "Who": who}


@example({"h": 23, "w": 17}, {"Image": integers(0, 255, 23, 17, type="u8")}, "Edges:u8")
def sobel(Image):
    wide = np.pad(Image.astype(int), 1, "edge")
    across = np.array([[-1, 0, 1], [-2, 0, 2], [-1, 0, 1]])
    windows = np.lib.stride_tricks.sliding_window_view(wide, (3, 3))
    gx = (windows * across).sum((2, 3))
    gy = (windows * across.T).sum((2, 3))
    root = np.sqrt((gx**2 + gy**2).astype(np.float32))
    return np.minimum(root, 255).astype(np.uint8)


@example({"n": 47}, {"X": complexes(47)}, "F:c64 Power:f32 Back:c64")
def dft(X):
    F = np.fft.fft(X)
    return {"F": F, "Power": np.abs(F) ** 2, "Back": X}


# Random numbers have no values in NumPy: the exact price is what theirs is near.
@example({"N": 200_003}, {}, "Price:f64", tolerance={"Price": 0.01})
def monte_carlo():
    d = (np.log(100 / 110) + (0.02 + 0.045) * 2) / (0.3 * np.sqrt(2))
    discounted = 110 * np.exp(-0.04)
    return 100 * special.ndtr(d) - discounted * special.ndtr(d - 0.3 * np.sqrt(2))
