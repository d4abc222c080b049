"""Systems that tag words: each measure beside the others, with the labellings that know nothing among them."""

from __future__ import annotations

import numpy as np

from betterthan.present.charts.drawing import Drawing, best_only, correction_name, headed
from betterthan.present.charts.panels import MOST_PANELS, MOST_ROWS, Panel, panels_chart, width_of
from betterthan.present.charts.theme import Theme
from betterthan.present.numbers import percent
from betterthan.present.tag_names import tag_measure_name
from betterthan.results.tag_ranking import TagRanking

_BEST, _REST, _SYNTHETIC = "best group", "other systems", "[knows next to nothing]"


def tag_ranking_chart(result: TagRanking, theme: Theme, *, title: str | None = None) -> Drawing:
    """Draw each system's score with its interval, a panel a measure; synthetic labellings stand in brackets."""
    panels = [
        Panel(tag_measure_name(measure), result.value[:, k], result.low[:, k], result.high[:, k])
        for k, measure in enumerate(result.measures)
    ]
    synthetic = result.is_synthetic.tolist()
    labels = [f"[{name}]" if flag else name for name, flag in zip(result.systems, synthetic, strict=True)]
    groups = [
        _SYNTHETIC if flag else _BEST if group == 1 else _REST
        for flag, group in zip(synthetic, result.cluster[:, 0].tolist(), strict=True)
    ]
    colours = {_BEST: theme.accent, _REST: theme.dim, _SYNTHETIC: theme.bad}
    both = panels_chart(labels, panels, theme, groups=groups, colours=colours)
    return headed(
        both,
        theme,
        title=f"Word tags by {tag_measure_name(result.measures[0])}",
        words=_words(result),
        width=width_of(panels),
        wanted=title,
    )


def _words(result: TagRanking) -> list[str]:
    first = tag_measure_name(result.measures[0])
    real = int(np.count_nonzero(~result.is_synthetic))
    told = [
        f"{result.n_words:,} tags. Dots with {percent(result.confidence)} intervals; best first by {first}."
    ]
    if result.n_pairs:
        told.append(
            f"In colour: the best group by {first}, by randomisation tests at level {result.alpha:g} "
            f"({correction_name(result.correction)})."
        )
    beaten = max(result.above(result.measures[0]).values(), default=0)
    if beaten:
        told.append(
            f"A labelling that knows next to nothing outscores {beaten} of {real} systems by {first}."
        )
    if len(result.measures) > MOST_PANELS:
        told.append(f"{MOST_PANELS} of {len(result.measures)} measures are shown.")
    return [*told, *best_only(len(result.systems), MOST_ROWS)]
