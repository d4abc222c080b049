"""Runs: scores of repeated runs of each system on the same items."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np

from betterthan.arrays import FloatArray, IntArray, digest, read_only, to_json_array
from betterthan.errors import ReadError, TableError, some_of
from betterthan.tables.checks import (
    Frozen,
    at,
    fields_from,
    flag,
    float_array,
    group_labels,
    index_array,
    labels,
    listed,
    note_texts,
    positions,
    text,
    texts,
)
from betterthan.tables.scores import Scores, direction_words

Levels = tuple[tuple[str, ...], ...]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Runs(Frozen):
    """Scores of systems on segments, run by run, one row each; t rows. Not every run needs every segment.

    Parameters
    ----------
    name : str
        The metric's name.
    systems, segments, runs : sequence of str
        Distinct names. A run belongs to its system: run "1" of two systems is two runs.
    system, segment, run : array_like of int, shape (t,)
        Indices into the three lists; no two rows agree in all three.
    score : array_like of float, shape (t,)
        Never missing; a missing score is a missing row.
    higher_is_better : bool, default True
    factors : sequence of str
        What tells the systems apart, such as ("model", "prompt"); empty where a system is just a name.
    levels : sequence of sequence of str
        For each system the level of each factor.
    independent : bool, default False
        Whether every score was drawn on its own, as with several answers to each prompt. Otherwise a run, such as a
        training seed, may shift all its scores together.
    groups : sequence of str, optional
        The document or topic of each segment.
    notes : sequence of str
    direction_doubt : str, optional
        As in :class:`~betterthan.tables.scores.Scores`.

    Examples
    --------
    >>> runs = Runs(name="accuracy", systems=["A", "B"], segments=["1", "2"], runs=["seed 1", "seed 2"],
    ...             system=[0, 0, 0, 0, 1, 1], segment=[0, 1, 0, 1, 0, 1], run=[0, 0, 1, 1, 0, 0],
    ...             score=[1, 0, 1, 1, 0, 0])
    >>> runs
    Runs('accuracy', 6 scores of 2 systems × 2 segments, 1 to 2 runs each, higher is better)
    >>> runs.to_scores().values
    array([[1. , 0.5],
           [0. , 0. ]])
    """

    name: str
    systems: tuple[str, ...]
    segments: tuple[str, ...]
    runs: tuple[str, ...]
    system: IntArray
    segment: IntArray
    run: IntArray
    score: FloatArray
    higher_is_better: bool = True
    factors: tuple[str, ...] = ()
    levels: Levels = ()
    independent: bool = False
    groups: tuple[str, ...] | None = None
    notes: tuple[str, ...] = ()
    direction_doubt: str = ""

    def __post_init__(self) -> None:
        put = object.__setattr__
        put(self, "name", text(self.name, what="metric"))
        put(self, "score", float_array(self.score, shape=(None,), what="Scores of runs"))
        t = self.score.size
        for many, one in (("systems", "system"), ("segments", "segment"), ("runs", "run")):
            names = labels(getattr(self, many), what=one)
            put(self, many, names)
            put(self, one, index_array(getattr(self, one), length=t, below=len(names), what=one))
        self._check_rows()
        put(self, "higher_is_better", flag(self.higher_is_better, what="higher_is_better"))
        put(self, "independent", flag(self.independent, what="independent"))
        put(self, "factors", labels(self.factors, what="factor", at_least=0))
        put(self, "levels", _levels(self.levels, self.factors, self.systems))
        put(self, "groups", group_labels(self.groups, n_segments=len(self.segments)))
        put(self, "notes", note_texts(self.notes, system=self.systems))

    def _check_rows(self) -> None:
        if np.isnan(self.score).any():
            first = int(np.flatnonzero(np.isnan(self.score))[0]) + 1
            raise TableError(f"Row {first} has no score. Leave out rows without a score.")
        key = (self.system * len(self.segments) + self.segment) * len(self.runs) + self.run
        ordered = np.sort(key)
        if (ordered[1:] == ordered[:-1]).any():
            twice = int(ordered[1:][ordered[1:] == ordered[:-1]][0])
            cell, run = divmod(twice, len(self.runs))
            system, segment = divmod(cell, len(self.segments))
            raise TableError(
                f'Segment "{self.segments[segment]}" of system "{self.systems[system]}" occurs twice in run '
                f'"{self.runs[run]}". Leave out one of the rows.'
            )

    @property
    def n_systems(self) -> int:
        """Number of systems, m."""
        return len(self.systems)

    @property
    def n_segments(self) -> int:
        """Number of segments, n."""
        return len(self.segments)

    @property
    def runs_of_systems(self) -> IntArray:
        """Number of runs of each system, shape (m,)."""
        rows = np.bincount(self.system * len(self.runs) + self.run, minlength=self.n_systems * len(self.runs))
        return np.asarray((rows.reshape(self.n_systems, -1) > 0).sum(axis=1), dtype=np.int64)

    @property
    def is_balanced(self) -> bool:
        """Whether every system has a score on every segment in each of the same number of runs."""
        n_runs = self.runs_of_systems
        return bool((n_runs == n_runs[0]).all()) and self.score.size == n_runs.sum() * self.n_segments

    @property
    def is_binary(self) -> bool:
        """Whether the scores are 0 and 1, right or wrong, and both occur."""
        return bool(((self.score == 0) | (self.score == 1)).all()) and 0 < self.score.mean() < 1

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
        """The scores of the rows, negated when lower is better, so that higher is always better."""
        return self.score if self.sign > 0 else read_only(0.0 - self.score)

    @property
    def direction(self) -> str:
        """The direction in words, as in :attr:`Scores.direction`."""
        return direction_words(higher=self.higher_is_better, doubt=self.direction_doubt)

    @property
    def digest(self) -> str:
        """Eight hexadecimal digits that change whenever a label or a score does."""
        labelled = (self.name, self.systems, self.segments, self.runs, self.higher_is_better, self.groups)
        design = (self.factors, self.levels, self.independent)
        return digest(labelled, design, self.system, self.segment, self.run, self.score)

    def select(self, systems: Sequence[str]) -> Self:
        """Return the table of these systems, in this order.

        Examples
        --------
        >>> runs = Runs(name="m", systems=["A", "B"], segments=["1"], runs=["1"], system=[0, 1], segment=[0, 0],
        ...             run=[0, 0], score=[1, 2])
        >>> runs.select(["B"]).score
        array([2.])
        """
        chosen = positions(systems, self.systems, what="system")
        place = np.full(self.n_systems, -1)
        place[chosen] = np.arange(chosen.size)
        keep = place[self.system] >= 0
        return replace(
            self,
            systems=at(chosen, self.systems),
            system=place[self.system[keep]],
            segment=self.segment[keep],
            run=self.run[keep],
            score=self.score[keep],
            levels=tuple(self.levels[i] for i in chosen.tolist()) if self.levels else (),
        )

    def without_segments(self, segments: Sequence[str], *, because: str) -> Self:
        """Return the table without these segments, with a note on the reason."""
        gone = positions(tuple(segments), self.segments, what="segment")
        if not gone.size:
            return self
        stays = np.full(self.n_segments, True)
        stays[gone] = False
        if not stays.any():
            raise TableError("No segment would be left. Leave out the systems with the most gaps.")
        keep, places = stays[self.segment], np.flatnonzero(stays)
        return replace(
            self,
            segments=at(places, self.segments),
            system=self.system[keep],
            segment=(np.cumsum(stays) - 1)[self.segment[keep]],
            run=self.run[keep],
            score=self.score[keep],
            groups=None if self.groups is None else at(places, self.groups),
            notes=(
                *self.notes,
                f"{gone.size} of {self.n_segments} segments left out for all systems, {because}.",
            ),
        )

    def with_values(self, values: FloatArray, *, notes: Iterable[str] = ()) -> Scores:
        """Return a table of scores with one value for each system and segment of this table."""
        return Scores(
            name=self.name,
            systems=self.systems,
            segments=self.segments,
            values=values,
            higher_is_better=self.higher_is_better,
            groups=self.groups,
            notes=(*self.notes, *notes),
            direction_doubt=self.direction_doubt,
        )

    def to_scores(self) -> Scores:
        """Return the mean over runs of each segment of each system; NaN where no run has a score."""
        shape = (self.n_systems, self.n_segments)
        cell = self.system * shape[1] + self.segment
        total = np.bincount(cell, weights=self.score, minlength=shape[0] * shape[1])
        count = np.bincount(cell, minlength=shape[0] * shape[1])
        with np.errstate(invalid="ignore"):
            values = np.where(count > 0, total / count, np.nan)
        return self.with_values(values.reshape(shape))

    @property
    def runs_in_words(self) -> str:
        """The number of runs of a system in words, such as "3 runs each" or "1 to 4 runs each"."""
        few, most = int(self.runs_of_systems.min()), int(self.runs_of_systems.max())
        return f"{few} to {most} runs each" if few < most else f"{most} run{'s' if most > 1 else ''} each"

    def to_dict(self) -> dict[str, Any]:
        """Return plain JSON-able data."""
        plain = ("systems", "segments", "runs", "factors", "groups", "notes")
        lists = {name: None if (v := getattr(self, name)) is None else list(v) for name in plain}
        arrays = {name: to_json_array(getattr(self, name)) for name in ("system", "segment", "run", "score")}
        return {
            "kind": "runs",
            "name": self.name,
            **lists,
            **arrays,
            "levels": [list(row) for row in self.levels],
            "higher_is_better": self.higher_is_better,
            "independent": self.independent,
            "direction_doubt": self.direction_doubt,
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        """Make the table from :meth:`to_dict`'s data."""
        return cls(**fields_from(data, cls, kind="runs"))

    def __repr__(self) -> str:
        size = f"{self.score.size:,} scores of {self.n_systems} systems × {self.n_segments} segments"
        return f"Runs({self.name!r}, {size}, {self.runs_in_words}, {self.direction})"


def _levels(levels: Iterable[Any], factors: tuple[str, ...], systems: tuple[str, ...]) -> Levels:
    rows = tuple(texts(row, what="level") for row in listed(levels, what="levels"))
    if len(rows) != (len(systems) if factors else 0) or any(len(row) != len(factors) for row in rows):
        raise TableError(
            f"levels must hold one level of each factor ({some_of(factors) or 'none'}) for each of the "
            f"{len(systems)} systems."
        )
    if len(set(rows)) < len(rows):
        raise TableError("Two systems have the same level of every factor. Merge them, or add a factor.")
    return rows
