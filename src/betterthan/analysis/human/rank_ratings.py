"""Rank systems by human judgments that do not cover every segment of every system."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from betterthan.analysis.matches.matches import critical_values, upper_tail
from betterthan.analysis.pairs.pairwise import PairFindings, pairwise_table
from betterthan.analysis.strengths.ranking import RankOptions, SystemStrengths, ranking
from betterthan.analysis.table_argument import AnyData, as_judgements
from betterthan.analysis.units import UnitName, Units, unit_note, units_of
from betterthan.arrays import FloatArray
from betterthan.errors import NotEstimable, TableError
from betterthan.kernels.comparisons.sandwich import difference_errors
from betterthan.kernels.comparisons.wins import win_counts
from betterthan.kernels.judges.adjusted_means import AdjustedMeans, adjusted_means, available_means
from betterthan.kernels.significance.pvalues import pairwise_pvalues
from betterthan.results.pairwise import MEAN_DIFFERENCE, PairwiseTable
from betterthan.results.ranking import Ranking
from betterthan.tables.ratings import Ratings
from betterthan.tables.scores import Scores


class _Fitted(NamedTuple):
    means: AdjustedMeans
    method: str
    note: str


def rank_ratings(
    judgements: AnyData,
    *,
    standardize: bool = True,
    adjust: bool = True,
    units: UnitName = "auto",
    confidence: float = 0.95,
) -> Ranking:
    r"""Rank systems by human judgments, also where systems were judged on different segments.

    Campaigns rarely cover every output. Dropping every incomplete segment would leave little, and plain means
    penalize a system for the difficult segments it happened to be judged on. Here all judgments count, and segment
    difficulty is adjusted for by least squares:

    .. math:: x_{as} = \theta_a + \beta_s + \varepsilon_{as}

    Parameters
    ----------
    judgments : Ratings or Scores, or what they are read from
        Ratings are standardized for each judge, then averaged.
    standardize : bool, default True
        Whether to standardize each judge's scores to mean 0 and standard deviation 1 first; for ratings only.
    adjust : bool, default True
        Whether to adjust means for the difficulty of segments. False gives the plain means of each system's judgments,
        as WMT campaigns print them.
    units : {"auto", "segments", "groups"}, default "auto"
        The unit that counts as independent: documents ("groups") where segments of a document are correlated.
    confidence : float, default 0.95

    Returns
    -------
    Ranking
        Its intervals use robust standard errors, clustered by segment (or document).

    Raises
    ------
    NotEstimable
        When a system was not judged at all. Systems that are not connected by shared segments, directly or through
        others, can only be compared by plain means: these are used instead, with a note.

    Notes
    -----
    Wald tests of all pairs with Student's t and Holm's correction; the degrees of freedom of a pair come from its
    shared segments (:mod:`betterthan.kernels.resampling.clustered`). With complete data the strengths are the plain
    means. Claims are about other segments and the same judges: three judges with tastes of their own, of 0.3 standard
    deviations of their scores, preferred one of several equal systems in 9 to 15% of simulated campaigns, and eight
    judges in 5 to 7%.

    References
    ----------
    .. [1] Searle (1987), Linear models for unbalanced data, Wiley.
    .. [2] Bojar et al. (2017), Findings of the 2017 conference on machine translation, WMT, section 3.

    Examples
    --------
    B was not judged on the easy segment.

    >>> import betterthan as bt
    >>> scores = bt.Scores(name="DA", systems=["A", "B"], segments=["1", "2", "3", "4"],
    ...                    values=[[90, 30, 40, 50], [float("nan"), 40, 55, 62]])
    >>> bt.rank_ratings(scores).strength.round(2).tolist(), bt.rank_ratings(scores, adjust=False).strength.tolist()
    ([64.83, 52.5], [52.5, 52.333333333333336])
    """
    judgements = as_judgements(judgements, verb="rank_ratings")
    scores, notes = _scores(judgements, standardize=standardize)
    options = RankOptions(by="mean", missing="drop", units=units, confidence=confidence)
    unit = units_of(scores, units)
    found = _fitted(scores, unit.of_segment, adjust=adjust)
    error = np.sqrt(np.maximum(np.diagonal(found.means.covariance), 0.0))
    reach = critical_values(confidence, found.means.degrees)
    pairs = _pairs(scores, found, unit, options)
    sign = scores.sign
    strengths = SystemStrengths(
        systems=scores.systems,
        method=found.method,
        unit=_unit_name(scores, standardize=standardize and isinstance(judgements, Ratings)),
        strength=sign * found.means.mean,
        low=sign * found.means.mean - reach * error,
        high=sign * found.means.mean + reach * error,
        higher_is_better=scores.higher_is_better,
        data=judgements.digest,
        n_segments=scores.n_segments,
        options={
            "standardized": standardize if isinstance(judgements, Ratings) else None,
            "units": unit.name,
        },
        notes=(*notes, found.note, *_thin_note(scores, found, unit.name)),
        drew=False,
    )
    return ranking(strengths, pairs, options)


def _scores(judgements: Ratings | Scores, *, standardize: bool) -> tuple[Scores, tuple[str, ...]]:
    if len(judgements.systems) < 2:
        raise TableError(f"There is only one system, {judgements.systems[0]}; a ranking needs two or more.")
    if isinstance(judgements, Scores):
        return judgements, judgements.notes
    table = (judgements.standardized() if standardize else judgements).to_scores()
    return table, table.notes


def _fitted(scores: Scores, unit: np.ndarray, *, adjust: bool) -> _Fitted:
    goodness = scores.goodness
    silent = [name for name, row in zip(scores.systems, goodness, strict=True) if np.isnan(row).all()]
    if silent:
        raise NotEstimable(
            f"There are no judgments of {', '.join(silent)}. Leave out systems without judgments.",
            systems=silent,
        )
    gaps = f"{scores.n_missing:,} of {goodness.size:,} outputs were not judged"
    if adjust:
        means = adjusted_means(goodness, unit)
        if not np.isnan(means.mean).any():
            note = f"{gaps}; means are adjusted for the difficulty of segments." if scores.n_missing else ""
            return _Fitted(means, "adjusted_mean", note or "Every system was judged on every segment.")
        note = f"{gaps}. Some systems share no segment with the others, so these are plain means."
        return _Fitted(available_means(goodness, unit), "mean_of_judged", note)
    note = f"{gaps}; each mean is over the judged segments, not adjusted for difficulty."
    return _Fitted(available_means(goodness, unit), "mean_of_judged", note)


def _pairs(scores: Scores, found: _Fitted, unit: Units, options: RankOptions) -> PairwiseTable:
    mean, degrees = found.means.mean, found.means.pair_degrees
    difference: FloatArray = mean[:, None] - mean[None, :]
    error = difference_errors(found.means.covariance)
    with np.errstate(divide="ignore", invalid="ignore"):
        t = np.where(error > 0, difference / error, 0.0)
    width = critical_values(options.confidence, degrees) * error
    counts = win_counts(scores.goodness)
    return pairwise_table(
        PairFindings(
            systems=scores.systems,
            goodness=mean,
            test="wald",
            effect_name=MEAN_DIFFERENCE,
            size_name="difference of means",
            effect=difference,
            low=difference - width,
            high=difference + width,
            size=difference,
            wins=counts.wins,
            ties=counts.ties,
            pvalue=pairwise_pvalues(upper_tail(t, degrees), alternative="two-sided"),
            data=scores.digest,
            n_segments=scores.n_segments,
            units=unit.name,
            n_units=unit.n_units,
            unit_note=unit_note(scores, unit),
        ),
        options.pair_options(),
    )


def _thin_note(scores: Scores, found: _Fitted, units: str) -> tuple[str, ...]:
    """Name systems whose difference from the others depends on one segment or document."""
    unknown = np.isnan(found.means.pair_degrees) & ~np.eye(len(scores.systems), dtype=bool)
    if not unknown.any():
        return ()
    first, second = (scores.systems[int(i)] for i in np.argwhere(np.triu(unknown))[0])
    n, unit = int(np.triu(unknown).sum()), {"segments": "segment", "groups": "document"}[units]
    which = f"{first} and {second}" if n == 1 else f"{n:,} pairs of systems, such as {first} and {second},"
    return (f"One {unit} alone connects {which}: their difference has neither a p-value nor an interval.",)


def _unit_name(scores: Scores, *, standardize: bool) -> str:
    return f"{scores.name}{', standardized' if standardize else ''}, {scores.direction}"
