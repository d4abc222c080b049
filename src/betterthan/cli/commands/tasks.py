"""``betterthan board``, ``tradeoffs``, ``factors`` and ``variation``: many tasks, metrics and repeated runs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from betterthan.cli.options import (
    alpha_option,
    computing_options,
    confidence_option,
    metric_option,
    missing_option,
    only_option,
    output_options,
    over_option,
    reading_options,
    units_option,
)

if TYPE_CHECKING:
    from betterthan.read.protocol import Options
    from betterthan.results.tasks import Board, Factors, Tradeoffs, Variation


@click.command()
@click.argument("files", nargs=-1, required=True, metavar="FILE...")
@click.option(
    "--by",
    type=click.Choice(["mean", "mean-win-rate", "borda", "iqm", "average-rank", "bradley-terry"]),
    default="mean",
    show_default=True,
    help="How tasks are combined.",
)
@click.option(
    "--task-column",
    metavar="COLUMN",
    help="Column with the name of the task; by default one called task, dataset or benchmark.",
)
@click.option(
    "--task",
    "tasks",
    multiple=True,
    metavar="NAME",
    help="Include only this task. Repeat for several.",
)
@metric_option(
    "Include only tasks scored by this metric, such as exact_match. Repeat for several.", multiple=True
)
@missing_option(
    "Reject tasks that lack a system, leave them out, or use every score there is (--by mean or mean-win-rate).",
    "available",
)
@units_option
@confidence_option
@reading_options
@computing_options
@output_options
def board(
    files: tuple[str, ...],
    options: Options,
    format_in: str | None,
    by: str,
    task_column: str | None,
    tasks: tuple[str, ...],
    metric: tuple[str, ...],
    **given: Any,  # noqa: ANN401  (what the verb takes)
) -> Board:
    """Rank the systems in FILE over many tasks, with intervals for other tasks and for other items.

    A task is a metric of the files: a folder of an evaluation harness, several files, or a table with a column of
    metrics or of tasks. A table with a column per system has a task in each row, one with a row per system in each
    column.

    \b
    Examples:
      betterthan board results/
      betterthan board results/ --by mean-win-rate
      betterthan board helm/ --metric exact_match --by mean-win-rate --missing available
      betterthan board runs/v1 runs/v2
      betterthan board leaderboard.csv --by mean-win-rate --missing available
      betterthan board long.csv --task-column benchmark
      betterthan board accuracies.csv --by average-rank -f latex
    """  # noqa: D301
    from betterthan.analysis.board.board import board as ranked
    from betterthan.analysis.board.task_columns import metrics_by_task, of_metrics
    from betterthan.cli.computing import computing_arguments
    from betterthan.errors import BetterThanError, unknown_name
    from betterthan.messages import Message, Option
    from betterthan.read.grid.selection import refuse_unknown_directions

    found = metrics_by_task(files, options, task_column, format_in)
    refuse_unknown_directions(options, found)
    for task in tasks:
        if task not in found:
            raise unknown_name("task", task, found)
    kept = of_metrics(found, metric)
    chosen = [table for name, table in kept.items() if not tasks or name in tasks]
    if not chosen:
        raise BetterThanError(
            Message(
                "None of the tasks named is scored by {metric}. Leave out one of the two.",
                metric=Option("metric", list(metric)),
            )
        )
    computing = computing_arguments(given)
    data: Any = chosen[0] if len(chosen) == 1 else chosen
    return ranked(data, by=by.replace("-", "_"), **computing, **given)  # type: ignore[arg-type]  # one of the choices


@click.command()
@click.argument("files", nargs=-1, required=True, metavar="FILE...")
@metric_option("A metric, or a part of its name. Repeat for several. [default: all]", multiple=True)
@only_option("A system to compare. Repeat for several.")
@click.option("--baseline", metavar="SYSTEM", help="Compare every other system with this one only.")
@missing_option(
    "Reject empty cells and metrics that lack a system, or leave out their segments and these metrics."
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
    from betterthan.cli.inputs import compared_by_all
    from betterthan.read.inputs import TableReader

    return compared_by_all(TableReader(options, format=format_in), files, metric, given)


@click.command()
@click.argument("files", nargs=-1, required=True, metavar="FILE...")
@metric_option("The metric, if the file has several.")
@missing_option("Reject items that a system lacks, or leave them out.")
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
@metric_option("The metric, if the file has several.")
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
