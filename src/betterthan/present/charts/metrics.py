"""Metrics drawn: the significance matrix with clusters and ties, and soft pairwise accuracy.

Quality estimation: word tags and the gold standard, single segments, measures, and sentences.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from betterthan.arrays import FloatArray, IntArray
from betterthan.errors import BetterThanError, TableError, unknown_name
from betterthan.messages import Message, Option
from betterthan.present.charts.drawing import (
    Drawing,
    altair,
    best_only,
    correction_name,
    counted,
    headed,
    humans_called,
    names,
    rows,
    widest,
)
from betterthan.present.charts.panels import (
    MOST_PANELS,
    MOST_ROWS,
    SMALLEST_WITH_NUMBERS,
    DotPanel,
    cell_columns,
    cell_size,
    group_lines,
    headings,
    headings_width,
    middles,
    panels_chart,
    squares,
    width_of,
)
from betterthan.present.charts.theme import Theme, blended, readable_on
from betterthan.present.geometry import rank_ticks
from betterthan.present.numbers import number, percent
from betterthan.present.tables.metrics import differences, measure_name, tag_measure_name, test_name
from betterthan.present.text_width import text_width
from betterthan.results.metrics import MetaEvaluation, SentenceQuality, TagRanking
from betterthan.tables.tags import WordTags

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


_MOST_SYSTEMS = 60
_SPACING = 22


class Preferences(NamedTuple):
    """Confidence of humans and of a metric that the row is better; systems best first by humans.

    Attributes
    ----------
    human, metric : array, shape (m, m)
        From 0, where the column is certainly better, to 1, where the row is.
    agreement : array, shape (m, m)
        1 − abs(difference) of the two.
    """

    human: FloatArray
    metric: FloatArray
    agreement: FloatArray

    @property
    def mean(self) -> float:
        """The mean agreement over pairs: soft pairwise accuracy, or pairwise accuracy where all is 0 or 1."""
        above = self.agreement[np.triu_indices(len(self.agreement), 1)]
        known = above[~np.isnan(above)]
        return float(known.mean()) if known.size else float("nan")


def soft_pairwise_chart(
    result: MetaEvaluation, theme: Theme, *, metric: str | None = None, title: str | None = None
) -> Drawing:
    """Draw the parts of pairwise accuracy (above) and of soft pairwise accuracy (below), one cell per system pair.

    Parameters
    ----------
    result : MetaEvaluation
        By soft pairwise accuracy, on one test set.
    theme : Theme
    metric : str, optional
        By default the best one.
    title : str, optional

    References
    ----------
    .. [1] Thompson, Mathur, Deutsch and Khayrallah (2024), Improving statistical significance in human evaluation of
       automatic metrics via soft pairwise accuracy, WMT, figure 1.
    """
    alt = altair()
    place = _index(result, metric)
    order = np.argsort(-result.human_mean, kind="stable")
    hard, soft = hard_preferences(result, place, order), soft_preferences(result, place, order)
    called = names([result.systems[i] for i in order], most=24)
    name = " ".join(names([result.metrics[place]], most=28))
    panels = [
        panel
        for preferences, label in ((hard, "pairwise accuracy"), (soft, "soft pairwise accuracy"))
        for panel in _panels(preferences, called, (humans_called(result.human), name, label), theme)
    ]
    drawn = alt.concat(*panels, columns=3, spacing=_SPACING).resolve_scale(color="shared")
    words = [
        (
            "Top: which system is better. Bottom: confidence that it is, 1 − p. Row compared with column; systems are "
            "sorted by human score, best first."
        )
    ]
    m = len(called)
    width = 3 * _panel_width(m) + headings_width(m, called, cell=_cell(m)) + 2 * (_SPACING + 20)
    return headed(drawn, theme, title=f"{name} and human judgments", words=words, width=width, override=title)


def _index(result: MetaEvaluation, metric: str | None) -> int:
    if result.metric_pvalue is None or result.human_pvalue is None:
        raise BetterThanError(
            Message(
                "P-values of pairs of systems are not available with {given}. Use {by}, on one test set.",
                given=Option("by", result.method),
                by=Option("by", "soft_pairwise_accuracy"),
            )
        )
    if len(result.systems) > _MOST_SYSTEMS:
        raise TableError(
            f"There are {len(result.systems)} systems, and at most {_MOST_SYSTEMS} fit in this chart."
        )
    if metric is not None and metric not in result.metrics:
        raise unknown_name("metric", metric, result.metrics)
    return 0 if metric is None else result.metrics.index(metric)


def soft_preferences(result: MetaEvaluation, place: int, order: IntArray) -> Preferences:
    """Return 1 − p of both, and 1 − abs(difference) ([1] Eq. 1)."""
    at = np.ix_(order, order)
    human, metric = 1 - np.asarray(result.human_pvalue)[at], 1 - np.asarray(result.metric_pvalue)[place][at]
    return Preferences(human, metric, 1 - np.abs(human - metric))


def hard_preferences(result: MetaEvaluation, place: int, order: IntArray) -> Preferences:
    """Return which mean is better, 0 or 1, 0.5 for ties; they agree when the signs are equal ([1] Eq. 2)."""
    human, metric = (
        np.sign(means[order][:, None] - means[order][None, :])
        for means in (result.human_mean, result.metric_mean[place])
    )
    agreement = np.where(np.isnan(human + metric), np.nan, (human == metric).astype(np.float64))
    return Preferences((human + 1) / 2, (metric + 1) / 2, agreement)


def _panels(
    preferences: Preferences, called: list[str], titles: tuple[str, str, str], theme: Theme
) -> list[Drawing]:
    return [
        _panel(preferences.human, called, titles[0], theme),
        _panel(preferences.metric, [], titles[1], theme),
        _panel(preferences.agreement, [], f"{titles[2]} {preferences.mean:.3f}", theme),
    ]


_SOFT_LEGEND = ["confidence that the row is better;", "right column: agreement, 1 − abs(difference)"]


def _cell(m: int) -> int:
    return min(cell_size(3), max(10, 200 // m))


def _panel_width(m: int) -> float:
    """Return the width of a panel: of its cells, but not less than that of its title."""
    return max(_cell(m) * m, text_width("soft pairwise accuracy 0.000", 12, is_bold=True))


def _panel(values: FloatArray, called: list[str], title: str, theme: Theme) -> Drawing:
    alt = altair()
    m = len(values)
    size = _cell(m)
    row, column = np.nonzero(np.triu(np.ones((m, m), dtype=bool), 1))
    data = rows(
        {**cell_columns(row, column), "value": values[row, column], "row": row + 1, "column": column + 1}
    )
    scale = alt.Scale(domain=[0, 0.5, 1], range=[theme.bad, theme.middle, theme.good], interpolate="rgb")
    bar = {"orient": "bottom", "direction": "horizontal", "gradientLength": 150}
    legend = alt.Legend(title=_SOFT_LEGEND, values=[0, 0.5, 1], format=".1f", **bar)
    color = alt.Color("value:Q", scale=scale, legend=legend)
    cells = squares(data, m, color, ["row:Q", "column:Q", "value:Q"])
    drawn = alt.layer(cells, *headings(m, called, theme, cell=size))
    top = alt.TitleParams(title, fontSize=12, anchor="start", frame="group", offset=8)
    return drawn.properties(width=size * m, height=size * m, title=top)


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
    true_positives = (tags.predicted & tags.gold).sum(axis=1)
    marked = tags.predicted.sum(axis=1)
    bad = int(tags.gold.sum())
    return np.stack(
        [
            true_positives,
            bad - true_positives,
            marked - true_positives,
            tags.n_words - bad - marked + true_positives,
        ],
        axis=1,
    )


def confusion_chart(tags: WordTags, theme: Theme, *, title: str | None = None) -> Drawing:
    """Draw the four cells of each system's confusion matrix in a row, as shares of the BAD and of the OK words.

    Systems are sorted by the share of BAD words found minus that of OK words wrongly marked.
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
    size = f"{counted(tags.n_words, 'word')}, {int(tags.gold.sum()):,} of them BAD."
    words = [f"{size} Each cell: share of the words with that gold tag. Teal is right, orange is wrong."]
    if len(tags.systems) > m:
        words += best_only(len(tags.systems), m)
    width = widest([called[i] for i in order], 12 if m <= 30 else 10) + 8 + 4 * _WIDTH
    return headed(drawn, theme, title="Confusion of word tags", words=words, width=width, override=title)


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
                    "text": "–" if np.isnan(share) else f"{100 * share:.1f}% ({count:,})",
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


