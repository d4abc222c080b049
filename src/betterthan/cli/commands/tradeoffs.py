"""``betterthan tradeoffs``: several metrics at once, and the best trade-offs where they disagree."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from betterthan.cli.options import (
    alpha_option,
    computing_options,
    confidence_option,
    output_options,
    reading_options,
    units_option,
)

if TYPE_CHECKING:
    from betterthan.read.protocol import Options
    from betterthan.results.tradeoffs import Tradeoffs


@click.command()
@click.argument("files", nargs=-1, required=True, metavar="FILE...")
@click.option(
    "--metric",
    "metric",
    multiple=True,
    metavar="NAME",
    help="A metric, or a part of its name. Repeat for several. [default: all]",
)
@click.option(
    "--only", "systems", multiple=True, metavar="SYSTEM", help="A system to compare. Repeat for several."
)
@click.option("--baseline", metavar="SYSTEM", help="Compare every other system with this one only.")
@click.option(
    "--missing",
    type=click.Choice(["raise", "drop"]),
    default="raise",
    show_default=True,
    help="Reject empty cells and metrics that lack a system, or leave out their segments and these metrics.",
)
@units_option
@alpha_option
@confidence_option
@reading_options
@computing_options
@output_options
def tradeoffs(
    files: tuple[str, ...],
    options: Options,
    format_in: str | None,
    metric: tuple[str, ...],
    **given: Any,  # noqa: ANN401  (what the verb takes)
) -> Tradeoffs:
    """Compare the systems in FILE by several metrics at once, and show the Pareto front.

    P-values are adjusted for all metrics together. A system is on the Pareto front when no other one is as good by all
    metrics and better by one.

    \b
    Examples:
      betterthan tradeoffs base.jsonl candidate.jsonl
      betterthan tradeoffs metrics.tsv --metric COMET --metric chrF
      betterthan tradeoffs runs/ --baseline base --lower-is-better latency
    """  # noqa: D301
    from betterthan.cli.several_metrics import compared_by_all
    from betterthan.read.inputs import TableReader

    return compared_by_all(TableReader(options, format=format_in), files, metric, given)
