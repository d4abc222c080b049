"""The section on one pair: pictures, tests side by side, and the explanation in words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from betterthan.analysis.explain import explain
from betterthan.present.charts.paired import paired
from betterthan.present.describe import describe
from betterthan.report.copies import csv_of_result
from betterthan.report.document import Block, Columns, Figure, Fold, Paragraph, Section, TableBlock
from betterthan.report.figure_pair import histogram_picture, scatter_picture
from betterthan.report.inputs import Inputs
from betterthan.report.standing import ONE_BY_ONE
from betterthan.results.explanation import Explanation
from betterthan.tables.scores import Scores

_CAPTION = (
    "Each dot or cell holds the segments with these two scores; on the diagonal both are equal, and the half with more "
    "segments is shaded. Solid lines: means; dashed lines: medians; at the edges the distribution of each system."
)


def explained(inputs: Inputs, a: str, b: str) -> Explanation:
    """Return the explanation of a pair, with slices by length where there are texts."""
    missing = inputs.options.get("missing", "raise")
    found: Explanation = explain(inputs.scores, a, b, missing=missing, units="segments", texts=inputs.texts)
    return found


def pair_section(inputs: Inputs, a: str, b: str, found: Explanation | None = None) -> Section:
    """Return everything about one pair alone, taking segments one by one.

    Parameters
    ----------
    inputs : Inputs
        Of a report on scores.
    a, b : str
    found : Explanation, optional
        When it is already known.
    """
    told = explained(inputs, a, b) if found is None else found
    return Section(
        key="pair",
        title=f"{a} against {b}",
        menu="One pair",
        lead=told.sentences[0],
        blocks=pair_blocks(inputs.scores, told),
    )


def pair_blocks(
    scores: Scores,
    found: Explanation,
    *,
    key: str = "top-pair",
    words: Sequence[str] | None = None,
    one_by_one: bool = False,
) -> tuple[Block, ...]:
    """Return the pictures beside the tests and the words.

    Parameters
    ----------
    scores : Scores
    found : Explanation
    key : str
    words : sequence of str, optional
        What is said of the pair, of which the first sentence stands elsewhere; by default the explanation.
    one_by_one : bool
        Whether the tests must be said to take segments one by one, because the report has other units.
    """
    pair = paired(scores, (found.a, found.b))
    drawn: dict[str, Any] = {"higher_is_better": scores.higher_is_better, "unit": scores.name}
    counts = (
        f"Paired differences: {found.a} better on {found.wins} segments, {found.b} on {found.losses}, equal on "
        f"{found.ties}. Solid: mean; dashed: median."
    )
    left = (Figure(key=key, svg=scatter_picture(pair, **drawn), caption=_CAPTION),)
    right = (
        Figure(key=f"{key}-differences", svg=histogram_picture(pair, **drawn), caption=counts),
        Paragraph(" ".join((words or found.sentences)[1:]), "why"),
    )
    tests = side_by_side(found, key=f"{key}-tests", words=words, one_by_one=one_by_one)
    return (Columns(left, right), tests, *notes_of(found))


def side_by_side(
    found: Explanation,
    *,
    key: str,
    copies: bool = True,
    words: Sequence[str] | None = None,
    one_by_one: bool = False,
) -> TableBlock:
    """Return the tests side by side."""
    # The copies of a table carry its words, and must not say more than the page.
    table = describe(found) if words is None else replace(describe(found), words=tuple(words))
    if one_by_one:
        table = replace(table, title=f"{ONE_BY_ONE}: {table.title}")
    return TableBlock(key=key, table=table, csv=csv_of_result(found), copies=copies)


def notes_of(found: Explanation) -> tuple[Paragraph, ...]:
    """Return what must be known about the tests."""
    return tuple(Paragraph(note, "note") for note in describe(found).notes)


def pair_fold(
    found: Explanation, i: int, j: int, *, words: Sequence[str] | None = None, one_by_one: bool = False
) -> Fold:
    """Return a pair behind a line, without pictures: readable without scripts, found by the cells of the matrix."""
    key = f"pair-{i}-{j}"
    said = Paragraph(" ".join(found.sentences if words is None else words), "why")
    tests = side_by_side(found, key=f"{key}-tests", copies=False, one_by_one=one_by_one)
    return Fold(key=key, label=f"{found.a} against {found.b}", blocks=(said, tests))
