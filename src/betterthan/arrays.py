"""The array types everybody shares, and how arrays become JSON and digests."""

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
    """Return `array` made read-only, so that a table or result cannot change after it was checked."""
    array.flags.writeable = False
    return array


def to_json_array(array: npt.NDArray[Any]) -> Any:  # noqa: ANN401  (nested lists of any depth)
    """Return nested lists in which NaN is None.

    Examples
    --------
    >>> to_json_array(np.array([1.5, np.nan]))
    [1.5, None]
    """
    if array.dtype.kind != "f":
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
    array = np.array(values, dtype=np.float64)
    return array if ndim is None or array.ndim == ndim else array.reshape((0,) * ndim)


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
            # Missing cells must hash alike whatever bits their NaN carries; -0.0 and 0.0 are one number.
            plain = np.where(np.isnan(part), np.nan, part + 0.0) if part.dtype.kind == "f" else part
            little = plain.astype(plain.dtype.newbyteorder("<"), copy=False)
            state.update(f"array {little.dtype.str} {little.shape}".encode())
            state.update(np.ascontiguousarray(little).tobytes())
        else:
            state.update(repr(part).encode())
        state.update(b"\x00")
    return state.hexdigest()[:8]
