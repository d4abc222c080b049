"""Every pair of systems: the effect that was tested, and which pairs differ significantly."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from betterthan.present.charts.drawing import (
    Drawing,
    altair,
    best_only,
    correction_name,
    counted,
    headed,
    names,
    rows,
    widest,
)
from betterthan.present.charts.matrix import (
    MOST_ROWS,
    SMALLEST_WITH_NUMBERS,
    cell_columns,
    cell_size,
    headings,
    headings_width,
    middles,
    squares,
)
from betterthan.present.charts.theme import Theme, diverging, readable_on
from betterthan.present.numbers import number
from betterthan.present.tables.pairwise import by_words
from betterthan.results.pairwise import PairwiseTable

_MOST_DECIMALS = 4
_FEW_SYSTEMS = 9  # systems up to which cells are wide
_DIFFERENT, _NOT_DIFFERENT = "significantly different", "not significantly different"
_TIES = {
    "drop": "Ties are left out.",
    "half": "Ties count as half.",
    "davidson": "Ties are modeled (Davidson).",
    "rao_kupper": "Ties are modeled (Rao and Kupper).",
    "as_published": "Ties go to the second system.",
}


def pairs_chart(result: PairwiseTable, theme: Theme, *, title: str | None = None) -> Drawing:
    """Draw the matrix of what was tested: P(row beats column), or the difference of row and column.

    Pairs that differ significantly are bold, or dotted where cells are small. Probabilities have one color scale
    in all figures, 0 to 1; differences, which are in units of the metric, have one up to the largest of them.

    References
    ----------
    .. [1] Peyrard, Zhao, Eger and West (2021), Better than average: paired evaluation of NLP systems, ACL; figure 5.
    """
    alt = altair()
    shown = min(len(result.systems), MOST_ROWS)
    size = cell_size(shown)
    scale = pair_scale(result, shown)
    called = names(result.systems[:shown])
    data = _data(result, shown, scale, theme)
    domain = [scale.middle - scale.reach, scale.middle, scale.middle + scale.reach]
    colors = alt.Scale(
        domain=domain, range=[theme.bad, theme.middle, theme.good], interpolate="rgb", clamp=True
    )
    legend = alt.Legend(
        title=result.effect_name, gradientLength=110, format=f".{scale.decimals}f", values=domain
    )
    color = alt.Color("effect:Q", scale=colors, legend=legend)
    tooltip = ["row:N", "column:N", "effect:Q", "wins:Q", "ties:Q", "losses:Q", "p:Q", "verdict:N"]
    layers = [
        # The data stands once above both layers: with many systems, copies of it cost seconds.
        alt.layer(
            squares(alt.Undefined, shown, color, tooltip),
            *_marks(shown, numbers=size >= SMALLEST_WITH_NUMBERS),
            data=data,
        ),
        *headings(shown, called, theme),
    ]
    drawn = alt.layer(*layers).properties(width=size * shown, height=size * shown)
    what = (
        f"how often the row beats the column{by_words(result)}"
        if scale.is_share
        else f"{result.effect_name}, row minus column"
    )
    return headed(
        drawn,
        theme,
        title=f"Every pair: {what}",
        words=_words(result, shown, scale),
        width=headings_width(shown, called) + size * shown + 18 + widest([result.effect_name], 12),
        override=title,
    )


class PairScale(NamedTuple):
    """How the effects of pairs are colored and written.

    Attributes
    ----------
    is_share : bool
        Whether the effect is a probability; otherwise it is a difference.
    middle, reach : float
        No difference, and how far from it the strongest colors are.
    decimals : int
    """

    is_share: bool
    middle: float
    reach: float
    decimals: int


def pair_scale(result: PairwiseTable, shown: int) -> PairScale:
    """Return the scale of the first `shown` systems; that of probabilities is always the same."""
    if result.is_probability:
        return PairScale(is_share=True, middle=0.5, reach=0.5, decimals=2)
    sizes = np.abs(result.effect[:shown, :shown])
    largest = float(sizes[np.isfinite(sizes)].max(initial=0.0)) or 1.0
    decimals = min(_MOST_DECIMALS, max(0, 2 - math.floor(math.log10(largest))))
    return PairScale(is_share=False, middle=0.0, reach=largest, decimals=decimals)


def cell_text(effect: float, scale: PairScale, *, narrow: bool) -> str:
    """Write an effect into a cell; narrow cells leave out the 0 before the decimal point.

    Examples
    --------
    >>> cell_text(-0.25, PairScale(False, 0.0, 1.0, 2), narrow=True)
    '−.25'
    """
    text = number(effect, scale.decimals)
    return text.replace("0.", ".", 1) if narrow and abs(effect) < 1 else text


def tests_name(result: PairwiseTable) -> str:
    """What decides whether a pair differs, in words.

    Tests of strengths are called that; all others have a name of their own.
    """
    return {"strengths": "tests of strengths", "wald": "Wald tests"}.get(result.test, f"{result.test} tests")


def ties_words(result: PairwiseTable) -> str:
    """Say what became of ties in the probabilities shown; nothing where there are none, or where they play no part."""
    return _TIES.get(result.tie_policy, "") if result.is_probability and np.nansum(result.ties) else ""


def _data(result: PairwiseTable, shown: int, scale: PairScale, theme: Theme) -> Drawing:
    better = result.better()
    row, column = np.nonzero(~np.eye(shown, dtype=bool))
    called = names(result.systems[:shown])
    at = (row, column)
    differs = (better | better.T)[at]
    effects = result.effect[at]
    return rows(
        {
            **cell_columns(row, column),
            "row": [called[i] for i in row],
            "column": [called[j] for j in column],
            "effect": effects,
            "wins": result.wins[at],
            "ties": result.ties[at],
            "losses": result.losses[at],
            "p": result.adjusted[at],
            "verdict": np.where(differs, _DIFFERENT, _NOT_DIFFERENT).tolist(),
            "text": [cell_text(value, scale, narrow=shown > _FEW_SYSTEMS) for value in effects.tolist()],
            "ink": [_ink(value, scale, theme) for value in effects.tolist()],
        }
    )


def _ink(effect: float, scale: PairScale, theme: Theme) -> str:
    """Return the color of what is written on a cell."""
    place = 0.5 + (effect - scale.middle) / (2 * scale.reach)
    return readable_on(theme.paper if np.isnan(effect) else diverging(place, theme))


def _marks(shown: int, *, numbers: bool) -> list[Drawing]:
    alt = altair()
    x, y = middles(shown)
    base = alt.Chart().encode(x=x, y=y, color=alt.Color("ink:N", scale=None))
    differing, alike = (
        base.transform_filter(f"datum.verdict == '{which}'") for which in (_DIFFERENT, _NOT_DIFFERENT)
    )
    if numbers:
        return [
            differing.mark_text(fontWeight="bold", fontSize=11, aria=False).encode(text="text:N"),
            alike.mark_text(fontSize=11, aria=False).encode(text="text:N"),
        ]
    return [differing.mark_point(filled=True, opacity=0.9, size=9, aria=False)]


def _words(result: PairwiseTable, shown: int, scale: PairScale) -> list[str]:
    m = len(result.systems)
    mark = "Bold" if cell_size(shown) >= SMALLEST_WITH_NUMBERS else "Dotted"
    correction = correction_name(result.correction)
    verdict = (
        f"{mark}: significantly different at level {result.alpha:g} by {tests_name(result)} ({correction}), "
        f"{result.n_different:,} of {counted(m * (m - 1) // 2, 'pair')}."
    )
    before = ties_words(result) if scale.is_share else "Positive: the row is better."
    return [f"{before} {verdict}".strip(), *best_only(m, shown)]
