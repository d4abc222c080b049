"""The part that all results share: JSON and back, frames, and how they show themselves in notebooks."""

from __future__ import annotations

import dataclasses
import importlib
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Literal

import numpy as np

from betterthan.arrays import read_only
from betterthan.errors import BetterThanError, unknown_name
from betterthan.results.jsonable import decode_fields, encode, json_text
from betterthan.results.settings import Settings

SCHEMA = "betterthan.result/1"
_KINDS: dict[str, type[Result]] = {}
# Where the kinds live: a result may be read back before its module was ever needed.
_HOMES = {
    "aggregated": "aggregated",
    "agreement": "agreement",
    "audition": "audition",
    "checkup": "checkup",
    "counts_explanation": "counts_explanation",
    "diagnosis": "diagnosis",
    "explanation": "explanation",
    "meta_evaluation": "meta_evaluation",
    "identical_outputs": "identical_outputs",
    "judges": "judges",
    "kept_pairs": "kept_pairs",
    "pairwise": "pairwise",
    "ranking": "ranking",
    "sentence_quality": "sentence_quality",
    "study": "study",
    "tag_ranking": "tag_ranking",
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
        from betterthan.present.render import render

        return render(self, "html")

    def _repr_markdown_(self) -> str:
        from betterthan.present.render import render

        return render(self, "markdown")

    def _repr_latex_(self) -> str:
        from betterthan.present.render import render

        return render(self, "latex")

    def __str__(self) -> str:
        from betterthan.present.render import render

        return render(self, "table")

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Result) and self.to_dict() == other.to_dict()

    def __hash__(self) -> int:
        return hash(self.settings.signature)
