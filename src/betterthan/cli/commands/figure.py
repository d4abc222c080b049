"""``betterthan figure``: a picture of the answer."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from betterthan.budget import MOST_SCALE
from betterthan.cli.options import (
    battle_options,
    computing_options,
    missing_option,
    reading_options,
    units_option,
)
from betterthan.cli.streams import refuse_overwriting

if TYPE_CHECKING:
    from betterthan.read.protocol import Options

KINDS = (
    "ranking",
    "pairs",
    "scatter",
    "differences",
    "agreement",
    "ranks",
    "board",
    "tasks",
    "boards",
    "fragility",
    "tradeoffs",
    "power",
    "evidence",
    "gate",
    "corrected",
    "calibration",
    "multiverse",
    "judge-calibration",
    "metrics",
    "soft-pairwise",
    "contributions",
    "margins",
    "aggregation",
    "confusion",
    "spans",
    "tags",
    "quality",
    "judges",
    "diagnosis",
)


@click.command()
@click.argument("kind", type=click.Choice(KINDS), metavar="KIND")
@click.argument("files", nargs=-1, required=True, metavar="FILE...")
@click.option(
    "-o",
    "--output",
    required=True,
    metavar="FILE",
    help="Output file: .svg, .png, .pdf or .json (Vega-Lite).",
)
@click.option(
    "--pair",
    nargs=2,
    metavar="A B",
    help="Two systems, for scatter, differences, power, evidence, gate (baseline and candidate), calibration "
    "and multiverse (A > B).",
)
@click.option(
    "--by",
    multiple=True,
    metavar="METHOD",
    help="Aggregation method for ranking and pairs, several for agreement and ranks; bleu, chrf or"
    " ter for aggregation; the measure for metrics; the column of categories for boards. Repeat for several."
    " [default: that of the command]",
)
@click.option(
    "--metric",
    "metrics",
    multiple=True,
    metavar="NAME",
    help="The metric of the file, or the one compared with human scores. Repeat for several, for tradeoffs.",
)
@click.option(
    "--human",
    metavar="FILE",
    help="Human scores, for metrics, soft-pairwise, contributions, corrected and judge-calibration.",
)
@click.option(
    "-l",
    "--language-pair",
    multiple=True,
    metavar="LP",
    help="Language pair of a folder of the WMT metrics task. Repeat for several.",
)
@click.option("--gold", metavar="NAME", help="Human scores of a folder to use, such as mqm.")
@click.option(
    "--reference",
    "references",
    multiple=True,
    metavar="FILE",
    help="Reference translations, for aggregation. Repeat for several references.",
)
@click.option(
    "--segment",
    "segments",
    multiple=True,
    metavar="ID",
    help="Segment to draw, for spans. Repeat for several.",
)
@click.option("--margin", type=float, metavar="X", help="How much worse a candidate may be, for gate.")
@click.option("--mt", metavar="FILE", help="Translations, for spans: their words are written above the tags.")
@missing_option("Reject empty cells, or leave out their segments, when systems are ranked or compared.")
@click.option(
    "--prior",
    type=click.FloatRange(min=0),
    help="Wins and losses added to every system in Bradley–Terry. [default: 0.5 if a system never lost or never "
    "won, otherwise 0]",
)
@units_option
@battle_options
@click.option(
    "--theme",
    type=click.Choice(["light", "dark"]),
    default="light",
    show_default=True,
    help="Colors for a light or a dark background.",
)
@click.option("--title", metavar="TEXT", help='Title of the figure; "" for none.')
@click.option(
    "--scale",
    type=click.FloatRange(0, MOST_SCALE, min_open=True),
    default=2.0,
    show_default=True,
    help="Pixels of a PNG per pixel of the chart.",
)
@reading_options
@computing_options
def figure(
    kind: str,
    files: tuple[str, ...],
    output: str,
    theme: str,
    title: str | None,
    scale: float,
    options: Options,
    **given: Any,  # noqa: ANN401  (what the kinds take)
) -> None:
    """Draw a figure of KIND from FILE, as SVG, PNG, PDF or JSON.

    KIND is one of ranking, pairs, scatter, differences, agreement, ranks, board, tasks, boards, fragility,
    tradeoffs, power, evidence, gate, corrected, calibration, multiverse, judge-calibration, metrics,
    soft-pairwise, contributions, margins, aggregation, confusion, spans, tags, quality, judges and diagnosis.

    FILE is what the corresponding command reads, or a result that it saved as JSON with any of its options. For
    scatter and margins, several files are drawn side by side.

    \b
    Examples:
      betterthan figure ranking scores.csv -o ranking.pdf
      betterthan figure scatter scores.csv --pair Aster Birch -o pair.svg
      betterthan figure soft-pairwise metrics.tsv --human mqm.tsv --metric chrF -o soft.png
      betterthan figure quality test.hter ours=ours.hter base.hter -o quality.svg
      betterthan compare scores.csv --test sign -o pairs.json
      betterthan figure pairs pairs.json -o pairs.svg --theme dark
    """  # noqa: D301
    from betterthan.cli.figure_subjects import subject_of
    from betterthan.cli.streams import say, say_notes
    from betterthan.present.charts.chart import chart
    from betterthan.present.charts.drawing import altair
    from betterthan.present.charts.save import format_of, is_raster_or_pdf, undrawable, write_chart
    from betterthan.results.settings import first_lines

    refuse_overwriting(output)
    format_of(output)  # a wrong suffix or a missing package is said before anything is computed
    altair()
    subject, asked = subject_of(kind.replace("-", "_"), files, options, given)
    notes = [note for one in _each(subject) for note in (*first_lines(one), *getattr(one, "notes", ()))]
    say_notes(dict.fromkeys(notes))
    drawn = chart(subject, kind.replace("-", "_"), theme=theme, title=title, **asked)
    written = write_chart(drawn, output, scale=scale)
    missing = undrawable(drawn) if is_raster_or_pdf(output) else None
    say_notes([] if missing is None else [missing])
    say(f"Wrote {written}")


def _each(subject: Any) -> list[Any]:  # noqa: ANN401
    if isinstance(subject, dict):
        return list(subject.values())
    return list(subject) if isinstance(subject, list) else [subject]
