"""Calibration of a judge: human labels where its scores are alike."""

from __future__ import annotations

import numpy as np

from betterthan.errors import NotEstimable
from betterthan.present.charts.drawing import Drawing, altair, headed, humans_called, number_axis, rows
from betterthan.present.charts.theme import Theme
from betterthan.present.geometry import limits_around
from betterthan.present.numbers import percent
from betterthan.results.judge_audit import JudgeAudit

_WIDTH, _HEIGHT = 380, 300


def judge_calibration_chart(result: JudgeAudit, theme: Theme, *, title: str | None = None) -> Drawing:
    """Draw the mean human label against the judge's score, with intervals; the diagonal where they share a scale."""
    if not result.bin_n.size:
        raise NotEstimable("Without human labels of scores there is no calibration to draw.")
    alt = altair()
    known = np.concatenate([result.bin_human, result.bin_low, result.bin_high])
    known = known[np.isfinite(known)]
    both = np.concatenate([known, result.bin_judge]) if result.same_scale else known
    across = limits_around(both if result.same_scale else result.bin_judge, share=0.06) or (0.0, 1.0)
    up = limits_around(both, share=0.06) or (0.0, 1.0)
    x = alt.X("judge:Q", title=f"judge ({result.judge})", **number_axis(across, _WIDTH))
    y = alt.Y("human:Q", title=humans_called(result.human), **number_axis(up, _HEIGHT, across=False))
    data = rows(
        {
            "judge": result.bin_judge,
            "human": result.bin_human,
            "low": result.bin_low,
            "high": result.bin_high,
            "n": result.bin_n,
        }
    )
    base = alt.Chart(data).encode(x=x)
    layers = []
    if result.same_scale:
        ends = [max(across[0], up[0]), min(across[1], up[1])]
        diagonal = alt.Chart(rows({"judge": ends, "human": ends}))
        layers.append(diagonal.mark_line(color=theme.dim, strokeDash=[3, 3]).encode(x=x, y=y))
    reach = base.mark_rule(color=theme.accent, strokeWidth=1.6)
    layers.append(reach.encode(y=alt.Y("low:Q", title=humans_called(result.human)), y2="high:Q"))
    dots = base.mark_circle(color=theme.accent, opacity=1, size=70)
    layers.append(dots.encode(y=y, tooltip=["judge:Q", "human:Q", "low:Q", "high:Q", "n:Q"]))
    words = [f"{int(result.bin_n.sum()):,} labels; lines: {percent(result.confidence)} CI of the mean label."]
    if result.same_scale:
        words.append("Dashed: judge and humans give the same scores.")
    drawn = alt.layer(*layers).properties(width=_WIDTH, height=_HEIGHT)
    return headed(
        drawn,
        theme,
        title="Human labels where the judge's scores are alike",
        words=words,
        width=_WIDTH + 60,
        override=title,
    )
