"""Judges compared: how severe each is, how far from the others, and who is excluded."""

from __future__ import annotations

import numpy as np

from betterthan.present.charts.drawing import Drawing, counted, headed, names
from betterthan.present.charts.panels import MOST_ROWS, DotPanel, panels_chart, width_of
from betterthan.present.charts.theme import Theme
from betterthan.present.numbers import number
from betterthan.results.human import Judges

_RETAINED, _DROPPED = "kept", "excluded"


def judges_chart(result: Judges, theme: Theme, *, title: str | None = None) -> Drawing:
    """Draw bias, correlation with the others and variance ratio of each judge, the most unusual first."""
    # Excluded judges come first, so that a long list never hides them; then by how much a judge departs.
    departs = np.nan_to_num(result.variance_ratio, nan=-np.inf)
    order = np.lexsort((-departs, result.keep))
    panels = [
        DotPanel(f"bias ({' '.join(names([result.metric], most=24))} points)", result.bias[order], rule=0.0),
        DotPanel("correlation with the others", result.correlation[order]),
        DotPanel("variance ratio (1: median judge)", result.variance_ratio[order], rule=1.0),
    ]
    groups = [_RETAINED if stays else _DROPPED for stays in result.keep[order].tolist()]
    colors = {_RETAINED: theme.accent, _DROPPED: theme.bad}
    judges = [result.judges[i] for i in order.tolist()]
    drawn = panels_chart(judges, panels, theme, groups=groups, colors=colors)
    return headed(
        drawn,
        theme,
        title="Do the judges agree?",
        words=_words(result),
        width=width_of(judges, panels),
        override=title,
    )


def _words(result: Judges) -> list[str]:
    n, gone = len(result.judges), len(result.dropped)
    alone = int(np.isnan(result.bias).sum())
    lines = [
        (
            f"{counted(n, 'judge')}, each compared with the mean of the others on shared outputs. "
            f"Krippendorff's alpha: {number(result.agreement.alpha, 2)}."
        ),
        f"{gone:,} of {counted(n, 'judge')} {'is' if gone == 1 else 'are'} excluded."
        if gone
        else "None is excluded.",
    ]
    if alone:
        lines.append(
            f"{alone:,} of {counted(n, 'judge')} {'shares' if alone == 1 else 'share'} too few outputs with others."
        )
    if n > MOST_ROWS:
        lines.append(f"The {MOST_ROWS} most unusual of {n:,} judges are shown.")
    return lines
