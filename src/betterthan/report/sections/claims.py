"""Whether the first place survives other choices of analysis."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from betterthan.analysis.multiverse.multiverse import multiverse
from betterthan.errors import BetterThanError
from betterthan.present.tables.describe import describe
from betterthan.report.copies import csv_of
from betterthan.report.document import Section, TableBlock
from betterthan.report.inputs import Inputs
from betterthan.report.wording import page_table
from betterthan.results.ranking import Ranking

_MOST_SCORES = 50_000
"""Every analysis of larger tables would take longer than the rest of the report."""


def claim_section(inputs: Inputs, ranking: Ranking) -> Section | None:
    """Return every analysis of "the first system is better than the second"; None where there is none.

    Tables of more than 50,000 scores have no such section.
    """
    scores = inputs.scores
    if len(ranking.systems) < 2 or scores.values.size > _MOST_SCORES:
        return None
    options: dict[str, Any] = {key: inputs.options[key] for key in ("rng",) if key in inputs.options}
    # Hundreds of short jobs would only flicker.
    options |= {key: value for key, value in inputs.computing().items() if key != "progress"}
    try:
        result = multiverse(ranking.systems[:2], scores, missing="drop", **options)
    except BetterThanError:  # such as an aggregation that no system has; the ranking says it
        return None
    shown = describe(result)
    table = page_table(replace(shown, verdict=()))
    return Section(
        key="claim",
        title=f"Does {result.claim} survive other choices of analysis?",
        menu="Other analyses",
        lead=" ".join(shown.verdict),
        blocks=(TableBlock(key="claim-table", table=table, csv=csv_of(table), words=True),),
    )
