"""``betterthan verify``: does a result follow from its data?"""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from betterthan.cli.options import workers_options

if TYPE_CHECKING:
    from betterthan.receipts.verification import Verdict


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
