"""Which metrics differ significantly: the significance matrix with clusters and ties."""

from __future__ import annotations

import numpy as np

from betterthan.present.charts.drawing import Drawing, altair, best_only, counted, headed, names, rows, widest
from betterthan.present.charts.matrix import (
    MOST_ROWS,
    SMALLEST_WITH_NUMBERS,
    cell_columns,
    cell_size,
    group_lines,
    headings,
    headings_width,
    middles,
    squares,
)
from betterthan.present.charts.theme import Theme, readable_on
from betterthan.present.numbers import number
from betterthan.present.tables.meta_evaluation import differences, measure_name
from betterthan.results.meta_evaluation import MetaEvaluation

_LEGEND = "row compared with column"


def metrics_chart(result: MetaEvaluation, theme: Theme, *, title: str | None = None) -> Drawing:
    """Draw which metric is significantly better than which: rows against the columns behind them.

    Lines separate significance clusters; a bar beside the numbers joins metrics of equal value.

    References
    ----------
    .. [1] Thompson, Mathur, Deutsch and Khayrallah (2024), Improving statistical significance in human evaluation of
       automatic metrics via soft pairwise accuracy, WMT, figure 4.
    """
    alt = altair()
    k = len(result.metrics)
    shown = min(k, MOST_ROWS)
    size = cell_size(shown)
    data = _data(result, shown, theme)
    grounds = _grounds(theme)
    met = [word for word in grounds if any(cell["verdict"] == word for cell in data.values)]
    color = alt.Color(
        "verdict:N",
        scale=alt.Scale(domain=met, range=[grounds[word] for word in met]),
        legend=alt.Legend(
            title=_LEGEND, symbolType="square", symbolStrokeColor=theme.dim, symbolStrokeWidth=1
        ),
    )
    layers = [squares(data, shown, color, ["row:N", "column:N", "p:Q", "verdict:N"])]
    if size >= SMALLEST_WITH_NUMBERS:
        x, y = middles(shown)
        text = alt.Chart(data).mark_text(fontSize=10)
        layers.append(text.encode(x=x, y=y, text="text:N", color=alt.Color("ink:N", scale=None)))
    ends = [i + 1 for i in range(shown - 1) if result.cluster[i] != result.cluster[i + 1]]
    called = names(result.metrics[:shown])
    values = [number(value, 3) for value in result.value[:shown].tolist()]
    layers += [
        *group_lines(shown, ends, theme.accent),
        *headings(shown, called, theme, values=values),
        _ties(result, shown, theme),
    ]
    drawn = alt.layer(*layers).properties(width=size * shown, height=size * shown)
    measure = measure_name(result.method)
    return headed(
        drawn,
        theme,
        title=f"Which metrics differ significantly by {measure}?",
        words=[*_words(result), *best_only(k, shown, "metrics")],
        width=headings_width(shown, called, values=values) + size * shown + 40 + widest([_LEGEND, *met], 12),
        override=title,
    )


def _data(result: MetaEvaluation, shown: int, theme: Theme) -> Drawing:
    row, column = np.nonzero(np.triu(np.ones((shown, shown), dtype=bool), 1))
    p = result.comparisons.adjusted[row, column]
    better = result.comparisons.better[row, column]
    called = names(result.metrics[:shown])
    verdict = np.where(
        np.isnan(p), "not tested", np.where(better, "significantly better", "not significantly different")
    )
    grounds = _grounds(theme)
    return rows(
        {
            **cell_columns(row, column),
            "row": [called[i] for i in row],
            "column": [called[j] for j in column],
            "p": p,
            "text": [short_pvalue(value) for value in p.tolist()],
            "verdict": verdict.tolist(),
            "ink": [readable_on(grounds[word]) for word in verdict.tolist()],
        }
    )


def _grounds(theme: Theme) -> dict[str, str]:
    return {
        "significantly better": theme.good,
        "not significantly different": theme.middle,
        "not tested": theme.line,
    }


def short_pvalue(p: float) -> str:
    """Return a p-value in few letters, never as 0.

    Examples
    --------
    >>> short_pvalue(0.0004), short_pvalue(0.034), short_pvalue(1.0), short_pvalue(float("nan"))
    ('<.001', '.034', '1.00', '–')
    """
    if np.isnan(p):
        return "–"
    if p < 0.001:
        return "<.001"
    return f"{p:.3f}".removeprefix("0") if p < 0.9995 else "1.00"


def _ties(result: MetaEvaluation, shown: int, theme: Theme) -> Drawing:
    """Join metrics of equal value by a bar, adjacent groups in two colors."""
    alt = altair()
    ranks = result.rank[:shown]
    defined = ~np.isnan(result.value[:shown])
    groups = [np.flatnonzero((ranks == rank) & defined) for rank in np.unique(ranks)]
    tied = [group for group in groups if group.size > 1]
    data = rows(
        {
            "y": [float(group[0]) + 0.12 for group in tied],
            "end": [float(group[-1]) + 0.88 for group in tied],
            "ink": [(theme.other, theme.bad)[i % 2] for i in range(len(tied))],
        }
    )
    _, y = middles(shown)
    bar = alt.Chart(data).mark_rule(strokeWidth=3)
    return bar.encode(x=alt.value(-2), y=y, y2="end:Q", color=alt.Color("ink:N", scale=None))


def _words(result: MetaEvaluation) -> list[str]:
    k = len(result.metrics)
    if result.comparisons.test == "none":
        return ["Nothing was tested."]
    verdict = f"{differences(result)}."
    parts = [verdict]
    if result.n_clusters > 1:
        parts.append(f"Lines separate {result.n_clusters:,} significance clusters.")
    if result.n_distinct < k:
        distinct = counted(result.n_distinct, "distinct value")
        parts.append(f"Bars beside the numbers join equal values ({distinct} of {counted(k, 'metric')}).")
    return [" ".join(parts)]
