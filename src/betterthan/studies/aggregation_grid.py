"""Figures 1 to 4 of the paper on aggregation: how do corpus, segment and bootstrap scores of systems go together?"""

from __future__ import annotations

from itertools import combinations

import numpy as np

from betterthan.analysis.wording import amount
from betterthan.arrays import FloatArray
from betterthan.results.study import Entry, Study, StudyChart, StudyTable
from betterthan.studies.asked import Asked
from betterthan.studies.three_ways import METRICS, NAMES, correlation, three_ways
from betterthan.studies.translated import Translated, answered, read_translated, translated_or_demo

read = read_translated
PRINTED_MEANS = {"BLEU": 0.29, "m-BLEU": 0.39, "x-BLEU": 0.43, "chrF": 0.54, "m-chrF": 0.58, "x-chrF": 0.57}
"""Section 4.4, on a scale from 0 to 1."""
PRINTED = {
    ("BLEU", "m-BLEU"): 0.48,
    ("BLEU", "x-BLEU"): 0.53,
    ("m-BLEU", "x-BLEU"): 0.95,
    ("chrF", "m-chrF"): 0.55,
    ("chrF", "x-chrF"): 0.56,
    ("m-chrF", "x-chrF"): 0.99,
    ("BLEU", "chrF"): 0.77,
    ("m-BLEU", "m-chrF"): 0.93,
    ("x-BLEU", "x-chrF"): 0.88,
}
"""Sections 4.4 and 4.5."""


def run(asked: Asked, translated: tuple[Translated, ...] | None = None) -> Study:
    """Score every system of every data set in six ways, and correlate the ways across all of them."""
    used = translated_or_demo(asked, translated)
    values = three_ways(asked, used)
    together = dict(zip(NAMES, np.concatenate(values, axis=1), strict=True))
    answer = asked.answer(
        tables=[_correlations(together), _means(together), _scores(used, values)],
        charts=[_matrix(together), *(_scatter(metric, together) for metric in METRICS)],
        sentences=_sentences(together),
        differences=_DIFFERENCES[asked.as_published],
    )
    return answered(answer, used, is_demo=translated is None)


_DIFFERENCES = {
    False: (
        (
            "A bootstrap of corpora estimates the corpus score itself, so the two must nearly agree; the paper prints "
            "a correlation of 0.53. The claim does not reproduce."
        ),
        "The printed pattern appears with references turned round; see --as-published.",
    ),
    True: (
        (
            "Corpus and bootstrap scores are those of sacreBLEU with references turned round, N lists of one, which "
            "scores the first output alone and says nothing. That the paper's numbers come from this is an "
            "inference: the authors' program was not seen."
        ),
    ),
}


def _correlations(together: dict[str, FloatArray]) -> StudyTable:
    """All pairs of the six; the paper prints nine of the fifteen."""
    rows: list[tuple[Entry, ...]] = []
    printed: list[tuple[Entry, ...]] = []
    for a, b in combinations(NAMES, 2):
        rows.append((a, b, _figure(a, b), correlation(together[a], together[b])))
        printed.append((None, None, None, PRINTED.get((a, b))))
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
        printed=tuple((None, PRINTED_MEANS[name], None) for name in NAMES),
        digits=3,
    )


def _scores(used: tuple[Translated, ...], values: list[FloatArray]) -> StudyTable:
    rows: tuple[tuple[Entry, ...], ...] = tuple(
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
    cells = [(a, b, correlation(together[a], together[b])) for a, b in combinations(NAMES, 2)]
    known = [cell for cell in cells if not np.isnan(cell[2])]
    return StudyChart(
        name="figures-1-to-4",
        title="Correlation of six scores of a system with each other",
        kind="matrix",
        x="",
        y="",
        columns={
            "panel": ("",) * len(known),
            "series": tuple(cell[0] for cell in known),
            "x": tuple(cell[1] for cell in known),
            "y": tuple(cell[2] for cell in known),
        },
    )


def _scatter(metric: str, together: dict[str, FloatArray]) -> StudyChart:
    names = [name for name in NAMES if _parts(name)[1] == metric]
    marks = [
        (f"{a} and {b}", float(x), float(y))
        for a, b in combinations(names, 2)
        for x, y in zip(together[a], together[b], strict=True)
    ]
    return StudyChart(
        name=f"figure-{1 + METRICS.index(metric)}",
        title=f"{metric} of systems, aggregated in two ways: the first name is at the horizontal axis",
        kind="points",
        x="score",
        y="score",
        columns={
            "panel": tuple(mark[0] for mark in marks),
            "series": ("",) * len(marks),
            "x": tuple(mark[1] for mark in marks),
            "y": tuple(mark[2] for mark in marks),
        },
    )


def _sentences(together: dict[str, FloatArray]) -> tuple[str, ...]:
    return tuple(
        f"{metric}: pooled and bootstrap scores correlate at "
        f"{amount(correlation(together[metric], together[f'x-{metric}']), 3)}, pooled and means of segments at "
        f"{amount(correlation(together[metric], together[f'm-{metric}']), 3)}."
        for metric in METRICS
    )
