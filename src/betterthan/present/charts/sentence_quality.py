"""Predicted quality of sentences: correlations and errors side by side, and what a constant reaches."""

from __future__ import annotations

from betterthan.present.charts.drawing import Drawing, best_only, headed
from betterthan.present.charts.panels import MOST_ROWS, Panel, panels_chart, width_of
from betterthan.present.charts.theme import Theme
from betterthan.present.numbers import percent
from betterthan.present.sentence_quality import test_name
from betterthan.results.sentence_quality import SentenceQuality

_BEST, _REST = "not significantly different from the best", "significantly worse than the best"


def sentence_quality_chart(result: SentenceQuality, theme: Theme, *, title: str | None = None) -> Drawing:
    """Draw Pearson, Spearman, MAE and RMSE of each system; a line shows the error of always saying the mean."""
    measures = (
        ("Pearson", result.pearson, None),
        ("Spearman", result.spearman, None),
        ("MAE, lower is better", result.mae, result.constant_mae),
        ("RMSE, lower is better", result.rmse, result.constant_rmse),
    )
    panels = [
        Panel(name, value, result.low[:, i], result.high[:, i], rule)
        for i, (name, value, rule) in enumerate(measures)
    ]
    best = set(result.letters[0])
    groups = [_BEST if set(letters) & best or i == 0 else _REST for i, letters in enumerate(result.letters)]
    colours = {_BEST: theme.accent, _REST: theme.dim}
    words = [
        (
            f"{result.settings.n_segments:,} sentences. Dots with {percent(result.confidence)} intervals; best first "
            f"by Pearson; colours by {test_name(result)} at level {result.alpha:g}, Holm-adjusted."
        ),
        "Dashed: the error of always predicting the mean of the truth.",
        *best_only(len(result.systems), MOST_ROWS),
    ]
    return headed(
        panels_chart(result.systems, panels, theme, groups=groups, colours=colours),
        theme,
        title="How well is the quality of sentences predicted?",
        words=words,
        width=width_of(panels),
        wanted=title,
    )
