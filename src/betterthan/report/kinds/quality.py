"""A report on predicted quality of sentences: how well each system follows the true scores."""

from __future__ import annotations

from typing import Any

import numpy as np

from betterthan.analysis.tags.sentence_quality import sentence_quality
from betterthan.arrays import FloatArray
from betterthan.present.geometry import paired_scores, plane_limits
from betterthan.present.numbers import digits_for, number, percent
from betterthan.present.table import Table, TableColumn
from betterthan.present.tables.describe import describe
from betterthan.report.document import (
    Card,
    Columns,
    Figure,
    Fold,
    Matrix,
    MatrixCell,
    Paragraph,
    Report,
    Section,
    Switch,
    SwitchView,
    TableBlock,
    csv_of_result,
)
from betterthan.report.figures.marks import interval_marks, scale_heading
from betterthan.report.figures.pair import prediction_picture
from betterthan.report.inputs import Inputs
from betterthan.report.sections.data import csv_files, data_section, files_section, method_section
from betterthan.report.sections.pairs import pairs_card
from betterthan.report.sections.ranking import close_race
from betterthan.report.wording import count, page_table, plural
from betterthan.results.base import Result
from betterthan.results.metrics import SentenceQuality
from betterthan.results.pairwise import equals_p, pvalue, small_pvalue
from betterthan.tables.scores import Scores

_MEASURES = {"pearson": "Pearson's r", "spearman": "Spearman's ρ", "mae": "MAE", "rmse": "RMSE"}
_ERRORS = ("mae", "rmse")
_MOST_SENTENCES = 15
_MOST_SYSTEMS = 24


def quality_report(inputs: Inputs) -> Report:
    """Compute everything that a report on predicted quality shows."""
    gold, predicted = inputs.human, inputs.scores
    assert gold is not None  # noqa: S101  (gathered so)
    options = {key: inputs.options[key] for key in ("missing", "rng") if key in inputs.options}
    result = sentence_quality(predicted, gold, **options, **inputs.computing())
    results: dict[str, Result] = {"quality": result}
    files = csv_files(results)
    n_pairs = len(result.systems) * (len(result.systems) - 1) // 2
    sections = [
        _ranking(result),
        *([_pairs(result)] if n_pairs else []),
        _predictions(result, predicted, gold),
        _sentences(result, predicted, gold),
        data_section(inputs, [_data_summary(result)], results.values()),
        method_section(_paragraph(result), results, ("quality",), inputs.command),
        files_section(results, files),
    ]
    return Report(
        title=f"Predicted quality · {len(result.systems)} {plural(len(result.systems), 'system')} · "
        f"{count(_n_sentences(result))} sentences",
        kind="quality",
        headline=_headline(result),
        verdict=_verdict(result),
        cards=_cards(result),
        sections=tuple(sections),
        results=results,
        notes=inputs.notes,
        command=inputs.command,
        payload={"csv": files},
    )


def _n_sentences(result: SentenceQuality) -> int:
    return int(result.settings.n_segments or 0)


def _differs(result: SentenceQuality, i: int, j: int) -> bool:
    return not set(result.letters[i]) & set(result.letters[j])


def _n_different(result: SentenceQuality) -> int:
    m = len(result.systems)
    return sum(_differs(result, i, j) for i in range(m) for j in range(i + 1, m))


def _may_be_best(result: SentenceQuality) -> list[bool]:
    return [i == 0 or not _differs(result, 0, i) for i in range(len(result.systems))]


def _headline(result: SentenceQuality) -> str:
    first, m = result.systems[0], len(result.systems)
    if m == 1:
        return f"{first} correlates with the true scores at {result.pearson[0]:.2f}."
    second, n_best = result.systems[1], sum(_may_be_best(result))
    if n_best == 1:
        end = f"better than {second}." if m == 2 else f"best of {m} systems, ahead of {second}."
        return f"{first} predicts quality {end}"
    if m == 2:
        return f"No significant difference between {first} and {second}."
    return close_race(first, second, n_best, m)


