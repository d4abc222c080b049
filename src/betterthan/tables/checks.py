"""The checks that every table makes, with their messages."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from betterthan.arrays import BoolArray, FloatArray, IntArray, read_only
from betterthan.errors import TableError, some_of, unknown_name


def labels(names: Iterable[Any], *, what: str, at_least: int = 1) -> tuple[str, ...]:
    """Return `names` as a tuple of distinct, non-empty strings.

    Examples
    --------
    >>> labels(["A", "B"], what="system")
    ('A', 'B')
    """
    if isinstance(names, str):
        raise TableError(f'{what}s must be a list of names, not the single text "{names}".')
    result = tuple(_label(name, what) for name in names)
    if len(result) < at_least:
        plural = "" if at_least == 1 else "s"
        raise TableError(f"The table has {len(result)} {what}s; at least {at_least} {what}{plural} needed.")
    if len(set(result)) < len(result):
        twice = [name for name, count in Counter(result).items() if count > 1]
        raise TableError(
            f"Each {what} may occur once, but these occur more often: {some_of(twice)}. "
            f"Rename or merge them before making the table."
        )
    return result


def _label(name: object, what: str) -> str:
    if not isinstance(name, str):
        raise TableError(f"A {what} name must be text, not {type(name).__name__} ({name!r}). Use str(name).")
    if not name.strip():
        raise TableError(f"A {what} has an empty name. Give every {what} a name.")
    return name


def group_labels(groups: Iterable[Any] | None, *, n_segments: int) -> tuple[str, ...] | None:
    """Return the document of each segment, or None; one label a segment, repeats allowed."""
    if groups is None:
        return None
    result = tuple(_label(group, "group") for group in groups)
    if len(result) != n_segments:
        raise TableError(
            f"There are {len(result)} groups for {n_segments} segments; one group a segment is needed."
        )
    return result


def float_array(values: npt.ArrayLike, *, shape: tuple[int | None, ...], what: str) -> FloatArray:
    """Return `values` as a read-only float64 array of the given shape; None in `shape` means any length."""
    try:
        array = np.array(values, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise TableError(
            f"{what} must be numbers in a rectangle, with NaN for missing ones ({error})."
        ) from error
    check_shape(array, shape=shape, what=what)
    if np.isinf(array).any():
        place = tuple(int(i) for i in np.argwhere(np.isinf(array))[0])
        raise TableError(f"{what} contain an infinite number at {place}. Use NaN if the score is missing.")
    return read_only(array)


def index_array(values: npt.ArrayLike, *, length: int | None, below: int, what: str) -> IntArray:
    """Return `values` as a read-only array of indices in ``0 .. below - 1``."""
    array = np.array(values)
    check_shape(array, shape=(length,), what=what)
    if array.size and not np.issubdtype(array.dtype, np.integer):
        raise TableError(f"{what} must be whole numbers (indices), not {array.dtype}.")
    indices = array.astype(np.int64)
    if indices.size and (indices.min() < 0 or indices.max() >= below):
        raise TableError(
            f"{what} must lie between 0 and {below - 1}; found {indices.min()} to {indices.max()}."
        )
    return read_only(indices)


def bool_array(values: npt.ArrayLike, *, shape: tuple[int | None, ...], what: str) -> BoolArray:
    """Return `values` as a read-only boolean array of the given shape."""
    array = np.array(values)
    check_shape(array, shape=shape, what=what)
    if array.size and array.dtype != np.bool_:
        raise TableError(f"{what} must be True or False, not {array.dtype}.")
    return read_only(array.astype(np.bool_))


def check_shape(array: npt.NDArray[Any], *, shape: tuple[int | None, ...], what: str) -> None:
    """Raise unless `array` has the given shape; None means any length along that axis."""
    fits = array.ndim == len(shape) and all(
        want is None or want == have for want, have in zip(shape, array.shape, strict=True)
    )
    if not fits:
        want = " × ".join("any" if length is None else str(length) for length in shape)
        have = " × ".join(str(length) for length in array.shape) or "a single number"
        raise TableError(f"{what} must have the shape {want}, but have {have}.")


def positions(wanted: Sequence[str], known: Sequence[str], *, what: str) -> IntArray:
    """Return the index in `known` of each wanted label; an unknown one is named with its nearest match."""
    index = {name: i for i, name in enumerate(known)}
    for name in wanted:
        if name not in index:
            raise unknown_name(what, name, known)
    return np.array([index[name] for name in wanted], dtype=np.int64)
