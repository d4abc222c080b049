"""Shared array types, and conversion of arrays to JSON and digests."""

from __future__ import annotations

import hashlib
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

Scalar = TypeVar("Scalar", bound=np.generic)
FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]
BoolArray = npt.NDArray[np.bool_]


def read_only(array: npt.NDArray[Scalar]) -> npt.NDArray[Scalar]:
    """Return `array` made read-only, so that a table or result cannot change after validation."""
    array.flags.writeable = False
    return array


def pairs_where(mask: BoolArray) -> tuple[IntArray, IntArray]:
    """Return the pairs a < b for which a square matrix is true, row by row.

    Examples
    --------
    >>> pairs_where(np.array([[True, True], [True, False]]))
    (array([0]), array([1]))
    """
    first, second = np.nonzero(mask)
    above = first < second
    return first[above], second[above]


def to_json_array(array: npt.NDArray[Any]) -> Any:  # noqa: ANN401  (nested lists of any depth)
    """Return nested lists in which NaN is None.

    Examples
    --------
    >>> to_json_array(np.array([1.5, np.nan]))
    [1.5, None]
    """
    if array.dtype.kind != "f" or not np.isnan(array).any():
        return array.tolist()
    plain = array.astype(object)
    plain[np.isnan(array)] = None
    return plain.tolist()


def from_json_array(values: Any, *, ndim: int | None = None) -> FloatArray:  # noqa: ANN401
    """Return a float array in which None is NaN, with `ndim` axes even when it is empty.

    Examples
    --------
    >>> from_json_array([1.5, None])
    array([1.5, nan])
    """
    try:
        array = np.array(values, dtype=np.float64)
        return array if ndim is None or array.ndim == ndim else array.reshape((0,) * ndim)
    except (TypeError, ValueError, OverflowError) as error:
        axes = "a rectangle" if ndim is None else f"{ndim} axes"
        raise ValueError(f"The data must be numbers or null in {axes} ({error}).") from error


def numbered(codes: IntArray) -> tuple[IntArray, int]:
    """Replace whole numbers by their places among the distinct ones in ascending order, and count these.

    What :func:`numpy.unique` gives with ``return_inverse``, without sorting where the numbers lie close together.

    Examples
    --------
    >>> numbered(np.array([7, 3, 7]))
    (array([1, 0, 1]), 2)
    """
    if not codes.size:
        return np.zeros(0, dtype=np.int64), 0
    least, most = int(codes.min()), int(codes.max())
    if most - least > 4 * codes.size + 1000:
        distinct, place = np.unique(codes, return_inverse=True)
        return np.asarray(place.reshape(-1), dtype=np.int64), distinct.size
    codes = codes - least
    is_there = np.zeros(most - least + 1, dtype=np.bool_)
    is_there[codes] = True
    place = np.cumsum(is_there) - 1
    return np.asarray(place[codes], dtype=np.int64), int(place[-1]) + 1


def digest(*parts: object) -> str:
    """Return eight hexadecimal digits for labels and arrays, the same on every machine.

    Examples
    --------
    >>> digest(("A", "B"), np.zeros((2, 3)))
    '98c49616'
    """
    state = hashlib.sha256()
    for part in parts:
        if isinstance(part, np.ndarray):
            plain = _canonical(part)
            state.update(f"array {plain.dtype.str} {plain.shape}".encode())
            state.update(plain.reshape(-1).view(np.uint8).data)
        else:
            # Which characters repr escapes depends on the version of Python; ascii does not.
            state.update(ascii(part).encode())
        state.update(b"\x00")
    return state.hexdigest()[:8]


def _canonical(array: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Return equal arrays as equal bytes: row by row, little-endian, one NaN, one zero."""
    plain = np.ascontiguousarray(array, dtype=array.dtype.newbyteorder("<")).reshape(array.shape)
    if plain.dtype.kind == "f":
        with np.errstate(invalid="ignore"):
            plain = np.asarray(plain + 0.0)
        plain[np.isnan(plain)] = np.nan
    return plain
