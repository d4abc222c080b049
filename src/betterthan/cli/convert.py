"""``betterthan convert``: any readable file as a tidy table."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from betterthan.cli.notes import say_notes
from betterthan.cli.options import reading_options

if TYPE_CHECKING:
    from betterthan.read.protocol import Options


@click.command()
@click.argument("file")
@click.option("-o", "--output", required=True, metavar="OUT", help="A .csv, .tsv, .jsonl or .parquet file.")
@reading_options
def convert(file: str, output: str, options: Options, format_in: str | None) -> None:
    """Write what is in FILE as a tidy long table with canonical columns.

    \b
    Example:
      betterthan convert results.jsonl -o tidy.parquet
    """  # noqa: D301
    from betterthan.read.preview import summary
    from betterthan.read.sniff import read_any
    from betterthan.read.write import write_table

    reading = read_any(file, options, format=format_in)
    write_table(reading.tables, output)
    say_notes(reading.notes)
    click.echo(f"Wrote {output}: {'; '.join(map(summary, reading.tables))}", err=True)
