"""``betterthan factors`` and ``betterthan variation``: what repeated runs show beside the ranking."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from betterthan.cli.options import (
    alpha_option,
    confidence_option,
    output_options,
    over_option,
    reading_options,
    units_option,
)

if TYPE_CHECKING:
    from betterthan.read.protocol import Options
    from betterthan.results.runs import Factors, Variation


@click.command()
@click.argument("files", nargs=-1, required=True, metavar="FILE...")
@click.option("--metric", metavar="NAME", help="The metric, if the file has several.")
@click.option(
    "--missing",
    type=click.Choice(["raise", "drop"]),
    default="raise",
    show_default=True,
    help="Reject items that a system lacks, or leave them out.",
)
@units_option
@over_option
@alpha_option
@confidence_option
@reading_options
@output_options
def factors(
    files: tuple[str, ...],
    options: Options,
    format_in: str | None,
    metric: str | None,
    **given: Any,  # noqa: ANN401  (what the verb takes)
) -> Factors:
    """Estimate what each factor does, such as model and prompt, and whether one depends on the other.

    \b
    Examples:
      betterthan factors answers.csv --system model --system prompt --run seed
    """  # noqa: D301
    from betterthan.analysis.runs.factors import factors as estimated
    from betterthan.read.inputs import TableReader
    from betterthan.tables.runs import Runs
    from betterthan.tables.scores import Scores

    table = TableReader(options, format=format_in).table(files, kinds=(Runs, Scores), metric=metric)
    return estimated(table, **given)


@click.command()
@click.argument("files", nargs=-1, required=True, metavar="FILE...")
@click.option("--metric", metavar="NAME", help="The metric, if the file has several.")
@confidence_option
@reading_options
@output_options
def variation(
    files: tuple[str, ...], options: Options, format_in: str | None, metric: str | None, confidence: float
) -> Variation:
    """Split the variance of repeated runs in FILE into systems, items and runs, and show what would reduce it most.

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
