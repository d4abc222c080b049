"""Counts: contributions of segments to sums, to which a formula is applied last."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Self

import numpy as np

from betterthan.arrays import FloatArray, read_only, to_json_array
from betterthan.errors import TableError
from betterthan.tables.checks import (
    Frozen,
    at,
    check_shape,
    fields_from,
    flag,
    float_array,
    group_labels,
    labels,
    note_texts,
    positions,
    text,
)
from betterthan.tables.row_order import RowOrder, as_row_order, to_json
from betterthan.tables.scores import Scores, direction_words


@dataclass(frozen=True, slots=True, kw_only=True)
class Formula:
    """A score as a function of summed counts; two formulas of the same name are the same.

    Parameters
    ----------
    name : str
        Such as "BLEU" or "accuracy"; part of signatures.
    pooled : callable
        Maps sums of shape (…, k) to scores of shape (…).
    segment : callable, optional
        The same for single segments where the convention differs (sentence BLEU uses effective order). Defaults to
        `pooled`.
    limits : (float, float), optional
        The smallest and the largest score there can be, at which intervals end. By default they are inferred from the
        scores of the segments.

    Examples
    --------
    >>> accuracy = Formula(name="accuracy", pooled=lambda sums: sums[..., 0] / sums[..., 1])
    >>> accuracy.pooled(np.array([3.0, 4.0]))
    np.float64(0.75)
    """

    name: str
    pooled: Callable[[FloatArray], FloatArray] = field(compare=False)
    segment: Callable[[FloatArray], FloatArray] | None = field(default=None, compare=False)
    limits: tuple[float, float] | None = field(default=None, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "name", text(self.name, what="formula"))
        if not callable(self.pooled) or not (self.segment is None or callable(self.segment)):
            raise TableError(f'The formula "{self.name}" must be made of functions from sums to scores.')

    def of_segments(self, values: FloatArray) -> FloatArray:
        """Apply the formula to segments one by one: (…, k) to (…)."""
        return (self.segment or self.pooled)(values)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Counts(Frozen):
    """Sufficient statistics of m systems on n segments: k additive numbers.

    Corpus- and segment-level aggregation are an explicit choice: :meth:`pooled` sums first and applies the
    formula once; :meth:`per_segment` applies it to each segment.

    Parameters
    ----------
    name : str
        The metric.
    systems, segments : sequence of str
        m and n distinct names.
    values : array_like of float, shape (m, n, k)
        No cell may be missing, because sums need every value.
    columns : sequence of str
        Names of the k numbers.
    formula : Formula
        Maps sums to a score.
    higher_is_better : bool, default True
    groups : sequence of str, optional
        The document of each segment.
    notes : sequence of str
    row_order : RowOrder, optional
        Set by readers of files without ids: segments are then row numbers, and joining tables is checked more strictly.

    Examples
    --------
    >>> accuracy = Formula(name="accuracy", pooled=lambda sums: sums[..., 0] / sums[..., 1])
    >>> counts = Counts(name="accuracy", systems=["A"], segments=["1", "2"], columns=["right", "words"],
    ...                 values=[[[1, 1], [1, 3]]], formula=accuracy)
    >>> counts.pooled()
    array([0.5])
    >>> counts.per_segment().values.round(2)
    array([[1.  , 0.33]])
    """

    name: str
    systems: tuple[str, ...]
    segments: tuple[str, ...]
    values: FloatArray
    columns: tuple[str, ...]
    formula: Formula
    higher_is_better: bool = True
    groups: tuple[str, ...] | None = None
    notes: tuple[str, ...] = ()
    row_order: RowOrder | None = None

    def __post_init__(self) -> None:
        put = object.__setattr__
        put(self, "name", text(self.name, what="metric"))
        put(self, "systems", labels(self.systems, what="system"))
        put(self, "segments", labels(self.segments, what="segment"))
        put(self, "columns", labels(self.columns, what="column"))
        shape = (len(self.systems), len(self.segments), len(self.columns))
        put(
            self,
            "values",
            float_array(self.values, shape=shape, what="Counts (systems × segments × columns)"),
        )
        if np.isnan(self.values).any():
            raise TableError(
                "Counts must not be missing. Leave out the segments without an output, or count 0."
            )
        if not isinstance(self.formula, Formula):
            raise TableError(f"formula must be a Formula, not {type(self.formula).__name__}.")
        put(self, "higher_is_better", flag(self.higher_is_better, what="higher_is_better"))
        put(self, "groups", group_labels(self.groups, n_segments=len(self.segments)))
        put(self, "notes", note_texts(self.notes, system=self.systems))
        put(self, "row_order", as_row_order(self.row_order))

    @property
    def n_systems(self) -> int:
        """Number of systems, m."""
        return len(self.systems)

    @property
    def n_segments(self) -> int:
        """Number of segments, n."""
        return len(self.segments)

    @property
    def direction(self) -> str:
        """The direction in words, as in :attr:`Scores.direction`."""
        return direction_words(higher=self.higher_is_better)

    @property
    def digest(self) -> str:
        """Eight hexadecimal digits that change whenever a label, a count or the formula's name does."""
        labelled = (self.name, self.systems, self.segments, self.columns, self.formula.name)
        return self._kept_digest(labelled, self.values, self.higher_is_better, self.groups)

    def pooled(self) -> FloatArray:
        """Return the score of each system's summed counts, shape (m,): corpus-level aggregation."""
        pooled = np.asarray(self.formula.pooled(self.values.sum(axis=1)), dtype=np.float64)
        check_shape(pooled, shape=(self.n_systems,), what=f"Scores made by the formula {self.formula.name}")
        return pooled

    def per_segment(self) -> Scores:
        """Return the score of each segment: segment-level aggregation."""
        return Scores(
            name=self.name,
            systems=self.systems,
            segments=self.segments,
            values=self.formula.of_segments(self.values),
            higher_is_better=self.higher_is_better,
            groups=self.groups,
            notes=self.notes,
            row_order=self.row_order,
        )

    def select(self, systems: Sequence[str] | None = None, segments: Sequence[str] | None = None) -> Self:
        """Return the table of these systems and segments, in this order."""
        rows = positions(systems, self.systems, what="system")
        columns = positions(segments, self.segments, what="segment")
        names = at(rows, self.systems), at(columns, self.segments)
        if names == (self.systems, self.segments):  # tables are immutable, so no copy is needed
            return self
        return replace(
            self,
            systems=names[0],
            segments=names[1],
            values=read_only(self.values[np.ix_(rows, columns)]),
            groups=None if self.groups is None else at(columns, self.groups),
        )

    def to_dict(self) -> dict[str, Any]:
        """Return plain JSON-able data; the formula is kept by name."""
        return {
            "kind": "counts",
            "name": self.name,
            "systems": list(self.systems),
            "segments": list(self.segments),
            "values": to_json_array(self.values),
            "columns": list(self.columns),
            "formula": self.formula.name,
            "higher_is_better": self.higher_is_better,
            "groups": None if self.groups is None else list(self.groups),
            "notes": list(self.notes),
            "row_order": to_json(self.row_order),
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any], *, formula: Formula) -> Self:
        """Make the table from :meth:`to_dict`'s data and the formula of that name."""
        fields = fields_from(data, cls, kind="counts")
        if fields["formula"] != formula.name:
            raise TableError(f'The counts need the formula "{fields["formula"]}", not "{formula.name}".')
        return cls(**{**fields, "formula": formula})

    def __repr__(self) -> str:
        size = f"{self.n_systems} systems × {self.n_segments:,} segments × {len(self.columns)} counts"
        return f"Counts({self.name!r}, {size}, formula {self.formula.name})"
