"""Shared parts of rankings and auditions of word tags: scores of real and synthetic systems, tests of the real ones.

Sentences (or documents) are the units throughout, because tagging errors within a sentence are correlated.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from betterthan.analysis.compare.compare import compare
from betterthan.analysis.compare.compare_counts import maximum_pvalues, unit_counts
from betterthan.analysis.pairs.pairwise import PairOptions, shared_ranks
from betterthan.analysis.resampling import Resampling
from betterthan.analysis.tags.tag_counts import MEASURES, tag_counts
from betterthan.analysis.units import UnitName, Units, units_of
from betterthan.arrays import BoolArray, FloatArray, IntArray
from betterthan.errors import BetterThanError, some_of
from betterthan.kernels.display.letters import letter_display
from betterthan.kernels.display.ranks import greedy_clusters
from betterthan.kernels.intervals.intervals import JackknifeInterval, ScaleName, jackknife_interval
from betterthan.messages import Message, Option
from betterthan.tables.counts import Counts, Formula
from betterthan.tables.scores import Scores
from betterthan.tables.tags import WordTags

Measured = Counts | Scores
OwnMeasure = Callable[[WordTags], Measured]
STEP_DOWN = "max_statistic"
_FEW_UNITS = 6
_JACKKNIFE_NUMBERS = 2**22


@dataclass(frozen=True, slots=True, kw_only=True)
class TagTestOptions:
    """How pairs of systems are tested by randomization.

    `correction` "max_statistic" is the step-down method of Westfall and Young; the others adjust p-values.
    """

    correction: str
    alpha: float
    units: UnitName
    resampling: Resampling


def unit_name(table: Measured | WordTags, units: str) -> UnitName:
    """Resolve "auto": documents where there are two or more, otherwise sentences."""
    if units != "auto":
        return units  # type: ignore[return-value]  # checked where units are made
    return "groups" if table.groups is not None and len(set(table.groups)) > 1 else "segments"


def measured(tags: WordTags, by: str | Formula | OwnMeasure, *, as_published: bool) -> Measured:
    """Return counts, or scores of segments, of all systems by a measure of any kind.

    A plain function is called with the table of tags and returns Counts or Scores of the same systems.
    """
    if isinstance(by, str):
        is_phrase = as_published and by.startswith("phrase_")
        return tag_counts(tags, by=by, as_published=is_phrase)  # type: ignore[arg-type]  # checked there
    if isinstance(by, Formula):
        return tag_counts(tags, by=by)
    found = by(tags)
    if not isinstance(found, Counts | Scores) or found.systems != tags.systems:
        raise BetterThanError(
            f'The measure "{getattr(by, "__name__", "of your own")}" must return Counts or Scores of all systems, in '
            f"their order. For a formula on tp, fp, fn, tn pass a Formula."
        )
    return found


def points(table: Measured) -> FloatArray:
    """Goodness of each system: the pooled score of counts, the mean of segment scores; higher is better."""
    if isinstance(table, Counts):
        return table.pooled() if table.higher_is_better else -table.pooled()
    known = ~np.isnan(table.goodness)
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray(np.where(known, table.goodness, 0.0).sum(axis=1) / known.sum(axis=1))


@dataclass(frozen=True, slots=True, kw_only=True)
class TagPairTests:
    """Randomization tests of all pairs, systems best first.

    Attributes
    ----------
    systems : tuple of str
    different : array of bool, shape (m, m)
        Significantly different, after correction.
    """

    systems: tuple[str, ...]
    different: BoolArray

    @property
    def n_different(self) -> int:
        """Number of pairs that differ significantly."""
        return int(np.count_nonzero(np.triu(self.different, 1)))

    @property
    def cluster(self) -> IntArray:
        """Significance cluster of each system, 1 is best."""
        return greedy_clusters(self.different)

    @property
    def letters(self) -> tuple[str, ...]:
        """Systems that share a letter do not differ significantly."""
        return letter_display(self.different).labels


def pair_tests(table: Measured, systems: tuple[str, ...], testing: TagTestOptions) -> TagPairTests:
    """Randomization tests of all pairs of these systems, which form the family of tests."""
    merit = dict(zip(table.systems, points(table).tolist(), strict=True))
    order = np.argsort(shared_ranks(np.array([merit[name] for name in systems])), kind="stable")
    best_first = tuple(systems[i] for i in order)
    different = np.zeros((len(systems), len(systems)), dtype=np.bool_)
    # Undefined scores come last and differ from no other; a single unit allows no test.
    scored = [name for name in best_first if not np.isnan(merit[name])]
    if len(scored) > 1 and units_of(table, testing.units).n_units > 1:
        # In the order of the table, as in `compare`, because the random swaps depend on it.
        chosen = table.select([name for name in table.systems if name in scored])
        if isinstance(chosen, Counts) and testing.correction == STEP_DOWN:
            adjusted = _step_down(chosen, testing)
        else:
            adjusted = _compared(chosen, testing)
        place = [chosen.systems.index(name) for name in scored]
        adjusted = adjusted[np.ix_(place, place)]
        with np.errstate(invalid="ignore"):
            different[: len(scored), : len(scored)] = adjusted <= testing.alpha
        np.fill_diagonal(different, val=False)
    return TagPairTests(systems=best_first, different=different)


def _compared(table: Measured, testing: TagTestOptions) -> FloatArray:
    """Adjusted p-values of :func:`betterthan.compare`, in the order of the table."""
    pairs = compare(
        table,
        units=testing.units,
        method="monte_carlo",
        missing="raise" if isinstance(table, Counts) else "pairwise",
        correction=testing.correction,  # type: ignore[arg-type]  # checked there
        alpha=testing.alpha,
        n_resamples=testing.resampling.n_resamples,
        rng=testing.resampling.seed,
        **testing.resampling.computing.arguments(),
    )
    place = [pairs.systems.index(name) for name in table.systems]
    return np.asarray(pairs.adjusted[np.ix_(place, place)])


def _step_down(counts: Counts, testing: TagTestOptions) -> FloatArray:
    """Adjusted p-values by the maximum statistic: those of :func:`betterthan.compare`, in the order of the table."""
    units = units_of(counts, testing.units)
    options = PairOptions(correction=STEP_DOWN, alpha=testing.alpha, confidence=1 - testing.alpha)
    resampling = testing.resampling.on(counts.digest, units)
    return maximum_pvalues(counts, unit_counts(counts, units), options, resampling)


def interval(counts: Counts, testing: TagTestOptions, confidence: float) -> JackknifeInterval:
    """Jackknife interval of the pooled score of each system, on the scale that is appropriate for the measure."""
    values = unit_counts(counts, units_of(counts, testing.units))
    totals, formula = values.sum(axis=1), counts.formula.pooled
    step = max(1, _JACKKNIFE_NUMBERS // max(1, values.shape[0] * values.shape[2]))
    without = [
        np.asarray(formula(totals[:, None] - values[:, start : start + step]), dtype=np.float64)
        for start in range(0, values.shape[1], step)
    ]
    return jackknife_interval(
        counts.pooled(), np.concatenate(without, axis=1).T, confidence=confidence, scale=_scale(counts.name)
    )


def _scale(measure: str) -> ScaleName:
    if measure == "mcc":
        return "fisher"
    return "logit" if measure.removesuffix("_as_published") in MEASURES else "raw"


def about_intervals(
    name: str, found: JackknifeInterval, value: FloatArray, systems: Sequence[str]
) -> list[str]:
    """Return notes on systems whose interval is missing or depends on few units."""
    messages = []
    without = [
        s for s, low, v in zip(systems, found.low, value, strict=False) if np.isnan(low) and not np.isnan(v)
    ]
    if without:
        messages.append(
            f"No interval of {name} for {some_of(without)}: the score depends on too few sentences, or is at the end "
            f"of its scale."
        )
    with np.errstate(invalid="ignore"):
        few = [
            s
            for s, n, low in zip(systems, found.units, found.low, strict=False)
            if n < _FEW_UNITS and not np.isnan(low)
        ]
    if few:
        messages.append(
            f"Fewer than {_FEW_UNITS} sentences decide {name} of {some_of(few)}: the interval may be too narrow."
        )
    return messages


def too_few(n_pairs: int, n_units: int, testing: TagTestOptions) -> str:
    """Return a note when no p-value can reach alpha: too few units, or too few resamples for the correction."""
    if not n_pairs:
        return ""
    # At least two of the 2ⁿ swaps, all and none, reach any difference; corrections multiply this p-value.
    family = n_pairs if testing.correction in ("bonferroni", "holm") else 1
    if family * 2.0 ** (1 - n_units) > testing.alpha:
        what = "documents" if testing.units == "groups" else "sentences"
        return f"{n_units} {what} are too few: no difference can be significant at {testing.alpha:g}."
    if family <= testing.alpha * (testing.resampling.n_resamples + 1):
        return ""
    needed = int(np.ceil(family / testing.alpha)) - 1
    return Message(
        "With {n:,} resamples none of {pairs:,} pairs can differ significantly at {alpha:g}. Use {resamples} or "
        "more{other}.",
        n=testing.resampling.n_resamples,
        pairs=n_pairs,
        alpha=testing.alpha,
        resamples=Option("n_resamples", needed),
        other=Message(", or {correction}", correction=Option("correction", STEP_DOWN)) if family > 1 else "",
    )


def tag_units(tags: WordTags, units: UnitName) -> Units:
    """Units: sentences with words, or documents; sentences without words carry no information."""
    if units == "groups" and tags.groups is not None:
        names, codes = np.unique(np.array(tags.groups), return_inverse=True)
        return Units(codes, len(names))
    has_words = np.diff(tags.offsets) > 0
    return Units(np.cumsum(has_words[has_words]) - 1, int(np.count_nonzero(has_words)))