MOST_SEGMENTS, MOST_SPAN_SYSTEMS, MOST_WORDS = 12, 40, 120
_SPAN_STEP = 20
_FEW_SYSTEMS = 15  # up to which three segments fit on a page


def spans_chart(
    tags: WordTags,
    theme: Theme,
    *,
    segments: Sequence[str] | None = None,
    words: Sequence[Sequence[str]] | None = None,
    title: str | None = None,
) -> Drawing:
    """Draw the tags of a few segments word by word: gold on top, one row per system below.

    Parameters
    ----------
    tags : WordTags
    theme : Theme
    segments : sequence of str, optional
        By default the three that divide the systems most, where most words are tagged wrongly by some and rightly by
        others; only one where there are many systems.
    words : sequence of sequences of str, optional
        The words of every segment of `tags`, to be written above the tags.
    title : str, optional
    """
    alt = altair()
    chosen = _chosen(tags, segments)
    if words is not None:
        _check(tags, words)
    panels = [_tags_panel(tags, i, None if words is None else words[i], theme) for i in chosen]
    drawn = alt.vconcat(*panels, spacing=26).resolve_scale(color="shared")
    lines = ["Each square is a word. The top row is the gold standard; a ring marks a wrong tag."]
    if len(tags.systems) > MOST_SPAN_SYSTEMS:
        lines.append(f"The first {MOST_SPAN_SYSTEMS} of {len(tags.systems):,} systems are shown.")
    if max(int(tags.offsets[i + 1] - tags.offsets[i]) for i in chosen) > MOST_WORDS:
        lines.append(f"Of longer segments, the first {MOST_WORDS} words are shown.")
    longest = max(int(tags.offsets[i + 1] - tags.offsets[i]) for i in chosen)
    width = widest(names(tags.systems[:MOST_SPAN_SYSTEMS], most=28), 11) + 90 + _SPAN_STEP * min(longest, 45)
    return headed(drawn, theme, title="Where are the BAD words?", words=lines, width=width, override=title)


