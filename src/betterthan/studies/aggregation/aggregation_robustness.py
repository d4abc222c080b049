"""Section 4.6 and figure 5 of the paper on aggregation: do scores of few segments follow those of all?"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from betterthan.analysis.wording import amount
from betterthan.arrays import FloatArray
from betterthan.engine.blocks import even_parts
from betterthan.results.study import Study, StudyCell, StudyChart, StudyTable
from betterthan.studies.aggregation.three_ways import (
    METRICS,
    correlation,
    counts_of,
    three_ways,
    turned_scores,
)
from betterthan.studies.reporting import Claim, Mark, figure, holds_in, printed_table
from betterthan.studies.request import StudyRequest
from betterthan.studies.translated import (
    Translated,
    read_translated,
    translated_or_demo,
    with_texts,
)
from betterthan.tables.counts import Counts
from betterthan.tables.texts import Texts

read = read_translated
SIZES = (1, 10, 100, 1000)
"""Segments of a drawn test set. The paper has the first three; a size is left out where no test set has as many."""
WHATS = ("pooled with mean of segments", "pooled with bootstrap", "mean of segments with bootstrap")
_REPEATS_A_BLOCK = 25
_MOST_TURNED = 100
"""Transposed, every reference of a test set is scored against one output, which takes long for large ones."""
_PRINTED = printed_table("aggregation", "section_4_6").values(2)


class _SmallTestSets(NamedTuple):
    """Counts and scores of segments of every data set, bootstrap scores of all systems, and what to draw.

    `turned` are the texts to score with references transposed; empty when they are not.
    """

    counts: tuple[Counts, ...]
    segments: tuple[FloatArray, ...]
    whole: FloatArray
    sizes: tuple[int, ...]
    turned: tuple[Texts, ...]
    metric: str


def run(request: StudyRequest, translated: tuple[Translated, ...] | None = None) -> Study:
    """Draw small test sets again and again, and correlate both ways with each other and with the bootstrap."""
    used = translated_or_demo(request, translated)
    counts = counts_of(request, used)
    whole = np.concatenate(three_ways(request, used, counts), axis=1)
    draws_by_metric = {
        metric: _drawn(request, used, metric, tuple(one[metric] for one in counts), whole[2 + 3 * place])
        for place, metric in enumerate(METRICS)
    }
    sizes = _sizes(request, used)
    answer = request.answer(
        tables=[_table(draws_by_metric, sizes)],
        claims=_claims(draws_by_metric, sizes),
        charts=[_chart(draws_by_metric, sizes)],
        sentences=_sentences(draws_by_metric, sizes),
        differences=_DIFFERENCES[request.as_published],
        notes=_notes(used, sizes),
    )
    return with_texts(answer, used, is_demo=translated is None)


_CLAIM = (
    "The paper finds that corpus scores do not come nearer to the bootstrap when segments are added, and concludes "
    "that a corpus score is like a single segment."
)
_DIFFERENCES = {
    False: (f"{_CLAIM} Scored correctly, they do come nearer, as means of segments do.",),
    True: (
        (
            f"{_CLAIM} With references transposed, as here, it is the score of a single segment. That this happened "
            "in the paper is an inference: the authors' program was not seen."
        ),
    ),
}


def _sizes(request: StudyRequest, used: tuple[Translated, ...]) -> tuple[int, ...]:
    longest = max(len(one.texts.segments) for one in used)
    most = min(longest, _MOST_TURNED) if request.as_published else longest
    return tuple(size for size in SIZES if size <= most)


def _drawn(
    request: StudyRequest,
    used: tuple[Translated, ...],
    metric: str,
    counts: tuple[Counts, ...],
    whole: FloatArray,
) -> FloatArray:
    """Correlations of every drawn collection of test sets; shape (repeats, sizes, 3)."""
    repeats = request.number("turned_corpora" if request.as_published else "repeats")
    segments = tuple(one.per_segment().values for one in counts)
    turned = tuple(one.texts for one in used) if request.as_published else ()
    blocks = request.run(
        "small test sets",
        _SmallTestSets(counts, segments, whole, _sizes(request, used), turned, metric),
        _correlations,
        parts=even_parts(repeats, _REPEATS_A_BLOCK),
        key=(metric, *(one.digest for one in counts)),
        label=f"small test sets, {metric}",
    )
    return np.concatenate(blocks)


def _correlations(work: _SmallTestSets, part: range, rng: np.random.Generator) -> FloatArray:
    return np.array([[_once(work, size, rng) for size in work.sizes] for _ in part])


def _once(work: _SmallTestSets, size: int, rng: np.random.Generator) -> list[float]:
    """Draw one small test set for each data set, without replacement; a smaller data set is taken whole."""
    pooled, means = [], []
    for place, (counts, segments) in enumerate(zip(work.counts, work.segments, strict=True)):
        some = rng.permutation(counts.n_segments)[:size]
        if work.turned:
            pooled.append(turned_scores(work.turned[place], work.metric, some))
        else:
            pooled.append(counts.formula.pooled(counts.values[:, some].sum(axis=1)))
        means.append(_mean_of_known(segments[:, some]))
    p, m = np.concatenate(pooled), np.concatenate(means)
    return [correlation(p, m), correlation(p, work.whole), correlation(m, work.whole)]


def _mean_of_known(values: FloatArray) -> FloatArray:
    known = ~np.isnan(values)
    with np.errstate(invalid="ignore"):
        return np.asarray(np.where(known, values, 0.0).sum(axis=1) / known.sum(axis=1))


def _quantiles(draws: FloatArray) -> FloatArray:
    """5, 25, 50, 75 and 95 percent of the draws that have a correlation; NaN where none has."""
    known = draws[~np.isnan(draws)]
    return np.quantile(known, (0.05, 0.25, 0.5, 0.75, 0.95)) if known.size else np.full(5, np.nan)


def _table(draws_by_metric: dict[str, FloatArray], sizes: tuple[int, ...]) -> StudyTable:
    rows: list[tuple[StudyCell, ...]] = []
    printed: list[tuple[StudyCell, ...]] = []
    for metric, draws in draws_by_metric.items():
        for k, what in enumerate(WHATS):
            for i, size in enumerate(sizes):
                rows.append((metric, what, size, *_quantiles(draws[:, i, k]).tolist()))
                printed.append((*(None,) * 5, *_PRINTED.get((what, size), (None,)), None, None))
    return StudyTable(
        name="figure-5",
        title="Correlation across systems of scores of small test sets: quantiles over draws",
        columns=("metric", "what", "segments", "5%", "25%", "50%", "75%", "95%"),
        rows=tuple(rows),
        printed=tuple(printed),
        digits=3,
    )


def _chart(draws_by_metric: dict[str, FloatArray], sizes: tuple[int, ...]) -> StudyChart:
    marks = []
    for k, what in enumerate(WHATS):
        for metric, draws in draws_by_metric.items():
            for i, size in enumerate(sizes):
                low, q1, median, q3, high = _quantiles(draws[:, i, k]).tolist()
                marks.append(Mark(what, metric, f"{size:,}", median, low, high, q1, q3))
    return figure(
        marks,
        name="figure-5",
        title="Figure 5: correlation of scores of small test sets",
        kind="boxes",
        note="Boxes: quartiles and median over the draws. Whiskers: from 5 to 95%.",
        x="segments of a test set",
        y="Pearson correlation",
    )


def _claims(draws_by_metric: dict[str, FloatArray], sizes: tuple[int, ...]) -> list[Claim]:
    ends = {
        metric: np.array([[_quantiles(draws[:, i, k])[2] for i in (0, len(sizes) - 1)] for k in range(3)])
        for metric, draws in draws_by_metric.items()
    }
    n = len(ends)

    def seen(k: int) -> str:
        return ", ".join(f"{metric} {each[k, 0]:.2f} to {each[k, 1]:.2f}" for metric, each in ends.items())

    where = f"section 4.6, figure 5; from {sizes[0]} to {sizes[-1]:,} segments"
    return [
        Claim(
            "with more segments corpus scores and means of segments move apart",
            where,
            holds_in(sum(bool(each[0, 1] < each[0, 0] - _MOVED) for each in ends.values()), n),
            seen(0),
        ),
        Claim(
            "corpus scores do not come nearer to the bootstrap with more segments",
            where,
            holds_in(sum(bool(each[1, 1] < each[1, 0] + _MOVED) for each in ends.values()), n),
            seen(1),
        ),
        Claim(
            "means of segments come nearer to the bootstrap with more segments",
            where,
            holds_in(sum(bool(each[2, 1] >= each[2, 0] + _MOVED) for each in ends.values()), n),
            seen(2),
        ),
    ]


_MOVED = 0.1
"""A median correlation that changes by less stays where it is."""


def _sentences(draws_by_metric: dict[str, FloatArray], sizes: tuple[int, ...]) -> tuple[str, ...]:
    sentences = []
    for metric, draws in draws_by_metric.items():
        low, high = (
            [amount(float(_quantiles(draws[:, i, k])[2]), 2) for k in (1, 2)] for i in (0, len(sizes) - 1)
        )
        sentences.append(
            f"{metric}: from {sizes[0]} to {sizes[-1]:,} segments the correlation with the bootstrap goes from "
            f"{low[0]} to {high[0]} for pooled scores, and from {low[1]} to {high[1]} for means of segments (medians)."
        )
    return tuple(sentences)


def _notes(used: tuple[Translated, ...], sizes: tuple[int, ...]) -> tuple[str, ...]:
    whole = [one.dataset for one in used if len(one.texts.segments) < sizes[-1]]
    return (
        (
            f"{len(whole)} of {len(used)} data sets have fewer than {sizes[-1]:,} segments and are then taken whole.",
        )
        if whole
        else ()
    )
