"""Results as JSON and back, driven by the dataclasses' own types."""

from __future__ import annotations

import dataclasses
import json
import math
import re
import types
import typing
from collections.abc import Mapping
from typing import Any, Union

import numpy as np

from betterthan.arrays import BoolArray, FloatArray, IntArray, from_json_array, read_only, to_json_array

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
