"""Soft pairwise accuracy in pictures: what people say, what a metric says, and how far they agree."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from betterthan.arrays import FloatArray, IntArray
from betterthan.errors import BetterThanError, TableError, unknown_name
from betterthan.messages import Message, Option
from betterthan.present.charts.drawing import Drawing, altair, headed, names, rows
from betterthan.present.charts.matrix import cell_columns, cell_size, headings, squares
from betterthan.present.charts.theme import Theme
from betterthan.results.meta_evaluation import MetaEvaluation

_MOST_SYSTEMS = 60


class Preferences(NamedTuple):
    """How sure people and a metric are that the row is better; systems best first by people.

    Attributes
    ----------
    human, metric : array, shape (m, m)
        From 0, the column is surely better, to 1, the row is.
    agreement : array, shape (m, m)
        1 less the distance between the two.
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
    """Draw the parts of pairwise accuracy (above) and of soft pairwise accuracy (below), a cell a pair of systems.

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
    people = " ".join(names([result.human], most=28))
    panels = [
        panel
        for preferences, label in ((hard, "pairwise accuracy"), (soft, "soft pairwise accuracy"))
        for panel in _panels(preferences, called, (f"people: {people}", name, label), theme)
    ]
    drawn = alt.concat(*panels, columns=3, spacing=22).resolve_scale(color="shared")
    words = [
        "Top: who is better, yes or no. Bottom: how sure, 1 − p. Systems best first by people; row against column."
    ]
    return headed(drawn, theme, title=f"{name} and human judgments", words=words, width=640, override=title)


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
    """Return one less the p-values, and 1 − |difference| ([1] Eq. 1)."""
    at = np.ix_(order, order)
    human, metric = 1 - np.asarray(result.human_pvalue)[at], 1 - np.asarray(result.metric_pvalue)[place][at]
    return Preferences(human, metric, 1 - np.abs(human - metric))


def hard_preferences(result: MetaEvaluation, place: int, order: IntArray) -> Preferences:
    """Return who is better by the means, 0 or 1, a half for ties; they agree when the signs are equal ([1] Eq. 2)."""
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


_LEGEND = "how sure that the row is better; on the right, agreement (1 − distance)"


def _panel(values: FloatArray, called: list[str], title: str, theme: Theme) -> Drawing:
    alt = altair()
    m = len(values)
    size = min(cell_size(3), max(10, 200 // m))
    row, column = np.nonzero(np.triu(np.ones((m, m), dtype=bool), 1))
    data = rows(
        {**cell_columns(row, column), "value": values[row, column], "row": row + 1, "column": column + 1}
    )
    scale = alt.Scale(domain=[0, 0.5, 1], range=[theme.bad, theme.middle, theme.good], interpolate="rgb")
    bar = {"orient": "bottom", "direction": "horizontal", "gradientLength": 150, "titleLimit": 600}
    legend = alt.Legend(title=_LEGEND, values=[0, 0.5, 1], format=".1f", **bar)
    color = alt.Color("value:Q", scale=scale, legend=legend)
    cells = squares(data, m, color, ["row:Q", "column:Q", "value:Q"])
    drawn = alt.layer(cells, *headings(m, called, theme, cell=size))
    top = alt.TitleParams(title, fontSize=12, fontWeight=600, anchor="start", frame="group", offset=8)
    return drawn.properties(width=size * m, height=size * m, title=top)
