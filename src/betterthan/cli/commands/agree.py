"""``betterthan agree``: do several ways of aggregating give the same ranking?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from betterthan.budget import MOST_SEGMENTS
from betterthan.cli.options import computing_options, output_options, reading_options, units_option

if TYPE_CHECKING:
    from betterthan.read.protocol import Options
    from betterthan.results.agreement import Agreement


@click.command()
@click.argument("files", nargs=-1, required=True, metavar="FILE...")
@click.option(
    "--by",
    multiple=True,
    metavar="METHOD",
    help="Aggregation method. Repeat for several. [default: mean, median and bradley-terry; of battles bradley-terry, "
    "win-rate and elo]",
)
@click.option(
    "--top",
    type=click.IntRange(1, MOST_SEGMENTS),
    default=3,
    show_default=True,
    help="Number of systems that count as the top.",
)
@click.option(
    "--metric", "metrics", multiple=True, metavar="NAME", help="The metric. Repeat to compare several."
)
@click.option(
    "--prior",
    type=click.FloatRange(min=0),
    help="Wins and losses added to every system in Bradley–Terry. [default: 0.5 if a system never "
    "lost or never won, otherwise 0]",
)
@click.option(
    "--missing",
    type=click.Choice(["raise", "drop"]),
    default="raise",
    show_default=True,
    help="Reject empty cells, or leave out their segments.",
)
@units_option
@reading_options
@computing_options
@output_options
def agree(
    files: tuple[str, ...],
    options: Options,
    format_in: str | None,
    by: tuple[str, ...],
    top: int,
    metrics: tuple[str, ...],
    **given: Any,  # noqa: ANN401  (what rank takes)
) -> Agreement:
    """Rank the systems in FILE by several methods, and show where the rankings differ.

    \b
    Examples:
      betterthan agree scores.csv
      betterthan agree scores.csv --by mean --by bradley-terry --top 5
      betterthan agree metrics.tsv --metric chrF --metric TER --by mean
      betterthan agree battles.csv --by bradley-terry --by elo
    """  # noqa: D301
    from betterthan.analysis.rank.agreement import agreement, rank_each
    from betterthan.cli.computing import computing_arguments
    from betterthan.present.tables.standing import method_name
    from betterthan.read.grid.selection import refuse_unknown_directions
    from betterthan.read.inputs import TableReader
    from betterthan.read.scores import the_metric
    from betterthan.tables.matches import Matches

    read = TableReader(options, format=format_in)
    computing = computing_arguments(given)
    methods = tuple(dict.fromkeys(method.replace("-", "_") for method in by))  # one ranking each
    if any(isinstance(table, Matches) for table in read.reading(files).tables[:1]):
        _refuse_of_scores()
        battles = read.battles(files)
        of_each = rank_each(battles, methods or _OF_BATTLES, prior=given["prior"], **computing)
        return agreement({method_name(method): ranking for method, ranking in of_each.items()}, top=top)
    methods = methods or _OF_SCORES
    found = read.metrics(files)
    refuse_unknown_directions(options, found)
    several = len(metrics) > 1
    rankings = {}
    for metric in metrics or (None,):
        scores = the_metric(found, metric, ", ".join(files))
        of_metric = rank_each(scores, methods, **computing, **given)
        for method, ranking in of_metric.items():
            name = method_name(method)
            rankings[f"{metric} {name}" if several else name] = ranking
    return agreement(rankings, top=top)


_OF_SCORES = ("mean", "median", "bradley_terry")
_OF_BATTLES = ("bradley_terry", "win_rate", "elo")


def _refuse_of_scores() -> None:
    """Raise for an option that battles do not have."""
    from betterthan.cli.options import is_changed
    from betterthan.errors import BetterThanError
    from betterthan.messages import Message, Option

    for name in filter(is_changed, ("metrics", "missing", "units")):
        raise BetterThanError(
            Message(
                "{option} is for scores, and these are battles. Leave it out.",
                option=Option(name.removesuffix("s") if name == "metrics" else name, True),
            )
        )
