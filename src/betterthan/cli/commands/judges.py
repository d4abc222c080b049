"""``betterthan correct``, ``sample`` and ``audit-judge``: a judge of all items, and human labels of some."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from betterthan.budget import MOST_SEGMENTS
from betterthan.cli.options import (
    confidence_option,
    metric_option,
    output_options,
    reading_options,
    units_option,
)
from betterthan.cli.streams import refuse_overwriting, say

if TYPE_CHECKING:
    from betterthan.analysis.units import UnitName
    from betterthan.read.protocol import Options
    from betterthan.results.judges import Corrected, JudgeAudit, Sample


@click.command()
@click.argument("files", nargs=-1, required=True, metavar="FILE...")
@click.option(
    "--human", metavar="FILE", help="File with the human labels. [default: FILE has both, see --human-score]"
)
@click.option("--judge-score", metavar="NAME", help="Column or metric with the scores of the judge.")
@click.option("--human-score", metavar="NAME", help="Column or metric with the human labels.")
@click.option(
    "--scores-to",
    metavar="FILE",
    help="Write corrected scores of items for other commands (.csv, .parquet, …).",
)
@units_option
@confidence_option
@reading_options
@output_options
def correct(
    files: tuple[str, ...],
    human: str | None,
    options: Options,
    format_in: str | None,
    judge_score: str | None,
    human_score: str | None,
    scores_to: str | None,
    units: UnitName,
    confidence: float,
) -> Corrected:
    """Correct the scores of an automatic judge in FILE, or its battles, by human labels of some of the items.

    The labels must be drawn at random. Where items were drawn with different probabilities, as by betterthan sample,
    their weights stand in the column "weight" of the labels, or in the one that --weight names.

    \b
    Examples:
      betterthan correct judge.csv --human labels.csv
      betterthan correct answers.csv --judge-score verdict --human-score label
      betterthan correct judge.csv --human labels.csv --scores-to corrected.csv
      betterthan correct battles.csv --human votes.csv
    """  # noqa: D301
    from betterthan.analysis.corrected_scores import corrected_scores
    from betterthan.analysis.judge.correct import correct as corrected
    from betterthan.read.labels import read_labeled
    from betterthan.read.write.write import write_table

    columns = dict(options.columns)
    weight = columns.pop("weight", None)
    data = read_labeled(
        files,
        human,
        judge_score=judge_score,
        human_score=human_score,
        weight=weight,
        options=replace(options, columns=columns),
        format=format_in,
    )
    result = corrected(data.judge, data.human, weight=data.weight, units=units, confidence=confidence)
    if scores_to is not None:
        refuse_overwriting(scores_to)
        write_table(corrected_scores(result), scores_to)
        say(f"Corrected scores of {len(result.segments):,} items written to {scores_to}.")
    return result


@click.command()
@click.argument("files", nargs=-1, required=True, metavar="FILE...")
@click.option(
    "--number",
    "-n",
    "n",
    type=click.IntRange(1, MOST_SEGMENTS),
    required=True,
    metavar="N",
    help="How many items, or outputs.",
)
@click.option(
    "--by",
    type=click.Choice(["uniform", "disagreement"]),
    default="uniform",
    show_default=True,
    help="Draw all with equal probabilities, or more often where judges or systems disagree.",
)
@click.option(
    "--of",
    type=click.Choice(["items", "outputs"]),
    default="items",
    show_default=True,
    help="Label all systems' outputs of the drawn items, or draw outputs of each system separately.",
)
@click.option(
    "--strata",
    metavar="K",
    help='Draw in proportion from K classes of the judge\'s score; "group": from each document.',
)
@metric_option("The score, if the file has several.")
@click.option(
    "--seed",
    type=click.IntRange(min=0),
    default=12345,
    envvar="BETTERTHAN_SEED",
    show_default=True,
    help="Seed of the random draws.",
)
@reading_options
@output_options
def sample(
    files: tuple[str, ...],
    options: Options,
    format_in: str | None,
    n: int,
    strata: str | None,
    metric: str | None,
    seed: int,
    **given: Any,  # noqa: ANN401  (what the verb takes)
) -> Sample:
    """Draw outputs in FILE for people to label, with weights for betterthan correct.

    With -o labels.csv (or -f csv) the column score is empty: write the labels there, and keep the column weight.

    \b
    Examples:
      betterthan sample judge.csv --number 50 -o labels.csv
      betterthan sample judge.csv --number 50 --by disagreement -o labels.csv
      betterthan sample judge.csv --number 200 --of outputs --strata 5 -o labels.csv
    """  # noqa: D301
    from betterthan.analysis.judge.sample import sample as drawn
    from betterthan.read.inputs import TableReader

    table = TableReader(options, format=format_in).judgements(files, metric)
    classes = int(strata) if strata is not None and strata.isdigit() else strata
    return drawn(table, n, strata=classes, rng=seed, **given)  # type: ignore[arg-type]  # checked by the verb


@click.command("audit-judge")
@click.argument("files", nargs=-1, required=True, metavar="FILE...")
@click.option("--human", metavar="FILE", help="File with the human labels, or with people's battles.")
@click.option("--judge-score", metavar="NAME", help="Column or metric with the scores of the judge.")
@click.option("--human-score", metavar="NAME", help="Column or metric with the human labels.")
@click.option("--length", metavar="COLUMN", help="Column of FILE with the length of each output.")
@click.option(
    "--own", multiple=True, metavar="SYSTEM", help="A system of the judge's own family. Repeat for several."
)
@confidence_option
@reading_options
@output_options
def audit_judge(
    files: tuple[str, ...],
    human: str | None,
    options: Options,
    format_in: str | None,
    judge_score: str | None,
    human_score: str | None,
    length: str | None,
    own: tuple[str, ...],
    confidence: float,
) -> JudgeAudit:
    """Check an automatic judge against human labels, in both orders of a battle, and in repeats.

    FILE holds scores of outputs, several scores of each (--run), or battles with ids of questions.

    \b
    Examples:
      betterthan audit-judge judge.csv --human labels.csv --length words --own gpt-4o
      betterthan audit-judge answers.csv --judge-score verdict --human-score label
      betterthan audit-judge battles.jsonl --human votes.jsonl
    """  # noqa: D301
    from betterthan.analysis.judge.audit_judge import audit_judge as audited
    from betterthan.read.labels import read_audited

    data = read_audited(
        files,
        human,
        judge_score=judge_score,
        human_score=human_score,
        length=length,
        options=options,
        format=format_in,
    )
    return audited(data.judge, data.human, length=data.length, own=own, confidence=confidence)
