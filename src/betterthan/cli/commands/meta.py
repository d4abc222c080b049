"""``betterthan meta``: which metric can we trust."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from betterthan.cli.options import (
    alpha_option,
    computing_options,
    confidence_option,
    is_changed,
    output_options,
    reading_options,
)

if TYPE_CHECKING:
    from betterthan.read.protocol import Options
    from betterthan.results.base import Result

_MEASURES = (
    "soft-pairwise-accuracy",
    "pairwise-accuracy",
    "pearson",
    "spearman",
    "kendall-b",
    "accuracy-with-ties",
    "tau-ties-ignored",
    "tau-ties-soft",
    "tau-ties-hard",
    "tau-human-ties",
)
_HUMAN_BY = ("mean", "median", "win_rate", "bradley_terry", "elo", "trueskill", "cluster", "fuzzy_rank")


@click.command()
@click.argument("sources", nargs=-1, required=True, metavar="FILE_OR_FOLDER...")
@click.option("--human", metavar="FILE", help="Human scores; not needed for a folder that has its own.")
@click.option(
    "--by",
    type=click.Choice(_MEASURES),
    multiple=True,
    help="Measure of agreement. Repeat for several. [default: soft-pairwise-accuracy]",
)
@click.option(
    "--level",
    type=click.Choice(["system", "segment", "within-system", "global"]),
    help="Level of the measure. [default: the usual one]",
)
@click.option(
    "--significance",
    type=click.Choice(
        [
            "perm-inputs",
            "perm-systems",
            "perm-both",
            "perm-cells",
            "perm-pairs",
            "williams",
            "bootstrap",
            "none",
        ]
    ),
    help="How metrics are tested against each other. [default: perm-systems at system level, "
    "perm-inputs at segment level]",
)
@click.option(
    "--alternative",
    type=click.Choice(["two-sided", "wmt"]),
    default="two-sided",
    show_default=True,
    help="wmt: one-sided in favor of the higher value, uncorrected, as in the shared tasks.",
)
@click.option(
    "--p-values",
    type=click.Choice(["monte-carlo", "analytic", "exact"]),
    default="monte-carlo",
    show_default=True,
    help="P-values of system pairs inside soft pairwise accuracy.",
)
@click.option("--mid-p", is_flag=True, help="Count ties as half in these p-values.")
@click.option(
    "--units",
    default="auto",
    show_default=True,
    metavar="auto|segments|groups|NUMBER",
    help="Units that are resampled or permuted: segments, documents (groups), or blocks of NUMBER segments.",
)
@click.option(
    "--margin",
    type=float,
    default=0.0,
    show_default=True,
    help="Human scores closer than this count as ties, in the tau measures.",
)
@click.option(
    "--metric-margin", type=float, default=0.0, show_default=True, help="The same for metric scores."
)
@click.option(
    "--leave-out",
    multiple=True,
    metavar="SYSTEM",
    help="A system to leave out, by name or pattern, such as 'Human-*'. Repeat for several.",
)
@click.option(
    "--outliers",
    type=click.Choice(["keep", "drop"]),
    default="keep",
    show_default=True,
    help="Keep or drop systems whose human score is far from the others.",
)
@click.option(
    "--only", multiple=True, metavar="METRIC", help="Evaluate only this metric. Repeat for several."
)
@click.option(
    "--leave-out-metric",
    "leave_out_metrics",
    multiple=True,
    metavar="METRIC",
    help="A metric to leave out, by name or pattern, such as '*-QE'.",
)
@click.option(
    "--kind",
    "metric_kind",
    type=click.Choice(["all", "reference-based", "reference-free"]),
    default="all",
    show_default=True,
    help="Type of metrics to evaluate, recognized by their names (QE, src, [noref], Kiwi).",
)
@click.option(
    "--human-by",
    type=click.Choice([name.replace("_", "-") for name in _HUMAN_BY]),
    help="Aggregate the human scores of systems to these strengths or ranks. [default: means; "
    "bradley-terry for relative rankings]",
)
@click.option(
    "--texts",
    metavar="FILE",
    help="Outputs, as a table; systems with the same text count as a human tie, in the tau measures.",
)
@click.option(
    "--resample",
    type=click.Choice(["both", "human"]),
    default="both",
    show_default=True,
    help="Scores that are resampled for intervals: human and metric scores together, or human scores alone.",
)
@click.option(
    "--correction",
    type=click.Choice(["auto", "none", "bonferroni", "holm", "benjamini-hochberg", "max-statistic"]),
    default="auto",
    show_default=True,
    help="Correction for multiple comparisons; auto: max-statistic, or holm if nothing is "
    "exchanged at random.",
)
@alpha_option
@confidence_option
@click.option(
    "-l",
    "--language-pair",
    multiple=True,
    metavar="LP",
    help="Language pair of a folder. Repeat to pool several.",
)
@click.option("--gold", metavar="NAME", help="Human scores to use, such as mqm, if there are several.")
@click.option(
    "--reference", metavar="NAME", help="Use the metric scores against this reference, such as refA."
)
@click.option(
    "--pool",
    type=click.Choice(["average", "pairs"]),
    default="average",
    show_default=True,
    help="How to pool language pairs: with equal weights, or weighted by their number of system pairs.",
)
@reading_options
@computing_options
@output_options
def meta(
    sources: tuple[str, ...],
    options: Options,
    format_in: str | None,
    human: str | None,
    by: tuple[str, ...],
    only: tuple[str, ...],
    language_pair: tuple[str, ...],
    gold: str | None,
    reference: str | None,
    texts: str | None,
    **given: Any,  # noqa: ANN401  (what the verb takes)
) -> list[Result]:
    """Compare metrics with human scores, and test which metrics differ significantly.

    FILE is a long table with a metric column, or one file per metric; FOLDER has the layout of the WMT metrics task
    (human-scores, metric-scores, documents). Human judgments are scores, or relative rankings.

    \b
    Examples:
      betterthan meta metrics.tsv --human mqm.tsv
      betterthan meta metrics.tsv --human da.tsv --by tau-ties-hard --margin 25
      betterthan meta wmt23/ -l en-de --gold mqm --by pairwise-accuracy --significance perm-both -f latex
      betterthan meta wmt23/ -l en-de -l zh-en --by accuracy-with-ties --leave-out refA
      betterthan meta metrics.tsv --human rankings.csv --by spearman --human-by trueskill
    """  # noqa: D301
    from betterthan.analysis.meta.meta_evaluate import meta_evaluate
    from betterthan.cli.computing import computing_arguments
    from betterthan.read.inputs import TableReader
    from betterthan.tables.texts import Texts

    metrics, people, _ = TableReader(options, format=format_in).metrics_and_people(
        sources,
        human=human,
        only=only,
        language_pairs=language_pair,
        gold=gold,
        reference=reference,
    )
    _refuse_unused(by, given["significance"], several=isinstance(people, dict))
    units = given.pop("units")
    words = {
        "significance": (given.pop("significance") or "default").replace("-", "_"),
        "p_values": given.pop("p_values").replace("-", "_"),
        "correction": given.pop("correction").replace("-", "_"),
        "level": (given.pop("level") or "").replace("-", "_") or None,
        "units": int(units) if units.isdigit() else units,
        "metric_kind": given.pop("metric_kind").replace("-", "_"),
        "human_by": (given.pop("human_by") or "").replace("-", "_") or None,
        "texts": None if texts is None else TableReader().table(texts, kinds=(Texts,)),
    }
    computing = computing_arguments(given)
    measures = [one.replace("-", "_") for one in by or ("soft-pairwise-accuracy",)]
    return [meta_evaluate(metrics, people, by=measure, **words, **given, **computing) for measure in measures]


def _refuse_unused(by: tuple[str, ...], significance: str | None, *, several: bool) -> None:
    """Refuse options that change nothing in any of the measures."""
    measures = by or ("soft-pairwise-accuracy",)
    is_tau = any(measure.startswith("tau") for measure in measures)
    is_soft = "soft-pairwise-accuracy" in measures
    is_tested = significance != "none"
    for names, is_used, where in (
        (("margin", "metric_margin"), is_tau, "is for the taus (--by tau-ties-hard …)"),
        (("p_values", "mid_p"), is_soft, "is for soft pairwise accuracy"),
        (
            ("alternative", "correction", "alpha"),
            is_tested,
            "is for comparing metrics, and --significance is none",
        ),
        (("pool",), several, "is for several language pairs (-l en-de -l zh-en)"),
    ):
        for name in names:
            if not is_used and is_changed(name):
                raise click.UsageError(
                    f"--{name.replace('_', '-')} {where}; here it changes nothing. Leave it out."
                )
