"""The part that all results share: JSON and back, frames, and how they show themselves in notebooks.

JSON is driven by the dataclasses' own types.
"""

from __future__ import annotations

import dataclasses
import importlib
import json
import math
import re
import types
import typing
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Literal, Union

import numpy as np

from betterthan.arrays import BoolArray, FloatArray, IntArray, from_json_array, read_only, to_json_array
from betterthan.errors import BetterThanError, unknown_name
from betterthan.results.settings import Settings

# DEL, the second block of control characters, line ends of Unicode, and what turns the direction of the text: JSON
# escapes none of them by itself.
_STEERING = re.compile("[\x7f-\x9f\u2028-\u202e\u2066-\u2069]")


def json_text(data: object, *, indent: int | None = None, separators: tuple[str, str] | None = None) -> str:
    r"""Return strict JSON in which letters of any language stand as they are and no character steers a terminal.

    Nothing is lost: what is escaped is the same text when it is read back.

    Examples
    --------
    >>> print(json_text({"a": "é\x9b2J"}))
    {"a": "é\u009b2J"}
    """
    text = json.dumps(data, allow_nan=False, ensure_ascii=False, indent=indent, separators=separators)
    return _STEERING.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def encode(value: object) -> Any:  # noqa: ANN401  (JSON is any of several types)
    """Return `value` as plain JSON data; NaN becomes None.

    Examples
    --------
    >>> encode((1.0, float("nan"), np.int64(3)))
    [1.0, None, 3]
    """
    if isinstance(value, np.ndarray):
        return to_json_array(value)
    if dataclasses.is_dataclass(value):
        return {f.name: encode(getattr(value, f.name)) for f in dataclasses.fields(value)}
    if isinstance(value, Mapping):
        return {key: encode(item) for key, item in value.items()}
    if isinstance(value, tuple | list):
        return [encode(item) for item in value]
    plain = value.item() if isinstance(value, np.generic) else value
    return None if isinstance(plain, float) and math.isnan(plain) else plain


def decode(value: Any, hint: Any) -> Any:  # noqa: ANN401
    """Return JSON data as the type `hint` asks for; the inverse of :func:`encode`.

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
    return math.nan if hint is float and value is None else value


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
_KINDS: dict[str, type[Result]] = {}
# Where the kinds live: a result may be read back before its module was ever needed.
_HOMES = {
    "aggregated": "agreement",
    "agreement": "agreement",
    "audition": "tags",
    "checkup": "checkup",
    "counts_explanation": "explanation",
    "diagnosis": "checkup",
    "explanation": "explanation",
    "meta_evaluation": "meta_evaluation",
    "identical_outputs": "human",
    "judges": "human",
    "kept_pairs": "human",
    "pairwise": "pairwise",
    "ranking": "ranking",
    "sentence_quality": "tags",
    "study": "study",
    "tag_ranking": "tags",
}


class Result(ABC):
    """A frozen finding with `settings` and `notes`.

    A subclass is a frozen dataclass with a `kind`; its fields are the JSON's fields. :meth:`columns` gives
    its tidy table, which becomes a data frame, CSV and JSON lines.
    """

    __slots__ = ()
    kind: ClassVar[str]
    settings: Settings
    notes: tuple[str, ...]

    def __init_subclass__(cls, **options: object) -> None:
        super().__init_subclass__(**options)
        if "kind" in cls.__dict__:
            _KINDS[cls.kind] = cls

    def __post_init__(self) -> None:
        for field in dataclasses.fields(self):  # type: ignore[arg-type]  # every subclass is a dataclass
            value = getattr(self, field.name)
            if isinstance(value, np.ndarray):
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

    @staticmethod
    def from_dict(data: Mapping[str, Any]) -> Result:
        """Make a result from :meth:`to_dict`'s data, of whichever kind it is."""
        if data.get("schema") != SCHEMA:
            raise BetterThanError(
                f'This is not a result: its schema is {data.get("schema")!r}, not "{SCHEMA}".'
            )
        kind = str(data.get("kind"))
        if kind in _HOMES:
            importlib.import_module(f"betterthan.results.{_HOMES[kind]}")
        if kind not in _KINDS:
            raise unknown_name("kind of result", kind, _HOMES)
        result: Result = decode_fields(data, _KINDS[kind])
        return result

    def to_frame(self, backend: Literal["pandas", "polars", "pyarrow"] = "pandas") -> Any:  # noqa: ANN401  (a frame of the caller's library)
        """Return :meth:`columns` as a data frame of "pandas", "polars" or "pyarrow"."""
        import narwhals as nw

        values = {name: list(values) for name, values in self.columns().items()}
        return nw.from_dict(values, backend=backend).to_native()

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

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Result) and self.to_dict() == other.to_dict()

    def __hash__(self) -> int:
        return hash(self.settings.signature)
