"""``betterthan boards``: which system is best in each category of battles."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from betterthan.cli.options import battle_options, confidence_option, output_options, reading_options

if TYPE_CHECKING:
    from betterthan.read.protocol import Options
    from betterthan.results.arena import Boards


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
