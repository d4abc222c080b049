"""Random draws that come out the same on every machine and every NumPy.

Only uniform numbers of the Philox counter generator are used, and everything else is made of them by basic
arithmetic in a fixed order: no library routine stands in between that could be improved one day.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from betterthan.errors import BetterThanError

FloatArray = NDArray[np.float64]
Item = TypeVar("Item")


def stream(seed: int, purpose: str) -> np.random.Generator:
    """Open the stream of one purpose, independent of the streams of all other purposes.

    Parameters
    ----------
    seed : int
        From 0 to 2**64 - 1.
    purpose : str
        What the draws are for; adding a purpose leaves the draws of the others as they were.

    Examples
    --------
    >>> float(stream(2024, "texts").random()) == float(stream(2024, "texts").random())
    True
    """
    if not 0 <= seed < 2**64:
        raise BetterThanError(f"The seed {seed} is out of range. Take a whole number from 0 to 2**64 - 1.")
    word = int.from_bytes(hashlib.sha256(purpose.encode()).digest()[:8], "big")
    return np.random.Generator(np.random.Philox(key=np.array([seed, word], dtype=np.uint64)))


def bell(rng: np.random.Generator, shape: tuple[int, ...]) -> FloatArray:
    """Draw nearly normal numbers of mean 0 and variance 1: twelve uniform numbers added up, less six.

    Examples
    --------
    >>> values = bell(stream(1, "example"), (2, 500))
    >>> values.shape, bool(abs(values.mean()) < 0.1), bool(abs(values.std() - 1) < 0.1)
    ((2, 500), True, True)
    """
    total = np.full(shape, -6.0)
    for layer in rng.random((12, *shape)):
        total = total + layer
    return total


def pick(options: Sequence[Item], draw: float) -> Item:
    """Take the option on which a uniform draw falls.

    Examples
    --------
    >>> pick("abcd", 0.6)
    'c'
    """
    return options[int(draw * len(options))]


def rounded(values: FloatArray, digits: int) -> FloatArray:
    """Round half up to a number of decimals, so that a value and its printed form are the same number.

    Examples
    --------
    >>> rounded(np.array([0.12345, 2.5]), 3).tolist()
    [0.123, 2.5]
    """
    unit = float(10**digits)
    return np.floor(values * unit + 0.5) / unit
