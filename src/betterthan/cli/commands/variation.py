"""``betterthan variation``: where the variation of repeated runs comes from."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from betterthan.cli.options import output_options, reading_options

if TYPE_CHECKING:
    from betterthan.read.protocol import Options
    from betterthan.results.runs import Variation


@click.command()
@click.argument("files", nargs=-1, required=True, metavar="FILE...")
@click.option("--metric", metavar="NAME", help="Which metric, when the file has several.")
@click.option("--confidence", type=float, default=0.95, show_default=True, help="Coverage of the intervals.")
@reading_options
@output_options
def variation(
    files: tuple[str, ...], options: Options, format_in: str | None, metric: str | None, confidence: float
) -> Variation:
    """Split the variance of repeated runs in FILE into systems, items and runs, and say what would help most.

    \b
    Examples:
      betterthan variation answers.csv --run seed
      betterthan variation answers.csv --system model --system prompt --run seed
    """  # noqa: D301
    from betterthan.analysis.runs.variation import variation as split
    from betterthan.read.inputs import TableReader
    from betterthan.tables.runs import Runs
    from betterthan.tables.scores import Scores

    table = TableReader(options, format=format_in).table(files, kinds=(Runs, Scores), metric=metric)
    return split(table, confidence=confidence)
