"""Figures 1 to 4 of the paper on aggregation: how do corpus, segment and bootstrap scores of systems go together?"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

import numpy as np

from betterthan.analysis.rank.aggregate import length_weights
from betterthan.analysis.wording import amount
from betterthan.arrays import FloatArray
from betterthan.messages import Message, Option
from betterthan.results.study import Study, StudyCell, StudyChart, StudyTable
from betterthan.studies.aggregation.three_ways import METRICS, NAMES, WAYS, correlation, counts_of, three_ways
from betterthan.studies.reporting import Claim, Mark, figure, holds_in, printed_table
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
            _scores(used, values, counts),
        ],
        claims=_claims(together),
        charts=_charts(used, together),
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


def _scores(
    used: tuple[Translated, ...], values: list[FloatArray], counts: list[dict[str, Counts]]
) -> StudyTable:
    """Return all scores; a mean of segments has a standard deviation, which a pooled score has not (3.1)."""
    rows: tuple[tuple[StudyCell, ...], ...] = tuple(
        (one.dataset, system, *(float(x) for x in column), *deviations)
        for one, table, each in zip(used, values, counts, strict=True)
        for system, column, *deviations in zip(
            one.texts.systems, table.T, *(_deviations(each[metric]) for metric in METRICS), strict=True
        )
    )
    return StudyTable(
        name="scores",
        title="Scores of every system, and the standard deviation of its segments",
        columns=("data", "system", *NAMES, *(f"SD of {metric} of segments" for metric in METRICS)),
        rows=rows,
        is_detail=True,
    )


def _deviations(counts: Counts) -> list[float]:
    """Standard deviation of the scores of each system's segments."""
    values = counts.per_segment().values
    known = [row[~np.isnan(row)] for row in values]
    return [float(row.std(ddof=1)) if row.size > 1 else float("nan") for row in known]


_FIGURES = {
    3: (("BLEU", "chrF"), ("m-BLEU", "m-chrF"), ("x-BLEU", "x-chrF")),
    4: (("chrF", "m-BLEU"), ("x-chrF", "m-BLEU"), ("BLEU", "m-chrF"), ("x-BLEU", "m-chrF")),
}
"""Scores that figures 3 and 4 plot against each other."""


def _charts(used: tuple[Translated, ...], together: dict[str, FloatArray]) -> list[StudyChart]:
    names = [
        (short, system) for short, one in zip(_short(used), used, strict=True) for system in one.texts.systems
    ]

    def drawn(pairs: Sequence[tuple[str, str]], variables: Sequence[str], **labels: str) -> StudyChart:
        marks = (
            Mark(name, dataset, system, float(score) / 100)
            for name in variables
            for (dataset, system), score in zip(names, together[name], strict=True)
        )
        known = tuple((a, b, correlation(together[a], together[b])) for a, b in pairs)
        return figure(marks, x="score", y="score", pairs=known, **labels)

    grids = [
        drawn(
            tuple(combinations(own, 2)),
            own,
            kind="grid",
            name=f"figure-{number}",
            title=f"Figure {number}: {metric} of systems, aggregated in three ways",
        )
        for number, metric in enumerate(METRICS, start=1)
        for own in [[name for name in NAMES if _parts(name)[1] == metric]]
    ]
    titles = {3: "the same aggregation of BLEU and chrF", 4: "means of segments and other scores"}
    return grids + [
        drawn(pairs, NAMES, kind="pairs", name=f"figure-{number}", title=f"Figure {number}: {titles[number]}")
        for number, pairs in _FIGURES.items()
    ]


_WEAK = 0.7
"""A correlation below is called weak; the printed ones are below 0.6."""


def _claims(together: dict[str, FloatArray]) -> list[Claim]:
    def r(a: str, b: str) -> float:
        return correlation(together[a], together[b])

    own = {metric: (r(metric, f"x-{metric}"), r(f"m-{metric}", f"x-{metric}")) for metric in METRICS}
    between = {metric: r(metric, f"m-{metric}") for metric in METRICS}
    titles = ("pooled", "means of segments", "bootstrap")
    across = {title: r(f"{way}BLEU", f"{way}chrF") for way, title in zip(WAYS, titles, strict=True)}
    n = len(METRICS)
    return [
        Claim(
            "corpus scores correlate weakly with means of segments (0.48 and 0.55)",
            "section 4.4, figures 1 and 2",
            holds_in(sum(value < _WEAK for value in between.values()), n),
            ", ".join(f"{metric} {value:.3f}" for metric, value in between.items()),
        ),
        Claim(
            "corpus scores correlate weakly with bootstrap scores (0.53 and 0.56)",
            "section 4.4, figures 1 and 2",
            holds_in(sum(pooled < _WEAK for pooled, _ in own.values()), n),
            ", ".join(f"{metric} {pooled:.3f}" for metric, (pooled, _) in own.items()),
        ),
        Claim(
            "means of segments follow bootstrap scores more closely than corpus scores do",
            "section 4.4, figures 1 and 2",
            holds_in(sum(mean > pooled for pooled, mean in own.values()), n),
            ", ".join(f"{metric} {mean:.3f} and {pooled:.3f}" for metric, (pooled, mean) in own.items()),
        ),
        Claim(
            "BLEU and chrF correlate least as corpus scores",
            "section 4.5, figure 3",
            min(across, key=lambda way: across[way]) == "pooled",
            ", ".join(f"{way} {value:.3f}" for way, value in across.items()),
        ),
    ]


def _short(used: tuple[Translated, ...]) -> list[str]:
    """Names that fit a legend: language pairs alone, as long as they differ."""
    last = [one.dataset.split()[-1] for one in used]
    return last if len(set(last)) == len(last) else [one.dataset for one in used]


def _sentences(together: dict[str, FloatArray]) -> tuple[str, ...]:
    return tuple(
        f"{metric}: pooled and bootstrap scores correlate at "
        f"{amount(correlation(together[metric], together[f'x-{metric}']), 3)}, pooled and means of segments at "
        f"{amount(correlation(together[metric], together[f'm-{metric}']), 3)}."
        for metric in METRICS
    )
