"""Word tags of single segments: where gold and the systems see BAD words."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from betterthan.errors import TableError, unknown_name
from betterthan.present.charts.drawing import Drawing, altair, headed, names, rows
from betterthan.present.charts.theme import Theme
from betterthan.tables.tags import WordTags

MOST_SEGMENTS, MOST_SYSTEMS, MOST_WORDS = 12, 40, 120
_STEP = 20


def spans_chart(
    tags: WordTags,
    theme: Theme,
    *,
    segments: Sequence[str] | None = None,
    words: Sequence[Sequence[str]] | None = None,
    title: str | None = None,
) -> Drawing:
    """Draw the tags of a few segments word by word: gold on top, a row a system below.

    Parameters
    ----------
    tags : WordTags
    theme : Theme
    segments : sequence of str, optional
        By default the three that divide the systems most: where most words are tagged wrongly by some and rightly by
        others.
    words : sequence of sequences of str, optional
        The words of every segment of `tags`, to stand above the tags.
    title : str, optional
    """
    alt = altair()
    chosen = _chosen(tags, segments)
    if words is not None:
        _check(tags, words)
    panels = [_panel(tags, i, None if words is None else words[i], theme) for i in chosen]
    drawn = alt.vconcat(*panels, spacing=26).resolve_scale(color="shared")
    told = ["Each square is a word; the top row is the gold standard, and a ring marks a tag that is wrong."]
    if len(tags.systems) > MOST_SYSTEMS:
        told.append(f"The first {MOST_SYSTEMS} of {len(tags.systems)} systems are shown.")
    if max(int(tags.offsets[i + 1] - tags.offsets[i]) for i in chosen) > MOST_WORDS:
        told.append(f"Of longer segments, the first {MOST_WORDS} words are shown.")
    return headed(drawn, theme, title="Where are the BAD words?", words=told, width=560, wanted=title)


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
    return filled[:3]


def _check(tags: WordTags, words: Sequence[Sequence[str]]) -> None:
    if len(words) != len(tags.segments):
        raise TableError(f"Words of {len(words)} segments are given for tags of {len(tags.segments)}.")
    for name, given, length in zip(tags.segments, words, np.diff(tags.offsets).tolist(), strict=True):
        if len(given) != length:
            raise TableError(
                f"Segment {name} has {length} tags and {len(given)} words. Give the words that were tagged."
            )


def _panel(tags: WordTags, segment: int, words: Sequence[str] | None, theme: Theme) -> Drawing:
    alt = altair()
    start, stop = int(tags.offsets[segment]), int(tags.offsets[segment + 1])
    stop = min(stop, start + MOST_WORDS)
    systems = names(tags.systems[:MOST_SYSTEMS], most=28)
    m, w = len(systems), stop - start
    step = _STEP if w <= 45 else 12 if w <= 75 else 8
    table = np.vstack([tags.gold[start:stop], tags.predicted[:m, start:stop]])
    data = _data(table, ["gold", *systems])
    plain = {"nice": False, "zero": False, "padding": 0}
    across, down = alt.Scale(domain=[0, w], **plain), alt.Scale(domain=[m + 1.3, 0], **plain)
    x, y = alt.X("x:Q", axis=None, scale=across), alt.Y("y:Q", axis=None, scale=down)
    color = alt.Color(
        "tag:N",
        scale=alt.Scale(domain=["OK", "BAD"], range=[theme.line, theme.bad]),
        legend=alt.Legend(title=None, orient="right", symbolType="square"),
    )
    base = alt.Chart(data).encode(x=x, y=y)
    squares = base.mark_square(size=(step - 3) ** 2, opacity=1).encode(color=color, tooltip=_TOLD)
    rings = base.transform_filter("datum.wrong").mark_point(
        size=(step * 0.45) ** 2, color=theme.ink, strokeWidth=1.4, filled=False, opacity=1
    )
    layers = [squares, rings, _headings(["gold", *systems], y, theme), _words(words, start, stop, x, theme)]
    top = alt.TitleParams(
        f"segment {' '.join(names([tags.segments[segment]]))}",
        fontSize=12,
        fontWeight=600,
        anchor="start",
        frame="group",
    )
    return alt.layer(*layers).properties(width=step * w, height=_STEP * (m + 1.3), title=top)


_TOLD = ["row:N", "word:Q", "tag:N"]


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


def _headings(called: list[str], y: Drawing, theme: Theme) -> Drawing:
    alt = altair()
    data = rows({"y": [i + 0.5 + 0.3 * (i > 0) for i in range(len(called))], "row": called})
    text = alt.Chart(data).mark_text(align="right", fontSize=11)
    return text.encode(x=alt.value(-8), y=y, text="row:N", color=alt.value(theme.ink))


def _words(words: Sequence[str] | None, start: int, stop: int, x: Drawing, theme: Theme) -> Drawing:
    alt = altair()
    count = stop - start
    if words is None:
        kept = [i for i in range(count) if i == 0 or (i + 1) % 5 == 0]
        data = rows({"x": [i + 0.5 for i in kept], "word": [str(i + 1) for i in kept]})
        text = alt.Chart(data).mark_text(baseline="bottom", fontSize=9)
    else:
        shown = [names([word], most=16)[0] for word in words[:count]]
        data = rows({"x": [i + 0.5 for i in range(count)], "word": shown})
        text = alt.Chart(data).mark_text(angle=300, align="left", baseline="middle", fontSize=10, dx=2)
    return text.encode(x=x, y=alt.value(-4), text="word:N", color=alt.value(theme.dim))
