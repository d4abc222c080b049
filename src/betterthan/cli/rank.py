"""``betterthan rank``: which system is best, and how sure are we."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from betterthan.cli.options import computing_options, output_options, reading_options

if TYPE_CHECKING:
    from betterthan.read.protocol import Options
    from betterthan.results.ranking import Ranking


@click.command()
@click.argument("file")
@click.option(
    "--by", type=click.Choice(["mean"]), default="mean", show_default=True, help="How to aggregate."
)
@click.option("--metric", metavar="NAME", help="Which metric, when the file has several.")
@click.option("--missing", type=click.Choice(["raise", "drop"]), default="raise", show_default=True)
@click.option("--confidence", type=float, default=0.95, show_default=True, help="Coverage of the intervals.")
@click.option(
    "--resample",
    type=click.Choice(["segments", "groups"]),
    default="segments",
    show_default=True,
    help="What the bootstrap draws: segments, or whole documents.",
)
@reading_options
@computing_options
@output_options
def rank(
    file: str,
    options: Options,
    format_in: str | None,
    metric: str | None,
    **given: Any,  # noqa: ANN401  (what the verb takes)
) -> Ranking:
    """Rank the systems in FILE from best to worst, with intervals.

    \b
    Examples:
      betterthan rank scores.csv
      betterthan rank metrics.tsv --metric TER --resample groups -f latex -o table.tex
    """  # noqa: D301
    from betterthan.analysis.rank import rank as ranked
    from betterthan.cli.computing import computing_arguments
    from betterthan.read.scores import scores_of, the_metric
    from betterthan.read.sniff import read_any

    reading = read_any(file, options, format=format_in)
    scores = the_metric(scores_of(reading), metric, file)
    return ranked(scores, **computing_arguments(given), **given)
