"""The step of scores that are really whole numbers: stars, percentages, penalties in tenths."""

from __future__ import annotations

import numpy as np

from betterthan.arrays import BoolArray, FloatArray

CLOSENESS = 1e-10  # how far a value may lie from a multiple, as a share of the largest value
MOST_STEPS = 1e6  # beyond this many steps a unit says nothing about the data
SAMPLE = 32
DECIMAL_UNITS = np.array([10.0**-power / part for power in range(7) for part in (1, 2, 3, 4, 6, 7, 8, 9, 12)])
PARTS_OF_SMALLEST = np.arange(1.0, 25.0)


def natural_unit(values: FloatArray) -> float | None:
    """Find the largest step of which all values are whole multiples, or None.

    Tried are 1, 1/2, 1/3, 1/4, 1/6, 1/7, 1/8, 1/9 and 1/12 of powers of ten from 1 to a millionth, 1/1 to 1/24 of
    the smallest value seen, and the common divisor of a few values, for unusual steps, such as those
    of standardized grades; the greatest common divisor of the multiples then gives the largest step.

    Parameters
    ----------
    values : array of any shape
        Scores or differences of scores. NaN is left out; 0 is a multiple of everything.

    Returns
    -------
    float or None
        None if no step fits, or if the values span more than a million steps. 1.0 if all values are zero.

    Notes
    -----
    A value fits when it lies within 1e-10 of the largest value from a multiple, which forgives what float64
    does to decimals (85.3 − 85.2) and nothing that a person would write.

    Examples
    --------
    >>> natural_unit(np.array([1.5, -0.5, 0.0, 2.0]))
    0.5
    >>> natural_unit(np.array([1.5, -0.5, 2**0.5])) is None
    True
    """
    flat = values.reshape(-1)
    sample = _magnitudes(flat[:: max(1, flat.size // SAMPLE)])
    if not sample.size:
        sample = _magnitudes(flat)[:SAMPLE]
    if not sample.size:
        return 1.0
    candidates = np.concatenate([DECIMAL_UNITS, sample.min() / PARTS_OF_SMALLEST, _common_divisor(sample)])
    candidates = candidates[candidates > 0]  # a part of the smallest number of all is 0
    plausible = candidates[_fits(sample[:, None], candidates).all(axis=0)]
    magnitudes = _magnitudes(flat) if plausible.size else sample
    for unit in plausible:
        if _fits(magnitudes, unit).all():
            return float(unit * np.gcd.reduce(np.rint(magnitudes / unit).astype(np.int64)))
    return None


def _common_divisor(sample: FloatArray) -> FloatArray:
    """Largest step that divides all values of a sample, by Euclid's algorithm and least squares; or none.

    Remainders of less than half of the smallest step that counts are taken for rounding.

    Examples
    --------
    >>> _common_divisor(np.array([6.0, 10.0, 15.0]) * 0.37).round(12)
    array([0.37])
    """
    values = np.unique(sample)
    least = float(values[-1]) / MOST_STEPS
    unit = float(values[0])
    for value in values.tolist():
        while (rest := abs(value - round(value / unit) * unit)) > least / 2:
            value, unit = unit, rest  # noqa: PLW2901  (Euclid's step)
        if unit < least:
            return np.empty(0)
    multiples = np.rint(values / unit)
    return np.array([multiples @ values / (multiples @ multiples)])


def in_units(values: FloatArray, unit: float) -> FloatArray:
    """Return values as whole numbers of units, exactly; NaN stays.

    Examples
    --------
    >>> in_units(np.array([85.3 - 85.2, -0.3]), 0.1)
    array([ 1., -3.])
    """
    return np.rint(values / unit)


def _magnitudes(flat: FloatArray) -> FloatArray:
    sizes = np.abs(flat)
    return sizes[np.isfinite(sizes) & (sizes > 0)]


def _fits(magnitudes: FloatArray, unit: float | FloatArray) -> BoolArray:
    largest = magnitudes.max()
    with np.errstate(over="ignore"):  # differences hundreds of orders of magnitude apart fit no unit
        multiples = np.rint(magnitudes / unit)
    near = np.abs(magnitudes - multiples * unit) <= CLOSENESS * largest
    return np.asarray(near & (multiples > 0) & (largest <= MOST_STEPS * unit))
