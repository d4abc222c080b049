"""System scores in three ways: of the pooled corpus, as the mean of segments, as the mean of bootstrap corpora."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from sacrebleu.metrics.bleu import BLEU
from sacrebleu.metrics.chrf import CHRF

from betterthan.analysis.rank.bootstrap_mean import bootstrap_mean
from betterthan.analysis.strengths.ranking import RankOptions
from betterthan.arrays import FloatArray, IntArray
from betterthan.engine.blocks import even_parts
from betterthan.kernels.agreement.correlation import pearson
from betterthan.scoring.bleu import bleu
from betterthan.scoring.chrf import chrf
from betterthan.studies.request import StudyRequest
from betterthan.studies.translated import Translated, target
from betterthan.tables.counts import Counts
from betterthan.tables.texts import Texts

METRICS = ("BLEU", "chrF")
WAYS = ("", "m-", "x-")
"""As the paper calls them: pooled, mean of segments, mean of bootstrap corpora."""
NAMES = tuple(f"{way}{metric}" for metric in METRICS for way in WAYS)
TOKENIZERS = {"zh": "zh", "ja": "char"}
"""By target language; the usual one of Japanese needs a dictionary of 50 MB, characters do not."""


def counts_of(request: StudyRequest, used: Sequence[Translated]) -> list[dict[str, Counts]]:
    """Count BLEU and chrF of every data set once; words as published are those of tokenizer 13a everywhere."""
    return [
        {
            "BLEU": bleu(one.texts, tokenize=_tokenizer(one.dataset, as_published=request.as_published)),
            "chrF": chrf(one.texts),
        }
        for one in used
    ]


def _tokenizer(dataset: str, *, as_published: bool) -> str:
    return "13a" if as_published else TOKENIZERS.get(target(dataset), "13a")


def three_ways(
    request: StudyRequest, used: Sequence[Translated], counts: Sequence[dict[str, Counts]]
) -> list[FloatArray]:
    """Return, for each data set, scores by :data:`NAMES`; shape (6, m).

    As published, references are handed over the wrong way round, as the numbers of the paper suggest.
    """
    if not request.as_published:
        return [_correct(request, one) for one in counts]
    # Means of segments stay: single segments cannot be transposed.
    means = [[segment_means(one[metric]) for metric in METRICS] for one in counts]
    return [
        np.array([bleu_, m_bleu, x_bleu, chrf_, m_chrf, x_chrf])
        for (m_bleu, m_chrf), (bleu_, x_bleu, chrf_, x_chrf) in zip(
            means, _turned(request, used), strict=True
        )
    ]


def _correct(request: StudyRequest, counts: dict[str, Counts]) -> FloatArray:
    options = RankOptions(size=request.number("size"))
    resampling = request.resampling.times(request.number("corpora"))
    rows = []
    for metric in METRICS:
        metric_counts = counts[metric]
        rows += [
            metric_counts.pooled(),
            segment_means(metric_counts),
            bootstrap_mean(metric_counts, options, resampling).mean,
        ]
    return np.array(rows)


def segment_means(counts: Counts) -> FloatArray:
    """Return the mean of the segments that have a score of their own; shape (m,)."""
    values = counts.per_segment().values
    known = ~np.isnan(values)
    with np.errstate(invalid="ignore"):
        return np.asarray(np.where(known, values, 0.0).sum(axis=1) / known.sum(axis=1))


def _turned(request: StudyRequest, used: Sequence[Translated]) -> list[FloatArray]:
    texts = tuple(one.texts for one in used)
    return request.run(
        "corpora with references transposed",
        (texts, request.number("turned_corpora"), request.number("turned_size")),
        turned_block,
        parts=even_parts(len(used)),
        key=[one.digest for one in texts],
        label="references transposed",
        uses="processes",
    )


def turned_block(
    payload: tuple[tuple[Texts, ...], int, int], part: range, rng: np.random.Generator
) -> FloatArray:
    """Score one data set with references transposed: pooled and bootstrap BLEU, pooled and bootstrap chrF; (4, m)."""
    every, n_corpora, size = payload
    texts = every[part.start]
    n = len(texts.segments)
    drawn = [rng.integers(0, n, size=size) for _ in range(n_corpora)]
    rows = []
    for metric in METRICS:
        rows.append(turned_scores(texts, metric, np.arange(n)))
        rows.append(np.mean([turned_scores(texts, metric, some) for some in drawn], axis=0))
    return np.array(rows)


def turned_scores(texts: Texts, metric: str, some: IntArray) -> FloatArray:
    """Score all systems on some segments with references transposed; shape (m,).

    sacreBLEU expects one list per reference. Given N lists of one it scores the first output alone, against all
    references as if they were its own, without a warning.
    """
    references = [[texts.references[0][i]] for i in some]
    # Handed to the metric itself they are looked at once, not once a system.
    scorer = CHRF(references=references) if metric == "chrF" else BLEU(references=references)
    return np.array([scorer.corpus_score([row[i] or "" for i in some], None).score for row in texts.outputs])


def correlation(x: FloatArray, y: FloatArray) -> float:
    """Return Pearson's correlation over what both have; NaN for fewer than two, or where one is constant.

    Examples
    --------
    >>> correlation(np.array([1.0, 2, 3, np.nan]), np.array([2.0, 4, 6, 0]))
    1.0
    """
    return float(pearson(x, y))
