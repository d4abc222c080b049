"""``betterthan board-diff``: what changed between two snapshots of a board."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from betterthan.cli.options import confidence_option, output_options, reading_options

if TYPE_CHECKING:
    from betterthan.read.protocol import Options
    from betterthan.results.board_diff import BoardDiff


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
