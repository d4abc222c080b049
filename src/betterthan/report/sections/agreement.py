"""The section that asks whether the ways of aggregating agree."""

from __future__ import annotations

from collections.abc import Mapping

from betterthan.analysis.rank.agreement import agreement
from betterthan.present.tables.describe import describe
from betterthan.present.tables.ranking import method_name
from betterthan.report.copies import csv_of_result
from betterthan.report.document import Block, Figure, Paragraph, Section, TableBlock
from betterthan.report.figures.slope import MOST_SYSTEMS, slope_picture
from betterthan.report.wording import page_table
from betterthan.results.agreement import NEXT_COMMAND, Agreement
from betterthan.results.ranking import Ranking


def agreed(rankings: Mapping[str, Ranking]) -> Agreement | None:
    """Return how rankings agree, or None when there are fewer than two."""
    if len(rankings) < 2:
        return None
    return agreement({method_name(by): ranking for by, ranking in rankings.items()})


def agreement_section(
    rankings: Mapping[str, Ranking],
    result: Agreement,
    *,
    key: str = "agreement",
    title: str = "Do the ways of aggregating agree?",
) -> Section:
    """Return the words, the picture of places side by side, and the shares of pairs ordered alike."""
    named = {method_name(by): ranking for by, ranking in rankings.items()}
    picture = slope_picture(named, "Places of the systems by each way of aggregating")
    m = len(result.systems)
    caption = "Places, best on top. Systems that change place are drawn in color."
    if m > MOST_SYSTEMS:
        caption += f" The best {MOST_SYSTEMS} of {m} are shown."
    words = [line for line in result.sentences if getattr(line, "code", "") != NEXT_COMMAND]
    blocks: tuple[Block, ...] = (
        *(Paragraph(sentence) for sentence in words),
        Figure(key=f"{key}-places", svg=picture, caption=caption),
        TableBlock(key=f"{key}-table", table=page_table(describe(result)), csv=csv_of_result(result)),
    )
    return Section(key=key, title=title, menu=key.capitalize(), blocks=blocks)
