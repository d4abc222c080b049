"""Ratings: single human judgements, before they become scores."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np

from betterthan.arrays import FloatArray, IntArray, digest, from_json_array, to_json_array
from betterthan.errors import TableError, some_of
from betterthan.tables.checks import float_array, group_labels, index_array, labels
from betterthan.tables.matches import Matches
from betterthan.tables.scores import Scores


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Ratings:
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
        t = len(self.score)
        for many, one in (("systems", "system"), ("segments", "segment"), ("judges", "judge")):
            names = labels(getattr(self, many), what=one)
            put(self, many, names)
            put(self, one, index_array(getattr(self, one), length=t, below=len(names), what=one))
        put(self, "score", float_array(self.score, shape=(t,), what="Judgements"))
        if np.isnan(self.score).any():
            first = int(np.flatnonzero(np.isnan(self.score))[0]) + 1
            raise TableError(f"Judgement {first} has no score. Leave out rows without a score.")
        put(self, "groups", group_labels(self.groups, n_segments=len(self.segments)))
        put(self, "notes", tuple(self.notes))

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
        # A constant judge's centred scores are rounding noise, not exact zeros.
        flat = spread <= 1e-12 * np.maximum(np.abs(mean), 1)
        keep = ~flat[self.judge]
        silent = [self.judges[i] for i in np.flatnonzero(flat & (count > 0))]
        note = f"{int((~keep).sum())} judgements left out: judges with no spread ({some_of(silent)})."
        z = centred / np.where(flat, 1.0, spread)[self.judge]
        kept = self._rows(keep, score=z[keep])
        return replace(kept, notes=(*self.notes, note)) if silent else kept

    def _rows(self, keep: np.ndarray[Any, np.dtype[np.bool_]], *, score: FloatArray) -> Ratings:
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
        """
        goodness = self.to_scores().goodness
        left, right = np.triu_indices(len(self.systems), k=1)
        gap = goodness[left] - goodness[right]
        judged = ~np.isnan(gap)
        decided = judged & (np.abs(gap) >= margin) & (gap != 0)
        chosen = judged if keep_ties else decided
        pair, segment = np.nonzero(chosen)
        outcome = np.where(decided, (np.sign(gap) + 1) / 2, 0.5)[pair, segment]
        close = int((judged & ~decided).sum())
        said = "kept as ties" if keep_ties else "left out"
        note = f"{close} of {int(judged.sum())} pairs closer than {margin:g} were {said}."
        return Matches(
            systems=self.systems,
            left=left[pair],
            right=right[pair],
            outcome=outcome,
            segment=segment,
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
        fields = {key: value for key, value in data.items() if key != "kind"}
        for name in ("system", "segment", "judge"):
            fields[name] = np.array(fields[name], dtype=np.int64)
        return cls(**{**fields, "score": from_json_array(data["score"], ndim=1)})

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Ratings) and self.to_dict() == other.to_dict()

    def __hash__(self) -> int:
        return hash(self.digest)

    def __repr__(self) -> str:
        size = (
            f"{self.n_judgements:,} judgements of {len(self.systems)} systems × {len(self.segments)} segments"
        )
        return f"Ratings({self.name!r}, {size} by {len(self.judges)} judges)"
