#!/usr/bin/python3
"""Writes the handwritten digits that scikit-learn ships as .npy files.

    export_digits.py FOLDER

1,797 images of 8 x 8 pixels, shuffled with a fixed seed and split 80/20; pixels
between 0 and 1, a constant 1 as bias, classes one-hot; and initial weights.
"""

import pathlib
import sys

import numpy as np
from sklearn.datasets import load_digits

TRAINING = 1437
HIDDEN = 64


def main():
    folder = pathlib.Path(sys.argv[1])
    digits = load_digits()
    rng = np.random.default_rng(0)
    order = rng.permutation(len(digits.target))
    pixels = np.hstack([digits.data / 16, np.ones((len(order), 1))])[order]
    classes = np.eye(10)[digits.target[order]]
    weights1 = rng.standard_normal((pixels.shape[1], HIDDEN)) * np.sqrt(2 / pixels.shape[1])
    weights2 = rng.standard_normal((HIDDEN, 10)) * np.sqrt(1 / HIDDEN)
    arrays = {
        "X": pixels[:TRAINING],
        "Y": classes[:TRAINING],
        "Xt": pixels[TRAINING:],
        "Yt": classes[TRAINING:],
        "W1": weights1,
        "W2": weights2,
    }
    for name, array in arrays.items():
        np.save(folder / f"{name}.npy", array.astype(np.float32))


if __name__ == "__main__":
    main()
