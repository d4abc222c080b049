"""``betterthan boards``, ``board-diff``, ``fragility`` and ``voters``: what battles say besides a ranking."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import click

from betterthan.cli.options import battle_options, confidence_option, output_options, reading_options

if TYPE_CHECKING:
    from betterthan.read.protocol import Options
    from betterthan.results.battles import BoardDiff, Boards, Fragility, Voters


@click.command()
@click.argument("files", nargs=-1, required=True, metavar="FILE...")
@click.option("--by", metavar="COLUMN", required=True, help="Column of categories, such as language.")
@click.option(
    "--category",
    "categories",
    multiple=True,
    metavar="NAME",
    help="Show only this category; a single one as a board of systems. Repeat for several.",
)
@click.option(
    "--ties",
    type=click.Choice(["half", "drop"]),
    default="half",
    show_default=True,
    help="Count ties as half a win for each, or leave them out.",
)
@confidence_option
@battle_options
@reading_options
@output_options
def boards(
    files: tuple[str, ...],
    options: Options,
    format_in: str | None,
    by: str,
    categories: tuple[str, ...],
    cluster: str | None,
    covariates: tuple[str, ...],
    **given: Any,  # noqa: ANN401  (what the verb takes)
) -> Boards:
    """Rank the systems of the battles in FILE in every category, and show where they do better than elsewhere.

    Strengths of small categories are shrunk toward what is typical of all categories.

    \b
    Examples:
      betterthan boards battles.parquet --by language
      betterthan boards battles.parquet --by language --category German
      betterthan boards battles.jsonl --by is_code -f csv
    """  # noqa: D301
    from dataclasses import replace

    from betterthan.analysis.arena.boards import boards as ranked
    from betterthan.read.inputs import TableReader
    from betterthan.tables.matches import Matches

    options = replace(options, columns={**options.columns, "category": by})
    read = TableReader(options, format=format_in)
    matches = read.table(files, kinds=(Matches,), cluster=cluster, covariates=covariates)
    found = replace(ranked(matches, **given), by=by)
    return found.only(*categories) if categories else found


@click.command("board-diff")
@click.argument("old", metavar="FILE")
@click.argument("new", metavar="FILE")
@click.option(
    "--overlap",
    type=click.Choice(["auto", "included", "none"]),
    default="auto",
    show_default=True,
    help="Whether the new battles include the old ones; auto looks at their numbers.",
)
@click.option(
    "--ties",
    type=click.Choice(["half", "drop"]),
    default="half",
    show_default=True,
    help="Count ties as half a win for each, or leave them out.",
)
@confidence_option
@reading_options
@output_options
def board_diff(
    old: str,
    new: str,
    options: Options,
    format_in: str | None,
    **given: Any,  # noqa: ANN401  (what the verb takes)
) -> BoardDiff:
    """Compare two snapshots of a board: battles of two periods, or all battles until two dates.

    The first FILE is the old one. Which strengths changed is tested; systems that entered or left are listed.

    \b
    Examples:
      betterthan board-diff march.parquet april.parquet
    """  # noqa: D301
    from betterthan.analysis.arena.board_diff import board_diff as compared
    from betterthan.read.inputs import TableReader
    from betterthan.tables.matches import Matches

    read = TableReader(options, format=format_in)
    before, after = (read.table((file,), kinds=(Matches,)) for file in (old, new))
    return compared(before, after, **given)


@click.command()
@click.argument("files", nargs=-1, required=True, metavar="FILE...")
@click.option(
    "--ties",
    type=click.Choice(["half", "drop"]),
    default="half",
    show_default=True,
    help="Count ties as half a win for each, or leave them out.",
)
@reading_options
@output_options
def fragility(
    files: tuple[str, ...], options: Options, format_in: str | None, ties: Literal["half", "drop"]
) -> Fragility:
    """Find the fewest battles in FILE whose removal, or reversal, puts another system first.

    Which battles they are is listed, and every number is confirmed by refitting the model without them.

    \b
    Examples:
      betterthan fragility battles.parquet
      betterthan fragility battles.csv --where language=German
    """  # noqa: D301
    from betterthan.analysis.arena.fragility import fragility as found
    from betterthan.read.inputs import TableReader
    from betterthan.tables.matches import Matches

    matches = TableReader(options, format=format_in).table(files, kinds=(Matches,))
    return found(matches, ties=ties)


@click.command()
@click.argument("files", nargs=-1, required=True, metavar="FILE...")
@click.option("--by", metavar="COLUMN", required=True, help="Column of voters, such as judge.")
@click.option(
    "--confidence",
    type=float,
    default=0.95,
    show_default=True,
    help="Confidence level; the significance level of the tests is 1 minus this.",
)
@reading_options
@output_options
def voters(
    files: tuple[str, ...], options: Options, format_in: str | None, by: str, confidence: float
) -> Voters:
    """Find voters in FILE who vote against the board, for a side, or for or against a system, more than chance allows.

    \b
    Examples:
      betterthan voters battles.csv --by judge
    """  # noqa: D301
    from dataclasses import replace

    from betterthan.analysis.arena.voters import voters as found
    from betterthan.read.inputs import TableReader
    from betterthan.tables.matches import Matches

    options = replace(options, columns={**options.columns, "category": by})
    matches = TableReader(options, format=format_in).table(files, kinds=(Matches,), cluster="none")
    return replace(found(matches, confidence=confidence), by=by)
