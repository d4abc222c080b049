"""``betterthan check``: what is in a file, how it was recognized, what is wrong with it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from betterthan.cli.options import FORMATS, reading_options

if TYPE_CHECKING:
    from betterthan.read.protocol import Options


@click.command()
@click.argument("files", metavar="FILE...", nargs=-1)
@reading_options
@click.option("-f", "--format", type=click.Choice(FORMATS), help="Output format. [default: table]")
@click.option("--json", "as_json", is_flag=True, help="The same as --format json.")
@click.option(
    "--color",
    type=click.Choice(["auto", "always", "never"]),
    default="auto",
    show_default=True,
    help="Use color only on a terminal (auto), always, or never.",
)
@click.option("--explain", "code", metavar="CODE", help="Explain a problem code, such as BT101, and exit.")
def check(
    files: tuple[str, ...],
    options: Options,
    format_in: str | None,
    code: str | None,
    **place: Any,  # noqa: ANN401  (what emit takes)
) -> int:
    """Show what is in each FILE, how it was recognized, and every problem with its location and a hint.

    FILE may be a folder or a pattern; a folder that is not one data set is listed file by file. Files that each
    contain the run of one system are checked together. The exit code is 1 if there are problems.

    \b
    Examples:
      betterthan check scores.csv
      betterthan check results/ 'runs/*.csv' ours=run7.csv
      betterthan check results.tsv --item sentence --system engine --score comet
      betterthan check --explain BT101
    """  # noqa: D301
    if code is not None:
        _explain(code)
        return 0
    if not files:
        raise click.UsageError("Name at least one file, or - for standard input.")
    from betterthan.cli.output import emit_all
    from betterthan.read.check import check as look
    from betterthan.read.scores import are_runs

    sources = [list(files)] if format_in is None and are_runs(files, options) else list(files)
    checkups = [look(source, options=options, format=format_in) for source in sources]
    if len(checkups) > 1 and all(_ONE_SYSTEM in (one.code for one in found.problems) for found in checkups):
        # Folders with the runs of one system each: together they are what `compare` reads.
        checkups = [look(sources, options=options, format=format_in)]
    # Every note of a check is part of its answer.
    is_table = not place["as_json"] and place["format"] in (None, "table")
    return emit_all(checkups, all_notes=is_table, **place)


_ONE_SYSTEM = "BT104"


def _explain(code: str) -> None:
    from betterthan.errors import unknown_name
    from betterthan.read.problems import PROBLEMS

    if code.upper() not in PROBLEMS:
        raise unknown_name("problem code", code, PROBLEMS)
    text = PROBLEMS[code.upper()]
    click.echo(f"{code.upper()}  {text.title}\n\n  {text.meaning}\n  hint: {text.cure}")
