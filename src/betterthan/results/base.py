"""Common base of all results: JSON, data frames, and display in notebooks.

JSON is driven by the dataclasses' own types.
"""

from __future__ import annotations

import dataclasses
import json
import math
import os
import re
import types
import typing
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar, Literal, Self, Union

import numpy as np

from betterthan.arrays import BoolArray, FloatArray, IntArray, from_json_array, read_only, to_json_array
from betterthan.errors import BetterThanError, unknown_name
from betterthan.results.frames import frame_of, type_of_column
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
