"""``betterthan diagnose``: what kind of scores are these?"""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from betterthan.cli.options import output_options, reading_options

if TYPE_CHECKING:
    from betterthan.read.protocol import Options
    from betterthan.results.checkup import Diagnosis


@click.command()
@click.argument("files", nargs=-1, required=True, metavar="FILE...")
@click.option("--metric", metavar="NAME", help="The metric, if the file has several.")
@reading_options
@output_options
def diagnose(
    files: tuple[str, ...], options: Options, format_in: str | None, metric: str | None
) -> Diagnosis:
    """Measure outliers, ties, missing scores, pairing and cycles in FILE, and recommend an aggregation method.

    \b
    Examples:
      betterthan diagnose scores.csv
      betterthan diagnose metrics.tsv --metric chrF
    """  # noqa: D301
    from betterthan.analysis.explain.diagnose import diagnose as diagnosed
    from betterthan.read.inputs import TableReader
    from betterthan.tables.scores import Scores

    return diagnosed(TableReader(options, format=format_in).table(files, kinds=(Scores,), metric=metric))
