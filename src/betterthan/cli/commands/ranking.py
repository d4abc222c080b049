"""``betterthan rank``: which system is best, and how sure are we; ``agree``: do several ways of aggregating agree."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from betterthan.budget import MOST_SEGMENTS
from betterthan.cli.options import (
    AggregationName,
    battle_options,
    computing_options,
    confidence_option,
    metric_option,
    missing_option,
    output_options,
    over_option,
    reading_options,
    units_option,
)

if TYPE_CHECKING:
    from betterthan.read.protocol import Options
    from betterthan.results.base import Result
    from betterthan.results.ranking import Agreement


METHODS = (
    "mean",
    "median",
    "win-rate",
    "bradley-terry",
    "plackett-luce",
    "elo",
    "trueskill",
    "irt",
    "irt-2pl",
)


@click.command()
@click.argument("files", nargs=-1, required=True, metavar="FILE...")
@click.option(
    "--by",
    type=AggregationName(METHODS),
    multiple=True,
    help="Aggregation method, for runs also pass@5 or pass^5. Repeat for several. "
    "[default: mean; bradley-terry for battles]",
)
@metric_option(
    "The metric, if the file has several. Repeat for several. [default: all of them]", multiple=True
)
@click.option(
    "--ties",
    type=click.Choice(["half", "drop", "davidson", "rao-kupper", "as-published"]),
    help="Treatment of ties in Bradley–Terry. [default: drop for scores, half for battles]",
)
@click.option(
    "--prior",
    type=float,
    default=0.0,
    help="Wins and losses added to every system in Bradley–Terry; 0.5 is usual.",
)
@click.option(
    "--scale",
    type=click.Choice(["share", "log", "elo"]),
    help="Scale of Bradley–Terry strengths. [default: share; elo for battles]",
)
@click.option(
    "--anchor",
    metavar="SYSTEM",
    help="For battles: fix this system at 1500 Elo points; intervals are those of differences from it.",
)
@click.option(
    "--order",
    type=click.Choice(["shuffled", "listed", "segments", "as-published"]),
    default="shuffled",
    show_default=True,
    help="Order of the matches, for Elo and TrueSkill.",
)
@click.option(
    "--rating",
    "rating",
    metavar="NAME=NUMBER",
    multiple=True,
    help="A parameter of Elo (k, start, scale) or TrueSkill (mu, sigma, beta, tau, "
    "draw_probability). Repeat for several.",
)
@missing_option("Reject empty cells, or leave out their segments.")
@units_option
@over_option
@click.option(
    "--interval",
    type=click.Choice(["percentile", "bca", "robust"]),
    help="Confidence interval of the strengths. [default: closed-form if available; robust for battles]",
)
@confidence_option
@battle_options
@reading_options
@computing_options
@output_options
def rank(
    files: tuple[str, ...],
    options: Options,
    format_in: str | None,
    metric: tuple[str, ...],
    cluster: str | None,
    covariates: tuple[str, ...],
    by: tuple[str, ...],
    **given: Any,  # noqa: ANN401  (what the verb takes)
) -> list[Result]:
    """Rank the systems in FILE from best to worst, with confidence intervals and rank ranges.

    FILE contains scores (one column per system, or one row per system and segment) or battles (two systems and a
    winner). Several files, a folder or a quoted pattern form one table. Several --by give one table of all methods.
    Several metrics are compared as by betterthan tradeoffs.

    \b
    Examples:
      betterthan rank scores.csv
      betterthan rank scores.csv --by mean --by bradley-terry --units groups
      betterthan rank battles.parquet --ties davidson --cluster session_id
      betterthan rank battles.parquet --covariate len_a-len_b
      betterthan rank battles.parquet --anchor gpt-4
      betterthan rank answers.csv --system model --system prompt --run seed --by mean --by pass@3
      betterthan rank metrics.tsv --metric TER -f latex -o table.tex
    """  # noqa: D301
    from betterthan.analysis.rank.rank import of_each_method
    from betterthan.analysis.rank.rank import rank as ranked
    from betterthan.cli.computing import computing_arguments
    from betterthan.cli.inputs import compared_by_all, shows_several, wants_several
    from betterthan.errors import ReadError
    from betterthan.read.inputs import TableReader
    from betterthan.tables.matches import Matches
    from betterthan.tables.runs import Runs
    from betterthan.tables.scores import Scores

    read = TableReader(options, format=format_in)
    kinds = (Scores, Matches, Runs)
    if wants_several(metric, _OF_ONE_METRIC):
        return [compared_by_all(read, files, metric, given)]
    one = metric[0] if metric else None
    try:
        table = read.table(files, kinds=kinds, metric=one, cluster=cluster, covariates=covariates)
    except ReadError as error:
        if not shows_several(error, metric, _OF_ONE_METRIC):
            raise
        return [compared_by_all(read, files, (), given, instead_of=error)]
    battles = isinstance(table, Matches)
    arguments = {
        **computing_arguments(given),
        **given,
        "ties": (given["ties"] or "default").replace("-", "_"),
        "order": given["order"].replace("-", "_"),
        "rating": dict(_parameter(text) for text in given["rating"]),
        "interval": given["interval"] or "default",
    }
    methods = [method.replace("-", "_") for method in by or (("bradley-terry",) if battles else ("mean",))]
    is_shown_as_elo = battles and not {"bradley_terry", "plackett_luce"}.isdisjoint(methods)
    arguments["scale"] = given["scale"] or ("elo" if is_shown_as_elo else "share")
    return [ranked(table, by=method, **own) for method, own in of_each_method(table, methods, arguments)]


_OF_ONE_METRIC = (
    "by",
    "ties",
    "prior",
    "scale",
    "anchor",
    "order",
    "rating",
    "over",
    "interval",
    "cluster",
    "covariates",
)
"""Options that a comparison by several metrics does not have."""


def _parameter(text: str) -> tuple[str, float]:
    """Return the name and the number of ``k=32``."""
    name, _, number = text.partition("=")
    try:
        return name.strip().replace("-", "_"), float(number)
    except ValueError:
        raise click.BadParameter(
            f"{text!r} is not NAME=NUMBER, such as k=32.", param_hint="--rating"
        ) from None


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
@missing_option("Reject empty cells, or leave out their segments.")
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
