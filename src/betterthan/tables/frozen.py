"""Base of all tables: immutable, also when compared, copied and pickled."""

from __future__ import annotations

import inspect
from abc import abstractmethod
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from betterthan.arrays import digest, read_only
from betterthan.errors import TableError, some_of


class Frozen:
    """The base of every table: equality by content, a hash, and copies as read-only as the original."""

    __slots__: tuple[str, ...] = ("_digest",)

    _digest: str

    @property
    @abstractmethod
    def digest(self) -> str:
        """Eight hexadecimal digits for the content, without notes."""

    def _kept_digest(self, *content: object) -> str:
        """The digest of the content, computed when it is first needed; tables do not change."""
        if not hasattr(self, "_digest"):
            object.__setattr__(self, "_digest", digest(*content))
        return self._digest

    def __eq__(self, other: object) -> bool:
        if type(other) is not type(self):
            return NotImplemented
        return all(_same(getattr(self, name), getattr(other, name)) for name in self.__slots__)

    def __hash__(self) -> int:
        return hash(self.digest)

    def _repr_html_(self) -> str:
        # Imported when a notebook shows the table, never before: data does not know how it is presented.
        from betterthan.present.renderers.html import render_html  # noqa: PLC0415
        from betterthan.present.tables.inputs import input_table  # noqa: PLC0415

        return render_html(input_table(self))  # type: ignore[arg-type]  # every table is one of them

    def __reduce__(self) -> tuple[Callable[..., object], tuple[object, ...]]:
        # Pickling loses the read-only flag of NumPy arrays, so it is set again.
        return _restored, (type(self), {name: getattr(self, name) for name in self.__slots__})


def _same(one: object, other: object) -> bool:
    if isinstance(one, np.ndarray) and isinstance(other, np.ndarray):
        return np.array_equal(one, other, equal_nan=one.dtype.kind == "f")
    return type(one) is type(other) and one == other


def _restored(table: type[Frozen], content: Mapping[str, object]) -> Frozen:
    made = object.__new__(table)
    for name, value in content.items():
        object.__setattr__(made, name, read_only(value) if isinstance(value, np.ndarray) else value)
    return made


def fields_from(data: Mapping[str, Any], table: type[Frozen], *, kind: str) -> dict[str, Any]:
    """Return the arguments that make `table` from the data of its ``to_dict``, or say what does not fit."""
    if not isinstance(data, Mapping):
        raise TableError(f'A table of kind "{kind}" is made from a dictionary, not {type(data).__name__}.')
    found = data.get("kind", kind)
    if found != kind:
        raise TableError(f'The data is of kind "{found}", but "{kind}" is needed.')
    known = inspect.signature(table).parameters
    unknown = [str(name) for name in data if name != "kind" and name not in known]
    if unknown:
        raise TableError(
            f'A table of kind "{kind}" has no field {some_of(unknown)}. Known: {", ".join(known)}.'
        )
    lacking = [name for name, one in known.items() if one.default is one.empty and name not in data]
    if lacking:
        raise TableError(f'The data of kind "{kind}" lacks {some_of(lacking)}.')
    return {name: value for name, value in data.items() if name != "kind"}
