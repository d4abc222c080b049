r"""Section 3.3 of the paper on soft pairwise accuracy: one batch of permutations for all pairs of systems.

Three ways to the p-values of k tables of m systems on n segments with B permutations are written out ([1]_):

* *own*: every pair of every table draws its own permutations;
* *batch*: B are drawn once, and flip the differences of every pair;
* *sums*: the same batch, but what a system adds to the sums is formed once a system, because
  :math:`\sum_s r_s (x_{is} - x_{js}) = \sum_s r_s x_{is} - \sum_s r_s x_{js}`: linear in m, not square.

What each way costs is counted, which is the same on every machine, and what sharing does to the measure is computed.
Seconds are measured apart, by :func:`measured`: they are no part of the result.

References
----------
.. [1] Thompson, Mathur, Deutsch and Khayrallah (2024), WMT.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from itertools import combinations
from typing import NamedTuple

import numpy as np

from betterthan.analysis.meta.inputs import panel_of
from betterthan.analysis.wording import amount
from betterthan.arrays import FloatArray, digest
from betterthan.engine.blocks import block_ranges, even_parts, stream
from betterthan.errors import BetterThanError
from betterthan.kernels.agreement.soft_pairwise import pvalues_of_tables, soft_pairwise_accuracy
from betterthan.kernels.sign_flips.permutation import random_signs
from betterthan.results.study import Study, StudyCell, StudyChart, StudyTable
from betterthan.studies.human_panels import MEASURES, StudyPanel, evaluated, panels_for
from betterthan.studies.reporting import UNKNOWN, Claim, Mark, figure, holds_in, printed_table
from betterthan.studies.request import StudyRequest

_MOMENT_PRODUCTS = 4
"""Sums over segments of x y, x² y, x³ y and x² y² for all pairs: what fourth moments of differences are made of."""


class Cost(NamedTuple):
    """What all p-values take: random signs drawn, products added up, and sums compared."""

    drawn: int
    added: int
    compared: int


def costs(k: int, m: int, n: int, n_permutations: int) -> dict[str, Cost]:
    """Return what each way costs, in operations; "analytic" is ours without permutations.

    Examples
    --------
    15 systems, people and 21 metrics, as in the second row of the paper's table 1, on 1,300 segments:

    >>> one = costs(22, 15, 1300, 1000)
    >>> one["own"].drawn // one["sums"].drawn, one["own"].added / one["sums"].added
    (2310, 7.0)
    """
    pairs = m * (m - 1) // 2
    compared = k * pairs * n_permutations
    return {
        "own": Cost(compared * n, compared * n, compared),
        "batch": Cost(n_permutations * n, compared * n, compared),
        "sums": Cost(n_permutations * n, k * m * n_permutations * n, compared),
        "analytic": Cost(0, _MOMENT_PRODUCTS * k * m * m * n, 0),
    }


def separate_pvalues(goodness: FloatArray, n_permutations: int, rng: np.random.Generator) -> FloatArray:
    """P-values that i is better than j, each pair of each table with its own permutations.

    Parameters
    ----------
    goodness : array, shape (k, m, n)
        Without gaps.
    n_permutations : int
    rng : numpy.random.Generator

    Returns
    -------
    array, shape (k, m, m)
        The share of permutations whose difference is at least the observed one; NaN where not i < j.

    Examples
    --------
    >>> scores = np.array([[[3.0, 4.0, 5.0, 4.0], [1.0, 4.0, 2.0, 3.0]]])
    >>> float(separate_pvalues(scores, 4000, np.random.default_rng(0))[0, 0, 1].round(2))  # exactly 1 / 8
    0.13
    """
    counts = _zeros_above(goodness)
    slack = _slack(goodness)
    for t, i, j in _pairs(goodness):
        gap = goodness[t, i] - goodness[t, j]
        for signs in _batches(n_permutations, gap.size, rng):
            counts[t, i, j] += np.count_nonzero(signs @ gap >= gap.sum() - slack[t])
    return counts / n_permutations


def batch_pvalues(goodness: FloatArray, n_permutations: int, rng: np.random.Generator) -> FloatArray:
    """Return the same with one batch of permutations for all pairs and tables; see :func:`separate_pvalues`."""
    counts = _zeros_above(goodness)
    slack = _slack(goodness)
    for signs in _batches(n_permutations, goodness.shape[-1], rng):
        for t, i, j in _pairs(goodness):
            gap = goodness[t, i] - goodness[t, j]
            counts[t, i, j] += np.count_nonzero(signs @ gap >= gap.sum() - slack[t])
    return counts / n_permutations


def sums_pvalues(goodness: FloatArray, n_permutations: int, rng: np.random.Generator) -> FloatArray:
    """Return the same as :func:`batch_pvalues`, from sums that are formed once a system."""
    counts = _zeros_above(goodness)
    slack, totals = _slack(goodness), goodness.sum(axis=-1)
    for signs in _batches(n_permutations, goodness.shape[-1], rng):
        sums = goodness @ signs.T
        for t, i, j in _pairs(goodness):
            least = totals[t, i] - totals[t, j] - slack[t]
            counts[t, i, j] += np.count_nonzero(sums[t, i] - sums[t, j] >= least)
    return counts / n_permutations


def _zeros_above(goodness: FloatArray) -> FloatArray:
    k, m, _ = goodness.shape
    return np.where(np.triu(np.ones((k, m, m), dtype=bool), 1), 0.0, np.nan)


def _pairs(goodness: FloatArray) -> Iterator[tuple[int, int, int]]:
    k, m, _ = goodness.shape
    return ((t, i, j) for t in range(k) for i, j in combinations(range(m), 2))


def _batches(n_permutations: int, n: int, rng: np.random.Generator) -> Iterator[FloatArray]:
    """Draw the signs of all permutations, some 16 MB at a time; how they are cut does not change them."""
    for some in block_ranges(n_permutations, 8 * n, budget=2**24):
        yield random_signs(len(some), n, rng).astype(np.float64)


def _slack(goodness: FloatArray) -> FloatArray:
    """Return by how much two sums may differ that are equal but for rounding, for each table."""
    return np.asarray(4 * np.finfo(np.float64).eps * np.abs(goodness).sum(axis=-1).max(axis=-1))


KEEPS_GAPS = True
WAYS = {
    "own": "own permutations for each pair",
    "batch": "one batch for all pairs",
    "sums": "one batch, sums of each system",
    "analytic": "no permutations",
}
((PRINTED_MILLISECONDS, PRINTED_SPEEDUP),) = printed_table("soft_pairwise", "section_3_3").rows
_ROUNDS = 3
_LONG = 3.0
"""Seconds after which nothing is timed again."""


class GoodnessTables(NamedTuple):
    """People, then metrics, on segments that all have; goodness of shape (k, m, n). Names are those of the metrics."""

    dataset: str
    names: tuple[str, ...]
    goodness: FloatArray
    notes: tuple[str, ...] = ()


class _Spread(NamedTuple):
    """Soft pairwise accuracy in repeats, by own and by shared permutations; shape (repeats, 2, metrics)."""

    tables: GoodnessTables
    value: FloatArray

    @property
    def deviation(self) -> FloatArray:
        """Root mean square over metrics of the standard deviation over repeats, by both; shape (2,)."""
        return np.asarray(np.sqrt(self.value.var(axis=0, ddof=1).mean(axis=-1)))

    @property
    def shift(self) -> tuple[float, float]:
        """Shared minus own, mean over metrics and repeats, with the standard error that the repeats give it."""
        each = (self.value[:, 1] - self.value[:, 0]).mean(axis=1)
        return float(each.mean()), float(each.std(ddof=1) / np.sqrt(each.size))


def run(request: StudyRequest) -> Study:
    """Count what each way costs, and compare the values by shared permutations with those by own ones."""
    if request.number("repeats") < 2:
        raise BetterThanError("repeats is 1, but values of one run do not spread. Set repeats to 2 or more.")
    panels = panels_for(request)
    tables = [complete_tables(panel) for panel in panels.each]
    spreads = [_spread(request, one) for one in tables]
    b = request.number("permutations")
    return request.answer(
        tables=[_operations(tables, b), _spreads(spreads)],
        claims=_claims(spreads),
        charts=[_chart(tables, b)],
        sentences=_sentences(tables, spreads, b),
        differences=_DIFFERENCES,
        notes=panels.notes_with(
            [note for one in tables for note in one.notes], as_published=request.as_published
        ),
        used=panels.used,
    )


_DIFFERENCES = (
    (
        "The paper gives times: about 40 ms a p-value with SciPy, and over 1,000 times less with shared permutations. "
        "Times depend on the machine, so they are measured apart and are no part of this result; here operations are "
        "counted."
    ),
    (
        "The paper believes that the dependence which sharing makes does not matter, and shows no numbers; the second "
        "table has some. Human scores and metrics share their permutations too: a metric that is close to the human "
        "scores errs as they do, and has a higher value than with own permutations."
    ),
)


def complete_tables(panel: StudyPanel) -> GoodnessTables:
    """Return human scores and metrics on the segments that every system has by all of them."""
    together = panel_of(panel.metrics, panel.human)
    if together.is_systems_only:
        raise BetterThanError(
            f"Permutations of {panel.dataset} exchange segments of two systems, and its metrics have one score per "
            "system. Name scores of segments."
        )
    # Not all ways know gaps, and all are to be given the same scores.
    whole = together.complete()
    goodness = np.concatenate([whole.human_goodness[None], whole.summands()])
    return GoodnessTables(panel.dataset, whole.names, goodness, whole.notes)


def _spread(request: StudyRequest, tables: GoodnessTables) -> _Spread:
    blocks = request.run(
        "own and shared permutations",
        (tables.goodness, tables.dataset, request.number("permutations"), request.seed),
        _repeat,
        parts=even_parts(request.number("repeats")),
        key=(tables.dataset, digest(tables.goodness)),
        label=f"own and shared permutations, {tables.dataset}",
    )
    return _Spread(tables, np.stack(blocks))


def _repeat(payload: tuple[FloatArray, str, int, int], part: range, _rng: np.random.Generator) -> FloatArray:
    """Values of all metrics in one repeat, by own and by shared permutations; shape (2, metrics)."""
    goodness, dataset, n_permutations, seed = payload
    separate, shared = (
        stream(seed, f"{way} permutations of {dataset}", part.start) for way in ("own", "shared")
    )
    human, *metrics = separate_pvalues(goodness, n_permutations, separate)
    together, *others = pvalues_of_tables(
        list(goodness), "monte_carlo", n_resamples=n_permutations, rng=shared
    )
    return np.stack(
        [soft_pairwise_accuracy(np.stack(metrics), human), soft_pairwise_accuracy(np.stack(others), together)]
    )


def _operations(tables: list[GoodnessTables], b: int) -> StudyTable:
    rows: list[tuple[StudyCell, ...]] = []
    for one in tables:
        k, m, n = one.goodness.shape
        cost_by_way = costs(k, m, n, b)
        rows += [
            (
                *(one.dataset, m, n, k * m * (m - 1) // 2, WAYS[way]),
                *(cost.drawn, cost.added, cost.compared, _total(cost_by_way["own"]) / _total(cost)),
            )
            for way, cost in cost_by_way.items()
        ]
    return StudyTable(
        name="operations",
        title=f"Cost of the p-values of human scores and all metrics, with {b:,} permutations",
        columns=(
            *("data", "systems", "segments", "p-values", "way"),
            *("signs drawn", "products added", "sums compared", "fewer operations"),
        ),
        rows=tuple(rows),
        digits=1,
        notes=("Fewer operations: all of the first way over all of this one, each counted as one.",),
    )


def _total(cost: tuple[int, ...]) -> int:
    return sum(cost)


def _spreads(spreads: list[_Spread]) -> StudyTable:
    rows: tuple[tuple[StudyCell, ...], ...] = tuple(
        (
            *(one.tables.dataset, len(one.tables.goodness) - 1, len(one.value)),
            *one.deviation.tolist(),
            *one.shift,
        )
        for one in spreads
    )
    return StudyTable(
        name="sharing",
        title="Soft pairwise accuracy by own and by shared permutations: how far it spreads over repeats",
        columns=(
            *("data", "metrics", "repeats", "deviation own", "deviation shared"),
            *("shared − own", "standard error"),
        ),
        rows=rows,
        digits=5,
        notes=(
            "Deviations are root mean squares over metrics; differences are means over metrics and repeats.",
        ),
    )


def _chart(tables: list[GoodnessTables], b: int) -> StudyChart:
    """Operations of each way, by data set."""
    marks = [
        Mark("", WAYS[way], one.dataset, _total(cost))
        for one in tables
        for k, m, n in [one.goodness.shape]
        for way, cost in costs(k, m, n, b).items()
    ]
    return figure(
        marks,
        name="operations",
        title="Operations for the p-values of human scores and all metrics",
        kind="bars",
        x="data",
        y="operations",
    )


def _claims(spreads: list[_Spread]) -> list[Claim]:
    shifts = [one.shift for one in spreads]
    unbiased = sum(abs(shift) <= 3 * error for shift, error in shifts)
    wider = [one.deviation[1] / one.deviation[0] for one in spreads]
    return [
        Claim(
            "shared permutations are over 1,000 times as fast as SciPy",
            "section 3.3",
            UNKNOWN,
            "times are measured apart, in the table that follows",
        ),
        Claim(
            "that p-values of different pairs then depend on each other does not matter: no bias",
            "section 3.3",
            holds_in(unbiased, len(spreads)),
            ", ".join(
                f"{one.tables.dataset} {shift:+.5f} ± {error:.5f}"
                for one, (shift, error) in zip(spreads, shifts, strict=True)
            ),
        ),
        Claim(
            "nor more noise",
            "section 3.3",
            holds_in(sum(bool(ratio < _MORE_NOISE) for ratio in wider), len(wider)),
            ", ".join(
                f"{one.tables.dataset} {ratio:.2f} times the standard deviation"
                for one, ratio in zip(spreads, wider, strict=True)
            ),
        ),
    ]


_MORE_NOISE = 1.1


def _sentences(tables: list[GoodnessTables], spreads: list[_Spread], b: int) -> tuple[str, ...]:
    k, m, n = tables[0].goodness.shape
    cost = costs(k, m, n, b)
    separate, shared = (np.sqrt(np.mean([one.deviation[i] ** 2 for one in spreads])) for i in range(2))
    shift = float(np.mean([one.shift[0] for one in spreads]))
    error = float(np.sqrt(np.sum([one.shift[1] ** 2 for one in spreads])) / len(spreads))
    return (
        (
            f"{tables[0].dataset}: sharing draws {cost['own'].drawn // cost['sums'].drawn:,} times fewer signs, and "
            f"sums of systems add {amount(cost['own'].added / cost['sums'].added, 1)} times fewer products."
        ),
        (
            f"Values spread by {amount(float(shared), 4)} over repeats with shared permutations and by "
            f"{amount(float(separate), 4)} with own ones; on average, shared minus own is {amount(shift, 5)} (standard "
            f"error {amount(error, 5)})."
        ),
    )


def measured(request: StudyRequest) -> tuple[StudyTable, ...]:
    """Measure milliseconds a p-value of each way, on the first data set: the least of three rounds of one thread.

    Slow ways are given people's scores only; a p-value takes the same for every table. The verb is given all metrics,
    and its time includes everything that it does besides.
    """
    panel = panels_for(request).each[0]
    dataset, _, goodness, _ = complete_tables(panel)
    k, m, n = goodness.shape
    pairs, b = m * (m - 1) // 2, request.number("permutations")
    rng = np.random.default_rng(request.seed)
    tables = list(goodness)
    works: dict[str, tuple[float, Callable[[], object]]] = {
        _SCIPY: (1 / pairs, lambda: scipy_pvalue(goodness[0, 0], goodness[0, 1], b)),
        WAYS["own"]: (1, lambda: separate_pvalues(goodness[:1], b, rng)),
        WAYS["batch"]: (1, lambda: batch_pvalues(goodness[:1], b, rng)),
        WAYS["sums"]: (k, lambda: sums_pvalues(goodness, b, rng)),
        "the same, as it is done here": (
            k,
            lambda: pvalues_of_tables(tables, "monte_carlo", n_resamples=b, rng=rng),
        ),
        _VERB: (k, lambda: evaluated(request, panel, MEASURES["SPA"])),
        # Each of b exchanges of two metrics needs the p-values of both again.
        _TESTS: (
            k + b * (k - 1) * (k - 2),
            lambda: evaluated(request, panel, MEASURES["SPA"], significance="perm_inputs"),
        ),
        WAYS["analytic"]: (k, lambda: pvalues_of_tables(tables, "analytic")),
    }
    each = {way: 1e3 * _least_seconds(work) / (pairs * some) for way, (some, work) in works.items()}
    first = each[_SCIPY]
    return (
        StudyTable(
            name="measured",
            title=f"Milliseconds a p-value on this machine: {dataset}, {m} systems, {n} segments, {b:,} permutations",
            columns=("way", "ms a p-value", "times as fast"),
            rows=tuple((way, ms, first / ms) for way, ms in each.items()),
            printed=tuple(
                (
                    None,
                    PRINTED_MILLISECONDS if way == _SCIPY else None,
                    PRINTED_SPEEDUP if way in (WAYS["sums"], _VERB, _TESTS) else None,
                )
                for way in each
            ),
            digits=4,
            notes=(
                (
                    "In the paper SciPy takes 40 ms on a laptop, and shared permutations are over 1,000 times as fast "
                    "when metrics are tested: each of the exchanges of PERM-INPUTS needs the p-values of both metrics "
                    "again. Times change from run to run and are no part of the result."
                ),
            ),
        ),
    )


_SCIPY = "SciPy, a call for each pair"
_VERB = "the verb, values of all metrics"
_TESTS = "the verb, values and tests of all metrics"


def scipy_pvalue(first: FloatArray, second: FloatArray, n_permutations: int) -> float:
    """Return the p-value of one pair as the paper took it before: a call of SciPy's permutation test.

    Parameters
    ----------
    first, second : array, shape (n,)
    n_permutations : int

    Examples
    --------
    >>> first, second = np.array([3.0, 4.0, 5.0, 4.0]), np.array([1.0, 4.0, 2.0, 3.0])
    >>> scipy_pvalue(first, second, 4000)  # SciPy tries all 16
    0.125
    """
    from scipy.stats import permutation_test  # noqa: PLC0415  (takes a second to import, and is only timed here)

    def statistic(x: FloatArray, y: FloatArray, axis: int) -> FloatArray:
        return np.asarray(np.mean(x - y, axis=axis))

    found = permutation_test(
        (first, second),
        statistic,
        permutation_type="samples",
        n_resamples=n_permutations,
        alternative="greater",
    )
    return float(found.pvalue)


def _least_seconds(work: Callable[[], object]) -> float:
    times: list[float] = []
    while len(times) < _ROUNDS and sum(times) < _LONG:
        start = time.process_time()
        work()
        times.append(time.process_time() - start)
    # A clock that did not move between two readings knows no more than its own step.
    return max(min(times), time.get_clock_info("process_time").resolution)
