"""The section with every pair: a matrix in which each cell opens its pair, and the table of all numbers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from itertools import combinations, islice

import numpy as np

from betterthan.present.charts.pairs import PairScale, cell_text, pair_scale, tests_name
from betterthan.present.numbers import number
from betterthan.present.tables.describe import describe
from betterthan.present.tables.pairwise import capitalized, correction_words, effect_words
from betterthan.report.document import (
    AnyPair,
    Block,
    Card,
    Fold,
    Matrix,
    MatrixCell,
    Paragraph,
    Section,
    TableBlock,
    csv_of_result,
)
from betterthan.report.wording import count, number_different, page_table, plural
from betterthan.results.pairwise import PairwiseTable, pvalue

MOST_ROWS = 60
_TIES = {
    "drop": ", without ties",
    "half": ", with ties as half",
    "davidson": ", with modeled ties (Davidson)",
    "rao_kupper": ", with modeled ties (Rao and Kupper)",
    "as_published": ", with ties as wins of the second system",
}
_FEW = 12
_MANY = 14
_MANY_ROWS = 24  # systems above which cells are too small for numbers
_MOST_PAIRS = 200


def pairs_section(
    result: PairwiseTable,
    *,
    unit: str,
    any_pair: bool,
    opened: Mapping[tuple[int, int], str] | None = None,
    introduction: str = "",
    over: str = "",
) -> Section:
    """Return the matrix of the effect that was tested and, behind a line, all numbers.

    Parameters
    ----------
    result : PairwiseTable
    unit : str
        What is won: "segment" or "battle".
    any_pair : bool
        Whether a script can show any pair, so that it makes every cell open its own.
    opened : mapping of (row, column) to an anchor, optional
        Pairs with a place of their own in the page; other cells link to their row of the table, where it has one.
    introduction : str
        A sentence to begin with.
    over : str
        The units of the tests, such as "documents", where they differ from what is won.
    """
    m = len(result.systems)
    n_pairs = m * (m - 1) // 2
    table = _table(result, n_pairs)
    label = (
        f"All {n_pairs:,} pairs as a table"
        if n_pairs <= _MOST_PAIRS
        else f"{_MOST_PAIRS} of {count(n_pairs)} pairs as a table"
    )
    whole: Block = table if n_pairs <= _FEW else Fold(key="pairs-table", label=label, blocks=(table,))
    picker: tuple[Block, ...] = (AnyPair(systems=result.systems),) if any_pair else ()
    effect = _shown(result, unit)
    tests = f"{tests_name(result)}{f' over {over}' if over else ''}"
    adjusted = f", {correction_words(result.correction)}" if n_pairs > 1 else ""
    verdict = (
        f"At level {result.alpha:g}, {number_different(result.n_different, n_pairs)} significantly "
        f"({tests}{adjusted})."
    )
    lead = (
        f"{effect}. Bold: significant. {verdict}"
        if m <= _MANY_ROWS
        else f"{effect}. •: significant. {verdict}"
    )
    if m > MOST_ROWS:
        lead += f" The best {MOST_ROWS} of {m} systems are shown here."
    matrix: tuple[Block, ...] = (pair_matrix(result, _targets(result, opened or {}), caption=effect),)
    if (
        m == 2
    ):  # the page leaves out a matrix of one pair, unless a server makes its cells links to another page
        lead, picker = "", ()
    elif n_pairs <= _MOST_PAIRS or any_pair:
        matrix = (*matrix, Paragraph("Select a cell to see its pair.", "dim"))
    return Section(
        key="pairs",
        title="Every pair" if m > 2 else "Test of the difference",
        menu="Pairs" if m > 2 else "Test",
        lead=f"{introduction} {lead}".strip(),
        blocks=(*matrix, *picker, whole),
    )


def pairs_card(n_different: int, n_pairs: int, what: str = "") -> Card:
    """Return how many pairs differ significantly; `what` names the members of a pair where they are not systems."""
    label = f"{plural(n_pairs, 'pair')}{f' of {what}' if what else ''} significantly different"
    return Card(number=count(n_different), of=f"of {count(n_pairs)}", label=label)


def _shown(result: PairwiseTable, unit: str) -> str:
    """Say what a cell shows: the effect that was tested, which comes from the model where strengths were fitted."""
    if not pair_scale(result, 1).is_share:
        return (
            f"{capitalized(effect_words(result.effect_name))}, row minus column. Positive: the row is better"
        )
    what = (
        "Probability under the model that the row beats the column"
        if unit == "battle" or result.test == "strengths"
        else f"Share of {unit}s on which the row beats the column"
    )
    ties = _TIES.get(str(result.settings.options.get("ties") or ""), "")
    return f"{what}{ties}" if np.nansum(result.ties) else what


def _table(result: PairwiseTable, n_pairs: int) -> TableBlock:
    """Return one row per pair; of very many only the first."""
    whole = page_table(describe(result))
    if n_pairs <= _MOST_PAIRS:
        return TableBlock(
            key="all-pairs", table=whole, csv=csv_of_result(result), words=True, anchors=_anchors(result)
        )
    # Whether pairs.csv fits into the page is decided later; Files has it, or says which command writes it.
    note = f"The pairs of the best systems. For all {count(n_pairs)}, see Files."
    some = replace(whole, rows=whole.rows[:_MOST_PAIRS], words=(*whole.words, note))
    return TableBlock(key="all-pairs", table=some, words=True, anchors=_anchors(result))


def _anchors(result: PairwiseTable) -> tuple[str, ...]:
    """Return the addresses of the rows of the table, which has the pairs in the order of systems."""
    return tuple(f"row-{i}-{j}" for i, j in islice(combinations(range(len(result.systems)), 2), _MOST_PAIRS))


def _targets(result: PairwiseTable, opened: Mapping[tuple[int, int], str]) -> dict[tuple[int, int], str]:
    """Return where the page shows each pair, in either order; pairs that it does not show are left out."""
    anchors = dict(zip(combinations(range(len(result.systems)), 2), _anchors(result), strict=False)) | {
        (min(pair), max(pair)): anchor for pair, anchor in opened.items()
    }
    return anchors | {(j, i): anchor for (i, j), anchor in anchors.items()}


def pair_matrix(result: PairwiseTable, targets: Mapping[tuple[int, int], str], *, caption: str) -> Matrix:
    """Return the matrix; the shades of probabilities are the same in every report."""
    shown = min(len(result.systems), MOST_ROWS)
    scale = pair_scale(result, shown)
    better = result.better()
    sure = better | better.T
    cells = tuple(
        tuple(
            None
            if i == j
            else _cell(result, i, j, scale, is_sure=bool(sure[i, j]), target=targets.get((i, j)))
            for j in range(shown)
        )
        for i in range(shown)
    )
    names = result.systems[:shown]
    return Matrix(
        key="matrix",
        caption=caption,
        corner="row beats column" if scale.is_share else "row minus column",
        rows=names,
        columns=names,
        cells=cells,
        is_of_pairs=True,
    )


def _cell(
    result: PairwiseTable, i: int, j: int, scale: PairScale, *, is_sure: bool, target: str | None
) -> MatrixCell:
    effect = float(result.effect[i, j])
    is_known = not np.isnan(effect)
    written = cell_text(effect, scale, narrow=len(result.systems) > _MANY)
    verdict = "significantly different" if is_sure else "not significantly different"
    p = pvalue(float(result.adjusted[i, j]))
    return MatrixCell(
        text=written if is_known else "–",
        shade=round(10 * (effect - scale.middle) / scale.reach) if is_known else 0,
        is_sure=is_sure,
        title=f"{result.systems[i]} against {result.systems[j]}: {number(effect, scale.decimals + 1)}, {verdict}, "
        f"adjusted p {p}"
        if is_known
        else f"{result.systems[i]} and {result.systems[j]} never met",
        target=f"#{target}" if target else "",
    )
