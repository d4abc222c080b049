"""Scores: one number for each system on each segment."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, Self

import numpy as np

from betterthan.arrays import FloatArray, digest, from_json_array, read_only, to_json_array
from betterthan.errors import MissingScores, some_of
from betterthan.tables.checks import float_array, group_labels, labels, positions


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Scores:
    """Scores of m systems on the same n segments by one metric (or by people).

    Parameters
    ----------
    name : str
        The metric.
    systems : sequence of str
        m distinct names.
    segments : sequence of str
        n distinct ids; the pairing of systems is by these.
    values : array_like of float, shape (m, n)
        NaN where a score is missing; infinite numbers are refused.
    higher_is_better : bool, default True
        Direction of the metric. Verbs read only :attr:`goodness`.
    groups : sequence of str, shape (n,), optional
        The document (or session, or any cluster) of each segment.
    notes : sequence of str
        What was said while the table was made, such as dropped rows.

    Examples
    --------
    >>> scores = Scores(name="TER", systems=["A", "B"], segments=["1", "2"],
    ...                 values=[[10.0, 30.0], [20.0, float("nan")]], higher_is_better=False)
    >>> scores.goodness
    array([[-10., -30.],
           [-20.,  nan]])
    >>> scores.n_missing
    1
    """

    name: str
    systems: tuple[str, ...]
    segments: tuple[str, ...]
    values: FloatArray
    higher_is_better: bool = True
    groups: tuple[str, ...] | None = None
    notes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        put = object.__setattr__
        put(self, "systems", labels(self.systems, what="system"))
        put(self, "segments", labels(self.segments, what="segment"))
        shape = (len(self.systems), len(self.segments))
        put(self, "values", float_array(self.values, shape=shape, what="Scores (systems × segments)"))
        put(self, "groups", group_labels(self.groups, n_segments=len(self.segments)))
        put(self, "notes", tuple(self.notes))

    @property
    def n_systems(self) -> int:
        """Number of systems, m."""
        return len(self.systems)

    @property
    def n_segments(self) -> int:
        """Number of segments, n."""
        return len(self.segments)

    @property
    def n_missing(self) -> int:
        """Number of empty cells."""
        return int(np.isnan(self.values).sum())

    @property
    def goodness(self) -> FloatArray:
        """The values, negated when lower is better, so that more is always better."""
        return self.values if self.higher_is_better else read_only(-self.values)

    @property
    def digest(self) -> str:
        """Eight hexadecimal digits that change whenever a label, a value or the direction does."""
        return digest(self.name, self.systems, self.segments, self.values, self.higher_is_better, self.groups)

    def select(self, systems: Sequence[str] | None = None, segments: Sequence[str] | None = None) -> Self:
        """Return the table of these systems and segments, in this order.

        Examples
        --------
        >>> scores = Scores(name="m", systems=["A", "B"], segments=["1", "2"], values=[[1, 2], [3, 4]])
        >>> scores.select(["B"], ["2", "1"]).values
        array([[4., 3.]])
        """
        rows = positions(systems if systems is not None else self.systems, self.systems, what="system")
        columns = positions(
            segments if segments is not None else self.segments, self.segments, what="segment"
        )
        return replace(
            self,
            systems=tuple(self.systems[i] for i in rows),
            segments=tuple(self.segments[i] for i in columns),
            values=self.values[np.ix_(rows, columns)],
            groups=None if self.groups is None else tuple(self.groups[i] for i in columns),
        )

    def complete(self, *, missing: Literal["raise", "drop"] = "raise") -> Self:
        """Return the table without empty cells.

        Parameters
        ----------
        missing : {"raise", "drop"}, default "raise"
            * "raise": refuse a table with empty cells.
            * "drop": leave out, for all systems, the segments with an empty cell, and say so in the notes.

        Raises
        ------
        MissingScores
            When cells are empty and `missing` is "raise", or when no complete segment is left.
        """
        gaps = np.isnan(self.values)
        if not gaps.any():
            return self
        if missing == "raise":
            raise MissingScores(
                f"{gaps.sum()} of {gaps.size} scores are missing ({self._gap_places(gaps)}). "
                f'Pass missing="drop" to leave these segments out for all systems.'
            )
        keep = np.flatnonzero(~gaps.any(axis=0))
        if keep.size == 0:
            raise MissingScores(
                f'No segment of "{self.name}" has a score from every system ({self._gap_places(gaps)}). '
                f"Leave out the systems with the most gaps."
            )
        dropped = self.n_segments - keep.size
        note = (
            f"{dropped} of {self.n_segments} segments left out for all systems, "
            f"because {gaps.sum()} scores are missing."
        )
        kept = self.select(segments=[self.segments[i] for i in keep])
        return replace(kept, notes=(*self.notes, note))

    def _gap_places(self, gaps: np.ndarray[Any, np.dtype[np.bool_]]) -> str:
        places = [
            f"{self.systems[i]}: segments {some_of([self.segments[j] for j in np.flatnonzero(gaps[i])])}"
            for i in np.flatnonzero(gaps.any(axis=1))
        ]
        return some_of(places, limit=3) if len(places) <= 3 else "; ".join(places[:3]) + "; …"

    def to_dict(self) -> dict[str, Any]:
        """Return plain JSON-able data; missing scores become None."""
        return {
            "kind": "scores",
            "name": self.name,
            "systems": list(self.systems),
            "segments": list(self.segments),
            "values": to_json_array(self.values),
            "higher_is_better": self.higher_is_better,
            "groups": None if self.groups is None else list(self.groups),
            "notes": list(self.notes),
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        """Make the table from :meth:`to_dict`'s data."""
        fields = {key: value for key, value in data.items() if key != "kind"}
        return cls(**{**fields, "values": from_json_array(data["values"], ndim=2)})

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Scores) and self.to_dict() == other.to_dict()

    def __hash__(self) -> int:
        return hash(self.digest)

    def __repr__(self) -> str:
        arrow = "higher" if self.higher_is_better else "lower"
        gaps = f", {self.n_missing} missing" if self.n_missing else ""
        size = f"{self.n_systems} systems × {self.n_segments} segments"
        return f"Scores({self.name!r}, {size}, {arrow} is better{gaps})"
