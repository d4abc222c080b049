"""``betterthan check``, ``convert``, ``demo``, ``cache`` and ``verify``: files and what is kept in them."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from betterthan.cli.options import FORMATS, reading_options, workers_options
from betterthan.cli.streams import refuse_overwriting, say, say_notes
from betterthan.present.printable import printable

if TYPE_CHECKING:
    from betterthan.read.protocol import Options
    from betterthan.receipts.verification import Verdict
    from betterthan.tables.any_table import AnyTable


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
    from betterthan.read.write.write import summary, write_table

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


STEPS = (
    "check {folder}/human.csv",
    "check {folder}/battles.csv",
    "rank {folder}/human.csv --by mean --by bradley-terry --units groups",
    "compare {folder}/human.csv Aster Birch Cedar --units groups",
    "explain {folder}/human.csv Daphne Elm",
    "rank {folder}/battles.csv",
    "meta {folder}/metrics.tsv --human {folder}/human.csv --p-values analytic",
    "compare {folder}/answers.csv --system model --system prompt",
    "score chrf --reference {folder}/texts/reference.txt {folder}/texts/Aster.txt {folder}/texts/Daphne.txt",
    "tags {folder}/tags/gold.tags {folder}/tags/Finch.tags {folder}/tags/Heron.tags {folder}/tags/Wren.tags --no-pairs",
    "report {folder}/human.csv {folder}/texts/Aster.txt {folder}/texts/Cedar.txt -o {folder}/report.html",
)


@click.command()
@click.option("--output", default="demo", show_default=True, metavar="FOLDER", help="Folder of the example.")
@click.option("--overwrite", is_flag=True, help="Write even if the folder contains other files.")
@click.pass_context
def demo(context: click.Context, output: str, *, overwrite: bool) -> None:
    """Write an example campaign and work through it: check, rank, compare, explain, metrics, texts, tags, a report.

    Eight systems, 300 segments in 30 documents, human scores, four metrics, texts, battles, word tags and repeated
    answers, all simulated by betterthan.
    """
    from betterthan.examples.campaign import campaign
    from betterthan.examples.write import write_campaign

    folder = Path(output)
    files = write_campaign(folder, campaign(), overwrite=overwrite)
    say(f"Wrote {len(files)} files to {folder}/")
    root = context.find_root().command
    for step in STEPS:
        click.echo(f"\n$ betterthan {printable(step.format(folder=folder))}\n")
        root.main(args=[part.format(folder=folder) for part in step.split()], standalone_mode=False)


@click.group()
def cache() -> None:
    """Show or clear the stored parts of long runs."""


@cache.command()
def info() -> None:
    """Show where parts are stored and how much space they use."""
    from betterthan.engine.cache import Cache

    kept = Cache()
    found = kept.info()
    click.echo(f"{kept.folder}: {found.entries:,} parts, {found.bytes / 2**20:,.1f} MB")


@cache.command()
def clear() -> None:
    """Remove all stored parts. Commands that are running recompute what they need."""
    from betterthan.engine.cache import Cache

    kept = Cache()
    found = kept.info()
    kept.clear()
    click.echo(f"Removed {found.entries:,} parts, {found.bytes / 2**20:,.1f} MB", err=True)


@click.command()
@click.argument("result")
@click.argument("files", nargs=-1, metavar="FILE...")
@click.option(
    "--tolerance",
    type=click.FloatRange(min=0, max=1),
    help="Differences up to this count as equal, relative for numbers above 1. [default: 0; 1e-9 "
    "for a result of another version]",
)
@workers_options
def verify(result: str, files: tuple[str, ...], tolerance: float | None, workers: int | None) -> int:
    """Recompute RESULT from FILE, and report whether every number is equal.

    RESULT is a result saved as JSON, or a report; FILE is every file behind it, in any order. Only commands that
    analyze files are run, and only on these files. The exit code is 1 if anything differs or could not be
    recomputed.

    \b
    Examples:
      betterthan rank scores.csv -o ranking.json
      betterthan verify ranking.json scores.csv
      betterthan verify meta.json metrics.tsv mqm.tsv --tolerance 1e-9
      betterthan verify report.html scores.csv
    """  # noqa: D301
    from betterthan.cli.wording import as_typed
    from betterthan.present.printable import printable
    from betterthan.receipts.verification import verdicts

    found: list[Verdict] = verdicts(result, files, tolerance=tolerance, workers=workers)
    for verdict in found:
        for line in verdict.lines:
            click.echo(printable(as_typed(line)))
    return 0 if all(verdict.is_equal for verdict in found) else 1
