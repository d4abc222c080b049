"""Figures 1 to 4 of the paper on aggregation: how do corpus, segment and bootstrap scores of systems go together?"""

from __future__ import annotations

from itertools import combinations

import numpy as np

from betterthan.analysis.rank.aggregation_weights import length_weights
from betterthan.analysis.wording import amount
from betterthan.arrays import FloatArray
from betterthan.messages import Message, Option
from betterthan.results.study import Study, StudyCell, StudyChart, StudyTable
from betterthan.studies.aggregation.three_ways import METRICS, NAMES, correlation, counts_of, three_ways
from betterthan.studies.figure import Mark, figure
from betterthan.studies.printed import printed_table
from betterthan.studies.request import StudyRequest
from betterthan.studies.translated import (
    Translated,
    read_translated,
    translated_or_demo,
    with_texts,
)
from betterthan.tables.counts import Counts

read = read_translated
PRINTED_MEANS = printed_table("aggregation", "means").values()
PRINTED = printed_table("aggregation", "correlations").values(2)


def run(request: StudyRequest, translated: tuple[Translated, ...] | None = None) -> Study:
    """Score every system of every data set in six ways, and correlate the ways across all of them."""
    used = translated_or_demo(request, translated)
    counts = counts_of(request, used)
    values = three_ways(request, used, counts)
    together = dict(zip(NAMES, np.concatenate(values, axis=1), strict=True))
    answer = request.answer(
        tables=[
            _correlations(together),
            _means(together),
            _by_data(used, values, counts),
            _scores(used, values),
        ],
        charts=[
            _matrix(together),
            *(_scatter(metric, used, values) for metric in METRICS),
            _distributions(together),
        ],
        sentences=_sentences(together),
        differences=_DIFFERENCES[request.as_published],
    )
    return with_texts(answer, used, is_demo=translated is None)


_DIFFERENCES = {
    False: (
        (
            "A bootstrap of corpora estimates the corpus score itself, so the two must nearly agree; the paper prints "
            "a correlation of 0.53. The claim does not reproduce."
        ),
        Message(
            "The printed pattern appears with references transposed; see {as_published}.",
            as_published=Option("as_published", True),
        ),
    ),
    True: (
        (
            "Corpus and bootstrap scores are those of sacreBLEU with references transposed, N lists of one, which "
            "scores the first output alone and says nothing; tokenizer 13a in all languages. That the paper's numbers "
            "come from this is an inference: the authors' program was not seen."
        ),
    ),
}


def _correlations(together: dict[str, FloatArray]) -> StudyTable:
    """All pairs of the six; the paper prints nine of the fifteen."""
    rows: list[tuple[StudyCell, ...]] = []
    printed: list[tuple[StudyCell, ...]] = []
    for a, b in combinations(NAMES, 2):
        rows.append((a, b, _figure(a, b), correlation(together[a], together[b])))
        printed.append((None, None, None, *PRINTED.get((a, b), (None,))))
    return StudyTable(
        name="correlations",
        title=f"Pearson correlation across {together['BLEU'].size} outputs of systems",
        columns=("scores", "with", "figure", "correlation"),
        rows=tuple(rows),
        printed=tuple(printed),
        digits=3,
        notes=(
            "m-: mean of segments. x-: mean of bootstrap corpora. No mark: pooled, as corpus scores are.",
        ),
    )


def _figure(a: str, b: str) -> int:
    """Where the paper shows a pair: one metric in figures 1 and 2, one way in figure 3, the others in figure 4."""
    (way, metric), (other_way, other) = _parts(a), _parts(b)
    if metric == other:
        return 1 + METRICS.index(metric)
    return 3 if way == other_way else 4


def _parts(name: str) -> tuple[str, str]:
    way, mark, metric = name.rpartition("-")
    return way + mark, metric


def _means(together: dict[str, FloatArray]) -> StudyTable:
    rows = tuple(
        (name, float(np.mean(together[name])) / 100, float(np.std(together[name])) / 100) for name in NAMES
    )
    return StudyTable(
        name="means",
        title="Mean and spread of the scores of systems, on a scale from 0 to 1",
        columns=("scores", "mean", "standard deviation"),
        rows=rows,
        printed=tuple((None, *PRINTED_MEANS[name,], None) for name in NAMES),
        digits=3,
    )


