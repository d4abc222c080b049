"""Word tags against gold: which of the BAD and OK words each system found, a row a system."""

from __future__ import annotations

import numpy as np

from betterthan.arrays import FloatArray, IntArray
from betterthan.errors import TableError
from betterthan.present.charts.drawing import Drawing, altair, headed, names, rows
from betterthan.present.charts.theme import Theme, blended, readable_on
from betterthan.present.numbers import number
from betterthan.tables.tags import WordTags

MOST_SYSTEMS = 100
_WIDTH, _STEP, _GAP = 96, 30, 0.16
_CELLS = (
    ("BAD", "found (BAD)", True),
    ("BAD", "missed (OK)", False),
    ("OK", "wrongly BAD", False),
    ("OK", "left OK", True),
)


def confusion_counts(tags: WordTags) -> IntArray:
    """Return for each system how many words are BAD in both, missed, wrongly BAD, and OK in both; shape (m, 4)."""
    found = (tags.predicted & tags.gold).sum(axis=1)
    marked = tags.predicted.sum(axis=1)
    bad = int(tags.gold.sum())
    return np.stack([found, bad - found, marked - found, tags.n_words - bad - marked + found], axis=1)


def confusion_chart(tags: WordTags, theme: Theme, *, title: str | None = None) -> Drawing:
    """Draw the four cells of each system's confusion matrix in a row, as shares of the BAD and of the OK words.

    Systems that find most stand first: by the share of BAD words found less that of OK words wrongly marked.
    """
    alt = altair()
    if not tags.n_words:
        raise TableError(
            "There are no words, so nothing can be drawn. Look at the files with betterthan check."
        )
    counts = confusion_counts(tags)
    shares = _shares(counts)
    order = np.argsort(-np.nan_to_num(shares[:, 0] - shares[:, 2]), kind="stable")[:MOST_SYSTEMS]
    called = names(tags.systems)
    m = len(order)
    data = rows(_columns(counts[order], shares[order], [called[i] for i in order], theme))
    step = _STEP if m <= 30 else 18
    x = alt.X("left:Q", axis=None, scale=alt.Scale(domain=[0, 4 + _GAP], nice=False, zero=False, padding=0))
    y = alt.Y("top:Q", axis=None, scale=alt.Scale(domain=[m, 0], nice=False, zero=False, padding=0))
    cells = (
        alt.Chart(data)
        .mark_rect(cornerRadius=2)
        .encode(
            x=x,
            x2="right:Q",
            y=y,
            y2="bottom:Q",
            color=alt.Color("fill:N", scale=None),
            tooltip=["system:N", "gold:N", "cell:N", "words:Q", "share:Q"],
        )
    )
    layers = [cells, _texts(data, x, y, small=step < 20), *_headings([called[i] for i in order], x, y, theme)]
    drawn = alt.layer(*layers).properties(width=_WIDTH * 4, height=step * m)
    size = f"{tags.n_words:,} words, {int(tags.gold.sum()):,} of them BAD."
    words = [
        f"{size} Each cell: share of the words whose gold tag stands above. Teal is right, orange is wrong."
    ]
    if len(tags.systems) > m:
        words.append(f"The best {m} of {len(tags.systems)} systems are shown.")
    return headed(drawn, theme, title="Which words were found?", words=words, width=560, wanted=title)


def _shares(counts: IntArray) -> FloatArray:
    bad, good = counts[:, :2].sum(axis=1, keepdims=True), counts[:, 2:].sum(axis=1, keepdims=True)
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.concatenate([counts[:, :2] / bad, counts[:, 2:] / good], axis=1)


def _columns(
    counts: IntArray, shares: FloatArray, called: list[str], theme: Theme
) -> dict[str, list[Drawing]]:
    table = []
    for row, name in enumerate(called):
        for column, (gold, cell, right) in enumerate(_CELLS):
            count, share = int(counts[row, column]), float(shares[row, column])
            left = column + (_GAP if column > 1 else 0)
            ground = _ground(share, right=right, theme=theme)
            table.append(
                {
                    "left": left + 0.02,
                    "right": left + 0.98,
                    "top": row + 0.05,
                    "bottom": row + 0.95,
                    "x": left + 0.5,
                    "y": row + 0.5,
                    "system": name,
                    "gold": gold,
                    "cell": cell,
                    "words": count,
                    "share": share,
                    "fill": ground,
                    "ink": readable_on(ground),
                    "text": "–" if np.isnan(share) else f"{100 * share:.1f}% ({number(count, 0)})",
                }
            )
    return {field: [cell[field] for cell in table] for field in table[0]}


def _ground(share: float, *, right: bool, theme: Theme) -> str:
    if np.isnan(share):
        return theme.middle
    return blended(share, theme.middle, theme.good if right else theme.bad)


def _texts(data: Drawing, x: Drawing, y: Drawing, *, small: bool) -> Drawing:
    alt = altair()
    text = alt.Chart(data).mark_text(fontSize=9 if small else 11)
    return text.encode(
        x=_other(x, "x", alt.X), y=_other(y, "y", alt.Y), text="text:N", color=alt.Color("ink:N", scale=None)
    )


def _other(encoding: Drawing, field: str, kind: Drawing) -> Drawing:
    """Return the same axis for another field."""
    return kind(**{**encoding.to_dict(), "field": field})


def _headings(called: list[str], x: Drawing, y: Drawing, theme: Theme) -> list[Drawing]:
    alt = altair()
    beside = alt.Chart(rows({"y": [i + 0.5 for i in range(len(called))], "system": called}))
    beside = beside.mark_text(align="right", fontSize=12 if len(called) <= 30 else 10).encode(
        x=alt.value(-8), y=_other(y, "y", alt.Y), text="system:N", color=alt.value(theme.ink)
    )
    middle = [column + 0.5 + (_GAP if column > 1 else 0) for column in range(4)]
    cells = alt.Chart(rows({"x": middle, "cell": [cell for _, cell, _ in _CELLS]})).mark_text(
        baseline="bottom"
    )
    cells = cells.encode(x=_other(x, "x", alt.X), y=alt.value(-5), text="cell:N", color=alt.value(theme.dim))
    gold = alt.Chart(rows({"x": [1.0, 3 + _GAP], "gold": ["gold BAD", "gold OK"]}))
    gold = gold.mark_text(baseline="bottom", fontSize=12, fontWeight=600).encode(
        x=_other(x, "x", alt.X), y=alt.value(-22), text="gold:N", color=alt.value(theme.ink)
    )
    return [beside, cells, gold]
