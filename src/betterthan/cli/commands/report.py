"""``betterthan report``: everything that can be said about the data, as one HTML file."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from betterthan.cli.options import computing_options, reading_options, units_option
from betterthan.cli.streams import refuse_overwriting, say
from betterthan.errors import BetterThanError

if TYPE_CHECKING:
    from betterthan.read.protocol import Options

# Under this key the command finds the list that takes the report instead of a file: see `betterthan verify`.
COMPOSED = "betterthan.reports"


@click.command()
@click.argument("files", nargs=-1, required=True, metavar="FILE...")
@click.option("-o", "--output", default="report.html", show_default=True, metavar="FILE", help="Output file.")
@click.option(
    "--question",
    type=click.Choice(["auto", "scores", "battles", "meta", "texts", "tags", "quality"]),
    default="auto",
    show_default=True,
    help="Question of the report; auto infers it from the data.",
)
@click.option("--human", metavar="FILE", help="Human scores, for a report on metrics.")
@click.option(
    "--reference",
    "references",
    multiple=True,
    metavar="FILE",
    help="Reference texts, one segment per line. Repeat for several references.",
)
@click.option("--source", metavar="FILE", help="Source texts, shown next to the outputs.")
@click.option("--metric", metavar="NAME", help="The main metric. [default: the first in the file]")
@click.option(
    "-l", "--language-pair", metavar="LP", help="The language pair, such as en-de, if there are several."
)
@click.option("--gold", metavar="NAME", help="Human scores of a folder to use, such as mqm.")
@click.option(
    "--leave-out",
    multiple=True,
    metavar="SYSTEM",
    help="A system to leave out, by name or pattern, such as 'Human-*'. Repeat for several.",
)
@click.option(
    "--missing",
    type=click.Choice(["raise", "drop"]),
    default="raise",
    show_default=True,
    help="Reject empty cells, or leave out their segments.",
)
@click.option("--no-texts", is_flag=True, help="Leave out all texts, for confidential data.")
@units_option
@reading_options
@computing_options
def report(
    files: tuple[str, ...],
    output: str,
    options: Options,
    format_in: str | None,
    *,
    language_pair: str | None,
    gold: str | None,
    no_texts: bool,
    resamples: int | None,
    **given: Any,  # noqa: ANN401  (what the report takes)
) -> None:
    """Write a report on FILE as one HTML page: verdict, ranking, pairs, segments, data check, method.

    FILE contains scores, battles or metrics, or is a folder of the WMT metrics task. Otherwise the FILEs are the
    outputs of systems, with --reference, or tags or predicted quality, with the gold file first. Outputs given
    after a file of scores are shown with its segments. The page needs no network and contains the command that
    reproduces it.

    \b
    Examples:
      betterthan report scores.csv -o report.html
      betterthan report scores.csv ours.txt base.txt --reference ref.txt --source src.txt
      betterthan report metrics.tsv --human mqm.tsv
      betterthan report wmt23/ --language-pair en-de
      betterthan report battles.parquet
      betterthan report ours=a.txt base=b.txt --reference ref.txt
      betterthan report gold.tags ours.tags base.tags test.mt
      betterthan report gold.hter ours.hter base.hter
    """  # noqa: D301
    from betterthan.cli.computing import computing_arguments
    from betterthan.cli.wording import typed_option
    from betterthan.report.compose import compose
    from betterthan.report.write import write_report

    if resamples is not None:
        raise click.UsageError("A report has its own numbers of resamples. Leave out --resamples.")
    arguments = computing_arguments(
        {**{name: given.pop(name) for name in ("seed", "workers", "no_cache")}, "resamples": None}
    )
    asked = {
        **given,
        **arguments,
        "options": replace(options, language_pair=language_pair, gold=gold),
        "format": format_in,
        "texts": not no_texts,
    }
    meta = click.get_current_context().meta
    if COMPOSED in meta:
        meta[COMPOSED].append(compose(list(files), **asked))
        return
    refuse_overwriting(output)
    if Path(output).suffix.lower() not in (".html", ".htm", ""):
        name = Path(output).with_suffix(".html").name
        raise BetterThanError(
            f"A report is a page for a browser. Call it {name}; the browser prints it as PDF."
        )
    written = write_report(output, *files, spelling=typed_option(), **asked)
    size = Path(written).stat().st_size / 1024
    say(f"Wrote {written} ({size:.0f} KB, opens without network)")
