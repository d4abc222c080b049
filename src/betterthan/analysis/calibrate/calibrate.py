"""Does this test hold on these data? Size, power and coverage on tables made from the user's own.

Simulated tables that look like the user's own, with a true difference that is known.

What every test and interval says of simulated tables, from the functions that the public verbs use.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from concurrent.futures import Executor
from typing import Literal, NamedTuple

import numpy as np
from scipy.special import bdtrc

from betterthan.analysis.pairs.effects import EFFECTS, EffectOptions, PairScores
from betterthan.analysis.pairs.permutation import PairRequest
from betterthan.analysis.pairs.significance import TESTS
from betterthan.analysis.resampling import Resampling, Rng
from betterthan.analysis.table_argument import AnyData, as_table
from betterthan.analysis.units import UnitName, Units, few_units_note, unit_note, units_of
from betterthan.arrays import BoolArray, FloatArray, IntArray
from betterthan.budget import check_share
from betterthan.engine.blas import with_one_blas_thread
from betterthan.engine.blocks import stream
from betterthan.engine.cache import Cache
from betterthan.engine.progress import Progress
from betterthan.errors import BetterThanError, NotEstimable, TableError
from betterthan.kernels.intervals.intervals import (
    bca_interval,
    bootstrap_t_interval,
    percentile_interval,
    t_interval,
)
from betterthan.kernels.intervals.mean_differences import is_two_valued
from betterthan.kernels.resampling.resample import bootstrap_counts
from betterthan.kernels.resampling.tilting import effective_units, tilted_weights
from betterthan.kernels.sign_flips.all_pairs import certain_tails, lattice_unit, pair_tails
from betterthan.kernels.sign_flips.permutation import add_one
from betterthan.kernels.significance.paired import in_range
from betterthan.kernels.significance.paired_bootstrap import (
    StudentizedDraws,
    bootstrap_t_counts,
    shifted_absolute_pvalues,
    studentized_draws,
)
from betterthan.messages import Message, Option
from betterthan.results.robustness import (
    COVERS,
    NEVER,
    NO_FAULT,
    NOT_ABOUT_MEANS,
    REJECTS,
    Calibration,
)
from betterthan.results.settings import Settings
from betterthan.tables.scores import Scores

SWAPPED, EQUAL_MEANS, WITH_EFFECT = "swapped", "equal means", "with effect"
DESIGNS = (SWAPPED, EQUAL_MEANS, WITH_EFFECT)
_LEAST_EFFECTIVE = 0.3
"""Weights that are worth fewer than this share of the units would no longer look like the data."""


class PairData(NamedTuple):
    """The scores of two systems, the better first, and sums over their units.

    Attributes
    ----------
    scores : array, shape (2, n)
        Higher is better.
    units : Units
    segments : list of array
        Segments of each unit; empty where every segment is a unit.
    sums, sizes : array, shape (u,)
        Difference summed over each unit, and segments of each.
    """

    scores: FloatArray
    units: Units
    segments: tuple[IntArray, ...]
    sums: FloatArray
    sizes: FloatArray

    @classmethod
    def of(cls, first: FloatArray, second: FloatArray, units: Units) -> PairData:
        """Return the data of a pair, the better system first."""
        scores = np.stack([first, second] if first.mean() >= second.mean() else [second, first])
        segments: tuple[IntArray, ...] = ()
        if not units.are_segments:
            order = np.argsort(units.of_segment, kind="stable")
            segments = tuple(np.split(order, units.sizes.astype(np.int64).cumsum()[:-1]))
        return cls(scores, units, segments, units.summed(scores[:1] - scores[1:])[0], units.sizes)

    @property
    def difference(self) -> float:
        """The observed mean difference."""
        return float(self.sums.sum() / self.sizes.sum())


class Population(NamedTuple):
    """Units with the probabilities at which they are drawn, and the true difference of systems drawn so.

    Attributes
    ----------
    data : PairData
    design : str
        One of `DESIGNS`.
    weights : array, shape (u,), optional
        Equal without.
    truth : float
    """

    data: PairData
    design: str
    weights: FloatArray | None
    truth: float


def population_of(data: PairData, design: str, difference: float | None) -> Population | None:
    """Return the population of a design; None where the data cannot be made to have such a difference.

    * "swapped": units drawn as they are, the two systems swapped at random in each.
    * "equal means": units drawn with the tilted weights under which both means are equal.
    * "with effect": units drawn as they are, or with the weights under which the means differ by `difference`.
    """
    if design == SWAPPED:
        return Population(data, design, None, 0.0)
    if design == WITH_EFFECT and difference is None:
        return Population(data, design, None, data.difference)
    truth = 0.0 if design == EQUAL_MEANS or difference is None else difference
    weights = tilted_weights(data.sums - truth * data.sizes)
    if weights is None or effective_units(weights) < _LEAST_EFFECTIVE * weights.size:
        return None
    return Population(data, design, weights, truth)


class Simulated(NamedTuple):
    """Some simulated pairs of systems.

    Attributes
    ----------
    data : PairData
    picks : array of int, shape (rows, u)
        Units that were drawn.
    swapped : array of bool, shape (rows, u)
        Whether the systems were swapped there.
    """

    data: PairData
    picks: IntArray
    swapped: BoolArray

    @property
    def sums(self) -> FloatArray:
        """Differences summed over each unit, shape (rows, u)."""
        drawn = self.data.sums[self.picks]
        return np.where(self.swapped, -drawn, drawn)

    @property
    def sizes(self) -> FloatArray:
        """Segments of each unit, shape (u,) or (rows, u)."""
        return self.data.sizes if self.data.units.are_segments else self.data.sizes[self.picks]

    def table(self, row: int) -> tuple[FloatArray, Units]:
        """Return the scores of both systems in a simulated table, shape (2, n), and its units."""
        scores, picks, swapped = self.data.scores, self.picks[row], self.swapped[row]
        if self.data.units.are_segments:
            drawn = scores[:, picks]
            return np.where(swapped, drawn[::-1], drawn), self.data.units
        parts = [self.data.segments[unit] for unit in picks]
        of_segment = np.repeat(np.arange(picks.size), [part.size for part in parts])
        drawn = scores[:, np.concatenate(parts)]
        return np.where(swapped[of_segment], drawn[::-1], drawn), Units(of_segment, picks.size)


def simulated(population: Population, rows: int, rng: np.random.Generator) -> Simulated:
    """Draw tables of as many units as the data have."""
    n = population.data.sums.size
    if population.weights is None:
        picks = rng.integers(0, n, size=(rows, n))
    else:
        ends = population.weights.cumsum()
        picks = np.minimum(np.searchsorted(ends, rng.random((rows, n)) * ends[-1], side="right"), n - 1)
    swapped = np.zeros((rows, n), dtype=np.bool_)
    if population.design == SWAPPED:
        swapped = rng.random((rows, n)) < 0.5
    return Simulated(population.data, picks, swapped)


N_BOOTSTRAP = 999
_TESTED_AT_ONCE = 1 << 22
_FEW = 20


class CheckedMethod(NamedTuple):
    """A method that is checked.

    Attributes
    ----------
    name : str
    has_test, has_interval : bool
    is_about_means : bool
        Otherwise its null hypothesis is another one.
    """

    name: str
    has_test: bool
    has_interval: bool
    is_about_means: bool = True


CHECKED = (
    CheckedMethod("permutation", has_test=True, has_interval=True),
    CheckedMethod("t", has_test=True, has_interval=True),
    CheckedMethod("bootstrap", has_test=True, has_interval=True),
    CheckedMethod("bca", has_test=False, has_interval=True),
    CheckedMethod("percentile", has_test=False, has_interval=True),
    CheckedMethod("sacrebleu", has_test=True, has_interval=False),
    CheckedMethod("wilcoxon", has_test=True, has_interval=False, is_about_means=False),
    CheckedMethod("sign", has_test=True, has_interval=False, is_about_means=False),
    CheckedMethod("mood", has_test=True, has_interval=False, is_about_means=False),
)
PLACES = {method.name: place for place, method in enumerate(CHECKED)}


class Answers(NamedTuple):
    """Answers to simulated tables; NaN for what a method does not have. All of shape (rows, methods).

    Attributes
    ----------
    pvalue : array
    low, high : array
    """

    pvalue: FloatArray
    low: FloatArray
    high: FloatArray


def answers_to(
    tables: Simulated, *, unit: float, alpha: float, confidence: float, rng: np.random.Generator
) -> Answers:
    """Return the p-values and intervals of every method.

    Parameters
    ----------
    tables : Simulated
    unit : float
        The step of scores, from :func:`betterthan.kernels.sign_flips.all_pairs.lattice_unit`.
    alpha, confidence : float
    rng : numpy.random.Generator
    """
    found = Answers(*np.full((3, len(tables.picks), len(CHECKED)), np.nan))
    sums = tables.sums
    found.pvalue[:, PLACES["permutation"]] = _permutation(sums, unit, alpha)
    _bootstraps(found, sums, tables.sizes, confidence, rng)
    for row in range(len(sums)):
        scores, units = tables.table(row)
        _one_table(found, row, scores, units, confidence)
    return found


def _permutation(sums: FloatArray, unit: float, alpha: float) -> FloatArray:
    """p-values by sign flips.

    Units that were drawn several times repeat their differences, for which inversion gives no error bound. Its p-values
    are within 0.1% of certified ones there, which matters to no share; only of few units all signs are counted.
    """
    rows = len(sums)
    stacked = np.concatenate([sums, np.zeros((1, sums.shape[1]))])
    tails = pair_tails(stacked, np.arange(rows), np.full(rows, rows), unit=unit, bounded=False)
    p = tails.pvalue.copy()
    few = np.count_nonzero(sums, axis=1) <= _FEW
    is_open = np.flatnonzero(few & (tails.low <= alpha) & (tails.high > alpha))
    if is_open.size:
        p[is_open] = certain_tails(sums[is_open], unit=unit)[:, 1]
    return p


def _bootstraps(
    found: Answers, sums: FloatArray, sizes: FloatArray, confidence: float, rng: np.random.Generator
) -> None:
    """Everything that draws bootstrap samples; those of one block share them."""
    n = sums.shape[1]
    draws = _draws(sums, sizes, rng)
    least = 2.0 ** (1 - min(n, 1000))
    p = np.maximum(add_one(bootstrap_t_counts(draws), N_BOOTSTRAP), least)
    found.pvalue[:, PLACES["bootstrap"]] = p
    found.pvalue[:, PLACES["sacrebleu"]] = shifted_absolute_pvalues(draws.drawn, draws.mean)
    total = np.atleast_2d(sizes).sum(axis=1, keepdims=True)
    without = (draws.mean[:, None] * total - sums) / (total - sizes)
    intervals = {
        "bootstrap": bootstrap_t_interval(draws.shifted, draws.mean, draws.error, confidence=confidence),
        "percentile": percentile_interval(draws.drawn, confidence),
        "bca": bca_interval(draws.drawn, draws.mean, without.T, confidence=confidence),
    }
    for name, (low, high) in intervals.items():
        found.low[:, PLACES[name]], found.high[:, PLACES[name]] = low, high


def _draws(sums: FloatArray, sizes: FloatArray, rng: np.random.Generator) -> StudentizedDraws:
    n = sums.shape[1]
    step = max(1, _TESTED_AT_ONCE // n)
    parts = [
        studentized_draws(bootstrap_counts(min(step, N_BOOTSTRAP - start), n, rng), sums, sizes)
        for start in range(0, N_BOOTSTRAP, step)
    ]
    drawn, shifted = (
        np.concatenate([getattr(part, name) for part in parts]) for name in ("drawn", "shifted")
    )
    return parts[0]._replace(drawn=drawn, shifted=shifted)


def _one_table(found: Answers, row: int, scores: FloatArray, units: Units, confidence: float) -> None:
    """Everything that takes one pair of systems at a time, as the verbs call it."""
    request = PairRequest(
        goodness=scores,
        resampling=Resampling(seed=0, units=units),
        alternative="two-sided",
        ties="drop",
        method="auto",
    )
    for name in ("t", "sign", "wilcoxon", "mood"):
        p = float(TESTS[name].run(request).pvalue[0, 1])
        found.pvalue[row, PLACES[name]] = 1.0 if math.isnan(p) else p
    seen = PairScores(scores)
    p = found.pvalue[row, PLACES["permutation"]]
    setting = EffectOptions(
        units, confidence, "drop", np.random.default_rng, swaps=True, pvalue=np.array([[1.0, p], [p, 1.0]])
    )
    limits = EFFECTS["mean_difference"].interval
    low, high = limits(seen, setting)
    found.low[row, PLACES["permutation"]], found.high[row, PLACES["permutation"]] = low[0, 1], high[0, 1]
    if units.are_segments:
        moments = seen.moments
        low, high = t_interval(moments.mean, moments.standard_error, moments.n, confidence=confidence)
    else:
        low, high = limits(seen, setting._replace(swaps=False))
    found.low[row, PLACES["t"]], found.high[row, PLACES["t"]] = low[0, 1], high[0, 1]


_TABLES = 2000
_FULL_SPEED = 2000
"""Segments up to which so many tables are simulated by default; with more, fewer."""
_FEWEST = 200
_MOST_PAIRS = 50
_NUMBERS_AT_ONCE = 1 << 21
_MOST_ROWS = 100
_WORTH_PROCESSES = 4e6
"""Scores in all simulated tables; with fewer, starting processes takes longer than the work."""
_CHANCE = 0.0005
"""A share is off its nominal value where chance alone would show as much so rarely."""
_NET_TABLES = 9
"""A difference of two shares on the same tables is three standard errors where so many tables make it."""
_SAME_POWER, _SAME_WIDTH, _SAME_COVERAGE = 0.01, 0.05, 0.005


@with_one_blas_thread
def calibrate(
    table: AnyData,
    *more: AnyData,
    metric: str | None = None,
    systems: Sequence[str] | None = None,
    difference: float | None = None,
    units: UnitName = "auto",
    missing: Literal["raise", "drop"] = "raise",
    alpha: float = 0.05,
    confidence: float = 0.95,
    n_resamples: int | None = None,
    rng: Rng = 12345,
    workers: int | None = None,
    executor: Executor | None = None,
    cache: Cache | None = None,
    progress: Progress | None = None,
) -> Calibration:
    r"""Return how well every test and interval of two systems works on tables like this one.

    Tables with a known true difference are made from the data: units are drawn with replacement, as many as there are.

    * swapped: in each unit the two systems are swapped at random, so that neither is better. Differences are then
      symmetric, which hides skewness.
    * equal means: units are drawn with the weights nearest to equal ones under which both means are equal,
      :math:`w_u \propto e^{\lambda x_u}` with :math:`\sum_u w_u x_u = 0` [1]_. Every difference keeps its value,
      so ties, steps and skewness stay as they are.
    * with effect: units are drawn as they are, so that the observed difference is the true one, or with weights under
      which the difference is `difference`.

    In the first two, a test at level α should be significant in at most a share α of the tables. In all three, an
    interval should contain the true difference in at least the share `confidence`.

    Parameters
    ----------
    table, *more : Scores, or what they are read from
        As for :func:`betterthan.compare`.
    metric : str, optional
        The metric, if several are read.
    systems : sequence of str, optional
        Systems whose pairs tables are made from; all by default, and 50 pairs at most.
    difference : float, optional
        A true difference above 0 for power and coverage; the observed one of each pair by default.
    units : {"auto", "segments", "groups"}, default "auto"
        Units that are drawn; whole documents where they are known.
    missing : {"raise", "drop"}, default "raise"
    alpha : float, default 0.05
    confidence : float, default 0.95
    n_resamples : int, optional
        Simulated tables of each kind: 2,000 by default, 1,000 by documents, fewer for more than 2,000 segments.
    rng : int or numpy.random.Generator, default 12345
    workers, executor, cache, progress
        How the work is carried out; none of these changes a result.

    Returns
    -------
    Calibration
        With a row for each method.

    Notes
    -----
    A method fails if a share is so far on the wrong side of its nominal value that chance alone would show as much in
    less than 0.05% of calibrations. Bootstrap methods draw 999 samples of each table. The Wilcoxon, sign and Mood tests
    are about other hypotheses than equal means; on skewed data they may rightly be significant when means are equal,
    and this is said.

    References
    ----------
    .. [1] Efron (1981), Nonparametric standard errors and confidence intervals, Canadian Journal of Statistics 9.

    Examples
    --------
    >>> import betterthan as bt
    >>> before = [1.0] * 70 + [0.0] * 30
    >>> after = [1.0] * 71 + [0.0] * 29
    >>> found = bt.calibrate({"before": before, "after": after}, n_resamples=500)
    >>> found["t"].verdict, found["t"].coverage_effect < 0.8, found["permutation"].coverage_effect
    ('covers too little', True, 1.0)
    """
    check_share("alpha", alpha)
    check_share("confidence", confidence)
    if difference is not None and not 0 < difference < math.inf:
        raise BetterThanError(Message("{option} must be above 0.", option=Option("difference", difference)))
    resampling = Resampling.of(
        rng, n_resamples, workers=workers, executor=executor, cache=cache, progress=progress
    )
    scores = as_table(table, *more, kinds=(Scores,), verb="calibrate", metric=metric)
    chosen = (scores if systems is None else scores.select(tuple(systems))).complete(missing=missing)
    if chosen.n_systems < 2:
        raise TableError(
            f"There is only one system, {', '.join(chosen.systems)}; calibrate needs two or more."
        )
    drawn_units = units_of(chosen, units)
    if drawn_units.n_units < 2:
        raise NotEstimable("The scores of one segment or document do not show how scores vary.")
    resampling = resampling.on(chosen.digest, drawn_units, default=_default_tables(drawn_units))
    goodness, unit = in_range(chosen.goodness)
    question = _CalibrationQuestion(alpha, confidence, None if difference is None else difference / unit)
    pairs = _pairs(goodness, drawn_units, resampling.seed)
    found = {
        design: _of_design(pairs, design, question, drawn_units, goodness, resampling) for design in DESIGNS
    }
    if found[WITH_EFFECT].n_tables == 0:
        raise NotEstimable(
            Message(
                "No pair of these systems can be made to differ by {difference:g} and still look like the data. Choose "
                "a difference nearer to what was observed, or leave {option} out.",
                difference=difference,
                option=Option("difference"),
            )
        )
    return _result(chosen, drawn_units, pairs, found, question, resampling, unit)


class _CalibrationQuestion(NamedTuple):
    alpha: float
    confidence: float
    difference: float | None


def _default_tables(units: Units) -> int:
    """Return how many tables are simulated; with documents, intervals take several times longer."""
    most = _TABLES if units.are_segments else _TABLES // 2
    return max(_FEWEST, min(most, _TABLES * _FULL_SPEED // units.of_segment.size))


def _pairs(goodness: FloatArray, units: Units, seed: int) -> list[PairData]:
    """Return the data of all pairs that differ anywhere, or of a random fifty of them."""
    places = np.array(list(itertools.combinations(range(len(goodness)), 2)))
    if len(places) > _MOST_PAIRS:
        order = stream(seed, "pairs to calibrate", 0).permutation(len(places))
        places = places[np.sort(order[: 4 * _MOST_PAIRS])]
    pairs = [PairData.of(goodness[a], goodness[b], units) for a, b in places.tolist()]
    differing = [pair for pair in pairs if pair.sums.any()]
    if not differing:
        raise NotEstimable("All systems have the same scores everywhere, so there is nothing to simulate.")
    step = max(1, math.ceil(len(differing) / _MOST_PAIRS))
    return differing[::step][:_MOST_PAIRS]


class _DesignShares(NamedTuple):
    """Shares of one kind of table; each of shape (methods,)."""

    rejects: FloatArray
    right: FloatArray
    covers: FloatArray
    width: FloatArray
    n_tables: int
    n_pairs: int
    truth: float


class _CalibrationTask(NamedTuple):
    """Tables of one population, in a block."""

    population: int
    rows: int


class _Payload(NamedTuple):
    populations: tuple[Population, ...]
    tasks: tuple[_CalibrationTask, ...]
    unit: float
    alpha: float
    confidence: float


def _of_design(
    pairs: Sequence[PairData],
    design: str,
    question: _CalibrationQuestion,
    units: Units,
    goodness: FloatArray,
    resampling: Resampling,
) -> _DesignShares:
    made = [population_of(pair, design, question.difference) for pair in pairs]
    populations = tuple(population for population in made if population is not None)
    if not populations:
        nothing = np.full(len(CHECKED), np.nan)
        return _DesignShares(nothing, nothing, nothing, nothing, 0, 0, math.nan)
    each = math.ceil(resampling.n_resamples / len(populations))
    most = max(1, min(_MOST_ROWS, _NUMBERS_AT_ONCE // units.n_units))
    tasks = tuple(
        _CalibrationTask(place, min(most, each - start))
        for place in range(len(populations))
        for start in range(0, each, most)
    )
    payload = _Payload(
        populations, tasks, lattice_unit(units.summed(goodness)), question.alpha, question.confidence
    )
    size = each * len(populations) * goodness.shape[1]
    blocks = resampling.run(
        f"calibrate {design}",
        payload,
        _block,
        parts=tuple(range(place, place + 1) for place in range(len(tasks))),
        key=f"{question}",
        label=f"tables, {design}",
        uses="processes" if size >= _WORTH_PROCESSES else "threads",
    )
    found = np.concatenate(blocks, axis=1)
    with np.errstate(invalid="ignore"):
        sign, covers, width = found
        has_test, has_interval = ~np.isnan(sign).any(axis=0), ~np.isnan(width).any(axis=0)
        truth = np.array([population.truth for population in populations])
        return _DesignShares(
            np.where(has_test, (sign != 0).mean(axis=0), np.nan),
            np.where(has_test, (sign > 0).mean(axis=0), np.nan),
            np.where(has_interval, covers.mean(axis=0), np.nan),
            np.where(has_interval, np.median(width, axis=0), np.nan),
            found.shape[1],
            len(populations),
            float(truth.mean()),
        )


def _block(payload: _Payload, part: range, rng: np.random.Generator) -> FloatArray:
    """Direction of each significant result, whether each interval covers, and its width; (3, rows, methods)."""
    task = payload.tasks[part.start]
    population = payload.populations[task.population]
    tables = simulated(population, task.rows, rng)
    found = answers_to(tables, unit=payload.unit, alpha=payload.alpha, confidence=payload.confidence, rng=rng)
    total = tables.sums.sum(axis=1)
    direction = np.where(total < 0, -1.0, 1.0)[:, None]
    sign = np.where(np.isnan(found.pvalue), np.nan, np.where(found.pvalue <= payload.alpha, direction, 0.0))
    slack = 1e-9 * np.abs(population.data.scores).max()
    covers = (found.low <= population.truth + slack) & (found.high >= population.truth - slack)
    return np.stack([sign, covers.astype(np.float64), found.high - found.low])


def _result(
    scores: Scores,
    units: Units,
    pairs: Sequence[PairData],
    found: dict[str, _DesignShares],
    question: _CalibrationQuestion,
    resampling: Resampling,
    unit: float,
) -> Calibration:
    swapped, equal, effect = (found[design] for design in (SWAPPED, EQUAL_MEANS, WITH_EFFECT))
    rejects_too_often = _rejects_too_often(found, question.alpha)
    covers_too_little = _covers_too_little(found, question.confidence)
    about_means = np.array([method.is_about_means for method in CHECKED])
    power = np.where(about_means & ~rejects_too_often & (effect.right > 0), effect.right, np.nan)
    coverage = np.min([found[design].covers for design in DESIGNS if found[design].n_tables], axis=0)
    # A narrower interval is not recommended for covering less.
    is_behind = coverage < min(question.confidence, coverage[0]) - _SAME_COVERAGE
    width = np.where(covers_too_little | is_behind, np.nan, effect.width)
    slack = max(_SAME_POWER, _NET_TABLES / effect.n_tables)
    return Calibration(
        methods=tuple(method.name for method in CHECKED),
        size_swapped=swapped.rejects,
        size_equal=equal.rejects,
        power=effect.right,
        coverage_swapped=swapped.covers,
        coverage_equal=equal.covers,
        coverage_effect=effect.covers,
        width=unit * effect.width,
        verdict=_verdicts(found, rejects_too_often, covers_too_little, question.alpha),
        recommended_test=_first(power, power >= np.nanmax(power, initial=0.0) - slack),
        recommended_interval=_first(width, width <= np.nanmin(width, initial=np.inf) * (1 + _SAME_WIDTH)),
        n_swapped=swapped.n_tables,
        n_equal=equal.n_tables,
        n_effect=effect.n_tables,
        difference=unit * effect.truth,
        is_observed=question.difference is None,
        systems=scores.systems,
        n_pairs=len(pairs),
        n_pairs_equal=equal.n_pairs,
        alpha=question.alpha,
        confidence=question.confidence,
        units=units.name,
        n_units=units.n_units,
        n_segments=scores.n_segments,
        is_right_wrong=is_two_valued(scores.goodness),
        measured=f"{scores.name}, {scores.direction}",
        notes=(*scores.notes, *_notes(scores, units, pairs, equal), *few_units_note(units)),
        settings=_settings(scores, units, question, resampling, unit),
    )


def _settings(
    scores: Scores, units: Units, question: _CalibrationQuestion, resampling: Resampling, unit: float
) -> Settings:
    return Settings(
        method="calibrate",
        options={
            "units": units.name,
            "alpha": question.alpha,
            "confidence": question.confidence,
            "difference": None if question.difference is None else unit * question.difference,
            "tables": resampling.n_resamples,
        },
        seed=resampling.seed,
        n_systems=scores.n_systems,
        n_segments=scores.n_segments,
        data=scores.digest,
    )


def _rejects_too_often(found: dict[str, _DesignShares], alpha: float) -> BoolArray:
    """Whether a test is significant too often; under equal means this counts for tests of means only."""
    about_means = np.array([method.is_about_means for method in CHECKED])
    swapped, equal = (
        _above(found[design].rejects, alpha, found[design]) for design in (SWAPPED, EQUAL_MEANS)
    )
    return np.asarray(swapped | (equal & about_means))


def _covers_too_little(found: dict[str, _DesignShares], confidence: float) -> BoolArray:
    parts = [_above(1 - found[design].covers, 1 - confidence, found[design]) for design in DESIGNS]
    return np.asarray(np.any(parts, axis=0))


def _above(share: FloatArray, nominal: float, of: _DesignShares) -> BoolArray:
    """Whether shares are above a nominal value by more than the Monte Carlo error explains."""
    if not of.n_tables:
        return np.zeros(share.shape, dtype=np.bool_)
    count = np.rint(np.nan_to_num(share) * of.n_tables)
    # As many or more of n tables by chance.
    return np.asarray((count > 0) & (bdtrc(np.maximum(count - 1, 0), of.n_tables, nominal) < _CHANCE))


def _verdicts(
    found: dict[str, _DesignShares], rejects: BoolArray, covers: BoolArray, alpha: float
) -> tuple[str, ...]:
    equal = _above(found[EQUAL_MEANS].rejects, alpha, found[EQUAL_MEANS])
    words = []
    for place, method in enumerate(CHECKED):
        is_silent = method.has_test and all(
            found[design].rejects[place] == 0 for design in (SWAPPED, WITH_EFFECT)
        )
        judged = ((NEVER, is_silent), (REJECTS, rejects[place]), (COVERS, covers[place]))
        failures = [word for word, applies in judged if applies]
        if failures:
            words.append(", ".join(failures))
        elif equal[place]:
            words.append(NOT_ABOUT_MEANS)
        else:
            words.append(NO_FAULT)
    return tuple(words)


def _first(known: FloatArray, best: BoolArray) -> str:
    """Return the first of the best methods, or nothing."""
    places = np.flatnonzero(best & ~np.isnan(known))
    return CHECKED[int(places[0])].name if places.size else ""


def _notes(scores: Scores, units: Units, pairs: Sequence[PairData], equal: _DesignShares) -> tuple[str, ...]:
    notes = []
    if units.are_segments and (about := unit_note(scores, units)):
        notes.append(about)
    if equal.n_pairs == 0:
        notes.append(
            "Equal means could not be simulated: one system of every pair is better on nearly every unit where they "
            "differ."
        )
    elif equal.n_pairs < len(pairs):
        notes.append(
            f"Equal means could be simulated for {equal.n_pairs} of {len(pairs)} pairs; in the others one system is "
            "better on nearly every unit where they differ."
        )
    n_all = math.comb(scores.n_systems, 2)
    if len(pairs) < n_all:
        notes.append(f"Tables were made from {len(pairs)} of the {n_all:,} pairs of systems.")
    return tuple(notes)
