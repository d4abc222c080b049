"""Common base of all results: rows, JSON, data frames, and display in notebooks.

JSON and the columns of a data frame are driven by the dataclasses' own types. A result is a collection of its rows:
``len``, iteration, ``result["A"]``, ``result[0]`` and ``in``.
"""

from __future__ import annotations

import dataclasses
import importlib
import json
import math
import os
import re
import types
import typing
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, ClassVar, Generic, Literal, Self, TypeVar, Union

import numpy as np

from betterthan.arrays import BoolArray, FloatArray, IntArray, from_json_array, read_only, to_json_array
from betterthan.errors import BetterThanError, NotEstimable, unknown_name
from betterthan.results.registry import RESULT_KINDS, load
from betterthan.results.settings import Settings

# DEL, the second block of control characters, Unicode line separators, and marks that change the direction of the text:
# JSON escapes none of them by itself.
_CONTROL_CHARACTERS = re.compile("[\x7f-\x9f\u2028-\u202e\u2066-\u2069]")


def json_text(data: object, *, indent: int | None = None, separators: tuple[str, str] | None = None) -> str:
    r"""Return strict JSON: letters of any language are not escaped, control characters are.

    Escaping is lossless.

    Examples
    --------
    >>> print(json_text({"a": "é\x9b2J"}))
    {"a": "é\u009b2J"}
    """
    text = json.dumps(data, allow_nan=False, ensure_ascii=False, indent=indent, separators=separators)
    return _CONTROL_CHARACTERS.sub(lambda match: f"\\u{ord(match[0]):04x}", text)


def encode(value: object) -> Any:  # noqa: ANN401  (JSON is any of several types)
    """Return `value` as plain JSON data; NaN becomes None, and infinity the text "Infinity" or "-Infinity".

    Examples
    --------
    >>> encode((1.0, float("nan"), np.int64(3), -np.inf))
    [1.0, None, 3, '-Infinity']
    """
    if isinstance(value, np.ndarray):
        plain = to_json_array(value)
        return encode(plain) if value.dtype.kind == "f" and np.isinf(value).any() else plain
    if dataclasses.is_dataclass(value):
        return {f.name: encode(getattr(value, f.name)) for f in dataclasses.fields(value)}
    if isinstance(value, Mapping):
        return {key: encode(item) for key, item in value.items()}
    if isinstance(value, tuple | list):
        return [encode(item) for item in value]
    plain = value.item() if isinstance(value, np.generic) else value
    if not isinstance(plain, float) or math.isfinite(plain):
        return plain
    return None if math.isnan(plain) else "Infinity" if plain > 0 else "-Infinity"


def decode(value: Any, hint: Any) -> Any:  # noqa: ANN401
    """Convert JSON data to the type `hint`; the inverse of :func:`encode`.

    Examples
    --------
    >>> decode([1.0, None], FloatArray)
    array([ 1., nan])
    """
    if hint in _ARRAYS:
        return read_only(
            from_json_array(value) if hint == FloatArray else np.array(value, dtype=_ARRAYS[hint])
        )
    origin, arguments = typing.get_origin(hint), typing.get_args(hint)
    if origin in (Union, types.UnionType):
        return _decode_union(value, arguments)
    if origin is tuple:
        many = arguments[-1] is Ellipsis
        hints = [arguments[0]] * len(value) if many else arguments
        return tuple(decode(item, inner) for item, inner in zip(value, hints, strict=True))
    if origin in (dict, Mapping):
        return {key: decode(item, arguments[1]) for key, item in value.items()}
    if dataclasses.is_dataclass(hint):
        return decode_fields(value, typing.cast("type[Any]", hint))
    return _number(value) if hint is float else value


def _number(value: Any) -> float:  # noqa: ANN401
    return math.nan if value is None else float(value)


def decode_fields(data: Mapping[str, Any], kind: type[Any]) -> Any:  # noqa: ANN401
    """Make a dataclass from a mapping of its fields; unknown keys are an error of the caller."""
    hints = typing.get_type_hints(kind)
    names = [f.name for f in dataclasses.fields(kind) if f.name in data]
    return kind(**{name: decode(data[name], hints[name]) for name in names})


def _decode_union(value: Any, arguments: tuple[Any, ...]) -> Any:  # noqa: ANN401
    if value is None:
        return None
    others = [argument for argument in arguments if argument is not type(None)]
    return decode(value, others[0]) if len(others) == 1 else value


_ARRAYS: dict[Any, Any] = {FloatArray: np.float64, IntArray: np.int64, BoolArray: np.bool_}


SCHEMA = "betterthan.result/1"


