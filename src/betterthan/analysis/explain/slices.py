"""How do two systems compare in every part of the test set, and in which is their order reversed?"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from scipy.special import stdtrit

from betterthan.analysis.compare.mechanisms import mean_difference, permutation_test, winner_of
from betterthan.analysis.pairs.effects import clustered_mean_differences
from betterthan.analysis.units import UnitName, Units, units_of
from betterthan.arrays import FloatArray, IntArray
from betterthan.errors import TableError, some_of
from betterthan.kernels.significance.pvalues import adjusted
from betterthan.results.explanation import Slice
from betterthan.tables.row_order import check_identity
from betterthan.tables.scores import Scores
from betterthan.tables.texts import Texts


class SlicePart(NamedTuple):
    """Some of the segments, and why they belong together."""

    by: str
    value: str
    limits: str
    members: IntArray


class Lengths(NamedTuple):
    """How long each segment is, and in what unit."""

    values: FloatArray
    unit: str


def reversed_slices(
    x: FloatArray,
    y: FloatArray,
    names: tuple[str, str],
    parts: Sequence[SlicePart],
    units: Units,
    *,
    alpha: float,
) -> tuple[Slice, ...]:
    """Return the parts in which the order of the means is reversed, smallest adjusted p-value first.

    Every part is tested, reversed or not, with Holm's correction over all of them: among many parts some are reversed
    by chance. A single document is not tested where documents are the units.

    Parameters
    ----------
    x, y : array, shape (n,)
        Goodness of the two systems, complete.
    names : (str, str)
    parts : sequence of SlicePart
    units : Units
        What the tests swap as one.
    alpha : float
    """
    lead = mean_difference(x, y)
    effects = [mean_difference(x[part.members], y[part.members]) for part in parts]
    pvalues = np.array([part_pvalue(x - y, part, units) for part in parts])
    corrected = adjusted(pvalues, correction="holm")
    found = [
        Slice(
            by=part.by,
            value=part.value,
            limits=part.limits,
            n_segments=part.members.size,
            effect=effect,
            winner=winner_of(effect, names) or "",
            pvalue=float(pvalue),
            adjusted=float(corrected_p),
            is_significant=bool(corrected_p <= alpha),
        )
        for part, effect, pvalue, corrected_p in zip(parts, effects, pvalues, corrected, strict=True)
        if effect * lead < 0
    ]
    return tuple(sorted(found, key=_most_certain))


def _most_certain(part: Slice) -> tuple[float, float, float, str, str]:
    """Smallest p-values first, then the parts that were not tested."""
    adjusted_p, pvalue = (math.inf if math.isnan(p) else p for p in (part.adjusted, part.pvalue))
    return adjusted_p, pvalue, -abs(part.effect), part.by, part.value


def part_pvalue(gaps: FloatArray, part: SlicePart, units: Units) -> float:
    """P-value of the mean difference in a part; NaN where it is one document and documents are the units."""
    inside = gaps[part.members]
    if units.are_segments:
        return permutation_test(inside).pvalue
    here = part_units(part, units)
    return permutation_test(here.summed(inside[None])[0]).pvalue if here.n_units > 1 else math.nan


def part_units(part: SlicePart, units: Units) -> Units:
    """The units of the segments of a part."""
    present, codes = np.unique(units.of_segment[part.members], return_inverse=True)
    return Units(codes, present.size)


def parts_of(scores: Scores, pair: Scores, lengths: Lengths | None) -> list[SlicePart]:
    """Return all parts to examine: groups, thirds of difficulty, thirds of length.

    Parameters
    ----------
    scores : Scores
        All systems, for the difficulty of segments.
    pair : Scores
        The two systems on the segments both have.
    lengths : Lengths, optional
        Of the segments of `scores`.
    """
    place = {segment: i for i, segment in enumerate(scores.segments)}
    columns = np.array([place[segment] for segment in pair.segments])
    parts = _groups(pair)
    # Whether two systems are right says by itself on which segments they differ.
    if scores.n_systems > 2 or not pair.is_binary:
        parts += thirds("difficulty", difficulty(scores, pair)[columns], _DIFFICULTY)
    if lengths is not None:
        parts += thirds("length", lengths.values[columns], _LENGTH, unit=lengths.unit)
    return parts


_DIFFICULTY = ("hardest third", "middle third", "easiest third")
_LENGTH = ("shortest third", "middle third", "longest third")


def difficulty(scores: Scores, pair: Scores) -> FloatArray:
    """Mean goodness of each segment over the systems other than the pair, or over the pair when there are no others.

    Segments selected by the very scores that are compared would be subject to regression to the mean, so difficulty is
    measured by other systems wherever there are any.
    """
    others = [i for i, name in enumerate(scores.systems) if name not in pair.systems]
    rows = scores.goodness[others] if others else scores.goodness
    # In order of size, so that the order of systems does not move the last bit.
    known = (~np.isnan(rows)).sum(axis=0)
    return np.asarray(np.nansum(np.sort(rows, axis=0), axis=0) / np.where(known > 0, known, np.nan))


def _groups(pair: Scores) -> list[SlicePart]:
    if pair.groups is None:
        return []
    names = sorted(set(pair.groups))
    if len(names) < 2 or len(names) == len(pair.groups):
        return []
    place = {name: i for i, name in enumerate(names)}
    codes = np.array([place[name] for name in pair.groups])
    # Indices, because a mask for each of thousands of documents would take thousands of times the memory.
    order = np.argsort(codes, kind="stable")
    ends = np.bincount(codes).cumsum()
    return [
        SlicePart("group", name, "", members)
        for name, members in zip(names, np.split(order, ends[:-1]), strict=True)
    ]


def thirds(
    by: str, values: FloatArray, names: tuple[str, str, str], *, unit: str | None = None
) -> list[SlicePart]:
    """Split segments into a lower, a middle and an upper third of `values`; equal values stay together.

    Parameters
    ----------
    by : str
    values : array, shape (n,)
        NaN belongs to no third.
    names : (str, str, str)
        Of the lower, middle and upper third.
    unit : str, optional
        When given, the limits of each third are named in it.

    Examples
    --------
    >>> for part in thirds("length", np.array([5.0, 9, 9, 12, 30, 31]), _LENGTH, unit="words"):
    ...     print(f"{part.value}: {part.limits}")
    shortest third: 5 to 9 words
    middle third: 12 words
    longest third: 30 to 31 words
    """
    known = values[~np.isnan(values)]
    if known.size == 0:
        return []
    low, high = np.quantile(known, [1 / 3, 2 / 3], method="inverted_cdf")
    bands = (values <= low, (values > low) & (values <= high), values > high)
    parts = [
        SlicePart(by, name, "" if unit is None else _limits(values[members], unit), np.nonzero(members)[0])
        for name, members in zip(names, bands, strict=True)
        if members.any()
    ]
    return parts if len(parts) > 1 else []


def _limits(values: FloatArray, unit: str) -> str:
    low, high = float(values.min()), float(values.max())
    return f"{low:g}{f' to {high:g}' if high > low else ''} {unit}".rstrip()


def lengths_of(
    scores: Scores, texts: Texts | None, lengths: Sequence[float] | Mapping[str, float] | None
) -> Lengths | None:
    """Return the length of each segment of `scores`, from texts or as passed, or None when neither is available.

    Texts are measured by their source, else by the first reference, else by the mean of all outputs; in words, or
    in characters where most texts have no spaces.
    """
    if lengths is not None and texts is not None:
        raise TableError("Both texts and lengths are given. Pass only one of them.")
    if lengths is not None:
        return Lengths(_as_given(scores, lengths), "")
    return None if texts is None else _measured(scores, texts)


def _as_given(scores: Scores, lengths: Sequence[float] | Mapping[str, float]) -> FloatArray:
    if isinstance(lengths, Mapping):
        _same_segments(scores, tuple(lengths), "lengths")
        return np.array([float(lengths[segment]) for segment in scores.segments])
    if len(lengths) != scores.n_segments:
        raise TableError(
            f"There are {len(lengths)} lengths for {scores.n_segments} segments; one per segment is needed."
        )
    return np.array(lengths, dtype=np.float64)


def _measured(scores: Scores, texts: Texts) -> Lengths:
    check_identity([scores, texts], names=[scores.name, "texts"])
    _same_segments(scores, texts.segments, "texts")
    chosen = texts.select(segments=scores.segments)
    lines = _texts_to_measure(chosen)
    spaced = sum(" " in text.strip() for column in lines for text in column)
    words = 2 * spaced >= sum(len(column) for column in lines)
    sizes = [[len(text.split()) if words else len(text) for text in column] for column in lines]
    return Lengths(np.array(sizes, dtype=np.float64).mean(axis=0), "words" if words else "characters")


def _texts_to_measure(texts: Texts) -> Sequence[Sequence[str]]:
    if texts.sources is not None:
        return [texts.sources]
    return texts.references[:1] or [[text or "" for text in output] for output in texts.outputs]


def _same_segments(scores: Scores, known: tuple[str, ...], what: str) -> None:
    there = set(known)
    absent = [segment for segment in scores.segments if segment not in there]
    if absent:
        raise TableError(
            f'{len(absent)} of {scores.n_segments} segments of "{scores.name}" have no {what} '
            f"({some_of(absent)}). Name the segments alike in both."
        )


class SliceEffect(NamedTuple):
    """Two systems in one part of the test set.

    Attributes
    ----------
    by, value, limits : str
        The variable that the segments were split by, the part, and its limits.
    n_segments : int
    effect, low, high : float
        Mean difference, positive when the first system is better, and its interval from Student's t.
    pvalue, adjusted : float
        Permutation test in this part, before and after Holm's correction over all parts. A single document has
        neither test nor interval where documents are the units.
    is_reversed : bool
        Whether the mean difference has the other sign than over all segments.
    """

    by: str
    value: str
    limits: str
    n_segments: int
    effect: float
    low: float
    high: float
    pvalue: float
    adjusted: float
    is_reversed: bool


def slice_effects(
    scores: Scores,
    a: str,
    b: str,
    *,
    texts: Texts | None = None,
    units: UnitName = "auto",
    alpha: float = 0.05,
) -> tuple[SliceEffect, ...]:
    """Compare `a` with `b` in each document, third of difficulty and, with texts, third of length.

    Among many parts some are reversed by chance, so p-values are corrected over all parts.

    Parameters
    ----------
    scores : Scores
        All systems: those other than a and b determine which segments are hard.
    a, b : str
    texts : Texts, optional
        For parts by length.
    units : {"auto", "segments", "groups"}, default "auto"
        What the tests swap as one: as in :func:`betterthan.compare`.
    alpha : float, default 0.05
        Each interval has confidence level 1 − alpha.

    Examples
    --------
    >>> scores = Scores(name="m", systems=["A", "B"], segments=list("123456"), groups=list("xxxyyy"),
    ...                 values=[[3, 3, 4, 1, 1, 2], [1, 2, 1, 2, 2, 2]])
    >>> [(part.value, round(part.effect, 2), part.is_reversed) for part in slice_effects(scores, "A", "B")[:2]]
    [('x', 2.0, False), ('y', -0.67, True)]
    """
    pair = scores.select([a, b]).complete(missing="drop")
    first, second = pair.goodness
    lead = mean_difference(first, second)
    parts = parts_of(scores, pair, lengths_of(scores, texts, None))
    chosen, gaps = units_of(pair, units), first - second
    pvalues = np.array([part_pvalue(gaps, part, chosen) for part in parts])
    corrected = adjusted(pvalues, correction="holm") if parts else pvalues
    found = []
    for part, p, q in zip(parts, pvalues.tolist(), corrected.tolist(), strict=True):
        effect = mean_difference(first[part.members], second[part.members])
        half = _half_width(pair.goodness[:, part.members], part_units(part, chosen), alpha)
        found.append(
            SliceEffect(
                part.by,
                part.value,
                part.limits,
                part.members.size,
                effect,
                effect - half,
                effect + half,
                p,
                q,
                effect * lead < 0,
            )
        )
    return tuple(found)


def _half_width(goodness: FloatArray, units: Units, alpha: float) -> float:
    if units.n_units < 2:
        return math.nan
    if units.are_segments:
        gap = goodness[0] - goodness[1]
        error, degrees = float(np.std(gap, ddof=1)) / math.sqrt(gap.size), gap.size - 1.0
    else:
        _, errors, degrees = clustered_mean_differences(goodness, units)
        error = float(errors[0, 1])
    return float(stdtrit(degrees, 1 - alpha / 2)) * error
