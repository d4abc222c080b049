"""A pair of systems whose texts were scored: the pooled score, its test, and where the difference comes from."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from betterthan.analysis.explain.explain import explain
from betterthan.present.geometry import paired_scores
from betterthan.present.tables.describe import describe
from betterthan.report.document import (
    Block,
    Bullets,
    Columns,
    Figure,
    Paragraph,
    Section,
    TableBlock,
    csv_of_result,
)
from betterthan.report.figures.pair import histogram_picture, scatter_picture
from betterthan.report.wording import page_table
from betterthan.results.explanation import CountsExplanation
from betterthan.tables.counts import Counts
from betterthan.tables.scores import Scores

_SCATTER = "Each dot or cell stands for the segments with these two scores. Solid lines: means; dashed lines: medians."
_SEED = 12345


def explained_counts(counts: Counts, a: str, b: str) -> CountsExplanation:
    """Return the explanation of a pair by the pooled score."""
    explanation: CountsExplanation = explain(counts, a, b, rng=_SEED)
    return explanation


def text_pair_section(counts: Counts, scores: Scores, explanation: CountsExplanation) -> Section:
    """Return everything about one pair of systems whose texts were scored."""
    return Section(
        key="pair",
        title=f"Segment by segment, by {counts.name}",
        lead=explanation.verdict,
        blocks=(
            *text_pair_blocks(scores, explanation, key="pair-scores"),
            *(Paragraph(note, "note") for note in _notes(explanation)),
        ),
    )


def text_pair_blocks(
    scores: Scores, explanation: CountsExplanation, *, key: str, words: Sequence[str] | None = None
) -> tuple[Block, ...]:
    """Return the pictures beside the explanation, and the tests.

    Parameters
    ----------
    scores : Scores
        Of single segments.
    explanation : CountsExplanation
    key : str
        Of the scatter plot; unique in the page.
    words : sequence of str, optional
        The explanation, of which the first sentence is shown elsewhere; by default that of the pair alone.
    """
    both = paired_scores(scores, (explanation.a, explanation.b))
    drawn: dict[str, Any] = {"higher_is_better": scores.higher_is_better, "unit": scores.name}
    left = (Figure(key=key, svg=scatter_picture(both, **drawn), caption=_SCATTER),)
    right = (
        Figure(
            key=f"{key}-differences",
            svg=histogram_picture(both, **drawn),
            caption=f"Differences in {scores.name} by segment. Solid: mean; dashed: median.",
        ),
        Bullets(tuple((words or explanation.sentences)[1:])),
    )
    table = page_table(describe(explanation))
    return (Columns(left, right), TableBlock(key="pair-tests", table=table, csv=csv_of_result(explanation)))


def _notes(explanation: CountsExplanation) -> tuple[str, ...]:
    about = tuple(line for line in (explanation.undecidable, explanation.unit_note) if line)
    return (*about, *describe(explanation).notes)
