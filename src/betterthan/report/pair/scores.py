"""A pair by scores: pictures, or four counts where scores are right or wrong; tests; and the explanation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from betterthan.analysis.explain.explain import explain
from betterthan.present.geometry import paired_scores
from betterthan.present.table import Table, TableColumn
from betterthan.present.tables.describe import describe
from betterthan.present.tables.explanation import explanation_legend
from betterthan.report.document import (
    Block,
    Bullets,
    Columns,
    Figure,
    Fold,
    Paragraph,
    Section,
    TableBlock,
    csv_of_result,
)
from betterthan.report.figures.marks import four_cases
from betterthan.report.figures.pair import histogram_picture, scatter_picture
from betterthan.report.inputs import Inputs
from betterthan.report.wording import count
from betterthan.results.explanation import Explanation
from betterthan.tables.scores import Scores

_CAPTION = (
    "Each dot or cell stands for the segments with these two scores. On the diagonal both scores are equal; the half "
    "with more segments is shaded. Solid lines: means; dashed lines: medians. At the edges: the distribution of each "
    "system."
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
        The explanation, of which the first sentence is shown elsewhere; by default that of the pair alone.
    """
    if scores.is_binary:
        return _binary_blocks(scores, explanation, key=key, words=words)
    pair = paired_scores(scores, (explanation.a, explanation.b))
    drawn: dict[str, Any] = {"higher_is_better": scores.higher_is_better, "unit": scores.name}
    counts = (
        f"Paired differences: {explanation.a} better on {count(explanation.wins)} segments, {explanation.b} on "
        f"{count(explanation.losses)}, equal on {count(explanation.ties)}. Solid: mean; dashed: median."
    )
    left = (Figure(key=key, svg=scatter_picture(pair, **drawn), caption=_CAPTION),)
    right = (
        Figure(key=f"{key}-differences", svg=histogram_picture(pair, **drawn), caption=counts),
        Bullets(tuple((words or explanation.sentences)[1:])),
    )
    tests = side_by_side(explanation, key=f"{key}-tests", words=words)
    return (Columns(left, right), tests, *notes_of(explanation))


def _binary_blocks(
    scores: Scores, explanation: Explanation, *, key: str, words: Sequence[str] | None
) -> tuple[Block, ...]:
    """Return the 2 × 2 table of right and wrong instead of medians and pictures of two points."""
    pair = paired_scores(scores, (explanation.a, explanation.b))
    right = [side == (1.0 if scores.higher_is_better else 0.0) for side in (pair.first, pair.second)]
    both, only_a, only_b, neither = (
        int((first & second).sum())
        for first, second in (
            (right[0], right[1]),
            (right[0], ~right[1]),
            (~right[0], right[1]),
            (~right[0], ~right[1]),
        )
    )
    a, b = explanation.a, explanation.b
    columns = (
        TableColumn(heading=""),
        TableColumn(heading=f"{b} right", kind="integer"),
        TableColumn(heading=f"{b} wrong", kind="integer"),
        TableColumn(heading="all", kind="integer"),
    )
    rows = (
        (f"{a} right", both, only_a, both + only_a),
        (f"{a} wrong", only_b, neither, only_b + neither),
        ("all", both + only_b, only_a + neither, both + only_a + only_b + neither),
    )
    table = TableBlock(
        key=f"{key}-cases", table=Table(title=f"{a} and {b}: right and wrong", columns=columns, rows=rows)
    )
    counts = (
        f"From left to right: both right on {count(both)} segments, only {a} on {count(only_a)}, only {b} on "
        f"{count(only_b)}, both wrong on {count(neither)}. Only the {count(only_a + only_b)} segments on which they "
        f"differ count for the comparison; McNemar's exact test is the sign test of these."
    )
    figure = Figure(
        key=key,
        svg=four_cases((both, only_a, only_b, neither), f"{a} and {b}: right and wrong"),
        caption=counts,
    )
    about_two = replace(
        explanation,
        mechanisms=tuple(one for one in explanation.mechanisms if one.name in ("mean", "bradley_terry")),
        notes=(),  # they are about medians
    )
    sentences = words or (explanation.verdict, *explanation.reasons[1:], explanation.advice)
    tests = side_by_side(about_two, key=f"{key}-tests", words=tuple(sentences))
    legend = Paragraph(explanation_legend(explanation), "dim")
    return (Columns((figure, table), (Bullets(tuple(sentences[1:])),)), tests, legend)


def side_by_side(
    explanation: Explanation, *, key: str, copies: bool = True, words: Sequence[str] | None = None
) -> TableBlock:
    """Return the tests side by side."""
    # The copies of a table contain its sentences, and must not say more than the page.
    table = _described(explanation) if words is None else replace(_described(explanation), words=tuple(words))
    return TableBlock(key=key, table=table, csv=csv_of_result(explanation), copies=copies)


def notes_of(explanation: Explanation) -> tuple[Paragraph, ...]:
    """Return the notes on the tests."""
    return tuple(Paragraph(note, "dim") for note in _described(explanation).notes)


def _described(explanation: Explanation) -> Table:
    """Return the table without the option that chooses another unit: a page has none."""
    about = [line for line in (explanation.undecidable, explanation.unit_note) if line]
    notes = (explanation_legend(explanation), *about, *explanation.notes)
    return replace(
        describe(explanation), verdict=(), unit="", words=explanation.sentences, legend="", notes=notes
    )


def pair_fold(explanation: Explanation, i: int, j: int, *, words: Sequence[str] | None = None) -> Fold:
    """Return a pair behind a line, without pictures: readable without scripts, and linked from the matrix."""
    key = f"pair-{i}-{j}"
    words_block = Bullets(tuple(explanation.sentences if words is None else words))
    tests = side_by_side(explanation, key=f"{key}-tests", copies=False)
    return Fold(key=key, label=f"{explanation.a} against {explanation.b}", blocks=(words_block, tests))
