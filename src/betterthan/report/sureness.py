"""The section that asks how sure we could be: what this test set can show, and whether fewer segments said the same."""

from __future__ import annotations

import numpy as np
from markupsafe import Markup

from betterthan.analysis.detectable import Detectable, detectable
from betterthan.analysis.stability import Stability, stability
from betterthan.present.numbers import digits_for
from betterthan.present.table import Column, Table
from betterthan.report.document import Block, Figure, Paragraph, Section, TableBlock
from betterthan.report.figure_lines import share_lines
from betterthan.report.inputs import Inputs
from betterthan.results.ranking import Ranking
from betterthan.tables.scores import Scores

_MOST_PAIRS = 12
_LINES = 3


def sureness_section(inputs: Inputs, ranking: Ranking) -> Section:
    """Return what neighbours in the ranking would need, and the curves of stability."""
    scores = inputs.scores.complete(missing=inputs.options.get("missing", "raise"))
    found = stability(scores, rng=inputs.options.get("rng", 12345))
    neighbours = list(zip(ranking.systems, ranking.systems[1:], strict=False))[:_MOST_PAIRS]
    details = [_of(scores, a, b) for a, b in neighbours]
    blocks: tuple[Block, ...] = (
        Paragraph(_words(details[0], *neighbours[0], scores.name)),
        _table(neighbours, details),
        Figure(
            key="stability", svg=_curves(found, scores, ranking), caption=_caption(found, scores, ranking)
        ),
    )
    lead = (
        "Smallest difference: the true difference in means that this many segments show four times out of five at "
        "level 0.05. Needed: segments that would show a difference of the size seen."
    )
    return Section(key="sure", title="How sure could we be?", menu="Power", lead=lead, blocks=blocks)


def _of(scores: Scores, a: str, b: str) -> Detectable:
    first, second = (scores.goodness[scores.systems.index(name)] for name in (a, b))
    return detectable(first - second)


def _words(found: Detectable, a: str, b: str, metric: str) -> str:
    if np.isnan(found.smallest):
        return "One segment shows nothing."
    digits = digits_for([found.smallest / 2])
    size = f"{found.smallest:.{digits}f} {metric}"
    said = f"{found.n_segments} segments show a true difference of {size} four times out of five"
    if found.n_needed is None:
        return f"{said}; {a} and {b} have equal means."
    many = f"{found.n_needed:,}".replace(",", "\u202f")
    more = "more than there are" if found.n_needed > found.n_segments else "which are there"
    seen = f"{abs(found.difference):.{digits}f}"
    return f"{said}; for the difference between {a} and {b}, {seen}, it takes about {many} segments, {more}."


def _table(neighbours: list[tuple[str, str]], details: list[Detectable]) -> TableBlock:
    digits = digits_for([found.smallest / 2 for found in details])
    columns = (
        Column(heading="system"),
        Column(heading="next"),
        Column(heading="difference", kind="number", digits=digits),
        Column(heading="smallest shown", kind="number", digits=digits),
        Column(heading="segments", kind="integer"),
        Column(heading="segments needed", kind="integer"),
    )
    rows = tuple(
        (a, b, found.difference, found.smallest, found.n_segments, found.n_needed)
        for (a, b), found in zip(neighbours, details, strict=True)
    )
    title = "What neighbours in the ranking would need"
    return TableBlock(key="needed", table=Table(title=title, columns=columns, rows=rows))


def _curves(found: Stability, scores: Scores, ranking: Ranking) -> Markup:
    lines = [("pairs ordered alike", found.alike.tolist())]
    lines += [
        (f"{name} first", found.first[:, scores.systems.index(name)].tolist())
        for name in ranking.systems[:_LINES]
    ]
    if np.isnan(found.alike).any():
        lines = lines[1:]
    return share_lines(
        found.sizes.tolist(), lines, "Stability as segments are added", across="segments drawn"
    )


def _caption(found: Stability, scores: Scores, ranking: Ranking) -> str:
    half = int(np.searchsorted(found.sizes, scores.n_segments / 2))
    top = ranking.systems[0]
    share = float(found.first[half, scores.systems.index(top)])
    return (
        f"{found.n_draws} test sets of each size, drawn from the segments without replacement. "
        f"With {found.sizes[half]} of {scores.n_segments} segments {top} is first in {100 * share:.0f} % of them."
    )
