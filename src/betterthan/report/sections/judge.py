"""A judge of all items and human labels of some: corrected means, and whether the judge can be trusted."""

from __future__ import annotations

from dataclasses import replace

from betterthan.analysis.judge.audit_judge import audit_judge
from betterthan.analysis.judge.correct import correct
from betterthan.errors import BetterThanError
from betterthan.present.tables.describe import describe
from betterthan.report.document import Section, TableBlock, csv_of_result
from betterthan.report.inputs import Inputs
from betterthan.report.sections.ranking import close_race
from betterthan.report.wording import page_table
from betterthan.results.judges import Corrected, JudgeAudit

CONDITION = (
    "Means corrected by human labels are about all items of the judge, if labeled items were drawn at random."
)


def corrected_means(inputs: Inputs) -> Corrected | None:
    """Correct the only metric by the human scores; None where these are of all items, or too few, or of several."""
    if len(inputs.metrics) != 1 or inputs.human is None:
        return None
    try:
        result = correct(inputs.scores, inputs.human, weight=inputs.weight)
    except BetterThanError:
        return None
    return result if (result.labels < result.items).any() else None


def audit_of(inputs: Inputs) -> JudgeAudit | None:
    """Check the only metric against the human scores; None where there are too few."""
    try:
        return audit_judge(inputs.scores, inputs.human)
    except BetterThanError:
        return None


def corrected_headline(result: Corrected) -> str:
    """Return which system is best by human judgment, or which may be."""
    m, n_best = len(result), int((result.rank_low == 1).sum())
    if m == 1:
        return f"{result.judge_metric} of {result.systems[0]}, corrected by human labels."
    first, second = result.systems[:2]
    if n_best == 1:
        return (
            f"{first} is the best of {m} systems by human judgment."
            if m > 2
            else f"{first} is better than {second}."
        )
    if m == 2:
        return f"No significant difference between {first} and {second}."
    return close_race(first, second, n_best, m, is_tied=bool(result.rank[1] == 1))


def corrected_section(result: Corrected) -> Section:
    """Return the corrected means beside those of the judge and of the labels alone."""
    shown = describe(result)
    table = TableBlock(
        key="corrected-table",
        table=page_table(replace(shown, verdict=())),
        csv=csv_of_result(result),
        words=True,
    )
    lead = " ".join((*shown.verdict, CONDITION))
    return Section(
        key="corrected",
        title="Which system is best by human judgment?",
        menu="Corrected",
        lead=lead,
        blocks=(table,),
    )


def audit_section(result: JudgeAudit) -> Section:
    """Return the agreement and the biases of the judge."""
    shown = describe(result)
    table = TableBlock(
        key="audit-table",
        table=page_table(replace(shown, verdict=())),
        csv=csv_of_result(result),
        words=True,
    )
    return Section(
        key="audit",
        title=f"Can {result.judge} be trusted?",
        menu="Audit",
        lead=" ".join(shown.verdict),
        blocks=(table,),
    )
