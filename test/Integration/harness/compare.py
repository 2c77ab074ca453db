"""Whether an array is the expected one: bit-equal, or within rounding."""

import numpy as np

from .driver import CheckFailed

# Relative to the magnitude of the result.
TOLERANCE = {
    np.dtype(np.float64): 1e-12,
    np.dtype(np.float32): 1e-5,
    np.dtype(np.float16): 1e-3,
    np.dtype(np.complex128): 1e-12,
    np.dtype(np.complex64): 1e-5,
}
BF16_TOLERANCE = 5e-3


def bf16_bits(values):
    """Rounds to bf16, to nearest even, and returns the bit patterns."""
    singles = np.asarray(values).astype(np.float32)
    bits = singles.reshape(-1).view(np.uint32).astype(np.int64)
    rounded = (bits + 0x7FFF + ((bits >> 16) & 1)) >> 16
    return rounded.astype(np.uint16).reshape(singles.shape)


def bf16_values(patterns):
    """The float32 values of 2-byte patterns, whatever NumPy calls their type."""
    raw = np.asarray(patterns).reshape(-1).view(np.uint16).astype(np.uint32)
    return (raw << 16).view(np.float32).reshape(np.shape(patterns))


def widened(values):
    """As float64, or complex numbers of them."""
    values = np.asarray(values)
    return values.astype(np.complex128 if values.dtype.kind == "c" else np.float64)


def _describe(name, bad, got, want, extra):
    place = tuple(int(i) for i in np.argwhere(bad)[0]) if bad.ndim else ()
    return (
        f"output {name}: {int(bad.sum())} of {bad.size} values differ{extra}; "
        f"first at {list(place)}: got {got[place]!r}, expected {want[place]!r}"
    )


def check_shape(name, got, shape, dtype):
    if got.shape != tuple(shape):
        raise CheckFailed(f"output {name}: shape {got.shape}, expected {tuple(shape)}")
    if got.dtype != dtype:
        raise CheckFailed(f"output {name}: type {got.dtype}, expected {dtype}")


def check_equal(name, got, want):
    """Bit-equal, NaN included."""
    want = np.asarray(want)
    check_shape(name, got, want.shape, want.dtype)
    bad = np.asarray(got != want)
    if want.dtype.kind in "fc":
        bad &= ~(np.isnan(got) & np.isnan(want))
    if bad.any():
        raise CheckFailed(_describe(name, bad, np.asarray(got), want, ""))


def check_within(name, got, want, limit, extra=""):
    """|got - want| <= limit, elementwise; infinities must be equal."""
    got64 = widened(got)
    want = widened(want)
    if got64.shape != want.shape:
        raise CheckFailed(f"output {name}: shape {got64.shape}, expected {want.shape}")
    with np.errstate(invalid="ignore"):
        close = (np.abs(got64 - want) <= limit) & np.isfinite(want)
    close |= got64 == want
    close |= np.isnan(got64) & np.isnan(want)
    if not close.all():
        raise CheckFailed(_describe(name, ~close, got64, want, extra))


def check_close(name, got, want, tolerance):
    """Within `tolerance` of the value and of the output's typical magnitude."""
    want = widened(want)
    finite = want[np.isfinite(want)]
    scale = float(np.sqrt(np.mean(np.abs(finite) ** 2))) if finite.size else 0.0
    limit = tolerance * (np.abs(want) + scale)
    check_within(name, got, want, limit, f" by more than {tolerance:g} of their magnitude")