def _chosen(tags: WordTags, segments: Sequence[str] | None) -> list[int]:
    if segments is None:
        return _most_divided(tags)
    for name in segments:
        if name not in tags.segments:
            raise unknown_name("segment", name, tags.segments)
    if not segments or len(segments) > MOST_SEGMENTS:
        raise TableError(f"{len(segments)} segments are named; one to {MOST_SEGMENTS} fit in this chart.")
    return [tags.segments.index(name) for name in segments]


def _most_divided(tags: WordTags) -> list[int]:
    right = (tags.predicted == tags.gold).mean(axis=0) if tags.systems else np.zeros(tags.n_words)
    divided = np.bincount(tags.segment_of_word, right * (1 - right), minlength=len(tags.segments))
    filled = [
        i for i in np.argsort(-divided, kind="stable").tolist() if tags.offsets[i + 1] > tags.offsets[i]
    ]
    if not filled:
        raise TableError(
            "There are no words, so nothing can be drawn. Look at the files with betterthan check."
        )
    return filled[: 3 if len(tags.systems) <= _FEW_SYSTEMS else 1]


def _check(tags: WordTags, words: Sequence[Sequence[str]]) -> None:
    if len(words) != len(tags.segments):
        raise TableError(f"Words of {len(words):,} segments are given for tags of {len(tags.segments):,}.")
    for name, segment_words, length in zip(tags.segments, words, np.diff(tags.offsets).tolist(), strict=True):
        if len(segment_words) != length:
            raise TableError(
                f"Segment {name} has {length} tags and {len(segment_words)} words. Give the words that were tagged."
            )


