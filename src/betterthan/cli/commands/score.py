"""``betterthan score``: metrics of texts, words and labels, one or several in one table.

The names of metrics stand here as click knows them; a test keeps them and the metrics alike.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from betterthan.budget import MOST_ORDER, MOST_SEGMENTS
from betterthan.cli.options import (
    Command,
    computing_options,
    confidence_option,
    missing_option,
    output_options,
)

if TYPE_CHECKING:
    from betterthan.cli.output import Answer
    from betterthan.tables.counts import Counts


_AVERAGED = [
    f"{part}-{average}"
    for part in ("f1", "precision", "recall")
    for average in ("micro", "macro", "weighted")
]
METRIC_NAMES = (
    *("bleu", "chrf", "chrf++", "ter"),
    *("accuracy", "balanced-accuracy", "f1", "precision", "recall", *_AVERAGED, "mcc", "kappa"),
    *("wer", "cer", "mer", "wil"),
    *(f"rouge-{kind}{part}" for kind in ("1", "2", "l", "lsum") for part in ("", "-precision", "-recall")),
    *("exact-match", "token-f1"),
)
"""Written out, because the metrics themselves take a quarter of a second to load."""


class MetricName(click.Choice[str]):
    """A metric, or one of a single class: ``f1:spam``."""

    def __init__(self) -> None:
        super().__init__(METRIC_NAMES)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:  # noqa: ANN401
        """Return the name as it was typed."""
        base, colon, label = str(value).partition(":")
        if colon and label and base in ("f1", "precision", "recall"):
            return str(value)
        return super().convert(value, param, ctx)

    def get_metavar(self, param: click.Parameter, ctx: click.Context | None = None) -> str:  # noqa: ARG002
        """Return what the help shows; the names are too many for a line."""
        return "METRIC"


_OTHER_METRICS = frozenset(METRIC_NAMES) - {"bleu", "chrf", "ter"}
_VARIANTS = ("micro", "macro", "weighted", "precision", "recall")
_MAIN_METRICS = [name for name in METRIC_NAMES if "-" not in name or name.rpartition("-")[2] not in _VARIANTS]


class ScoreGroup(click.Group):
    """A group that scores by several metrics where no metric is named as a command."""

    default = "metrics"

    def routed(self, arguments: Sequence[str]) -> list[str]:
        """Return the arguments with the default command before them, unless one is named or help is wanted.

        The other metrics may stand in the place of a command: ``score wer FILE`` is ``score --metric wer FILE``.
        """
        first = arguments[0] if arguments else "--help"
        if first.partition(":")[0] in _OTHER_METRICS and not Path(first).exists():
            return [self.default, "--metric", *arguments]
        # A plain word that is not a file was meant as a metric.
        is_command = first in self.commands or (first.isalnum() and not Path(first).exists())
        return list(arguments) if is_command or first in ("--help", "-h") else [self.default, *arguments]

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse the arguments of the group."""
        return super().parse_args(ctx, self.routed(args))

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command; what is none was meant as a metric."""
        if args[0] not in self.commands and not ctx.resilient_parsing:
            near = get_close_matches(args[0].lower(), METRIC_NAMES, n=1)
            guess = f' Did you mean "{near[0]}"?' if near else ""
            raise click.UsageError(
                f'Unknown metric "{args[0]}".{guess} The metrics are: {", ".join(_MAIN_METRICS)}.', ctx
            )
        return super().resolve_command(ctx, args)


@click.group(cls=ScoreGroup)
def score() -> None:
    """Score outputs against references, with intervals and significance tests.

    Metrics of labels (accuracy, f1-macro, mcc, …), of recognized words (wer, cer, …) and of translations (bleu, chrf,
    ter). Several form one table: betterthan score --metric bleu --metric ter …

    \b
    betterthan score f1-macro --reference gold.txt a.txt b.txt --baseline a
    betterthan score f1-macro predictions.csv
    betterthan score wer --reference ref.txt a.txt b.txt
    betterthan score --reference ref.txt a.txt b.txt --baseline a
    betterthan score --metric bleu --metric chrf --metric ter --reference ref.txt a.txt b.txt
    betterthan score bleu --reference ref.txt a.txt b.txt
    betterthan score chrf --reference ref.txt --word-order 2 'systems/*.txt.gz'
    """  # noqa: D301


def _shared(command: Command) -> Command:
    """Add what all metrics take; the command itself gets what the metric takes, and returns the counts."""

    @functools.wraps(command)
    def wrapped(
        files: tuple[str, ...],
        references: tuple[str, ...],
        baseline: str | None,
        segments: bool,  # noqa: FBT001  (click passes every option by name)
        score_only: bool,  # noqa: FBT001
        **given: Any,  # noqa: ANN401
    ) -> Answer:
        from betterthan.cli.computing import computing_arguments
        from betterthan.cli.score_tables import texts_of, the_score, warn_of_mismatches, write_segments

        context = click.get_current_context()
        aggregating = {name: given.pop(name) for name in ("confidence", "size", "aggregation")}
        computing = computing_arguments(given)
        drawing = {name: computing.pop(name) for name in ("rng", "n_resamples") if name in computing}
        texts = texts_of(files, references)
        counts: Counts = command(texts, **given, **computing)
        warn_of_mismatches(texts, ("bleu",))
        if score_only:
            click.echo(the_score(counts))
            context.exit()
        if segments:
            chosen = "json" if context.params["as_json"] else context.params["format"]
            write_segments(counts.per_segment(), format=chosen, output=context.params["output"])
            context.exit()
        return _answer([counts], baseline, **aggregating, **drawing, **computing)

    return _with(wrapped, _SHARED)


def _with(command: Command, options: tuple[Callable[[Command], Command], ...]) -> Command:
    for add in reversed(options):
        command = add(command)
    return command


def _answer(
    counts: Sequence[Counts],
    baseline: str | None,
    *,
    confidence: float,
    size: int,
    aggregation: str,
    **rest: Any,  # noqa: ANN401
) -> Answer:
    """Aggregate each metric, and compare with the baseline where there is one."""
    from betterthan.analysis.compare.compare import against_baseline, compare
    from betterthan.analysis.rank.aggregate import aggregate
    from betterthan.cli.output import Answer
    from betterthan.errors import BetterThanError, unknown_name
    from betterthan.present.tables.together import pooled_scores

    systems = counts[0].systems
    if baseline is not None and baseline not in systems:
        raise unknown_name("system", baseline, systems)
    if baseline is not None and len(systems) < 2:
        raise BetterThanError(f"{baseline} is the only system, so there is nothing to compare it with.")
    if baseline is not None and aggregation == "all":
        raise click.UsageError("--baseline compares pooled scores. Leave out --aggregation all.")
    results = [aggregate(one, confidence=confidence, size=size, **rest) for one in counts]
    if aggregation == "all":
        return Answer(results=tuple(results))
    draws = {name: value for name, value in rest.items() if name != "n_resamples"}
    pairs = (
        []
        if baseline is None
        else against_baseline(
            [
                compare(one, correction="none", alpha=1 - confidence, confidence=confidence, **draws)
                for one in counts
            ],
            baseline,
        )
    )
    together = pooled_scores(results, pairs, baseline)
    return Answer(results=together.results, together=together)


_TEXTS = (
    click.argument("files", nargs=-1, metavar="FILE..."),
    click.option(
        "--reference",
        "references",
        multiple=True,
        metavar="FILE",
        help="Reference texts or gold labels, one per line; for tables of predictions, the column of gold labels. "
        "Repeat for several references.",
    ),
    click.option(
        "--baseline", metavar="SYSTEM", help="Show and test the difference between each system and this one."
    ),
    confidence_option,
    click.option(
        "--aggregation",
        type=click.Choice(["pooled", "all"]),
        default="pooled",
        show_default=True,
        help="Corpus scores only (pooled), or also means of segments and of bootstrap corpora (all).",
    ),
    click.option(
        "--size",
        type=click.IntRange(1, MOST_SEGMENTS),
        default=1000,
        show_default=True,
        help="Number of segments in each bootstrap corpus.",
    ),
)
_SHARED = (
    *_TEXTS,
    click.option(
        "--segments",
        is_flag=True,
        help="Write segment scores instead, one per row, as TSV or in the format of the suffix of --output.",
    ),
    click.option("--score-only", is_flag=True, help="Print only the pooled score of one system."),
    computing_options,
    output_options,
)
_missing = missing_option(
    "Reject missing outputs, leave out their segments, or count them as empty.", "empty"
)
_lowercase = click.option("--lowercase", is_flag=True, help="Ignore case.")


@score.command()
@click.option("--tokenize", metavar="NAME", help="sacreBLEU's tokenizer. [default: by language, else 13a]")
@click.option(
    "--language", metavar="CODE", help="Language of the outputs, which selects the tokenizer: zh, ja, ko, …"
)
@click.option("--literal", is_flag=True, help="Use 13a whatever the language, as sacreBLEU does by default.")
@_lowercase
@click.option(
    "--smoothing",
    type=click.Choice(["exp", "floor", "add-k", "none"]),
    default="exp",
    show_default=True,
    help="Smoothing of a precision of 0.",
)
@click.option("--smoothing-value", type=float, help="Value for floor and add-k. [default: 0.1 and 1]")
@click.option(
    "--max-order",
    type=click.IntRange(1, MOST_ORDER),
    default=4,
    show_default=True,
    help="Maximum length of n-grams.",
)
@click.option(
    "--effective-order", is_flag=True, help="Leave out orders without n-grams, also in the pooled score."
)
@_missing
@_shared
def bleu(texts: Any, **given: Any) -> Counts:  # noqa: ANN401
    """Score outputs by BLEU: one FILE per system, one segment per line.

    A system is named after its file, or by NAME=FILE. Gzip files are decompressed, patterns are expanded, and - is
    standard input.

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
    help="Maximum length of character n-grams.",
)
@click.option(
    "--word-order",
    type=click.IntRange(0, MOST_ORDER),
    default=0,
    show_default=True,
    help="Maximum length of word n-grams; 2 for chrF++.",
)
@click.option(
    "--beta", type=float, default=2.0, show_default=True, help="Weight of recall relative to precision."
)
@_lowercase
@click.option("--whitespace", is_flag=True, help="Count spaces as characters.")
@click.option("--eps-smoothing", is_flag=True, help="Average the F-scores of all orders, as chrF++.py does.")
@_missing
@_shared
def chrf(texts: Any, beta: float, **given: Any) -> Counts:  # noqa: ANN401
    """Score outputs by chrF: one FILE per system, one segment per line.

    A system is named after its file, or by NAME=FILE. Gzip files are decompressed, patterns are expanded, and - is
    standard input.

    \b
    Examples:
      betterthan score chrf --reference ref.txt a.txt b.txt
      betterthan score chrf --reference ref.txt --word-order 2 a.txt b.txt -f latex
    """  # noqa: D301
    from betterthan.scoring.chrf import chrf as counted

    # A whole number, as sacreBLEU's signature has it.
    return counted(texts, beta=int(beta) if beta.is_integer() else beta, **given)


