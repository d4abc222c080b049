"""Every pair of systems: how often the row beats the column, and which pairs are told apart."""

from __future__ import annotations

import numpy as np

from betterthan.arrays import FloatArray
from betterthan.present.charts.drawing import Drawing, altair, best_only, correction_name, headed, names, rows
from betterthan.present.charts.matrix import (
    MOST_ROWS,
    SMALLEST_WITH_NUMBERS,
    cell_columns,
    cell_size,
    headings,
    middles,
    squares,
)
from betterthan.present.charts.theme import Theme, diverging, readable_on
from betterthan.present.numbers import number
from betterthan.results.pairwise import PairwiseTable


def pairs_chart(result: PairwiseTable, theme: Theme, *, title: str | None = None) -> Drawing:
    """Draw the matrix of P(row beats column), ties half; pairs that are told apart are bold, or dotted where small.

    References
    ----------
    .. [1] Peyrard, Zhao, Eger and West (2021), Better than average: paired evaluation of NLP systems, ACL; figure 5.
    """
    alt = altair()
    shown = min(len(result.systems), MOST_ROWS)
    size = cell_size(shown)
    reach = _reach(share_of_wins(result)[:shown, :shown])
    data = _data(result, shown, reach, theme)
    domain = [0.5 - reach, 0.5, 0.5 + reach]
    scale = alt.Scale(
        domain=domain, range=[theme.bad, theme.middle, theme.good], interpolate="rgb", clamp=True
    )
    legend = alt.Legend(title="P(row beats column)", gradientLength=110, format=".2f", values=domain)
    color = alt.Color("share:Q", scale=scale, legend=legend)
    tooltip = ["row:N", "column:N", "share:Q", "effect:Q", "p:Q", "told:N"]
    layers = [
        # The data stands once above both layers: with many systems, copies of it cost seconds.
        alt.layer(
            squares(alt.Undefined, shown, color, tooltip),
            *_marks(shown, numbers=size >= SMALLEST_WITH_NUMBERS),
            data=data,
        ),
        *headings(shown, names(result.systems[:shown]), theme),
    ]
    drawn = alt.layer(*layers).properties(width=size * shown, height=size * shown)
    return headed(
        drawn,
        theme,
        title="Every pair: how often the row beats the column",
        words=_words(result, shown),
        width=max(460, size * shown + 200),
        wanted=title,
    )


def share_of_wins(result: PairwiseTable) -> FloatArray:
    """Return systems × systems: share of comparisons that the row wins, ties half; NaN where there are none.

    Where the effect itself is such a probability, it is the effect: of battles, the model's.
    """
    if result.effect_name.startswith("P("):
        return result.effect
    compared = result.wins + result.ties + result.losses
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray(np.where(compared > 0, (result.wins + result.ties / 2) / compared, np.nan))


def _reach(share: FloatArray) -> float:
    """Return how far colours reach from one half: as far as the data, so that close systems are not all pale."""
    known = np.abs(share[~np.isnan(share)] - 0.5)
    return float(np.clip(np.ceil(20 * known.max(initial=0.0)) / 20, 0.1, 0.5))


def _data(result: PairwiseTable, shown: int, reach: float, theme: Theme) -> Drawing:
    share, better = share_of_wins(result), result.better()
    row, column = np.nonzero(~np.eye(shown, dtype=bool))
    called = names(result.systems[:shown])
    at = (row, column)
    told = (better | better.T)[at]
    return rows(
        {
            **cell_columns(row, column),
            "row": [called[i] for i in row],
            "column": [called[j] for j in column],
            "share": share[at],
            "effect": result.effect[at],
            "p": result.adjusted[at],
            "told": np.where(told, "told apart", "not told apart").tolist(),
            "text": [number(value, 2) for value in share[at].tolist()],
            "ink": [_ink(value, reach, theme) for value in share[at].tolist()],
        }
    )


def _ink(share: float, reach: float, theme: Theme) -> str:
    """Return the colour of what is written on a cell."""
    ground = theme.paper if np.isnan(share) else diverging(0.5 + (share - 0.5) / (2 * reach), theme)
    return readable_on(ground)


def _marks(shown: int, *, numbers: bool) -> list[Drawing]:
    alt = altair()
    x, y = middles(shown)
    base = alt.Chart().encode(x=x, y=y, color=alt.Color("ink:N", scale=None))
    told, untold = (
        base.transform_filter(f"datum.told == '{which}'") for which in ("told apart", "not told apart")
    )
    if numbers:
        return [
            told.mark_text(fontWeight="bold", fontSize=11, aria=False).encode(text="text:N"),
            untold.mark_text(fontSize=11, aria=False).encode(text="text:N"),
        ]
    return [told.mark_point(filled=True, opacity=0.9, size=9, aria=False)]


def _words(result: PairwiseTable, shown: int) -> list[str]:
    m = len(result.systems)
    mark = "Bold" if cell_size(shown) >= SMALLEST_WITH_NUMBERS else "Dotted"
    correction = correction_name(result.correction)
    told = (
        f"{mark}: told apart at level {result.alpha:g} by {result.test} tests ({correction}), "
        f"{result.n_different} of {m * (m - 1) // 2} pairs."
    )
    return [f"Ties count half. {told}", *best_only(m, shown)]
