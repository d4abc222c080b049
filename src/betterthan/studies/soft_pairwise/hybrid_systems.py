r"""Hybrid systems (section 5.1 of the paper on soft pairwise accuracy): do synthetic systems add information?

A hybrid takes each segment from one of two systems at random ([1]_). Over all hybrids of all pairs the covariance of
two tables x and y is known without drawing any: with means :math:`\bar x_i` and differences
:math:`d_s = x_{is} - x_{js}`

.. math:: \operatorname{Cov}_{i<j}\left(\frac{\bar x_i + \bar x_j}{2}, \frac{\bar y_i + \bar y_j}{2}\right)
          + \operatorname{E}_{i<j}\left[\frac{1}{4 n^2} \sum_s d^x_s d^y_s\right]

The first part is that of the real systems, the second is noise of segments, which vanishes when there are many.

References
----------
.. [1] Graham and Liu (2016), Achieving accurate conclusions in evaluation of automatic machine translation metrics,
   NAACL.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from betterthan.analysis.wording import amount
from betterthan.arrays import BoolArray, FloatArray, IntArray, digest
from betterthan.engine.blocks import even_parts, stream
from betterthan.errors import BetterThanError
from betterthan.kernels.agreement.correlation import pearson, williams
from betterthan.results.study import Study, StudyCell, StudyChart, StudyTable
from betterthan.studies.human_panels import panels_for
from betterthan.studies.reporting import Claim, Mark, figure, holds_in
from betterthan.studies.request import StudyRequest
from betterthan.studies.soft_pairwise.spa_speed import GoodnessTables, complete_tables

KEEPS_GAPS = True
ALPHA = 0.05
_LEAST_SYSTEMS = 4
_BLOCK = 500


class _Hybrids(NamedTuple):
    """One data set: correlations on real systems, on drawn hybrids and in the limit, and what becomes of claims.

    Attributes
    ----------
    real, drawn, limit : array, shape (k,)
        Pearson correlation of each metric with human scores.
    claims : array, shape (splits, 2, 2)
        By real systems and by hybrids: pairs of metrics called different on one half of the segments, and how many of
        these the other half of the segments orders the other way round.
    significant : (int, int)
        Pairs of metrics that differ significantly, by real systems and by hybrids.
    """

    tables: GoodnessTables
    real: FloatArray
    drawn: FloatArray
    limit: FloatArray
    claims: IntArray
    significant: tuple[int, int]

    @property
    def reversed_shares(self) -> tuple[float, float]:
        """Share of the claims of one half that the other half turns round; NaN where there are none."""
        total = self.claims.sum(axis=0)
        return tuple(float(back / called) if called else float("nan") for called, back in total)  # type: ignore[return-value]


def run(request: StudyRequest) -> Study:
    """Correlate metrics with human scores over real and over hybrid systems, and see which claims last."""
    panels = panels_for(request)
    found = [_hybrids(request, complete_tables(panel)) for panel in panels.each]
    return request.answer(
        tables=[_information(found, request.number("hybrids")), _correlations(found)],
        claims=_claims(found),
        charts=[_scatter(found), _bars(found)],
        sentences=_sentences(found),
        differences=_DIFFERENCES,
        notes=panels.notes_with(
            [note for one in found for note in one.tables.notes], as_published=request.as_published
        ),
        used=panels.used,
    )


_DIFFERENCES = (
    (
        "The paper names hybrid systems as a related idea and does not try them. Here a hybrid takes each segment from "
        "one of two systems with equal chance, for all pairs of systems in turn, and Williams' test is given the "
        "number of hybrids as if they were independent, as Graham and Liu do."
    ),
)


def hybrid_covariance(goodness: FloatArray) -> FloatArray:
    """Return the covariance of tables over all hybrids of all pairs of systems, in closed form.

    Parameters
    ----------
    goodness : array, shape (k, m, n)

    Returns
    -------
    array, shape (k, k)

    Examples
    --------
    Two systems that differ by 2 on one of two segments: half of the hybrids have 0, half have 1.

    >>> hybrid_covariance(np.array([[[2.0, 0.0], [0.0, 0.0]]]))
    array([[0.25]])
    """
    k, m, n = goodness.shape
    i, j = np.triu_indices(m, 1)
    means = goodness.mean(axis=2)
    middles = (means[:, i] + means[:, j]) / 2
    centered = middles - middles.mean(axis=1, keepdims=True)
    within = np.zeros((k, k))
    for a, b in zip(i.tolist(), j.tolist(), strict=True):
        difference = goodness[:, a] - goodness[:, b]
        within += difference @ difference.T
    return np.asarray(centered @ centered.T / i.size + within / (4 * n**2 * i.size))


def drawn_hybrids(
    goodness: FloatArray, n_hybrids: int, rng: np.random.Generator, *, first: int = 0
) -> FloatArray:
    """Draw hybrids of the pairs of systems in turn, and return their means; shape (k, n_hybrids).

    The first hybrid is of the pair that comes at place `first`.
    """
    _, m, n = goodness.shape
    i, j = np.triu_indices(m, 1)
    pairs = (first + np.arange(n_hybrids)) % i.size
    is_first = rng.random((n_hybrids, n)) < 0.5
    means = np.empty((len(goodness), n_hybrids))
    for pair in np.unique(pairs).tolist():
        here = pairs == pair
        a, b = goodness[:, i[pair]], goodness[:, j[pair]]
        means[:, here] = ((a - b) @ is_first[here].T + b.sum(axis=1, keepdims=True)) / n
    return means


def _hybrids(request: StudyRequest, tables: GoodnessTables) -> _Hybrids:
    goodness, n_hybrids = tables.goodness, request.number("hybrids")
    m = goodness.shape[1]
    if m < _LEAST_SYSTEMS:
        raise BetterThanError(
            f"{tables.dataset} has {m} systems, but Williams' test needs {_LEAST_SYSTEMS} or more."
        )
    blocks = request.run(
        "hybrid systems",
        (goodness, n_hybrids),
        _block,
        parts=even_parts(n_hybrids, _BLOCK),
        key=(tables.dataset, digest(goodness)),
        label=f"hybrid systems, {tables.dataset}",
    )
    human, *metrics = np.concatenate(blocks, axis=1)
    real, limit = _real_correlations(goodness), _limit_correlations(goodness)
    significant = tuple(int(_is_better(each, n).sum()) for each, n in ((real, m), (limit, n_hybrids)))
    return _Hybrids(
        tables,
        real[0, 1:],
        np.asarray(pearson(np.stack(metrics), human)),
        limit[0, 1:],
        _lasting(request, tables, n_hybrids),
        significant,  # type: ignore[arg-type]
    )


def _block(payload: tuple[FloatArray, int], part: range, rng: np.random.Generator) -> FloatArray:
    return drawn_hybrids(payload[0], len(part), rng, first=part.start)


def _real_correlations(goodness: FloatArray) -> FloatArray:
    means = goodness.mean(axis=2)
    return np.asarray(pearson(means[:, None], means[None]))


def _limit_correlations(goodness: FloatArray) -> FloatArray:
    covariance = hybrid_covariance(goodness)
    deviation = np.sqrt(np.diag(covariance))
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray(covariance / np.outer(deviation, deviation))


def _is_better(correlations: FloatArray, n: int) -> BoolArray:
    """Whether the row's metric is significantly better than the column's by Williams' test; (k, k)."""
    with_human = correlations[0, 1:]
    p = williams(with_human[:, None], with_human[None], correlations[1:, 1:], n).pvalue
    return np.asarray(np.nan_to_num(p, nan=1.0) < ALPHA)


