"""``betterthan convert``: any readable file as a tidy table, or scores as a folder of the metrics task."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from betterthan.cli.options import reading_options
from betterthan.cli.streams import refuse_overwriting, say, say_notes

if TYPE_CHECKING:
    from betterthan.read.protocol import Options
    from betterthan.tables.any_table import AnyTable


@click.command()
@click.argument("file")
@click.option(
    "-o",
    "--output",
    required=True,
    metavar="OUT",
    help="A .csv, .tsv, .jsonl or .parquet file, or - for CSV on standard output; a new folder with --to mtme.",
)
@click.option(
    "--to",
    type=click.Choice(["table", "mtme"]),
    default="table",
    show_default=True,
    help="A tidy table, or a folder of the metrics task.",
)
@click.option(
    "--language-pair",
    metavar="LP",
    help="For --to mtme: the language pair, such as en-de, if FILE names none.",
)
@click.option(
    "--human",
    multiple=True,
    metavar="NAME",
    help="For --to mtme: the name of human scores. Repeat for several.",
)
@reading_options
def convert(
    file: str,
    output: str,
    to: str,
    language_pair: str | None,
    human: tuple[str, ...],
    options: Options,
    format_in: str | None,
) -> None:
    """Write the data in FILE as a tidy long table with canonical columns, or as a folder of the metrics task.

    Battles keep their segments, judges and covariates (pairs of numeric columns, such as len_a and len_b).

    \b
    Examples:
      betterthan convert results.jsonl -o tidy.parquet
      betterthan convert results.jsonl -o - | head
      betterthan convert metrics.tsv -o mytest --to mtme --language-pair en-de --human MQM
    """  # noqa: D301
    if to == "mtme" and output == "-":
        raise click.UsageError(
            "--to mtme writes a folder, which cannot go to standard output. Name a folder."
        )
    if to == "mtme":
        _folder(file, output, replace(options, language_pair=language_pair), format_in, human)
        return
    if language_pair or human:
        option = "--language-pair" if language_pair else "--human"
        raise click.UsageError(f"{option} is for --to mtme. Leave it out, or add --to mtme.")
    from betterthan.read.protocol import EVERY
    from betterthan.read.sniff import read_any
    from betterthan.read.write.preview import summary
    from betterthan.read.write.write import write_table

    reading = read_any(file, replace(options, covariates=(EVERY,)), format=format_in)
    if output == "-":
        _to_stdout(reading.tables)
        say_notes(reading.notes)
        return
    refuse_overwriting(output)
    write_table(reading.tables, output)
    say_notes(reading.notes)
    say(f"Wrote {output}: {'; '.join(map(summary, reading.tables))}")


def _to_stdout(tables: Sequence[AnyTable]) -> None:
    """Write tables as CSV to standard output, by way of a file: a large table need not fit into memory twice."""
    from betterthan import scratch
    from betterthan.cli.output import to_stdout
    from betterthan.read.write.write import write_table

    with tempfile.TemporaryDirectory(prefix="convert-", dir=scratch.folder()) as folder:
        path = Path(folder) / "table.csv"
        write_table(tables, path)
        with path.open(encoding="utf-8", newline="") as file:
            while text := file.read(_CHUNK):
                to_stdout(text)


_CHUNK = 1 << 20


def _folder(file: str, output: str, options: Options, format_in: str | None, human: tuple[str, ...]) -> None:
    from betterthan.read.formats.metrics_task.metrics_folder_files import Folder, is_metrics_folder
    from betterthan.read.formats.tables.tables_in_one_file import whole
    from betterthan.read.sniff import read_any
    from betterthan.read.source.source import open_source
    from betterthan.read.write.folders import copy_folder, needed_pair, refuse_full, write_as_folder

    refuse_full(output)
    source = open_source(file, folders=True)
    if source.is_folder and is_metrics_folder(source.path):
        notes = copy_folder(Folder(source.name, source.path), output, options)
    else:
        pair = needed_pair(options, path=file)
        reading = whole(read_any(source, options, format=format_in))
        notes = (*reading.notes, *write_as_folder(reading.tables, output, language_pair=pair, human=human))
    say_notes(notes)
    say(f"Wrote the folder {output}.")
