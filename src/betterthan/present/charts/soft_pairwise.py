"""Soft pairwise accuracy in pictures: human judgments, a metric, and how far they agree."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from betterthan.arrays import FloatArray, IntArray
from betterthan.errors import BetterThanError, TableError, unknown_name
from betterthan.messages import Message, Option
from betterthan.present.charts.drawing import Drawing, altair, headed, humans_called, names, rows
from betterthan.present.charts.matrix import cell_columns, cell_size, headings, headings_width, squares
from betterthan.present.charts.theme import Theme
from betterthan.present.text_width import text_width
from betterthan.results.meta_evaluation import MetaEvaluation

_MOST_SYSTEMS = 60
_SPACING = 22


class Preferences(NamedTuple):
    """Confidence of humans and of a metric that the row is better; systems best first by humans.

    Attributes
    ----------
    human, metric : array, shape (m, m)
        From 0, where the column is certainly better, to 1, where the row is.
    agreement : array, shape (m, m)
        1 − abs(difference) of the two.
    """

    human: FloatArray
    metric: FloatArray
    agreement: FloatArray

    @property
    def mean(self) -> float:
        """The mean agreement over pairs: soft pairwise accuracy, or pairwise accuracy where all is 0 or 1."""
        above = self.agreement[np.triu_indices(len(self.agreement), 1)]
        known = above[~np.isnan(above)]
        return float(known.mean()) if known.size else float("nan")


def soft_pairwise_chart(
    result: MetaEvaluation, theme: Theme, *, metric: str | None = None, title: str | None = None
) -> Drawing:
    """Draw the parts of pairwise accuracy (above) and of soft pairwise accuracy (below), one cell per system pair.

    Parameters
    ----------
    result : MetaEvaluation
        By soft pairwise accuracy, on one test set.
    theme : Theme
    metric : str, optional
        By default the best one.
    title : str, optional

    References
    ----------
    .. [1] Thompson, Mathur, Deutsch and Khayrallah (2024), Improving statistical significance in human evaluation of
       automatic metrics via soft pairwise accuracy, WMT, figure 1.
    """
    alt = altair()
    place = _index(result, metric)
    order = np.argsort(-result.human_mean, kind="stable")
    hard, soft = hard_preferences(result, place, order), soft_preferences(result, place, order)
    called = names([result.systems[i] for i in order], most=24)
    name = " ".join(names([result.metrics[place]], most=28))
    panels = [
        panel
        for preferences, label in ((hard, "pairwise accuracy"), (soft, "soft pairwise accuracy"))
        for panel in _panels(preferences, called, (humans_called(result.human), name, label), theme)
    ]
    drawn = alt.concat(*panels, columns=3, spacing=_SPACING).resolve_scale(color="shared")
    words = [
        (
            "Top: which system is better. Bottom: confidence that it is, 1 − p. Row compared with column; systems are "
            "sorted by human score, best first."
        )
    ]
    m = len(called)
    width = 3 * _panel_width(m) + headings_width(m, called, cell=_cell(m)) + 2 * (_SPACING + 20)
    return headed(drawn, theme, title=f"{name} and human judgments", words=words, width=width, override=title)


def _index(result: MetaEvaluation, metric: str | None) -> int:
    if result.metric_pvalue is None or result.human_pvalue is None:
        raise BetterThanError(
            Message(
                "P-values of pairs of systems are not available with {given}. Use {by}, on one test set.",
                given=Option("by", result.method),
                by=Option("by", "soft_pairwise_accuracy"),
            )
        )
    if len(result.systems) > _MOST_SYSTEMS:
        raise TableError(
            f"There are {len(result.systems)} systems, and at most {_MOST_SYSTEMS} fit in this chart."
        )
    if metric is not None and metric not in result.metrics:
        raise unknown_name("metric", metric, result.metrics)
    return 0 if metric is None else result.metrics.index(metric)


def soft_preferences(result: MetaEvaluation, place: int, order: IntArray) -> Preferences:
    """Return 1 − p of both, and 1 − abs(difference) ([1] Eq. 1)."""
    at = np.ix_(order, order)
    human, metric = 1 - np.asarray(result.human_pvalue)[at], 1 - np.asarray(result.metric_pvalue)[place][at]
    return Preferences(human, metric, 1 - np.abs(human - metric))


def hard_preferences(result: MetaEvaluation, place: int, order: IntArray) -> Preferences:
    """Return which mean is better, 0 or 1, 0.5 for ties; they agree when the signs are equal ([1] Eq. 2)."""
    human, metric = (
        np.sign(means[order][:, None] - means[order][None, :])
        for means in (result.human_mean, result.metric_mean[place])
    )
    agreement = np.where(np.isnan(human + metric), np.nan, (human == metric).astype(np.float64))
    return Preferences((human + 1) / 2, (metric + 1) / 2, agreement)


def _panels(
    preferences: Preferences, called: list[str], titles: tuple[str, str, str], theme: Theme
) -> list[Drawing]:
    return [
        _panel(preferences.human, called, titles[0], theme),
        _panel(preferences.metric, [], titles[1], theme),
        _panel(preferences.agreement, [], f"{titles[2]} {preferences.mean:.3f}", theme),
    ]


_LEGEND = ["confidence that the row is better;", "right column: agreement, 1 − abs(difference)"]


def _cell(m: int) -> int:
    return min(cell_size(3), max(10, 200 // m))


def _panel_width(m: int) -> float:
    """Return the width of a panel: of its cells, but not less than that of its title."""
    return max(_cell(m) * m, text_width("soft pairwise accuracy 0.000", 12, is_bold=True))


def _panel(values: FloatArray, called: list[str], title: str, theme: Theme) -> Drawing:
    alt = altair()
    m = len(values)
    size = _cell(m)
    row, column = np.nonzero(np.triu(np.ones((m, m), dtype=bool), 1))
    data = rows(
        {**cell_columns(row, column), "value": values[row, column], "row": row + 1, "column": column + 1}
    )
    scale = alt.Scale(domain=[0, 0.5, 1], range=[theme.bad, theme.middle, theme.good], interpolate="rgb")
    bar = {"orient": "bottom", "direction": "horizontal", "gradientLength": 150}
    legend = alt.Legend(title=_LEGEND, values=[0, 0.5, 1], format=".1f", **bar)
    color = alt.Color("value:Q", scale=scale, legend=legend)
    cells = squares(data, m, color, ["row:Q", "column:Q", "value:Q"])
    drawn = alt.layer(cells, *headings(m, called, theme, cell=size))
    top = alt.TitleParams(title, fontSize=12, anchor="start", frame="group", offset=8)
    return drawn.properties(width=size * m, height=size * m, title=top)
