"""``betterthan verify``: does a result follow from its data?"""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from betterthan.budget import MOST_WORKERS

if TYPE_CHECKING:
    from betterthan.receipts.verification import Verdict


@click.command()
@click.argument("result")
@click.argument("files", nargs=-1, metavar="FILE...")
@click.option(
    "--tolerance",
    type=click.FloatRange(min=0, max=1),
    help="Numbers this close count as equal, relative to numbers above 1. "
    "[default: 0, every bit; 1e-9 for a result of another version]",
)
@click.option(
    "--workers",
    type=click.IntRange(1, MOST_WORKERS),
    default=None,
    envvar="BETTERTHAN_WORKERS",
    help="Parallel workers; the numbers do not depend on it. [default: all cores]",
)
def verify(result: str, files: tuple[str, ...], tolerance: float | None, workers: int | None) -> int:
    """Compute RESULT again from FILE, and say whether it is equal or what differs.

    RESULT is what a command wrote as JSON, or a report; FILE every file that it was made from, in any order. Only verbs
    that read files are run again, and only on these files. Exit code 1 when anything differs, or could not be computed
    again.

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
