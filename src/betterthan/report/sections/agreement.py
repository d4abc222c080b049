"""Agreement of several rankings of the same systems."""

from __future__ import annotations

from collections.abc import Mapping

from betterthan.analysis.rank.agreement import agreement
from betterthan.present.tables.describe import describe
from betterthan.present.tables.standing import method_name
from betterthan.report.copies import csv_of_result
from betterthan.report.document import Block, Columns, Figure, Paragraph, Section, TableBlock
from betterthan.report.figures.slope import MOST_SYSTEMS, slope_picture
from betterthan.report.wording import page_table
from betterthan.results.ranking import NEXT_COMMAND, Agreement, Ranking


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
    title: str = "Do the ways of ranking agree?",
    menu: str = "Agreement",
) -> Section:
    """Return the sentences, the picture of ranks side by side, and the shares of pairs in the same order."""
    named = {method_name(by): ranking for by, ranking in rankings.items()}
    picture = slope_picture(named, "Ranks of the systems in each ranking")
    m = len(result.systems)
    caption = (
        "Ranks, best on top. In color: systems whose order is reversed. Bars join systems that are tied."
    )
    if m > MOST_SYSTEMS:
        caption += f" The best {MOST_SYSTEMS} of {m} systems are shown."
    words = [line for line in result.sentences if getattr(line, "code", "") != NEXT_COMMAND]
    if m == 2:  # a picture of one pair shows nothing more
        return Section(key=key, title=title, menu=menu, blocks=tuple(map(Paragraph, words)))
    blocks: tuple[Block, ...] = (
        *(Paragraph(sentence) for sentence in words),
        Columns(
            (Figure(key=f"{key}-places", svg=picture, caption=caption),),
            (TableBlock(key=f"{key}-table", table=page_table(describe(result)), csv=csv_of_result(result)),),
            fits_left=True,
        ),
    )
    return Section(key=key, title=title, menu=menu, blocks=blocks)
