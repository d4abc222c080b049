"""Matches: pairs of systems with outcomes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np

from betterthan.arrays import BoolArray, FloatArray, IntArray, digest, read_only
from betterthan.errors import TableError, unknown_name
from betterthan.tables.checks import Frozen, fields_from, float_array, index_array, labels, note_texts, texts

OUTCOMES = (1.0, 0.5, 0.0)


MOST_SYSTEMS = 10_000
"""The matrices of wins and ties of this many systems take 0.8 GB each."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Matches(Frozen):
    """A list of t comparisons between two systems, or the same list aggregated.

    Aggregated, each (left, right, outcome) occurs once and `weight` is its count; this is sufficient for Bradley–Terry,
    so 100 million battles fit in a few megabytes. With clusters there is one row per judge and kind of match, which is
    still shorter than the list.

    Parameters
    ----------
    systems : sequence of str
        m distinct names.
    left, right : array_like of int, shape (t,)
        Indices into `systems`; a system never meets itself.
    outcome : array_like of float, shape (t,)
        1 when left wins, 0.5 for a tie, 0 when right wins.
    weight : array_like of float, shape (t,), optional
        How much each row counts; 1 by default, never negative.
    segment : array_like of int, shape (t,), optional
        Index of the segment (question, prompt) of each row; equal indices are the same segment.
    segments : sequence of str, optional
        Names of the segments that `segment` refers to, where they are known: matches are joined with scores by them.
    group : array_like of int, shape (t,), optional
        Index of the cluster (judge, session) of each row.
    covariates : array_like of float, shape (t, c), optional
        Variables that the outcome may depend on besides the systems, such as the length of left minus that of right.
        The sign favors left, so that swapping the sides of a match changes the sign.
    covariate_names : sequence of str
        One name per column of `covariates`.
    category : array_like of int, shape (t,), optional
        Index into `categories` of each row, such as the language of the question.
    categories : sequence of str
    notes : sequence of str

    Examples
    --------
    >>> matches = Matches(systems=["A", "B"], left=[0, 1, 0], right=[1, 0, 1], outcome=[1, 0, 0.5])
    >>> matches.n_matches
    3.0
    >>> matches.aggregated().weight
    array([1., 1., 1.])
    """

    systems: tuple[str, ...]
    left: IntArray
    right: IntArray
    outcome: FloatArray
    weight: FloatArray = None  # type: ignore[assignment]  # an array once made
    segment: IntArray | None = None
    group: IntArray | None = None
    covariates: FloatArray | None = None
    covariate_names: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    segments: tuple[str, ...] = ()
    category: IntArray | None = None
    categories: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        put = object.__setattr__
        put(self, "systems", labels(self.systems, what="system"))
        n_systems = len(self.systems)
        put(self, "left", index_array(self.left, length=None, below=n_systems, what="left"))
        t = self.left.size
        put(self, "right", index_array(self.right, length=t, below=n_systems, what="right"))
        put(self, "outcome", float_array(self.outcome, shape=(t,), what="Outcomes"))
        weight = read_only(np.ones(t)) if self.weight is None else self.weight
        put(self, "weight", float_array(weight, shape=(t,), what="Weights"))
        for name in ("segment", "group"):
            index = getattr(self, name)
            if index is not None:
                put(self, name, index_array(index, length=t, below=np.iinfo(np.int64).max, what=name))
        self._check_segments()
        self._check_categories()
        put(self, "covariate_names", texts(self.covariate_names, what="covariate"))
        if self.covariates is not None or self.covariate_names:
            put(self, "covariates", self._checked_covariates())
        put(self, "notes", note_texts(self.notes, system=self.systems))
        self._check_rows()

    def _check_segments(self) -> None:
        names = texts(self.segments, what="segment")
        object.__setattr__(self, "segments", labels(names, what="segment") if names else ())
        if not names:
            return
        if self.segment is None or self.segment.max(initial=-1) >= len(self.segments):
            raise TableError(
                f"There are {len(self.segments)} names of segments, and matches of other segments. Name every segment."
            )

    def _check_categories(self) -> None:
        names = texts(self.categories, what="category")
        put = object.__setattr__
        put(self, "categories", labels(names, what="category") if names else ())
        if (self.category is None) != (not names):
            raise TableError("Categories need both their names and the category of every match.")
        if self.category is not None:
            below = len(self.categories)
            put(
                self,
                "category",
                index_array(self.category, length=self.left.size, below=below, what="category"),
            )

    def _checked_covariates(self) -> FloatArray:
        names = self.covariate_names
        if not names or len(set(names)) < len(names) or self.covariates is None:
            raise TableError(
                "Covariates need as many different names in covariate_names as they have columns."
            )
        shape = (self.left.size, len(names))
        given = self.covariates if self.left.size else np.zeros(shape)  # an empty list has no second axis
        found = float_array(given, shape=shape, what="Covariates")
        empty = np.argwhere(np.isnan(found))
        if empty.size:
            row, column = empty[0].tolist()
            raise TableError(
                f'Match {row + 1}: the covariate "{names[column]}" is missing. Leave such rows out.'
            )
        return found

    def _check_rows(self) -> None:
        itself = np.flatnonzero(self.left == self.right)
        if itself.size:
            name = self.systems[self.left[itself[0]]]
            raise TableError(f'Match {itself[0] + 1}: "{name}" meets itself. Remove such rows.')
        odd = np.flatnonzero(~np.isin(self.outcome, OUTCOMES))
        if odd.size:
            found = self.outcome[odd[0]]
            raise TableError(
                f"Match {odd[0] + 1}: the outcome is {found}; use 1 (left wins), 0.5 (tie) or 0."
            )
        bad = np.flatnonzero(~(self.weight >= 0))
        if bad.size:
            raise TableError(
                f"Match {bad[0] + 1}: the weight is {self.weight[bad[0]]}; it must be 0 or more."
            )

    @property
    def n_systems(self) -> int:
        """Number of systems, m."""
        return len(self.systems)

    @property
    def n_matches(self) -> float:
        """Number of comparisons: the sum of the weights."""
        return float(self.weight.sum())

    @property
    def digest(self) -> str:
        """Eight hexadecimal digits that change whenever a label or a row does."""
        rows = (self.left, self.right, self.outcome, self.weight, self.segment, self.group)
        more: tuple[Any, ...] = () if self.covariates is None else (self.covariates, self.covariate_names)
        named = (self.segments,) if self.segments else ()
        divided = () if self.category is None else (self.category, self.categories)
        return digest(self.systems, *rows, *more, *named, *divided)

    def aggregated(self, *, keep_groups: bool = False, keep_categories: bool = False) -> Matches:
        """Return the same matches with each (left, right, outcome) once and its weight summed.

        The rows are sorted by left, right and descending outcome; segments and covariates are dropped, and categories
        too unless they are kept.

        Parameters
        ----------
        keep_groups : bool, default False
            Whether each (left, right, outcome, group) occurs once, so that errors can be clustered; otherwise groups
            are dropped too.
        keep_categories : bool, default False
            Whether each occurs once in each category.
        """
        half_points = np.rint(2 * self.outcome).astype(np.int64)
        cell = (self.left * self.n_systems + self.right) * 3 + (2 - half_points)
        n_cells, numbers = 3 * self.n_systems**2, None
        n_categories = len(self.categories) if keep_categories else 0
        if n_categories and self.category is not None:
            cell, n_cells = self.category * n_cells + cell, n_categories * n_cells
        if keep_groups and self.group is not None:
            numbers, group = np.unique(self.group, return_inverse=True)
            cell = cell * max(numbers.size, 1) + group.reshape(-1)
            n_cells *= max(numbers.size, 1)
        cells, weight = _sums(cell, self.weight, n_cells=n_cells)
        kept, category = None, None
        if numbers is not None:
            kept, cells = numbers[cells % max(numbers.size, 1)], cells // max(numbers.size, 1)
        if n_categories:
            category, cells = np.divmod(cells, 3 * self.n_systems**2)
        return Matches(
            systems=self.systems,
            left=cells // 3 // self.n_systems,
            right=cells // 3 % self.n_systems,
            outcome=(2 - cells % 3) / 2,
            weight=weight,
            group=kept,
            notes=self.notes,
            category=category,
            categories=self.categories if n_categories else (),
        )

    def of_category(self, name: str) -> Matches:
        """Return the matches of one category.

        Examples
        --------
        >>> rows = {"left": [0, 1], "right": [1, 0], "outcome": [1, 1]}
        >>> both = Matches(systems=["A", "B"], **rows, category=[0, 1], categories=["code", "math"])
        >>> both.of_category("math")
        Matches(2 systems, 1 matches in 1 rows)
        """
        if self.category is None or name not in self.categories:
            raise unknown_name("category", name, self.categories)
        rows = self.category == self.categories.index(name)
        per_row = ("left", "right", "outcome", "weight", "segment", "group", "covariates")
        part: dict[str, Any] = {
            key: None if (a := getattr(self, key)) is None else a[rows] for key in per_row
        }
        return replace(self, **part, category=None, categories=())

    def wins(self) -> FloatArray:
        """Return the weight of wins of the row over the column, systems × systems, without ties."""
        return read_only(
            self._tally(self.outcome == 1, swap=False) + self._tally(self.outcome == 0, swap=True)
        )

    def ties(self) -> FloatArray:
        """Return the weight of ties, systems × systems; symmetric."""
        tied = self.outcome == 0.5
        return read_only(self._tally(tied, swap=False) + self._tally(tied, swap=True))

    def _tally(self, rows: BoolArray, *, swap: bool) -> FloatArray:
        if self.n_systems > MOST_SYSTEMS:
            raise TableError(
                f"There are {self.n_systems:,} systems, and every pair of them has a cell in the tables of wins and "
                f"ties: {8e-9 * self.n_systems**2:,.0f} GB each. At most {MOST_SYSTEMS:,} are ranked; check that the "
                f"column of systems holds their names, or leave out systems with few matches."
            )
        first, second = (self.right, self.left) if swap else (self.left, self.right)
        cell = first[rows] * self.n_systems + second[rows]
        flat = np.bincount(cell, weights=self.weight[rows], minlength=self.n_systems**2)
        return np.asarray(flat.reshape(self.n_systems, self.n_systems), dtype=np.float64)

    def to_dict(self) -> dict[str, Any]:
        """Return plain JSON-able data."""
        arrays = ("left", "right", "outcome", "weight", "segment", "group", "covariates", "category")
        names = ("systems", "covariate_names", "notes", "segments", "categories")
        fields = {name: None if (a := getattr(self, name)) is None else a.tolist() for name in arrays}
        texts = {name: list(getattr(self, name)) for name in names}
        return {"kind": "matches", **texts, **fields}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        """Make the table from :meth:`to_dict`'s data."""
        return cls(**fields_from(data, cls, kind="matches"))

    def __repr__(self) -> str:
        return f"Matches({self.n_systems} systems, {self.n_matches:,.10g} matches in {self.left.size:,} rows)"


def _sums(cell: IntArray, weight: FloatArray, *, n_cells: int) -> tuple[IntArray, FloatArray]:
    """Return the cells that occur, sorted, and the weight in each."""
    if n_cells <= 4 * cell.size:  # a table of all cells is no larger than the rows: no need to sort them
        cells = np.flatnonzero(np.bincount(cell, minlength=n_cells))
        return cells, np.bincount(cell, weights=weight, minlength=n_cells)[cells].astype(np.float64)
    cells, inverse = np.unique(cell, return_inverse=True)
    return cells, np.bincount(inverse, weights=weight, minlength=cells.size).astype(np.float64)
