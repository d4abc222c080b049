"""Charts of quality estimation: word tags and the gold standard, single segments, measures, and sentences."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from betterthan.arrays import FloatArray, IntArray
from betterthan.errors import TableError, unknown_name
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
from betterthan.present.charts.panels import MOST_PANELS, MOST_ROWS, DotPanel, panels_chart, width_of
from betterthan.present.charts.theme import Theme, blended, readable_on
from betterthan.present.geometry import rank_ticks
from betterthan.present.numbers import percent
from betterthan.present.tables.meta_evaluation import test_name
from betterthan.present.tables.tags import tag_measure_name
from betterthan.results.tags import SentenceQuality, TagRanking
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
    panels = [_panel(tags, i, None if words is None else words[i], theme) for i in chosen]
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


def _panel(tags: WordTags, segment: int, words: Sequence[str] | None, theme: Theme) -> Drawing:
    alt = altair()
    start, stop = int(tags.offsets[segment]), int(tags.offsets[segment + 1])
    stop = min(stop, start + MOST_WORDS)
    systems = names(tags.systems[:MOST_SPAN_SYSTEMS], most=28)
    m, w = len(systems), stop - start
    step = _SPAN_STEP if w <= 45 else 12 if w <= 75 else 8
    table = np.vstack([tags.gold[start:stop], tags.predicted[:m, start:stop]])
    data = _data(table, ["gold", *systems])
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
        _words(words, start, stop, x, theme),
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


def _data(table: Drawing, called: list[str]) -> Drawing:
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


def _words(words: Sequence[str] | None, start: int, stop: int, x: Drawing, theme: Theme) -> Drawing:
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
