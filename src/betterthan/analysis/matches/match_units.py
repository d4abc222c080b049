"""Units of independence among matches: judges or sessions, questions, or single matches.

Bradley–Terry with covariates (style control): the fit at equal covariates, and its coefficients in words.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from scipy.special import ndtr, ndtri, stdtr, stdtrit

from betterthan.arrays import BoolArray, FloatArray, IntArray, numbered
from betterthan.errors import BetterThanError, some_of
from betterthan.kernels.comparisons.covariates import (
    bradley_terry_covariates,
    clustered_covariate_fit,
    covariate_covariance,
)
from betterthan.kernels.resampling.clustered import FewClusters, ManyClusters
from betterthan.messages import Message, Option
from betterthan.results.pairwise import Effects
from betterthan.results.settings import few_note
from betterthan.tables.matches import Matches

FEWEST_SEGMENTS = 5
_MEANINGS = {"group": "judges or sessions", "segment": "questions"}


class MatchUnit(NamedTuple):
    """Units of independence: their kind, and the unit of each row."""

    name: str
    code: IntArray


def units_of_matches(matches: Matches) -> tuple[MatchUnit, ...]:
    """Return the clusters of the errors: groups where there are any, and segments that occur in several rows.

    Battles of one judge are correlated, and so are battles over one question: both orders of it, several judges,
    several pairs of systems. Segments are left out where they are too few to estimate their variance, and where they
    are nested in groups, which then account for their correlation.

    Examples
    --------
    >>> rows = {"left": [0] * 10, "right": [1] * 10, "outcome": [1, 0] * 5}
    >>> matches = Matches(systems=["A", "B"], **rows, segment=[0, 0, 1, 1, 2, 2, 3, 3, 4, 4])
    >>> [unit.name for unit in units_of_matches(matches)]
    ['segment']
    """
    units = [] if matches.group is None else [MatchUnit("group", matches.group)]
    if matches.segment is None:
        return tuple(units)
    used = matches.weight > 0
    segment, n_segments = numbered(matches.segment[used])
    if FEWEST_SEGMENTS <= n_segments < used.sum():
        units.append(MatchUnit("segment", matches.segment))
    if len(units) == 2 and _are_nested(segment, n_segments, units[0].code[used]):
        units.pop()
    return tuple(units)


def _are_nested(segment: IntArray, n_segments: int, group: IntArray) -> bool:
    """Whether all rows of each segment have the same group."""
    group_of_segment = np.zeros(n_segments, dtype=group.dtype)
    group_of_segment[segment] = group
    return bool((group_of_segment[segment] == group).all())


def unit_sizes(unit: MatchUnit, matches: Matches) -> FloatArray:
    """Total weight of the matches of each nonempty unit."""
    sizes = np.bincount(numbered(unit.code)[0], matches.weight)
    return np.asarray(sizes[sizes > 0], dtype=np.float64)


def crossed(units: Sequence[MatchUnit]) -> IntArray:
    """Number the combinations of two kinds of units."""
    (first, _), (second, n_second) = (numbered(unit.code) for unit in units)
    return np.asarray(first * max(n_second, 1) + second)


def _even_units(sizes: FloatArray) -> float:
    """Effective number of units: how many of equal size would be equally informative."""
    return float(sizes.sum() ** 2 / (sizes**2).sum())


def match_unit_note(matches: Matches) -> str:
    """Return a note on the units, their number, and their effective number when they are uneven; empty without any."""
    words = []
    for unit in units_of_matches(matches):
        sizes = unit_sizes(unit, matches)
        worth = _even_units(sizes)
        uneven = f"; effective number {worth:.3g}" if worth < 0.8 * sizes.size else ""
        words.append(f"{sizes.size:,} {unit.name}s ({_MEANINGS[unit.name]}{uneven})")
    if not words:
        return ""
    return f"Units: {' and '.join(words)}; battles that share one are not independent."


def match_units(matches: Matches) -> dict[str, Any]:
    """Return the fields of a table of pairs that describe the units of independence."""
    units = units_of_matches(matches)
    if not units:
        return {"units": "matches", "n_units": round(matches.n_matches)}
    fewest = min(unit_sizes(unit, matches).size for unit in units)
    return {"units": "clusters", "n_units": fewest, "unit_note": match_unit_note(matches)}


def thin_note(
    systems: Sequence[str], degrees: FloatArray, units: Sequence[MatchUnit], matches: Matches
) -> tuple[str, ...]:
    """Return notes on few units, and on systems that cannot be assessed because all matches come from one judge."""
    counts: dict[tuple[str, str], int] = {}
    for unit in units:
        meaning = _MEANINGS[unit.name]
        names = f"{unit.name} ({meaning})", f"{unit.name}s ({meaning})"
        counts[names] = unit_sizes(unit, matches).size
    return (*few_note(counts), *_lone_note(systems, degrees, units, matches))


def _lone_note(
    systems: Sequence[str], degrees: FloatArray, units: Sequence[MatchUnit], matches: Matches
) -> tuple[str, ...]:
    unknown = np.isnan(degrees) & ~np.eye(len(degrees), dtype=bool)
    if not unknown.any():
        return ()
    for unit in units:
        seen = [np.unique(unit.code[of]).size for of in _rows_of_systems(matches, systems)]
        thin = [name for name, n, row in zip(systems, seen, unknown, strict=True) if n == 1 and row.any()]
        if thin:
            one = "it is" if len(thin) == 1 else "they are"
            text = (
                f"All matches of {some_of(thin, limit=3)} belong to one {unit.name}, so {one} confounded with that "
                f"{unit.name}'s preferences: p-values and intervals are not available."
            )
            return (text,)
    first, second = (systems[int(i)] for i in np.argwhere(np.triu(unknown))[0])
    n = int(np.triu(unknown).sum())
    text = (
        f"{n:,} {'pair is' if n == 1 else 'pairs are'} connected through one {units[0].name} only, such as {first} and "
        f"{second}: p-values and intervals are not available for these."
    )
    return (text,)


def _rows_of_systems(matches: Matches, systems: Sequence[str]) -> list[BoolArray]:
    index = [matches.systems.index(name) for name in systems]
    used = matches.weight > 0
    return [((matches.left == i) | (matches.right == i)) & used for i in index]


Clustering = FewClusters | ManyClusters


class Style(NamedTuple):
    """Effects of the covariates.

    Attributes
    ----------
    names : tuple of str
    coefficients, errors : array, shape (c,)
        Change of the log odds that the left system wins, per standard deviation of each covariate.
    degrees : array, shape (c,)
        Degrees of freedom of the errors; infinite without clusters.
    """

    names: tuple[str, ...]
    coefficients: FloatArray
    errors: FloatArray
    degrees: FloatArray


class StyledFit(NamedTuple):
    """Log strengths at equal covariates, the joint covariance of strengths and coefficients, and the coefficients."""

    log_strength: FloatArray
    covariance: FloatArray
    clusterings: tuple[Clustering, ...]
    style: Style


def refuse_covariates(matches: Matches, by: str, *, ties: str, prior: float, interval: str) -> None:
    """Raise where covariates would be ignored or are not supported."""
    if matches.covariates is None:
        return
    if by != "bradley_terry":
        raise BetterThanError(
            Message(
                "Covariates cannot be adjusted for with {given}. Use {by}, or leave the covariates out.",
                given=Option("by", by),
                by=Option("by", "bradley_terry"),
            )
        )
    if ties in ("davidson", "rao_kupper"):
        raise BetterThanError(
            Message(
                "Covariates cannot be combined with {given}. Use {half} or {drop}.",
                given=Option("ties", ties),
                half=Option("ties", "half"),
                drop=Option("ties", "drop"),
            )
        )
    if prior:
        raise BetterThanError(
            Message(
                "Covariates cannot be combined with {prior}. Leave out one of them.",
                prior=Option("prior", prior),
            )
        )
    if interval == "percentile":
        raise BetterThanError(
            Message(
                "Covariates cannot be combined with {given}. Use {robust}.",
                given=Option("interval", "percentile"),
                robust=Option("interval", "robust"),
            )
        )


def fit_with_covariates(
    left: IntArray,
    right: IntArray,
    outcome: FloatArray,
    weight: FloatArray,
    covariates: FloatArray,
    *,
    units: Sequence[IntArray],
    n_systems: int,
    names: tuple[str, ...],
) -> StyledFit:
    r"""Fit log strengths at equal covariates, with their covariance clustered by `units`.

    Covariates are divided by their root mean square, which is invariant to swapping the sides of a match; they are not
    centered, because a constant would favor one side:

    .. math:: s_j = \sqrt{\sum_r w_r x_{rj}^2 / \sum_r w_r}
    """
    scale = np.sqrt(weight @ covariates**2 / weight.sum())
    # Scaling affects reporting only; the kernel rejects a covariate that is always 0.
    scaled = covariates / np.where(scale > 0, scale, 1.0)
    fit = bradley_terry_covariates(left, right, outcome, scaled, n_systems=n_systems, weight=weight)
    rows = left, right, outcome, scaled
    by = tuple(clustered_covariate_fit(fit, *rows, cluster=unit, weight=weight) for unit in units)
    if not by:
        covariance = covariate_covariance(fit, *rows, weight=weight)
    elif len(by) == 1:
        covariance = by[0].covariance
    else:
        cells = np.unique(np.column_stack(list(units)), axis=0, return_inverse=True)[1].reshape(-1)
        both = clustered_covariate_fit(fit, *rows, cluster=cells, weight=weight)
        covariance = two_way(by[0].covariance, by[1].covariance, both.covariance)
    own = np.eye(len(covariance))[n_systems:]
    degrees = np.min([one.degrees(own) for one in by], axis=0) if by else np.full(len(own), np.inf)
    # As for strengths, the largest error: with two ways that of their combination can be near 0 by chance.
    variances = [np.diagonal(table)[n_systems:] for table in (covariance, *(one.covariance for one in by))]
    errors = np.sqrt(np.max(variances, axis=0))
    style = Style(names=names, coefficients=fit.coefficients, errors=errors, degrees=degrees)
    return StyledFit(fit.log_strength, covariance, by, style)


def two_way(first: FloatArray, second: FloatArray, both: FloatArray) -> FloatArray:
    """Covariance with two-way clustering, such as by judge and by question.

    The sum of the two one-way covariances minus that of the intersection [1]_; negative eigenvalues are set to 0, as
    proposed there.

    References
    ----------
    .. [1] Cameron, Gelbach, Miller (2011), Robust inference with multiway clustering, Journal of Business & Economic
       Statistics 29.

    Examples
    --------
    >>> two_way(np.diag([3.0, 1.0]), np.diag([2.0, 1.0]), np.diag([1.0, 3.0]))
    array([[4., 0.],
           [0., 0.]])
    """
    values, vectors = np.linalg.eigh(first + second - both)
    return np.asarray((vectors * np.maximum(values, 0)) @ vectors.T)


def effects_of(style: Style | None, confidence: float) -> Effects | None:
    """Return the effects of covariates with their intervals and p-values.

    Examples
    --------
    >>> style = Style(("length",), np.array([0.31]), np.array([0.03]), np.array([np.inf]))
    >>> effects = effects_of(style, 0.95)
    >>> effects.low.round(3), effects.high.round(3), effects.pvalue.round(4)
    (array([0.251]), array([0.369]), array([0.]))
    """
    if style is None:
        return None
    tail, endless = (1 - confidence) / 2, np.isinf(style.degrees)
    degrees = np.where(endless, 1.0, style.degrees)
    reach = np.where(endless, -ndtri(tail), -stdtrit(degrees, tail)) * style.errors
    with np.errstate(divide="ignore", invalid="ignore"):
        z = np.abs(style.coefficients) / style.errors
    return Effects(
        names=style.names,
        log_odds=style.coefficients,
        low=style.coefficients - reach,
        high=style.coefficients + reach,
        pvalue=2 * np.where(endless, ndtr(-z), stdtr(degrees, -z)),
    )


def style_notes(style: Style | None, confidence: float) -> tuple[str, ...]:
    """Return a note on the effect of each covariate on the odds.

    Examples
    --------
    >>> style = Style(("length",), np.array([0.31]), np.array([0.03]), np.array([np.inf]))
    >>> style_notes(style, 0.95)
    ('length: log odds +0.31 per standard deviation (95% CI +0.251 to +0.369).',)
    """
    effects = effects_of(style, confidence)
    if effects is None:
        return ()
    rows = zip(effects.names, effects.log_odds, effects.low, effects.high, strict=True)
    return tuple(
        f"{name}: log odds {b:+.3g} per standard deviation ({100 * confidence:g}% CI {a:+.3g} to {c:+.3g})."
        for name, b, a, c in rows
    )
