"""``betterthan voters``: whose votes deviate from the board."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from betterthan.cli.options import output_options, reading_options

if TYPE_CHECKING:
    from betterthan.read.protocol import Options
    from betterthan.results.voters import Voters


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
