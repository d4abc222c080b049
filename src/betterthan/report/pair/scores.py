"""A pair by scores: pictures, tests side by side, and the explanation in words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from betterthan.analysis.explain.explain import explain
from betterthan.present.geometry import paired_scores
from betterthan.present.table import Table
from betterthan.present.tables.describe import describe
from betterthan.present.tables.explanation import explanation_legend
from betterthan.report.copies import csv_of_result
from betterthan.report.document import Block, Columns, Figure, Fold, Paragraph, Section, TableBlock
from betterthan.report.figures.pair import histogram_picture, scatter_picture
from betterthan.report.inputs import Inputs
from betterthan.results.explanation import Explanation
from betterthan.tables.scores import Scores

_CAPTION = (
    "Each dot or cell holds the segments with these two scores; on the diagonal both are equal, and the half with more "
    "segments is shaded. Solid lines: means; dashed lines: medians; at the edges the distribution of each system."
)


def explained(inputs: Inputs, a: str, b: str) -> Explanation:
    """Return the explanation of a pair in the units of the report, with slices by length where there are texts."""
    options = {name: inputs.options[name] for name in ("missing", "units") if name in inputs.options}
    explanation: Explanation = explain(inputs.scores, a, b, texts=inputs.texts, **options)
    return explanation


def pair_section(inputs: Inputs, a: str, b: str, explanation: Explanation | None = None) -> Section:
    """Return everything about one pair alone.

    Parameters
    ----------
    inputs : Inputs
        Of a report on scores.
    a, b : str
    explanation : Explanation, optional
        When it is already known.
    """
    shown = explained(inputs, a, b) if explanation is None else explanation
    return Section(
        key="pair",
        title=f"{a} against {b}",
        menu="One pair",
        lead=shown.verdict,
        blocks=pair_blocks(inputs.scores, shown),
    )


def pair_blocks(
    scores: Scores, explanation: Explanation, *, key: str = "top-pair", words: Sequence[str] | None = None
) -> tuple[Block, ...]:
    """Return the pictures beside the tests and the words.

    Parameters
    ----------
    scores : Scores
    explanation : Explanation
    key : str
    words : sequence of str, optional
        What is said of the pair, of which the first sentence stands elsewhere; by default the explanation.
    """
    pair = paired_scores(scores, (explanation.a, explanation.b))
    drawn: dict[str, Any] = {"higher_is_better": scores.higher_is_better, "unit": scores.name}
    counts = (
        f"Paired differences: {explanation.a} better on {explanation.wins} segments, {explanation.b} on "
        f"{explanation.losses}, equal on {explanation.ties}. Solid: mean; dashed: median."
    )
    left = (Figure(key=key, svg=scatter_picture(pair, **drawn), caption=_CAPTION),)
    right = (
        Figure(key=f"{key}-differences", svg=histogram_picture(pair, **drawn), caption=counts),
        Paragraph(" ".join((words or explanation.sentences)[1:]), "why"),
    )
    tests = side_by_side(explanation, key=f"{key}-tests", words=words)
    return (Columns(left, right), tests, *notes_of(explanation))


def side_by_side(
    explanation: Explanation, *, key: str, copies: bool = True, words: Sequence[str] | None = None
) -> TableBlock:
    """Return the tests side by side."""
    # The copies of a table carry its words, and must not say more than the page.
    table = _described(explanation) if words is None else replace(_described(explanation), words=tuple(words))
    return TableBlock(key=key, table=table, csv=csv_of_result(explanation), copies=copies)


def notes_of(explanation: Explanation) -> tuple[Paragraph, ...]:
    """Return what must be known about the tests."""
    return tuple(Paragraph(note, "note") for note in _described(explanation).notes)


def _described(explanation: Explanation) -> Table:
    """Return the table without the argument that chooses another unit: a page has none."""
    about = [line for line in (explanation.undecidable, explanation.unit_note) if line]
    notes = (explanation_legend(explanation), *about, *explanation.notes)
    return replace(
        describe(explanation), verdict=(), unit="", words=explanation.sentences, legend="", notes=notes
    )


def pair_fold(explanation: Explanation, i: int, j: int, *, words: Sequence[str] | None = None) -> Fold:
    """Return a pair behind a line, without pictures: readable without scripts, found by the cells of the matrix."""
    key = f"pair-{i}-{j}"
    words_block = Paragraph(" ".join(explanation.sentences if words is None else words), "why")
    tests = side_by_side(explanation, key=f"{key}-tests", copies=False)
    return Fold(key=key, label=f"{explanation.a} against {explanation.b}", blocks=(words_block, tests))
