"""The ranking: a table with interval marks for each way of aggregating."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from betterthan.present.tables.describe import describe
from betterthan.present.tables.standing import method_name
from betterthan.report.copies import csv_of_result
from betterthan.report.document import Paragraph, Section, Switch, SwitchView, TableBlock
from betterthan.report.figures.marks import interval_marks, scale_heading
from betterthan.report.wording import page_table
from betterthan.results.ranking import Ranking

_LEAD = "Best first, with the confidence interval of each system. In color: systems that may be the best."
_MOST_LETTERS = (
    15  # systems above which letters are longer than they are useful; the rank range says the same
)


def ranking_block(ranking: Ranking, key: str) -> TableBlock:
    """Return a ranking as a table with interval marks, in color for systems that may be the best.

    Of many systems the letters of groups are left out: the rank range says the same.
    """
    m = len(ranking.systems)
    if m > _MOST_LETTERS:
        ranking = replace(ranking, letters=("",) * m)
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
    """Return the section: one view per way of aggregating; where there is no ranking, a text says why."""
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


def close_race(
    first: str, second: str, n_best: int, n: int, *, by: str = "", what: str = "system", is_tied: bool = False
) -> str:
    """Return the headline where several systems may be the best.

    Examples
    --------
    >>> close_race("A", "B", 3, 12), close_race("A", "B", 4, 4, by=" by chrF")
    ('A ranks first, ahead of B, but 3 of 12 systems may be the best.', 'No system can be called best by chrF.')
    >>> close_race("A", "B", 3, 12, is_tied=True)
    'A and B share the first rank, and 3 of 12 systems may be the best.'
    """
    if n_best == n:
        return f"No {what} can be called best{by}."
    if is_tied:
        return f"{first} and {second} share the first rank{by}, and {n_best} of {n} {what}s may be the best."
    return f"{first} ranks first{by}, ahead of {second}, but {n_best} of {n} {what}s may be the best."


def may_be_best(ranking: Ranking) -> list[str]:
    """Return the systems that may be the best."""
    return [ranking.systems[i] for i in np.flatnonzero(ranking.rank_low == 1).tolist()]
