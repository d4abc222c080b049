"""A report on metrics: which of them may we trust, held against people."""

from __future__ import annotations

from typing import Any

from betterthan.analysis.meta_evaluate import meta_evaluate
from betterthan.analysis.rank import rank
from betterthan.errors import BetterThanError
from betterthan.present.describe import describe
from betterthan.present.meta_evaluation import caveat_sentence, differences, measure_name, scope_sentence
from betterthan.present.table import Cell, Column, Table
from betterthan.report.copies import csv_of_result
from betterthan.report.data_check import data_section
from betterthan.report.document import (
    Card,
    Choice,
    Paragraph,
    Report,
    Section,
    Switch,
    TableBlock,
)
from betterthan.report.figure_marks import interval_marks, scale_heading
from betterthan.report.files import csv_files, files_section
from betterthan.report.inputs import Inputs
from betterthan.report.meta_matrices import significance_section, systems_section
from betterthan.report.method import method_section
from betterthan.report.pairs import pairs_card
from betterthan.report.ranking import ranking_block
from betterthan.report.wording import count, for_page, page_table, plural
from betterthan.results.base import Result
from betterthan.results.meta_evaluation import CASES, MetaEvaluation

_MEASURES = ("soft_pairwise_accuracy", "pairwise_accuracy", "pearson", "kendall_b", "accuracy_with_ties")
_SHOWN_PAIRS = 12
_FEW_SYSTEMS = 15


def meta_report(inputs: Inputs) -> Report:
    """Compute everything that a report on metrics shows."""
    human = inputs.human
    assert human is not None  # noqa: S101  (gathered so)
    told: dict[str, Any] = {"rng": inputs.options.get("rng", 12345), **inputs.computing()}
    measured, refused = _measured(inputs, told)
    main = measured[_MEASURES[0]]
    results: dict[str, Result] = {f"meta-{by}": found for by, found in measured.items()}
    people = (
        rank(human.complete(missing="drop"), by="mean", **told)
        if human.n_missing < human.values.size
        else None
    )
    if people is not None:
        results["human"] = people
    files = csv_files(results)
    sections = [
        _ranking(measured, refused),
        significance_section(main),
        systems_section(main),
        _contributions(main),
        *([_people(people)] if people is not None else []),
        data_section(inputs, [_said(inputs, main)], results.values()),
        method_section(_paragraph(main), results, ("soft_pairwise_accuracy",), inputs.command),
        files_section(results, files),
    ]
    return Report(
        title=f"Metrics against {main.human} · {main.n_systems} systems · {count(main.n_segments)} segments",
        kind="meta",
        headline=_headline(main),
        verdict=_verdict(main),
        cards=_cards(main),
        sections=tuple(sections),
        results=results,
        notes=inputs.notes,
        command=inputs.command,
        payload={"csv": files},
    )


def _measured(inputs: Inputs, told: dict[str, Any]) -> tuple[dict[str, MetaEvaluation], dict[str, str]]:
    """Return each measure that these data allow, and why the others do not."""
    found: dict[str, MetaEvaluation] = {}
    refused: dict[str, str] = {}
    for by in _MEASURES:
        try:
            found[by] = meta_evaluate(inputs.metrics, inputs.human, by=by, **told)  # type: ignore[arg-type]
        except BetterThanError as error:
            if by == _MEASURES[0]:
                raise
            refused[by] = str(error)
    return found, refused


def _ranking(measured: dict[str, MetaEvaluation], refused: dict[str, str]) -> Section:
    choices = [
        Choice(key=by, label=measure_name(by), blocks=(_table(found, by),)) for by, found in measured.items()
    ]
    choices += [
        Choice(key=by, label=measure_name(by), blocks=(Paragraph(why, "note"),))
        for by, why in refused.items()
    ]
    lead = "Best first. Rules separate clusters; metrics that share a letter do not differ significantly."
    switch = Switch(key="measure", label="Measure of agreement", choices=tuple(choices))
    return Section(key="ranking", title="Metrics", lead=lead, blocks=(switch,))


def _table(found: MetaEvaluation, by: str) -> TableBlock:
    numbers = [getattr(found, name).tolist() for name in ("value", "low", "high")]
    return TableBlock(
        key=f"meta-{by}",
        table=for_page(page_table(describe(found), found.unit_note)),
        marks=interval_marks(*numbers, stressed=(found.cluster == 1).tolist()),
        marks_heading=scale_heading(*numbers),
        csv=csv_of_result(found),
        words=True,
    )


