"""``betterthan tags``: which system tags words best, and which measures can be gamed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from betterthan.cli.options import (
    alpha_option,
    computing_options,
    confidence_option,
    output_options,
    units_option,
)

if TYPE_CHECKING:
    from betterthan.results.base import Result

_MEASURES = (
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
    type=click.Choice(_MEASURES),
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
