"""``betterthan fragility``: on how few battles the first place depends."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import click

from betterthan.cli.options import output_options, reading_options

if TYPE_CHECKING:
    from betterthan.read.protocol import Options
    from betterthan.results.arena import Fragility


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