@score.command()
@click.option("--normalized", is_flag=True, help="Separate punctuation and decode escaped characters first.")
@click.option("--no-punct", is_flag=True, help="Leave out punctuation.")
@click.option("--asian-support", is_flag=True, help="Split Chinese and Japanese into characters.")
@click.option("--case-sensitive", is_flag=True, help="Distinguish upper from lower case.")
@_missing
@_shared
def ter(texts: Any, **given: Any) -> Counts:  # noqa: ANN401
    """Score outputs by TER (lower is better): one FILE per system, one segment per line.

    A system is named after its file, or by NAME=FILE. Gzip files are decompressed, patterns are expanded, and - is
    standard input.

    \b
    Examples:
      betterthan score ter --reference ref.txt a.txt b.txt
      betterthan score ter --reference ref1.txt --reference ref2.txt --case-sensitive a.txt
    """  # noqa: D301
    from betterthan.scoring.ter import ter as counted

    return counted(texts, **given)


@score.command(name="metrics")
@click.option(
    "--metric",
    "metrics",
    type=MetricName(),
    multiple=True,
    help=f"Metric: {', '.join(METRIC_NAMES)}. Repeat for several. [default: bleu and chrf]",
)
@click.option(
    "--positive",
    metavar="LABEL",
    help="The class of f1, precision and recall. Not needed for 0 and 1, no and yes, negative and positive.",
)
@click.option(
    "--label",
    "labels",
    metavar="LABEL",
    multiple=True,
    help="A class that averages such as f1-micro take into account. Repeat for several. [default: all]",
)
@_lowercase
@click.option("--no-punct", is_flag=True, help="Leave out punctuation before words are compared.")
@click.option(
    "--language",
    metavar="CODE",
    help="Language of the outputs, which selects the tokenizer of BLEU: zh, ja, ko, …",
)
@click.option(
    "--tokenize", metavar="NAME", help="sacreBLEU's tokenizer for BLEU. [default: by language, else 13a]"
)
@_missing
@functools.partial(_with, options=_SHARED)
def several(
    files: tuple[str, ...],
    references: tuple[str, ...],
    metrics: tuple[str, ...],
    baseline: str | None,
    segments: bool,  # noqa: FBT001  (click passes every option by name)
    score_only: bool,  # noqa: FBT001
    missing: Any,  # noqa: ANN401  (click's choice)
    **given: Any,  # noqa: ANN401  (options of the metrics, and what aggregate takes)
) -> Answer:
    """Score outputs by several metrics in one table. This is the default of score if no other command is named.

    There is one FILE per system, with one text or label per line. A system is named after its file, or by NAME=FILE.

    \b
    Examples:
      betterthan score --reference ref.txt a.txt b.txt
      betterthan score --metric bleu --metric ter --reference ref.txt ours=a.txt base=b.txt --baseline base
      betterthan score --metric f1-macro --metric mcc --reference gold.txt a.txt b.txt --baseline a
      betterthan score wer --lowercase --no-punct --reference ref.txt a.txt b.txt
      betterthan score f1 --positive spam --reference gold.txt a.txt b.txt
    """  # noqa: D301
    from betterthan.cli.computing import computing_arguments
    from betterthan.cli.score_tables import (
        counts_of,
        only_one,
        texts_of,
        the_score,
        warn_of_mismatches,
        write_segments,
    )

    context = click.get_current_context()
    chosen = tuple(dict.fromkeys(metrics or ("bleu", "chrf")))
    wanted = {name: given.pop(name) or None for name in _OF_METRICS}
    aggregating = {name: given.pop(name) for name in ("confidence", "size", "aggregation")}
    computing = computing_arguments(given)
    drawing = {name: computing.pop(name) for name in ("rng", "n_resamples") if name in computing}
    texts = texts_of(files, references)
    counts = counts_of(texts, chosen, wanted, missing=missing, **computing)
    warn_of_mismatches(texts, chosen)
    if score_only:
        click.echo(the_score(only_one(counts, "--score-only")))
        context.exit()
    if segments:
        format_out = "json" if context.params["as_json"] else context.params["format"]
        table = only_one(counts, "--segments").per_segment()
        write_segments(table, format=format_out, output=context.params["output"])
        context.exit()
    return _answer(counts, baseline, **aggregating, **drawing, **computing)


_OF_METRICS = ("positive", "labels", "lowercase", "no_punct", "language", "tokenize")
"""Options that some metrics have and others do not."""
