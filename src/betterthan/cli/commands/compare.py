"""``betterthan compare``: is A better than B."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from betterthan.cli.options import (
    Aggregation,
    battle_options,
    computing_options,
    output_options,
    over_option,
    reading_options,
    units_option,
)

if TYPE_CHECKING:
    from betterthan.cli.output import Answer
    from betterthan.read.protocol import Options


@click.command()
@click.argument("file", nargs=-1, required=True, metavar="FILE... [A B]...")
@click.option(
    "--only", "systems", multiple=True, metavar="SYSTEM", help="A system to compare. Repeat for several."
)
@click.option(
    "--test",
    type=click.Choice(["auto", "t", "sign", "wilcoxon", "mood", "permutation", "bootstrap", "strengths"]),
    default="auto",
    show_default=True,
    help="The significance test.",
)
@click.option(
    "--by",
    type=Aggregation(["mean", "median", "win-rate", "bradley-terry", "elo", "trueskill", "irt", "irt-2pl"]),
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
@click.option("--metric", metavar="NAME", help="The metric, if the file has several.")
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
@click.option(
    "--missing",
    type=click.Choice(["raise", "drop", "pairwise"]),
    default="raise",
    show_default=True,
    help="Reject empty cells, or leave out their segments for all systems (drop) or only for the "
    "affected pairs (pairwise).",
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
@click.option("--alpha", type=float, default=0.05, show_default=True, help="Significance level.")
@click.option(
    "--confidence", type=float, default=0.95, show_default=True, help="Confidence level of the intervals."
)
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
    metric: str | None,
    cluster: str | None,
    covariates: tuple[str, ...],
    *,
    all: bool,  # noqa: A002  (the option's name, which messages spell)
    **given: Any,  # noqa: ANN401  (what the verb takes)
) -> Answer:
    """Test every pair of systems in FILE, or only the systems named.

    Several files, a folder or a quoted pattern form one table. After the first file, an argument that is not a file
    is a system; write ./NAME for a file without a suffix, and --only NAME for a system with the same name as a
    file. With many systems, the answer is a matrix of all pairs and a list of the pairs adjacent in rank; --all
    lists every pair.

    \b
    Examples:
      betterthan compare scores.csv
      betterthan compare scores.csv Aster Birch --test permutation
      betterthan compare run1.csv run2.csv Aster Birch
      betterthan compare answers.csv --system model --system prompt --run seed
      betterthan compare scores.csv --units groups --correction max-statistic -f latex
    """  # noqa: D301
    from betterthan.analysis.compare.compare import compare as compared
    from betterthan.cli.computing import computing_arguments
    from betterthan.cli.output import Answer
    from betterthan.cli.tables import files_and_systems
    from betterthan.read.inputs import TableReader
    from betterthan.tables.matches import Matches
    from betterthan.tables.runs import Runs
    from betterthan.tables.scores import Scores

    files, named = files_and_systems(file)
    systems = (*named, *systems)
    # The receipt tells files and systems apart as well.
    click.get_current_context().params.update(file=files, systems=systems)
    read = TableReader(options, format=format_in)
    kinds = (Scores, Matches, Runs)
    table = read.table(files, kinds=kinds, metric=metric, cluster=cluster, covariates=covariates)
    words = {
        name: (given[name] or "default").replace("-", "_") for name in ("ties", "by", "method", "correction")
    }
    chosen = systems or None
    result = compared(table, systems=chosen, **computing_arguments(given), **{**given, **words})
    return Answer(results=(result,), every_pair=all)
