"""What this test set can show, whether fewer segments would have said the same, and other choices of analysis."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from markupsafe import Markup

from betterthan.analysis.multiverse.multiverse import multiverse
from betterthan.analysis.rank.detectable import Stability, detectable, stability
from betterthan.analysis.units import Units, units_of
from betterthan.arrays import FloatArray
from betterthan.errors import BetterThanError
from betterthan.present.numbers import digits_for, number
from betterthan.present.table import Table, TableCell, TableColumn
from betterthan.present.tables.describe import describe
from betterthan.report.document import Block, Columns, Figure, Paragraph, Section, TableBlock, csv_of
from betterthan.report.figures.marks import share_lines
from betterthan.report.inputs import Inputs
from betterthan.report.wording import about, count, page_table, plural, shortened
from betterthan.results.ranking import Ranking
from betterthan.tables.scores import Scores

_MOST_PAIRS = 12
_FEW = 8  # differences below which the uncertainty of their variance is not estimated
_LINES = 3
_LEVEL = 0.05


def sureness_section(inputs: Inputs, ranking: Ranking, *, documents: bool = False) -> Section:
    """Return what neighbors in the ranking would need, and the curves of stability.

    Parameters
    ----------
    inputs : Inputs
    ranking : Ranking
    documents : bool
        Whether documents are the units. Their means are compared where all have equally many segments; where they do
        not, or are so few that no test could be significant, power is not reported.
    """
    scores = inputs.scores.complete(missing=inputs.options.get("missing", "raise"))
    result = stability(scores, rng=inputs.options.get("rng", 12345))
    neighbors = list(zip(ranking.systems, ranking.systems[1:], strict=False))[:_MOST_PAIRS]
    units = units_of(scores, "groups") if documents else None
    why_not = "" if units is None else _refused(units)
    what = "segment" if units is None else "document"
    power: tuple[Block, ...] = (Paragraph(why_not, "note"),)
    if not why_not:
        gaps = [_differences(scores, a, b, units) for a, b in neighbors]
        adjusted = _adjusted(ranking, len(neighbors)) if units is None else None
        words = _words(gaps[0], *neighbors[0], metric=scores.name, what=what, adjusted=adjusted)
        power = (*(Paragraph(line) for line in words), _table(neighbors, gaps, what, adjusted))
    caption = _caption(result, scores, ranking, documents=documents)
    curves = Figure(key="stability", svg=_curves(result, scores, ranking), caption=caption)
    lead = (
        f"By the mean over {what}s. Detectable: the smallest true difference that this many {what}s show with 80% "
        f"power at level "
        f"{_LEVEL:g}, for one pair alone. Needed: the number of {what}s that would show a difference of the size "
        f"observed; its range reflects the uncertainty of the standard deviation of the differences."
    )
    return Section(
        key="sure",
        title="Power and stability",
        menu="Power",
        lead="" if why_not else lead,
        blocks=(*power, curves) if len(neighbors) > 1 and not why_not else (Columns(power, (curves,)),),
    )


def needed_with_range(n: float, differences: FloatArray) -> str:
    """Return a number of segments with its range, as it stands in a sentence.

    Examples
    --------
    >>> needed_with_range(1146, np.array([1.0, -1.0, 2.0, -2.0, 1.0, 0.5, 3.0, -1.5]))
    '1,100 (650–2,000)'
    """
    return " ".join(part for part in needed_range(n, differences) if part)


def needed_range(n: float, differences: FloatArray) -> tuple[str, str]:
    r"""Return a number of segments, and in brackets the range that the uncertainty of the standard deviation leaves.

    The number is proportional to the variance of the differences, whose relative standard error is

    .. math:: \sqrt{\frac 1n \Big(\frac{m_4}{s^4} - \frac{n - 3}{n - 1}\Big)} ;

    the range is 1.96 of them on the logarithmic scale.
    """
    size = differences.size
    centered = differences - differences.mean()
    variance = float(np.var(differences, ddof=1)) if size > 1 else 0.0
    if size < _FEW or variance == 0:
        return about(n), ""
    excess = float(np.mean(centered**4)) / variance**2 - (size - 3) / (size - 1)
    spread = math.exp(1.96 * math.sqrt(max(excess, 0.0) / size))
    low, high = about(n / spread), about(n * spread)
    return about(n), "" if low == high else f"({low}–{high})"


def _refused(units: Units) -> str:
    """Say why power by documents is not reported; nothing where it is."""
    n, smallest = units.n_units, 2.0 ** (1 - units.n_units)
    if smallest > _LEVEL:
        return (
            f"{n} documents cannot show a difference at level {_LEVEL:g}, however large: the smallest p-value of an "
            f"exact permutation test over them is {smallest:.4g}. More documents are needed, not more segments."
        )
    if np.ptp(units.sizes) > 0:
        return "Power is not reported, because the units are documents with different numbers of segments."
    return ""


def _differences(scores: Scores, a: str, b: str, units: Units | None) -> FloatArray:
    both = scores.goodness[[scores.systems.index(name) for name in (a, b)]]
    # Equal sizes: the mean of the means of documents is the mean of all segments.
    first, second = both if units is None else units.summed(both) / units.sizes
    return np.asarray(first - second)


def _adjusted(ranking: Ranking, n: int) -> list[float] | None:
    """Return the segments that each lead would need after adjustment for all pairs; None where that is not known."""
    if ranking.segments_needed is None or len(ranking.systems) < 3:
        return None
    return [float(needed) for needed in ranking.segments_needed[:n]]


def _words(
    gap: FloatArray, a: str, b: str, *, metric: str, what: str, adjusted: Sequence[float] | None
) -> tuple[str, ...]:
    result = detectable(gap, alpha=_LEVEL)
    if result.n_segments < 2:
        return (f"Power cannot be estimated from one {what}.",)
    if np.isnan(result.smallest):
        return (f"{result.n_segments} {what}s cannot show a difference at level {_LEVEL:g}, however large.",)
    digits = digits_for([result.smallest / 2])
    if result.n_needed is None and result.difference != 0:
        size = number(abs(result.difference), digits_for([], [result.difference]))
        return (
            (
                f"{a} and {b} differ by the same amount on every {what}, {size} {metric}; without variation, the "
                f"number of {what}s needed cannot be estimated."
            ),
        )
    sentence = (
        f"{count(result.n_segments)} {what}s show a true difference of {result.smallest:.{digits}f} {metric} with 80% "
        f"power"
    )
    if result.n_needed is None:
        equal = f"{a} and {b} have equal means"
        return (
            f"{sentence}; {equal}." if result.smallest > 0 else f"{equal}, and equal scores on every {what}.",
        )
    seen = f"{abs(result.difference):.{digits}f}"
    enough = "more than there are" if result.n_needed > result.n_segments else "fewer than there are"
    lines = [
        f"{sentence}.",
        (
            f"To show a difference of the size observed between {a} and {b}, {seen}, takes about "
            f"{needed_with_range(result.n_needed, gap)} {what}s: {enough}."
        ),
    ]
    if adjusted is not None and math.isfinite(adjusted[0]):
        lines.append(
            f"After adjustment for all pairs it takes about {needed_with_range(adjusted[0], gap)} {what}s."
        )
    return tuple(lines)


def _table(
    neighbors: list[tuple[str, str]], gaps: list[FloatArray], what: str, adjusted: Sequence[float] | None
) -> TableBlock:
    details = [detectable(gap, alpha=_LEVEL) for gap in gaps]
    digits = digits_for([detail.smallest / 2 for detail in details])
    columns = (
        TableColumn(heading="system"),
        TableColumn(heading="next"),
        TableColumn(heading="difference", kind="number", digits=digits),
        TableColumn(heading="detectable", kind="number", digits=digits),
        TableColumn(heading=f"{what}s", kind="integer"),
        TableColumn(heading=f"{what}s needed", kind="count"),
        *(
            [TableColumn(heading="needed, adjusted for all pairs", kind="count")]
            if adjusted is not None
            else []
        ),
    )
    rows: tuple[tuple[TableCell, ...], ...] = tuple(
        (
            a,
            b,
            detail.difference,
            detail.smallest,
            detail.n_segments,
            _needed(detail.n_needed, gap),
            *([_needed(adjusted[i], gap)] if adjusted is not None else []),
        )
        for i, ((a, b), detail, gap) in enumerate(zip(neighbors, details, gaps, strict=True))
    )
    title = "What neighbors in the ranking would need"
    return TableBlock(key="needed", table=Table(title=title, columns=columns, rows=rows))


def _needed(n: float | None, gap: FloatArray) -> str:
    return "–" if n is None or not math.isfinite(n) else needed_with_range(n, gap)


def _curves(curves: Stability, scores: Scores, ranking: Ranking) -> Markup:
    lines = [("same order of pairs", curves.alike.tolist())]
    lines += [
        (f"{shortened(name, 18)} first", curves.first[:, scores.systems.index(name)].tolist())
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
    drawn = "single segments, not documents," if documents else "segments"
    some = f"{count(int(curves.sizes[half]))} of {count(scores.n_segments)} {plural(scores.n_segments, 'segment')}"
    return (
        f"Stability: {count(curves.n_draws)} smaller test sets of each size, made of {drawn} drawn without "
        f"replacement. With {some}, {top} ranks first in {100 * share:.0f}% of them."
    )


_MOST_SCORES = 50_000
"""Every analysis of larger tables would take longer than the rest of the report."""


def claim_section(inputs: Inputs, ranking: Ranking) -> Section | None:
    """Return every analysis of "the first system is better than the second"; None where there is none.

    Tables of more than 50,000 scores have no such section.
    """
    scores = inputs.scores
    if len(ranking.systems) < 2 or scores.values.size > _MOST_SCORES:
        return None
    options: dict[str, Any] = {key: inputs.options[key] for key in ("rng",) if key in inputs.options}
    # Hundreds of short jobs would only flicker.
    options |= {key: value for key, value in inputs.computing().items() if key != "progress"}
    try:
        result = multiverse(ranking.systems[:2], scores, missing="drop", **options)
    except BetterThanError:  # such as an aggregation that no system has; the ranking says it
        return None
    shown = describe(result)
    table = page_table(replace(shown, verdict=()))
    return Section(
        key="claim",
        title=f"Does {result.claim} survive other choices of analysis?",
        menu="Other analyses",
        lead=" ".join(shown.verdict),
        blocks=(TableBlock(key="claim-table", table=table, csv=csv_of(table), words=True),),
    )
