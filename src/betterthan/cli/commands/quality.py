"""``betterthan quality``: how well predicted quality scores of sentences follow the true ones."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from betterthan.cli.options import alpha_option, computing_options, confidence_option, output_options

if TYPE_CHECKING:
    from betterthan.results.tags import SentenceQuality


@click.command()
@click.argument("gold")
@click.argument("systems", nargs=-1, required=True, metavar="[NAME=]FILE...")
@click.option(
    "--missing",
    type=click.Choice(["raise", "drop"]),
    default="raise",
    show_default=True,
    help="Reject empty lines, or leave out their sentences for all systems.",
)
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