def _tags_panel(tags: WordTags, segment: int, words: Sequence[str] | None, theme: Theme) -> Drawing:
    alt = altair()
    start, stop = int(tags.offsets[segment]), int(tags.offsets[segment + 1])
    stop = min(stop, start + MOST_WORDS)
    systems = names(tags.systems[:MOST_SPAN_SYSTEMS], most=28)
    m, w = len(systems), stop - start
    step = _SPAN_STEP if w <= 45 else 12 if w <= 75 else 8
    table = np.vstack([tags.gold[start:stop], tags.predicted[:m, start:stop]])
    data = _tag_cells(table, ["gold", *systems])
    plain = {"nice": False, "zero": False, "padding": 0}
    across, down = alt.Scale(domain=[0, w], **plain), alt.Scale(domain=[m + 1.3, 0], **plain)
    x, y = alt.X("x:Q", axis=None, scale=across), alt.Y("y:Q", axis=None, scale=down)
    color = alt.Color(
        "tag:N",
        scale=alt.Scale(domain=["OK", "BAD"], range=[theme.line, theme.bad]),
        legend=alt.Legend(
            title=None, orient="right", symbolType="square", symbolStrokeColor=theme.dim, symbolStrokeWidth=1
        ),
    )
    base = alt.Chart(data).encode(x=x, y=y)
    squares = base.mark_square(size=(step - 3) ** 2, opacity=1).encode(color=color, tooltip=_TOOLTIP)
    rings = base.transform_filter("datum.wrong").mark_point(
        size=(step * 0.45) ** 2, color=theme.ink, strokeWidth=1.4, filled=False, opacity=1
    )
    layers = [
        squares,
        rings,
        _span_headings(["gold", *systems], y, theme),
        _word_labels(words, start, stop, x, theme),
    ]
    top = alt.TitleParams(
        f"segment {' '.join(names([tags.segments[segment]]))}",
        fontSize=12,
        fontWeight=600,
        anchor="start",
        frame="group",
    )
    return alt.layer(*layers).properties(width=step * w, height=_SPAN_STEP * (m + 1.3), title=top)


_TOOLTIP = ["row:N", "word:Q", "tag:N"]


def _tag_cells(table: Drawing, called: list[str]) -> Drawing:
    row, word = (at.ravel() for at in np.indices(table.shape))
    return rows(
        {
            "x": word + 0.5,
            "y": row + 0.5 + 0.3 * (row > 0),
            "word": word + 1,
            "row": [called[i] for i in row],
            "tag": np.where(table.ravel(), "BAD", "OK").tolist(),
            "wrong": (table != table[0]).ravel().tolist(),
        }
    )


def _span_headings(called: list[str], y: Drawing, theme: Theme) -> Drawing:
    alt = altair()
    data = rows({"y": [i + 0.5 + 0.3 * (i > 0) for i in range(len(called))], "row": called})
    text = alt.Chart(data).mark_text(align="right", fontSize=11)
    return text.encode(x=alt.value(-8), y=y, text="row:N", color=alt.value(theme.ink))


def _word_labels(words: Sequence[str] | None, start: int, stop: int, x: Drawing, theme: Theme) -> Drawing:
    alt = altair()
    count = stop - start
    if words is None:
        numbered = [rank - 1 for rank in rank_ticks(count)] if count > 8 else list(range(count))
        data = rows({"x": [i + 0.5 for i in numbered], "word": [str(i + 1) for i in numbered]})
        text = alt.Chart(data).mark_text(baseline="bottom", fontSize=9)
    else:
        shown = [names([word], most=16)[0] for word in words[:count]]
        data = rows({"x": [i + 0.5 for i in range(count)], "word": shown})
        text = alt.Chart(data).mark_text(angle=300, align="left", baseline="middle", fontSize=10, dx=2)
    return text.encode(x=x, y=alt.value(-4), text="word:N", color=alt.value(theme.dim))


_BEST, _REST, _SYNTHETIC = "best group", "other systems", "[trivial labeling]"


