"""``betterthan convert``: any readable file as a tidy table."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from betterthan.cli.options import reading_options

if TYPE_CHECKING:
    from betterthan.read.protocol import Options


@click.command()
@click.argument("file")
@click.option("-o", "--output", required=True, metavar="OUT", help="A .csv, .tsv, .jsonl or .parquet file.")
@reading_options
def convert(file: str, output: str, options: Options) -> None:
    """Write what is in FILE as a tidy long table with canonical columns.

    \b
    Example:
      betterthan convert results.xlsx.csv -o scores.parquet
    """  # noqa: D301
    from betterthan.read.convert import write_tables
    from betterthan.read.sniff import read_any

    reading = read_any(file, options)
    rows = write_tables(reading.tables, Path(output))
    for note in reading.notes:
        click.echo(f"note: {note}", err=True)
    click.echo(f"Wrote {output}: {rows:,} rows of {reading.format.kind} ({reading.format.name})", err=True)
