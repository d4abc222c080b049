"""Ratings: single human judgements, before they become scores."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np

from betterthan.arrays import BoolArray, FloatArray, IntArray, digest, to_json_array
from betterthan.errors import TableError, some_of
from betterthan.tables.checks import flag, float_array, group_labels, index_array, labels, note_texts, text
from betterthan.tables.frozen import Frozen, fields_from
from betterthan.tables.matches import Matches
from betterthan.tables.scores import Scores


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Ratings(Frozen):
    """Judgements of segments of systems by judges, one row each; t rows.

    Parameters
    ----------
    name : str
        What was asked, such as "DA" or "MQM".
    systems, segments, judges : sequence of str
        Distinct names.
    system, segment, judge : array_like of int, shape (t,)
        Indices into the three lists.
    score : array_like of float, shape (t,)
        The judgement; never missing.
    higher_is_better : bool, default True
    groups : sequence of str, optional
        The document of each segment.
    notes : sequence of str

    Examples
    --------
    >>> ratings = Ratings(name="DA", systems=["A", "B"], segments=["1"], judges=["x", "y"],
    ...                   system=[0, 1, 0], segment=[0, 0, 0], judge=[0, 0, 1], score=[70, 40, 90])
    >>> ratings.to_scores().values
    array([[80.],
           [40.]])
    """

    name: str
    systems: tuple[str, ...]
    segments: tuple[str, ...]
    judges: tuple[str, ...]
    system: IntArray
    segment: IntArray
    judge: IntArray
    score: FloatArray
    higher_is_better: bool = True
    groups: tuple[str, ...] | None = None
    notes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        put = object.__setattr__
        put(self, "name", text(self.name, what="metric"))
        put(self, "score", float_array(self.score, shape=(None,), what="Judgements"))
        t = self.score.size
        for many, one in (("systems", "system"), ("segments", "segment"), ("judges", "judge")):
            names = labels(getattr(self, many), what=one)
            put(self, many, names)
            put(self, one, index_array(getattr(self, one), length=t, below=len(names), what=one))
        if np.isnan(self.score).any():
            first = int(np.flatnonzero(np.isnan(self.score))[0]) + 1
            raise TableError(f"Judgement {first} has no score. Leave out rows without a score.")
        put(self, "higher_is_better", flag(self.higher_is_better, what="higher_is_better"))
        put(self, "groups", group_labels(self.groups, n_segments=len(self.segments)))
        put(self, "notes", note_texts(self.notes))

    @property
    def n_judgements(self) -> int:
        """Number of judgements, t."""
        return self.score.size

    @property
    def digest(self) -> str:
        """Eight hexadecimal digits that change whenever a label or a judgement does."""
        labelled = (self.name, self.systems, self.segments, self.judges, self.higher_is_better, self.groups)
        return digest(labelled, self.system, self.segment, self.judge, self.score)

    def standardized(self) -> Ratings:
        """Return the ratings with each judge's scores shifted to mean 0 and scaled to standard deviation 1.

        The standard deviation divides by the number of the judge's judgements minus one. A judge with a
        single judgement, or who always gives the same score, says nothing about differences: these rows
        are left out and counted in the notes.
        """
        n_judges = len(self.judges)
        count = np.bincount(self.judge, minlength=n_judges)
        mean = np.bincount(self.judge, weights=self.score, minlength=n_judges) / np.maximum(count, 1)
        centred = self.score - mean[self.judge]
        spread = np.sqrt(
            np.bincount(self.judge, weights=centred**2, minlength=n_judges) / np.maximum(count - 1, 1)
        )
        # A constant judge's centred scores are rounding noise, not exact zeros, so the scores are compared.
        any_score = np.zeros(n_judges)
        any_score[self.judge] = self.score
        differing = np.bincount(self.judge, weights=self.score != any_score[self.judge], minlength=n_judges)
        flat = (differing == 0) | (spread == 0)
        keep = ~flat[self.judge]
        silent = [self.judges[i] for i in np.flatnonzero(flat & (count > 0))]
        note = f"{int((~keep).sum())} judgements left out: judges with no spread ({some_of(silent)})."
        z = centred / np.where(flat, 1.0, spread)[self.judge]
        kept = self._rows(keep, score=z[keep])
        return replace(kept, notes=(*self.notes, note)) if silent else kept

    def _rows(self, keep: BoolArray, *, score: FloatArray) -> Ratings:
        return replace(
            self, system=self.system[keep], segment=self.segment[keep], judge=self.judge[keep], score=score
        )

    def to_scores(self) -> Scores:
        """Return the mean judgement of each segment of each system; NaN where nobody judged."""
        total, count = self._sums()
        with np.errstate(invalid="ignore"):
            values = np.where(count > 0, total / count, np.nan)
        return Scores(
            name=self.name,
            systems=self.systems,
            segments=self.segments,
            values=values,
            higher_is_better=self.higher_is_better,
            groups=self.groups,
            notes=self.notes,
        )

    def _sums(self) -> tuple[FloatArray, FloatArray]:
        shape = (len(self.systems), len(self.segments))
        cell = self.system * shape[1] + self.segment
        total = np.bincount(cell, weights=self.score, minlength=shape[0] * shape[1])
        count = np.bincount(cell, minlength=shape[0] * shape[1])
        return total.reshape(shape).astype(np.float64), count.reshape(shape).astype(np.float64)

    def to_matches(self, *, margin: float = 25, keep_ties: bool = False) -> Matches:
        """Return every pair of systems judged on the same segment as a match.

        Parameters
        ----------
        margin : float, default 25
            A pair counts as decided when the mean judgements differ by at least this much (the WMT
            relative-ranking rule; zero keeps every difference).
        keep_ties : bool, default False
            Keep the closer pairs as ties instead of leaving them out.

        Notes
        -----
        The documents of the segments become the groups of the matches.
        """
        if not (isinstance(margin, int | float | np.number) and 0 <= margin < np.inf):
            raise TableError(f"margin must be a number of 0 or more, not {margin!r}.")
        goodness = self.to_scores().goodness
        # The same judgements in another order have a mean that differs in its last digits.
        noise = 1e-12 * np.abs(self.score).max(initial=0.0)
        blocks = [_pairs(goodness, one, margin=margin, noise=noise) for one in range(len(self.systems))]
        left, right, segment, outcome = (np.concatenate(column) for column in zip(*blocks, strict=True))
        tied = outcome == 0.5
        keep = np.full(tied.size, True) if keep_ties else ~tied
        said = "kept as ties" if keep_ties else "left out"
        note = f"{int(tied.sum())} of {tied.size} pairs closer than {margin:g} were {said}."
        return Matches(
            systems=self.systems,
            left=left[keep],
            right=right[keep],
            outcome=outcome[keep],
            segment=segment[keep],
            group=None if self.groups is None else _codes(self.groups)[segment[keep]],
            notes=(*self.notes, note),
        )

    def to_dict(self) -> dict[str, Any]:
        """Return plain JSON-able data."""
        plain = ("systems", "segments", "judges", "groups", "notes")
        lists = {name: None if (v := getattr(self, name)) is None else list(v) for name in plain}
        arrays = {
            name: to_json_array(getattr(self, name)) for name in ("system", "segment", "judge", "score")
        }
        return {
            "kind": "ratings",
            "name": self.name,
            **lists,
            **arrays,
            "higher_is_better": self.higher_is_better,
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        """Make the table from :meth:`to_dict`'s data."""
        return cls(**fields_from(data, cls, kind="ratings"))

    def __repr__(self) -> str:
        size = (
            f"{self.n_judgements:,} judgements of {len(self.systems)} systems × {len(self.segments)} segments"
        )
        return f"Ratings({self.name!r}, {size} by {len(self.judges)} judges)"


def _pairs(
    goodness: FloatArray, left: int, *, margin: float, noise: float
) -> tuple[IntArray, IntArray, IntArray, FloatArray]:
    """Return left, right, segment and outcome of a system's meetings with later ones, close ones tied."""
    gap = goodness[left] - goodness[left + 1 :]
    later, segment = np.nonzero(~np.isnan(gap))
    gap = gap[later, segment]
    size = np.abs(gap)
    decided = (size >= margin - noise) & (size > noise)
    outcome = np.where(decided, (np.sign(gap) + 1) / 2, 0.5)
    return np.full(gap.size, left), left + 1 + later, segment, outcome


def _codes(names: tuple[str, ...]) -> IntArray:
    """Return the index of each name among the distinct ones, in the order in which they appear."""
    known = {name: i for i, name in enumerate(dict.fromkeys(names))}
    return np.array([known[name] for name in names], dtype=np.int64)
