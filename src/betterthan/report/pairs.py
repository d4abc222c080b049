"""The section with every pair: a matrix in which each cell opens its pair, and the table behind it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from betterthan.present.charts.pairs import share_of_wins
from betterthan.present.describe import describe
from betterthan.present.numbers import pvalue
from betterthan.report.copies import csv_of_result
from betterthan.report.document import AnyPair, Block, Fold, Matrix, MatrixCell, Section, TableBlock
from betterthan.results.pairwise import PairwiseTable

MOST_ROWS = 60
_FEW = 12
_MOST_PAIRS = 200


def pairs_section(result: PairwiseTable, *, unit: str, any_pair: bool, told: str = "") -> Section:
    """Return the matrix of P(row beats column) and, behind a line, all numbers.

    Parameters
    ----------
    result : PairwiseTable
    unit : str
        What is won: "segment" or "battle".
    any_pair : bool
        Whether a script can show any pair, so that cells open them.
    told : str
        A sentence to stand first.
    """
    m = len(result.systems)
    n_pairs = m * (m - 1) // 2
    table = _table(result, n_pairs)
    label = (
        f"All {n_pairs} pairs as a table"
        if n_pairs <= _MOST_PAIRS
        else f"{_MOST_PAIRS} of {n_pairs} pairs as a table"
    )
    whole: Block = table if n_pairs <= _FEW else Fold(key="pairs-table", label=label, blocks=(table,))
    picker: tuple[Block, ...] = (AnyPair(systems=result.systems),) if any_pair else ()
    share = (
        "Probability that the row beats the column by the model."
        if result.effect_name.startswith("P(") and unit == "battle"
        else f"Share of {unit}s on which the row beats the column, ties half."
    )
    lead = (
        f"{share} Bold: told apart at level {result.alpha:g} by "
        f"{result.test} tests after correction; {result.n_different} of {n_pairs} pairs are."
    )
    if any_pair:
        lead += " A cell opens its pair."
    if m > MOST_ROWS:
        lead += f" The best {MOST_ROWS} of {m} systems are shown here."
    blocks = (pair_matrix(result, links=any_pair), whole, *picker)
    return Section(
        key="pairs", title="Every pair", menu="Pairs", lead=f"{told} {lead}".strip(), blocks=blocks
    )


def _table(result: PairwiseTable, n_pairs: int) -> TableBlock:
    """Return the pairs a row each; of very many only the first, because the file of all pairs is in the page too."""
    whole = describe(result)
    if n_pairs <= _MOST_PAIRS:
        return TableBlock(key="all-pairs", table=whole, csv=csv_of_result(result), words=True)
    note = f"The pairs of the best systems; all {n_pairs} are in pairs.csv, under Files."
    some = replace(whole, rows=whole.rows[:_MOST_PAIRS], words=(*whole.words, note))
    return TableBlock(key="all-pairs", table=some, words=True)


def pair_matrix(result: PairwiseTable, *, links: bool) -> Matrix:
    """Return the matrix; shades reach as far as the data, so that close systems are not all pale."""
    shown = min(len(result.systems), MOST_ROWS)
    share = share_of_wins(result)[:shown, :shown]
    better = result.better()
    sure = better | better.T
    known = np.abs(share[~np.isnan(share)] - 0.5)
    reach = float(np.clip(known.max(initial=0.0), 0.1, 0.5))
    cells = tuple(
        tuple(
            None
            if i == j
            else _cell(result, i, j, float(share[i, j]), reach, is_sure=bool(sure[i, j]), links=links)
            for j in range(shown)
        )
        for i in range(shown)
    )
    names = result.systems[:shown]
    return Matrix(
        key="matrix",
        caption="Share of comparisons that the row wins against the column",
        corner="row beats column",
        rows=names,
        columns=names,
        cells=cells,
    )


def _cell(
    result: PairwiseTable, i: int, j: int, share: float, reach: float, *, is_sure: bool, links: bool
) -> MatrixCell:
    is_known = not np.isnan(share)
    written = f"{share:.2f}".removeprefix("0") if len(result.systems) > 14 else f"{share:.2f}"
    told = "told apart" if is_sure else "not told apart"
    p = pvalue(float(result.adjusted[i, j]))
    return MatrixCell(
        text=written if is_known else "–",
        shade=round(10 * (share - 0.5) / reach) if is_known else 0,
        is_sure=is_sure,
        title=f"{result.systems[i]} against {result.systems[j]}: {share:.3f}, {told}, adjusted p {p}"
        if is_known
        else f"{result.systems[i]} and {result.systems[j]} never met",
        target=f"#pair-{i}-{j}" if links else "",
    )
