"""``betterthan gate``: may this release ship."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import click

from betterthan.cli.gate_config import config_options
from betterthan.cli.options import output_options, over_option, reading_options, units_option

if TYPE_CHECKING:
    from betterthan.read.protocol import Options
    from betterthan.results.gate import Gate


@click.command()
@click.argument("file", nargs=-1, metavar="FILE... [BASELINE CANDIDATE]")
@click.option(
    "--margin",
    type=float,
    metavar="X",
    help="How much worse the candidate may be, in the unit of the metric; for battles, of the probability of a win. "
    "Needed unless every --metric has a margin.",
)
@click.option(
    "--only",
    "systems",
    multiple=True,
    metavar="SYSTEM",
    help="The baseline, and given again the candidate, where their names could be files.",
)
@click.option(
    "--metric",
    "metrics",
    multiple=True,
    metavar="NAME[=MARGIN]",
    help="A metric, if the files have several, with its margin where it has one of its own. Repeat for several: all "
    "must pass.",
)
@click.option(
    "--no-worse-slice",
    "slices",
    multiple=True,
    metavar="COLUMN",
    help="Fail also where the candidate is worse on the items with the same value in this column, such as a topic. "
    "Repeat for several.",
)
@click.option(
    "--undecided",
    type=click.Choice(["pass", "fail"]),
    help="Count an undecided gate as a pass (exit code 0) or a failure (1). [default: exit code 3]",
)
@click.option(
    "--missing",
    type=click.Choice(["raise", "drop"]),
    default="raise",
    show_default=True,
    help="Reject items that one of the two lacks, or leave them out.",
)
@units_option
@over_option
@click.option(
    "--alpha",
    type=float,
    default=0.05,
    show_default=True,
    help="Significance level; each kind of error has half this probability.",
)
@click.option(
    "--power",
    type=float,
    default=0.8,
    show_default=True,
    help="Probability of a decision, for the number of items that would decide.",
)
@click.option(
    "--github",
    is_flag=True,
    help="For GitHub Actions: annotations on standard error, the table in the summary of the job, and the outputs "
    "verdict and exit-code.",
)
@click.option("--junit", metavar="FILE", help="Also write a JUnit report.")
@config_options
@reading_options
@output_options
def gate(
    file: tuple[str, ...],
    systems: tuple[str, ...],
    options: Options,
    format_in: str | None,
    metrics: tuple[str, ...],
    slices: tuple[str, ...],
    margin: float | None,
    undecided: Literal["pass", "fail"] | None,
    junit: str | None,
    *,
    github: bool,
    **given: Any,  # noqa: ANN401  (what the verb takes)
) -> Gate:
    """Decide whether a candidate may replace a baseline: is it shown not to be worse by more than a margin?

    The first FILE holds the scores of the baseline, the second those of the candidate, for the same items. For one file
    with several systems name the two behind it. The exit code is 0 for better, equivalent and pass, 1 for fail, 3 for
    undecided, and 2 for invalid data, such as items that only one of the two has.

    Files and options can be set in betterthan.toml, or in pyproject.toml below [tool.betterthan.gate].

    \b
    Examples:
      betterthan gate baseline.jsonl candidate.jsonl --margin 0.02
      betterthan gate scores.csv Aster Birch --margin 1 --metric chrF
      betterthan gate old.jsonl new.jsonl --metric correct=0.02 --metric toxicity=0.01 --no-worse-slice topic
      betterthan gate old.jsonl new.jsonl --margin 0.02 --github --junit gate.xml
      betterthan gate runs/v1 runs/v2 --metric acc --margin 0.01 --undecided fail
    """  # noqa: D301
    from betterthan.analysis.gate.gate import gate_tables
    from betterthan.cli.gate_inputs import GateInputs, margins_of
    from betterthan.cli.gate_outputs import tell_github, write_junit
    from betterthan.cli.tables import files_and_systems

    if not file:
        raise click.UsageError("Name the files of the baseline and of the candidate.")
    files, named = files_and_systems(file)
    # The receipt tells files and systems apart as well.
    click.get_current_context().params.update(file=files, systems=(*named, *systems))
    read = GateInputs(files, options, format_in)
    tables = read.tables(margins_of(metrics, margin))
    slicings = [read.slicing(column, tables[0]) for column in slices]
    result = gate_tables(
        tables, slicings, systems=(*named, *systems) or None, undecided=undecided or "", **given
    )
    if junit is not None:
        write_junit(result, junit)
    if github:
        tell_github(result)
    return result
