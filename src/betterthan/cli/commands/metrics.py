"""``betterthan meta``, ``tags`` and ``quality``: which metric, which tagger and which quality estimate can we trust."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from betterthan.cli.options import (
    alpha_option,
    computing_options,
    confidence_option,
    is_changed,
    missing_option,
    output_options,
    reading_options,
    units_option,
)

if TYPE_CHECKING:
    from betterthan.read.protocol import Options
    from betterthan.results.base import Result
    from betterthan.results.metrics import SentenceQuality


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


_TAG_MEASURES = (
    "f1-mult",
    "f1-bad",
    "f1-ok",
    "f1-weighted",
    "mcc",
    "precision-bad",
    "recall-bad",
    "precision-ok",
    "recall-ok",
    "accuracy",
    "phrase-f1-bad",
    "phrase-f1-ok",
    "phrase-f1-mult",
    "sequence-correlation",
)


@click.command()
@click.argument("gold")
@click.argument("systems", nargs=-1, required=True, metavar="[NAME=]FILE...")
@click.option(
    "--by",
    type=click.Choice(_TAG_MEASURES),
    multiple=True,
    help="Measure. Repeat for several: the first determines the order of the systems. [default: "
    "f1-mult, mcc, f1-bad, f1-ok, phrase-f1-mult]",
)
@click.option(
    "--mt",
    metavar="FILE",
    help="Translations, which distinguish words from gaps if there are 2N + 1 tags.",
)
@click.option(
    "--side",
    type=click.Choice(["mt", "gap", "source"]),
    help="Tags of words, of gaps between words, or of source words, if the files have several.",
)
@click.option(
    "--language-pair",
    "-l",
    metavar="PAIR",
    help="The language pair, such as en-de, if the files have several.",
)
@click.option("--audition", is_flag=True, help="Also test the measures themselves.")
@click.option(
    "--middle",
    type=click.Choice(["both", "neither"]),
    default="both",
    show_default=True,
    help="Halves of the audition that contain the middle one of an odd number of systems.",
)
@click.option("--no-synthetic", is_flag=True, help="Leave out the trivial labelings.")
@click.option("--no-pairs", is_flag=True, help="Leave out the table of all pairs.")
@click.option(
    "--as-published",
    is_flag=True,
    help="Phrase precision as the paper defines it, which favors long spans.",
)
@units_option
@click.option(
    "--correction",
    type=click.Choice(["max-statistic", "none", "bonferroni", "holm", "benjamini-hochberg"]),
    default="max-statistic",
    show_default=True,
    help="Correction for multiple comparisons.",
)
@alpha_option
@confidence_option
@computing_options
@output_options
def tags(
    gold: str,
    systems: tuple[str, ...],
    by: tuple[str, ...],
    mt: str | None,
    side: Any,  # noqa: ANN401  (click's choice of the sides)
    language_pair: str | None,
    middle: Any,  # noqa: ANN401
    correction: str,
    *,
    audition: bool,
    no_synthetic: bool,
    no_pairs: bool,
    as_published: bool,
    **given: Any,  # noqa: ANN401  (what the verbs take)
) -> list[Result]:
    """Score OK/BAD tags of words against GOLD, one sentence per line.

    Measures are shown side by side; systems that share a group do not differ significantly by randomization tests.
    Rows in brackets are trivial labelings; a measure by which they outscore a system can be gamed.

    \b
    Examples:
      betterthan tags gold.tags ours=ours.tags base.tags.gz
      betterthan tags gold.tags ours.tags base.tags --by mcc --by f1-bad --no-synthetic
      betterthan tags gold.tags *.tags --mt test.mt --side gap --audition
    """  # noqa: D301
    from betterthan.analysis.tags.audition import audition as auditioned
    from betterthan.analysis.tags.rank_tags import DEFAULT_MEASURES, rank_tags
    from betterthan.cli.computing import computing_arguments
    from betterthan.read.formats.quality.tag_files import read_tags

    table = read_tags(gold, systems, mt=mt, side=side, language_pair=language_pair)
    computing = computing_arguments(given)
    confidence = given.pop("confidence")
    measures: Any = [name.replace("-", "_") for name in by] or list(DEFAULT_MEASURES)
    given["correction"] = correction.replace("-", "_")
    found: list[Result] = [
        rank_tags(
            table,
            by=measures,
            synthetic=not no_synthetic,
            as_published=as_published,
            confidence=confidence,
            **given,
            **computing,
        )
    ]
    if len(table.systems) > 1 and not no_pairs:
        found.append(
            _pairs(table, measures[0], as_published=as_published, confidence=confidence, **given, **computing)
        )
    if audition:
        options = {"by": measures} if by else {}
        found.append(
            auditioned(table, middle=middle, as_published=as_published, **options, **given, **computing)
        )
    return found


def _pairs(table: Any, measure: Any, *, as_published: bool, **given: Any) -> Result:  # noqa: ANN401
    from betterthan.analysis.compare.compare import compare
    from betterthan.analysis.tags.tag_counts import tag_counts

    literal = as_published and measure.startswith("phrase_")
    return compare(tag_counts(table, by=measure, as_published=literal), **given)


@click.command()
@click.argument("gold")
@click.argument("systems", nargs=-1, required=True, metavar="[NAME=]FILE...")
@missing_option("Reject empty lines, or leave out their sentences for all systems.")
@click.option(
    "--language-pair",
    "-l",
    metavar="PAIR",
    help="The language pair, such as en-de, if the files have several.",
)
@click.option(
    "--interval",
    type=click.Choice(["jackknife", "percentile"]),
    default="jackknife",
    show_default=True,
    help="Confidence intervals by formula, or from --resamples resampled sets of sentences.",
)
@alpha_option
@confidence_option
@computing_options
@output_options
def quality(
    gold: str,
    systems: tuple[str, ...],
    language_pair: str | None,
    **given: Any,  # noqa: ANN401  (what the verb takes)
) -> SentenceQuality:
    """Compare predicted scores of sentences with GOLD: one number per line, or a table with sentence ids.

    \b
    Examples:
      betterthan quality test.hter ours=ours.hter base.hter
    """  # noqa: D301
    from betterthan.analysis.tags.sentence_quality import sentence_quality
    from betterthan.cli.computing import computing_arguments
    from betterthan.read.formats.quality.number_files import read_sentence_scores

    truth, predicted = read_sentence_scores(gold, systems, language_pair=language_pair)
    return sentence_quality(predicted, truth, **computing_arguments(given), **given)
