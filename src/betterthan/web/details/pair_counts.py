"""The page of a pair in texts: the pooled score and its test, and where the difference comes from."""

from __future__ import annotations

from typing import Any

from betterthan.analysis.explain.explain import explain
from betterthan.present.charts.paired import paired
from betterthan.present.tables.describe import describe
from betterthan.report.copies import csv_of_result
from betterthan.report.document import Block, Columns, Figure, Paragraph, Section, TableBlock
from betterthan.report.figures.pair import histogram_picture, scatter_picture
from betterthan.report.wording import page_table
from betterthan.results.explanation import CountsExplanation
from betterthan.tables.counts import Counts
from betterthan.tables.scores import Scores

_SCATTER = (
    "Each dot or cell holds the segments with these two scores. Solid lines: means; dashed lines: medians."
)
_SEED = 12345


def explained_counts(counts: Counts, a: str, b: str) -> CountsExplanation:
    """Return the explanation of a pair by the pooled score."""
    found: CountsExplanation = explain(counts, a, b, rng=_SEED)
    return found


def text_pair(counts: Counts, scores: Scores, a: str, b: str) -> Section:
    """Return everything about one pair of systems whose texts were scored."""
    found = explained_counts(counts, a, b)
    both = paired(scores, (a, b))
    drawn: dict[str, Any] = {"higher_is_better": scores.higher_is_better, "unit": scores.name}
    pictures = Columns(
        (Figure(key="pair-scores", svg=scatter_picture(both, **drawn), caption=_SCATTER),),
        (
            Figure(
                key="pair-differences",
                svg=histogram_picture(both, **drawn),
                caption=f"Differences of {scores.name} by segment. Solid: mean; dashed: median.",
            ),
            Paragraph(" ".join(found.sentences[1:]), "why"),
        ),
    )
    title = f"By {counts.name}"
    return Section(key="pair", title=title, lead=found.sentences[0], blocks=(pictures, *_tested(found)))


def _tested(found: CountsExplanation) -> tuple[Block, ...]:
    table = page_table(describe(found), found.unit_note)
    about = [line for line in (found.undecidable, found.unit_note) if line]
    notes = tuple(Paragraph(note, "note") for note in (*about, *table.notes))
    return (
        TableBlock(key=f"pair-{found.metric.lower()}", table=table, csv=csv_of_result(found)),
        *notes,
    )