class Result(ABC):
    """A frozen result with `settings` and `notes`.

    A subclass is a frozen dataclass with a `kind`; its fields are the JSON's fields. :meth:`columns` gives
    its tidy table, which becomes a data frame, CSV and JSON lines.

    Examples
    --------
    >>> import betterthan as bt
    >>> ranking = bt.rank({"A": [1, 2, 3], "B": [2, 4, 4]})
    >>> Result.from_json(ranking.to_json())
    Ranking(by mean, 2 systems: B > A)
    """

    __slots__ = ()
    kind: ClassVar[str]
    settings: Settings
    notes: tuple[str, ...]

    def __post_init__(self) -> None:
        for field in dataclasses.fields(self):  # type: ignore[arg-type]  # every subclass is a dataclass
            value = getattr(self, field.name)
            if isinstance(value, np.ndarray) and (value.flags.writeable or value.base is not None):
                object.__setattr__(self, field.name, read_only(value.copy()))

    @abstractmethod
    def columns(self) -> dict[str, Sequence[Any]]:
        """Return the tidy table behind this result: name of column to values."""

    def to_dict(self) -> dict[str, Any]:
        """Return plain JSON-able data: schema, kind, method, fields, signature; missing is None."""
        head = {"schema": SCHEMA, "kind": self.kind, "method": self.settings.method}
        return {**head, **encode(self), "signature": self.settings.signature}

    def to_json(self) -> str:
        """Return :meth:`to_dict` as strict JSON text."""
        return json_text(self.to_dict(), indent=2)

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        """Make a result from :meth:`to_dict`'s data.

        ``Result.from_dict`` accepts any kind of result; ``Ranking.from_dict`` only rankings.

        Examples
        --------
        >>> import betterthan as bt
        >>> ranking = bt.rank(bt.read_scores({"A": [1.0, 3.0, 2.0], "B": [2.0, 1.0, 0.0]}))
        >>> bt.Result.from_dict(ranking.to_dict()) == ranking
        True
        """
        if not isinstance(data, Mapping) or data.get("schema") != SCHEMA:
            schema = data.get("schema") if isinstance(data, Mapping) else None
            raise BetterThanError(f'This is not a result: its schema is {schema!r}, not "{SCHEMA}".')
        kind = str(data.get("kind"))
        if kind not in RESULT_KINDS:
            raise unknown_name("kind of result", kind, RESULT_KINDS)
        kind_class = load(RESULT_KINDS[kind].result)
        if not issubclass(kind_class, cls):
            raise BetterThanError(
                f"This is a {kind_class.__name__}, not a {cls.__name__}. Result.from_json reads results of any kind."
            )
        try:
            result: Self = decode_fields(data, kind_class)
        except (TypeError, ValueError, AttributeError, LookupError) as error:
            raise BetterThanError(f"This {kind_class.__name__} cannot be read: {error}.") from error
        return result

    @classmethod
    def from_json(cls, source: str | bytes | os.PathLike[str]) -> Self:
        """Read a result from the text that :meth:`to_json` returns, or from a file that holds it.

        ``Result.from_json`` accepts any kind of result; ``Ranking.from_json`` only rankings.

        Parameters
        ----------
        source : str, bytes or pathlib.Path
            JSON text, or the path of a file; a path must be a :class:`pathlib.Path`, because a str is read as text.

        Examples
        --------
        >>> import betterthan as bt
        >>> ranking = bt.rank(bt.read_scores({"A": [1.0, 3.0, 2.0], "B": [2.0, 1.0, 0.0]}))
        >>> bt.Result.from_json(ranking.to_json())
        Ranking(by mean, 2 systems: A > B)
        """
        text = source if isinstance(source, str | bytes) else Path(source).read_text(encoding="utf-8")
        try:
            data = json.loads(text)
        except ValueError as error:
            raise BetterThanError(
                f"This is not JSON ({error}). To read a file, pass its path: Result.from_json(Path(...))."
            ) from error
        return cls.from_dict(data)

    def column_types(self) -> dict[str, type]:
        """Return the type of each of :meth:`columns`: bool, int, float or str.

        Missing values (NaN and None) are ignored; an empty column has its declared type.

        Examples
        --------
        >>> import betterthan as bt
        >>> ranking = bt.rank(bt.read_scores({"A": [1.0, 3.0, 2.0], "B": [2.0, 1.0, 0.0]}))
        >>> [ranking.column_types()[name].__name__ for name in ("rank", "system", "strength")]
        ['int', 'str', 'float']
        """
        return self._types_of(self.columns())

    def _types_of(self, columns: Mapping[str, Sequence[Any]]) -> dict[str, type]:
        return {name: type_of_column(values) for name, values in columns.items()}

    def to_frame(self, backend: Literal["pandas", "polars", "pyarrow"] = "pandas") -> Any:  # noqa: ANN401  (a frame of the caller's library)
        """Return :meth:`columns` as a data frame of "pandas", "polars" or "pyarrow".

        Columns keep their types. Missing values are NaN (or None in a column of text) in
        pandas, and null in polars and pyarrow.

        Examples
        --------
        >>> import betterthan as bt
        >>> ranking = bt.rank(bt.read_scores({"A": [1.0, 3.0, 2.0], "B": [2.0, 1.0, 0.0]}))
        >>> ranking.to_frame()["system"].tolist()
        ['A', 'B']
        """
        columns = self.columns()
        return frame_of(columns, self._types_of(columns), backend)

    def plot(self, kind: str | None = None, **options: Any) -> Any:  # noqa: ANN401  (an Altair chart)
        """Draw the result; needs ``pip install 'betterthan[charts]'``.

        Parameters
        ----------
        kind : str, optional
            A chart other than the default of this kind of result.
        **options
            As in :func:`betterthan.chart`, such as ``theme="dark"``.

        Returns
        -------
        altair.Chart
            Or another chart type of Altair; displayed automatically in a notebook.

        Examples
        --------
        >>> import betterthan as bt
        >>> ranking = bt.rank(bt.read_scores({"A": [1.0, 3.0, 2.0], "B": [2.0, 1.0, 0.0]}))
        >>> ranking.plot().to_dict()["title"]["text"]
        'Ranking by mean'
        """
        from betterthan.present.charts.chart import chart

        return chart(self, kind, **options)

    def _repr_html_(self) -> str:
        from betterthan.present.renderers.render import render

        return render(self, "html")

    def _repr_markdown_(self) -> str:
        from betterthan.present.renderers.render import render

        return render(self, "markdown")

    def _repr_latex_(self) -> str:
        from betterthan.present.renderers.render import render

        return render(self, "latex")

    def __str__(self) -> str:
        from betterthan.present.renderers.render import render

        return render(self, "table")

    def __bool__(self) -> bool:
        return True  # true also without any rows

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Result) and self.to_dict() == other.to_dict()

    def __hash__(self) -> int:
        return hash(self.settings.signature)


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
