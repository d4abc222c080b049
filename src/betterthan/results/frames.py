"""Columns of a result as a data frame with the right types, in the caller's library."""

from __future__ import annotations

import importlib
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from betterthan.errors import BetterThanError, unknown_name

BACKENDS = ("pandas", "polars", "pyarrow")


def type_of_column(values: Sequence[Any]) -> type:
    """Return bool, int, float or str, the type of all values; missing ones (NaN and None) are ignored.

    Examples
    --------
    >>> type_of_column([1, 2.5, None]), type_of_column([True, False]), type_of_column([None, "A"])
    (<class 'float'>, <class 'bool'>, <class 'str'>)
    """
    kinds = set(map(type, values)) - {type(None)}
    if len(kinds) == 1 and kinds <= {bool, int, float}:
        return kinds.pop()
    return float if kinds and kinds <= {int, float} else str


def frame_of(columns: Mapping[str, Sequence[Any]], types: Mapping[str, type], backend: str) -> Any:  # noqa: ANN401
    """Return the columns as a frame of `backend`; see :meth:`betterthan.Result.to_frame`.

    Examples
    --------
    >>> frame_of({"n": [1, None], "name": ["A", None]}, {"n": float, "name": str}, "polars").dtypes
    [Float64, String]
    """
    if backend not in BACKENDS:
        raise unknown_name("library of data frames", backend, BACKENDS)
    try:
        library = importlib.import_module(backend)
    except ImportError as error:
        raise BetterThanError(
            f"A data frame of {backend} needs {backend}, which is not installed. Install it, or choose another of "
            f"{', '.join(BACKENDS)}."
        ) from error
    make = {"pandas": _pandas, "polars": _polars, "pyarrow": _pyarrow}[backend]
    return make(library, {name: _typed(list(values), types[name]) for name, values in columns.items()}, types)


def _typed(values: list[Any], kind: type) -> Any:  # noqa: ANN401
    """Return floats as an array in which NaN is missing, and everything else as it is."""
    return np.array(values, dtype=np.float64) if kind is float else values


def _pandas(pandas: Any, columns: Mapping[str, Any], types: Mapping[str, type]) -> Any:  # noqa: ANN401
    return pandas.DataFrame(
        {
            name: pandas.Series(values, dtype=_pandas_dtype(values, types[name]))
            for name, values in columns.items()
        }
    )


def _pandas_dtype(values: Any, kind: type) -> Any:  # noqa: ANN401
    if kind is str:
        # The dtype of text depends on the version of pandas; without any text it must be set.
        return None if any(values) else object
    return {bool: "boolean", int: "Int64"}[kind] if kind is not float and None in values else kind


def _polars(polars: Any, columns: Mapping[str, Any], types: Mapping[str, type]) -> Any:  # noqa: ANN401
    kinds = {bool: polars.Boolean, int: polars.Int64, float: polars.Float64, str: polars.String}
    series = (polars.Series(name, values, dtype=kinds[types[name]]) for name, values in columns.items())
    return polars.DataFrame(
        [each.fill_nan(None) if each.dtype == polars.Float64 else each for each in series]
    )


def _pyarrow(pyarrow: Any, columns: Mapping[str, Any], types: Mapping[str, type]) -> Any:  # noqa: ANN401
    kinds = {bool: pyarrow.bool_(), int: pyarrow.int64(), float: pyarrow.float64(), str: pyarrow.string()}
    return pyarrow.table(
        {
            name: pyarrow.array(values, type=kinds[types[name]], from_pandas=True)  # so that NaN becomes null
            for name, values in columns.items()
        }
    )