def _contributions(found: MetaEvaluation) -> Section:
    """Return what each pair of systems costs the best metrics, by case, and the costliest pairs of the first."""
    columns = (Column(heading="metric"), *(Column(heading=case, kind="integer") for case in CASES))
    rows: list[tuple[Cell, ...]] = []
    for metric in found.metrics:
        cases = [pair.case for pair in found.contributions(metric)]
        rows.append((metric, *(cases.count(case) for case in CASES)))
    counts = TableBlock(
        key="cases", table=Table(title="Pairs of systems by who is sure", columns=columns, rows=tuple(rows))
    )
    first = found.metrics[0]
    worst = found.contributions(first)[:_SHOWN_PAIRS]
    headings = (
        Column(heading="system"),
        Column(heading="against"),
        Column(heading="p of people", kind="pvalue"),
    )
    more = (
        Column(heading=f"p of {first}", kind="pvalue"),
        Column(heading="adds", kind="number", digits=3),
        Column(heading="case"),
    )
    table = Table(
        title=f"Pairs that cost {first} most",
        columns=(*headings, *more),
        rows=tuple((p.a, p.b, p.human_pvalue, p.metric_pvalue, p.value, p.case) for p in worst),
    )
    lead = f"Who is sure of how many pairs of systems; below, the pairs that cost {first} most."
    blocks = (counts, TableBlock(key="costly", table=table))
    return Section(key="contributions", title="Where do they part?", menu="Costs", lead=lead, blocks=blocks)


def _people(ranking: Any) -> Section:  # noqa: ANN401  (a Ranking)
    return Section(
        key="people",
        title="What people say",
        menu="People",
        lead="The systems by the mean of the human scores, on the segments that have all of them.",
        blocks=(ranking_block(ranking, "people-ranking"),),
    )


def _headline(found: MetaEvaluation) -> str:
    alike = [
        m
        for m, letters in zip(found.metrics[1:], found.letters[1:], strict=True)
        if set(letters) & set(found.letters[0])
    ]
    best = found.metrics[0]
    if len(found.metrics) == 1:
        return f"{best} agrees with people on {100 * found.value[0]:.0f}% by soft pairwise accuracy."
    if not alike:
        return f"{best} agrees best with people."
    if len(alike) == len(found.metrics) - 1:
        return "No metric can be called best."
    return f"{best} leads, but {len(alike) + 1} metrics may be best."


def _verdict(found: MetaEvaluation) -> str:
    k = len(found.metrics)
    n_pairs = k * (k - 1) // 2
    span = (
        f" ({100 * found.confidence:g}% interval {found.low[0]:.3f} to {found.high[0]:.3f})"
        if found.low[0] == found.low[0]
        else ""
    )
    differ = f" {differences(found)}." if n_pairs else ""
    caveats = "".join(f" {caveat_sentence(one)}" for one in found.caveats)
    few = ", and agreement over so few is uncertain" if found.n_systems < _FEW_SYSTEMS else ""
    return (
        f"The {measure_name(found.method)} of {found.metrics[0]} with {found.human} is {found.value[0]:.3f}{span}."
        f"{caveats}{differ} There are {found.n_systems} systems{few}."
    )


def _cards(found: MetaEvaluation) -> tuple[Card, ...]:
    k = len(found.metrics)
    n_pairs = k * (k - 1) // 2
    return (
        Card(number=str(k), label=plural(k, "metric")),
        Card(number=str(found.n_systems), label=f"systems, {count(found.n_segments)} segments"),
        pairs_card(found.n_significant, n_pairs, "metrics"),
        Card(
            number=count(found.n_pairs),
            label=f"{plural(found.n_pairs, 'pair of systems is', 'pairs of systems are')} all there is to agree on",
            is_warning=found.n_pairs < 30,
        ),
    )


def _said(inputs: Inputs, found: MetaEvaluation) -> str:
    k, size = len(inputs.metrics), f"{found.n_systems} systems × {count(found.n_segments)} segments"
    return f"{k} {plural(k, 'metric')} and {found.human} on {size}."


def _paragraph(found: MetaEvaluation) -> list[str]:
    return [
        f"We held {len(found.metrics)} {plural(len(found.metrics), 'metric')} against {found.human}.",
        f"There are {found.n_systems} systems and {count(found.n_segments)} segments.",
        "Agreement is soft pairwise accuracy (Thompson et al., 2024).",
        f"Intervals come from a bootstrap over segments, centred on the value: {found.interval_population}.",
        f"{differences(found)}.",
        scope_sentence(found),
        "Computed with betterthan.",
    ]
