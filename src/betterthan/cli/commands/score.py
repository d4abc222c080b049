"""``betterthan score``: BLEU, chrF and TER from texts, aggregated three ways."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any

import click

from betterthan.budget import MOST_ORDER, MOST_SEGMENTS
from betterthan.cli.options import Command, computing_options, output_options

if TYPE_CHECKING:
    from betterthan.results.agreement import Aggregated
    from betterthan.tables.counts import Counts


@click.group()
def score() -> None:
    """Score outputs against references: BLEU, chrF or TER, with intervals, clusters and signatures.

    \b
    betterthan score bleu --reference ref.txt a.txt b.txt
    betterthan score chrf --reference ref.txt --word-order 2 'systems/*.txt.gz'
    betterthan score ter --reference ref.txt ours=a.txt base=b.txt
    """  # noqa: D301


def _shared(command: Command) -> Command:
    """Add what all metrics take; the command itself gets what the metric takes, and returns the counts."""

    @functools.wraps(command)
    def wrapped(
        files: tuple[str, ...],
        references: tuple[str, ...],
        confidence: float,
        size: int,
        segments: bool,  # noqa: FBT001  (click passes every option by name)
        score_only: bool,  # noqa: FBT001
        **given: Any,  # noqa: ANN401
    ) -> Aggregated:
        from betterthan.cli.computing import computing_arguments
        from betterthan.cli.score_tables import texts_of, the_score, warn_of_mismatches, write_segments

        context = click.get_current_context()
        computing = computing_arguments(given)
        rest = {name: computing.pop(name) for name in ("rng", "n_resamples") if name in computing}
        texts = texts_of(files, references)
        counts: Counts = command(texts, **given, **computing)
        warn_of_mismatches(texts)
        if score_only:
            click.echo(the_score(counts))
            context.exit()
        if segments:
            chosen = "json" if context.params["as_json"] else context.params["format"]
            write_segments(counts.per_segment(), format=chosen, output=context.params["output"])
            context.exit()
        from betterthan.analysis.rank.aggregate import aggregate

        return aggregate(counts, confidence=confidence, size=size, **rest, **computing)

    whole: Command = wrapped
    for add in reversed(_SHARED):
        whole = add(whole)
    return whole


_SHARED = (
    click.argument("files", nargs=-1, metavar="FILE..."),
    click.option(
        "--reference",
        "references",
        multiple=True,
        metavar="FILE",
        help="Reference translation, a line a segment; name several for several references.",
    ),
    click.option(
        "--confidence", type=float, default=0.95, show_default=True, help="Coverage of the intervals."
    ),
    click.option(
        "--size",
        type=click.IntRange(1, MOST_SEGMENTS),
        default=1000,
        show_default=True,
        help="Segments in a corpus of the bootstrap mean.",
    ),
    click.option(
        "--segments",
        is_flag=True,
        help="Write the score of every segment instead, a row each, as TSV or as the suffix of --output says.",
    ),
    click.option("--score-only", is_flag=True, help="Print the bare pooled score of one system."),
    computing_options,
    output_options,
)
_missing = click.option(
    "--missing",
    type=click.Choice(["raise", "drop", "empty"]),
    default="raise",
    show_default=True,
    help="Refuse missing outputs, leave their segments out, or count them as empty.",
)
_lowercase = click.option("--lowercase", is_flag=True, help="Ignore case.")


@score.command()
@click.option("--tokenize", metavar="NAME", help="sacreBLEU's tokenizer. [default: by language, else 13a]")
@click.option("--language", metavar="CODE", help="Of the outputs; chooses the tokeniser: zh, ja, ko, …")
@click.option("--literal", is_flag=True, help="13a whatever the language, as sacreBLEU without one.")
@_lowercase
@click.option(
    "--smoothing",
    type=click.Choice(["exp", "floor", "add-k", "none"]),
    default="exp",
    show_default=True,
    help="What replaces a precision of 0.",
)
@click.option("--smoothing-value", type=float, help="For floor and add-k. [default: 0.1 and 1]")
@click.option(
    "--max-order", type=click.IntRange(1, MOST_ORDER), default=4, show_default=True, help="Longest n-grams."
)
@click.option("--effective-order", is_flag=True, help="Leave out orders without any n-gram, pooled too.")
@_missing
@_shared
def bleu(texts: Any, **given: Any) -> Counts:  # noqa: ANN401
    """Score outputs by BLEU: a FILE a system, a line a segment.

    A system is called as its file, or NAME=FILE. Gzip is opened, patterns are expanded, and - is standard input.

    \b
    Examples:
      betterthan score bleu --reference ref.txt a.txt b.txt
      betterthan score bleu --reference ref.zh.gz --language zh 'systems/*.zh.gz'
      betterthan score bleu --reference ref.txt --score-only a.txt
      betterthan score bleu --reference ref.txt a.txt b.txt --segments | betterthan compare -
    """  # noqa: D301
    from betterthan.scoring.bleu import bleu as counted

    return counted(texts, **given)


@score.command()
@click.option(
    "--char-order",
    type=click.IntRange(1, MOST_ORDER),
    default=6,
    show_default=True,
    help="Longest n-grams of characters.",
)
@click.option(
    "--word-order",
    type=click.IntRange(0, MOST_ORDER),
    default=0,
    show_default=True,
    help="Longest n-grams of words; 2 for chrF++.",
)
@click.option(
    "--beta", type=float, default=2.0, show_default=True, help="Weight of recall against precision."
)
@_lowercase
@click.option("--whitespace", is_flag=True, help="Spaces are characters too.")
@click.option("--eps-smoothing", is_flag=True, help="Average the F-scores of all orders, as chrF++.py does.")
@_missing
@_shared
def chrf(texts: Any, beta: float, **given: Any) -> Counts:  # noqa: ANN401
    """Score outputs by chrF: a FILE a system, a line a segment.

    A system is called as its file, or NAME=FILE. Gzip is opened, patterns are expanded, and - is standard input.

    \b
    Examples:
      betterthan score chrf --reference ref.txt a.txt b.txt
      betterthan score chrf --reference ref.txt --word-order 2 a.txt b.txt -f latex
    """  # noqa: D301
    from betterthan.scoring.chrf import chrf as counted

    # A whole number, as sacreBLEU's signature has it.
    return counted(texts, beta=int(beta) if beta.is_integer() else beta, **given)


@score.command()
@click.option("--normalized", is_flag=True, help="Split off punctuation and undo escapes first.")
@click.option("--no-punct", is_flag=True, help="Leave out punctuation.")
@click.option("--asian-support", is_flag=True, help="Split Chinese and Japanese into characters.")
@click.option("--case-sensitive", is_flag=True, help="Tell upper from lower case.")
@_missing
@_shared
def ter(texts: Any, **given: Any) -> Counts:  # noqa: ANN401
    """Score outputs by TER (lower is better): a FILE a system, a line a segment.

    A system is called as its file, or NAME=FILE. Gzip is opened, patterns are expanded, and - is standard input.

    \b
    Examples:
      betterthan score ter --reference ref.txt a.txt b.txt
      betterthan score ter --reference ref1.txt --reference ref2.txt --case-sensitive a.txt
    """  # noqa: D301
    from betterthan.scoring.ter import ter as counted

    return counted(texts, **given)
