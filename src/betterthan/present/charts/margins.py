"""How many judgements a margin keeps: the sweep over thresholds."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from betterthan.present.charts.drawing import Drawing, altair, headed, names, rows
from betterthan.present.charts.theme import Theme
from betterthan.results.kept_pairs import KeptPairs

_WIDTH, _HEIGHT = 440, 260


def margins_chart(
    result: KeptPairs | Mapping[str, KeptPairs], theme: Theme, *, title: str | None = None
) -> Drawing:
    """Draw which share of the pairs of outputs lies at least each margin apart; a line for each of several results.

    References
    ----------
    .. [1] Stanchev, Wang and Ney (2020), Towards a better evaluation of metrics for machine translation, WMT, figure 1.
    """
    alt = altair()
    found = {"": result} if isinstance(result, KeptPairs) else dict(result)
    called = names(list(found), most=28) if len(found) > 1 else [""]
    unit = ", ".join(dict.fromkeys(names([each.metric for each in found.values()])[:1]))
    columns: dict[str, list[Any]] = {"line": [], "margin": [], "share": [], "kept": []}
    for name, each in zip(called, found.values(), strict=True):
        table = each.columns()
        columns["line"] += [name] * len(each.margin)
        for field in ("margin", "share", "kept"):
            columns[field] += list(table[field])
    color = alt.value(theme.accent)
    if len(found) > 1:
        color = alt.Color(
            "line:N",
            scale=alt.Scale(
                domain=called, range=[theme.accent, theme.bad, theme.other, theme.dim, theme.ink]
            ),
            legend=alt.Legend(title=None, labelLimit=240),
        )
    base = alt.Chart(rows(columns)).encode(
        x=alt.X("margin:Q", title=f"margin: difference in {unit} of at least (points)"),
        y=alt.Y("share:Q", title="pairs kept (%)", scale=alt.Scale(domain=[0, 1]), axis=alt.Axis(format="%")),
        color=color,
        tooltip=["line:N", "margin:Q", "share:Q", "kept:Q"],
    )
    drawn = base.mark_line(strokeWidth=2) + base.mark_point(filled=True, size=45, opacity=1)
    total = " + ".join(f"{each.n_pairs:,}" for each in found.values()) if len(found) <= 4 else "all"
    words = [f"{total} pairs of systems judged on the same segment; closer ones count as ties."]
    drawn = drawn.properties(width=_WIDTH, height=_HEIGHT)
    return headed(
        drawn, theme, title="What does a margin keep?", words=words, width=_WIDTH + 60, wanted=title
    )
