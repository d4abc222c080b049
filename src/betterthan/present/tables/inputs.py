"""Tables of data as they are shown in a notebook: one row per system, or the first segments of texts."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from betterthan.arrays import FloatArray
from betterthan.present.numbers import digits_for
from betterthan.present.table import Table, TableCell, TableColumn
from betterthan.tables.any_table import AnyTable
from betterthan.tables.counts import Counts
from betterthan.tables.matches import Matches
from betterthan.tables.ratings import Ratings
from betterthan.tables.runs import Runs
from betterthan.tables.scores import Scores
from betterthan.tables.tags import WordTags
from betterthan.tables.texts import Texts

MOST_ROWS = 20
"""Rows that are shown; the caption gives the size of the whole."""
_MOST_SEGMENTS, _MOST_OUTPUTS, _MOST_LETTERS = 5, 4, 160


def input_table(data: AnyTable) -> Table:
    """Return what a notebook shows of a table of data.

    Examples
    --------
    >>> scores = Scores(name="chrF", systems=["A", "B"], segments=["1", "2"], values=[[1, 2], [3, 5]])
    >>> table = input_table(scores)
    >>> table.title, table.written()[0]
    ('chrF: 2 systems × 2 segments, higher is better', ['A', '2', '1.5', '1.5', '1.0', '2.0'])
    """
    describe = next(function for kind, function in _DESCRIBED.items() if isinstance(data, kind))
    return describe(data)


def scores_overview(tables: Mapping[str, Scores], *, title: str, notes: tuple[str, ...] = ()) -> Table:
    """Return several tables of scores, one row each."""
    columns = [TableColumn(heading="scores"), *_counts("systems", "segments", "missing")]
    columns.append(TableColumn(heading="direction"))
    rows = [
        (name, len(each.systems), len(each.segments), each.n_missing, each.direction)
        for name, each in tables.items()
    ]
    return _table(title, columns, rows, notes)


def _counts(*headings: str) -> list[TableColumn]:
    return [TableColumn(heading=heading, kind="integer") for heading in headings]


def _table(
    title: str, columns: list[TableColumn], rows: Sequence[tuple[TableCell, ...]], notes: tuple[str, ...]
) -> Table:
    more = len(rows) - MOST_ROWS
    legend = f"The first {MOST_ROWS} of {len(rows):,} rows are shown." if more > 0 else ""
    return Table(
        title=title, columns=tuple(columns), rows=tuple(rows[:MOST_ROWS]), legend=legend, notes=notes
    )


def _size(n: int, what: str) -> str:
    return f"{n:,} {what}{'' if n == 1 else 's'}"


def _scores(data: Scores) -> Table:
    known = data.values[~np.isnan(data.values)]
    digits = digits_for([float(known.std()) if known.size else 1.0])
    columns = [TableColumn(heading="system"), *_counts("scores")]
    columns += [
        TableColumn(heading=heading, kind="number", digits=digits)
        for heading in ("mean", "median", "lowest", "highest")
    ]
    rows = [(name, *_summary(values)) for name, values in zip(data.systems, data.values, strict=True)]
    size = f"{_size(data.n_systems, 'system')} × {_size(data.n_segments, 'segment')}"
    return _table(f"{data.name}: {size}, {data.direction}", columns, rows, data.notes)


def _summary(values: FloatArray) -> tuple[TableCell, ...]:
    known = values[~np.isnan(values)]
    if not known.size:
        return (0, None, None, None, None)
    ends = (known.mean(), np.median(known), known.min(), known.max())
    return (int(known.size), *(float(end) for end in ends))


def _counted(data: Counts) -> Table:
    pooled = data.pooled()
    columns = [
        TableColumn(heading="system"),
        TableColumn(heading=f"{data.formula.name}, pooled", kind="number"),
    ]
    rows = [(name, float(value)) for name, value in zip(data.systems, pooled, strict=True)]
    size = f"{_size(data.n_systems, 'system')} × {_size(data.n_segments, 'segment')}"
    title = f"{data.name}: {size} × {_size(len(data.columns), 'count')}, {data.direction}"
    return _table(title, columns, rows, data.notes)


def _matches(data: Matches) -> Table:
    wins, ties = data.wins(), data.ties()
    won, lost, tied = wins.sum(axis=1), wins.sum(axis=0), ties.sum(axis=1)
    columns = [TableColumn(heading="system"), *_counts("matches", "won", "tied", "lost")]
    rows: list[tuple[TableCell, ...]] = [
        (name, *(float(count) for count in (won[i] + lost[i] + tied[i], won[i], tied[i], lost[i])))
        for i, name in enumerate(data.systems)
    ]
    title = f"{_size(data.n_systems, 'system')}, {data.n_matches:,.10g} matches"
    return _table(title, columns, rows, data.notes)


def _ratings(data: Ratings) -> Table:
    columns = [TableColumn(heading="system"), *_counts("judgments", "judges", "segments")]
    columns.append(TableColumn(heading="mean", kind="number"))
    rows: list[tuple[TableCell, ...]] = []
    for i, name in enumerate(data.systems):
        here = data.system == i
        known = data.score[here]
        mean = float(np.nanmean(known)) if known.size and not np.isnan(known).all() else None
        seen = (int(np.unique(each[here]).size) for each in (data.judge, data.segment))
        rows.append((name, int(here.sum()), *seen, mean))
    size = f"{data.n_judgements:,} judgments by {_size(len(data.judges), 'judge')}"
    return _table(f"{data.name}: {size}, {data.direction}", columns, rows, data.notes)


def _runs(data: Runs) -> Table:
    columns = [TableColumn(heading="system"), *_counts("runs", "segments", "scores")]
    columns.append(TableColumn(heading="mean", kind="number"))
    means, n_runs = data.to_scores().values, data.runs_of_systems
    rows: list[tuple[TableCell, ...]] = [
        (
            name,
            int(n_runs[i]),
            int((~np.isnan(means[i])).sum()),
            int((data.system == i).sum()),
            None if np.isnan(means[i]).all() else float(np.nanmean(means[i])),
        )
        for i, name in enumerate(data.systems)
    ]
    size = f"{_size(data.n_systems, 'system')} × {_size(data.n_segments, 'segment')}, {data.runs_in_words}"
    return _table(f"{data.name}: {size}, {data.direction}", columns, rows, data.notes)


def _tags(data: WordTags) -> Table:
    columns = [TableColumn(heading="system"), *_counts("BAD", "BAD and right", "OK", "OK and right")]
    gold = data.gold
    rows: list[tuple[TableCell, ...]] = [("gold", int(gold.sum()), None, int((~gold).sum()), None)]
    for name, tags in zip(data.systems, data.predicted, strict=True):
        bad, good = (int(each.sum()) for each in (tags, ~tags))
        rows.append((name, bad, int((tags & gold).sum()), good, int((~tags & ~gold).sum())))
    size = f"{_size(len(data.systems), 'system')}, {_size(len(data.segments), 'segment')}"
    return _table(f"Word tags: {size}, {_size(data.n_words, 'word')}", columns, rows, data.notes)


def _texts(data: Texts) -> Table:
    texts: dict[str, tuple[str | None, ...]] = {} if data.sources is None else {"source": data.sources}
    texts |= dict(zip(data.reference_names, data.references, strict=True))
    texts |= dict(zip(data.systems, data.outputs, strict=True))
    shown = dict(list(texts.items())[:_MOST_OUTPUTS])
    columns = [TableColumn(heading=heading) for heading in ("segment", *shown)]
    rows: list[tuple[TableCell, ...]] = [
        (name, *(_cut(lines[i]) for lines in shown.values()))
        for i, name in enumerate(data.segments[:_MOST_SEGMENTS])
    ]
    size = f"{_size(len(data.systems), 'system')} × {_size(len(data.segments), 'segment')}"
    title = f"Texts: {size}, {_size(len(data.references), 'reference')}"
    table = _table(title, columns, rows, data.notes)
    left_out = [
        f"the first {_MOST_SEGMENTS} of {len(data.segments):,} segments"
        if len(data.segments) > len(rows)
        else "",
        f"the first {_MOST_OUTPUTS} of {len(texts):,} texts" if len(texts) > len(shown) else "",
    ]
    words = " and ".join(filter(None, left_out))
    return Table(
        title=table.title,
        columns=table.columns,
        rows=table.rows,
        legend=f"Shown: {words}." if words else "",
        notes=table.notes,
    )


def _cut(text: str | None) -> str | None:
    return text if text is None or len(text) <= _MOST_LETTERS else f"{text[: _MOST_LETTERS - 1]}…"


_DESCRIBED: dict[type, Callable[[Any], Table]] = {
    Scores: _scores,
    Counts: _counted,
    Matches: _matches,
    Ratings: _ratings,
    Runs: _runs,
    WordTags: _tags,
    Texts: _texts,
}
