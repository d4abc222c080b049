"""``betterthan compare``, ``explain`` and ``diagnose``: is A better than B, why, and what kind of scores are these."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from betterthan.cli.commands.files import check
from betterthan.cli.options import (
    AggregationName,
    alpha_option,
    battle_options,
    computing_options,
    confidence_option,
    is_changed,
    metric_option,
    missing_option,
    only_option,
    output_options,
    over_option,
    reading_options,
    units_option,
)

if TYPE_CHECKING:
    from betterthan.cli.output import Answer
    from betterthan.read.protocol import Options
    from betterthan.results.checkup import Diagnosis
    from betterthan.results.explanation import Explanation
    from betterthan.results.tasks import Board
    from betterthan.tables.scores import Scores
    from betterthan.tables.scores import Scores as OneMetric
    from betterthan.tables.texts import Texts


@click.command()
@click.argument("file", nargs=-1, required=True, metavar="FILE... [A B]...")
@only_option("A system to compare. Repeat for several.")
@click.option(
    "--test",
    type=click.Choice(["auto", "t", "sign", "wilcoxon", "mood", "permutation", "bootstrap", "strengths"]),
    default="auto",
    show_default=True,
    help="The significance test.",
)
@click.option(
    "--by",
    type=AggregationName(
        ["mean", "median", "win-rate", "bradley-terry", "elo", "trueskill", "irt", "irt-2pl"]
    ),
    default="mean",
    show_default=True,
    help="Aggregation method, for runs also pass@5 or pass^5; --test auto selects the test that matches it.",
)
@click.option(
    "--method",
    type=click.Choice(["auto", "exact", "bracket", "monte-carlo", "analytic"]),
    default="auto",
    show_default=True,
    help="How permutation p-values are computed.",
)
@metric_option(
    "The metric, if the file has several. Repeat for several. [default: all of them]", multiple=True
)
@click.option(
    "--ties",
    type=click.Choice(["half", "drop", "as-published"]),
    help="Treatment of ties in the sign test and in battles. [default: drop for scores, half for battles]",
)
@click.option(
    "--prior",
    type=float,
    default=0.0,
    help="Wins and losses added to every system in the model of battles; 0.5 is usual.",
)
@missing_option(
    "Reject empty cells, or leave out their segments for all systems (drop) or only for the "
    "affected pairs (pairwise).",
    "pairwise",
)
@units_option
@over_option
@click.option(
    "--alternative",
    type=click.Choice(["two-sided", "greater", "less"]),
    default="two-sided",
    show_default=True,
    help="Test for any difference, or only whether the first system is better (greater) or worse (less).",
)
@click.option(
    "--correction",
    type=click.Choice(["auto", "none", "bonferroni", "holm", "benjamini-hochberg", "max-statistic"]),
    default="auto",
    show_default=True,
    help="Correction for multiple comparisons; auto: Holm, or the maximum statistic for tests that resample.",
)
@alpha_option
@confidence_option
@click.option(
    "--simultaneous",
    is_flag=True,
    help="Widen the intervals so that all of them hold simultaneously at this level.",
)
@click.option("--all", "all", is_flag=True, help="List every pair, even with many systems.")
@battle_options
@reading_options
@computing_options
@output_options
def compare(
    file: tuple[str, ...],
    systems: tuple[str, ...],
    options: Options,
    format_in: str | None,
    metric: tuple[str, ...],
    cluster: str | None,
    covariates: tuple[str, ...],
    *,
    all: bool,  # noqa: A002  (the option's name, which messages spell)
    **given: Any,  # noqa: ANN401  (what the verb takes)
) -> Answer:
    """Test every pair of systems in FILE, or only the systems named.

    Several files, a folder or a quoted pattern form one table; two folders with the runs of a harness are compared on
    every task. After the first file, an argument that is not a file
    is a system; write ./NAME for a file without a suffix, and --only NAME for a system with the same name as a
    file. With many systems, the answer is a matrix of all pairs and a list of the pairs adjacent in rank; --all
    lists every pair. Several metrics are compared as by betterthan tradeoffs.

    \b
    Examples:
      betterthan compare scores.csv
      betterthan compare scores.csv Aster Birch --test permutation
      betterthan compare run1.csv run2.csv Aster Birch
      betterthan compare runs/v1 runs/v2
      betterthan compare answers.csv --system model --system prompt --run seed
      betterthan compare scores.csv --units groups --correction max-statistic -f latex
    """  # noqa: D301
    from betterthan.analysis.compare.compare import compare as compared
    from betterthan.cli.computing import computing_arguments
    from betterthan.cli.inputs import compared_by_all, files_and_systems, shows_several, wants_several
    from betterthan.cli.output import Answer
    from betterthan.errors import ReadError
    from betterthan.read.inputs import TableReader
    from betterthan.tables.matches import Matches
    from betterthan.tables.runs import Runs
    from betterthan.tables.scores import Scores

    files, named = files_and_systems(file)
    systems = (*named, *systems)
    # The receipt tells files and systems apart as well.
    click.get_current_context().params.update(file=files, systems=systems)
    if not metric and not systems and not any(map(is_changed, _OF_ONE_METRIC)):
        tasks = _tasks_of_two_runs(files, options, format_in)
        if tasks:
            return Answer(results=(_on_every_task(tasks, given),))
    read = TableReader(options, format=format_in)
    kinds = (Scores, Matches, Runs)
    if wants_several(metric, _NOT_OF_SEVERAL):
        return Answer(results=(compared_by_all(read, files, metric, {**given, "systems": systems}),))
    one = metric[0] if metric else None
    try:
        table = read.table(files, kinds=kinds, metric=one, cluster=cluster, covariates=covariates)
    except ReadError as error:
        if not shows_several(error, metric, _NOT_OF_SEVERAL):
            raise
        return Answer(
            results=(compared_by_all(read, files, (), {**given, "systems": systems}, instead_of=error),)
        )
    words = {
        name: (given[name] or "default").replace("-", "_") for name in ("ties", "by", "method", "correction")
    }
    chosen = systems or None
    result = compared(table, systems=chosen, **computing_arguments(given), **{**given, **words})
    return Answer(results=(result,), every_pair=all)


_OF_ONE_METRIC = (
    "test",
    "by",
    "method",
    "ties",
    "prior",
    "alternative",
    "correction",
    "alpha",
    "simultaneous",
    "all",
)
"""Options that the comparison on every task does not have."""
_NOT_OF_SEVERAL = (
    *(name for name in _OF_ONE_METRIC if name != "alpha"),
    "over",
    "cluster",
    "covariates",
)
"""Options that a comparison by several metrics does not have."""


def _tasks_of_two_runs(
    files: tuple[str, ...], options: Options, format_in: str | None
) -> dict[str, OneMetric]:
    """Return the tasks of two folders that each hold the run of one system.

    Empty where there is only one, and where all are metrics of the same items.
    """
    from betterthan.analysis.board.task_columns import metrics_by_task
    from betterthan.read.grid.selection import refuse_unknown_directions

    folders = [file if Path(file).exists() else file.partition("=")[2] for file in files]
    if len(files) != 2 or not all(folder and Path(folder).is_dir() for folder in folders):
        return {}
    found = metrics_by_task(files, options, None, format_in)
    refuse_unknown_directions(options, found)
    same_items = len({table.segments for table in found.values()}) == 1
    is_a_pair = all(len(table.systems) == 2 for table in found.values())
    return found if len(found) > 1 and is_a_pair and not same_items else {}


def _on_every_task(tasks: dict[str, OneMetric], given: dict[str, Any]) -> Board:
    from betterthan.analysis.board.board import board
    from betterthan.cli.computing import computing_arguments

    computing = computing_arguments(given)
    wanted = {name: given[name] for name in ("missing", "units", "confidence")}
    return board(list(tasks.values()), **wanted, **computing)


_CODE = re.compile(r"BT\d{3}", re.IGNORECASE)


@click.command()
@click.argument("file", nargs=-1, metavar="FILE...")
@click.argument("a", required=False)
@click.argument("b", required=False)
@metric_option("The metric, if the file has several.")
@missing_option("Reject empty cells, or leave out their segments.")
@click.option("--alpha", type=float, default=0.05, show_default=True, help="Significance level of all tests.")
@click.option("--source", metavar="FILE", help="Source texts, one segment per line, for slices by length.")
@units_option
@reading_options
@output_options
def explain(
    file: tuple[str, ...],
    a: str | None,
    b: str | None,
    options: Options,
    format_in: str | None,
    metric: str | None,
    source: str | None,
    **given: Any,  # noqa: ANN401  (what the verb takes)
) -> Explanation:
    """Explain how systems A and B in FILE compare: which is better by which method, why, and how robustly.

    Several files, a folder or a quoted pattern form one table. With only a problem code, explain the code.

    \b
    Examples:
      betterthan explain scores.csv Daphne Elm
      betterthan explain scores.csv Daphne Elm --group domain --units segments
      betterthan explain BT101
    """  # noqa: D301
    if not file and a is None and b is not None and _CODE.fullmatch(b):
        context = click.get_current_context()
        context.invoke(check, code=b)
        context.exit()
    if not file or a is None or b is None:
        raise click.UsageError("Name two systems after the file: betterthan explain FILE A B.")
    from betterthan.analysis.explain.explain import explain as explained
    from betterthan.read.inputs import TableReader
    from betterthan.tables.scores import Scores

    scores: Scores = TableReader(options, format=format_in).table(file, kinds=(Scores,), metric=metric)
    texts = None if source is None else _sources(source, scores)
    explanation: Explanation = explained(scores, a, b, texts=texts, **given)
    return explanation


def _sources(source: str, scores: Scores) -> Texts:
    """Return the lines of a file as the sources of the segments, in the order of the table."""
    from betterthan.errors import ReadError
    from betterthan.read.source.source import open_source
    from betterthan.tables.texts import Texts

    lines = tuple(open_source(source).lines())
    if len(lines) != scores.n_segments:
        raise ReadError(
            f"This file has {len(lines)} lines for {scores.n_segments} segments. Line k must be segment k.",
            path=source,
            code="BT130",
        )
    nothing = ((None,) * len(lines),) * scores.n_systems
    return Texts(systems=scores.systems, segments=scores.segments, outputs=nothing, sources=lines)


@click.command()
@click.argument("files", nargs=-1, required=True, metavar="FILE...")
@metric_option("The metric, if the file has several.")
@reading_options
@output_options
def diagnose(
    files: tuple[str, ...], options: Options, format_in: str | None, metric: str | None
) -> Diagnosis:
    """Measure outliers, ties, missing scores, pairing and cycles in FILE, and recommend an aggregation method.

    \b
    Examples:
      betterthan diagnose scores.csv
      betterthan diagnose metrics.tsv --metric chrF
    """  # noqa: D301
    from betterthan.analysis.explain.diagnose import diagnose as diagnosed
    from betterthan.read.inputs import TableReader
    from betterthan.tables.scores import Scores

    return diagnosed(TableReader(options, format=format_in).table(files, kinds=(Scores,), metric=metric))
