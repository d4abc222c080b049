"""Every kind of chart, light and dark: what is drawn, and what is written."""

from __future__ import annotations

import pytest
from tests.present.charts.pictures import SYSTEMS, mostly_slow, pictured

from betterthan.present.charts.chart import chart_kinds
from betterthan.present.charts.theme import THEMES

# What must be written on a chart: its title, the titles of its axes, its columns or its legend.
WRITTEN = {
    "ranking": ("Ranking by mean", "mean (chrF, higher is better)", "rank and rank range"),
    "pairs": ("Every pair: difference of means, row minus column", "difference of means"),
    "scatter": ("Aster against Birch", "Aster (chrF)", "Birch (chrF)", "Aster better", "Birch better"),
    "differences": (
        "Aster against Birch: paired differences",
        "difference in chrF (positive: Aster better)",
        "segments",
    ),
    "board": ("Board by mean", "mean over tasks, higher is better"),
    "tasks": ("Scores on every task", "share of systems beaten"),
    "boards": ("Boards by topic", "code", "math", "160 battles", "as elsewhere"),
    "fragility": (
        "How firmly is Aster first?",
        "Aster beat Birch",
        "battles of the same two systems with the same outcome",
    ),
    "tradeoffs": (
        "Trade-off of chrF and length",
        "chrF (higher is better)",
        "length (higher is better)",
        "on the front",
    ),
    "power": ("Power by the number of items", "power", "items", "difference"),
    "judge_calibration": (
        "Human labels where the judge's scores are alike",
        "judge (judge)",
        "humans",
    ),
    "corrected": ("A judge corrected by human labels", "mean human, higher is better", "labels alone"),
    "calibration": (
        "Which tests and intervals hold on tables like this one?",
        "called different although equal",
        "intervals that contain the truth",
        "permutation",
    ),
    "evidence": ("Evidence by the number of items", "e-value", "items"),
    "gate": ("Gate: Birch against Aster", "chrF, topic = code", "difference, positive: Birch is better"),
    "multiverse": ("Aster > Birch by every analysis", "Bradley–Terry", "correction", "supported"),
    "agreement": ("Do the rankings agree?", "share of system pairs", "same order", "opposite order"),
    "ranks": ("Ranks by several methods", "mean", "median", "win rate"),
    "metrics": ("Which metrics differ significantly by soft pairwise accuracy?", "row compared with column"),
    "soft_pairwise": ("metric-0 and human judgments", "humans (MQM)"),
    "contributions": (
        "Confidence per system pair: humans and metric-0",
        "confidence of humans (MQM), 1 − p",
        "neither significant",
    ),
    "margins": (
        "Pairs kept by a margin",
        "margin (chrF points)",
        "pairs kept",
    ),
    "aggregation": ("accuracy: three aggregation methods", "pooled", "mean of segments", "bootstrap mean"),
    "confusion": ("Confusion of word tags", "gold BAD", "gold OK", "found (BAD)", "wrongly BAD"),
    "spans": ("Where are the BAD words?", "gold", "OK", "BAD"),
    "tags": ("Word tags by MCC", "MCC", "F1-mult", "[trivial labeling]", "[all-bad]"),
    "quality": (
        "How well is the quality of sentences predicted?",
        "Pearson",
        "Spearman",
        "MAE (lower is better)",
    ),
    "judges": ("Do the judges agree?", "bias (DA points)", "correlation with the others", "kept", "excluded"),
    "diagnosis": (
        "What kind of scores are these? chrF",
        "outliers (% of scores)",
        "rank variation over segments",
    ),
    "study": ("Error rate", "n", "rate", "A paper, Figure 1."),
}
NAMED = {
    "board": SYSTEMS,
    "tasks": SYSTEMS,
    "boards": SYSTEMS,
    "tradeoffs": SYSTEMS,
    "corrected": SYSTEMS,
    "ranking": SYSTEMS,
    "pairs": SYSTEMS,
    "ranks": SYSTEMS,
    "soft_pairwise": SYSTEMS,
    "confusion": SYSTEMS,
    "spans": SYSTEMS,
    "tags": SYSTEMS,
    "quality": SYSTEMS,
    "judges": SYSTEMS,
    "diagnosis": SYSTEMS,
    "study": SYSTEMS,
}
# Marks of 4 systems, 3 rankings, 3 metrics, 3 margins: kind of mark to number.
DRAWN = {
    "ranking": {"symbol": 2 * 4},
    "pairs": {"rect": 4 * 3},
    "scatter": {"symbol": 40, "area": 1, "line": 1},
    "differences": {},
    "board": {"symbol": 4},
    "tasks": {"rect": 4 * 40},
    "boards": {"symbol": 2 * 4, "rule": 2 * 4},
    "fragility": {},
    "tradeoffs": {"symbol": 4, "rule": 2 * 4, "line": 1},
    "power": {"rule": 2},
    "judge_calibration": {"symbol": 10, "rule": 10},
    "corrected": {"symbol": 4 * 3, "rule": 4 * 2},
    "calibration": {"symbol": 7 * 2 + 5 * 2, "rule": 7 * 2 + 5 * 2 + 2},
    "evidence": {"rule": 1},
    "gate": {"symbol": 3, "rule": 3 + 3},
    "multiverse": {},
    "agreement": {"rect": 3 * 3},
    "ranks": {"symbol": 3 * 4, "line": 4},
    "metrics": {"rect": 3},
    "soft_pairwise": {"rect": 6 * 6},
    "contributions": {"symbol": 6, "line": 1},
    "margins": {"symbol": 3, "line": 1},
    "aggregation": {"symbol": 3 * 4},
    "confusion": {"rect": 4 * 4},
    "spans": {},
    "tags": {"symbol": 3 * 9, "rule": 3 * 9 - 5},  # constant tags have a score of 0 without interval
    "quality": {"symbol": 4 * 4, "rule": 4 * 4 + 2},
    "judges": {"symbol": 3 * 4, "rule": 2},
    "diagnosis": {"symbol": 3 * 4},
    "study": {"line": 4},
}


def test_each_kind_is_looked_at():
    """A new kind must say here what is drawn and written."""
    assert set(WRITTEN) == set(DRAWN) == set(chart_kinds())


@pytest.mark.parametrize("theme", mostly_slow(THEMES, "light"))
@pytest.mark.parametrize("kind", chart_kinds())
def test_a_picture_shows_its_marks_and_labels(kind, theme):
    """Titles, units and names are words in it; marks are as many as there is to show."""
    picture = pictured(kind, theme=theme)
    for words in (*WRITTEN[kind], *NAMED.get(kind, ())):
        assert words in picture.words
    for mark, count in DRAWN[kind].items():
        assert len(picture.marks(mark)) == count, mark
    ground = picture.root[0]
    assert ground.attrib["fill"] == THEMES[theme].paper
    assert f'fill="{THEMES[theme].ink}"' in picture.source
