"""``betterthan explain``: why two systems compare as they do."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import click

from betterthan.cli.commands.check import check
from betterthan.cli.options import output_options, reading_options, units_option

if TYPE_CHECKING:
    from betterthan.read.protocol import Options
    from betterthan.results.explanation import Explanation
    from betterthan.tables.scores import Scores
    from betterthan.tables.texts import Texts

_CODE = re.compile(r"BT\d{3}", re.IGNORECASE)


@click.command()
@click.argument("file", nargs=-1, metavar="FILE...")
@click.argument("a", required=False)
@click.argument("b", required=False)
@click.option("--metric", metavar="NAME", help="The metric, if the file has several.")
@click.option(
    "--missing",
    type=click.Choice(["raise", "drop"]),
    default="raise",
    show_default=True,
    help="Reject empty cells, or leave out their segments.",
)
@click.option("--alpha", type=float, default=0.05, show_default=True, help="Significance level of all tests.")
@click.option("--source", metavar="FILE", help="Source texts, one segment per line, for slices by length.")
@units_option
@reading_options
@output_options
def explain(
    file: tuple[str, ...],
    a: str | None,
    b: str | None,
    options: Options,
    format_in: str | None,
    metric: str | None,
    source: str | None,
    **given: Any,  # noqa: ANN401  (what the verb takes)
) -> Explanation:
    """Explain how systems A and B in FILE compare: which is better by which method, why, and how robustly.

    Several files, a folder or a quoted pattern form one table. With only a problem code, explain the code.

    \b
    Examples:
      betterthan explain scores.csv Daphne Elm
      betterthan explain scores.csv Daphne Elm --group domain --units segments
      betterthan explain BT101
    """  # noqa: D301
    if not file and a is None and b is not None and _CODE.fullmatch(b):
        context = click.get_current_context()
        context.invoke(check, code=b)
        context.exit()
    if not file or a is None or b is None:
        raise click.UsageError("Name two systems after the file: betterthan explain FILE A B.")
    from betterthan.analysis.explain.explain import explain as explained
    from betterthan.read.inputs import TableReader
    from betterthan.tables.scores import Scores

    scores: Scores = TableReader(options, format=format_in).table(file, kinds=(Scores,), metric=metric)
    texts = None if source is None else _sources(source, scores)
    explanation: Explanation = explained(scores, a, b, texts=texts, **given)
    return explanation


def _sources(source: str, scores: Scores) -> Texts:
    """Return the lines of a file as the sources of the segments, in the order of the table."""
    from betterthan.errors import ReadError
    from betterthan.read.source.source import open_source
    from betterthan.tables.texts import Texts

    lines = tuple(open_source(source).lines())
    if len(lines) != scores.n_segments:
        raise ReadError(
            f"This file has {len(lines)} lines for {scores.n_segments} segments. Line k must be segment k.",
            path=source,
            code="BT130",
        )
    nothing = ((None,) * len(lines),) * scores.n_systems
    return Texts(systems=scores.systems, segments=scores.segments, outputs=nothing, sources=lines)
