"""Agreement between ways of aggregating: shares of pairs of systems ordered alike, opposite, or tied in one."""

from __future__ import annotations

from betterthan.present.charts.drawing import Drawing, altair, headed, names, ranking_name, rows
from betterthan.present.charts.theme import Theme
from betterthan.present.numbers import number
from betterthan.results.agreement import Agreement, Concord

_MOST_ROWS = 66
_WIDTH, _STEP = 380, 28


def agreement_chart(result: Agreement, theme: Theme, *, title: str | None = None) -> Drawing:
    """Draw for each two rankings which share of the pairs of systems they order alike, and opposite ways."""
    alt = altair()
    shown = sorted(result.comparisons, key=lambda found: -found.flipped)[:_MOST_ROWS]
    parts = {"ordered alike": theme.good, "tied in one": theme.line, "opposite": theme.bad}
    y = alt.Y(
        "place:Q", axis=None, scale=alt.Scale(domain=[len(shown), 0], nice=False, zero=False, padding=0)
    )
    y2 = alt.Y2("below:Q")
    axis = alt.Axis(format="%", tickCount=6)
    bars = alt.Chart(_parts(shown, parts)).mark_rect(stroke=theme.paper, strokeWidth=0.8)
    bars = bars.encode(
        x=alt.X("from:Q", title="share of pairs of systems (%)", scale=alt.Scale(domain=[0, 1]), axis=axis),
        x2="to:Q",
        y=y,
        y2=y2,
        color=alt.Color(
            "part:N",
            scale=alt.Scale(domain=list(parts), range=list(parts.values())),
            legend=alt.Legend(title=None, orient="top"),
        ),
        tooltip=["first:N", "second:N", "part:N", "share:Q"],
    )
    drawn = alt.layer(bars, *_labels(shown, y, theme)).properties(width=_WIDTH, height=_STEP * len(shown))
    words = [f"{len(result.systems)} systems. At the right: Kendall's tau-b."]
    if len(result.comparisons) > len(shown):
        words.append(
            f"The {len(shown)} most different of {len(result.comparisons)} pairs of rankings are shown."
        )
    return headed(drawn, theme, title="Do the rankings agree?", words=words, width=560, wanted=title)


def _parts(shown: list[Concord], parts: dict[str, str]) -> Drawing:
    table = []
    for place, found in enumerate(shown):
        start = 0.0
        for part, share in zip(parts, (found.alike, found.tied, found.flipped), strict=True):
            table.append(
                (place + 0.14, place + 0.86, start, start + share, part, share, found.first, found.second)
            )
            start += share
    fields = ("place", "below", "from", "to", "part", "share", "first", "second")
    return rows(dict(zip(fields, zip(*table, strict=True), strict=True)))


def _labels(shown: list[Concord], y: Drawing, theme: Theme) -> list[Drawing]:
    alt = altair()
    called = {
        name: names([ranking_name(name)], most=26)[0]
        for found in shown
        for name in (found.first, found.second)
    }
    named = [f"{called[found.first]} and {called[found.second]}" for found in shown]
    tau = [number(found.tau_b, 2) for found in shown]
    data = rows({"place": [place + 0.5 for place in range(len(shown))], "named": named, "tau": tau})
    text = alt.Chart(data).mark_text(fontSize=12, align="right").encode(y=y)
    left = text.encode(x=alt.value(-10), text="named:N", color=alt.value(theme.ink))
    right = text.mark_text(fontSize=12, align="left").encode(
        x=alt.value(_WIDTH + 8), text="tau:N", color=alt.value(theme.dim)
    )
    return [left, right]
