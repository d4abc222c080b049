"""Scores: one number for each system on each segment."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, Self

import numpy as np

from betterthan.arrays import BoolArray, FloatArray, read_only, to_json_array
from betterthan.errors import MissingScores, ReadError, TableError, some_of, unknown_name
from betterthan.messages import COLUMN, Message, Option
from betterthan.tables.checks import (
    Frozen,
    at,
    fields_from,
    flag,
    float_array,
    group_labels,
    labels,
    look_alikes,
    note_texts,
    positions,
    text,
)
from betterthan.tables.row_order import RowOrder, as_row_order, to_json


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Scores(Frozen):
    """Scores of m systems on the same n segments by one metric (or human judgments).

    Parameters
    ----------
    name : str
        The metric.
    systems : sequence of str
        m distinct names.
    segments : sequence of str
        n distinct ids; the pairing of systems is by these.
    values : array_like of float, shape (m, n)
        NaN where a score is missing; infinite numbers are an error.
    higher_is_better : bool, default True
        Direction of the metric. Verbs read only :attr:`goodness`.
    groups : sequence of str, shape (n,), optional
        The document (or session, or any cluster) of each segment.
    notes : sequence of str
        Notes, such as dropped rows.
    row_order : RowOrder, optional
        Set by readers of files without ids: segments are then the numbers of rows, and tables are joined with care.
    direction_doubt : str, optional
        Why the direction is unclear, and how to set it; :attr:`goodness` then raises an error.

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
    row_order: RowOrder | None = None
    direction_doubt: str = ""

    def __post_init__(self) -> None:
        put = object.__setattr__
        put(self, "name", text(self.name, what="metric"))
        put(self, "systems", labels(self.systems, what="system"))
        put(self, "segments", labels(self.segments, what="segment"))
        shape = (len(self.systems), len(self.segments))
        put(self, "values", float_array(self.values, shape=shape, what="Scores (systems × segments)"))
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
    def n_missing(self) -> int:
        """Number of empty cells."""
        return int(np.isnan(self.values).sum())

    @property
    def is_binary(self) -> bool:
        """Whether the scores are only 0 and 1, right or wrong, and both occur; missing scores are neither.

        Examples
        --------
        >>> Scores(name="m", systems=["A", "B"], segments=["1", "2"], values=[[1, 0], [1, np.nan]]).is_binary
        True
        """
        for values in (self.values[:1, :64], self.values):  # a glance settles nearly all other tables
            if not ((values == 0) | (values == 1) | np.isnan(values)).all():
                return False
        return bool((self.values == 0).any() and (self.values == 1).any())  # all 1 could be any score

    @property
    def sign(self) -> float:
        """Sign of the direction: 1, or -1 when lower is better.

        Raises
        ------
        ReadError
            When it is not clear which direction is better (BT220).
        """
        if self.direction_doubt:
            raise ReadError(self.direction_doubt, code="BT220")
        return 1.0 if self.higher_is_better else -1.0

    @property
    def goodness(self) -> FloatArray:
        """The values, negated when lower is better, so that higher is always better.

        Raises
        ------
        ReadError
            When it is not clear which direction is better (BT220).
        """
        # Subtracted from zero, because negation would turn 0 into -0.
        return self.values if self.sign > 0 else read_only(0.0 - self.values)

    @property
    def direction(self) -> str:
        """The direction in words: "higher is better", "lower is better" or "direction not clear"."""
        return direction_words(higher=self.higher_is_better, doubt=self.direction_doubt)

    @property
    def digest(self) -> str:
        """Eight hexadecimal digits that change whenever a label, a value or the direction does."""
        return self._kept_digest(
            self.name, self.systems, self.segments, self.values, self.higher_is_better, self.groups
        )

    def select(self, systems: Sequence[str] | None = None, segments: Sequence[str] | None = None) -> Self:
        """Return the table of these systems and segments, in this order.

        Examples
        --------
        >>> scores = Scores(name="m", systems=["A", "B"], segments=["1", "2"], values=[[1, 2], [3, 4]])
        >>> scores.select(["B"], ["2", "1"]).values
        array([[4., 3.]])
        """
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

    def complete(self, *, missing: Literal["raise", "drop"] = "raise") -> Self:
        """Return the table without empty cells.

        Parameters
        ----------
        missing : {"raise", "drop"}, default "raise"
            * "raise": raise an error when scores are missing.
            * "drop": leave out, for all systems, the segments with a missing score, with a note.

        Raises
        ------
        MissingScores
            When cells are empty and `missing` is "raise", or when no complete segment is left.
        UnknownName
            When `missing` is something else.
        """
        if missing not in {"raise", "drop"}:
            raise unknown_name("treatment of missing scores", missing, ["raise", "drop"])
        gaps = np.isnan(self.values)
        if not gaps.any():
            return self
        if missing == "raise":
            raise MissingScores(
                Message(
                    "{n_missing} of {n_scores} scores {are} missing ({places}). "
                    "Use {fix} to leave these segments out for all systems.{alike}",
                    severity="error",
                    n_missing=gaps.sum(),
                    n_scores=gaps.size,
                    are="is" if gaps.sum() == 1 else "are",
                    places=self._gap_places(gaps),
                    fix=Option("missing", "drop"),
                    alike=self._alike(),
                )
            )
        keep = np.flatnonzero(~gaps.any(axis=0))
        if keep.size == 0:
            raise MissingScores(
                f'No segment of "{self.name}" has a score from every system ({self._gap_places(gaps)}). '
                f"Leave out the systems with the most gaps.{self._alike()}"
            )
        dropped = self.n_segments - keep.size
        note = (
            f"{dropped:,} of {self.n_segments:,} segments left out for all systems, "
            f"because {gaps.sum()} score{' is' if gaps.sum() == 1 else 's are'} missing."
        )
        kept = self.select(segments=[self.segments[i] for i in keep])
        return replace(kept, notes=(*self.notes, note))

    def by_group(self) -> Self:
        """Return the table of documents: the mean of each group's segments, over the available scores.

        Groups become the segments, in the order of their first appearance.

        Raises
        ------
        TableError
            When the table has no groups.

        Examples
        --------
        >>> scores = Scores(name="m", systems=["A"], segments=["1", "2", "3"], values=[[1, 2, 6]],
        ...                 groups=["x", "x", "y"])
        >>> scores.by_group().segments, scores.by_group().values
        (('x', 'y'), array([[1.5, 6. ]]))
        """
        if self.groups is None:
            raise TableError(
                Message(
                    '"{name}" has no groups (documents) to average over. Name their column with {group} '
                    "when you read it.",
                    name=self.name,
                    group=Option("group", COLUMN),
                )
            )
        names = tuple(dict.fromkeys(self.groups))
        place: dict[str, list[int]] = {name: [] for name in names}
        for i, group in enumerate(self.groups):
            place[group].append(i)
        # Exactly rounded sums, so that equal scores in another order have equal means.
        means = [[_exact_mean(row[place[name]]) for name in names] for row in self.values]
        values = np.array(means, dtype=np.float64)
        return replace(self, segments=names, values=read_only(values), groups=None, row_order=None)

    def _alike(self) -> str:
        """One system under two names has missing scores under both."""
        return "".join(f" {note}" for note in look_alikes(self.systems, what="system"))

    def _gap_places(self, gaps: BoolArray) -> str:
        rows = np.flatnonzero(gaps.any(axis=1))
        places = [
            f"{self.systems[i]}: segments {some_of(at(np.flatnonzero(gaps[i]), self.segments))}"
            for i in rows[:3]
        ]
        return "; ".join(places) + ("; …" if rows.size > 3 else "")

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
            "row_order": to_json(self.row_order),
            "direction_doubt": self.direction_doubt,
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        """Make the table from :meth:`to_dict`'s data."""
        return cls(**fields_from(data, cls, kind="scores"))

    def __repr__(self) -> str:
        gaps = f", {self.n_missing} missing" if self.n_missing else ""
        size = f"{self.n_systems} systems × {self.n_segments:,} segments"
        return f"Scores({self.name!r}, {size}, {self.direction}{gaps})"


def direction_words(*, higher: bool, doubt: str = "") -> str:
    """Return a direction in words, as tables and readers show it."""
    return "direction not clear" if doubt else f"{'higher' if higher else 'lower'} is better"


def _exact_mean(values: FloatArray) -> float:
    """Mean of the available values, from their exact sum."""
    known = values[~np.isnan(values)]
    return math.fsum(known.tolist()) / known.size if known.size else math.nan