def tag_ranking_chart(result: TagRanking, theme: Theme, *, title: str | None = None) -> Drawing:
    """Draw each system's score with its interval, one panel per measure; trivial labelings are in brackets."""
    panels = [
        DotPanel(tag_measure_name(measure), result.value[:, k], result.low[:, k], result.high[:, k])
        for k, measure in enumerate(result.measures)
    ]
    synthetic = result.is_synthetic.tolist()
    labels = [f"[{name}]" if flag else name for name, flag in zip(result.systems, synthetic, strict=True)]
    groups = [
        _SYNTHETIC if flag else _BEST if group == 1 else _REST
        for flag, group in zip(synthetic, result.cluster[:, 0].tolist(), strict=True)
    ]
    colors = {_BEST: theme.accent, _REST: theme.rest, _SYNTHETIC: theme.bad}
    both = panels_chart(labels, panels, theme, groups=groups, colors=colors)
    return headed(
        both,
        theme,
        title=f"Word tags by {tag_measure_name(result.measures[0])}",
        words=_ranking_words(result),
        width=width_of(labels, panels),
        override=title,
    )


def _ranking_words(result: TagRanking) -> list[str]:
    first = tag_measure_name(result.measures[0])
    real = int(np.count_nonzero(~result.is_synthetic))
    lines = [
        (
            f"{counted(result.n_words, 'tag')}. Dots with {percent(result.confidence)} confidence intervals; "
            f"best first by {first}."
        )
    ]
    if result.n_pairs:
        lines.append(
            f"Best group: by {first}, randomization tests at level {result.alpha:g} "
            f"({correction_name(result.correction)})."
        )
    beaten = max(result.above(result.measures[0]).values(), default=0)
    if beaten:
        lines.append(f"A trivial labeling outscores {beaten} of {real} systems by {first}.")
    if len(result.measures) > MOST_PANELS:
        lines.append(f"{MOST_PANELS} of {len(result.measures)} measures are shown.")
    return [*lines, *best_only(len(result.systems), MOST_ROWS)]


_BEST_METHOD, _OTHER_METHODS = (
    "not significantly different from the best",
    "significantly worse than the best",
)


def _colors_words(result: SentenceQuality, groups: Sequence[str]) -> list[str]:
    """Say what decides the colors, and what one color means where all systems have it."""
    test = f"{test_name(result)} at level {result.alpha:g}, Holm-adjusted"
    if len(set(groups)) > 1:
        return [f"Colors: {test}."]
    return [f"No system differs significantly from the best ({test})."] if len(groups) > 1 else []


def sentence_quality_chart(result: SentenceQuality, theme: Theme, *, title: str | None = None) -> Drawing:
    """Draw Pearson, Spearman, MAE and RMSE of each system; a line shows the error of always predicting the mean."""
    measures = (
        ("Pearson", result.pearson, None),
        ("Spearman", result.spearman, None),
        ("MAE (lower is better)", result.mae, result.constant_mae),
        ("RMSE (lower is better)", result.rmse, result.constant_rmse),
    )
    panels = [
        DotPanel(name, value, result.low[:, i], result.high[:, i], rule)
        for i, (name, value, rule) in enumerate(measures)
    ]
    best = set(result.letters[0])
    groups = [
        _BEST_METHOD if set(letters) & best or i == 0 else _OTHER_METHODS
        for i, letters in enumerate(result.letters)
    ]
    colors = {_BEST_METHOD: theme.accent, _OTHER_METHODS: theme.rest}
    words = [
        (
            f"{counted(result.settings.n_segments or 0, 'sentence')}. Dots with {percent(result.confidence)} "
            "confidence intervals; best first by Pearson."
        ),
        *_colors_words(result, groups),
        "Dashed: the error of always predicting the mean of the true scores.",
        *best_only(len(result.systems), MOST_ROWS),
    ]
    return headed(
        panels_chart(result.systems, panels, theme, groups=groups, colors=colors),
        theme,
        title="How well is the quality of sentences predicted?",
        words=words,
        width=width_of(result.systems, panels),
        override=title,
    )
