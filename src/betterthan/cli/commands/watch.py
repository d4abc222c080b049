"""``betterthan watch``: may we stop collecting."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from betterthan.budget import MOST_SEGMENTS
from betterthan.cli.options import output_options, reading_options, units_option

if TYPE_CHECKING:
    from betterthan.read.protocol import Options
    from betterthan.results.watch import Watch


@click.command()
@click.argument("files", nargs=-1, required=True, metavar="FILE...")
@click.option(
    "--only", "systems", multiple=True, metavar="SYSTEM", help="A system to watch. Repeat for several."
)
@click.option(
    "--horizon",
    type=click.IntRange(1, MOST_SEGMENTS),
    metavar="N",
    help="Items or battles of a pair at which collecting ends anyway, such as the number that plan returns.",
)
@click.option(
    "--expected",
    type=float,
    metavar="X",
    help="The difference that is expected or matters; for battles the probability of a win minus 0.5.",
)
@click.option(
    "--bounds",
    type=float,
    multiple=True,
    metavar="X",
    help="The lowest and the highest possible score, as in --bounds 0 --bounds 100.",
)
@click.option(
    "--margin",
    type=float,
    metavar="X",
    help="Test whether the second system is worse than the first, the baseline, by less than X.",
)
@click.option(
    "--alternative",
    type=click.Choice(["two-sided", "greater", "less"]),
    default="two-sided",
    show_default=True,
    help="Test for any difference, or only whether the first system is better (greater) or worse (less).",
)
@click.option(
    "--alpha",
    type=float,
    default=0.05,
    show_default=True,
    help="Probability of any false verdict at any look.",
)
@click.option("--metric", metavar="NAME", help="The metric, if the file has several.")
@click.option(
    "--missing",
    type=click.Choice(["raise", "drop"]),
    default="raise",
    show_default=True,
    help="Reject items that a system lacks, or leave them out.",
)
@click.option(
    "--cluster",
    metavar="COLUMN",
    help="Treat battles with the same value in this column as one unit; none treats them as independent. "
    "[default: the judge or session column, if there is one]",
)
@click.option(
    "--top",
    type=click.IntRange(1, MOST_SEGMENTS),
    metavar="K",
    help="For battles: recommend which pairs should meet next, so that the K best systems are soon known.",
)
@click.option(
    "--ask",
    type=click.IntRange(1, MOST_SEGMENTS),
    metavar="N",
    help="With --top: how many battles to recommend. [default: 100]",
)
@click.option(
    "--state",
    metavar="FILE",
    help="Keep what was counted in this file and continue from it; options must stay the same.",
)
@click.option("--append", is_flag=True, help="With --state: the input is only what is new, not everything.")
@click.option(
    "--follow",
    is_flag=True,
    help="Look again whenever the file or standard input has new lines, until every pair is decided, the "
    "horizon is reached, the input ends, or Ctrl-C.",
)
@units_option
@reading_options
@output_options
def watch(
    files: tuple[str, ...],
    options: Options,
    format_in: str | None,
    metric: str | None,
    cluster: str | None,
    systems: tuple[str, ...],
    bounds: tuple[float, ...],
    *,
    follow: bool,
    **given: Any,  # noqa: ANN401  (what the verb takes)
) -> Watch:
    """Look at scores or battles while they are collected: are they enough, and if not, how many more?

    FILE holds items or battles in the order in which they were collected. The answer holds however often one looks.

    \b
    Examples:
      betterthan watch votes.csv
      betterthan watch scores.csv --horizon 1000
      betterthan watch scores.csv --bounds 0 --bounds 100 --expected 1.5
      betterthan watch old.jsonl new.jsonl --margin 0.02
      betterthan watch votes.csv --top 3
      betterthan watch votes.csv --state votes.json
      tail -f votes.csv | betterthan watch - --follow
    """  # noqa: D301
    from dataclasses import replace

    from betterthan.analysis.watch.watch import KINDS
    from betterthan.analysis.watch.watch import watch as watched
    from betterthan.cli.following import Followed
    from betterthan.errors import BetterThanError
    from betterthan.present.tables.watch import watch_table
    from betterthan.read.inputs import TableReader

    def look(*paths: str) -> Watch:
        reader = TableReader(replace(options, in_order=True), format=format_in)
        table = reader.table(paths, kinds=KINDS, metric=metric, cluster=cluster)
        return watched(table, systems=systems or None, bounds=bounds or None, **given)

    if not follow:
        return look(*files)
    if len(files) > 1:
        raise BetterThanError("--follow takes one file, or - for standard input.")
    if given["append"]:
        raise BetterThanError("--append has no effect with --follow, which reads from the beginning.")
    following = Followed(files[0], look, is_last=lambda found: found.is_over, table=watch_table)
    return following.last()
