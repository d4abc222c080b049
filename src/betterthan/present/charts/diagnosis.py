"""What kind of scores these are, system by system: outliers, rank variation, and correlation with the others."""

from __future__ import annotations

import numpy as np

from betterthan.arrays import FloatArray
from betterthan.present.charts.drawing import Drawing, counted, headed, names
from betterthan.present.charts.panels import MOST_ROWS, DotPanel, panels_chart, width_of
from betterthan.present.charts.theme import Theme
from betterthan.present.numbers import number, percent
from betterthan.results.checkup import Diagnosis


def diagnosis_chart(result: Diagnosis, theme: Theme, *, title: str | None = None) -> Drawing:
    """Draw each system's share of outliers, how much its rank varies, and its correlation with the others."""
    panels = [
        DotPanel("outliers (% of scores)", 100 * result.outlier_share_by_system),
        DotPanel("rank variation over segments", result.rank_spread_by_system),
        DotPanel("mean tau-b with the others", with_others(result.kendall)),
    ]
    system = "system"
    drawn = panels_chart(
        result.systems, panels, theme, groups=[system] * len(result.systems), colors={system: theme.accent}
    )
    ties = percent(round(result.tie_share, 3))
    words = [
        (
            f"{counted(len(result.systems), 'system')}, {counted(result.n_segments, 'segment')}. Ties: {ties} of "
            f"comparisons. Correlation between systems: {number(result.pairing, 2)}.{_cycles(result)}"
        ),
        *_first_only(len(result.systems)),
    ]
    heading = f"What kind of scores are these? {' '.join(names([result.metric]))}"
    return headed(
        drawn, theme, title=heading, words=words, width=width_of(result.systems, panels), override=title
    )


def _cycles(result: Diagnosis) -> str:
    """Return a sentence about cycles among three systems; nothing where there are fewer systems."""
    if not result.n_triples:
        return ""
    chance = number(result.expected_cycles, 1)
    return f" Cycles: {result.count('cycle'):,} of {counted(result.n_triples, 'triple')} ({chance} expected by chance)."


def _first_only(n: int) -> list[str]:
    """Say that systems are left out; they are in the order of the data, so that the first are not the best."""
    return [f"The first {MOST_ROWS} of {n:,} systems are shown."] if n > MOST_ROWS else []


def with_others(kendall: FloatArray) -> FloatArray:
    """Return the mean of each row without its diagonal; NaN where no entry is defined.

    Examples
    --------
    >>> with_others(np.array([[1.0, 0.5, np.nan], [0.5, 1.0, 0.25], [np.nan, 0.25, 1.0]])).tolist()
    [0.5, 0.375, 0.25]
    """
    others = ~np.isnan(kendall) & ~np.eye(len(kendall), dtype=np.bool_)
    count = others.sum(axis=1)
    total = np.where(others, kendall, 0.0).sum(axis=1)
    return np.asarray(np.divide(total, count, out=np.full(len(kendall), np.nan), where=count > 0))
