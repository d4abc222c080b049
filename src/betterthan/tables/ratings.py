"""Ratings: single human judgments, before they become scores.

Systems that were judged on the same segment form pairs; outputs of a segment may be the same text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple, Self

import numpy as np
import numpy.typing as npt

from betterthan.arrays import BoolArray, FloatArray, IntArray, digest, to_json_array
from betterthan.errors import TableError, some_of
from betterthan.tables.checks import (
    Frozen,
    at,
    fields_from,
    flag,
    float_array,
    group_labels,
    index_array,
    labels,
    note_texts,
    positions,
    text,
)
from betterthan.tables.matches import Matches
from betterthan.tables.scores import Scores, direction_words
from betterthan.tables.texts import Texts


class Meetings(NamedTuple):
    """Pairs of a system with later ones, one per row."""

    left: IntArray
    right: IntArray
    segment: IntArray
    outcome: FloatArray
    same: BoolArray
    """Whether the outputs are the same text."""
    apart: BoolArray
    """Whether the judgments are a margin or more apart."""


def meetings(goodness: FloatArray, codes: IntArray, left: int, *, margin: float, noise: float) -> Meetings:
    """Return the pairs of a system with later ones; close pairs and identical outputs are tied.

    Parameters
    ----------
    goodness : array, shape (m, n)
        Higher is better; NaN where there is no judgment.
    codes : array of int, shape (m, n)
        Equal codes of 0 or more on a segment are the same text.
    left : int
        The system.
    margin : float
        Pairs at least this far apart are decided.
    noise : float
        Differences up to this size are rounding.

    Examples
    --------
    >>> meetings(np.array([[70.0], [40.0]]), np.array([[-1], [-1]]), 0, margin=25, noise=0).outcome
    array([1.])
    """
    gap = goodness[left] - goodness[left + 1 :]
    later, segment = np.nonzero(~np.isnan(gap))
    gap = gap[later, segment]
    right = left + 1 + later
    size = np.abs(gap)
    apart = (size >= margin - noise) & (size > noise)
    same = (codes[left, segment] == codes[right, segment]) & (codes[left, segment] >= 0)
    outcome = np.where(apart & ~same, (np.sign(gap) + 1) / 2, 0.5)
    return Meetings(np.full(gap.size, left), right, segment, outcome, same, apart)


def shares_kept(goodness: FloatArray, margins: FloatArray, *, noise: float) -> FloatArray:
    """Return the share of all pairs that differ by at least each margin; NaN when there are none.

    Examples
    --------
    >>> shares_kept(np.array([[70.0], [40.0], [50.0]]), np.array([0.0, 20.0, 25.0]), noise=0)
    array([1.        , 0.66666667, 0.33333333])
    """
    kept, judged = np.zeros(margins.size), 0
    for left in range(len(goodness)):
        gap = np.abs(goodness[left] - goodness[left + 1 :])
        gap = np.sort(gap[~np.isnan(gap)])
        judged += gap.size
        floor = np.searchsorted(gap, noise, side="right")  # equal scores are not kept by any margin
        kept += gap.size - np.maximum(np.searchsorted(gap, margins - noise, side="left"), floor)
    return kept / judged if judged else np.full(margins.size, np.nan)


def check_margin(margin: object) -> None:
    """Raise unless `margin` is a valid margin."""
    if not (isinstance(margin, int | float | np.number) and 0 <= margin < np.inf):
        raise TableError(f"margin must be a non-negative number, not {margin!r}.")


def text_codes(texts: Texts, *, systems: Sequence[str], segments: Sequence[str]) -> IntArray:
    """Return a code for each output, systems × segments: equal codes on a segment are the same text.

    Texts are the same when every character is, including blanks. A missing output, or a system or segment that `texts`
    does not have, matches nothing and gets a negative code.

    Parameters
    ----------
    texts : Texts
    systems, segments : sequence of str
        Rows and columns of the result, in this order.

    Raises
    ------
    TableError
        When fewer than two systems, or no segment, are shared, because the names do not match.

    Examples
    --------
    >>> texts = Texts(systems=["A", "B"], segments=["1", "2"], outputs=[["x", "y"], ["x", None]])
    >>> text_codes(texts, systems=["B", "A", "C"], segments=["1", "2"])
    array([[ 0, -1],
           [ 0,  0],
           [-1, -1]])
    """
    row = {name: i for i, name in enumerate(texts.systems)}
    column = {name: j for j, name in enumerate(texts.segments)}
    _check_shared(row, systems, what="systems", least=2)
    _check_shared(column, segments, what="segments", least=1)
    codes = np.full((len(systems), len(segments)), -1, dtype=np.int64)
    for j, segment in enumerate(segments):
        if segment in column:
            outputs = [texts.outputs[row[name]][column[segment]] if name in row else None for name in systems]
            known: dict[str, int] = {}
            codes[:, j] = [-1 if line is None else known.setdefault(line, len(known)) for line in outputs]
    return codes


def _check_shared(known: dict[str, int], wanted: Sequence[str], *, what: str, least: int) -> None:
    if sum(name in known for name in wanted) < least:
        raise TableError(
            f"The texts and the judgments share fewer than {least} {what}. "
            f"The texts have {some_of(list(known))}; the judgments have {some_of(list(wanted))}."
        )


# Fewer judgments do not make a direct assessment of a segment reproducible (Ma et al. 2019).
ENOUGH_JUDGEMENTS = 15
_DIRECT_ASSESSMENT = re.compile(r"\b(da|direct assessment|adequacy|fluency)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Ratings(Frozen):
    """Judgments of segments of systems by judges, one row each; t rows.

    Parameters
    ----------
    name : str
        Name of the ratings, such as "DA" or "MQM".
    systems, segments, judges : sequence of str
        Distinct names.
    system, segment, judge : array_like of int, shape (t,)
        Indices into the three lists.
    score : array_like of float, shape (t,)
        The judgment; never missing.
    higher_is_better : bool, default True
    groups : sequence of str, optional
        The document of each segment.
    notes : sequence of str
    direction_doubt : str, optional
        As in :class:`~betterthan.tables.scores.Scores`.

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
    direction_doubt: str = ""

    def __post_init__(self) -> None:
        put = object.__setattr__
        put(self, "name", text(self.name, what="metric"))
        put(self, "score", float_array(self.score, shape=(None,), what="Judgments"))
        t = self.score.size
        for many, one in (("systems", "system"), ("segments", "segment"), ("judges", "judge")):
            names = labels(getattr(self, many), what=one)
            put(self, many, names)
            put(self, one, index_array(getattr(self, one), length=t, below=len(names), what=one))
        if np.isnan(self.score).any():
            first = int(np.flatnonzero(np.isnan(self.score))[0]) + 1
            raise TableError(f"Judgment {first} has no score. Leave out rows without a score.")
        put(self, "higher_is_better", flag(self.higher_is_better, what="higher_is_better"))
        put(self, "groups", group_labels(self.groups, n_segments=len(self.segments)))
        put(self, "notes", note_texts(self.notes, system=self.systems, judge=self.judges))

    @property
    def n_judgements(self) -> int:
        """Number of judgments, t."""
        return self.score.size

    @property
    def direction(self) -> str:
        """The direction in words, as in :attr:`Scores.direction`."""
        return direction_words(higher=self.higher_is_better, doubt=self.direction_doubt)

    @property
    def digest(self) -> str:
        """Eight hexadecimal digits that change whenever a label or a judgment does."""
        labelled = (self.name, self.systems, self.segments, self.judges, self.higher_is_better, self.groups)
        return digest(labelled, self.system, self.segment, self.judge, self.score)

    def standardized(self) -> Ratings:
        """Return the ratings with each judge's scores shifted to mean 0 and scaled to standard deviation 1.

        Done for each judge over everything they judged, before repeated judgments are averaged. The standard
        deviation divides by the number of the judge's judgments minus one. A judge with a single judgment,
        or who always gives the same score, carries no information on differences: these rows are left out and counted
        in the notes.
        """
        n_judges = len(self.judges)
        count = np.bincount(self.judge, minlength=n_judges)
        mean = np.bincount(self.judge, weights=self.score, minlength=n_judges) / np.maximum(count, 1)
        centred = self.score - mean[self.judge]
        spread = np.sqrt(
            np.bincount(self.judge, weights=centred**2, minlength=n_judges) / np.maximum(count - 1, 1)
        )
        # A constant judge's centered scores are rounding noise, not exact zeros, so the scores are compared.
        any_score = np.zeros(n_judges)
        any_score[self.judge] = self.score
        differing = np.bincount(self.judge, weights=self.score != any_score[self.judge], minlength=n_judges)
        flat = (differing == 0) | (spread == 0)
        keep = ~flat[self.judge]
        silent = [self.judges[i] for i in np.flatnonzero(flat & (count > 0))]
        note = (
            f"{int((~keep).sum())} judgments left out: judges whose scores do not vary ({some_of(silent)})."
        )
        z = centred / np.where(flat, 1.0, spread)[self.judge]
        kept = self._rows(keep, score=z[keep])
        return replace(kept, notes=(*self.notes, note)) if silent else kept

    def _rows(self, keep: BoolArray, *, score: FloatArray) -> Ratings:
        return replace(
            self, system=self.system[keep], segment=self.segment[keep], judge=self.judge[keep], score=score
        )

    def without(self, judges: Sequence[str], *, because: str = "on request") -> Ratings:
        """Return the ratings without these judges, with a note on what was removed.

        Parameters
        ----------
        judges : sequence of str
            Names; the others keep their order.
        because : str
            The reason, for the note.

        Raises
        ------
        UnknownName
            When there is no such judge.
        TableError
            When no judge would be left.

        Examples
        --------
        >>> ratings = Ratings(name="DA", systems=["A"], segments=["1"], judges=["x", "y"],
        ...                   system=[0, 0], segment=[0, 0], judge=[0, 1], score=[70, 40])
        >>> ratings.without(["x"]).notes
        ('1 of 2 judgments left out: judges x, on request.',)
        """
        gone = positions(tuple(judges), self.judges, what="judge")
        stays = np.full(len(self.judges), True)
        stays[gone] = False
        if stays.all():
            return self
        if not stays.any():
            raise TableError("No judge would be left. Keep at least one, or relax the rule.")
        keep = stays[self.judge]
        lost = f"{int((~keep).sum())} of {keep.size} judgments"
        note = f"{lost} left out: judges {some_of([self.judges[i] for i in np.unique(gone)])}, {because}."
        return replace(
            self._rows(keep, score=self.score[keep]),
            judges=tuple(name for name, stay in zip(self.judges, stays.tolist(), strict=True) if stay),
            judge=(np.cumsum(stays) - 1)[self.judge[keep]],
            notes=(*self.notes, note),
        )

    def without_items(self, *, systems: Sequence[str] = (), segments: Sequence[str] = ()) -> Ratings:
        """Return the ratings without these systems and segments, such as control items, and count them in a note.

        Examples
        --------
        >>> ratings = Ratings(name="DA", systems=["A", "A#bad"], segments=["1"], judges=["x"],
        ...                   system=[0, 1], segment=[0, 0], judge=[0, 0], score=[70, 40])
        >>> ratings.without_items(systems=["A#bad"]).systems
        ('A',)
        """
        gone = positions(tuple(systems), self.systems, what="system")
        away = positions(tuple(segments), self.segments, what="segment")
        rows, columns = np.full(len(self.systems), True), np.full(len(self.segments), True)
        rows[gone], columns[away] = False, False
        if rows.all() and columns.all():
            return self
        keep = rows[self.system] & columns[self.segment]
        names = some_of([*(self.systems[i] for i in gone), *(self.segments[i] for i in away)])
        places = np.flatnonzero(columns)
        return replace(
            self._rows(keep, score=self.score[keep]),
            systems=at(np.flatnonzero(rows), self.systems),
            segments=at(places, self.segments),
            system=(np.cumsum(rows) - 1)[self.system[keep]],
            segment=(np.cumsum(columns) - 1)[self.segment[keep]],
            groups=None if self.groups is None else at(places, self.groups),
            notes=(
                *self.notes,
                f"{int((~keep).sum())} of {keep.size} judgments left out: those of {names}.",
            ),
        )

    def to_scores(self, *, min_judgements: int = 1) -> Scores:
        """Return the mean judgment of each segment of each system; NaN where there is none.

        Parameters
        ----------
        min_judgements : int, default 1
            Cells with fewer judgments become NaN, and a note counts them.

        Notes
        -----
        A direct assessment (recognized by the name: DA, adequacy, fluency) in which segments have fewer than 15
        judgments gets a note, because scores of single segments made from fewer are not reproducible [1]_.

        References
        ----------
        .. [1] Ma, Wei, Bojar and Graham (2019), Results of the WMT19 metrics shared task, WMT.
        """
        total, count = self._sums()
        enough = count >= _whole(min_judgements)
        with np.errstate(invalid="ignore"):
            values = np.where(enough & (count > 0), total / count, np.nan)
        notes = (
            _about_few(count, min_judgements),
            _about_reliability(self.name, count[enough & (count > 0)]),
        )
        return Scores(
            name=self.name,
            systems=self.systems,
            segments=self.segments,
            values=values,
            higher_is_better=self.higher_is_better,
            groups=self.groups,
            notes=(*self.notes, *(note for note in notes if note and note not in self.notes)),
            direction_doubt=self.direction_doubt,
        )

    def _sums(self) -> tuple[FloatArray, FloatArray]:
        shape = (len(self.systems), len(self.segments))
        cell = self.system * shape[1] + self.segment
        total = np.bincount(cell, weights=self.score, minlength=shape[0] * shape[1])
        count = np.bincount(cell, minlength=shape[0] * shape[1])
        return total.reshape(shape).astype(np.float64), count.reshape(shape).astype(np.float64)

    def to_matches(
        self, *, margin: float = 25, keep_ties: bool = False, texts: Texts | None = None
    ) -> Matches:
        """Return every pair of systems judged on the same segment as a match.

        Parameters
        ----------
        margin : float, default 25
            A pair counts as decided when the mean judgments differ by at least this much (the WMT
            relative-ranking rule; zero keeps every difference).
        keep_ties : bool, default False
            Keep the closer pairs as ties instead of leaving them out.
        texts : Texts, optional
            The outputs. Two systems with the same text on a segment are tied there, however much their scores differ;
            like other ties they are left out unless `keep_ties`. A note counts them.

        Notes
        -----
        The documents of the segments become the groups of the matches.
        """
        blocks = list(self._meetings(margin, texts))
        left, right, segment, outcome, same, apart = (
            np.concatenate(column) for column in zip(*blocks, strict=True)
        )
        tied = outcome == 0.5
        keep = np.full(tied.size, True) if keep_ties else ~tied
        said = "kept as ties" if keep_ties else "left out"
        notes = [f"{int((tied & ~apart).sum()):,} of {tied.size:,} pairs closer than {margin:g} were {said}."]
        if texts is not None:
            notes.append(
                f"{int(same.sum()):,} of {tied.size:,} pairs have identical outputs; {int((same & apart).sum())} of "
                f"these were judged {margin:g} or more apart and were {said}."
            )
        return Matches(
            systems=self.systems,
            left=left[keep],
            right=right[keep],
            outcome=outcome[keep],
            segment=segment[keep],
            segments=self.segments,
            group=None if self.groups is None else _codes(self.groups)[segment[keep]],
            notes=(*self.notes, *notes),
        )

    def kept_by_margin(self, margins: npt.ArrayLike) -> FloatArray:
        """Return the share of pairs that each margin keeps, of all pairs judged on the same segment.

        Parameters
        ----------
        margins : array_like of float, shape (k,)
            As in :meth:`to_matches`.

        Returns
        -------
        array, shape (k,)
            NaN when no two systems were judged on the same segment.

        Notes
        -----
        This is the curve of figure 1 of [1]_: a larger margin keeps fewer but more reliable pairs.

        References
        ----------
        .. [1] Stanchev, Wang and Ney (2020), Towards a better evaluation of metrics for machine translation, WMT.

        Examples
        --------
        >>> ratings = Ratings(name="DA", systems=["A", "B", "C"], segments=["1"], judges=["x"],
        ...                   system=[0, 1, 2], segment=[0, 0, 0], judge=[0, 0, 0], score=[70, 40, 50])
        >>> ratings.kept_by_margin([1, 25]).round(3).tolist()
        [1.0, 0.333]
        """
        wanted = float_array(margins, shape=(None,), what="Margins")
        for margin in wanted.tolist():
            check_margin(margin)
        return shares_kept(self.to_scores().goodness, wanted, noise=self._noise)

    @property
    def _noise(self) -> float:
        # The same judgments in another order have a mean that differs in its last digits.
        return 1e-12 * float(np.abs(self.score).max(initial=0.0))

    def _meetings(self, margin: float, texts: Texts | None) -> Iterator[Meetings]:
        check_margin(margin)
        goodness = self.to_scores().goodness
        codes = (
            np.full(goodness.shape, -1)
            if texts is None
            else text_codes(texts, systems=self.systems, segments=self.segments)
        )
        for left in range(len(self.systems)):
            yield meetings(goodness, codes, left, margin=margin, noise=self._noise)

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
            "direction_doubt": self.direction_doubt,
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        """Make the table from :meth:`to_dict`'s data."""
        return cls(**fields_from(data, cls, kind="ratings"))

    def __repr__(self) -> str:
        size = (
            f"{self.n_judgements:,} judgments of {len(self.systems)} systems × {len(self.segments)} segments"
        )
        return f"Ratings({self.name!r}, {size} by {len(self.judges)} judges)"


def _whole(count: object) -> int:
    if not isinstance(count, int | np.integer) or isinstance(count, bool) or count < 1:
        raise TableError(f"min_judgements must be a positive integer, not {count!r}.")
    return int(count)


def _about_few(count: FloatArray, least: int) -> str:
    few, judged = int(((count > 0) & (count < least)).sum()), int((count > 0).sum())
    return f"{few} of {judged} judged cells left empty: fewer than {least} judgments." if few else ""


def _about_reliability(name: str, count: FloatArray) -> str:
    if not _DIRECT_ASSESSMENT.search(name) or not (count < ENOUGH_JUDGEMENTS).any():
        return ""
    return (
        f"A segment of a system has {np.median(count):g} judgments (median). Direct assessments of single segments "
        f"are not reliable with fewer than {ENOUGH_JUDGEMENTS}; means over many segments are."
    )


def _codes(names: tuple[str, ...]) -> IntArray:
    """Return the index of each name among the distinct ones, in the order in which they appear."""
    known = {name: i for i, name in enumerate(dict.fromkeys(names))}
    return np.array([known[name] for name in names], dtype=np.int64)
