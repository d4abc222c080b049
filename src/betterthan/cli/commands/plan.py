"""``betterthan plan``: how much data is enough."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from betterthan.budget import MOST_SEGMENTS
from betterthan.cli.options import alpha_option, output_options, reading_options, units_option

if TYPE_CHECKING:
    from betterthan.read.protocol import Options
    from betterthan.results.plan import Plan


@click.command()
@click.argument("files", nargs=-1, metavar="[FILE...]")
@click.option(
    "--difference",
    type=float,
    multiple=True,
    metavar="X",
    help="A true difference to be shown; for battles the probability of a win minus 0.5. Repeat for several. "
    "[default: round numbers]",
)
@click.option(
    "--number",
    type=click.IntRange(1, MOST_SEGMENTS),
    metavar="N",
    help="Items (documents, battles) that are available: what difference do they detect, and with which power? "
    "[default: those of the pilot]",
)
@click.option(
    "--power", type=float, default=0.8, show_default=True, help="Probability of a significant result."
)
@alpha_option
@click.option(
    "--alternative",
    type=click.Choice(["two-sided", "greater", "less"]),
    default="two-sided",
    show_default=True,
    help="Direction of the test.",
)
@click.option(
    "--only",
    "systems",
    multiple=True,
    metavar="SYSTEM",
    help="A system of the pilot to plan for. Repeat for several; for two, the difference observed between them.",
)
@click.option(
    "--n-systems",
    type=click.IntRange(2, 10_000),
    metavar="M",
    help="Number of systems that will be compared. [default: those of the pilot, otherwise 2]",
)
@click.option("--metric", metavar="NAME", help="The metric, if the pilot has several.")
@click.option(
    "--sd", type=float, metavar="X", help="Assume this standard deviation of the differences of items."
)
@click.option(
    "--discordance",
    type=float,
    metavar="SHARE",
    help="Assume that only one system is right on this share of items.",
)
@click.option("--ties", type=float, metavar="SHARE", help="Assume battles with this share of ties.")
@click.option(
    "--noise-sd",
    type=float,
    metavar="X",
    help="With --sd: standard deviation of repeated scores of one item.",
)
@click.option("--run-sd", type=float, metavar="X", help="With --sd: standard deviation of whole runs.")
@click.option(
    "--repeats",
    type=click.IntRange(1, MOST_SEGMENTS),
    metavar="R",
    help="Runs of each system, or judgments of each item.",
)
@click.option("--document-size", type=float, metavar="K", help="With --sd: segments of a document.")
@click.option(
    "--icc", type=float, metavar="X", help="With --sd: correlation of differences within a document."
)
@click.option(
    "--judged",
    type=click.IntRange(1, MOST_SEGMENTS),
    metavar="N",
    help="With --sd: items that an automatic judge has scored.",
)
@click.option(
    "--judge-correlation", type=float, metavar="X", help="With --sd: correlation of the judge with humans."
)
@click.option(
    "--missing",
    type=click.Choice(["raise", "drop"]),
    default="raise",
    show_default=True,
    help="Reject items that a system lacks, or leave them out.",
)
@units_option
@click.option(
    "--confidence", type=float, default=0.95, show_default=True, help="Confidence level of the ranges."
)
@reading_options
@output_options
def plan(
    files: tuple[str, ...],
    options: Options,
    format_in: str | None,
    metric: str | None,
    difference: tuple[float, ...],
    systems: tuple[str, ...],
    **given: Any,  # noqa: ANN401  (what the verb takes)
) -> Plan:
    """Plan how much data shows a difference: from assumptions, or from a pilot in FILE.

    \b
    Examples:
      betterthan plan --discordance 0.1 --difference 0.02
      betterthan plan --sd 12 --difference 1 --difference 2 --n-systems 5
      betterthan plan --ties 0.2 --number 2000
      betterthan plan pilot.csv
      betterthan plan pilot.csv --only A --only B
      betterthan plan runs.csv --run seed --repeats 5 --difference 0.05
    """  # noqa: D301
    from betterthan.analysis.plan.plan import KINDS
    from betterthan.analysis.plan.plan import plan as planned
    from betterthan.read.inputs import TableReader

    table = TableReader(options, format=format_in).table(files, kinds=KINDS, metric=metric) if files else None
    if not files and metric is not None:
        given["metric"] = metric
    return planned(table, difference=difference or None, systems=systems or None, **given)
