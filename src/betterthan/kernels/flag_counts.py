"""Counting flags row by row, eight at a time: several times as quick as NumPy's own count along an axis."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from betterthan.arrays import BoolArray, IntArray

MOST_FLAGS = 2040  # in a row: the bytes of a sum of 255 words do not overflow
_LOW_BYTES = np.uint64(0x00FF00FF00FF00FF)


def flag_space(*shape: int) -> BoolArray:
    """Rows of False, padded to whole words of eight; fill the requested columns, then count.

    Examples
    --------
    >>> flag_space(2, 3).shape
    (2, 8)
    """
    return np.zeros((*shape[:-1], -(-shape[-1] // 8) * 8), dtype=bool)


def count_flags(space: BoolArray) -> IntArray:
    """How many flags are up in each row of a :func:`flag_space` of at most `MOST_FLAGS` columns.

    Examples
    --------
    >>> space = flag_space(2, 3)
    >>> np.greater([[1, 2, 3], [4, 5, 6]], 2, out=space[:, :3]).shape
    (2, 3)
    >>> count_flags(space)
    array([1, 3])
    """
    return sums_of_bytes(np.add.reduce(space.view(np.uint64), axis=-1))


def count_many_flags(space: BoolArray) -> IntArray:
    """How many flags are up in each row of a :func:`flag_space` of any number of columns.

    Examples
    --------
    >>> count_many_flags(np.ones((1, 5000), dtype=bool))
    array([5000])
    """
    pieces = range(0, space.shape[-1], MOST_FLAGS)
    return np.asarray(sum(count_flags(space[..., start : start + MOST_FLAGS]) for start in pieces))


def sums_of_bytes(lanes: npt.NDArray[np.uint64]) -> IntArray:
    """Sum the eight bytes of each word: in pairs, then by a product whose top 16 bits collect the four pairs."""
    pairs = (lanes & _LOW_BYTES) + (lanes >> np.uint64(8) & _LOW_BYTES)
    return (pairs * np.uint64(0x0001000100010001) >> np.uint64(48)).astype(np.int64)
