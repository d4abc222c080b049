"""Resampling units: single segments, or whole documents."""

from __future__ import annotations

from typing import Literal, NamedTuple

import numpy as np

from betterthan.arrays import FloatArray, IntArray
from betterthan.errors import MissingScores, TableError, unknown_name
from betterthan.kernels.resampling.resample import unit_sums
from betterthan.messages import COLUMN, Message, Option
from betterthan.results.settings import few_note
from betterthan.tables.counts import Counts
from betterthan.tables.scores import Scores
from betterthan.tables.tags import WordTags

UnitName = Literal["auto", "segments", "groups"]


class Units(NamedTuple):
    """The unit of each segment.

    Attributes
    ----------
    of_segment : array of int, shape (n,)
    n_units : int
    """

    of_segment: IntArray
    n_units: int

    @property
    def are_segments(self) -> bool:
        """Whether every segment is its own unit."""
        return self.n_units == self.of_segment.size

    @property
    def name(self) -> str:
        """The kind of unit: "segments" or "groups"."""
        return "segments" if self.are_segments else "groups"

    @property
    def sizes(self) -> FloatArray:
        """Number of segments in each unit, shape (n_units,)."""
        return np.bincount(self.of_segment, minlength=self.n_units).astype(np.float64)

    @property
    def shares(self) -> FloatArray:
        """Share of all segments in each unit, shape (n_units,)."""
        return self.sizes / self.of_segment.size

    def summed(self, values: FloatArray) -> FloatArray:
        """Sum (m, n) over the segments of each unit to (m, n_units)."""
        if self.are_segments:
            return values
        if np.isnan(values).any():
            raise MissingScores(
                Message(
                    "Documents cannot be summed while scores are missing. Use {drop}.",
                    drop=Option("missing", "drop"),
                )
            )
        return unit_sums(values, self.of_segment, self.n_units)


def units_of(table: Scores | Counts, units: UnitName) -> Units:
    """Return the units of a table's segments.

    Segments of a document are correlated, so documents are the units wherever they are known, unless `units` is
    "segments".

    Examples
    --------
    >>> scores = Scores(name="m", systems=["A"], segments=["1", "2", "3"], values=[[1, 2, 3]], groups=["x", "y", "x"])
    >>> units_of(scores, "groups")
    Units(of_segment=array([0, 1, 0]), n_units=2)
    """
    if units not in ("auto", "segments", "groups"):
        raise unknown_name("units", units, ("auto", "groups", "segments"))
    if units == "segments" or (units == "auto" and not has_documents(table)):
        return Units(np.arange(table.n_segments), table.n_segments)
    if table.groups is None:
        raise TableError(
            Message(
                '"{name}" has no groups (documents) to use as units. Name their column with {group}, or use {units}.',
                name=table.name,
                group=Option("group", COLUMN),
                units=Option("units", "segments"),
            )
        )
    index: dict[str, int] = {}
    codes = [index.setdefault(group, len(index)) for group in table.groups]
    if len(index) < 2:
        raise TableError(
            Message(
                'All segments of "{name}" are in one group. Use {units}.',
                name=table.name,
                units=Option("units", "segments"),
            )
        )
    return Units(np.array(codes, dtype=np.int64), len(index))


def has_documents(table: Scores | Counts | WordTags) -> bool:
    """Whether the table has documents: two or more groups, at least one with several segments."""
    if table.groups is None:
        return False
    return 2 <= len(set(table.groups)) < len(table.segments)


def few_units_note(units: Units) -> tuple[str, ...]:
    """Return a note that intervals from few units are rough; see :func:`betterthan.results.settings.few_note`."""
    names = ("segment", "segments") if units.are_segments else ("document", "documents")
    return few_note({names: units.n_units})


def unit_note(table: Scores | Counts | WordTags, units: Units) -> str:
    """Return a note on the unit where the table has documents; otherwise empty.

    Examples
    --------
    >>> scores = Scores(name="m", systems=["A"], segments=["1", "2", "3"], values=[[1, 2, 3]], groups=["x", "y", "x"])
    >>> unit_note(scores, units_of(scores, "groups"))
    'Unit: 2 documents (3 segments).'
    >>> unit_note(scores, units_of(scores, "segments"))
    'Unit: 3 segments, although segments of a document are correlated.'
    """
    if not has_documents(table):
        return ""
    if units.are_segments:
        return f"Unit: {units.n_units:,} segments, although segments of a document are correlated."
    return f"Unit: {units.n_units:,} documents ({len(table.segments):,} segments)."
