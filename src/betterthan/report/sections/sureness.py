"""The section that asks how sure we could be: what this test set can show, and whether fewer segments said the same."""

from __future__ import annotations

import numpy as np
from markupsafe import Markup

from betterthan.analysis.rank.detectable import Detectable, Stability, detectable, stability
from betterthan.analysis.units import Units, units_of
from betterthan.present.numbers import digits_for, number
from betterthan.present.table import Table, TableColumn
from betterthan.report.document import Block, Figure, Paragraph, Section, TableBlock
from betterthan.report.figures.marks import share_lines
from betterthan.report.inputs import Inputs
from betterthan.report.wording import count, plural
from betterthan.results.ranking import Ranking
from betterthan.tables.scores import Scores

_MOST_PAIRS = 12
_LINES = 3
_LEVEL = 0.05


def sureness_section(inputs: Inputs, ranking: Ranking, *, documents: bool = False) -> Section:
    """Return what neighbors in the ranking would need, and the curves of stability.

    Parameters
    ----------
    inputs : Inputs
    ranking : Ranking
    documents : bool
        Whether documents are the units. Their means are compared where all have equally many segments; where they have
        not, or are so few that no test could be significant, nothing is said about power.
    """
    scores = inputs.scores.complete(missing=inputs.options.get("missing", "raise"))
    result = stability(scores, rng=inputs.options.get("rng", 12345))
    neighbours = list(zip(ranking.systems, ranking.systems[1:], strict=False))[:_MOST_PAIRS]
    units = units_of(scores, "groups") if documents else None
    why_not = "" if units is None else _refused(units)
    what = "segment" if units is None else "document"
    power: tuple[Block, ...] = (Paragraph(why_not, "note"),)
    if not why_not:
        details = [_of(scores, a, b, units) for a, b in neighbours]
        words = _words(details[0], *neighbours[0], metric=scores.name, what=what)
        power = (Paragraph(words), _table(neighbours, details, what))
    caption = _caption(result, scores, ranking, documents=documents)
    curves = Figure(key="stability", svg=_curves(result, scores, ranking), caption=caption)
    lead = (
        f"Smallest difference: the true difference in means that this many {what}s show with 80% power at "
        f"level {_LEVEL:g}, for one pair alone. Needed: {what}s that would show a difference of the size seen."
    )
    return Section(
        key="sure",
        title="How sure could we be?",
        menu="Power",
        lead="" if why_not else lead,
        blocks=(*power, curves),
    )


def _refused(units: Units) -> str:
    """Say why nothing is said about the power of documents; nothing where something is."""
    n, smallest = units.n_units, 2.0 ** (1 - units.n_units)
    if smallest > _LEVEL:
        return (
            f"{n} documents as units show no difference at level {_LEVEL:g}, however large: the smallest p-value of an "
            f"exact permutation test over them is {smallest:.4g}. More documents are needed, not more segments."
        )
    if np.ptp(units.sizes) > 0:
        return (
            "Documents are the units, and they have different numbers of segments; how many of them a difference would "
            "take is therefore not said."
        )
    return ""


def _of(scores: Scores, a: str, b: str, units: Units | None) -> Detectable:
    both = scores.goodness[[scores.systems.index(name) for name in (a, b)]]
    # Equal sizes: the mean of the means of documents is the mean of all segments.
    first, second = both if units is None else units.summed(both) / units.sizes
    return detectable(first - second, alpha=_LEVEL)


def _words(detectable: Detectable, a: str, b: str, *, metric: str, what: str = "segment") -> str:
    if np.isnan(detectable.smallest):
        return f"One {what} shows nothing."
    digits = digits_for([detectable.smallest / 2])
    if detectable.n_needed is None and detectable.difference != 0:
        gap = number(abs(detectable.difference), digits_for([], [detectable.difference]))
        return (
            f"The difference between {a} and {b} is the same on every {what}, {gap} {metric}, so that its spread says "
            f"nothing about how many {what}s it takes."
        )
    size = f"{detectable.smallest:.{digits}f} {metric}"
    sentence = f"{count(detectable.n_segments)} {what}s show a true difference of {size} with 80% power"
    if detectable.n_needed is None:
        equal = f"{a} and {b} have equal means"
        return (
            f"{sentence}; {equal}."
            if detectable.smallest > 0
            else f"{equal}, and equal scores on every {what}."
        )
    many = count(detectable.n_needed)
    more = "more than there are" if detectable.n_needed > detectable.n_segments else "which are there"
    seen = f"{abs(detectable.difference):.{digits}f}"
    return (
        f"{sentence}; for the difference between {a} and {b}, {seen}, it takes about {many} "
        f"{plural(detectable.n_needed, what)}, {more}."
    )


def _table(neighbours: list[tuple[str, str]], details: list[Detectable], what: str) -> TableBlock:
    digits = digits_for([detail.smallest / 2 for detail in details])
    columns = (
        TableColumn(heading="system"),
        TableColumn(heading="next"),
        TableColumn(heading="difference", kind="number", digits=digits),
        TableColumn(heading="smallest shown", kind="number", digits=digits),
        TableColumn(heading=f"{what}s", kind="integer"),
        TableColumn(heading=f"{what}s needed", kind="integer"),
    )
    rows = tuple(
        (a, b, detail.difference, detail.smallest, detail.n_segments, detail.n_needed)
        for (a, b), detail in zip(neighbours, details, strict=True)
    )
    title = "What neighbors in the ranking would need"
    return TableBlock(key="needed", table=Table(title=title, columns=columns, rows=rows))


def _curves(curves: Stability, scores: Scores, ranking: Ranking) -> Markup:
    lines = [("pairs ordered alike", curves.alike.tolist())]
    lines += [
        (f"{name} first", curves.first[:, scores.systems.index(name)].tolist())
        for name in ranking.systems[:_LINES]
    ]
    if np.isnan(curves.alike).any():
        lines = lines[1:]
    return share_lines(
        curves.sizes.tolist(), lines, "Stability as segments are added", across="segments drawn"
    )


def _caption(curves: Stability, scores: Scores, ranking: Ranking, *, documents: bool) -> str:
    half = int(np.searchsorted(curves.sizes, scores.n_segments / 2))
    top = ranking.systems[0]
    share = float(curves.first[half, scores.systems.index(top)])
    drawn = "single segments, not from documents," if documents else "the segments"
    some = f"{count(int(curves.sizes[half]))} of {count(scores.n_segments)} {plural(scores.n_segments, 'segment')}"
    return (
        f"{count(curves.n_draws)} test sets of each size, drawn from {drawn} without replacement. "
        f"With {some} {top} is first in {100 * share:.0f}% of them."
    )