def _by_data(
    used: tuple[Translated, ...], values: list[FloatArray], counts: list[dict[str, Counts]]
) -> StudyTable:
    """The same inside every data set, and how unequally long its segments are."""
    rows: list[tuple[StudyCell, ...]] = []
    for place, metric in enumerate(METRICS):
        for one, table, dataset_counts in zip(used, values, counts, strict=True):
            pooled, mean, drawn = table[3 * place : 3 * place + 3]
            weights = length_weights(dataset_counts[metric])
            rows.append(
                (
                    *(metric, one.dataset, len(one.texts.systems), len(one.texts.segments)),
                    *(correlation(pooled, mean), correlation(pooled, drawn), correlation(mean, drawn)),
                    *(float(np.mean(some)) / 100 for some in (pooled, mean, drawn)),
                    round(float(np.median(weights.effective_segments))),
                    float(np.median(weights.longest_tenth)),
                )
            )
    return StudyTable(
        name="by-data",
        title="The same inside every data set, and how unequally long its segments are",
        columns=(
            *("metric", "data", "systems", "segments", "pooled – segments", "pooled – bootstrap"),
            *("segments – bootstrap", "mean pooled", "mean segments", "mean bootstrap"),
            *("effective segments", "longest tenth"),
        ),
        rows=tuple(rows),
        digits=3,
        is_detail=True,
        notes=(
            (
                "Effective segments: how many of equal length would weigh as these do. Longest tenth: what the longest "
                "tenth of the segments weighs in the pooled score. Medians over systems."
            ),
        ),
    )


def _scores(used: tuple[Translated, ...], values: list[FloatArray]) -> StudyTable:
    rows: tuple[tuple[StudyCell, ...], ...] = tuple(
        (one.dataset, system, *(float(x) for x in column))
        for one, table in zip(used, values, strict=True)
        for system, column in zip(one.texts.systems, table.T, strict=True)
    )
    return StudyTable(
        name="scores",
        title="Scores of every system",
        columns=("data", "system", *NAMES),
        rows=rows,
        is_detail=True,
    )


def _matrix(together: dict[str, FloatArray]) -> StudyChart:
    return figure(
        (Mark("", a, b, correlation(together[a], together[b])) for a, b in combinations(NAMES, 2)),
        name="figures-1-to-4",
        title="Correlation of six scores of a system with each other",
        kind="matrix",
        x="",
        y="",
    )


def _scatter(metric: str, used: tuple[Translated, ...], values: list[FloatArray]) -> StudyChart:
    pairs = combinations([place for place, name in enumerate(NAMES) if _parts(name)[1] == metric], 2)
    return figure(
        (
            Mark(f"{NAMES[a]} and {NAMES[b]}", name, float(x), float(y))
            for a, b in pairs
            for name, table in zip(_short(used), values, strict=True)
            for x, y in zip(table[a], table[b], strict=True)
        ),
        name=f"figure-{1 + METRICS.index(metric)}",
        title=f"{metric} of systems, aggregated in two ways: the first name is at the horizontal axis",
        kind="points",
        x="score",
        y="score",
    )


def _short(used: tuple[Translated, ...]) -> list[str]:
    """Names that fit a legend: language pairs alone, as long as they differ."""
    last = [one.dataset.split()[-1] for one in used]
    return last if len(set(last)) == len(last) else [one.dataset for one in used]


def _distributions(together: dict[str, FloatArray]) -> StudyChart:
    """The diagonals of figures 1 and 2: how many systems have which score."""
    edges = np.arange(0, 101, 10)
    return figure(
        (
            Mark(name, "systems", f"{low}–{low + 10}", int(n))
            for name, scores in together.items()
            for low, n in zip(edges.tolist(), np.histogram(scores, bins=edges)[0].tolist(), strict=False)
        ),
        name="distributions",
        title="How many systems have which score",
        kind="bars",
        x="score",
        y="systems",
    )


def _sentences(together: dict[str, FloatArray]) -> tuple[str, ...]:
    return tuple(
        f"{metric}: pooled and bootstrap scores correlate at "
        f"{amount(correlation(together[metric], together[f'x-{metric}']), 3)}, pooled and means of segments at "
        f"{amount(correlation(together[metric], together[f'm-{metric}']), 3)}."
        for metric in METRICS
    )
