"""Results as collections of their rows: ``len``, iteration, ``result["A"]``, ``result[0]`` and ``in``."""

from __future__ import annotations

import dataclasses
import types
import typing
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from typing import Any, ClassVar, Generic, TypeVar

import numpy as np

from betterthan.arrays import FloatArray
from betterthan.errors import NotEstimable, unknown_name
from betterthan.results.frames import type_of_column

Row = TypeVar("Row")


class Rows(ABC, Generic[Row]):
    """Mixin that makes a result a collection of its rows, in display order.

    A subclass has a `row_type`, a frozen dataclass, and gives the number of rows and each of them.

    Examples
    --------
    >>> import betterthan as bt
    >>> kept = bt.kept_pairs(bt.read_scores({"A": [10.0, 40.0], "B": [20.0, 90.0]}), [0, 25])
    >>> len(kept), kept[1].share, [row.margin for row in kept]
    (2, 0.5, [0.0, 25.0])
    """

    __slots__ = ()
    row_type: ClassVar[type]

    @abstractmethod
    def __len__(self) -> int: ...

    @abstractmethod
    def _row(self, i: int) -> Row:
        """Return the row at position `i`, counted from 0."""

    def _types_of(self, columns: Mapping[str, Sequence[Any]]) -> dict[str, type]:
        declared = field_types(self.row_type)
        return {name: _type_of(values, declared.get(name)) for name, values in columns.items()}

    def __iter__(self) -> Iterator[Row]:
        return (self._row(i) for i in range(len(self)))

    def __getitem__(self, key: int) -> Row:
        return self._row(place_of(key, len(self)))


class NamedRows(Rows[Row]):
    """Mixin that makes a result a collection of named rows, such as systems.

    As in a mapping, ``name in result`` tests for a name and ``result[name]`` returns its row; iteration yields the
    rows.

    Examples
    --------
    >>> import betterthan as bt
    >>> ranking = bt.rank(bt.read_scores({"A": [1.0, 3.0, 2.0], "B": [2.0, 1.0, 0.0]}))
    >>> len(ranking), "A" in ranking, ranking["A"].strength, ranking[-1].system
    (2, True, 2.0, 'B')
    >>> [row.system for row in ranking]
    ['A', 'B']
    """

    __slots__ = ()
    row_noun: ClassVar[str] = "system"
    row_field: ClassVar[str] = "systems"

    def _row_names(self) -> Sequence[str]:
        """Return the name of each row."""
        names: Sequence[str] = getattr(self, self.row_field)
        return names

    def __len__(self) -> int:
        return len(self._row_names())

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and name in self._row_names()

    def __getitem__(self, key: str | int) -> Row:
        names = self._row_names()
        return self._row(
            index_of(key, names, self.row_noun) if isinstance(key, str) else place_of(key, len(names))
        )


def index_of(name: str, names: Sequence[str], noun: str) -> int:
    """Return the position of `name` in `names`.

    Raises
    ------
    UnknownName
        Which is a KeyError; it suggests the nearest name.

    Examples
    --------
    >>> index_of("B", ("A", "B"), "system")
    1
    """
    if name not in names:
        raise unknown_name(noun, name, names)
    return names.index(name)


def place_of(key: object, n_rows: int) -> int:
    """Return the position of a row from an integer, which may count from the end.

    Raises
    ------
    IndexError
        When there is no such row.
    TypeError
        When it is not an integer.

    Examples
    --------
    >>> place_of(-1, 3)
    2
    """
    if not isinstance(key, int | np.integer) or isinstance(key, bool):
        raise TypeError(f"A row is identified by a name or an integer, not by {type(key).__name__}.")
    if not -n_rows <= key < n_rows:
        raise IndexError(f"There are {n_rows:,} rows, and none has the number {key}.")
    return int(key) % n_rows


def row_at(result: object, i: int, row_type: type[Row], **named: Any) -> Row:  # noqa: ANN401
    """Return the row at position `i`: each field is that entry of the result's array or tuple of the same name.

    Parameters
    ----------
    result : Result
    i : int
    row_type : type
        A dataclass.
    **named
        Fields that have another name in the result.
    """
    fields = [field.name for field in dataclasses.fields(row_type) if field.name not in named]  # type: ignore[arg-type]
    return row_type(**named, **{name: _entry(getattr(result, name), i) for name in fields})


def _entry(values: Any, i: int) -> Any:  # noqa: ANN401
    if values is None:
        return None
    return values[i].item() if isinstance(values, np.ndarray) else values[i]


def best_name(names: Sequence[str], value: FloatArray | Sequence[float]) -> str:
    """Return the first name, unless its value is undefined.

    Raises
    ------
    NotEstimable
        When there is none.

    Examples
    --------
    >>> best_name(("A", "B"), (2.0, 1.0))
    'A'
    """
    if not len(names) or np.isnan(value[0]):
        raise NotEstimable("There is no best row, because none has a value.", systems=names)
    return names[0]


def _type_of(values: Sequence[Any], declared: type | None) -> type:
    inferred = type_of_column(values)
    if declared is None:
        return inferred
    is_empty = all(value is None for value in values) if inferred is str else False
    return declared if is_empty or (inferred, declared) == (int, float) else inferred


@cache
def field_types(row_type: type) -> dict[str, type]:
    """Return the fields of a row that are bool, int, float or str, or one of these and None.

    Examples
    --------
    >>> from betterthan.results.pairwise import Pair
    >>> field_types(Pair)["verdict"]
    <class 'str'>
    """
    found = {}
    for name, hint in typing.get_type_hints(row_type).items():
        options = typing.get_args(hint) if isinstance(hint, types.UnionType) else (hint,)
        plain = [option for option in options if option is not type(None)]
        if len(plain) == 1 and plain[0] in (bool, int, float, str):
            found[name] = plain[0]
    return found
