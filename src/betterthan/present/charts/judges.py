"""Judges beside each other: how severe each is, how far from the others, and who is not kept."""

from __future__ import annotations

import numpy as np

from betterthan.present.charts.drawing import Drawing, headed
from betterthan.present.charts.panels import MOST_ROWS, DotPanel, panels_chart, width_of
from betterthan.present.charts.theme import Theme
from betterthan.present.numbers import number
from betterthan.results.human import Judges

_RETAINED, _DROPPED = "kept", "not kept"


def judges_chart(result: Judges, theme: Theme, *, title: str | None = None) -> Drawing:
    """Draw bias, correlation with the others and variance ratio of each judge, the most unusual first."""
    # Who is not kept comes first, so that a long list never hides them; then by how much a judge departs.
    departs = np.nan_to_num(result.variance_ratio, nan=-np.inf)
    order = np.lexsort((-departs, result.keep))
    panels = [
        DotPanel(f"bias ({result.metric} points)", result.bias[order], rule=0.0),
        DotPanel("correlation with others", result.correlation[order]),
        DotPanel("variance ratio (1: median judge)", result.variance_ratio[order], rule=1.0),
    ]
    groups = [_RETAINED if stays else _DROPPED for stays in result.keep[order].tolist()]
    colours = {_RETAINED: theme.accent, _DROPPED: theme.bad}
    drawn = panels_chart(
        [result.judges[i] for i in order.tolist()], panels, theme, groups=groups, colours=colours
    )
    return headed(
        drawn,
        theme,
        title="How do the judges agree?",
        words=_words(result),
        width=width_of(panels),
        override=title,
    )


def _words(result: Judges) -> list[str]:
    n, gone = len(result.judges), len(result.dropped)
    alone = int(np.isnan(result.bias).sum())
    lines = [
        (
            f"Each of {n} judges against the mean of the others on shared outputs; Krippendorff's alpha "
            f"{number(result.agreement.alpha, 2)}."
        ),
        f"{gone} of {n} {'is' if gone == 1 else 'are'} not kept." if gone else "All are kept.",
    ]
    if alone:
        lines.append(
            f"{alone} of {n} {'shares' if alone == 1 else 'share'} too little with others to be placed."
        )
    if n > MOST_ROWS:
        lines.append(f"The {MOST_ROWS} most unusual of {n} judges are shown.")
    return lines
