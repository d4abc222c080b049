"""All systems by all metrics, and which of them are the best trade-offs."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from betterthan.analysis.compare.compare import compare
from betterthan.analysis.tradeoffs.tradeoffs import tradeoffs
from betterthan.errors import BetterThanError
from betterthan.present.tables.describe import describe
from betterthan.report.copies import csv_of_result
from betterthan.report.document import Bullets, Section, TableBlock
from betterthan.report.inputs import Inputs
from betterthan.report.wording import page_table
from betterthan.results.tasks import Tradeoffs
from betterthan.tables.scores import Scores


def all_metrics(inputs: Inputs) -> Tradeoffs | None:
    """Compare the systems by every metric that has scores of all of them; None with fewer than two such metrics.

    Of two systems, differences are the later one minus the earlier.
    """
    systems = inputs.scores.systems
    tables = {name: table for name, table in inputs.metrics.items() if set(systems) <= set(table.systems)}
    options: dict[str, Any] = {key: inputs.options[key] for key in ("units", "rng") if key in inputs.options}
    if any(table.groups is None for table in tables.values()):
        options.pop("units", None)
    options |= inputs.computing()
    for _ in range(2):
        if len(tables) < 2:
            return None
        try:
            return tradeoffs(tables, systems=systems, missing="drop", **options)
        except BetterThanError:
            tables = {name: table for name, table in tables.items() if _is_comparable(table)}
    return None


def _is_comparable(table: Scores) -> bool:
    try:
        compare(table, missing="drop")
    except BetterThanError:
        return False
    return True


def tradeoffs_section(result: Tradeoffs) -> Section | None:
    """Return the table of all systems; None for two systems, which have a section of their own."""
    if len(result.systems) == 2:
        return None
    shown = describe(result)
    table = TableBlock(
        key="tradeoffs-table",
        table=page_table(replace(shown, verdict=())),
        csv=csv_of_result(result),
        words=True,
    )
    return Section(
        key="tradeoffs",
        title="Which systems are the best trade-offs of the metrics?",
        menu="Trade-offs",
        lead=shown.verdict[-1],
        blocks=(*([Bullets(shown.verdict[:-1])] if shown.verdict[1:] else []), table),
    )
