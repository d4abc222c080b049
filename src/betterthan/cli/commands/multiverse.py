"""``betterthan multiverse``: does a claim survive every defensible analysis."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from betterthan.cli.options import alpha_option, computing_options, output_options, reading_options

if TYPE_CHECKING:
    from betterthan.read.protocol import Options
    from betterthan.results.multiverse import Multiverse


@click.command()
@click.argument("files", nargs=-1, required=True, metavar="FILE...")
@click.argument("claim")
@click.option(
    "--metric",
    multiple=True,
    metavar="NAME",
    help="A metric that may be chosen. Repeat for several. [default: all]",
)
@click.option(
    "--missing",
    type=click.Choice(["raise", "drop"]),
    default="raise",
    show_default=True,
    help="Reject items that a system lacks, or leave them out.",
)
@alpha_option
@reading_options
@computing_options
@output_options
def multiverse(
    files: tuple[str, ...],
    claim: str,
    options: Options,
    format_in: str | None,
    metric: tuple[str, ...],
    **given: Any,  # noqa: ANN401  (what the verb takes)
) -> Multiverse:
    """Analyze FILE in every defensible way, and show which analyses support the CLAIM.

    A claim is "A > B", "A is better than B" or "A is best". The analyses differ in metric, treatment of extreme scores,
    systems compared, unit, aggregation, test, treatment of ties and correction.

    \b
    Examples:
      betterthan multiverse scores.csv "A > B"
      betterthan multiverse metrics.tsv "A is best" --metric COMET --metric chrF
    """  # noqa: D301
    from betterthan.analysis.multiverse.multiverse import multiverse as analyzed
    from betterthan.analysis.tradeoffs.metric_tables import chosen_metrics
    from betterthan.cli.computing import computing_arguments
    from betterthan.read.grid.selection import refuse_unknown_directions
    from betterthan.read.inputs import TableReader

    found = TableReader(options, format=format_in).runs_or_scores(files)
    refuse_unknown_directions(options, found)
    return analyzed(claim, chosen_metrics(found, metric), **computing_arguments(given), **given)
