"""Where the variation of repeated runs comes from, and what each factor of the systems does."""

from __future__ import annotations

from betterthan.present.tables.describe import describe
from betterthan.report.copies import csv_of_result
from betterthan.report.document import Section, TableBlock
from betterthan.report.wording import page_table
from betterthan.results.tasks import Factors, Variation


def variation_section(result: Variation) -> Section:
    """Return the share of each source, and what would make differences more precise."""
    table = TableBlock(
        key="variation-table", table=page_table(describe(result)), csv=csv_of_result(result), words=True
    )
    return Section(
        key="variation",
        title="More runs or more items?",
        menu="Variation",
        lead="Share of each source in the variance of a single score.",
        blocks=(table,),
    )


def factors_section(result: Factors) -> Section:
    """Return the effects of all factors and their interactions."""
    shown = describe(result)
    table = TableBlock(key="factors-table", table=page_table(shown), csv=csv_of_result(result), words=True)
    return Section(
        key="factors",
        title="What each factor does",
        menu="Factors",
        lead=" ".join(shown.verdict),
        blocks=(table,),
    )
