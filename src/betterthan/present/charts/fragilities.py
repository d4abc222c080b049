"""On how few battles a first place depends: bars of the battles that would have to change."""

from __future__ import annotations

from betterthan.present.charts.drawing import Drawing, altair, headed, names, number_axis, rows, widest
from betterthan.present.charts.theme import Theme
from betterthan.present.tables.fragility import fragility_sentences, outcome
from betterthan.results.arena import ChangedVotes, Fragility

_WIDTH, _STEP, _GAP = 360, 24, 1.4
_MOST_KINDS = 20


def fragility_chart(result: Fragility, theme: Theme, *, title: str | None = None) -> Drawing:
    """Draw the fewest battles whose removal or reversal puts another system first, among those of the same kind."""
    alt = altair()
    shown = [row for change in ("removal", "reversal") for row in _of(result, change)[:_MOST_KINDS]]
    called = _outcomes(shown)
    place, headings, height = _places(shown)
    most = max([row.votes_of_kind for row in shown], default=1)
    axis = number_axis((0.0, 1.02 * most), _WIDTH, whole=True)
    down = alt.Scale(domain=[height, 0], nice=False, zero=False, padding=0)
    y = alt.Y("y:Q", axis=None, scale=down)
    columns = {
        "outcome": called,
        "change": [row.change for row in shown],
        "votes": [row.votes for row in shown],
        "of": [row.votes_of_kind for row in shown],
        "y": place,
        "end": [start + 0.76 for start in place],
        "middle": [start + 0.38 for start in place],
        "none": [0.0] * len(shown),
        "text": [f"{row.votes:,} of {row.votes_of_kind:,}" for row in shown],
    }
    base = alt.Chart(rows(columns))
    tooltip = ["change:N", "outcome:N", "votes:Q", "of:Q"]
    x = {"title": "battles of the same two systems with the same outcome", **axis}
    whole = base.mark_rect(color=theme.line).encode(x=alt.X("none:Q", **x), x2="of:Q", y=y, y2="end:Q")
    part = base.mark_rect().encode(
        x=alt.X("none:Q", **x), x2="votes:Q", y=y, y2="end:Q", tooltip=tooltip,
        color=alt.Color(
            "change:N",
            scale=alt.Scale(domain=["removal", "reversal"], range=[theme.accent, theme.bad]),
            legend=None,
        ),
    )  # fmt: skip
    middle = alt.Y("middle:Q", axis=None, scale=down)
    label = base.mark_text(align="right", fontSize=12).encode(
        x=alt.value(-10), y=middle, text="outcome:N", color=alt.value(theme.ink)
    )
    number = base.mark_text(align="left", fontSize=12, dx=6).encode(
        x=alt.X("of:Q", **x), y=middle, text="text:N", color=alt.value(theme.dim)
    )
    above = alt.Chart(rows(headings)).mark_text(align="left", fontWeight=600, fontSize=12)
    heading = above.encode(x=alt.value(0), y=y, text="text:N", color=alt.value(theme.ink))
    return headed(
        alt.layer(whole, part, label, number, heading).properties(width=_WIDTH, height=_STEP * height),
        theme,
        title=f"How firmly is {' '.join(names([result.first]))} first?",
        words=[*fragility_sentences(result), *_left_out(result, len(shown))],
        width=widest(called) + _WIDTH + 70,
        override=title,
    )


def _of(result: Fragility, change: str) -> list[ChangedVotes]:
    return [row for row in result.changed if row.change == change]


def _outcomes(shown: list[ChangedVotes]) -> list[str]:
    """Return what happened in the battles of each row, with names that fit."""
    distinct = list(dict.fromkeys(name for row in shown for name in (row.winner, row.loser)))
    called = dict(zip(distinct, names(distinct, most=26), strict=True))
    return [outcome(row, called[row.winner], called[row.loser]) for row in shown]


def _places(shown: list[ChangedVotes]) -> tuple[list[float], dict[str, list[object]], float]:
    """Return the upper edge of each bar, the headings of the two groups, and the height of all, in rows."""
    place: list[float] = []
    headings: dict[str, list[object]] = {"y": [], "text": []}
    at = 0.0
    for change, words in (("removal", "Remove"), ("reversal", "Reverse")):
        group = [row for row in shown if row.change == change]
        if not group:
            continue
        headings["y"].append(at + 0.45)
        headings["text"].append(f"{words} {sum(row.votes for row in group):,}")
        place += [at + 1 + i for i in range(len(group))]
        at += len(group) + _GAP
    return place, headings, max(at, 1.0)


def _left_out(result: Fragility, shown: int) -> list[str]:
    if shown == len(result.changed):
        return []
    return [f"The {shown} largest of {len(result.changed)} kinds of battles are shown."]
