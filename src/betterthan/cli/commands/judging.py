"""``betterthan correct``: a judge of all items, corrected by human labels of some."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import click

from betterthan.cli.options import output_options, reading_options, units_option
from betterthan.cli.streams import refuse_overwriting, say

if TYPE_CHECKING:
    from betterthan.analysis.units import UnitName
    from betterthan.read.protocol import Options
    from betterthan.results.corrected import Corrected


@click.command()
@click.argument("files", nargs=-1, required=True, metavar="FILE...")
@click.option(
    "--human", metavar="FILE", help="File with the human labels. [default: FILE has both, see --human-score]"
)
@click.option("--judge-score", metavar="NAME", help="Column or metric with the scores of the judge.")
@click.option("--human-score", metavar="NAME", help="Column or metric with the human labels.")
@click.option(
    "--scores-to",
    metavar="FILE",
    help="Write corrected scores of items for other commands (.csv, .parquet, …).",
)
@units_option
@click.option(
    "--confidence", type=float, default=0.95, show_default=True, help="Confidence level of the intervals."
)
@reading_options
@output_options
def correct(
    files: tuple[str, ...],
    human: str | None,
    options: Options,
    format_in: str | None,
    judge_score: str | None,
    human_score: str | None,
    scores_to: str | None,
    units: UnitName,
    confidence: float,
) -> Corrected:
    """Correct the scores of an automatic judge in FILE by human labels of some of the items.

    The labels must be drawn at random. Where items were drawn with different probabilities, as by betterthan sample,
    their weights stand in the column "weight" of the labels, or in the one that --weight names.

    \b
    Examples:
      betterthan correct judge.csv --human labels.csv
      betterthan correct answers.csv --judge-score verdict --human-score label
      betterthan correct judge.csv --human labels.csv --scores-to corrected.csv
    """  # noqa: D301
    from betterthan.analysis.corrected_scores import corrected_scores
    from betterthan.analysis.judge.correct import correct as corrected
    from betterthan.read.labels import read_labeled
    from betterthan.read.write.write import write_table

    columns = dict(options.columns)
    weight = columns.pop("weight", None)
    data = read_labeled(
        files,
        human,
        judge_score=judge_score,
        human_score=human_score,
        weight=weight,
        options=replace(options, columns=columns),
        format=format_in,
    )
    result = corrected(data.judge, data.human, weight=data.weight, units=units, confidence=confidence)
    if scores_to is not None:
        refuse_overwriting(scores_to)
        write_table(corrected_scores(result), scores_to)
        say(f"Corrected scores of {len(result.segments):,} items written to {scores_to}.")
    return result