def _lasting(request: StudyRequest, tables: GoodnessTables, n_hybrids: int) -> IntArray:
    """Call metrics different on one half of the segments, and look at their order on the other."""
    goodness = tables.goodness
    m, n = goodness.shape[1:]
    counts = []
    for split in range(request.number("splits")):
        order = stream(request.seed, f"halves of {tables.dataset}", split).permutation(n)
        halves = goodness[:, :, order[: n // 2]], goodness[:, :, order[n // 2 :]]
        row = []
        for correlate, size in ((_real_correlations, m), (_limit_correlations, n_hybrids)):
            here, there = (correlate(half) for half in halves)
            called = _is_better(here, size)
            other = there[0, 1:]
            row.append([int(called.sum()), int((called & (other[:, None] < other[None])).sum())])
        counts.append(row)
    return np.array(counts)


def _information(found: list[_Hybrids], n_hybrids: int) -> StudyTable:
    rows: list[tuple[StudyCell, ...]] = []
    for one in found:
        k, m, n = one.tables.goodness.shape
        real, hybrid = one.reversed_shares
        rows.append(
            (
                *(one.tables.dataset, m, n, n_hybrids, (k - 1) * (k - 2) // 2),
                *one.significant,
                *(
                    real,
                    hybrid,
                    float(np.abs(one.limit - one.real).max()),
                    float(pearson(one.limit, one.real)),
                ),
            )
        )
    return StudyTable(
        name="information",
        title="What hybrid systems change: significant pairs of metrics, and how many claims other segments reverse",
        columns=(
            *("data", "systems", "segments", "hybrids", "pairs of metrics"),
            *("significant, real", "significant, hybrid", "reversed, real", "reversed, hybrid"),
            *("largest change of r", "correlation of r"),
        ),
        rows=tuple(rows),
        digits=3,
        notes=(
            (
                "Significant: Williams' test, one-sided, p < 0.05, uncorrected. Reversed: share of the differences "
                "that are significant on half of the segments and have the other sign on the other half."
            ),
        ),
    )


def _correlations(found: list[_Hybrids]) -> StudyTable:
    rows: tuple[tuple[StudyCell, ...], ...] = tuple(
        (one.tables.dataset, name, float(real), float(drawn), float(limit))
        for one in found
        for name, real, drawn, limit in zip(one.tables.names, one.real, one.drawn, one.limit, strict=True)
    )
    return StudyTable(
        name="correlations",
        title="Pearson correlation of metrics with human scores, over real and over hybrid systems",
        columns=("data", "metric", "real systems", "drawn hybrids", "all hybrids"),
        rows=rows,
        digits=3,
        is_detail=True,
        notes=("All hybrids: the correlation that ever more drawn ones approach, in closed form.",),
    )


_RARELY = 0.05


def _claims(found: list[_Hybrids]) -> list[Claim]:
    n = len(found)
    more = sum(one.significant[1] > one.significant[0] for one in found)
    lasting = [one.reversed_shares[1] for one in found if not np.isnan(one.reversed_shares[1])]
    return [
        Claim(
            "hybrid systems find more differences between metrics significant",
            "Graham and Liu (2016), cited in section 5.1",
            holds_in(more, n),
            ", ".join(f"{one.tables.dataset} {one.significant[1]} and {one.significant[0]}" for one in found),
        ),
        Claim(
            "these differences last: other segments reverse no more than 5% of them",
            "Graham and Liu (2016), cited in section 5.1",
            holds_in(sum(share <= _RARELY for share in lasting), len(lasting)),
            ", ".join(f"{one.tables.dataset} {one.reversed_shares[1]:.0%}" for one in found),
        ),
    ]


def _scatter(found: list[_Hybrids]) -> StudyChart:
    marks = [
        Mark(variable, one.tables.dataset, name, float(value))
        for variable, values in (("real systems", "real"), ("hybrid systems", "drawn"))
        for one in found
        for name, value in zip(one.tables.names, getattr(one, values), strict=True)
    ]
    real, drawn = (np.concatenate([getattr(one, values) for one in found]) for values in ("real", "drawn"))
    return figure(
        marks,
        name="correlations",
        title="Correlation of metrics with human scores, over real and over hybrid systems",
        kind="pairs",
        x="metric",
        y="correlation",
        pairs=(("real systems", "hybrid systems", float(pearson(real, drawn))),),
    )


def _bars(found: list[_Hybrids]) -> StudyChart:
    return figure(
        (
            Mark("", label, one.tables.dataset, one.reversed_shares[i])
            for i, label in enumerate(("real systems", "hybrid systems"))
            for one in found
        ),
        name="reversed",
        title="Differences significant on half of the segments, reversed by the other half",
        kind="bars",
        x="data",
        y="share reversed",
        rule=_RARELY,
        note=f"Dashed: {_RARELY:.0%}.",
    )


def _sentences(found: list[_Hybrids]) -> tuple[str, ...]:
    change = max(float(np.abs(one.limit - one.real).max()) for one in found)
    error = max(float(np.abs(one.drawn - one.limit).max()) for one in found)
    alike = min(float(pearson(one.limit, one.real)) for one in found)
    return (
        (
            "Hybrids add no information about metrics: over hybrids the correlation of a metric with human scores "
            f"changes by at most {amount(change, 3)}, and these correlations and those over real systems have r = "
            f"{amount(alike, 3)}."
            if alike >= _SAME
            else "Hybrids order metrics otherwise than the real systems do: the correlations over both have "
            f"r = {amount(alike, 3)}, because the noise of segments is not small here."
        ),
        (
            f"Drawn hybrids are within {amount(error, 3)} of the closed form. A hybrid is the mean of two systems and "
            "noise of segments: what grows is the number that the test is given, not what is known."
        ),
    )


_SAME = 0.99
