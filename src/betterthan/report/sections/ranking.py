"""The section that ranks: a table with interval marks for each way of aggregating."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from betterthan.present.tables.describe import describe
from betterthan.present.tables.ranking import method_name
from betterthan.report.copies import csv_of_result
from betterthan.report.document import Paragraph, Section, Switch, SwitchView, TableBlock
from betterthan.report.figures.marks import interval_marks, scale_heading
from betterthan.report.wording import page_table
from betterthan.results.ranking import Ranking

_LEAD = "Best first, with the interval of each strength; in color: systems that may be best. Rules separate clusters."


def ranking_block(ranking: Ranking, key: str) -> TableBlock:
    """Return a ranking as a table with a mark a row; in colour who may be best."""
    best = (ranking.rank_low == 1).tolist()
    numbers = [getattr(ranking, name).tolist() for name in ("strength", "low", "high")]
    return TableBlock(
        key=key,
        table=page_table(describe(ranking)),
        marks=interval_marks(*numbers, stressed=best),
        marks_heading=scale_heading(*numbers),
        csv=csv_of_result(ranking),
        words=True,
    )


def ranking_section(rankings: Mapping[str, Ranking | str], *, lead: str = _LEAD) -> Section:
    """Return the section: one view a way of aggregating; a text stands where there is no ranking, and says why."""
    choices = []
    for by, ranking in rankings.items():
        block = (
            Paragraph(ranking, "note")
            if isinstance(ranking, str)
            else ranking_block(ranking, f"ranking-{by}")
        )
        choices.append(SwitchView(key=by, label=method_name(by), blocks=(block,)))
    blocks = (Switch(key="by", label="Way of aggregating", choices=tuple(choices)),)
    return Section(
        key="ranking", title="Ranking", lead=lead, blocks=blocks if len(choices) > 1 else choices[0].blocks
    )


def may_be_best(ranking: Ranking) -> list[str]:
    """Return the systems that the data allow in first place."""
    return [ranking.systems[i] for i in np.flatnonzero(ranking.rank_low == 1).tolist()]