def _verdict(result: SentenceQuality) -> str:
    first, level = result.systems[0], percent(result.confidence)
    sentence = (
        f"Pearson's correlation with the true scores is {result.pearson[0]:.3f} for {first} "
        f"({level} CI {result.low[0, 0]:.3f} to {result.high[0, 0]:.3f})"
    )
    if len(result.systems) == 1:
        return f"{sentence}, over {count(_n_sentences(result))} sentences."
    verb = "significant" if _differs(result, 0, 1) else "not significant"
    return (
        f"{sentence} and {result.pearson[1]:.3f} for {result.systems[1]}. The difference between the two is {verb} at "
        f"level {result.alpha:g} after Holm's adjustment for all pairs "
        f"(unadjusted {equals_p(float(result.pvalue[0, 1]))})."
    )


def _cards(result: SentenceQuality) -> tuple[Card, ...]:
    m = len(result.systems)
    n_worse = int(np.count_nonzero(result.mae > result.constant_mae))
    return (
        Card(number=str(m), label=plural(m, "system")),
        Card(number=count(_n_sentences(result)), label="sentences"),
        *([pairs_card(_n_different(result), m * (m - 1) // 2)] if m > 1 else []),
        Card(
            number=str(n_worse),
            of=f"of {m}",
            label=f"{plural(n_worse, 'has', 'have')} a larger mean absolute error than predicting the average",
            is_warning=n_worse > 0,
        ),
    )


def _ranking(result: SentenceQuality) -> Section:
    """Return one view per measure, best first, and the table of all measures."""
    choices = []
    for k, (measure, name) in enumerate(_MEASURES.items()):
        values = getattr(result, measure)
        order = np.argsort(values if measure in _ERRORS else -values, kind="stable").tolist()
        choices.append(
            SwitchView(key=measure, label=name, blocks=(_by_measure(result, k, measure, name, order),))
        )
    table = page_table(describe(result))
    whole = Fold(
        key="measures-fold",
        label="All measures in one table",
        blocks=(
            TableBlock(key="all-measures", table=table, csv=csv_of_result(result)),
            Paragraph(table.legend, "dim"),
        ),
    )
    words = tuple(Paragraph(line, "dim") for line in (*table.verdict, table.unit, *table.words) if line)
    lead = (
        "Best first, with the confidence interval of each system. In color: systems whose correlation does not differ "
        "significantly from the best. Lower is better for MAE and RMSE."
    )
    switch = Switch(key="measure", label="Measure", choices=tuple(choices))
    return Section(key="ranking", title="Ranking", lead=lead, blocks=(switch, *words, whole))


def _by_measure(result: SentenceQuality, k: int, measure: str, name: str, order: list[int]) -> TableBlock:
    values: FloatArray = getattr(result, measure)
    digits = digits_for(((result.high[:, k] - result.low[:, k]) / 2).tolist(), values.tolist())
    columns = (
        TableColumn(heading="system"),
        TableColumn(heading=name, kind="number", digits=digits),
        TableColumn(heading=f"{percent(result.confidence)} CI", kind="interval", digits=digits),
    )
    rows = tuple(
        (result.systems[i], float(values[i]), (float(result.low[i, k]), float(result.high[i, k])))
        for i in order
    )
    numbers = [[float(part[i]) for i in order] for part in (values, result.low[:, k], result.high[:, k])]
    best = _may_be_best(result)
    return TableBlock(
        key=f"by-{measure}",
        table=Table(title=f"Systems by {name}", columns=columns, rows=rows),
        marks=interval_marks(*numbers, stressed=[best[i] for i in order]),
        marks_heading=scale_heading(*numbers),
    )


def _pairs(result: SentenceQuality) -> Section:
    """Return the p-values of all pairs."""
    shown = min(len(result.systems), _MOST_SYSTEMS)
    names = result.systems[:shown]
    cells = tuple(tuple(None if i == j else _cell(result, i, j) for j in range(shown)) for i in range(shown))
    caption = "Two-sided p-values for the difference in Pearson's correlation, not adjusted"
    matrix = Matrix(key="matrix", caption=caption, corner="p-values", rows=names, columns=names, cells=cells)
    lead = (
        f"{caption}. Bold: significant at level {result.alpha:g} after Holm's adjustment; green where the row is "
        "better, orange where it is worse."
    )
    return Section(
        key="pairs", title="Which systems differ significantly?", menu="Pairs", lead=lead, blocks=(matrix,)
    )


def _cell(result: SentenceQuality, i: int, j: int) -> MatrixCell:
    p, differs = float(result.pvalue[i, j]), _differs(result, i, j)
    better = bool(result.pearson[i] > result.pearson[j])
    text = "–" if np.isnan(p) else small_pvalue(p)
    return MatrixCell(
        text=text,
        shade=(6 if better else -6) if differs else 0,
        is_sure=differs,
        title=f"{result.systems[i]} against {result.systems[j]}: p {pvalue(p)}",
    )


def _predictions(result: SentenceQuality, predicted: Scores, gold: Scores) -> Section:
    """Return predictions over true scores for the first two systems."""
    names = result.systems[:2]
    pairs = [paired_scores(_beside(predicted, gold, name), (name, _TRUTH)) for name in names]
    limits = plane_limits(pairs)  # one scale, so that the pictures can be compared
    figures = tuple(
        Figure(
            key=f"prediction-{k}",
            svg=prediction_picture(pairs[k], limits),
            caption=f"{name}: r = {result[name].pearson:.3f}, MAE {result[name].mae:.3f}.",
        )
        for k, name in enumerate(names)
    )
    blocks = (Columns(figures[:1], figures[1:]),) if len(figures) > 1 else figures
    lead = "Predicted over true scores. On the dotted line the prediction is exact."
    return Section(key="predictions", title="Predictions", lead=lead, blocks=blocks)


_TRUTH = "true score"


def _beside(predicted: Scores, gold: Scores, name: str) -> Scores:
    place = {segment: i for i, segment in enumerate(gold.segments)}
    truth = gold.values[0, [place[segment] for segment in predicted.segments]]
    row = predicted.values[predicted.systems.index(name)]
    known = ~(np.isnan(truth) | np.isnan(row))
    return Scores(
        name=predicted.name,
        systems=(name, _TRUTH),
        segments=tuple(segment for segment, one in zip(predicted.segments, known, strict=True) if one),
        values=np.stack([row[known], truth[known]]),
    )


def _sentences(result: SentenceQuality, predicted: Scores, gold: Scores) -> Section:
    """Return the sentences on which the best system is furthest from the truth."""
    names = result.systems[:2]
    tables = [_beside(predicted, gold, name) for name in names]
    best, truth = tables[0].values
    others = [dict(zip(table.segments, table.values[0].tolist(), strict=True)) for table in tables]
    order = np.argsort(-np.abs(best - truth), kind="stable")[:_MOST_SENTENCES].tolist()
    digits = 3
    columns = (
        TableColumn(heading="sentence"),
        TableColumn(heading="true score", kind="number", digits=digits),
        *(TableColumn(heading=name, kind="number", digits=digits) for name in names),
        TableColumn(heading=f"error of {names[0]}", kind="count"),
    )
    rows: tuple[tuple[Any, ...], ...] = tuple(
        (
            segment,
            float(truth[i]),
            *(other.get(segment) for other in others),
            f"{'+' if best[i] > truth[i] else ''}{number(float(best[i] - truth[i]), digits)}",
        )
        for i, segment in ((i, tables[0].segments[i]) for i in order)
    )
    block = TableBlock(
        key="worst", table=Table(title=f"Largest errors of {names[0]}", columns=columns, rows=rows)
    )
    lead = f"The {len(rows)} sentences on which {names[0]} is furthest from the true score."
    return Section(key="segments", title="Sentences to read", menu="Sentences", lead=lead, blocks=(block,))


def _data_summary(result: SentenceQuality) -> str:
    m = len(result.systems)
    return f"True scores and predictions of {m} {plural(m, 'system')} for {count(_n_sentences(result))} sentences."


def _paragraph(result: SentenceQuality) -> list[str]:
    m = len(result.systems)
    return [
        (
            f"We compared predictions of {m} {plural(m, 'system')} with the true scores of "
            f"{count(_n_sentences(result))} sentences by Pearson's correlation (Graham, 2015), "
            "Spearman's correlation, MAE and RMSE."
        ),
        f"Confidence intervals cover {percent(result.confidence)} (jackknife).",
        f"Correlations are compared with two-sided jackknife tests, Holm-adjusted, at level {result.alpha:g}.",
        "Computed with betterthan.",
    ]
