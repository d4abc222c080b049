"""``betterthan calibrate`` and ``multiverse``: do tests hold on these data, and does a claim survive every analysis."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from betterthan.cli.options import (
    alpha_option,
    computing_options,
    confidence_option,
    metric_option,
    missing_option,
    only_option,
    output_options,
    reading_options,
    units_option,
)

if TYPE_CHECKING:
    from betterthan.read.protocol import Options
    from betterthan.results.robustness import Calibration, Multiverse


@click.command()
@click.argument("files", nargs=-1, required=True, metavar="FILE...")
@only_option("A system whose pairs are simulated. Repeat for several.")
@metric_option("The metric, if the file has several.")
@click.option(
    "--difference",
    type=float,
    metavar="X",
    help="True difference for power and coverage. [default: the observed one of each pair]",
)
@missing_option("Reject items that a system lacks, or leave them out.")
@units_option
@alpha_option
@confidence_option
@reading_options
@computing_options
@output_options
def calibrate(
    files: tuple[str, ...],
    options: Options,
    format_in: str | None,
    metric: str | None,
    systems: tuple[str, ...],
    **given: Any,  # noqa: ANN401  (what the verb takes)
) -> Calibration:
    """Check which tests and intervals hold on data like those in FILE.

    Simulated tables are made from the file, with and without a true difference. For every test: how often does it call
    equal systems different, and how often does it find a difference? For every interval: how often does it contain the
    truth? --resamples is the number of tables of each kind.

    \b
    Examples:
      betterthan calibrate scores.csv
      betterthan calibrate scores.csv --only A --only B --difference 0.02
    """  # noqa: D301
    from betterthan.analysis.calibrate.calibrate import calibrate as calibrated
    from betterthan.cli.computing import computing_arguments
    from betterthan.read.inputs import TableReader
    from betterthan.tables.scores import Scores

    table = TableReader(options, format=format_in).table(files, kinds=(Scores,), metric=metric)
    computing = computing_arguments(given)
    return calibrated(table, systems=systems or None, **computing, **given)


@click.command()
@click.argument("files", nargs=-1, required=True, metavar="FILE...")
@click.argument("claim")
@metric_option("A metric that may be chosen. Repeat for several. [default: all]", multiple=True)
@missing_option("Reject items that a system lacks, or leave them out.")
@alpha_option
@reading_options
@computing_options
@output_options
def multiverse(
    files: tuple[str, ...],
    claim: str,
    options: Options,
    format_in: str | None,
    metric: tuple[str, ...],
    **given: Any,  # noqa: ANN401  (what the verb takes)
) -> Multiverse:
    """Analyze FILE in every defensible way, and show which analyses support the CLAIM.

    A claim is "A > B", "A is better than B" or "A is best". The analyses differ in metric, treatment of extreme scores,
    systems compared, unit, aggregation, test, treatment of ties and correction.

    \b
    Examples:
      betterthan multiverse scores.csv "A > B"
      betterthan multiverse metrics.tsv "A is best" --metric COMET --metric chrF
    """  # noqa: D301
    from betterthan.analysis.multiverse.multiverse import multiverse as analyzed
    from betterthan.analysis.tradeoffs.tradeoffs import chosen_metrics
    from betterthan.cli.computing import computing_arguments
    from betterthan.read.grid.selection import refuse_unknown_directions
    from betterthan.read.inputs import TableReader

    found = TableReader(options, format=format_in).runs_or_scores(files)
    refuse_unknown_directions(options, found)
    return analyzed(claim, chosen_metrics(found, metric), **computing_arguments(given), **given)
