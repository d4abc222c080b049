"""A report on metrics: how well each agrees with human judgments, and which differ significantly."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from betterthan.analysis.meta.meta_evaluate import meta_evaluate
from betterthan.analysis.rank.rank import rank
from betterthan.arrays import FloatArray
from betterthan.errors import BetterThanError
from betterthan.messages import joined
from betterthan.present.table import Table, TableCell, TableColumn
from betterthan.present.tables.describe import describe
from betterthan.present.tables.metrics import (
    caveat_sentence,
    correction_name,
    differences,
    measure_name,
    scope_sentence,
)
from betterthan.report.document import (
    Block,
    Card,
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
from betterthan.report.inputs import Inputs
from betterthan.report.sections.data import csv_files, data_section, files_section, method_section
from betterthan.report.sections.judge import (
    CONDITION,
    audit_of,
    audit_section,
    corrected_headline,
    corrected_means,
    corrected_section,
)
from betterthan.report.sections.pairs import pairs_card
from betterthan.report.sections.ranking import close_race, ranking_block
from betterthan.report.wording import count, page_table, plural
from betterthan.results.base import Result
from betterthan.results.metrics import CASES, MetaEvaluation
from betterthan.results.pairwise import pvalue, small_pvalue

_MOST_SYSTEMS = 24


def significance_section(meta: MetaEvaluation) -> Section:
    """Return the tests of all pairs of metrics, as a matrix."""
    better, k = meta.comparisons.better, len(meta.metrics)
    cells = tuple(
        tuple(None if i == j else _metric_cell(meta, i, j, is_better=bool(better[i, j])) for j in range(k))
        for i in range(k)
    )
    ends = frozenset(i for i in range(k - 1) if meta.cluster[i] != meta.cluster[i + 1])
    matrix = Matrix(
        key="metric-matrix",
        caption=_pvalue_of(meta),
        corner="row better than column" if meta.comparisons.alternative == "wmt" else "p-values",
        rows=meta.metrics,
        columns=meta.metrics,
        cells=cells,
        rules=ends,
    )
    lead = (
        f"{_pvalue_of(meta)} ({measure_name(meta.method)}, {correction_name(meta.comparisons.correction)}). Bold and "
        f"green: the row is significantly better at level {meta.comparisons.alpha:g}. Rules separate significance "
        f"clusters. {scope_sentence(meta)}"
    )
    return Section(
        key="pairs", title="Which metrics differ significantly?", menu="Pairs", lead=lead, blocks=(matrix,)
    )


def _pvalue_of(meta: MetaEvaluation) -> str:
    if meta.comparisons.alternative == "wmt":
        return "One-sided p-values for the row agreeing better with human judgments than the column"
    return "Two-sided p-values for the difference in agreement with human judgments"


def _metric_cell(meta: MetaEvaluation, i: int, j: int, *, is_better: bool) -> MatrixCell | None:
    p = float(meta.comparisons.adjusted[i, j])
    if np.isnan(p):
        return MatrixCell(text="–", shade=0, is_sure=False, title="not tested")
    text = small_pvalue(p)
    verb = "better than" if is_better or meta.comparisons.alternative == "wmt" else "against"
    title = f"{meta.metrics[i]} {verb} {meta.metrics[j]}: p {pvalue(p)}"
    return MatrixCell(text=text, shade=6 if is_better else 0, is_sure=is_better, title=title)


def systems_section(meta: MetaEvaluation) -> Section:
    """Return the confidence of humans and of the best metric for each pair of systems, and where they agree."""
    order = np.argsort(-meta.human_mean, kind="stable")[:_MOST_SYSTEMS]
    names = tuple(meta.systems[i] for i in order)
    blocks: list[Block] = []
    if meta.human_pvalue is not None and meta.metric_pvalue is not None:
        human, metric = (p[np.ix_(order, order)] for p in (meta.human_pvalue, meta.metric_pvalue[0]))
        views = (
            ("human", meta.human, human, True),
            ("metric", meta.metrics[0], metric, True),
            ("agreement", "agreement", 1 - np.abs(human - metric), False),
        )
        choices = tuple(
            SwitchView(key=key, label=label, blocks=(_heat(key, label, names, values, is_p=is_p),))
            for key, label, values, is_p in views
        )
        blocks.append(Switch(key="view", label="Confidence per system pair", choices=choices))
    first = meta.metrics[0]
    lead = (
        f"One-sided p-values by {meta.human} and by {first}: small (green) where the row is better than the column, "
        f"large (orange) where it is worse. Systems are in the order of the human scores. Agreement is "
        f"1 − |difference| of the two p-values; its mean is soft pairwise accuracy."
    )
    return Section(
        key="systems", title="Confidence per system pair", menu="Systems", lead=lead, blocks=tuple(blocks)
    )


def _heat(key: str, label: str, names: tuple[str, ...], values: FloatArray, *, is_p: bool) -> Matrix:
    cells = tuple(
        tuple(
            None if i == j else _heat_cell(names, i, j, float(values[i, j]), is_p=is_p)
            for j in range(len(names))
        )
        for i in range(len(names))
    )
    return Matrix(key=f"heat-{key}", caption=label, corner=label, rows=names, columns=names, cells=cells)


def _heat_cell(names: tuple[str, ...], i: int, j: int, value: float, *, is_p: bool) -> MatrixCell:
    if np.isnan(value):
        return MatrixCell(text="–", shade=0, is_sure=False, title=f"{names[i]}, {names[j]}: unknown")
    shade = round(20 * (0.5 - value)) if is_p else round(20 * (value - 0.5))
    return MatrixCell(
        text=_share(value, is_p=is_p),
        shade=max(-10, min(10, shade)),
        is_sure=is_p and min(value, 1 - value) <= 0.05,
        title=f"{names[i]} against {names[j]}: {value:.3f}",
    )


def _share(value: float, *, is_p: bool) -> str:
    """Write a p-value or share with two decimals: a p-value never as 0 or 1, a share only when it is one of them.

    Examples
    --------
    >>> _share(0.0, is_p=True), _share(0.0, is_p=False), _share(0.999, is_p=False), _share(0.25, is_p=True)
    ('<.01', '0.00', '>.99', '0.25')
    """
    if value < 0.005 and (is_p or value > 0):
        return "<.01"
    return ">.99" if value >= 0.995 and (is_p or value < 1) else f"{value:.2f}"


_MEASURES = ("soft_pairwise_accuracy", "pairwise_accuracy", "pearson", "kendall_b", "accuracy_with_ties")
_SHOWN_PAIRS = 12
_NEARLY_ONE = 0.995  # agreement that is written as 1.00: nothing to look into
_FEW_SYSTEMS = 15


def meta_report(inputs: Inputs) -> Report:
    """Compute everything that a report on metrics shows."""
    human = inputs.human
    assert human is not None  # noqa: S101  (gathered so)
    options: dict[str, Any] = {"rng": inputs.options.get("rng", 12345), **inputs.computing()}
    measured, refused = _measured(inputs, options)
    main = measured[_MEASURES[0]]
    results: dict[str, Result] = {f"meta-{by}": meta for by, meta in measured.items()}
    human_ranking = (
        rank(human.complete(missing="drop"), by="mean", **options)
        if human.n_missing < human.values.size
        else None
    )
    if human_ranking is not None:
        results["human"] = human_ranking
    corrected = corrected_means(inputs)
    audit = None if corrected is None else audit_of(inputs)
    results |= {name: each for name, each in (("corrected", corrected), ("audit", audit)) if each is not None}
    files = csv_files(results)
    sections = [
        _ranking(measured, refused),
        *([corrected_section(corrected)] if corrected is not None else []),
        *([audit_section(audit)] if audit is not None else []),
        *([significance_section(main)] if len(main.metrics) > 1 else []),
        systems_section(main),
        _contributions(main),
        *([_human_ranking(human_ranking)] if human_ranking is not None else []),
        data_section(inputs, [_data_summary(inputs, main)], results.values()),
        method_section(_paragraph(main), results, ("soft_pairwise_accuracy",), inputs.command),
        files_section(results, files),
    ]
    return Report(
        title=f"Metrics compared with {main.human} · {main.n_systems} systems · {count(main.n_segments)} segments",
        kind="meta",
        headline=_headline(main) if corrected is None else corrected_headline(corrected),
        verdict=_verdict(main)
        if corrected is None
        else joined([*describe(corrected).verdict, _verdict(main)]),
        caveats=_caveats(main) if corrected is None else (*_caveats(main), CONDITION),
        cards=_cards(main),
        sections=tuple(sections),
        results=results,
        notes=inputs.notes,
        command=inputs.command,
        payload={"csv": files},
    )


def _measured(inputs: Inputs, options: dict[str, Any]) -> tuple[dict[str, MetaEvaluation], dict[str, str]]:
    """Return each measure that can be computed, and why the others cannot."""
    evaluations: dict[str, MetaEvaluation] = {}
    refused: dict[str, str] = {}
    for by in _MEASURES:
        try:
            evaluations[by] = meta_evaluate(inputs.metrics, inputs.human, by=by, **options)
        except BetterThanError as error:
            if by == _MEASURES[0]:
                raise
            refused[by] = error.text
    return evaluations, refused


def _ranking(measured: dict[str, MetaEvaluation], refused: dict[str, str]) -> Section:
    choices = [
        SwitchView(key=by, label=measure_name(by), blocks=(_table(meta, by),))
        for by, meta in measured.items()
    ]
    choices += [
        SwitchView(key=by, label=measure_name(by), blocks=(Paragraph(why, "note"),))
        for by, why in refused.items()
    ]
    lead = "Best first, with the confidence interval of each metric. In color: metrics that may be the best."
    switch = Switch(key="measure", label="Measure of agreement", choices=tuple(choices))
    return Section(key="ranking", title="Metrics", lead=lead, blocks=(switch,))


def _table(meta: MetaEvaluation, by: str) -> TableBlock:
    numbers = [getattr(meta, name).tolist() for name in ("value", "low", "high")]
    table = page_table(describe(meta))
    return TableBlock(
        key=f"meta-{by}",
        table=replace(table, verdict=table.verdict[:1]),  # what else it says is said above
        marks=interval_marks(*numbers, stressed=(meta.cluster == 1).tolist()),
        marks_heading=scale_heading(*numbers),
        csv=csv_of_result(meta),
        words=True,
    )


def _contributions(meta: MetaEvaluation) -> Section:
    """Return how often metric and humans disagree, by kind of disagreement, and the worst pairs of the first metric."""
    columns = (TableColumn(heading="metric"), *(TableColumn(heading=case, kind="integer") for case in CASES))
    rows: list[tuple[TableCell, ...]] = []
    for metric in meta.metrics:
        cases = [pair.case for pair in meta.contributions(metric)]
        rows.append((metric, *(cases.count(case) for case in CASES)))
    counts = TableBlock(
        key="cases", table=Table(title="System pairs by kind of agreement", columns=columns, rows=tuple(rows))
    )
    first = meta.metrics[0]
    worst = [pair for pair in meta.contributions(first) if pair.value < _NEARLY_ONE][:_SHOWN_PAIRS]
    headings = (
        TableColumn(heading="system"),
        TableColumn(heading="against"),
        TableColumn(heading="p (human)", kind="pvalue"),
    )
    more = (
        TableColumn(heading=f"p ({first})", kind="pvalue"),
        TableColumn(heading="agreement", kind="number", digits=3),
        TableColumn(heading="case"),
    )
    table = Table(
        title=f"Pairs on which {first} and humans disagree most",
        columns=(*headings, *more),
        rows=tuple((p.a, p.b, p.human_pvalue, p.metric_pvalue, p.value, p.case) for p in worst),
    )
    lead = (
        f"How many system pairs are significant by the metric, by humans, by both or by neither; below, the pairs on "
        f"which {first} and humans disagree most."
    )
    blocks: tuple[Block, ...] = (counts, TableBlock(key="costly", table=table))
    if not worst:
        lead = "How many system pairs are significant by the metric, by humans, by both or by neither."
        blocks = (counts, Paragraph(f"{first} and humans agree on all pairs."))
    return Section(
        key="contributions",
        title="Where metric and humans disagree",
        menu="Disagreement",
        lead=lead,
        blocks=blocks,
    )


def _human_ranking(ranking: Any) -> Section:  # noqa: ANN401  (a Ranking)
    return Section(
        key="people",
        title="Ranking by human scores",
        menu="Human ranking",
        lead="Systems by their mean human score, on the segments that have a score for every system.",
        blocks=(ranking_block(ranking, "people-ranking"),),
    )


def _headline(meta: MetaEvaluation) -> str:
    alike = [
        m
        for m, letters in zip(meta.metrics[1:], meta.letters[1:], strict=True)
        if set(letters) & set(meta.letters[0])
    ]
    best = meta.metrics[0]
    if len(meta.metrics) == 1:
        return f"The soft pairwise accuracy of {best} is {meta.value[0]:.2f}."
    second, k = meta.metrics[1], len(meta.metrics)
    if not alike:
        return f"{best} agrees best with human judgments, ahead of {second}."
    is_tied = bool(meta.value[0] == meta.value[1])
    if len(alike) == k - 1:
        if is_tied:
            return (
                f"{best} and {second} agree best with human judgments, but no metric is significantly better."
            )
        better = (
            f"not significantly better than {second}" if k == 2 else "but no metric is significantly better"
        )
        return f"{best} agrees best with human judgments, {better}."
    return close_race(best, second, len(alike) + 1, k, what="metric", is_tied=is_tied)


def _verdict(meta: MetaEvaluation) -> str:
    k = len(meta.metrics)
    n_pairs = k * (k - 1) // 2
    span = (
        f" ({100 * meta.confidence:g}% CI {meta.low[0]:.3f} to {meta.high[0]:.3f})"
        if meta.low[0] == meta.low[0]
        else ""
    )
    differ = f"{differences(meta)}." if n_pairs else ""
    second = f", that of {meta.metrics[1]}, the runner-up, {meta.value[1]:.3f}" if k > 1 else ""
    return joined(
        [
            (
                f"The {measure_name(meta.method)} of {meta.metrics[0]} compared with {meta.human} scores is "
                f"{meta.value[0]:.3f}{span}{second}."
            ),
            differ,
        ]
    )


def _caveats(meta: MetaEvaluation) -> tuple[str, ...]:
    few = f"{meta.n_systems} systems are too few for a precise estimate of agreement."
    return (
        *(caveat_sentence(one) for one in meta.caveats),
        *([few] if meta.n_systems < _FEW_SYSTEMS else []),
    )


def _cards(meta: MetaEvaluation) -> tuple[Card, ...]:
    k = len(meta.metrics)
    n_pairs = k * (k - 1) // 2
    return (
        Card(number=str(k), label=plural(k, "metric")),
        Card(number=str(meta.n_systems), label=f"systems, {count(meta.n_segments)} segments"),
        pairs_card(meta.n_significant, n_pairs, "metrics"),
        Card(
            number=count(meta.n_pairs),
            label=f"{plural(meta.n_pairs, 'pair')} of systems"
            f"{', few for a precise estimate' if meta.n_pairs < 30 else ''}",
            is_warning=meta.n_pairs < 30,
        ),
    )


def _data_summary(inputs: Inputs, meta: MetaEvaluation) -> str:
    k, size = len(inputs.metrics), f"{meta.n_systems} systems × {count(meta.n_segments)} segments"
    return f"{k} {plural(k, 'metric')} and {meta.human} on {size}."


def _paragraph(meta: MetaEvaluation) -> list[str]:
    return [
        (
            f"We compared {len(meta.metrics)} {plural(len(meta.metrics), 'metric')} with {meta.human} on "
            f"{meta.n_systems} systems and {count(meta.n_segments)} segments."
        ),
        "Agreement is measured by soft pairwise accuracy (Thompson et al., 2024).",
        f"Intervals come from a bootstrap over segments, centered on the estimate: {meta.interval_population}.",
        f"{differences(meta)}.",
        scope_sentence(meta),
        "Computed with betterthan.",
    ]
